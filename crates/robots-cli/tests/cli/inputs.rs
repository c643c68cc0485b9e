//! Inputs of commands: several files, folders and archives; files of other names in folders; names that are not UTF-8.

use crate::program::{gzip, json_lines, page, robots};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const NOINDEX: &str = "<head><meta name=robots content=noindex></head>";

/// Returns a folder with these files.
fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    folder
}

#[test]
fn meta_reads_files_folders_and_archives() {
    let archive = [
        page("https://a.example/1", NOINDEX),
        page("https://a.example/2", "<head></head>"),
    ]
    .concat();
    let site = folder(&[
        ("site/a.html", NOINDEX.as_bytes()),
        ("site/sub/b.htm", NOINDEX.as_bytes()),
        ("site/notes.txt", b"not a page"),
        ("crawl.warc", &archive),
        ("one.html", NOINDEX.as_bytes()),
    ]);
    let path = |name: &str| site.path().join(name).to_str().unwrap().to_owned();
    let all = [path("site"), path("crawl.warc"), path("one.html")];
    let outcome = robots(["meta", "--json"].map(str::to_owned).iter().chain(&all));
    assert_eq!((outcome.code, &*outcome.stderr), (0, ""));
    let rows = json_lines(&outcome.stdout);
    let names: Vec<_> = rows
        .iter()
        .map(|row| (row["url"].as_str().unwrap(), row["file"].as_str().unwrap()))
        .collect();
    let [a, b, crawl, one] = ["site/a.html", "site/sub/b.htm", "crawl.warc", "one.html"].map(path);
    assert_eq!(
        names,
        [
            (&*a, &*a),
            (&b, &b),
            ("https://a.example/1", &crawl),
            ("https://a.example/2", &crawl),
            (&one, &one),
        ]
    );
    let outcome = robots(["meta".to_owned()].iter().chain(&all));
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert!(outcome.stdout.starts_with(&format!("{a}\n")));
    for heading in [
        format!("\n\n{b}\n"),
        format!("\n\nhttps://a.example/1 (in {crawl})\n"),
    ] {
        assert!(outcome.stdout.contains(&heading), "{}", outcome.stdout);
    }
    // A single file is not named apart from its page.
    for single in [&crawl, &one] {
        let rows = json_lines(&robots(["meta", "--json", single]).stdout);
        assert!(rows[0].get("file").is_none());
    }
}

#[test]
fn meta_reads_the_other_inputs_after_one_that_cannot_be_read() {
    let site = folder(&[("a.html", NOINDEX.as_bytes()), ("empty/notes.txt", b"")]);
    let path = |name: &str| site.path().join(name).to_str().unwrap().to_owned();
    for (name, message) in [
        ("no.html", "no.html: No such file"),
        ("empty", "empty: no .html files in this folder"),
    ] {
        let outcome = robots(["meta", &path(name), &path("a.html")]);
        assert_eq!(outcome.code, 2, "{name}");
        outcome.assert_stderr_contains(message);
        assert!(outcome.stdout.contains("a.html\n"), "{}", outcome.stdout);
        assert_eq!(robots(["meta", &path(name)]).code, 2, "{name}");
    }
}

/// A folder of pages may have texts that are not robots.txt.
#[test]
fn in_folders_files_named_robots_txt_are_read() {
    let bad = b"Disalow: /x\n";
    let site = folder(&[
        ("price-list.txt", bad),
        ("robots.txt.bak", bad),
        ("sub/about-robots.html", bad),
    ]);
    let root = site.path().to_str().unwrap();
    for command in ["lint", "survey"] {
        let outcome = robots([command, root]);
        assert_eq!((outcome.code, &*outcome.stdout), (2, ""), "{command}");
        outcome.assert_stderr_contains("no");
    }
    robots(["lint", root]).assert_stderr_contains("--all-files");
    robots(["lint", "--all-files", root]).assert_stderr_contains("in 3 of 3 files");
    let survey = robots(["survey", "--all-files", "--json", root]);
    assert!(survey.stdout.contains("\"2xx\":3") || survey.stdout.contains("\"2xx\": 3"));
    // The file itself may have any name.
    let named = site.path().join("price-list.txt");
    robots(["lint", named.to_str().unwrap()]).assert_stderr_contains("in 1 of 1 file");
    for name in [
        "robots.txt",
        "a/ROBOTS.TXT",
        "b/a.example-robots.txt",
        "c/a.example_robots.txt",
    ] {
        fs::create_dir_all(site.path().join(name).parent().unwrap()).unwrap();
        fs::write(site.path().join(name), bad).unwrap();
    }
    fs::write(site.path().join("b/robots.txt.gz"), gzip(bad)).unwrap();
    robots(["lint", root]).assert_stderr_contains("in 5 of 5 files");
    let outcome = robots(["lint", "--meta", "--all-files", root]);
    assert_eq!(outcome.code, 2);
}

