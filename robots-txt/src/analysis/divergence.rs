//! Divergences of dialects: paths on which engines decide differently about the same file.

use super::PathVerdict;
use super::search::differing_paths;
use crate::dialect::{Dialect, Switch};
use crate::parse::document::RobotsTxt;
use crate::rules::Rules;
use crate::select::agent::Agent;
use crate::target::Target;

/// The maximum number of divergences reported.
pub const MAX_DIVERGENCES: usize = 1_000;

/// The divergences of dialects on one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Divergences {
    divergences: Vec<Divergence>,
    is_complete: bool,
}

/// A path on which the verdicts of dialects differ. It represents all paths on which each dialect has
/// the same deciding rule as on this path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Divergence {
    path: String,
    verdicts: Vec<PathVerdict>,
}

impl Divergences {
    /// Returns the divergences: one for each combination of deciding rules, up to
    /// [`MAX_DIVERGENCES`] of them. Short paths come first, with an escape counted as one character;
    /// paths with escapes that occur in no rule come last.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Divergence> {
        self.divergences.iter()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.divergences.is_empty()
    }

    /// Returns whether every path was considered. If not, there may be other divergences. Always false
    /// with a dialect that encodes data in queries
    /// ([`Encoding::RfcTable`](crate::dialect::Encoding::RfcTable)).
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }
}

impl Divergence {
    /// Returns a path on which the dialects differ. It may begin with `//`, which
    /// [`Target::new`](crate::Target::new) reads as an authority: use [`Target::of_path`](crate::Target::of_path).
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the verdict of each dialect on it, in the order in which they were given.
    pub fn verdicts(&self) -> &[PathVerdict] {
        &self.verdicts
    }
}

impl RobotsTxt {
    /// Returns the paths on which dialects decide differently about a robot.
    ///
    /// ```
    /// use robots_txt::{Dialect, RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse(b"User-agent: *\nAllow: /a\nDisallow: /a/b");
    /// let found = robots.divergence("ExampleBot", &[Dialect::RFC9309, Dialect::ALLOW_FIRST]);
    /// let divergence = found.iter().next().unwrap();
    /// assert_eq!(divergence.path(), "/a/b");
    /// assert_eq!(divergence.verdicts()[0].line(), Some(3));
    /// assert_eq!(divergence.verdicts()[1].line(), Some(2));
    /// ```
    pub fn divergence<'n>(&self, agent: impl Into<Agent<'n>>, dialects: &[Dialect]) -> Divergences {
        let agent = agent.into();
        let rules: Vec<Rules> = dialects
            .iter()
            .map(|dialect| self.rules(&agent, dialect))
            .collect();
        let all: Vec<&Rules> = rules.iter().collect();
        let (paths, is_complete) = differing_paths(&all, MAX_DIVERGENCES);
        let divergences = paths.into_iter().map(|path| Divergence {
            verdicts: rules
                .iter()
                .map(|rules| PathVerdict::of(rules, &path))
                .collect(),
            path,
        });
        Divergences {
            divergences: divergences.collect(),
            is_complete,
        }
    }
}

