//! The names of robots in METAs and header prefixes, and misspellings of them.

use crate::robots_txt::{KnownRobots, is_misspelling};
use robots_policy::profile::AgentTable;
use std::sync::LazyLock;

/// The maximum length in bytes of a text that can be the name of a robot.
const MAX_NAME: usize = 64;

/// The known robots, and the names of METAs for them.
struct Names {
    robots: KnownRobots,
    metas: Vec<&'static str>,
}

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let table = AgentTable::built_in();
    Names {
        robots: KnownRobots::of(table),
        metas: table.meta_names(),
    }
});

/// Returns whether a name in a META or before a header's directives is that of a known robot. ASCII case is ignored.
pub(crate) fn is_robot_name(name: &str) -> bool {
    let is_meta = |meta: &&str| meta.eq_ignore_ascii_case(name);
    name.len() <= MAX_NAME
        && (NAMES.metas.iter().any(is_meta) || AgentTable::built_in().get(name).is_some())
}

/// Returns the name of which another is probably a misspelling; `None` for the name of a known robot.
pub(crate) fn misspelt_robot(name: &str) -> Option<&'static str> {
    if name.len() > MAX_NAME || is_robot_name(name) {
        return None;
    }
    let metas = NAMES.metas.iter().copied();
    let token = || NAMES.robots.near(name.as_bytes());
    metas
        .clone()
        .find(|meta| is_misspelling(name, meta))
        .or_else(|| token().map(|robot| robot.token.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_of_robots() {
        for (name, meant) in [
            ("googlebots", Some("googlebot")),
            ("Googelbot", Some("googlebot")),
            ("robotss", Some("robots")),
            ("gptbots", Some("GPTBot")),
            ("googlebot", None),
            ("ROBOTS", None),
            ("GPTBot", None),
            ("description", None),
            ("", None),
        ] {
            assert_eq!(misspelt_robot(name), meant, "{name}");
        }
        assert!(is_robot_name("Robots") && is_robot_name("claudebot"));
        assert!(!is_robot_name("keywords"));
        let long = format!("googlebots{}", "-".repeat(MAX_NAME));
        assert_eq!(misspelt_robot(&long), None);
    }
}
