//! The description of a rule: the paths that it matches, and the robots that it applies to.

use super::markup::code;
use crate::document::Linted;
use crate::outline::DIALECT;
use robots_txt::parse::{Field, Line};
use robots_txt::select::Group;

/// The maximum number of robots that are named.
const MAX_ROBOTS: usize = 10;

/// Returns the description of a line with a rule.
pub(super) fn describe(line: &Line<'_>, linted: &Linted) -> String {
    let path = String::from_utf8_lossy(line.value());
    if path.is_empty() {
        return format!(
            "A rule without a path matches nothing.\n\n{}",
            robots(line, linted)
        );
    }
    let precedence = "Of the rules that match a URL, the longest applies; `Allow` wins a tie (RFC 9309, section 2.2.2).";
    let paths = paths(line.field(), &path);
    format!("{paths}\n\n{precedence}\n\n{}", robots(line, linted))
}

/// Returns the paths that a pattern matches, as a sentence or two.
fn paths(field: Field, pattern: &str) -> String {
    let verb = if field == Field::Allow {
        "Allows"
    } else {
        "Disallows"
    };
    let until_end = pattern.strip_suffix('$');
    let text = until_end.unwrap_or(pattern);
    let (relation, shown, note) = match (text.contains('*'), until_end.is_some()) {
        (false, false) => ("begins with", text, ""),
        (false, true) => ("is exactly", text, ""),
        (true, false) => (
            "matches",
            pattern,
            " `*` stands for any characters; what follows the pattern does not matter.",
        ),
        (true, true) => (
            "matches",
            pattern,
            " `*` stands for any characters, and `$` for the end.",
        ),
    };
    format!(
        "{verb} each URL whose path and query {relation} {}.{note}",
        code(shown)
    )
}

/// Returns the robots that a line applies to.
fn robots(line: &Line<'_>, linted: &Linted) -> String {
    let groups = linted.robots.groups(&DIALECT);
    let group = groups.iter().find(|group| {
        let mut directives = group.directives().iter();
        directives.any(|directive| directive.line().number() == line.number())
    });
    let agents = group.map(Group::agents).unwrap_or_default();
    if agents.is_empty() {
        return "It is in no group, so it applies to no robot.".to_owned();
    }
    let shown = agents.iter().take(MAX_ROBOTS);
    let shown: Vec<_> = shown
        .map(|agent| code(&String::from_utf8_lossy(agent.value())))
        .collect();
    match agents.len().saturating_sub(MAX_ROBOTS) {
        0 => format!("Robots: {}", shown.join(", ")),
        more => format!("Robots: {} and {more} more", shown.join(", ")),
    }
}
