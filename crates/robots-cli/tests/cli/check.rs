//! `robots check` for several robots and readings.

use crate::program::{json_lines, robots, robots_on};
use serde_json::Value;

const FILE: &[u8] =
    b"User-agent: Googlebot\nDisallow: /x\n\nUser-agent: *\nAllow: /a\nDisallow: /a/b\n";

#[test]
fn a_robot_obeys_the_groups_that_its_vendor_documents() {
    let code = |args: &[&str]| robots_on([&["check", "-"], args].concat(), FILE).code;
    assert_eq!(code(&["/x", "--agent", "Applebot"]), 1);
    assert_eq!(code(&["/x", "--agent", "Applebot", "--name-alone"]), 0);
    let adsbot = robots_on(["check", "-", "/a/b", "--agent", "AdsBot-Google"], FILE);
    assert_eq!(adsbot.code, 0);
    assert!(
        adsbot.stdout.contains("* does not apply to it"),
        "{}",
        adsbot.stdout
    );
}

#[test]
fn different_verdicts_of_dialects_name_their_cause() {
    let outcome = robots_on(["check", "-", "/a/b", "--all-dialects", "--json"], FILE);
    assert_eq!(outcome.code, 1);
    let rows = json_lines(&outcome.stdout);
    assert_eq!(rows.len(), 13);
    let of = |name: &str| rows.iter().find(|row| row["dialect"] == name).unwrap();
    assert_eq!(of("rfc9309")["allowed"], false);
    assert_eq!(of("rfc9309")["runners_up"][0]["line"], 5);
    assert_eq!(of("koster1996")["allowed"], true);
    assert_eq!(of("koster1996")["differs_by"][0], "rule_order");
    assert!(of("google").get("differs_by").is_none());
}

#[test]
fn without_urls_all_paths_are_considered() {
    let parting = [
        "check",
        "-",
        "--dialect",
        "rfc9309",
        "--all-agents",
        "--json",
    ];
    let outcome = robots_on(parting, FILE);
    let rows = json_lines(&outcome.stdout);
    let of = |name: &str| rows.iter().find(|row| row["agent"] == name).unwrap();
    assert_eq!(of("GPTBot")["disallowed"], "some");
    assert_eq!(of("GPTBot")["disallowed_path"], "/a/b");
    assert_eq!(of("AdsBot-Google")["disallowed"], "none");
    assert_eq!(outcome.code, 1);
    let outcome = robots_on(["check", "-", "--all-dialects", "--json"], FILE);
    assert_eq!(outcome.code, 1);
    let first: Value = serde_json::from_str(outcome.stdout.lines().next().unwrap()).unwrap();
    assert!(first["path"].as_str().unwrap().starts_with("/a/"));
    let outcome = robots_on(
        ["check", "-", "--all-dialects"],
        b"User-agent: *\nDisallow:\n",
    );
    assert_eq!(outcome.code, 0);
    assert_eq!(
        outcome.stdout,
        "*: no path on which the 13 dialects differ\n"
    );
}

#[test]
fn a_profile_selects_its_first_robot() {
    let outcome = robots_on(
        [
            "check",
            "-",
            "/x",
            "--profile",
            "google",
            "--profile",
            "apple",
            "--json",
        ],
        FILE,
    );
    let rows = json_lines(&outcome.stdout);
    assert_eq!(rows[0]["agent"], "Googlebot");
    assert_eq!(rows[0]["profile"], "google");
    assert_eq!(rows[1]["agent"], "Applebot");
    assert_eq!(rows[1]["allowed"], false);
}

#[test]
fn urls_may_come_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("robots.txt");
    std::fs::write(&file, FILE).unwrap();
    let list = b"# two\n/a\n\nhttps://example.com/a/b\r\n";
    let outcome = robots_on(
        ["check", file.to_str().unwrap(), "--urls", "-", "--json"],
        list,
    );
    let urls: Vec<_> = json_lines(&outcome.stdout)
        .iter()
        .map(|row| row["url"].clone())
        .collect();
    assert_eq!(urls, ["/a", "https://example.com/a/b"]);
    let broken = robots_on(
        ["check", file.to_str().unwrap(), "--urls", "-"],
        b"/a\nnothing\n",
    );
    assert_eq!(broken.code, 2);
    broken.assert_told("-: line 2");
    let both = robots(["check", "-", "--urls", "-"]);
    assert_eq!(both.code, 2);
    both.assert_told("standard input can be");
}
