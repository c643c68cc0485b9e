//! The restriction of a robot by a file: nothing is disallowed, some paths, all but some, everything
//! (docs/semantics.md, section 8.7).

use super::automaton::FIRST_RULE;
use super::probe::{MAX_COMPARED_BYTES, fresh_byte};
use super::search::{Budget, Prune, search};
use crate::dialect::Dialect;
use crate::parse::document::RobotsTxt;
use crate::pattern::{Shape, split_end};
use crate::rules::{RankedRule, Rules};
use crate::select::agent::Agent;
use crate::target::Target;
use std::fmt;
use std::ops::ControlFlow;

/// The extent of a restriction: the part of the paths that is disallowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Restriction {
    /// Nothing.
    None,
    /// Some paths.
    Some,
    /// Every path, by a rule that matches all of them, except for some that are allowed.
    AllExcept,
    /// Every path. `/robots.txt` itself does not count.
    All,
    /// Unknown: the rules are too many or too long to consider every path.
    Unknown,
}

impl Restriction {
    /// Every restriction.
    pub const ALL: &[Self] = &[
        Self::None,
        Self::Some,
        Self::AllExcept,
        Self::All,
        Self::Unknown,
    ];

    /// Returns its name, in lower case with underscores: `all_except`.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Some => "some",
            Self::AllExcept => "all_except",
            Self::All => "all",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Restriction {
    /// Writes `none`, `some`, `all except`, `all` or `unknown`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name().replace('_', " "))
    }
}

/// The restriction of a robot by a file, with an allowed and a disallowed path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    restriction: Restriction,
    allowed: Option<String>,
    disallowed: Option<String>,
    is_complete: bool,
}

impl Summary {
    /// Returns the extent of the restriction.
    pub fn restriction(&self) -> Restriction {
        self.restriction
    }

    /// Returns a path that may be fetched, if there is one other than `/robots.txt`. The [`summary`](Rules::summary) has a shortest.
    pub fn allowed(&self) -> Option<&str> {
        self.allowed.as_deref()
    }

    /// Returns a path that may not be fetched, if there is one. The [`summary`](Rules::summary) has a shortest.
    pub fn disallowed(&self) -> Option<&str> {
        self.disallowed.as_deref()
    }

    /// Returns whether every path was considered. If not, [`allowed`](Self::allowed) or
    /// [`disallowed`](Self::disallowed) may be `None` although there is such a path.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }
}

impl RobotsTxt {
    /// Returns the restriction of a robot by the file.
    ///
    /// ```
    /// use robots_txt::{Dialect, RobotsTxt};
    /// use robots_txt::analysis::Restriction;
    ///
    /// let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /\nAllow: /about$");
    /// let summary = robots.summary("ExampleBot", &Dialect::RFC9309);
    /// assert_eq!(summary.restriction(), Restriction::AllExcept);
    /// assert_eq!(summary.allowed(), Some("/about"));
    /// ```
    pub fn summary<'n>(&self, agent: impl Into<Agent<'n>>, dialect: &Dialect) -> Summary {
        self.rules(agent, dialect).summary()
    }
}

