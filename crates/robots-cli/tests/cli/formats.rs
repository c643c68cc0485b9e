//! The formats of findings and verdicts for editors and CI systems: `--format`.

use crate::program::{json_lines, robots_in, robots_on};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

/// A file with a misspelt field (R012), which has a fix, and a path without a slash (R030), which has none.
const TWO_FINDINGS: &str = "User-agent: *\nDisalow: /a\nDisallow: b\n";

/// Returns a folder with a robots.txt in a folder whose name has characters that formats escape.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("a b,c:100%")).unwrap();
    fs::write(folder.path().join("a b,c:100%/robots.txt"), TWO_FINDINGS).unwrap();
    folder
}

fn lint(format: &str) -> String {
    let folder = folder();
    let outcome = robots_in(folder.path(), ["lint", "--format", format, "a b,c:100%"]);
    assert_eq!(outcome.code, 1, "{}", outcome.stderr);
    outcome.stdout
}

#[test]
fn concise_findings_are_one_line_each() {
    let expected = "\
a b,c:100%/robots.txt:2:1: R012 [*] the field is misspelt; most robots ignore the line: the correct name is `Disallow`
a b,c:100%/robots.txt:3:11: R030 the path does not begin with / or *; robots read it in different ways
";
    let found = lint("concise");
    let without_messages = |text: &str| -> Vec<String> {
        let lines = text.lines();
        lines.map(|line| line.chars().take(36).collect()).collect()
    };
    assert_eq!(
        without_messages(&found),
        without_messages(expected),
        "{found}"
    );
    assert_eq!(found.lines().next(), expected.lines().next());
    // A header has no line in the file.
    let page = b"HTTP/1.1 200 OK\r\nX-Robots-Tag: noidnex\r\n\r\n<title>a</title>";
    let outcome = robots_on(["lint", "--meta", "--format", "concise", "-"], page);
    assert!(
        outcome.stdout.starts_with("-:1:1: M013 ")
            && outcome.stdout.contains("(header line 1, column 15)"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn commands_of_github_escape_their_properties() {
    let found = lint("github");
    let start = "::error file=a b%2Cc%3A100%25/robots.txt,line=2,col=1,endLine=2,endColumn=8,title=R012 misspelt-field::the field";
    assert!(found.starts_with(start), "{found}");
    assert_eq!(found.lines().count(), 2);
    // Text of the file cannot end the command, or begin another one.
    let body = "User-agent: *\nDisallow: /\nFoo%0A::error::x\u{2028}: 1\r\n";
    let outcome = robots_on(["lint", "--format", "github", "-"], body.as_bytes());
    for line in outcome.stdout.lines() {
        assert!(line.starts_with("::"), "{line}");
        assert!(!line.contains("%0A::error"), "{line}");
    }
}

/// The keys that GitLab's documentation of Code Quality requires.
#[test]
fn a_code_quality_report_has_stable_fingerprints() {
    let report = |body: &str| -> Vec<Value> {
        let outcome = robots_on(["lint", "--format", "gitlab", "-"], body.as_bytes());
        serde_json::from_str(&outcome.stdout).unwrap()
    };
    let fingerprints = |issues: &[Value]| -> BTreeSet<String> {
        let each = issues.iter().map(|issue| issue["fingerprint"].as_str());
        each.map(|text| text.unwrap().to_owned()).collect()
    };
    let issues = report(TWO_FINDINGS);
    assert_eq!(issues.len(), 2);
    for issue in &issues {
        assert!(issue["description"].is_string() && issue["check_name"].is_string());
        let severity = issue["severity"].as_str().unwrap();
        assert!(["info", "minor", "major", "critical", "blocker"].contains(&severity));
        assert_eq!(issue["location"]["path"], "-");
        assert!(issue["location"]["lines"]["begin"].is_u64());
    }
    assert_eq!(issues[0]["location"]["lines"]["begin"], 2);
    // A fingerprint does not depend on lines before, and each of equal findings has its own.
    let moved = report(&format!("# a comment\n\n{TWO_FINDINGS}"));
    assert_eq!(fingerprints(&moved), fingerprints(&issues));
    let twice = report("User-agent: *\nDisalow: /a\nDisalow: /a\n");
    assert_eq!(fingerprints(&twice).len(), twice.len());
    assert_eq!(report("User-agent: *\nDisallow:\n").len(), 0);
    let folder = folder();
    let outcome = robots_in(folder.path(), ["lint", "-f", "gitlab", "./a b,c:100%"]);
    let issues: Vec<Value> = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(issues[0]["location"]["path"], "a b,c:100%/robots.txt");
}

#[test]
fn sarif_has_fixes_snippets_and_relative_paths() {
    let log: Value = serde_json::from_str(&lint("sarif")).unwrap();
    let run = &log["runs"][0];
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    assert_eq!(
        run["newlineSequences"],
        serde_json::json!(["\r\n", "\n", "\r"])
    );
    for rule in run["tool"]["driver"]["rules"].as_array().unwrap() {
        assert!(rule["helpUri"].as_str().unwrap().starts_with("https://"));
    }
    let uri = "a%20b,c%3A100%25/robots.txt";
    let result = &run["results"][0];
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], uri);
    assert_eq!(place["region"]["snippet"]["text"], "Disalow");
    assert_eq!(place["contextRegion"]["snippet"]["text"], "Disalow: /a");
    let change = &result["fixes"][0]["artifactChanges"][0];
    assert_eq!(change["artifactLocation"]["uri"], uri);
    let replacement = &change["replacements"][0];
    assert_eq!(replacement["insertedContent"]["text"], "Disallow");
    let region = &replacement["deletedRegion"];
    let bounds = [
        "startLine",
        "startColumn",
        "endLine",
        "endColumn",
        "byteOffset",
        "byteLength",
    ];
    assert_eq!(
        bounds.map(|key| region[key].as_u64()),
        [2, 1, 2, 8, 14, 7].map(Some)
    );
    assert!(run["results"][1].get("fixes").is_none());
    // The edits of one fix may be in several lines.
    let body = b"User-agent: *\rDisallow: /\xc3\xa9\r";
    let log = robots_on(["lint", "--sarif", "--only", "R005", "-"], body).stdout;
    let log: Value = serde_json::from_str(&log).unwrap();
    let change = &log["runs"][0]["results"][0]["fixes"][0]["artifactChanges"][0];
    let places = change["replacements"]
        .as_array()
        .unwrap()
        .iter()
        .map(|replacement| bounds.map(|key| replacement["deletedRegion"][key].as_u64().unwrap()));
    assert_eq!(
        places.collect::<Vec<_>>(),
        [[1, 14, 2, 1, 13, 1], [2, 13, 3, 1, 27, 1]]
    );
}

#[test]
fn with_a_base_a_page_keeps_its_path() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("a.html"),
        "<meta name=robots content=noidnex>",
    )
    .unwrap();
    let lint = |format: &str| {
        let base = "https://example.com/";
        robots_in(
            folder.path(),
            ["lint", "--meta", "--base", base, "--format", format, "."],
        )
        .stdout
    };
    let log: Value = serde_json::from_str(&lint("sarif")).unwrap();
    let result = &log["runs"][0]["results"][0];
    let uri = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(uri, "./a.html");
    assert!(lint("concise").starts_with("./a.html:1:"));
    assert!(lint("full").contains("--> ./a.html:1:"));
    assert_eq!(
        json_lines(&lint("jsonl"))[0]["url"],
        "https://example.com/a.html"
    );
}

