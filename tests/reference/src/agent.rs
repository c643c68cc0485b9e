//! The nearness of a `User-agent` line to a robot: the index of the robot's name that the line names, or
//! the number of names for `*`. The least is the nearest.
//!
//! Where the longest name counts, the characters of the line's name come second, and `*` is a name of one character.

use crate::line::{is_space, without_space};
use crate::robotparser;
use robots_txt::dialect::{AgentList, AgentMatch, GroupChoice};
use robots_txt::{Agent, Dialect};
use std::cmp::Reverse;

/// An index among the robot's names, and the length of the line's name if it counts.
pub(crate) type Nearness = (usize, Reverse<usize>);

/// Returns the nearness of `*`, which is after all names of the robot.
pub(crate) fn nearness_of_star(agent: &Agent<'_>, dialect: &Dialect) -> Nearness {
    let names = agent.names().count();
    match dialect.group_choice() {
        GroupChoice::LongestName => (names - 1, Reverse(1)),
        _ => (names, Reverse(0)),
    }
}

/// Returns the nearness of a `User-agent` value, the least of its names, and the first name with it in the form in which
/// names are equal; `None` if the line is not for the robot.
pub(crate) fn nearness(
    value: &[u8],
    agent: &Agent<'_>,
    dialect: &Dialect,
) -> Option<(Nearness, String)> {
    let how = dialect.agent_match();
    let listed = names(value, dialect.agent_list());
    let nearness_of_name = |one: &[u8]| {
        if is_star(one, how) {
            let star = (nearness_of_star(agent, dialect), "*".to_owned());
            return agent.obeys_star().then_some(star);
        }
        let index = agent
            .names()
            .position(|name| is_same(one, name.as_bytes(), how))?;
        let name = compared(one, how);
        let length = match dialect.group_choice() {
            GroupChoice::LongestName => name.chars().count(),
            _ => 0,
        };
        Some(((index, Reverse(length)), name))
    };
    let all = listed.into_iter().filter_map(nearness_of_name);
    all.min_by_key(|(nearness, _)| *nearness)
}

/// Returns the part of a listed name that is compared, in small letters.
fn compared(listed: &[u8], how: AgentMatch) -> String {
    let in_rfc_token = |byte: u8| byte.is_ascii_alphabetic() || byte == b'-' || byte == b'_';
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match how {
        AgentMatch::RfcToken | AgentMatch::LineTokenIsName => {
            text(start_of(listed, in_rfc_token)).to_ascii_lowercase()
        }
        AgentMatch::Token => text(start_of(listed, |byte| {
            in_rfc_token(byte) || byte.is_ascii_digit() || byte == b'.' || !byte.is_ascii()
        }))
        .to_ascii_lowercase(),
        AgentMatch::UnquotedLineInName => robotparser::name_of_line(listed).to_lowercase(),
        AgentMatch::LineInWords => text(listed).replace('*', "").to_lowercase(),
        _ => text(listed).to_ascii_lowercase(),
    }
}

/// Returns whether the value of a `User-agent` line has a `*`.
pub(crate) fn has_star(value: &[u8], dialect: &Dialect) -> bool {
    names(value, dialect.agent_list())
        .into_iter()
        .any(|name| is_star(name, dialect.agent_match()))
}

fn names(value: &[u8], list: AgentList) -> Vec<&[u8]> {
    match list {
        AgentList::Commas => value
            .split(|byte| *byte == b',')
            .map(without_space)
            .collect(),
        _ => vec![without_space(value)],
    }
}

/// Returns whether a name in a line is `*`. Where names are compared as tokens, anything may follow the
/// star after white space (docs/semantics.md, section 2.2).
fn is_star(listed: &[u8], how: AgentMatch) -> bool {
    if how == AgentMatch::UnquotedLineInName {
        return robotparser::name_of_line(listed) == "*";
    }
    let are_tokens = !matches!(
        how,
        AgentMatch::LineInName | AgentMatch::LineInWords | AgentMatch::NameInLine
    );
    listed == b"*"
        || are_tokens
            && listed.starts_with(b"*")
            && listed.get(1).is_some_and(|byte| is_space(*byte))
}

/// Returns whether a name in a line is a name of the robot. Case never matters.
fn is_same(listed: &[u8], name: &[u8], how: AgentMatch) -> bool {
    if how == AgentMatch::UnquotedLineInName {
        let name = String::from_utf8_lossy(start_of(name, |byte| byte != b'/')).to_lowercase();
        return name.contains(&robotparser::name_of_line(listed).to_lowercase());
    }
    if how == AgentMatch::LineInWords {
        let name = String::from_utf8_lossy(without_space(name)).to_lowercase();
        let listed = compared(listed, how);
        return !listed.is_empty()
            && name.char_indices().any(|(at, _)| {
                let before = name[..at].chars().last();
                let is_inner = |before: char| before.is_alphanumeric() || "-_".contains(before);
                name[at..].starts_with(&listed) && !before.is_some_and(is_inner)
            });
    }
    let listed = listed.to_ascii_lowercase();
    let name = name.to_ascii_lowercase();
    let in_rfc_token = |byte: u8| byte.is_ascii_alphabetic() || byte == b'-' || byte == b'_';
    let in_token =
        |byte: u8| in_rfc_token(byte) || byte.is_ascii_digit() || byte == b'.' || !byte.is_ascii();
    match how {
        // RFC 9309, 2.2.1.
        AgentMatch::RfcToken => {
            let token = start_of(&name, in_rfc_token);
            !token.is_empty() && start_of(&listed, in_rfc_token) == token
        }
        AgentMatch::Token => {
            let token = start_of(&name, in_token);
            !token.is_empty() && start_of(&listed, in_token) == token
        }
        // google/robotstxt: the line's token, and the robot's whole name.
        AgentMatch::LineTokenIsName => start_of(&listed, in_rfc_token) == name,
        // The standards of 1994 and 1996: one name is a part of the other; the robot's name without its
        // version.
        AgentMatch::LineInName => contains(without_version(&name), &listed),
        AgentMatch::NameInLine => {
            let name = without_version(&name);
            !name.is_empty() && name != b"*" && contains(&listed, name)
        }
        _ => false,
    }
}

/// Returns the longest start of a name with only the bytes that `accepts` accepts.
fn start_of(name: &[u8], accepts: impl Fn(u8) -> bool) -> &[u8] {
    let length = name.iter().take_while(|byte| accepts(**byte)).count();
    &name[..length]
}

fn without_version(name: &[u8]) -> &[u8] {
    start_of(name, |byte| byte != b'/' && !is_space(byte))
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    (0..=text.len()).any(|at| text[at..].starts_with(part))
}
