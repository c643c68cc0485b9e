//! Text from inputs, as the output shows it: no character controls the terminal, reorders text or is invisible.

use crate::program::{Folder, Outcome, plain_text, response, robots, robots_on};
use robots_policy::text::is_unprintable;
use std::fs;
use std::path::Path;

/// Characters that control the terminal, the direction of text or the end of a line, or are invisible.
const HOSTILE: &str = "\u{202e}x\u{2028}y\u{200b}z\u{feff}\u{9b}\u{7f}\u{1b}[2J";

#[track_caller]
fn assert_printable(text: &str) {
    let found: Vec<char> = text
        .chars()
        .filter(|c| *c != '\n' && is_unprintable(*c))
        .collect();
    assert!(found.is_empty(), "{found:?} in {text:?}");
}

/// Asserts that the output has no unprintable character, and shows the hostile text.
#[track_caller]
fn assert_shown(outcome: &Outcome) {
    assert_printable(&outcome.stdout);
    assert_printable(&outcome.stderr);
    let both = [&*outcome.stdout, &*outcome.stderr].concat();
    assert!(both.contains("\\u{202e}"), "{both}");
}

fn run(words: &[&str], input: &str) -> Outcome {
    robots_on(words, input.as_bytes())
}

fn html() -> String {
    format!(
        "<meta charset=utf-8><title>{HOSTILE}</title><meta name=robots content='noindex, {HOSTILE}'>"
    )
}

fn robots_txt() -> String {
    format!("User-agent: *\nDisallow: /{HOSTILE}\nUser-agent: {HOSTILE}\nDisallow: /\n")
}

