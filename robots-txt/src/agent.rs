//! Whom a line speaks to: product tokens, groups, and the group that a robot obeys.
//!
//! A group is one or more `User-agent` lines and what follows them up to the next group. A
//! `User-agent` line begins a new group only after a rule (`Allow` or `Disallow`): blank lines,
//! sitemaps, delays and unknown fields end nothing (RFC 9309, 2.2.1 and 2.2.4; SEMANTICS 8.2).

use crate::dialect::{AgentList, AgentMatch, Dialect};
use crate::document::{Directive, RobotsTxt};
use crate::line::{Field, Line, is_space, trim};

/// Some `User-agent` lines and the directives that they govern.
#[derive(Debug, Clone, Default)]
pub struct Group<'a> {
    agents: Vec<Line<'a>>,
    directives: Vec<Directive<'a>>,
}

impl<'a> Group<'a> {
    /// The `User-agent` lines, in order: at least one.
    pub fn agents(&self) -> &[Line<'a>] {
        &self.agents
    }

    /// The other directives of the group, in order: rules, delays, unknown fields.
    ///
    /// A directive between two `User-agent` lines of the group belongs to all of its robots.
    pub fn directives(&self) -> &[Directive<'a>] {
        &self.directives
    }

    /// The `User-agent` line by which the group speaks to a robot of this name.
    pub(crate) fn names(&self, agent: &str, dialect: &Dialect) -> Option<Line<'a>> {
        self.agents
            .iter()
            .find(|line| {
                names(line.value(), dialect)
                    .any(|name| !is_everyone(name) && same_agent(name, agent, dialect.agent_match))
            })
            .copied()
    }

    /// The `User-agent` line by which the group speaks to every robot that no group names.
    pub(crate) fn names_everyone(&self, dialect: &Dialect) -> Option<Line<'a>> {
        self.agents
            .iter()
            .find(|line| names(line.value(), dialect).any(is_everyone))
            .copied()
    }
}

/// The groups of a file, in order. What stands before the first `User-agent` line belongs to
/// none and is left out (RFC 9309, 2.2.1); sitemaps belong to the file.
pub(crate) fn groups<'a>(robots: &'a RobotsTxt, dialect: &Dialect) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut rule_seen = true;
    for directive in robots.directives(dialect) {
        match directive.field() {
            Field::UserAgent => {
                if rule_seen {
                    groups.push(Group::default());
                    rule_seen = false;
                }
                if let Some(group) = groups.last_mut() {
                    group.agents.push(directive.line());
                }
            }
            Field::Sitemap => {}
            field => {
                if let Some(group) = groups.last_mut() {
                    group.directives.push(directive);
                    rule_seen |= matches!(field, Field::Allow | Field::Disallow);
                }
            }
        }
    }
    groups
}

/// The groups that a robot obeys, each with the `User-agent` line that says so: all that name it;
/// if there are none, all that name everyone (RFC 9309, 2.2.1).
pub(crate) fn chosen<'g, 'a>(
    groups: &'g [Group<'a>],
    agent: &str,
    dialect: &Dialect,
) -> Vec<(&'g Group<'a>, Line<'a>)> {
    let with = |choose: &dyn Fn(&Group<'a>) -> Option<Line<'a>>| -> Vec<_> {
        groups
            .iter()
            .filter_map(|group| choose(group).map(|line| (group, line)))
            .collect()
    };
    let specific = with(&|group| group.names(agent, dialect));
    if specific.is_empty() {
        with(&|group| group.names_everyone(dialect))
    } else {
        specific
    }
}

/// The product token that a name begins with: its first letters, digits, `-`, `_` and `.`.
///
/// ```
/// assert_eq!(robots_txt::product_token("Googlebot/2.1"), "Googlebot");
/// assert_eq!(robots_txt::product_token("MJ12bot (http://mj12bot.com/)"), "MJ12bot");
/// ```
pub fn product_token(name: &str) -> &str {
    let end = name
        .bytes()
        .position(|byte| !is_lenient_token(byte))
        .unwrap_or(name.len());
    name.get(..end).unwrap_or(name)
}

fn is_rfc_token(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_')
}

fn is_lenient_token(byte: u8) -> bool {
    is_rfc_token(byte) || byte.is_ascii_digit() || byte == b'.'
}

fn leading(name: &[u8], is_token: fn(u8) -> bool) -> &[u8] {
    let end = name.iter().position(|&byte| !is_token(byte));
    name.get(..end.unwrap_or(name.len())).unwrap_or(name)
}

/// The names in the value of a `User-agent` line.
fn names<'v>(value: &'v [u8], dialect: &Dialect) -> impl Iterator<Item = &'v [u8]> {
    let list = dialect.agent_list;
    value
        .split(move |&byte| list == AgentList::Commas && byte == b',')
        .map(trim)
}

/// Whether a name is `*`, alone or with anything behind white space (SEMANTICS 2.2).
fn is_everyone(name: &[u8]) -> bool {
    match name {
        [b'*'] => true,
        [b'*', next, ..] => is_space(*next),
        _ => false,
    }
}

fn same_agent(name: &[u8], agent: &str, how: AgentMatch) -> bool {
    let agent = agent.as_bytes();
    let same_token = |is_token| {
        let token = leading(agent, is_token);
        !token.is_empty() && leading(name, is_token).eq_ignore_ascii_case(token)
    };
    match how {
        AgentMatch::RfcToken => same_token(is_rfc_token),
        AgentMatch::Token => same_token(is_lenient_token),
        AgentMatch::LineTokenIsName => leading(name, is_rfc_token).eq_ignore_ascii_case(agent),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_compared_as_the_dialect_says() {
        let cases = [
            ("googlebot/1.2", "Googlebot", [true, true, true]),
            ("Googlebot", "Googlebot/2.1", [true, true, false]),
            ("MJ12bot", "MJ12bot", [true, true, false]),
            ("MJ12bot", "MJx", [false, false, false]),
            ("MJ99", "MJ12bot", [true, false, false]),
            ("Googlebot*", "googlebot", [true, true, true]),
            ("Googlebot-News", "Googlebot", [false, false, false]),
            ("123", "", [false, false, true]),
        ];
        for (line, agent, expected) in cases {
            let found = [
                AgentMatch::RfcToken,
                AgentMatch::Token,
                AgentMatch::LineTokenIsName,
            ]
            .map(|how| same_agent(line.as_bytes(), agent, how));
            assert_eq!(found, expected, "line {line:?}, robot {agent:?}");
        }
    }

    #[test]
    fn a_list_may_name_everyone_and_a_robot() {
        let robots = RobotsTxt::parse(b"User-agent: * , a\nDisallow: /");
        let dialect = Dialect::RFC9309.with_agent_list(AgentList::Commas);
        let groups = groups(&robots, &dialect);
        assert!(groups[0].names("a", &dialect).is_some());
        assert!(groups[0].names("b", &dialect).is_none());
        assert!(groups[0].names_everyone(&dialect).is_some());
    }

    #[test]
    fn everyone_is_a_star_with_nothing_glued_to_it() {
        assert!(is_everyone(b"*"));
        assert!(is_everyone(b"* all of you"));
        assert!(!is_everyone(b"*bot"));
        assert!(!is_everyone(b""));
    }
}
