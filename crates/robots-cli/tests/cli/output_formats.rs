//! The format of an output: an option or the extension of its name.

use crate::output::{CRAWL, decide};
use crate::program::robots;
use std::fs;

#[test]
fn the_extension_of_an_output_names_its_format() {
    let folder = tempfile::tempdir().unwrap();
    for (name, format) in [
        ("a", "table"),
        ("a.txt", "table"),
        ("a.jsonl", "jsonl"),
        ("a.ndjson", "jsonl"),
        ("a.json", "jsonl"),
        ("a.CSV", "csv"),
    ] {
        let path = folder.path().join(name);
        decide(&["--limit", "3", "-o", path.to_str().unwrap()]);
        let expected = decide(&["--limit", "3", "--format", format]).stdout;
        assert_eq!(fs::read_to_string(&path).unwrap(), expected, "{name}");
    }
    let expected = decide(&["--limit", "3"]).stdout;
    assert_eq!(decide(&["--limit", "3", "-o", "-"]).stdout, expected);
    // An option says otherwise.
    let path = folder.path().join("b.parquet");
    let words = ["--limit", "3", "-o", path.to_str().unwrap()];
    decide(&[&words[..], &["--json"]].concat());
    assert!(fs::read(&path).unwrap().starts_with(b"{"));
    decide(&[&words[..], &["--format", "csv"]].concat());
    assert!(fs::read(&path).unwrap().starts_with(b"file,"));
}

#[test]
fn an_extension_without_a_format_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.html", "a.csv.gz", "a.xlsx"] {
        let path = folder.path().join(name);
        let outcome = robots(["decide", CRAWL, "-o", path.to_str().unwrap()]);
        assert_eq!((outcome.code, &*outcome.stdout), (2, ""), "{name}");
        outcome.assert_stderr_contains(name);
        outcome.assert_stderr_contains("use --format, or one of .txt, .jsonl, ");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        let outcome = robots(["survey", CRAWL, "--files", path.to_str().unwrap()]);
        assert_eq!((outcome.code, &*outcome.stdout), (2, ""), "{name}");
        outcome.assert_stderr_contains("a name that ends with .csv or .parquet");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

/// Errors name the file that the user named, not the one that is renamed at the end.
#[test]
fn an_output_that_cannot_be_written_has_its_own_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("no/a.csv");
    let outcome = robots(["decide", CRAWL, "-o", path.to_str().unwrap()]);
    outcome.assert_error("no/a.csv: No such file");
    assert!(!outcome.stderr.contains(".part"), "{}", outcome.stderr);
}

/// The controlling end of a terminal is a terminal, too.
#[cfg(target_os = "linux")]
#[test]
fn bytes_that_are_not_text_are_not_written_to_a_terminal() {
    use crate::program::workspace;
    use std::process::Command;
    const TERMINAL: &str = "/dev/ptmx";
    let run = |words: &[&str]| {
        let terminal = fs::OpenOptions::new().read(true).write(true).open(TERMINAL);
        let output = Command::new(env!("CARGO_BIN_EXE_robots"))
            .args(words)
            .current_dir(workspace())
            .stdout(terminal.unwrap())
            .output()
            .unwrap();
        let messages = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), messages)
    };
    for format in ["parquet", "arrow"] {
        let words = ["decide", CRAWL, "--format", format];
        for words in [&words[..], &[&words[..], &["-o", TERMINAL]].concat()] {
            let (code, messages) = run(words);
            assert_eq!(code, Some(2), "{words:?}: {messages}");
            let expected = format!("cannot write {format} to a terminal: it is not text; use -o");
            assert!(messages.contains(&expected), "{words:?}: {messages}");
        }
    }
}
