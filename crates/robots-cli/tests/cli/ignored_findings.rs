//! Comments that ignore findings, and starts of codes.

use crate::program::{json_lines, robots_on};
use std::fs;

const IGNORED: &[u8] = b"User-agent: *\n\
    # robots: ignore R012 -- Google reads it\n\
    Disalow: /a\n\
    Disallow: b # robots: ignore no-slash -- an example\n";

#[test]
fn a_comment_with_a_reason_ignores_findings_in_every_format() {
    for format in ["full", "concise", "github", "gitlab", "sarif", "jsonl"] {
        let outcome = robots_on(["lint", "--level", "note", "-f", format, "-"], IGNORED);
        assert_eq!(outcome.code, 0, "{format}: {}", outcome.stdout);
        outcome.assert_stderr_contains("0 findings in 0 of 1 file, 2 ignored by comments");
    }
    let counts = robots_on(["lint", "--statistics", "-"], IGNORED);
    assert!(
        counts.stdout.ends_with("2 ignored by comments\n"),
        "{}",
        counts.stdout
    );
    // Kinds that are not selected are not counted.
    let outcome = robots_on(["lint", "--ignore", "R012", "-"], IGNORED);
    outcome.assert_stderr_contains("1 ignored by comments");
    // A fix leaves what is ignored.
    let fixed = robots_on(["lint", "--fix", "-"], IGNORED);
    assert_eq!(fixed.stdout.as_bytes(), IGNORED);
    // `check` warns of errors in the file.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("robots.txt");
    fs::write(&file, IGNORED).unwrap();
    let outcome = robots_on(["check", file.to_str().unwrap(), "/x"], b"");
    assert_eq!(outcome.stderr, "");
}

#[test]
fn a_comment_without_effect_is_a_finding() {
    let body = b"User-agent: *\nDisallow: /a # robots: ignore R012 -- an example\nDisalow: /b # robots: ignore R012\n";
    let rows = json_lines(&robots_on(["lint", "--json", "-"], body).stdout);
    let found = rows
        .iter()
        .map(|row| (row["line"].as_u64().unwrap(), row["code"].as_str().unwrap()));
    assert_eq!(
        found.collect::<Vec<_>>(),
        [(2, "R070"), (3, "R012"), (3, "R071")]
    );
    let message = rows[2]["message"].as_str().unwrap();
    assert!(message.contains("it states no reason"), "{message}");
}

#[test]
fn starts_of_codes_select_kinds() {
    let body = b"User-agent: *\nDisalow: /a\nDisallow: b\n";
    let codes = |args: [&str; 2]| -> Vec<String> {
        let outcome = robots_on(["lint", "--json", args[0], args[1], "-"], body);
        let rows = json_lines(&outcome.stdout).into_iter();
        rows.map(|row| row["code"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(codes(["--ignore", "R03"]), ["R012"]);
    assert_eq!(codes(["--ignore", "r0"]).len(), 0);
    assert_eq!(codes(["--only", "R03,misspelt-field"]), ["R012", "R030"]);
    assert_eq!(robots_on(["lint", "--only", "R9", "-"], body).code, 2);
}
