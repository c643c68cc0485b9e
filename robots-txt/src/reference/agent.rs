//! The nearness of a `User-agent` line to a robot.

use super::line::{is_space, without_space};
use crate::dialect::{AgentList, AgentMatch, Dialect};
use crate::select::agent::Agent;

/// Returns the nearness of `*`: after all names of the robot.
pub(super) fn nearness_of_star(agent: &Agent<'_>) -> usize {
    agent.names().count()
}

/// Returns the index of the first of the robot's names in a `User-agent` value; the nearness of `*`
/// if it has only `*`; `None` if the line is not for the robot.
pub(super) fn nearness(value: &[u8], agent: &Agent<'_>, dialect: &Dialect) -> Option<usize> {
    let listed: Vec<&[u8]> = match dialect.agent_list {
        AgentList::One => vec![without_space(value)],
        AgentList::Commas => value
            .split(|byte| *byte == b',')
            .map(without_space)
            .collect(),
    };
    let place_of = |listed: &[u8]| {
        if is_star(listed, dialect.agent_match) {
            return agent.obeys_star().then(|| nearness_of_star(agent));
        }
        let mut names = agent.names();
        names.position(|name| is_same(listed, name.as_bytes(), dialect.agent_match))
    };
    listed.into_iter().filter_map(place_of).min()
}

/// Returns whether a name is `*`: alone; where names are tokens, followed by white space and anything
/// (docs/semantics.md, section 2.2).
fn is_star(listed: &[u8], how: AgentMatch) -> bool {
    let are_tokens = !matches!(how, AgentMatch::LineInName | AgentMatch::NameInLine);
    listed == b"*"
        || are_tokens
            && listed.starts_with(b"*")
            && listed.get(1).is_some_and(|byte| is_space(*byte))
}

/// Returns whether a name in a line is a name of the robot. Case never matters.
fn is_same(listed: &[u8], name: &[u8], how: AgentMatch) -> bool {
    let listed = listed.to_ascii_lowercase();
    let name = name.to_ascii_lowercase();
    let letters = |byte: u8| byte.is_ascii_alphabetic() || byte == b'-' || byte == b'_';
    let lenient =
        |byte: u8| letters(byte) || byte.is_ascii_digit() || byte == b'.' || !byte.is_ascii();
    match how {
        // RFC 9309, 2.2.1.
        AgentMatch::RfcToken => {
            let token = start_of(&name, letters);
            !token.is_empty() && start_of(&listed, letters) == token
        }
        AgentMatch::Token => {
            let token = start_of(&name, lenient);
            !token.is_empty() && start_of(&listed, lenient) == token
        }
        // google/robotstxt: the line's token, and the robot's whole name.
        AgentMatch::LineTokenIsName => start_of(&listed, letters) == name,
        // The standards of 1994 and 1996: a part of the other name, without its version.
        AgentMatch::LineInName => contains(without_version(&name), &listed),
        AgentMatch::NameInLine => {
            let name = without_version(&name);
            !name.is_empty() && contains(&listed, name)
        }
    }
}

fn start_of(name: &[u8], is_token: impl Fn(u8) -> bool) -> &[u8] {
    let length = name.iter().take_while(|byte| is_token(**byte)).count();
    &name[..length]
}

fn without_version(name: &[u8]) -> &[u8] {
    start_of(name, |byte| byte != b'/' && !is_space(byte))
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    (0..=text.len()).any(|at| text[at..].starts_with(part))
}
