//! Unknown and misspelt names: of profiles, dialects, findings, fields, commands and robots.

use crate::program::{command_on, robots, robots_on};

/// A file with a group for a robot that is not known.
const ROBOTS: &[u8] = b"User-agent: ExampleBot\nDisallow: /\n";

/// Returns the messages of `robots check` for a robot. Its verdict does not depend on them.
fn messages_about(agent: &str, options: &[&str]) -> String {
    let words = [&["check", "-", "/x", "--agent", agent], options].concat();
    let outcome = robots_on(words, ROBOTS);
    outcome.assert_success();
    outcome.stderr
}

#[test]
fn the_nearest_name_is_suggested_instead_of_all() {
    for (words, name, other) in [
        ("profiles gogle", "google", "seznam"),
        ("decide -p bign CRAWL", "bing", "seznam"),
        ("why -p bign https://example.com/", "bing", "seznam"),
        ("decide --dialect rfc9308 CRAWL", "rfc9309", "seznam"),
        ("diff --dialect yandx - -", "yandex", "seznam"),
        ("check --dialect google+comma - /", "commas", "rfc-tokens"),
        ("explain shadowed-rul", "shadowed-rule", "junk"),
        ("lint --explain shadowed-rul", "shadowed-rule", "junk"),
        ("lint --ignore unknwon-field -", "unknown-field", "junk"),
        ("agents --purpose serach", "search", "dataset"),
        ("agents Gogle", "Google", "bingbot"),
        ("agents googelbot", "Googlebot", "bingbot"),
        ("audit --ranges bnigbot=x.json -", "bingbot", "GPTBot"),
        ("decide --json --fields url,indx CRAWL", "index", "follow"),
        (
            "decide -f csv --fields index_raeson CRAWL",
            "index_reason",
            "follow",
        ),
    ] {
        let line = words.replace("CRAWL", "tests/fixtures/crawl.warc.gz");
        let outcome = robots(line.split(' '));
        assert_eq!((outcome.code, &*outcome.stdout), (2, ""), "{words:?}");
        // Several robots may have a similar name: a list of these is without quotes.
        let is_list = words.starts_with("agents G")
            || words.starts_with("agents g")
            || words.starts_with("audit");
        let quote = if is_list { "" } else { "\"" };
        outcome.assert_stderr_contains(&format!("did you mean {quote}{name}{quote}?"));
        assert!(
            !outcome.stderr.contains(other),
            "{words:?}: {}",
            outcome.stderr
        );
    }
}

#[test]
fn without_a_near_name_all_are_listed() {
    for (words, list) in [
        (
            "profiles altavista",
            "unknown profile \"altavista\": expected one of neutral, ",
        ),
        (
            "diff --dialect altavista - -",
            "unknown dialect \"altavista\": expected one of rfc9309, ",
        ),
        ("explain R999", "`robots lint --explain` lists them"),
        (
            "lint --explain altavista",
            "`robots lint --explain` lists them",
        ),
        ("agents altavista", "`robots agents` lists the known ones"),
    ] {
        let outcome = robots(words.split(' '));
        outcome.assert_error(list);
        assert!(!outcome.stderr.contains("did you mean"), "{words:?}");
    }
}

#[test]
fn a_misspelt_robot_has_a_warning() {
    for (agent, meant) in [
        ("googelbot", "Googlebot"),
        ("bingbots", "bingbot"),
        ("ClaudBot", "ClaudeBot"),
        // The name of a group of the file.
        ("Exampelbot", "ExampleBot"),
    ] {
        let warning = format!("warning: unknown robot {agent:?}; did you mean {meant:?}?\n");
        assert_eq!(messages_about(agent, &[]), warning);
        assert_eq!(messages_about(agent, &["--quiet"]), "");
    }
    let crawl = "tests/fixtures/crawl.warc.gz";
    let decided = robots(["decide", "-a", "googelbot", "--limit", "1", crawl]);
    assert_eq!(decided.code, 0);
    decided.assert_stderr_contains(
        "warning: unknown robot \"googelbot\"; did you mean \"Googlebot\"?",
    );
    let file = "tests/fixtures/robots/shop-2026-robots.txt";
    let compared = robots(["diff", "-a", "googelbot", file, file]);
    assert_eq!(compared.code, 0);
    compared.assert_stderr_contains("did you mean \"Googlebot\"?");
}

#[test]
fn a_robot_of_ones_own_has_no_warning() {
    for agent in [
        "*",
        "GOOGLEBOT",
        "MyCrawler",
        "q",
        "crcbot",
        "Googlebot-Vidoe-2",
        "acbot",
    ] {
        assert_eq!(messages_about(agent, &[]), "", "{agent}");
    }
    // A group of the file names it, so it is meant, although a known robot has nearly the same name.
    let outcome = command_on(
        "check - /x -a googelbot",
        b"User-agent: googelbot\nDisallow: /y\n",
    );
    assert!(
        !outcome.stderr.contains("unknown robot"),
        "{}",
        outcome.stderr
    );
    // A robot of the profile is known, too.
    let outcome = command_on("check - /x -p google -a Googlebot-News", ROBOTS);
    assert_eq!(outcome.stderr, "");
}

#[test]
fn a_user_agent_header_names_its_robot() {
    let header = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
    let note = format!("note: the User-Agent {header:?} is that of the robot Googlebot\n");
    assert_eq!(messages_about(header, &[]), note);
    assert_eq!(messages_about(header, &["-q"]), "");
    let stdout = |agent: &str| robots_on(["check", "-", "/x", "-a", agent], ROBOTS).stdout;
    assert_eq!(stdout(header), stdout("Googlebot"));
    // A robot that is not known.
    let own = robots_on(
        [
            "check",
            "-",
            "/x",
            "-a",
            "ExampleBot/2.0 (+https://example.com)",
        ],
        ROBOTS,
    );
    assert_eq!(own.code, 1);
    own.assert_stderr_contains("is that of the robot ExampleBot\n");
    // A browser is not a robot.
    let browser = "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/130.0";
    let outcome = robots_on(["check", "-", "/x", "-a", browser], ROBOTS);
    outcome.assert_error("or a User-Agent header of a robot");
}
