//! The output of `robots decide`: formats, several robots, kinds of decisions, folders.

use crate::program::{Folder, Outcome, robots, robots_on, workspace};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

pub(crate) const CRAWL: &str = "tests/fixtures/crawl.warc.gz";

/// Decides the pages of [`CRAWL`] at a fixed time, with these additional arguments.
pub(crate) fn decide(words: &[&str]) -> Outcome {
    let outcome = robots([&["decide", "--now", "2026-11-21", CRAWL], words].concat());
    outcome.assert_success();
    outcome
}

/// Returns the rows of [`decide`] in JSON.
pub(crate) fn rows(words: &[&str]) -> Vec<Value> {
    let outcome = decide(&[&["--json"], words].concat());
    outcome.rows()
}

#[test]
fn several_robots_get_the_decisions_that_each_gets_alone() {
    let together = rows(&[
        "--profile",
        "google",
        "--profile",
        "bing",
        "--agent",
        "Googlebot",
        "--agent",
        "ExampleBot",
    ]);
    let robots = [
        ["google", "Googlebot"],
        ["google", "ExampleBot"],
        ["bing", "Googlebot"],
        ["bing", "ExampleBot"],
    ];
    for (at, [profile, agent]) in robots.iter().enumerate() {
        let of_one: Vec<&Value> = together.iter().skip(at).step_by(robots.len()).collect();
        let alone = rows(&["--profile", profile, "--agent", agent]);
        assert!(!alone.is_empty());
        assert_eq!(
            of_one,
            alone.iter().collect::<Vec<_>>(),
            "{profile} {agent}"
        );
    }
    // The default is the first robot of each profile.
    let firsts: BTreeSet<String> = rows(&["--profile", "google", "--profile", "yandex"])
        .iter()
        .map(|row| row["agent"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        firsts,
        BTreeSet::from(["Googlebot".to_owned(), "YandexBot".to_owned()])
    );
    let outcome = decide(&["--profile", "google", "--profile", "bing"]);
    assert!(outcome.stdout.starts_with("robot "), "{}", outcome.stdout);
    outcome.assert_stdout_contains("\nGooglebot (google)  ");
    outcome.assert_stderr_contains("bingbot under bing\n  fetch ");
}

#[test]
fn only_selects_decisions_and_fields_select_columns() {
    let all = rows(&[]);
    let has =
        |row: &Value, field: &str, values: &[&str]| values.contains(&row[field].as_str().unwrap());
    for (kind, field, values) in [
        ("allowed", "fetch", &["allow"][..]),
        ("denied", "fetch", &["disallow", "defer"]),
        ("indexed", "index", &["yes"]),
        ("url-only", "index", &["url_only"]),
        ("noindex", "index", &["no"]),
        ("nofollow", "follow", &["no"]),
        ("noarchive", "archive", &["no"]),
    ] {
        let some: Vec<Value> = all
            .iter()
            .filter(|row| has(row, field, values))
            .cloned()
            .collect();
        assert!(!some.is_empty(), "{kind}");
        assert_eq!(rows(&["--only", kind]), some, "{kind}");
    }
    let either = rows(&["--only", "denied,noarchive"]);
    let expected = all
        .iter()
        .filter(|row| has(row, "fetch", &["disallow", "defer"]) || has(row, "archive", &["no"]));
    assert_eq!(either.len(), expected.count());
    let few = rows(&["--fields", "index,url", "--limit", "2"]);
    assert_eq!(few.len(), 2);
    let keys: Vec<&String> = few[0].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["index", "url"]);
    let csv = decide(&["--format", "csv", "--fields", "url,fetch"]).stdout;
    assert!(csv.starts_with("url,fetch\nhttp"), "{csv}");
    for format in ["--json", "--format=csv"] {
        let outcome = robots(["decide", CRAWL, format, "--fields", "nope"]);
        outcome.assert_error("unknown field \"nope\": expected one of file, ");
    }
    // The columns of the default format, a table, cannot be chosen.
    assert_eq!(robots(["decide", CRAWL, "--fields", "url"]).code, 2);
}

#[test]
fn limits_and_samples() {
    let all = rows(&[]);
    assert_eq!(rows(&["--limit", "3"]), all[..3]);
    assert!(rows(&["--limit", "0"]).is_empty());
    assert_eq!(rows(&["--limit", "1000"]), all);
    // With --robots, each page is decided when it is read.
    let decided_at_once = ["--robots", CRAWL, "--limit", "3"];
    assert_eq!(rows(&decided_at_once), all[..3]);
    let half = rows(&["--sample", "50%"]);
    assert!(!half.is_empty() && half.len() < all.len(), "{}", half.len());
    assert!(half.iter().all(|row| all.contains(row)));
    let quarter = rows(&["--sample", "0.25"]);
    assert!(quarter.iter().all(|row| half.contains(row)));
    assert_eq!(rows(&["--sample", "1"]), all);
}

