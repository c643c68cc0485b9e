//! The tables of robots in the libraries are generated from robots-policy/agents.toml.
//!
//! `UPDATE=1 cargo test -p robots-tests --test together agents` rewrites them.

use robots_policy::Profile;
use robots_policy::profile::{AgentTable, KnownAgent};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

const HEAD: &str = "\
// Generated from robots-policy/agents.toml: edit that, then run
// `UPDATE=1 cargo test -p robots-tests --test together agents`.
";

/// Compares a generated file with the one in the tree, or rewrites that.
fn check(path: &str, made: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(path, made).unwrap();
    } else {
        assert_eq!(
            fs::read_to_string(path).unwrap(),
            made,
            "see the head of tests/tests/together/agents.rs"
        );
    }
}

#[test]
fn fallbacks_and_use_of_star() {
    let mut made = format!(
        "\
//! The robots that obey groups of other names, or to which `*` does not apply.
{HEAD}
/// A robot that obeys groups of further names, or to which `*` does not apply.
pub(super) struct GroupFallback {{
    pub(super) token: &'static str,
    /// The names whose groups it obeys if its own has none, in order.
    pub(super) others: &'static [&'static str],
    pub(super) obeys_star: bool,
}}

#[rustfmt::skip]
pub(super) const FALLBACKS: &[GroupFallback] = &[
"
    );
    for robot in AgentTable::built_in().iter() {
        for token in robot.tokens() {
            let agent = robot.agent_named(token);
            let (others, obeys_star) =
                (agent.names().skip(1).collect::<Vec<_>>(), robot.obeys_star);
            if !others.is_empty() || !obeys_star {
                writeln!(
                    made,
                    "    GroupFallback {{ token: {token:?}, others: &{others:?}, obeys_star: {obeys_star} }},"
                )
                .unwrap();
            }
        }
    }
    made.push_str("];\n");
    check("robots-txt/src/select/known.rs", &made);
}

#[test]
fn robots_of_profiles() {
    let mut made = format!(
        "\
//! The robots of the built-in profiles.
{HEAD}
use super::ai::Uses;

/// A robot of a built-in profile.
pub(super) struct ProfileRobot {{
    pub(super) token: &'static str,
    /// The names in METAs and headers that apply to it, except `robots` and its token.
    pub(super) other_names: &'static [&'static str],
    /// The names in METAs and headers that have no effect on it.
    pub(super) ignored_names: &'static [&'static str],
}}

/// A robot that fetches for uses of content by AI, or a token that controls them. Its entry in `agents.toml` was verified
/// with a source.
pub(super) struct RobotUses {{
    pub(super) token: &'static str,
    pub(super) uses: Uses,
    pub(super) fetches: bool,
}}
"
    );
    for profile in Profile::all() {
        let is_of_profile = |agent: &&KnownAgent| agent.profile.as_deref() == Some(profile.name());
        // Crawlers first.
        let (mut robots, tokens): (Vec<_>, Vec<_>) = AgentTable::built_in()
            .iter()
            .filter(is_of_profile)
            .partition(|agent| agent.crawls);
        robots.extend(tokens);
        if robots.is_empty() {
            continue;
        }
        let name = profile.name().to_ascii_uppercase();
        write!(
            made,
            "\n#[rustfmt::skip]\npub(super) const {name}: &[ProfileRobot] = &[\n"
        )
        .unwrap();
        for robot in robots {
            let token = &robot.token;
            let other_names: Vec<_> = robot
                .meta_names
                .iter()
                .filter(|name| !name.eq_ignore_ascii_case(token))
                .collect();
            let ignored = &robot.meta_ignored;
            writeln!(
                made,
                "    ProfileRobot {{ token: {token:?}, other_names: &{other_names:?}, ignored_names: &{ignored:?} }},"
            )
            .unwrap();
        }
        made.push_str("];\n");
    }
    let shared = AgentTable::built_in().iter();
    let shared: Vec<_> = shared.filter(|robot| robot.is_shared()).collect();
    assert!(
        shared
            .iter()
            .all(|robot| robot.is_sourced() && !robot.crawls)
    );
    let shared: Vec<&str> = shared.iter().map(|robot| &*robot.token).collect();
    write!(
        made,
        "\n/// The tokens that several operators share.\n#[rustfmt::skip]\npub(super) const SHARED: &[&str] = &{shared:?};\n"
    )
    .unwrap();
    made.push_str("\n#[rustfmt::skip]\npub(super) const USES: &[RobotUses] = &[\n");
    let sourced = AgentTable::built_in()
        .iter()
        .filter(|robot| robot.is_sourced());
    for robot in sourced {
        let (uses, fetches) = (robot.uses(), robot.crawls);
        if uses.is_empty() && fetches {
            continue;
        }
        let names = uses.iter_names().map(|(name, _)| name);
        let uses = names.fold("Uses::empty()".to_owned(), |uses, name| {
            format!("{uses}.union(Uses::{name})")
        });
        for token in robot.tokens() {
            writeln!(
                made,
                "    RobotUses {{ token: {token:?}, uses: {uses}, fetches: {fetches} }},"
            )
            .unwrap();
        }
    }
    made.push_str("];\n");
    check("robots-policy/src/profile/known.rs", &made);
}