impl Rules {
    /// Returns the restriction by the rules: see [`RobotsTxt::summary`].
    pub fn summary(&self) -> Summary {
        let (mut allowed, mut disallowed) = (None, None);
        let disallow_all_rules = self.ranks_of_disallow_all();
        // True if one of these rules decides about some path.
        let mut disallows_all = false;
        let is_complete = search(&[self], Prune::Settled, &mut Budget::new(), |visited| {
            let is_allowed = visited.allows.first().copied().unwrap_or(true);
            let rule = visited.deciding.first().copied().flatten();
            disallows_all |= rule.is_some_and(|rule| disallow_all_rules.contains(&rule));
            let example = if is_allowed {
                &mut allowed
            } else {
                &mut disallowed
            };
            if example.is_none() {
                let path = visited.path();
                // The path of the file itself does not count.
                if path != "/robots.txt" {
                    *example = Some(path);
                }
            }
            // With both paths, only one question is left: whether a rule that disallows every path ever decides.
            let has_both = allowed.is_some() && disallowed.is_some();
            if has_both && (disallows_all || disallow_all_rules.is_empty()) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        let restriction = match (&allowed, &disallowed) {
            (Some(_), Some(_)) if disallows_all => Restriction::AllExcept,
            (Some(_), Some(_)) => Restriction::Some,
            _ if !is_complete => Restriction::Unknown,
            (_, None) => Restriction::None,
            (None, Some(_)) => Restriction::All,
        };
        Summary {
            restriction,
            allowed,
            disallowed,
            is_complete,
        }
    }
}

impl Rules {
    /// Returns the [`restriction`](Summary::restriction) of the [`summary`](Self::summary). Nearly always, this takes one verdict
    /// for each rule instead of a search.
    pub fn restriction(&self) -> Restriction {
        self.restriction_with_examples().restriction()
    }

    /// Returns the [`summary`](Self::summary), whose example paths need not be the shortest. Nearly always, this takes one verdict
    /// for each rule instead of a search.
    ///
    /// ```
    /// use robots_txt::{Dialect, RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /*.pdf\nDisallow: /private/");
    /// let summary = robots.rules("ExampleBot", &Dialect::RFC9309).restriction_with_examples();
    /// assert_eq!(summary.allowed(), Some("/"));
    /// assert_eq!(summary.disallowed(), Some("/private/"));
    /// ```
    pub fn restriction_with_examples(&self) -> Summary {
        self.summary_by_probes().unwrap_or_else(|| self.summary())
    }

    /// Returns a summary from the verdicts on a few paths ([`probe`](super::probe)); `None` if only a search can determine it.
    ///
    /// The verdict on a path that no rule names is the default: only rules that match every path
    /// apply to it. An exception is a path with the opposite verdict.
    fn summary_by_probes(&self) -> Option<Summary> {
        const ROOT: &str = "/";
        let ranked = self.ranked();
        let of = |restriction, allows: bool, default: &str, exception: Option<String>| {
            let default = Some(default.to_owned());
            let (allowed, disallowed) = if allows {
                (default, exception)
            } else {
                (exception, default)
            };
            Some(Summary {
                restriction,
                allowed,
                disallowed,
                is_complete: true,
            })
        };
        if ranked.iter().all(|rule| rule.allows) {
            return of(Restriction::None, true, ROOT, None);
        }
        let has_disallow_all = ranked
            .iter()
            .any(|rule| !rule.allows && rule.matches_every_path());
        if has_disallow_all && !ranked.iter().any(|rule| rule.allows) {
            return of(Restriction::All, false, ROOT, None);
        }
        let fresh = fresh_byte(self.dialect(), &ranked)?;
        let unnamed = format!("/{}", char::from(fresh));
        let default = self.verdict(&Target::of_path(&unnamed));
        let allows = default.is_allowed();
        let exception = self.exception(&ranked, allows, fresh).ok()?;
        // If this returns false, a shell pattern such as `/?*` decides the default: it does not match every path, so only a
        // search is certain.
        let is_default_by_rule_for_all = || {
            let line = default.line();
            let mut rules = ranked.iter().filter(|rule| Some(rule.line) == line);
            rules.any(RankedRule::matches_every_path)
        };
        let restriction = match (allows, exception.is_some(), has_disallow_all) {
            (true, false, _) => Restriction::None,
            (true, true, false) => Restriction::Some,
            // The rule that disallows every path never decides: the rule of the default outranks it.
            (true, true, true) if is_default_by_rule_for_all() => Restriction::Some,
            (false, false, _) => Restriction::All,
            (false, true, true) if is_default_by_rule_for_all() => Restriction::AllExcept,
            // A shell pattern decides the default.
            _ => return None,
        };
        let is_default = |path| self.verdict(&Target::of_path(path)).is_allowed() == allows;
        let example = if is_default(ROOT) { ROOT } else { &unnamed };
        of(restriction, allows, example, exception)
    }

    /// Returns a path other than `/robots.txt` with the opposite of the default verdict, if there is one.
    ///
    /// # Errors
    ///
    /// If a rule cannot be probed, or the probes would compare too many bytes.
    fn exception(
        &self,
        ranked: &[RankedRule<'_>],
        default_allows: bool,
        fresh: u8,
    ) -> Result<Option<String>, NotProbed> {
        // A rule that does not decide about its probe paths does not decide about any path.
        let is_exception = |path: &str| {
            path != "/robots.txt"
                && self.verdict(&Target::of_path(path)).is_allowed() != default_allows
        };
        // No rule decides after one that matches every path.
        let last = ranked.iter().position(RankedRule::matches_every_path);
        let ranked = last.map_or(ranked, |last| &ranked[..=last]);
        let starred = ranked.iter().filter(|rule| rule.has_star());
        let bytes_a_verdict = starred.map(|rule| rule.form.len() as u64).sum::<u64>();
        let mut bytes_left = MAX_COMPARED_BYTES;
        for rule in ranked.iter().filter(|rule| rule.allows != default_allows) {
            for path in rule.probe_paths(fresh).ok_or(NotProbed)? {
                bytes_left = bytes_left.checked_sub(bytes_a_verdict).ok_or(NotProbed)?;
                if is_exception(&path) {
                    let shorter = path.strip_suffix(char::from(fresh));
                    let shorter = shorter.filter(|path| !path.is_empty() && is_exception(path));
                    let shorter = shorter.map(str::to_owned);
                    return Ok(Some(shorter.unwrap_or(path)));
                }
            }
        }
        Ok(None)
    }

    /// Returns the ranks of the rules that match every path and disallow it.
    fn ranks_of_disallow_all(&self) -> Vec<u32> {
        self.ranked()
            .iter()
            .zip(FIRST_RULE..)
            .filter(|(rule, _)| !rule.allows && rule.matches_every_path())
            .map(|(_, rank)| rank)
            .collect()
    }
}

/// Probes that determine nothing.
struct NotProbed;

impl RankedRule<'_> {
    fn matches_every_path(&self) -> bool {
        match self.reading.shape {
            Shape::Prefix => matches!(self.compared(), b"" | b"/"),
            Shape::Exact => false,
            // Only stars, and the slash at the start of every path.
            Shape::Glob => {
                let (pattern, is_whole) = split_end(self.form);
                let mut literal = pattern.iter().filter(|&&byte| byte != b'*');
                matches!((literal.next(), literal.next()), (None | Some(b'/'), None))
                    && (!is_whole || pattern.ends_with(b"*"))
            }
            Shape::Shell => {
                let stars = self.form.strip_prefix(b"/").unwrap_or(self.form);
                stars.iter().all(|&byte| byte == b'*') && !stars.is_empty()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::encoding::is_bare;

    /// Returns all characters of a path: each octet as in URLs, escaped if it must be or if it is special
    /// in a pattern.
    fn characters() -> impl Iterator<Item = String> {
        (0..=u8::MAX).map(|byte| {
            if is_bare(byte) && !b"#*$".contains(&byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
    }

    fn restriction(rules: &str) -> Restriction {
        let body = format!("User-agent: *\n{rules}");
        let summary = RobotsTxt::parse(body.as_bytes()).summary("a", &Dialect::RFC9309);
        assert!(summary.is_complete(), "{rules}");
        let rules = RobotsTxt::parse(body.as_bytes()).rules("a", &Dialect::RFC9309);
        let probed = rules.restriction_with_examples();
        assert_eq!(probed.restriction(), summary.restriction(), "{body}");
        for (example, shortest, is_allowed) in [
            (probed.allowed(), summary.allowed(), true),
            (probed.disallowed(), summary.disallowed(), false),
        ] {
            assert_eq!(example.is_some(), shortest.is_some(), "{body}");
            let verdict = example.map(|path| rules.verdict(&Target::of_path(path)).is_allowed());
            assert!(
                verdict.is_none_or(|allowed| allowed == is_allowed),
                "{body}"
            );
        }
        summary.restriction()
    }

    /// Many rules with wildcards take no search.
    #[test]
    fn many_wildcards_have_a_restriction() {
        let line = |number: usize| format!("Disallow: /*a{number}*b\nAllow: /q{number}*z$\n");
        let body: String = (0..10_000).map(line).collect();
        let robots = RobotsTxt::parse(format!("User-agent: *\n{body}"));
        for dialect in [Dialect::RFC9309, Dialect::GOOGLE, Dialect::ALLOW_FIRST] {
            let dialect = dialect.with_size_limit(None);
            let rules = robots.rules("a", &dialect);
            let summary = rules.restriction_with_examples();
            assert_eq!(summary.restriction(), Restriction::Some);
            let path = summary.disallowed().unwrap();
            assert!(!rules.verdict(&Target::new(path)).is_allowed(), "{path}");
        }
    }

    /// If rules name every character, they may match every path.
    #[test]
    fn many_rules_may_match_every_path() {
        let disallow = |patterns: Vec<String>| {
            let lines = patterns.iter().map(|text| format!("Disallow: {text}\n"));
            restriction(&lines.collect::<String>())
        };
        let all: Vec<String> = characters()
            .map(|character| format!("/{character}"))
            .chain(["/$".to_owned()])
            .collect();
        // An escape of an unreserved character is read as the character.
        assert_eq!(disallow(all.clone()), Restriction::All);
        assert_eq!(disallow(all[1..].to_vec()), Restriction::Some);
        // `/*0` to `/*F` match every escape, as it has hexadecimal digits.
        let digits = "0123456789ABCDEF";
        let others = characters().filter(|text| text.len() == 1 && !digits.contains(text.as_str()));
        let by_ends: Vec<String> = others
            .map(|character| format!("/{character}"))
            .chain(digits.chars().map(|digit| format!("/*{digit}")))
            .chain(["/$".to_owned()])
            .collect();
        assert_eq!(disallow(by_ends), Restriction::All);
    }

    #[test]
    fn a_summary_follows_the_decisions() {
        let cases = [
            ("", Restriction::None),
            ("Disallow:", Restriction::None),
            ("Allow: /", Restriction::None),
            ("Disallow: /", Restriction::All),
            ("Disallow: *", Restriction::All),
            ("Disallow: /*\nAllow: ", Restriction::All),
            ("Disallow: /*$", Restriction::All),
            ("Disallow: /a\nDisallow: */", Restriction::All),
            ("Disallow: /$", Restriction::Some),
            ("Disallow: /robots.txt$", Restriction::None),
            ("Disallow: /robots.txt$\nDisallow: /%zz", Restriction::Some),
            ("Disallow: /a", Restriction::Some),
            ("Disallow: /\nAllow: /a", Restriction::AllExcept),
            ("Disallow: /*\nAllow: /a$", Restriction::AllExcept),
            // Every Disallow is outranked.
            ("Disallow: /a\nAllow: /a*", Restriction::None),
            ("Disallow: /\nAllow: /", Restriction::None),
            (
                "Disallow: /a\nDisallow: /b\nAllow: /a\nAllow: /b",
                Restriction::None,
            ),
            // The Allow never decides.
            ("Disallow: /\nAllow: a", Restriction::All),
            (
                "Disallow: /\nDisallow: /ab\nAllow: /ab$",
                Restriction::AllExcept,
            ),
            ("Disallow: /robots.txt", Restriction::Some),
            ("Disallow:\nDisallow: /a", Restriction::Some),
            ("Disallow: /\nAllow: /\nDisallow: /a", Restriction::Some),
            ("Disallow: /*[x", Restriction::Some),
        ];
        for (rules, expected) in cases {
            assert_eq!(restriction(rules), expected, "{rules:?}");
        }
    }

    #[test]
    fn the_path_of_the_file_represents_no_other_path() {
        let of = |rules: &str| {
            let body = format!("User-agent: *\n{rules}");
            let summary = RobotsTxt::parse(body.as_bytes()).summary("a", &Dialect::GOOGLE);
            assert!(summary.is_complete());
            summary.restriction()
        };
        assert_eq!(of("Disallow: /robots.txt"), Restriction::Some);
        assert_eq!(of("Disallow: /robots.txt*$"), Restriction::Some);
        assert_eq!(of("Disallow: /robots.txt$"), Restriction::None);
        assert_eq!(
            of("Disallow: /\nAllow: /robots.txt"),
            Restriction::AllExcept
        );
        assert_eq!(of("Disallow: /\nAllow: /robots.txt$"), Restriction::All);
    }

    #[test]
    fn unnamed_escapes_are_considered() {
        // Every character of a URL has its rule: only escapes are left. The loop leaves out the characters that a URL
        // path cannot have, `%`, which begins an escape, and `*`, whose rule is `/%2A`.
        let mut rules = String::from("User-agent: *\nAllow: /\nDisallow: /$\nDisallow: /%2A\n");
        for byte in (b'!'..=b'~').filter(|byte| !b"\"#%*<>\\^`{|}".contains(byte)) {
            // At the end of a pattern, `$` is not literal.
            let literal = if byte == b'$' {
                "%24".to_owned()
            } else {
                char::from(byte).to_string()
            };
            rules = rules + "Disallow: /" + &literal + "\n";
        }
        let summary = RobotsTxt::parse(rules.as_bytes()).summary("a", &Dialect::RFC9309);
        assert_eq!(summary.restriction(), Restriction::Some);
        assert!(summary.allowed().is_some_and(|path| path.starts_with("/%")));
    }
}