#[test]
fn reasons_are_written_on_request() {
    let explained = decide(&["--explain", "--only", "noindex", "--limit", "2"]).stdout;
    assert!(
        explained.contains("\n      index             no\n"),
        "{explained}"
    );
    assert!(
        explained.contains("decides   META at byte 55: NONE"),
        "{explained}"
    );
    let csv = decide(&["--explain", "--format", "csv"]).stdout;
    assert!(
        csv.lines()
            .next()
            .unwrap()
            .ends_with(",warnings,may_train,may_train_reason,reasons_json,warnings_json")
    );
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let column = reader
        .headers()
        .unwrap()
        .iter()
        .position(|name| name == "reasons_json");
    let all = rows(&[]);
    for (record, row) in reader.records().zip(&all) {
        let reasons: Value = serde_json::from_str(&record.unwrap()[column.unwrap()]).unwrap();
        assert_eq!(reasons, row["reasons"]);
    }
}

#[test]
fn a_folder_gets_a_file_for_each_input() {
    let folder = Folder::new();
    let twin = folder.root().join("crawl.warc.gz");
    fs::copy(workspace().join(CRAWL), &twin).unwrap();
    let twin = twin.to_str().unwrap();
    let site = "tests/fixtures/sites/marys-antiques/pages";
    let out = folder.root().join("out");
    let out_text = out.to_str().unwrap();
    let words = ["--json", "--output-folder", out_text, twin, site];
    assert_eq!(decide(&words).stdout, "");
    let names: BTreeSet<String> = fs::read_dir(&out)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let expected = [
        "crawl.warc.gz-2.jsonl",
        "crawl.warc.gz.jsonl",
        "pages.jsonl",
    ];
    assert_eq!(names, expected.map(str::to_owned).into());
    let all = decide(&["--json", twin, site]).stdout;
    let order = [
        "crawl.warc.gz.jsonl",
        "crawl.warc.gz-2.jsonl",
        "pages.jsonl",
    ];
    let parts = order.map(|name| fs::read_to_string(out.join(name)).unwrap());
    assert_eq!(parts.concat(), all);
}