#[test]
fn the_verdicts_on_urls_have_the_same_formats() {
    let folder = tempfile::tempdir().unwrap();
    let body = "User-agent: *\nAllow: /open\nDisallow: /private\n";
    fs::write(folder.path().join("robots.txt"), body).unwrap();
    let check = |format: &str| {
        let urls = ["/private", "/open", "/"];
        let args = ["check", "robots.txt", "--agent", "Bot", "-f", format];
        let outcome = robots_in(folder.path(), args.into_iter().chain(urls));
        assert_eq!(outcome.code, 1, "{}", outcome.stderr);
        outcome.stdout
    };
    assert_eq!(
        check("concise"),
        "\
robots.txt:3:11: disallowed /private is disallowed for Bot, as RFC 9309 says: Disallow: /private (group of *)
robots.txt:2:8: allowed /open is allowed for Bot, as RFC 9309 says: Allow: /open (group of *)
robots.txt:1:1: allowed / is allowed for Bot, as RFC 9309 says: no rule for this robot matches
"
    );
    let start = "::error file=robots.txt,line=3,col=11,endLine=3,endColumn=19,title=disallowed::/private is";
    let github = check("github");
    assert!(
        github.starts_with(start) && github.lines().count() == 1,
        "{github}"
    );
    let issues: Vec<Value> = serde_json::from_str(&check("gitlab")).unwrap();
    assert_eq!(issues.len(), 1);
    assert_eq!(issues[0]["location"]["lines"]["begin"], 3);
    let log: Value = serde_json::from_str(&check("sarif")).unwrap();
    let run = &log["runs"][0];
    assert_eq!(run["results"].as_array().unwrap().len(), 1);
    assert_eq!(run["results"][0]["ruleIndex"], 0);
    assert_eq!(run["tool"]["driver"]["rules"][0]["id"], "disallowed");
    assert_eq!(json_lines(&check("jsonl")).len(), 3);
    assert_eq!(check("json"), check("jsonl"));
    let paths = robots_in(
        folder.path(),
        ["check", "robots.txt", "--all-agents", "-f", "sarif"],
    );
    assert_eq!(paths.code, 2);
    paths.assert_stderr_contains("--format sarif is for verdicts on URLs");
}
