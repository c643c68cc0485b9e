//! The robots that share groups, with their joined rules.

use super::lines::{LINT_DIALECT, field_named};
use robots_txt::parse::{Field, Line};
use robots_txt::select::{Directive, Group, product_token};
use robots_txt::{RobotsTxt, Rules, Target};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;

/// Robots that are named in the same groups: they obey the same rules (RFC 9309, 2.2.1).
pub(super) struct Audience<'g, 'b> {
    robots: &'b RobotsTxt,
    /// The index of the line that first names each robot, among the `User-agent` lines of the first group.
    names: Vec<usize>,
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
    let Memberships { names, groups: all } = Memberships::of(groups);
    let mut by_groups: HashMap<Vec<usize>, usize> = HashMap::new();
    let mut audiences: Vec<Audience<'g, 'b>> = Vec::new();
    let mut joined = 0_usize;
    for (name, memberships) in names.into_iter().zip(all.chunk_by(|a, b| a.0 == b.0)) {
        let indexes: Vec<usize> = memberships.iter().map(|(_, group)| *group).collect();
        let index = by_groups.get(&indexes).copied().unwrap_or(audiences.len());
        if let Some(audience) = audiences.get_mut(index) {
            audience.names.push(name);
            continue;
        }
        let audience = Audience {
            robots,
            names: vec![name],
            groups: indexes.iter().filter_map(|&at| groups.get(at)).collect(),
            rules: OnceCell::new(),
        };
        if indexes.len() > 1 {
            let lengths = audience.groups.iter().map(|group| group_length(group));
            joined = lengths.fold(joined, usize::saturating_add);
            if joined > MAX_JOINED_LINES && !audience.is_star() {
                continue;
            }
        }
        audiences.push(audience);
        by_groups.insert(indexes, index);
    }
    audiences
}

/// The robots of a file and their groups. A file of 500 KB may name 27,000 robots: each takes a few words.
struct Memberships {
    /// The index of the line that first names each robot, among the `User-agent` lines of its first group.
    names: Vec<usize>,
    /// The index of a robot and that of one of its groups, each pair once, in order.
    groups: Vec<(usize, usize)>,
}

impl Memberships {
    fn of(groups: &[Group<'_>]) -> Self {
        let mut by_token: HashMap<Cow<'_, str>, usize> = HashMap::new();
        let mut found = Self {
            names: Vec::new(),
            groups: Vec::new(),
        };
        for (at, group) in groups.iter().enumerate() {
            for (line, agent) in group.agents().iter().enumerate() {
                let robot = *by_token
                    .entry(robot_of(agent.value()))
                    .or_insert(found.names.len());
                if robot == found.names.len() {
                    found.names.push(line);
                }
                found.groups.push((robot, at));
            }
        }
        found.groups.sort_unstable();
        found.groups.dedup();
        found
    }
}

/// Returns the name of the robot in the value of a `User-agent` line, in lower case.
fn robot_of(value: &[u8]) -> Cow<'_, str> {
    let name = match str::from_utf8(value) {
        Ok(name) if !name.bytes().any(|byte| byte.is_ascii_uppercase()) => Cow::Borrowed(name),
        _ => Cow::Owned(String::from_utf8_lossy(value).to_ascii_lowercase()),
    };
    // If there are several words, the first may be `Mozilla`, which many robots share.
    let is_token = !name.contains(char::is_whitespace) && !product_token(&name).is_empty();
    match name {
        Cow::Borrowed(name) if is_token => Cow::Borrowed(product_token(name)),
        Cow::Owned(name) if is_token => Cow::Owned(product_token(&name).to_owned()),
        name => name,
    }
}

/// Returns the number of lines of a group.
fn group_length(group: &Group<'_>) -> usize {
    let agents = group.agents().len();
    agents.saturating_add(group.directives().len())
}

impl<'g, 'b> Audience<'g, 'b> {
    /// Returns the line that first names each robot.
    pub(super) fn names(&self) -> impl Iterator<Item = &'g Line<'b>> {
        let agents = self.groups.first().map_or(&[][..], |group| group.agents());
        self.names.iter().filter_map(|&index| agents.get(index))
    }

    /// Returns whether `*` is one of the names.
    pub(super) fn is_star(&self) -> bool {
        self.names().any(|line| line.value() == b"*")
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
    let target = if path.starts_with("//") {
        Target::new(&format!("https://example.com{path}")).into_owned()
    } else {
        Target::new(path)
    };
    rules.verdict(&target).is_allowed()
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
    fn a_robot_is_named_once() {
        let text = b"User-agent: A/1\nUser-agent: b\nAllow: /\nUser-agent: a\nUser-agent: \xe9 B\nAllow: /x\n\
            User-agent: a/2\nUser-agent: Mozilla 5\nAllow: /y\nUser-agent: *\nAllow: /z\nUser-agent: B\nAllow: /\n";
        let robots = RobotsTxt::parse(text);
        let dialect = Dialect::RFC9309;
        let groups = robots.groups(&dialect);
        let names = Memberships::of(&groups);
        assert_eq!(names.names, [0, 1, 1, 1, 0]);
        let expected = [
            (0, 0),
            (0, 1),
            (0, 2),
            (1, 0),
            (1, 4),
            (2, 1),
            (3, 2),
            (4, 3),
        ];
        assert_eq!(names.groups, expected);
        let audiences = audiences(&robots, &groups);
        let values: Vec<Vec<&[u8]>> = audiences
            .iter()
            .map(|audience| audience.names().map(Line::value).collect())
            .collect();
        let expected: [&[&[u8]]; 5] = [&[b"A/1"], &[b"b"], &[b"\xe9 B"], &[b"Mozilla 5"], &[b"*"]];
        assert_eq!(values, expected);
        assert!(audiences.last().unwrap().is_star());
    }

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