/// An archive with a robots.txt, and a page with a hostile URL, header and META.
fn archive() -> String {
    let page = format!("https://a.example/{}", "\u{202e}gpj.exe");
    let headers = format!("Content-Type: text/html\r\nX-Robots-Tag: a{HOSTILE}: noarchive");
    let records = [
        plain_text("https://a.example/robots.txt", robots_txt().as_bytes()),
        response(&page, &headers, html().as_bytes()),
    ];
    String::from_utf8(records.concat()).unwrap()
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn decisions() {
    for words in [
        &["decide", "-"][..],
        &["decide", "-", "--explain"],
        &["decide", "-", "--format", "csv", "--explain"],
    ] {
        assert_shown(&run(words, &archive()));
    }
}

#[test]
fn pages_and_headers() {
    assert_shown(&run(&["meta", "-"], &html()));
    assert_shown(&run(&["meta", "-", "--all"], &html()));
    assert_shown(&run(&["meta", "-"], &archive()));
    assert_shown(&run(&["headers", "-"], &archive()));
    assert_shown(&run(
        &["lint", "--meta", "--level", "note", "-"],
        &archive(),
    ));
}

#[test]
fn robots_txt_files() {
    let url = format!("https://a.example/{HOSTILE}");
    let words = ["check", "-", &url, "/\u{202e}"];
    assert_shown(&run(&words, &robots_txt()));
    assert_shown(&run(
        &["check", "-", &url, "--all-agents", "--all-dialects"],
        &robots_txt(),
    ));
    assert_shown(&run(&["check", "-", "--all-agents"], &robots_txt()));
    assert_shown(&run(&["lint", "--level", "note", "-"], &robots_txt()));
    assert_shown(&run(
        &["lint", "--diff", "-"],
        &format!("Disalow: /{HOSTILE}\n"),
    ));
    let empty = tempfile::NamedTempFile::new().unwrap();
    for words in [
        &["diff", path(empty.path()), "-"][..],
        &["diff", "--text", path(empty.path()), "-"],
    ] {
        let outcome = run(words, &robots_txt());
        assert_printable(&outcome.stdout);
        assert_eq!(outcome.code, 1, "{}", outcome.stderr);
    }
}

#[test]
fn messages() {
    let name = format!("no-such-{HOSTILE}");
    for command in ["meta", "headers", "lint", "survey", "decide", "test"] {
        let outcome = robots([command, &name]);
        assert_eq!(outcome.code, 2, "{command}");
        assert_shown(&outcome);
    }
    let questions = format!("{{\"robots\": \"{HOSTILE}");
    let archive = tempfile::NamedTempFile::new().unwrap();
    fs::write(
        archive.path(),
        response("https://a.example/robots.txt", "A: b", b""),
    )
    .unwrap();
    let words = ["check", "--batch", "-", "--robots", path(archive.path())];
    assert_printable(&run(&words, &questions).stderr);
    let sites = run(
        &["fetch", "-", "-o", "/dev/null"],
        &format!("a b{HOSTILE}\n"),
    );
    assert_printable(&sites.stderr);
}

#[test]
fn surveys_and_audits() {
    let folder = Folder::new();
    let file = |name: &str| path(&folder.root().join(name)).to_owned();
    folder.file("robots.txt", robots_txt());
    let survey = run(
        &[
            "survey",
            "-",
            "--html",
            &file("survey.html"),
            "--csv",
            &file("survey"),
            "--files",
            &file("files.csv"),
        ],
        &archive(),
    );
    survey.assert_success();
    let log = format!(
        "192.0.2.1 - - [20/Nov/2026:13:55:36 +0000] \"GET /\u{202e} HTTP/1.1\" 200 10 \"-\" \"evil{HOSTILE}bot\"\n"
    );
    let audit = run(
        &[
            "audit",
            "-",
            "--robots",
            &file("robots.txt"),
            "--html",
            &file("audit.html"),
            "--csv",
            &file("audit"),
        ],
        &log,
    );
    assert!(audit.code < 2, "{}", audit.stderr);
    for outcome in [&survey, &audit] {
        assert_printable(&outcome.stdout);
        assert_printable(&outcome.stderr);
    }
    for name in ["survey.html", "audit.html", "files.csv"] {
        assert_printable(&fs::read_to_string(file(name)).unwrap());
    }
    let mut tables = 0;
    for name in ["survey", "audit"] {
        for table in fs::read_dir(file(name)).unwrap() {
            assert_printable(&fs::read_to_string(table.unwrap().path()).unwrap());
            tables += 1;
        }
    }
    assert!(tables > 5);
}

#[test]
fn json() {
    for words in [
        &["decide", "-", "--json"][..],
        &["meta", "-", "--json", "--all"],
        &["headers", "-", "--json"],
        &["lint", "--meta", "--json", "--level", "note", "-"],
        &["lint", "--json", "--level", "note", "-"],
        &["lint", "--sarif", "--level", "note", "-"],
        &["survey", "--json", "-"],
    ] {
        let outcome = run(words, &archive());
        assert_printable(&outcome.stdout);
        // A finding need not quote text of the input; the other outputs must.
        let quotes_text = words[0] != "lint";
        assert!(
            !quotes_text || outcome.stdout.contains("\\u202e"),
            "{words:?}: {}",
            outcome.stdout
        );
    }
    let outcome = run(
        &["check", "-", "/\u{202e}", "--json", "--agent", "*"],
        &robots_txt(),
    );
    assert_printable(&outcome.stdout);
    let row: serde_json::Value = outcome.json();
    assert_eq!(row["url"], "/\u{202e}");
}

#[test]
fn cells_of_decisions_are_not_formulas() {
    let page = response(
        "=cmd|' /c calc'!A0",
        "Content-Type: text/html",
        b"<title>a</title>",
    );
    let words = ["decide", "-", "--format", "csv", "--fields", "url,fetch"];
    let outcome = robots_on(words, &page);
    assert_eq!(outcome.stdout, "url,fetch\n'=cmd|' /c calc'!A0,unknown\n");
}

/// Each `<` begins a tag of the report, each `&` a reference, and the texts come back.
#[test]
fn results_as_junit_are_well_formed() {
    let folder = Folder::new();
    let name = "\\uFFFE\\u001B[2J\\u202E<a b='&amp;'>\\\"\\t\\r\\n]]>";
    let case = format!(
        "[[case]]\nname = \"{name}\"\nsource = \"ours\"\ndialects = [\"rfc9309\"]\nbody = \"\"\nask = [{{ agent = \"a\", url = \"/\\uFFFF\", expect = \"disallow\" }}]\n"
    );
    folder.file("o'urs & b.toml", case);
    let junit = folder.path("results.xml");
    let outcome = robots(["test", path(folder.root()), "--junit", &junit]);
    assert_eq!(outcome.code, 1, "{}", outcome.stderr);
    assert_printable(&outcome.stdout);
    let xml = fs::read_to_string(junit).unwrap();
    assert_printable(&xml);
    let tags: Vec<&str> = xml.split('<').skip(1).collect();
    let names = tags.iter().map(|tag| tag.split([' ', '>']).next().unwrap());
    assert_eq!(
        names.collect::<Vec<_>>(),
        [
            "?xml",
            "testsuites",
            "testsuite",
            "testcase",
            "failure",
            "/failure",
            "/testcase",
            "/testsuite",
            "/testsuites",
        ]
    );
    let value = |tag: &str, attribute: &str| {
        let (_, rest) = tag.split_once(&format!(" {attribute}=\"")).unwrap();
        let (value, _) = rest.split_once('"').unwrap();
        // Readers of XML take white space in an attribute for spaces, unless it is a reference.
        let value = value.replace(['\t', '\r', '\n'], " ");
        let references = [
            "lt", "<", "gt", ">", "quot", "\"", "apos", "'", "#9", "\t", "#13", "\r", "#10", "\n",
            "amp", "&",
        ];
        let pairs = references.chunks(2);
        pairs.fold(value, |text, pair| {
            text.replace(&format!("&{};", pair[0]), pair[1])
        })
    };
    let expected = "\\u{fffe}\\u{1b}[2J\\u{202e}<a b='&amp;'>\"\t\r\n]]>/rfc9309/1";
    assert_eq!(value(tags[3], "name"), expected);
    assert!(value(tags[2], "name").ends_with("/o'urs & b.toml"));
}

#[test]
fn errors_about_arguments_escape_what_they_quote() {
    for args in [
        &["explain", "\u{202e}R001\u{2028}"][..],
        &["profiles", "a\u{85}b"],
        &["decide", "--agent", "a\u{1b}[31m\u{202e}", "x.warc"],
        &["check", "--nothing\u{200b}"],
    ] {
        let outcome = robots(args);
        assert_eq!(outcome.code, 2, "{args:?}");
        let stderr = &outcome.stderr;
        assert!(stderr.contains("error"), "{args:?}: {stderr}");
        let is_hidden = |c: char| c != '\n' && robots_policy::text::is_unprintable(c);
        assert!(!stderr.contains(is_hidden), "{args:?}: {stderr:?}");
    }
}
