//! A group for robots.txt that disallows the robots with certain purposes.

use crate::terminal::{filled, printable, with_commas};
use robots_policy::profile::{KnownAgent, Obeys, Purpose};

/// The maximum length of a comment line, in bytes.
const WIDTH: usize = 100;

/// Returns a group that disallows robots that have one of these purposes; `None` if it does not name any. Comments name the purposes,
/// the day of the table and the robots that are left out: those that also serve a search index, which the purposes do not include,
/// and those without a source, unless `names_unverified`.
pub(super) fn group(
    robots: &[&KnownAgent],
    purposes: &[Purpose],
    names_unverified: bool,
    date: &str,
) -> Option<String> {
    let forbids_search = purposes.contains(&Purpose::Search);
    let (searching, others): (Vec<_>, Vec<_>) = robots
        .iter()
        .copied()
        .partition(|robot| !forbids_search && robot.purposes.contains(&Purpose::Search));
    let (sourced, others): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|robot| robot.is_sourced());
    let (unverified, left_out) = if names_unverified {
        (others, Vec::new())
    } else {
        (Vec::new(), others)
    };
    if sourced.is_empty() && unverified.is_empty() {
        return None;
    }
    let mut names: Vec<&str> = Vec::new();
    for purpose in purposes {
        if !names.contains(&purpose.name()) {
            names.push(purpose.name());
        }
    }
    let (names, date) = (names.join(", "), printable(date));
    let mut text = format!("# Robots for {names}, by the table of {date} (robots agents)\n");
    let mut ignoring = [&sourced[..], &unverified].concat();
    ignoring.retain(|robot| robot.obeys == Obeys::No);
    for (start, listed) in [
        ("These do not obey robots.txt, by their vendors: ", ignoring),
        ("Left out, as they were not verified: ", left_out),
        ("Left out, as they are for search too: ", searching),
    ] {
        text.push_str(&comment(start, &listed));
    }
    text.push_str(&user_agents(&sourced));
    if !unverified.is_empty() {
        text.push_str("# Not verified:\n");
        text.push_str(&user_agents(&unverified));
    }
    Some(text + "Disallow: /\n")
}

fn user_agents(robots: &[&KnownAgent]) -> String {
    let mut text = String::new();
    for token in robots.iter().flat_map(|robot| robot.tokens()) {
        text.extend(["User-agent: ", &printable(token), "\n"]);
    }
    text
}

/// Returns a list as comment lines; nothing if it is empty.
fn comment(start: &str, robots: &[&KnownAgent]) -> String {
    if robots.is_empty() {
        return String::new();
    }
    let tokens: Vec<&str> = robots.iter().map(|robot| &*robot.token).collect();
    let start = format!("# {start}");
    filled(with_commas(&tokens), WIDTH, &start, "#   ").join("\n") + "\n"
}
