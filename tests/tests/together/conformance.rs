//! The conformance set has a row for each question of the cases, and docs/conformance.md has what the results of
//! other libraries say.
//!
//! `INSTA_UPDATE=always` rewrites the set; `python3 tests/conformance/field/report.py` rewrites the page.

use robots_cases::page_case::PageFile;
use robots_cases::robots_case::RobotsCaseFile;
use serde_json::{Value, json};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version of the rows' format.
const VERSION: u32 = 1;

fn cases(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("cases")
        .join(folder);
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
        .iter()
        .map(|file| {
            let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
            (stem, fs::read_to_string(file).unwrap())
        })
        .collect()
}

fn robots_rows() -> Vec<String> {
    let mut rows = Vec::new();
    for (stem, text) in cases("robots") {
        let file: RobotsCaseFile = toml::from_str(&text).unwrap();
        for case in &file.case {
            for dialect in &case.dialects {
                for vector in case.vectors(&format!("{stem}/{}", case.name), dialect) {
                    rows.push(serde_json::to_string(&vector).unwrap());
                }
            }
        }
    }
    rows
}

fn page_rows() -> Vec<String> {
    let mut rows = Vec::new();
    for (stem, text) in cases("pages") {
        let file: PageFile = toml::from_str(&text).unwrap();
        for mut case in file.case {
            case.name = format!("{stem}/{}", case.name);
            rows.push(serde_json::to_string(&case).unwrap());
        }
    }
    rows
}

#[test]
fn the_set_has_the_questions_of_the_cases() {
    let (robots, pages) = (robots_rows(), page_rows());
    assert!(robots.len() > 1_000 && pages.len() > 200);
    let manifest = json!({
        "version": VERSION,
        "files": {"robots.jsonl": robots.len(), "pages.jsonl": pages.len()},
    });
    let lines = |rows: &[String]| {
        rows.iter()
            .fold(String::new(), |text, row| text + row + "\n")
    };
    let files = [
        ("robots.jsonl", lines(&robots)),
        ("pages.jsonl", lines(&pages)),
        ("manifest.json", format!("{manifest:#}\n")),
    ];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance");
    let updates = std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always");
    for (name, text) in files {
        let path = folder.join(name);
        if updates {
            fs::write(&path, &text).unwrap();
        }
        let kept = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            kept == text,
            "{name} is not what the cases say; INSTA_UPDATE=always writes it"
        );
    }
}

/// Runs Python in the folder of the field. Does nothing without Python.
fn python(arguments: &[&str]) {
    let run = Command::new("python3")
        .arg("-B")
        .args(arguments)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/field"))
        .output();
    let output = match run {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            eprintln!("python3 is not installed: the field is not tested");
            return;
        }
        output => output.unwrap(),
    };
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn the_table_of_the_field_has_what_its_results_say() {
    python(&["report.py", "--check"]);
}

#[test]
fn the_runner_of_the_field_reports_crashes_and_hangs() {
    python(&["-m", "unittest", "discover"]);
}

#[test]
fn names_of_rows_are_unique() {
    let mut names = std::collections::HashSet::new();
    for row in robots_rows().iter().chain(&page_rows()) {
        let row: Value = serde_json::from_str(row).unwrap();
        let name = row.get("id").or(row.get("name")).unwrap().to_string();
        assert!(names.insert(name.clone()), "{name}");
    }
}