/// Returns the name of the file that a text names, by the rule of docs/columns.md.
#[cfg(unix)]
fn restored(text: &str) -> std::path::PathBuf {
    use std::os::unix::ffi::OsStringExt;
    let mut name = Vec::new();
    let mut parts = text.split("\\x");
    name.extend_from_slice(parts.next().unwrap().as_bytes());
    for part in parts {
        let (digits, rest) = part.split_at(2);
        name.push(u8::from_str_radix(digits, 16).unwrap());
        name.extend_from_slice(rest.as_bytes());
    }
    std::ffi::OsString::from_vec(name).into()
}

#[cfg(unix)]
#[test]
fn names_that_are_not_utf_8_can_be_found_again() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &[u8]| folder.path().join(OsStr::from_bytes(name));
    // Two names with different invalid bytes, and one that looks like the escape of the first.
    let pages = [
        path(b"caf\xe9.html"),
        path(b"caf\xe8.html"),
        path(br"caf\xe9.html"),
    ];
    for page in &pages {
        fs::write(page, NOINDEX).unwrap();
    }
    let mut expected = pages.to_vec();
    expected.sort();
    let root = folder.path().to_str().unwrap();
    let files = |rows: &str| -> Vec<_> {
        let mut files: Vec<_> = json_lines(rows)
            .iter()
            .map(|row| restored(row["file"].as_str().unwrap()))
            .collect();
        files.sort();
        files.dedup();
        files
    };
    let decided = robots(["decide", "--json", root]);
    assert_eq!(files(&decided.stdout), expected);
    assert!(
        decided.stdout.contains(r"caf\\xe9.html"),
        "{}",
        decided.stdout
    );
    assert_eq!(files(&robots(["meta", "--json", root]).stdout), expected);
    let csv = robots(["decide", "--format", "csv", "--fields", "file", root]).stdout;
    let mut found: Vec<_> = csv.lines().skip(1).map(restored).collect();
    found.sort();
    assert_eq!(found, expected);
    // The URL of such a page has its bytes.
    let based = robots(["decide", "--base", "https://a.example/", "--json", root]);
    assert!(based.stdout.contains("\"https://a.example/caf%E9.html\""));
    assert!(based.stdout.contains("\"https://a.example/caf%E8.html\""));

    let robots_txt = path(b"\xff-robots.txt");
    fs::write(&robots_txt, "User-agent: *\nDisalow: /x\n").unwrap();
    let linted = robots(["lint", "--json", root]);
    assert_eq!(files(&linted.stdout), std::slice::from_ref(&robots_txt));
    robots(["lint", "--sarif", root])
        .stdout
        .find("/%FF-robots.txt\"")
        .unwrap();
    // A fix rewrites the file itself.
    robots(["lint", "--fix", root]).assert_stderr_contains(r"\xff-robots.txt: 1 fixed");
    assert_eq!(
        fs::read_to_string(&robots_txt).unwrap(),
        "User-agent: *\nDisallow: /x\n"
    );
    assert_eq!(fs::read_dir(root).unwrap().count(), 4);
    let survey = Path::new(root).join("files.csv");
    robots(["survey", root, "--files", survey.to_str().unwrap()]);
    assert!(
        fs::read_to_string(survey)
            .unwrap()
            .contains(r"\xff-robots.txt,")
    );
}

/// The folder for temporary files is missing, not standard input.
#[cfg(unix)]
#[test]
fn a_temporary_file_that_cannot_be_made_is_reported_as_such() {
    for command in ["decide", "lint", "meta", "survey"] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_robots"))
            .args([command, "-"])
            .env("TMPDIR", "/nowhere/at all")
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        let messages = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{command}: {messages}");
        let expected = "cannot make a temporary file in /nowhere/at all: No such file";
        assert!(messages.contains(expected), "{command}: {messages}");
    }
}