#[test]
fn profiles_exist() {
    let profiles = AgentTable::built_in()
        .iter()
        .filter_map(|agent| agent.profile.as_deref());
    for profile in profiles {
        assert!(profile.parse::<Profile>().is_ok(), "{profile}");
    }
}

#[test]
fn robots_of_profiles_have_a_source() {
    for robot in AgentTable::built_in().iter() {
        assert!(robot.is_sourced() || robot.profile.is_none(), "{robot:?}");
    }
}

#[test]
fn any_ai_trainer_asks_every_robot_that_trains_and_has_a_source() {
    let any = Profile::any_ai_trainer();
    for robot in AgentTable::built_in().iter() {
        for name in robot.tokens() {
            let mut tokens = any.ai().tokens().iter();
            let token = tokens.find(|token| token.token() == name);
            let is_sourced_trainer = robot.is_sourced() && robot.trains();
            assert_eq!(token.is_some(), is_sourced_trainer, "{robot:?}");
            assert!(token.is_none_or(|token| token.obeys_star() == robot.obeys_star));
        }
    }
}

/// `tools/agents` with small lists: what is new, gone, or stated otherwise. It needs Python 3.11, and is not tested without.
#[test]
fn the_comparison_with_public_lists_names_each_difference() {
    let can_read_toml = Command::new("python3")
        .args(["-c", "import tomllib"])
        .output()
        .is_ok_and(|output| output.status.success());
    if !can_read_toml {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let compared = |robots: &str, crawlers: &str, table: &str| {
        let output = Command::new("python3")
            .arg(root.join("tools/agents"))
            .arg(write("robots.json", robots))
            .arg(write("crawlers.json", crawlers))
            .arg(write("agents.toml", table))
            .output()
            .unwrap();
        let lines = String::from_utf8(output.stdout).unwrap();
        (output.status.code().unwrap(), lines)
    };
    let agent = |token: &str, obeys: &str, source: &str| {
        format!(
            "[[agent]]\ntoken = \"{token}\"\nobeys = \"{obeys}\"\nsource = \"https://github.com/{source}\"\n"
        )
    };
    let (ai_robots, user_agents) = (
        "ai-robots-txt/ai.robots.txt",
        "monperrus/crawler-user-agents",
    );
    let table = [
        agent("Obeying", "yes", ai_robots),
        agent("Silent", "unknown", ai_robots),
        agent("Seen", "unknown", user_agents),
        agent("AdsBot", "yes", "operator/page"),
        "[[left-out]]\nreason = \"r\"\ntokens = [\"Program\"]\n".to_owned(),
    ];
    let table = table.concat();
    let same = r#"{"Obeying Bot": {"respect": "[Yes](https://a.example)"}, "Silent/1.0": {"respect": "No"}, "program": {}}"#;
    let seen = r#"[{"pattern": "seen\\/", "instances": ["Mozilla/5.0 (Seen/1.0)"], "tags": ["ai-crawler"]},
        {"pattern": "Other", "tags": ["seo"]}, {"pattern": "program", "tags": ["ai-crawler"]}]"#;
    assert_eq!(compared(same, seen, &table), (0, String::new()));
    let changed =
        r#"{"Obeying": {"respect": "no"}, "Newcomer": {"operator": "N", "function": "F"}}"#;
    let others = r#"[{"pattern": "Crawler", "url": "https://c.example", "description": "D", "tags": ["ai-crawler"]}]"#;
    assert_eq!(
        compared(changed, others, &table),
        (
            1,
            "gone: program: left out of the table, but no longer in a list\n\
             gone: Seen: no longer in crawler-user-agents\n\
             gone: Silent: no longer in ai.robots.txt\n\
             new: Crawler: https://c.example; D\n\
             new: Newcomer: N; F\n\
             obeys: Obeying: yes in the table, no in ai.robots.txt\n"
                .to_owned()
        )
    );
    assert_eq!(compared("[]", seen, &table).0, 2);
    assert_eq!(compared(same, "{", &table).0, 2);
}