#[cfg(not(feature = "columnar"))]
#[test]
fn columnar_formats_need_a_feature() {
    for (format, name) in [("parquet", "Parquet"), ("arrow", "Arrow")] {
        let outcome = robots(["decide", CRAWL, "--format", format]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
        outcome.assert_stderr_contains(&format!(
            "error: this build has no {name}: build with --features columnar"
        ));
    }
}

/// The summary is written at the end, and an earlier one is kept until then.
#[test]
fn a_run_that_fails_writes_no_summary() {
    let folder = Folder::new();
    let (summary, index) = (folder.path("summary.json"), folder.path("no.cdxj"));
    fs::write(&index, "not an index\n").unwrap();
    let words = ["decide", CRAWL, "--index", &index, "--summary", &summary];
    for earlier in [None, Some("{}")] {
        if let Some(earlier) = earlier {
            fs::write(&summary, earlier).unwrap();
        }
        let outcome = robots(words);
        outcome.assert_error("is not a CDXJ index");
        assert_eq!(fs::read_to_string(&summary).ok().as_deref(), earlier);
        assert!(!fs::exists(folder.path("summary.json.part")).unwrap());
    }
    // The summary has this name until it is complete.
    let rows = folder.path("summary.json.part");
    let outcome = robots([
        "decide",
        CRAWL,
        "--json",
        "--summary",
        &summary,
        "-o",
        &rows,
    ]);
    outcome.assert_error("written twice");
}

/// Asserts that a disk that becomes full ends a run: the error names the file, and no file has the final name. The disk is
/// full at the shell's limit on the size of files, in blocks of 512 or 1,024 bytes. The words end with the option of the file.
#[cfg(unix)]
pub(crate) fn assert_full_disk_is_reported(words: &[&str], blocks: u32) {
    let folder = Folder::new();
    let path = folder.root().join("rows.parquet");
    // The signal of a write past the limit is ignored, so that the write fails.
    let limit = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let output = Command::new("sh")
        .args(["-c", &limit, env!("CARGO_BIN_EXE_robots")])
        .args(words)
        .arg(&path)
        .current_dir(workspace())
        .output()
        .unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{words:?}: {message}");
    let expected = format!("error: cannot write to {}: ", path.display());
    assert!(message.contains(&expected), "{words:?}: {message}");
    assert!(!path.exists(), "{words:?}");
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_no_file_of_the_final_name() {
    // In each format, the rows are longer than 12 blocks.
    for format in ["table", "jsonl", "csv"] {
        assert_full_disk_is_reported(
            &["decide", CRAWL, "--explain", "--format", format, "-o"],
            12,
        );
    }
}

#[test]
fn a_summary_may_be_json() {
    let folder = Folder::new();
    let path = folder.root().join("summary.json");
    let words = ["--summary", path.to_str().unwrap(), "--profile", "google"];
    let outcome = robots([&["decide", CRAWL, "/nowhere/x.warc"], &words[..]].concat());
    assert_eq!(outcome.code, 2);
    let summary: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    // The first line has the names of the columns.
    let pages = outcome.stdout.lines().count() - 1;
    assert_eq!(summary["pages"], pages);
    assert_eq!(summary["end"], "done");
    assert_eq!(summary["robots"][0]["agent"], "Googlebot");
    let of_fetch = summary["robots"][0]["fetch"].as_object().unwrap();
    let sum: u64 = of_fetch.values().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(sum, pages as u64);
    let failed = summary["failed_inputs"][0].as_str().unwrap();
    assert!(failed.contains("/nowhere/x.warc"), "{failed}");
    let outcome = robots(["decide", CRAWL, "--summary", CRAWL]);
    outcome.assert_error("is an input");
}

#[test]
fn tables_overwrite_neither_inputs_nor_other_outputs() {
    let folder = Folder::new();
    let log = fs::read(workspace().join("tests/fixtures/logs/access.log.gz")).unwrap();
    let (input, tables) = (folder.path("robots.csv"), folder.path(""));
    fs::write(&input, &log).unwrap();
    for (words, why) in [
        (vec!["audit", "--csv", &tables, &input], "is an input"),
        (
            vec![
                "survey",
                "--csv",
                &tables,
                "--files",
                &folder.path("findings.csv"),
                CRAWL,
            ],
            "written twice",
        ),
    ] {
        let outcome = robots(words.clone());
        outcome.assert_stderr_contains(why);
        assert_eq!(outcome.code, 2, "{words:?}");
        assert_eq!(fs::read(&input).unwrap(), log);
    }
}

#[test]
fn inputs_are_never_overwritten() {
    let folder = Folder::new();
    let archive = fs::read(workspace().join(CRAWL)).unwrap();
    let (crawl, part) = (folder.path("a.warc.gz"), folder.path("a.warc.gz.csv.part"));
    for file in [&crawl, &part, &folder.path("index.cdxj")] {
        fs::write(file, &archive).unwrap();
    }
    folder.file("out.csv.journal", "mine");
    let profile = folder.path("mine.toml");
    fs::write(&profile, "name = \"mine\"\nbased-on = \"google\"").unwrap();
    let (out, here) = (folder.path("out.csv"), folder.root().to_str().unwrap());
    let (index, journal) = (folder.path("index.cdxj"), folder.path("out.csv.journal"));
    let nowhere = folder.path("nowhere/out.csv");
    let refused = [
        (vec!["--output-folder", here, &part], "is an input"),
        (vec!["-o", &index, "--index", &index], "is an input"),
        (vec!["-o", &profile, "--profile", &profile], "is an input"),
        (vec!["-o", &out, "--summary", &out], "written twice"),
        (vec!["-o", &out], "is not a journal"),
        (
            vec!["--summary", "/nowhere/summary"],
            "cannot write /nowhere/summary",
        ),
        (vec!["--fields", "url,url"], "named twice"),
        (vec!["-o", &nowhere], "cannot write"),
    ];
    for (words, why) in refused {
        let outcome = robots([&["decide", "--format", "csv", &crawl], &words[..]].concat());
        outcome.assert_stderr_contains(why);
    }
    assert!(!folder.root().join("nowhere").exists());
    assert_eq!(fs::read(&part).unwrap(), archive);
    assert_eq!(fs::read(&index).unwrap(), archive);
    assert_eq!(fs::read(&journal).unwrap(), b"mine");
    // An index cannot distinguish two inputs of the same name.
    fs::create_dir(folder.path("b")).unwrap();
    let twin = folder.path("b/a.warc.gz");
    fs::write(&twin, &archive).unwrap();
    let outcome = robots(["decide", "--index", &index, &crawl, &twin]);
    outcome.assert_error("two inputs are called");
}

#[test]
fn files_get_names_inside_their_folder() {
    let folder = Folder::new();
    let out = folder.root().join("out");
    let out_text = out.to_str().unwrap();
    let pages = "tests/fixtures/sites/joes-hardware/pages";
    let page = format!("{pages}/cafe.html");
    decide(&[
        "--json",
        "--output-folder",
        out_text,
        &page,
        &format!("{pages}/.."),
    ]);
    let mut names: Vec<String> = fs::read_dir(&out)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "cafe.html.jsonl",
            "crawl.warc.gz.jsonl",
            "joes-hardware.jsonl"
        ]
    );
}

fn path(path: &std::path::Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn an_earlier_report_stays_until_the_new_one_is_complete() {
    let folder = Folder::new();
    let report = folder.root().join("report.html");
    fs::write(&report, "earlier").unwrap();
    for words in [&["survey", "no-such-file"][..], &["audit", "-"]] {
        // These inputs have nothing to count.
        let outcome = robots_on([words, &["--html", path(&report)]].concat(), b"");
        assert_eq!(outcome.code, 2, "{}", outcome.stderr);
        assert_eq!(fs::read_to_string(&report).unwrap(), "earlier");
        assert_eq!(fs::read_dir(folder.root()).unwrap().count(), 1);
    }
    let outcome = robots(["survey", "tests/fixtures/robots", "--html", path(&report)]);
    outcome.assert_success();
    assert!(
        fs::read_to_string(&report)
            .unwrap()
            .starts_with("<!DOCTYPE html>")
    );
}
