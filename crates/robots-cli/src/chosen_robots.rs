//! The robots that options choose: notes about headers, and messages about names that are not known or too many.

use robots_answers::AgentName;
use robots_answers::named_robots::MAX_ROBOTS;
use robots_lint::robots_txt::is_misspelling;
use robots_policy::profile::AgentTable;
use robots_policy::text::nearest;

/// Reports the robot of each `User-Agent` header, and each name that is probably a misspelling: of a name in `named`, such as
/// those of the robots.txt at hand, or of a known robot. Any other name may be that of a new robot.
pub(crate) fn report<'n>(
    chosen: &[AgentName],
    known: &AgentTable,
    named: impl IntoIterator<Item = &'n str>,
) {
    for AgentName { token, header, .. } in chosen {
        if let Some(header) = header {
            notice!("note: the User-Agent {header:?} is that of the robot {token}");
        }
    }
    let unknown: Vec<&str> = chosen
        .iter()
        .map(|agent| agent.token.as_str())
        .filter(|token| *token != "*" && known.get(token).is_none())
        .collect();
    if unknown.is_empty() {
        return;
    }
    let named: Vec<&str> = named.into_iter().collect();
    for token in unknown {
        if named.iter().any(|name| name.eq_ignore_ascii_case(token)) {
            continue;
        }
        let tokens = known.iter().map(|known| known.token.as_str());
        let mut names = named.iter().copied().chain(tokens);
        if let Some(near) = names.find(|name| is_misspelling(token, name)) {
            notice!("warning: unknown robot {token:?}; did you mean {near:?}?");
        }
    }
}

/// Reports it if the robots are more than [`MAX_ROBOTS`], and the rest is left out.
pub(crate) fn report_cut(is_cut: bool) {
    if is_cut {
        message!(
            "error: too many robots, named and known; only the first {MAX_ROBOTS} are considered"
        );
    }
}

/// Returns the end of an error message: known robots with the name in theirs, or else the robot or operator with the nearest
/// name.
pub(crate) fn suggestion(table: &AgentTable, name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let tokens = || table.iter().map(|agent| agent.token.as_str());
    let has_name = |token: &&str| token.to_ascii_lowercase().contains(&lower);
    let mut near: Vec<&str> = tokens().filter(has_name).take(5).collect();
    if near.is_empty() {
        let operators = table.iter().map(|agent| agent.operator.as_str());
        near.extend(nearest(name, tokens().chain(operators)));
    }
    if near.is_empty() {
        "; `robots agents` lists the known ones".to_owned()
    } else {
        format!("; did you mean {}?", near.join(", "))
    }
}