impl RobotsTxt {
    /// Returns the switches that make two dialects decide differently about a target; none if the
    /// dialects agree. If these switches of the first dialect had their values in the second, the first
    /// would decide as the second does.
    ///
    /// Returns a single switch if one is enough. If not, starts with all switches in which the dialects
    /// differ, and leaves out, one by one, each that is not needed. Compiles the rules once for each of
    /// these switches, and once more for each if no single one is enough.
    ///
    /// ```
    /// use robots_txt::{Dialect, RobotsTxt, Target};
    /// use robots_txt::dialect::Switch;
    ///
    /// let robots = RobotsTxt::parse(b"User-agent: *\nAllow: /a\nDisallow: /a/b");
    /// let dialects = [&Dialect::RFC9309, &Dialect::KOSTER_1996];
    /// let switches = robots.cause_of_divergence("ExampleBot", dialects, &Target::new("/a/b"));
    /// assert_eq!(switches, [Switch::RuleOrder]);
    /// ```
    pub fn cause_of_divergence<'n>(
        &self,
        agent: impl Into<Agent<'n>>,
        [from, to]: [&Dialect; 2],
        target: &Target<'_>,
    ) -> Vec<Switch> {
        let agent = agent.into();
        let allows = |dialect: &Dialect| self.rules(&agent, dialect).verdict(target).is_allowed();
        let wanted = allows(to);
        if allows(from) == wanted {
            return Vec::new();
        }
        let all: Vec<Switch> = from.differences(to).collect();
        if let Some(one) = all
            .iter()
            .find(|switch| allows(&from.with_value_of(**switch, to)) == wanted)
        {
            return vec![*one];
        }
        // All switches together change the decision: remove those that are not needed.
        let mut needed = all.clone();
        for switch in all {
            let others = needed.iter().filter(|other| **other != switch);
            let without = others.fold(*from, |dialect, other| dialect.with_value_of(*other, to));
            if allows(&without) == wanted {
                needed.retain(|other| *other != switch);
            }
        }
        needed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(rules: &str, dialects: &[Dialect]) -> Vec<String> {
        let robots = RobotsTxt::parse(format!("User-agent: *\n{rules}").as_bytes());
        let found = robots.divergence("a", dialects);
        assert!(found.is_complete());
        for divergence in found.iter() {
            let decisions: Vec<bool> = divergence
                .verdicts()
                .iter()
                .map(PathVerdict::is_allowed)
                .collect();
            assert!(
                decisions.contains(&true) && decisions.contains(&false),
                "{divergence:?}"
            );
        }
        found
            .iter()
            .map(|divergence| divergence.path().to_owned())
            .collect()
    }

    #[test]
    fn engines_differ_where_their_readings_differ() {
        let both = [Dialect::RFC9309, Dialect::GOOGLE];
        let bing = [Dialect::RFC9309, Dialect::BING];
        assert_eq!(paths("Disallow: /a\nAllow: /a/b*c$", &bing), [""; 0]);
        // docs/semantics.md, section 9, vectors 21, 24, 28, 29 and 31.
        assert_eq!(paths("Disallow: /b", &both), ["/%62"]);
        assert_eq!(paths("Disallow: /%2A", &both)[0], "/*");
        assert_eq!(
            paths("Disallow: .jpg$", &[Dialect::BAIDU, Dialect::RFC9309]),
            ["/.jpg"]
        );
        assert_eq!(paths("Disallow: /robots.txt", &both)[0], "/robots.txt");
        let index = paths("Allow: /index.html\nDisallow: /", &both);
        assert!(index.contains(&"/".to_owned()), "{index:?}");
        assert_eq!(
            paths("Disallow: /a*b", &[Dialect::RFC9309, Dialect::KOSTER_1996]),
            ["/ab"]
        );
    }

    #[test]
    fn as_many_divergences_as_are_reported_are_complete() {
        for (number, is_complete) in [(MAX_DIVERGENCES, true), (MAX_DIVERGENCES + 1, false)] {
            // In 1996, `*` was not a wildcard: each rule has one path on which it alone decides, `/00000x`.
            let rules = (0..number).map(|path| format!("Disallow: /{path:05}*x"));
            let rules = rules.collect::<Vec<_>>().join("\n");
            let robots = RobotsTxt::parse(format!("User-agent: *\n{rules}").as_bytes());
            let dialects = [Dialect::RFC9309, Dialect::KOSTER_1996];
            let found = robots.divergence("a", &dialects);
            assert_eq!(found.iter().len(), MAX_DIVERGENCES);
            let verdicts = found.iter().next().unwrap().verdicts();
            let rules: Vec<_> = verdicts.iter().map(PathVerdict::rule).collect();
            assert_eq!(rules, [Some("Disallow: /00000*x"), None]);
            assert_eq!(found.is_complete(), is_complete);
        }
    }

    #[test]
    fn a_divergence_has_a_cause() {
        let cause = |rules: &str, dialects, path| {
            let robots = RobotsTxt::parse(format!("User-agent: *\n{rules}").as_bytes());
            robots.cause_of_divergence("a", dialects, &Target::new(path))
        };
        let rfc = &Dialect::RFC9309;
        let encoding = cause("Disallow: /b", [rfc, &Dialect::GOOGLE], "/%62");
        assert_eq!(encoding, [Switch::Encoding]);
        assert_eq!(cause("Disallow: /b", [rfc, &Dialect::GOOGLE], "/b"), []);
        // Both the literal star and the rule order are needed: neither alone is enough.
        let both = cause(
            "Allow: /a\nDisallow: /a*",
            [&Dialect::KOSTER_1996, rfc],
            "/ab",
        );
        assert_eq!(both, [Switch::RuleOrder, Switch::PatternSyntax]);
    }
}
