//! `robots decide --only differs`: the pages on which profiles differ, with the fields.

use crate::output::{CRAWL, decide, rows};
use crate::program::{Folder, robots};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Profiles that differ in `archive` on a page with `noarchive`, and in other fields on others.
const TWO: [&str; 4] = ["--profile", "google", "--profile", "neutral"];

const DIFFERS: [&str; 2] = ["--only", "differs"];

/// The keys of a row that are no fields of a decision, or follow from them.
const OTHER_KEYS: [&str; 12] = [
    "file",
    "offset",
    "status",
    "version",
    "url",
    "agent",
    "profile",
    "reasons",
    "warnings",
    "differs",
    "fetch_reason",
    "index_reason",
];

/// Returns the fields in which two rows have other values.
fn differing(one: &Value, other: &Value) -> BTreeSet<String> {
    let fields = one.as_object().unwrap().keys();
    let fields = fields.filter(|key| !OTHER_KEYS.contains(&key.as_str()));
    fields
        .filter(|key| one[*key] != other[*key])
        .cloned()
        .collect()
}

#[test]
fn pages_on_which_profiles_differ_are_written_with_the_fields() {
    let all = rows(&TWO);
    let expected: Vec<&Value> = all
        .chunks(2)
        .filter(|pair| !differing(&pair[0], &pair[1]).is_empty())
        .flatten()
        .collect();
    assert!(expected.len() < all.len());
    let written = rows(&[&TWO[..], &DIFFERS].concat());
    let names: Vec<_> = written
        .iter()
        .map(|row| (&row["url"], &row["profile"]))
        .collect();
    let of_expected = expected.iter().map(|row| (&row["url"], &row["profile"]));
    assert_eq!(names, of_expected.collect::<Vec<_>>());
    for pair in written.chunks(2) {
        let fields = pair[0]["differs"].as_array().unwrap().iter();
        let fields: BTreeSet<String> = fields
            .map(|field| field.as_str().unwrap().to_owned())
            .collect();
        assert_eq!(fields, differing(&pair[0], &pair[1]), "{}", pair[0]["url"]);
        assert_eq!(pair[0]["differs"], pair[1]["differs"]);
    }
    let table = decide(&[&TWO[..], &DIFFERS].concat());
    table.assert_stdout_contains("cafe.html  differs in archive, crawl_delay");
    table.assert_stderr_contains(" of 26 written");
    assert!(!decide(&TWO).stdout.contains("differs"));
    let csv = decide(&[&TWO[..], &DIFFERS, &["--format", "csv"]].concat()).stdout;
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), written.len() + 1);
    assert!(lines[0].ends_with(",differs") && lines[1].ends_with(",archive; crawl_delay"));
    let explained = [&TWO[..], &DIFFERS, &["--format", "csv", "--explain"]].concat();
    assert!(
        decide(&explained)
            .stdout
            .lines()
            .next()
            .unwrap()
            .ends_with("_json,differs")
    );
}

#[test]
fn a_profile_of_a_file_is_compared_for_the_same_robot() {
    let folder = Folder::new();
    let file = folder.file(
        "mine.toml",
        "name = \"mine\"\nbased-on = \"google\"\nhonours = []\n",
    );
    let two = ["--profile", "google", "--profile", &file];
    let written = rows(&[&two[..], &DIFFERS].concat());
    assert!(!written.is_empty());
    let agents: BTreeSet<_> = written
        .iter()
        .map(|row| row["agent"].as_str().unwrap())
        .collect();
    assert_eq!(agents, BTreeSet::from(["Googlebot"]));
    // With several robots, each is compared with itself: the same pages as for each alone.
    let agents = ["ExampleBot", "Suzy-Spider"];
    let of = |agents: &[&str]| -> BTreeSet<(String, String)> {
        let options = agents.iter().flat_map(|agent| ["--agent", agent]);
        let words: Vec<&str> = two.into_iter().chain(DIFFERS).chain(options).collect();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let rows = rows(&words);
        rows.iter()
            .map(|row| (text(&row["agent"]), text(&row["url"])))
            .collect()
    };
    let each: BTreeSet<_> = agents.iter().flat_map(|agent| of(&[agent])).collect();
    assert_eq!(of(&agents), each);
    let equal = folder.file("equal.toml", "name = \"equal\"\nbased-on = \"google\"\n");
    let same = ["--profile", "google", "--profile", &equal];
    assert_eq!(rows(&[&same[..], &DIFFERS].concat()), [] as [Value; 0]);
}

#[test]
fn differences_work_together_with_other_options() {
    let folder = Folder::new();
    let written = rows(&[&TWO[..], &DIFFERS].concat());
    let chosen = rows(&[&TWO[..], &DIFFERS, &["--fields", "url,differs"]].concat());
    let expected: Vec<Value> = written
        .iter()
        .map(|row| json!({"url": row["url"], "differs": row["differs"]}))
        .collect();
    assert_eq!(chosen, expected);
    // The field alone does not filter.
    let fields = rows(&[&TWO[..], &["--fields", "differs"]].concat());
    assert_eq!(fields.len(), 2 * 26);
    assert!(fields.contains(&json!({"differs": []})));
    assert_eq!(rows(&["--fields", "differs"])[0], json!({"differs": []}));
    // A decision of one of several kinds is written.
    let either = rows(&[&TWO[..], &["--only", "differs,denied"]].concat());
    let denied = |row: &Value| row["fetch"] == "disallow";
    assert!(either.len() > written.len());
    assert!(
        either
            .iter()
            .all(|row| row.get("differs").is_some() || denied(row))
    );
    let limited = rows(&[&TWO[..], &DIFFERS, &["--limit", "1"]].concat());
    assert_eq!(limited, written[..2]);
    let path = folder.path("a.jsonl");
    decide(&[&TWO[..], &DIFFERS, &["-o", &path]].concat());
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().count(), written.len());
    let as_read = rows(&[&TWO[..], &DIFFERS, &["--robots", CRAWL]].concat());
    assert_eq!(as_read, written);
}

#[test]
fn one_profile_has_no_differences() {
    let error = "--only differs compares decisions: use several --profile or --agent options";
    for words in [
        &["--only", "differs"][..],
        &["--only", "noindex,differs", "--profile", "google"],
    ] {
        robots([&["decide", CRAWL], words].concat()).assert_error(error);
    }
    let outcome = robots(["decide", CRAWL, "--only", "differ"]);
    outcome.assert_error("differs");
    assert_eq!(outcome.stdout, "");
}
