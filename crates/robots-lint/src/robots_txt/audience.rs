//! The robots that share groups, with their joined rules.

use super::lines::{LINT_DIALECT, field_named};
use robots_txt::parse::{Field, Line};
use robots_txt::select::{Directive, Group, product_token};
use robots_txt::{RobotsTxt, Rules, Target};
use std::cell::OnceCell;
use std::collections::HashMap;

/// Robots that are named in the same groups: they obey the same rules (RFC 9309, 2.2.1).
pub(super) struct Audience<'g, 'b> {
    robots: &'b RobotsTxt,
    /// The line that first names each robot.
    pub(super) names: Vec<Line<'b>>,
    pub(super) groups: Vec<&'g Group<'b>>,
    rules: OnceCell<Rules>,
}

/// The maximum number of lines of all groups that are joined. When it is exceeded, robots in several groups are left out,
/// except `*`.
const MAX_JOINED_LINES: usize = 1_000_000;

/// Returns the robots of a file by the groups that name them, in order. Groups are joined up to [`MAX_JOINED_LINES`].
pub(super) fn audiences<'g, 'b>(
    robots: &'b RobotsTxt,
    groups: &'g [Group<'b>],
) -> Vec<Audience<'g, 'b>> {
    let mut by_token: HashMap<String, usize> = HashMap::new();
    let mut named: Vec<(Line<'b>, Vec<usize>)> = Vec::new();
    for (at, group) in groups.iter().enumerate() {
        for line in group.agents() {
            let name = String::from_utf8_lossy(line.value()).to_ascii_lowercase();
            // If there are several words, the first may be `Mozilla`, which many robots share.
            let is_token = !name.contains(char::is_whitespace) && !product_token(&name).is_empty();
            let token = if is_token {
                product_token(&name)
            } else {
                &name
            };
            let index = *by_token.entry(token.to_owned()).or_insert(named.len());
            match named.get_mut(index) {
                None => named.push((*line, vec![at])),
                Some((_, groups)) if groups.last() == Some(&at) => {}
                Some((_, groups)) => groups.push(at),
            }
        }
    }
    let mut by_groups: HashMap<Vec<usize>, usize> = HashMap::new();
    let mut audiences: Vec<Audience<'g, 'b>> = Vec::new();
    let mut joined = 0_usize;
    for (line, indexes) in named {
        let index = by_groups.get(&indexes).copied().unwrap_or(audiences.len());
        if let Some(audience) = audiences.get_mut(index) {
            audience.names.push(line);
            continue;
        }
        let groups: Vec<&Group<'_>> = indexes.iter().filter_map(|&at| groups.get(at)).collect();
        if indexes.len() > 1 {
            let lengths = groups.iter().map(|group| group_length(group));
            joined = lengths.fold(joined, usize::saturating_add);
            if joined > MAX_JOINED_LINES && line.value() != b"*" {
                continue;
            }
        }
        audiences.push(Audience {
            robots,
            names: vec![line],
            groups,
            rules: OnceCell::new(),
        });
        by_groups.insert(indexes, index);
    }
    audiences
}

/// Returns the number of lines of a group.
fn group_length(group: &Group<'_>) -> usize {
    let agents = group.agents().len();
    agents.saturating_add(group.directives().len())
}

impl<'g, 'b> Audience<'g, 'b> {
    /// Returns whether `*` is one of the names.
    pub(super) fn is_star(&self) -> bool {
        self.names.iter().any(|line| line.value() == b"*")
    }

    /// Returns the directives of the groups, in order.
    pub(super) fn directives(&self) -> impl Iterator<Item = &'g Directive<'b>> + use<'g, 'b, '_> {
        self.groups.iter().flat_map(|group| group.directives())
    }

    /// Returns the lines of rules with this field and a path.
    pub(super) fn patterns(&self, field: Field) -> impl Iterator<Item = Line<'b>> {
        let lines = self.directives().map(Directive::line);
        lines.filter(move |line| field_named(line) == field && !line.value().is_empty())
    }

    /// Returns whether the robots may fetch a path, by all of their groups.
    pub(super) fn allows(&self, path: &str) -> bool {
        let rules = self
            .rules
            .get_or_init(|| rules_of(self.robots, &self.groups));
        allows(rules, path)
    }

    /// Returns whether the rules close every path.
    pub(super) fn is_closed(&self) -> bool {
        self.patterns(Field::Allow).next().is_none()
            && self.patterns(Field::Disallow).any(|line| is_root(&line))
    }
}

/// Returns whether the pattern of a rule matches every path.
pub(super) fn is_root(rule: &Line<'_>) -> bool {
    matches!(rule.value(), b"/" | b"*" | b"/*")
}

/// Returns the joined rules of some groups. Fields that only Google reads as rules are left out.
pub(super) fn rules_of(robots: &RobotsTxt, groups: &[&Group<'_>]) -> Rules {
    let directives = groups.iter().flat_map(|group| group.directives());
    let rules = directives.filter(|directive| {
        matches!(
            field_named(&directive.line()),
            Field::Allow | Field::Disallow
        )
    });
    Rules::of_directives(robots, rules, &LINT_DIALECT)
}

/// Returns whether rules allow a path. A path that begins with `//` is not a host.
pub(super) fn allows(rules: &Rules, path: &str) -> bool {
    let url = format!("https://example.com{path}");
    rules.verdict(&Target::new(&url)).is_allowed()
}

/// Returns a path that a pattern matches, with a letter for each star.
pub(super) fn example_path(pattern: &[u8]) -> Option<String> {
    let pattern = std::str::from_utf8(pattern).ok()?;
    let pattern = pattern.strip_suffix('$').unwrap_or(pattern);
    let path = pattern.replace('*', "x");
    Some(if path.starts_with('/') {
        path
    } else {
        format!("/{path}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use robots_txt::Dialect;

    #[test]
    fn joined_lines_are_limited() {
        // Each of 100 robots is in a group with the rules, and in one of its own.
        let count = |rules: usize, last: &str| {
            let name = |at: usize| match at {
                99 => last.to_owned(),
                _ => format!("bot{at}"),
            };
            let names: Vec<String> = (0..100)
                .map(|at| format!("User-agent: {}\n", name(at)))
                .collect();
            let own: String = names
                .iter()
                .map(|line| line.clone() + "Allow: /\n")
                .collect();
            let text = [names.concat(), "Disallow: /a\n".repeat(rules), own].concat();
            let robots = RobotsTxt::parse(text.as_bytes());
            let dialect = Dialect::RFC9309.with_size_limit(None);
            audiences(&robots, &robots.groups(&dialect)).len()
        };
        let at_limit = MAX_JOINED_LINES / 100 - 102;
        assert_eq!(count(at_limit - 1, "bot99"), 100);
        assert_eq!(count(at_limit, "bot99"), 100);
        assert_eq!(count(at_limit + 1, "bot99"), 99);
        assert_eq!(count(at_limit + 1, "*"), 100);
    }
}
