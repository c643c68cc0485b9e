//! The robots that options choose: notes about headers, and messages about names that are not known or too many.

use robots_answers::AgentName;
use robots_answers::named_robots::{MAX_ROBOTS, named_robots};
use robots_lint::robots_txt::is_misspelling;
use robots_policy::profile::AgentTable;
use robots_txt::{Dialect, RobotsTxt};

/// Reports the robot of each `User-Agent` header, and each name that is probably a misspelling: of a name in these files as these
/// dialects read them, of one of `others`, or of a known robot. So is the name of an operator. Any other name may be that of a new robot.
pub(crate) fn report<'n>(
    chosen: &[AgentName],
    known: &AgentTable,
    files: impl IntoIterator<Item = (&'n RobotsTxt, &'n Dialect)>,
    others: impl IntoIterator<Item = &'n str>,
) {
    for AgentName { token, header, .. } in chosen {
        if let Some(header) = header {
            notice!("note: the User-Agent {header:?} is that of the robot {token}");
        }
    }
    let tokens = chosen.iter().map(|agent| agent.token.as_str());
    let unknown = tokens.filter(|token| *token != "*" && known.get(token).is_none());
    let unknown: Vec<&str> = unknown.collect();
    if unknown.is_empty() {
        return;
    }
    let files = files.into_iter();
    let named = files.flat_map(|(file, dialect)| named_robots(file, dialect));
    let mut named: Vec<String> = named.collect();
    named.extend(others.into_iter().map(str::to_owned));
    for token in unknown {
        if named.iter().any(|name| name.eq_ignore_ascii_case(token)) {
            continue;
        }
        let tokens = known.iter().map(|known| known.token.as_str());
        let mut names = named.iter().map(String::as_str).chain(tokens);
        if let Some(near) = names.find(|name| is_misspelling(token, name)) {
            notice!("warning: unknown robot {token:?}; did you mean {near:?}?");
            continue;
        }
        let of_operator = known.of_operator(token);
        let robots: Vec<&str> = of_operator.map(|robot| &*robot.token).take(5).collect();
        if !robots.is_empty() {
            notice!(
                "warning: {token:?} is not a robot but an operator; did you mean {}?",
                robots.join(", ")
            );
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

/// Returns the end of an error message about an unknown robot: why the table leaves it out, or the robots that were probably meant, or
/// how to list all.
pub(crate) fn suggestion(table: &AgentTable, name: &str) -> String {
    let hint = table.hint(name);
    hint.unwrap_or_else(|| "; `robots agents` lists the known ones".to_owned())
}
