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
    name_lines: Vec<usize>,
    pub(super) groups: Vec<&'g Group<'b>>,
    rules: OnceCell<Rules>,
}

/// The maximum number of lines in all audiences with several groups; a group counts again in each of them. Past the
/// limit, further audiences with several groups are left out, except that of `*`, with which the others are compared.
const MAX_JOINED_LINES: usize = 1_000_000;

/// Returns the robots of a file by the groups that name them, in the order of their first lines. Groups are joined up to
/// [`MAX_JOINED_LINES`].
pub(super) fn audiences<'g, 'b>(
    robots: &'b RobotsTxt,
    groups: &'g [Group<'b>],
) -> Vec<Audience<'g, 'b>> {
    let Memberships { name_lines, pairs } = Memberships::of(groups);
    // The index of the audience of each list of groups.
    let mut by_groups: HashMap<Vec<usize>, usize> = HashMap::new();
    let mut audiences: Vec<Audience<'g, 'b>> = Vec::new();
    let mut joined = 0_usize;
    // The pairs are in the order of the robots, as `name_lines` is.
    let by_robot = pairs.chunk_by(|(one, _), (two, _)| one == two);
    for (name_line, pairs) in name_lines.into_iter().zip(by_robot) {
        let indexes: Vec<usize> = pairs.iter().map(|(_, group)| *group).collect();
        let audience = by_groups.get(&indexes);
        if let Some(audience) = audience.and_then(|&index| audiences.get_mut(index)) {
            audience.name_lines.push(name_line);
            continue;
        }
        let audience = Audience {
            robots,
            name_lines: vec![name_line],
            groups: indexes.iter().filter_map(|&at| groups.get(at)).collect(),
            rules: OnceCell::new(),
        };
        if indexes.len() > 1 {
            let lengths = audience.groups.iter().map(|group| group_length(group));
            joined += lengths.sum::<usize>();
            if joined > MAX_JOINED_LINES && !audience.is_star() {
                continue;
            }
        }
        by_groups.insert(indexes, audiences.len());
        audiences.push(audience);
    }
    audiences
}

/// The robots of a file and their groups, in little memory: a file of 500 KB may name 27,000 robots. A robot is the index of
/// its name among the different names in the file.
struct Memberships {
    /// For each robot, the index of the line that first names it, among the `User-agent` lines of its first group.
    name_lines: Vec<usize>,
    /// A robot and the index of one of its groups, each pair once, in order.
    pairs: Vec<(usize, usize)>,
}

impl Memberships {
    fn of(groups: &[Group<'_>]) -> Self {
        let mut by_token: HashMap<Cow<'_, str>, usize> = HashMap::new();
        let mut found = Self {
            name_lines: Vec::new(),
            pairs: Vec::new(),
        };
        for (at, group) in groups.iter().enumerate() {
            for (line, agent) in group.agents().iter().enumerate() {
                let next = found.name_lines.len();
                let robot = *by_token.entry(robot_of(agent.value())).or_insert(next);
                if robot == next {
                    found.name_lines.push(line);
                }
                found.pairs.push((robot, at));
            }
        }
        found.pairs.sort_unstable();
        found.pairs.dedup();
        found
    }
}

/// Returns the name of the robot in the value of a `User-agent` line, in lower case.
fn robot_of(value: &[u8]) -> Cow<'_, str> {
    let name = match str::from_utf8(value) {
        Ok(name) if !name.bytes().any(|byte| byte.is_ascii_uppercase()) => Cow::Borrowed(name),
        _ => Cow::Owned(String::from_utf8_lossy(value).to_ascii_lowercase()),
    };
    // Several words stay together: the first may be `Mozilla`, which many robots share.
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
    agents + group.directives().len()
}

impl<'g, 'b> Audience<'g, 'b> {
    /// Returns the line that first names each robot.
    pub(super) fn names(&self) -> impl Iterator<Item = &'g Line<'b>> {
        let agents = self.groups.first().map_or(&[][..], |group| group.agents());
        self.name_lines
            .iter()
            .filter_map(|&index| agents.get(index))
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
        allows(self.rules(), path)
    }

    fn rules(&self) -> &Rules {
        let compile = || rules_of(self.robots, &self.groups);
        self.rules.get_or_init(compile)
    }

    /// Returns the line of the rule that closes a target; `None` if it is allowed.
    pub(super) fn closing_line(&self, target: &Target<'_>) -> Option<usize> {
        let verdict = self.rules().verdict(target);
        verdict.line().filter(|_| !verdict.is_allowed())
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

/// Returns whether rules allow a path. `//a/b` is a path, too: `a` is not read as a host.
pub(super) fn allows(rules: &Rules, path: &str) -> bool {
    rules.verdict(&Target::of_path(path)).is_allowed()
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
        let memberships = Memberships::of(&groups);
        assert_eq!(memberships.name_lines, [0, 1, 1, 1, 0]);
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
        assert_eq!(memberships.pairs, expected);
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
        // The lines of an audience: 100 `User-agent` lines and the rules in the first group, two lines in the other.
        let at_limit = MAX_JOINED_LINES / 100 - 102;
        assert_eq!(count(at_limit - 1, "bot99"), 100);
        assert_eq!(count(at_limit, "bot99"), 100);
        assert_eq!(count(at_limit + 1, "bot99"), 99);
        assert_eq!(count(at_limit + 1, "*"), 100);
    }
}
