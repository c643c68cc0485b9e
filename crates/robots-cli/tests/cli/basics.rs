//! Verdicts, messages and exit codes of the program, and its behaviour on damaged input.

use crate::program::{command, gzip, json_lines, page, record, response, robots, robots_on};
use serde_json::Value;
use std::path::PathBuf;
use tempfile::TempDir;

const ROBOTS: &[u8] = b"User-agent: *\nDisallow: /private\nAllow: /private/open\n";

/// Returns a folder with one file in it.
fn file(name: &str, bytes: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

/// Runs `robots decide` on an archive.
fn decide(name: &str, archive: &[u8]) -> crate::program::Outcome {
    let (_folder, path) = file(name, archive);
    robots(["decide".as_ref(), path.as_os_str()])
}

#[test]
fn check_reports_the_verdict_by_its_exit_code() {
    for (words, code, message) in [
        ("check - /x", 0, ""),
        ("check - /private", 1, ""),
        ("check - /private/open /x", 0, ""),
        ("check - /x /private", 1, ""),
        ("check -", 2, "expected URLs or paths to check"),
        ("check /nowhere/robots.txt /x", 2, "cannot read"),
        ("check - / --agent ", 2, ""),
        (
            "check - / --dialect altavista",
            2,
            "unknown dialect \"altavista\": expected one of rfc9309, google",
        ),
        ("check - ::::", 2, ""),
        ("check - p", 2, ""),
        ("check - mailto:a@b", 2, ""),
        ("check - ", 2, ""),
    ] {
        let outcome = robots_on(words.split(' '), ROBOTS);
        assert_eq!(outcome.code, code, "{words}: {}", outcome.stderr);
        assert_eq!(outcome.stdout.is_empty(), code == 2, "{words}");
        outcome.assert_stderr_contains(message);
    }
    let wrong = robots_on(["check", "-", "/", "--agent", "Example Bot/1.0"], ROBOTS);
    assert_eq!(wrong.code, 2);
    wrong.assert_stderr_contains("expected a product token");
    wrong.assert_stderr_contains("did you mean \"Example\"?");
    let packed = robots_on(["check", "-", "/private"], &gzip(ROBOTS));
    assert_eq!(packed.code, 1, "gzip is inflated");
}

#[test]
fn check_writes_json() {
    let args = [
        "check",
        "--json",
        "-",
        "https://example.com/private/x",
        "/y",
    ];
    let outcome = robots_on(args, ROBOTS);
    let rows = json_lines(&outcome.stdout);
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["allowed"], false);
    assert_eq!(rows[0]["line"], 2);
    assert_eq!(rows[0]["pattern"], "/private");
    assert_eq!(rows[0]["group"], "*");
    assert_eq!(rows[1]["allowed"], true);
    assert_eq!(rows[1]["reason"], "no_rule_matches");
}

#[test]
fn an_agent_without_a_group_is_reported() {
    let outcome = robots_on(
        ["check", "-", "/x", "--agent", "UnknownBot"],
        b"User-agent: a\nDisallow: /\n",
    );
    assert_eq!(outcome.code, 0);
    assert!(outcome.stdout.contains("no group is for this robot"));
}

#[test]
fn a_robots_txt_that_is_a_page_is_reported() {
    let outcome = robots_on(["check", "-", "/x"], b"<!DOCTYPE html>\n<p>Not found</p>\n");
    assert_eq!(outcome.code, 0);
    outcome.assert_stderr_contains("line 1: this is an HTML page");
    outcome.assert_stderr_contains("line 2: the line is neither a directive nor a comment");
}

#[test]
fn ten_megabytes_on_one_line_are_read_with_a_warning() {
    let mut body = b"User-agent: *\nDisallow: /".to_vec();
    body.resize(10 * 1024 * 1024, b'a');
    let outcome = robots_on(["check", "-", "/aaa", "--dialect", "google"], &body);
    // Google reads the first 16,663 bytes of the line: a rule that is longer than the path, so it does not match.
    assert_eq!(outcome.code, 0);
    outcome.assert_stderr_contains("line 2: the line is longer than 16,663 bytes");
    outcome.assert_stderr_contains("larger than 500 KiB");
    assert!(outcome.stderr.len() < 1_000);
    // RFC 9309 reads 500 KiB of the file, and drops the line that is cut.
    let outcome = robots_on(["check", "-", "/aaa"], &body);
    outcome.assert_stderr_contains("reads only the first 500 KiB");
    assert!(outcome.stdout.contains("no rule for this robot matches"));
}

#[test]
fn a_long_line_is_shown_in_part() {
    let mut body = b"User-agent: *\nDisallow: /x # ".to_vec();
    body.resize(400_000, b'a');
    let outcome = robots_on(["check", "-", "/x"], &body);
    assert_eq!(outcome.code, 1);
    assert!(outcome.stdout.contains("Disallow: /x"));
    assert!(outcome.stdout.len() < 2_000, "{}", outcome.stdout.len());
}

#[test]
fn nul_bytes_in_robots_txt_are_reported() {
    let body = b"User-agent: *\nDisallow: /a\0b\n";
    let outcome = robots_on(["check", "-", "/ax", "--dialect", "google"], body);
    assert_eq!(outcome.code, 1, "Google reads up to the NUL");
    outcome.assert_stderr_contains("line 2: the line has a NUL byte");
    let outcome = robots_on(["check", "-", "/ax"], body);
    assert_eq!(outcome.code, 0);
}

#[test]
fn inputs_have_maximum_lengths() {
    const MIB: usize = 1024 * 1024;
    let archive = crate::program::workspace().join("tests/fixtures/crawl.warc.gz");
    // Questions: the text is as long as the limit, or one byte longer.
    for (length, error) in [
        (MIB, "line 1: expected a string in"),
        (MIB + 1, "line 1: longer than 1 MiB"),
    ] {
        let padding = b"x".repeat(length - "{\"a\":\"\"}".len());
        let question = [&b"{\"a\":\""[..], &padding, b"\"}\n{\n"].concat();
        let archive = archive.as_os_str();
        let words = [
            "check".as_ref(),
            "--batch".as_ref(),
            "-".as_ref(),
            "--robots".as_ref(),
        ];
        let outcome = robots_on(words.into_iter().chain([archive]), &question);
        assert_eq!(outcome.code, 2);
        outcome.assert_stderr_contains(error);
        outcome.assert_stderr_contains("line 2: not a JSON object");
        assert_eq!(outcome.stdout.lines().count(), 2);
        // The row of an answer repeats the question, unless that is too long to be read.
        assert_eq!(outcome.stdout.len() > MIB, length == MIB);
    }
    let url = |length: usize| format!("/{}\n", "x".repeat(length - 1));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("robots.txt");
    std::fs::write(&file, "User-agent: *\nDisallow: /y\n").unwrap();
    let file = file.to_str().unwrap();
    let check = |url: &str| robots_on(["check", file, "--urls", "-"], url.as_bytes());
    assert_eq!(check(&url(MIB)).code, 0);
    let long = check(&url(MIB + 1));
    assert_eq!(long.code, 2);
    long.assert_stderr_contains("-: line 1: longer than 1 MiB");
    // Header lines.
    let lines = |length: usize| {
        let start = "X-Robots-Tag: noindex\r\nA: ";
        format!("{start}{}", "x".repeat(length - start.len()))
    };
    assert_eq!(robots_on(["headers", "-"], lines(MIB).as_bytes()).code, 0);
    let long = robots_on(["headers", "-"], lines(MIB + 1).as_bytes());
    assert_eq!((long.code, &*long.stdout), (2, ""));
    long.assert_stderr_contains("-: more than 1 MiB: expected header lines");
}

/// `diff` reports the limit of the dialect, and `diff --text` the limit of the parser.
#[test]
fn a_part_that_is_not_read_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("robots.txt");
    let path = path.to_str().unwrap();
    for (length, limits) in [
        (500 * 1024, [false, false]),
        (500 * 1024 + 1, [true, false]),
        (16 * 1024 * 1024, [true, false]),
        (16 * 1024 * 1024 + 1, [true, true]),
    ] {
        let mut file = b"#23456\n".repeat(length / 7 + 1);
        file.truncate(length);
        std::fs::write(path, file).unwrap();
        let outcome = robots(["diff", path, path]);
        assert_eq!(outcome.code, 0);
        let warning = "rfc9309 reads only the first 500 KiB";
        assert_eq!(outcome.stderr.contains(warning), limits[0], "{length}");
        let outcome = robots(["diff", "--text", path, path]);
        let warning = "only the first 16 MiB are compared";
        assert_eq!(outcome.stderr.contains(warning), limits[1], "{length}");
    }
}

#[test]
fn a_batch_is_answered_in_order() {
    let archive = response(
        "https://a.example/robots.txt",
        "Content-Type: text/plain",
        ROBOTS,
    );
    let (_folder, path) = file("robots.warc.gz", &gzip(&archive));
    let questions = concat!(
        "{\"n\": 1, \"robots\": \"https://a.example/robots.txt\", \"agent\": \"x\", \"url\": \"https://a.example/private\"}\n",
        "\n",
        "{\"n\": 2, \"robots\": \"https://a.example/robots.txt\", \"agent\": \"x\", \"url\": \"https://a.example/\"}\n",
    );
    let batch = |questions: &[u8]| {
        let (_folder, questions) = file("questions.jsonl", questions);
        robots([
            "check".as_ref(),
            "--batch".as_ref(),
            questions.as_os_str(),
            "--robots".as_ref(),
            path.as_os_str(),
        ])
    };
    let expected = concat!(
        "{\"n\":1,\"robots\":\"https://a.example/robots.txt\",\"agent\":\"x\",\"url\":\"https://a.example/private\",\"allowed\":false,\"line\":2}\n",
        "{\"n\":2,\"robots\":\"https://a.example/robots.txt\",\"agent\":\"x\",\"url\":\"https://a.example/\",\"allowed\":true,\"line\":0}\n",
    );
    let plain = batch(questions.as_bytes());
    assert_eq!(
        (plain.code, plain.stdout.as_str()),
        (0, expected),
        "{}",
        plain.stderr
    );
    assert_eq!(batch(&gzip(questions.as_bytes())).stdout, expected);
    // A question without an answer has a row with the error, in its place.
    let again = br#"{"robots":"https://a.example/robots.txt","agent":"x","url":"/","allowed":null,"line":null,"error":"old"}"#;
    let row = &json_lines(&batch(again).stdout)[0];
    assert!(
        row["allowed"].is_boolean() && row.get("error").is_none(),
        "{row}"
    );
    let header = br#"{"robots":"https://a.example/robots.txt","agent":"Mozilla/5.0 (compatible; SomeBot/1.0)","url":"/"}"#;
    assert!(json_lines(&batch(header).stdout)[0]["allowed"].is_boolean());
    for agent in ["", "Some Bot"] {
        let question =
            format!(r#"{{"robots":"https://a.example/robots.txt","agent":"{agent}","url":"/"}}"#);
        let outcome = batch(question.as_bytes());
        assert_eq!(outcome.code, 2);
        outcome.assert_stderr_contains("\"agent\": expected a product token");
    }
    let broken = batch(b"{\"robots\": \"https://b.example/robots.txt\", \"agent\": \"x\", \"url\": \"/\"}\nnonsense\n");
    assert_eq!(broken.code, 2);
    let rows = json_lines(&broken.stdout);
    assert_eq!(rows[0]["allowed"], Value::Null);
    let error = rows[0]["error"].as_str().unwrap();
    assert_eq!(
        error,
        "line 1: no response for https://b.example/robots.txt in the archives"
    );
    assert!(
        rows[1]["error"]
            .as_str()
            .unwrap()
            .starts_with("line 2: not a JSON object")
    );
    broken.assert_stderr_contains("2 questions without an answer");
}

#[test]
fn pages_are_decided_by_the_robots_txt_of_their_origin() {
    let archive = [
        page("https://a.example/private", "<p>"),
        page(
            "https://b.example/private",
            "<meta name=robots content=noindex>",
        ),
        response(
            "https://a.example/robots.txt",
            "Content-Type: text/plain",
            ROBOTS,
        ),
        response(
            "https://a.example/a.pdf",
            "Content-Type: application/pdf\r\nX-Robots-Tag: noindex",
            b"%PDF",
        ),
    ]
    .concat();
    let outcome = decide("crawl.warc", &archive);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(
        outcome.stdout,
        "\
fetch     index     follow   archive  url
disallow  url_only  unknown  no       https://a.example/private  (robots.txt line 2: Disallow: /private (group of *))
unknown   no        yes      yes      https://b.example/private  (META at byte 0: noindex)
"
    );
    assert_eq!(
        outcome.stderr,
        "\
2 pages decided for *
  fetch    disallow 1, unknown 1
  index    no 1, url_only 1
  follow   yes 1, unknown 1
  archive  yes 1, no 1
1 page without a known robots.txt
1 record skipped: not HTML
1 record skipped: robots.txt itself
"
    );
    let (_folder, path) = file("crawl.warc", &archive);
    let all = robots([
        "decide".as_ref(),
        "--json".as_ref(),
        "--all-types".as_ref(),
        path.as_os_str(),
    ]);
    let pdf: Value = serde_json::from_str(all.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(pdf["url"], "https://a.example/a.pdf");
    assert_eq!(pdf["index"], "no");
    assert_eq!(pdf["reasons"][1]["source"], "header");
}

#[test]
fn every_format_has_every_page() {
    let archive = "tests/fixtures/crawl.warc.gz";
    let lines = |args: &[&str]| {
        robots([&["decide", archive], args].concat())
            .stdout
            .lines()
            .count()
    };
    let pages = lines(&["--json"]);
    assert_eq!(lines(&["--format", "jsonl"]), pages);
    assert_eq!(lines(&["--format", "csv"]), pages + 1);
    assert_eq!(lines(&["--format", "table"]), pages + 1);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.csv");
    let outcome = command(&format!(
        "decide {archive} --format csv -o {}",
        path.display()
    ));
    assert_eq!(outcome.stdout, "");
    let written = std::fs::read_to_string(path).unwrap();
    assert_eq!(written.lines().count(), pages + 1);
}

#[test]
fn a_folder_of_saved_pages_is_decided() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("private")).unwrap();
    std::fs::write(folder.path().join("robots.txt"), ROBOTS).unwrap();
    std::fs::write(
        folder.path().join("index.html"),
        "<meta name=robots content=none>",
    )
    .unwrap();
    std::fs::write(folder.path().join("private/a b.htm"), "<p>").unwrap();
    std::fs::write(folder.path().join("notes.txt"), "no page").unwrap();
    let path = folder.path().to_str().unwrap();
    let outcome = robots(["decide", "--base", "https://a.example/", path]);
    assert_eq!(
        outcome.stdout,
        "\
fetch     index     follow   archive  url
allow     no        no       yes      https://a.example/index.html  (META at byte 0: none)
disallow  url_only  unknown  no       https://a.example/private/a%20b.htm  (robots.txt line 2: Disallow: /private (group of *))
"
    );
    let one = folder.path().join("index.html");
    let outcome = robots(["decide", one.to_str().unwrap()]);
    assert_eq!(outcome.stdout.lines().count(), 2, "{}", outcome.stderr);
    let empty = tempfile::tempdir().unwrap();
    let outcome = robots(["decide", empty.path().to_str().unwrap()]);
    assert_eq!(outcome.code, 2);
    outcome.assert_stderr_contains("no .html files in this folder");
}

#[test]
fn a_file_that_is_not_an_archive_is_left_out() {
    let outcome = decide("notes.warc", b"just some text\n");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    outcome.assert_stderr_contains("notes.warc: neither a WARC nor an ARC file");
    outcome.assert_stderr_contains("1 input left out");
    assert_eq!(decide("empty.warc", b"").code, 2);
    assert_eq!(decide("junk.warc.gz", &gzip(b"junk")).code, 2);
}

#[test]
fn an_unreadable_file_does_not_stop_the_run() {
    let (_folder, path) = file("a.warc", &page("https://a.example/", "<p>"));
    let outcome = robots(["decide", "/nowhere/b.warc", path.to_str().unwrap()]);
    assert_eq!(outcome.code, 2);
    outcome.assert_stderr_contains("cannot read /nowhere/b.warc");
    assert_eq!(outcome.stdout.lines().count(), 2);
    let outcome = robots(["decide", "/nowhere/b.warc"]);
    assert_eq!(outcome.code, 2);
}

#[test]
fn a_truncated_record_is_decided_if_its_head_is_complete() {
    let whole = page("https://a.example/", "<title>a</title><body><p>text");
    // The cut is in BODY.
    let outcome = decide("a.warc", &whole[..whole.len() - 8]);
    assert_eq!(outcome.code, 0);
    assert_eq!(outcome.stdout.lines().count(), 2);
    outcome.assert_stderr_contains("at byte 0: the record states");
    let cut = page(
        "https://a.example/",
        "<title>a</title><meta name=robots content=noindex>",
    );
    // The cut is in the META.
    let outcome = decide("a.warc", &cut[..cut.len() - 12]);
    assert_eq!(outcome.code, 0);
    outcome.assert_stdout_contains("unknown   unknown");
    outcome.assert_stderr_contains(
        "cut before the end of its HEAD; only what is forbidden is decided",
    );
}

#[test]
fn repeated_warnings_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc");
    let broken = b"WARC/1.0\r\nWARC-Type: response\r\n\r\n\r\n\r\n".repeat(500);
    std::fs::write(&path, [page("https://a.example/", "<p>"), broken].concat()).unwrap();
    let path = path.to_str().unwrap();
    let lines = |words: &[&str]| {
        let outcome = robots([&["decide", path], words].concat());
        assert_eq!(outcome.code, 0, "{}", outcome.stderr);
        let lines = outcome.stderr.lines();
        let warnings: Vec<_> = lines.filter(|line| line.starts_with("warning:")).collect();
        (warnings.len(), warnings.last().map(|&line| line.to_owned()))
    };
    let (count, last) = lines(&[]);
    let hidden = "warning: 490 more warnings about damaged records; --verbose shows them";
    // Ten warnings, and the number of the others.
    assert_eq!((count, last.as_deref()), (11, Some(hidden)));
    assert_eq!(lines(&["--verbose"]).0, 500);
}

#[test]
fn repeated_warnings_about_responses_are_counted_by_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("a.warc");
    let head = "WARC-Type: response\r\nWARC-Target-URI: https://a.example/";
    let junk = format!("WARC/1.0\r\n{head}\r\nContent-Length: 4\r\n\r\njunk\r\n\r\n");
    let junk = junk.repeat(15).into_bytes();
    std::fs::write(&archive, [page("https://a.example/", "<p>"), junk].concat()).unwrap();
    let path = archive.to_str().unwrap();
    let commands: [&[&str]; 3] = [
        &["meta", path],
        &["lint", "--meta", path],
        &["survey", path],
    ];
    for command in commands {
        let warnings = |words: &[&str]| {
            let outcome = robots([words, command].concat());
            let lines = outcome.stderr.lines();
            let warnings: Vec<_> = lines.filter(|line| line.starts_with("warning:")).collect();
            (warnings.len(), warnings.last().map(|&line| line.to_owned()))
        };
        let (count, last) = warnings(&[]);
        let hidden =
            "warning: 5 more warnings about responses that are not HTTP; --verbose shows them";
        // Ten warnings, and the number of the others.
        assert_eq!((count, last.as_deref()), (11, Some(hidden)), "{command:?}");
        assert_eq!(warnings(&["--verbose"]).0, 15, "{command:?}");
    }
}

#[test]
fn header_lines_with_control_characters_count() {
    for headers in [
        "X-Robots-Tag: noindex\x0B",
        "X-Robots-Tag: noindex\x7F",
        "X-Robots-Tag: \x01noindex",
        "X-Robots-Tag: noindex\x1B, nofollow",
        "X-Robots-Tag\x1B: noindex",
        "X-Robots-Tag: nofollow,\r\n\x0B noindex",
    ] {
        let lines = format!("Content-Type: text/html\r\n{headers}");
        let archive = response("https://a.example/", &lines, b"<title>a</title>");
        let outcome = decide("a.warc", &archive);
        let row = outcome.stdout.lines().last().unwrap_or_default();
        assert!(row.contains(" no "), "{headers:?}: {row}");
        let path = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&path, &lines).unwrap();
        let shown = robots(["headers", path.path().to_str().unwrap()]);
        assert_eq!(shown.code, 0, "{}", shown.stderr);
        assert!(shown.stdout.contains("noindex"), "{}", shown.stdout);
    }
}

#[test]
fn header_lines_past_their_limit_make_a_page_unknown() {
    // 18 kB of header lines are read whole, 1.2 MB are not.
    let many = "A: b\r\n".repeat(3_000);
    let lines = format!("{many}Content-Type: text/html\r\nX-Robots-Tag: noindex");
    let archive = response("https://a.example/", &lines, b"<title>a</title>");
    let outcome = decide("a.warc", &archive);
    let row = outcome.stdout.lines().last().unwrap_or_default();
    assert!(row.contains(" no "), "{row}");
    let more = "A: b\r\n".repeat(200_000);
    let lines = format!("Content-Type: text/html\r\n{more}X-Robots-Tag: noindex");
    let archive = response("https://a.example/", &lines, b"<title>a</title><body>");
    let outcome = decide("a.warc", &archive);
    let row = outcome.stdout.lines().last().unwrap_or_default();
    assert!(row.contains(" unknown "), "{row}");
    outcome.assert_stderr_contains("the header lines are larger than 1 MiB; their start was read");
}

/// The tests of robots-archive have every kind of damage.
#[test]
fn damage_is_reported_and_costs_no_other_page() {
    let pages = [0, 1, 2].map(|number| {
        let html = format!("<title>{number}</title><p>{}", "x".repeat(2_000));
        page(&format!("https://a.example/{number}"), &html)
    });
    let [one, two, three] = pages.each_ref().map(Vec::as_slice);
    let members = pages.each_ref().map(|page| gzip(page));
    let last = members[0].len() + members[1].len();
    let whole = members.concat();
    let mut corrupt = members.clone();
    let middle = corrupt[1].len() / 2;
    corrupt[1][middle] ^= 0xFF;
    corrupt[1][middle + 1] ^= 0xFF;
    let mut headless = whole.clone();
    headless[0] = 0;
    let in_small_members: Vec<u8> = pages.concat().chunks(31).flat_map(gzip).collect();
    let wrong_length = |length: &str| {
        let record = String::from_utf8(two.to_vec()).unwrap();
        let (start, end) = record.split_once("Content-Length: ").unwrap();
        let (_, end) = end.split_once("\r\n").unwrap();
        format!("{start}Content-Length: {length}\r\n{end}").into_bytes()
    };
    let garbage = b"some\nlines of\ngarbage\n";
    let no_length = b"WARC/1.0\r\nWARC-Type: response\r\n\r\n";
    let arc = |length: usize| {
        let block = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>";
        format!("http://a.example/ 1.2.3.4 20260101000000 text/html {length}\n{block}\n")
    };
    let arcs = [arc(47), arc(9_999), arc(47)].concat();
    let truncated = format!("a.warc.gz: at byte {last}: truncated gzip member");
    let in_second = format!("at byte {}: corrupt gzip member", members[0].len());
    for (name, archive, pages, messages) in [
        // The HEAD of the last page was read, and in the next archive not even the header of its record.
        (
            "a.warc.gz",
            whole[..whole.len() - 10].to_vec(),
            3,
            &[&*truncated][..],
        ),
        ("a.warc.gz", whole[..last + 30].to_vec(), 2, &[&*truncated]),
        // The URL of the second page is damaged, too.
        ("a.warc.gz", corrupt.concat(), 3, &[&*in_second]),
        (
            "a.warc.gz",
            [&members[0], &garbage[..], &members[1]].concat(),
            2,
            &["not a gzip member"],
        ),
        (
            "a.warc.gz",
            headless,
            2,
            &["reading begins at the next whole one"],
        ),
        ("a.warc.gz", in_small_members, 3, &[]),
        (
            "a.warc",
            [one, garbage, two, no_length, three].concat(),
            3,
            &[
                "no record begins here; 22 bytes skipped",
                "does not state its length",
                "2 broken places in the inputs",
            ],
        ),
        (
            "a.warc",
            [b"junk\n", one].concat(),
            1,
            &["at byte 0: no record begins here; 5 bytes skipped"],
        ),
        (
            "a.warc",
            [one, &wrong_length("99999999"), three].concat(),
            3,
            &["the record states 99999999 bytes, but the next record begins earlier"],
        ),
        (
            "a.warc.gz",
            gzip(&[one, &wrong_length("9999"), three].concat()),
            3,
            &["1 broken place in"],
        ),
        ("a.arc", arcs.into_bytes(), 3, &["1 broken place in"]),
    ] {
        let outcome = decide(name, &archive);
        assert_eq!(
            (outcome.code, outcome.stdout.lines().count()),
            (0, 1 + pages),
            "{messages:?}: {}",
            outcome.stderr
        );
        for message in messages {
            outcome.assert_stderr_contains(message);
        }
    }
}

/// With a length that is too short, the rest is skipped: 90 bytes end in the META, so the page is incomplete.
#[test]
fn a_page_that_a_wrong_length_cuts_is_incomplete() {
    let html = "<title>a</title><meta name=robots content=noindex><body>";
    let record = String::from_utf8(page("https://a.example/1", html)).unwrap();
    let length = record.split_once("Content-Length: ").unwrap().1;
    let length = length.split_once("\r\n").unwrap().0;
    let short = record.replace(&format!("Length: {length}"), "Length: 90");
    let next = page("https://a.example/2", "<p>");
    let outcome = decide("a.warc", &[short.as_bytes(), &next].concat());
    assert_eq!(outcome.stdout.lines().count(), 1 + 2, "{}", outcome.stderr);
    outcome.assert_stdout_contains("unknown   unknown");
}

#[test]
fn the_truncation_header_of_a_record_is_honoured() {
    let html = "<title>a</title><meta name=robots content=noindex>";
    let record = String::from_utf8(page("https://a.example/", html)).unwrap();
    let cut = record.replace("WARC-Date", "WARC-Truncated: length\r\nWARC-Date");
    let outcome = decide("a.warc", cut.as_bytes());
    outcome.assert_stdout_contains("unknown   no");
    // Whether a page that was cut in its HEAD may be indexed is not known. A record in segments is cut, too: its other segments are not read.
    let start = String::from_utf8(page("https://a.example/", "<title>a")).unwrap();
    for (field, expected) in [
        ("WARC-Other: 1", "unknown   yes"),
        ("WARC-Truncated: length", "unknown   unknown"),
        ("WARC-Segment-Number: 1", "unknown   unknown"),
    ] {
        let record = start.replace("WARC-Date", &format!("{field}\r\nWARC-Date"));
        let outcome = decide("a.warc", record.as_bytes());
        outcome.assert_stdout_contains(expected);
    }
    let short = response(
        "https://a.example/",
        "Content-Type: text/html\r\nContent-Length: 500",
        html.as_bytes(),
    );
    let outcome = decide("a.warc", &short);
    outcome.assert_stdout_contains("unknown   no");
    outcome.assert_stderr_contains("the body is shorter than its Content-Length");
}

#[test]
fn an_input_is_not_overwritten() {
    let record = page("https://a.example/", "<p>");
    let (_folder, path) = file("a.warc", &record);
    let path = path.to_str().unwrap();
    let outcome = robots(["decide", path, "--json", "-o", path]);
    assert_eq!(outcome.code, 2);
    outcome.assert_stderr_contains("is an input; nothing was written");
    assert_eq!(std::fs::read(path).unwrap(), record);
    let (folder, page) = file("a.html", b"<p>");
    let folder = folder.path().to_str().unwrap();
    let outcome = robots(["decide", folder, "--json", "-o", page.to_str().unwrap()]);
    assert_eq!(outcome.code, 2);
    assert_eq!(std::fs::read(page).unwrap(), b"<p>");
}

#[test]
fn errors_in_robots_txt_are_reported() {
    let robots_url = "https://a.example/robots.txt";
    let with_page = |robots: Vec<u8>| {
        let archive = [robots, page("https://a.example/", "<p>")].concat();
        decide("a.warc", &archive)
    };
    let html = with_page(response(
        robots_url,
        "Content-Type: text/html",
        b"<!doctype html>",
    ));
    html.assert_stderr_contains("this robots.txt looks like an HTML page");
    assert!(html.stdout.contains("allow     yes"));
    let zstd = response(robots_url, "Content-Encoding: zstd", b"\x28\xB5\x2F\xFD");
    let unread = with_page(zstd);
    unread.assert_stderr_contains("unknown content-encoding; not read");
    assert!(unread.stdout.contains("unknown   yes"), "{}", unread.stdout);
    let cut = with_page(response(robots_url, "Content-Length: 99", ROBOTS));
    // The rest may have rules for any path.
    cut.assert_stderr_contains("robots.txt is not whole, so its rules are not known");
    assert!(cut.stdout.contains("unknown   yes"), "{}", cut.stdout);
    // A robot reads the first 500 KiB, and these are there.
    let long = [ROBOTS, &b"#".repeat(500 << 10)].concat();
    let cut = with_page(response(robots_url, "Content-Length: 999999", &long));
    assert!(!cut.stderr.contains("is not whole"), "{}", cut.stderr);
    assert!(cut.stdout.contains("allow     yes"), "{}", cut.stdout);
}

#[test]
fn control_characters_of_a_page_are_escaped() {
    let outcome = decide("a.warc", &page("https://[a\u{1b}[2J/", "<p>"));
    assert!(!outcome.stdout.contains('\u{1b}'));
    assert!(!outcome.stderr.contains('\u{1b}'));
    let outcome = robots_on(["meta", "-"], b"<title>a\x1b[2Jb</title>");
    outcome.assert_stdout_contains("a\\u{1b}[2Jb");
}

#[test]
fn a_page_with_an_invalid_url_is_decided_with_a_warning() {
    let archive = page("https://[not a host/", "<meta name=robots content=noindex>");
    let outcome = decide("a.warc", &archive);
    assert_eq!(outcome.code, 0);
    outcome.assert_stderr_contains("at byte 0: cannot read \"https://[not a host/\" as a URL");
    assert!(outcome.stdout.contains("unknown   no"));
}

#[test]
fn files_that_are_not_html_are_read_with_a_warning() {
    let junk: Vec<u8> = (0..=255).cycle().take(10_000).collect();
    let archive = response("https://a.example/", "Content-Type: text/html", &junk);
    let outcome = decide("a.warc", &archive);
    assert_eq!(outcome.code, 0);
    assert_eq!(outcome.stdout.lines().count(), 2);
    let outcome = robots_on(["meta", "-"], &junk);
    assert_eq!(outcome.code, 0);
    outcome.assert_stderr_contains("has NUL bytes; is this HTML?");
}

#[test]
fn ten_megabytes_of_page_on_one_line_are_read() {
    let html = format!(
        "<title>a</title><style>{}</style><meta name=robots content=noindex>",
        "a".repeat(10 * 1024 * 1024)
    );
    let outcome = decide("a.warc.gz", &gzip(&page("https://a.example/", &html)));
    assert_eq!(outcome.code, 0);
    assert!(outcome.stdout.contains("noindex"));
}

#[test]
fn a_damaged_body_is_reported() {
    let archive = response(
        "https://a.example/",
        "Content-Type: text/html\r\nContent-Encoding: gzip",
        b"<p>plain",
    );
    let outcome = decide("a.warc", &archive);
    outcome.assert_stderr_contains(
        "https://a.example/: the body is not compressed, although its header says so; used as it is",
    );
    assert_eq!(outcome.stdout.lines().count(), 2);
    let record = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\nContent-Length: 4\r\n\r\njunk\r\n\r\n";
    let outcome = decide("a.warc", record);
    outcome.assert_stderr_contains("not an HTTP response; skipped");
    outcome.assert_stderr_contains("1 record skipped: not HTTP");
}

#[test]
fn meta_reads_pages_and_archives() {
    let html = b"<title>T</title><meta name=robots content='noindex, foo'><meta name=revisit-after content='2 week'>";
    let outcome = robots_on(["meta", "-", "--json", "--all"], html);
    let row: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(row["title"], "T");
    assert_eq!(row["revisit_after"], 14.0);
    assert_eq!(row["robots"][0]["offset"], 16);
    assert_eq!(row["robots"][0]["directives"][1]["kind"], "unknown");
    assert_eq!(row["metas"][1]["attributes"][0][1], "revisit-after");
    assert_eq!(row["head_end"]["by"], "end_of_page");
    let outcome = robots(["meta", "tests/fixtures/crawl.warc.gz", "--json"]);
    assert_eq!(outcome.code, 0);
    assert_eq!(outcome.stdout.lines().count(), 26);
    let archive = response(
        "https://a.example/robots.txt",
        "Content-Type: text/plain",
        ROBOTS,
    );
    let outcome = robots_on(["meta", "-"], &archive);
    assert_eq!(outcome.code, 2);
    outcome.assert_stderr_contains("no HTML page in this archive");
}

/// Runs the program with a standard output that its reader has closed. Returns the exit code; there is no error message.
fn code_with_closed_output(args: &[&str]) -> Option<i32> {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_robots"))
        .args(args)
        .current_dir(crate::program::workspace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(!stderr.contains("error"), "{args:?}: {stderr}");
    output.status.code()
}

#[test]
fn a_closed_output_ends_the_work_without_a_message() {
    let archive = "tests/fixtures/crawl.warc.gz";
    for args in [
        &["decide", "--json", archive][..],
        &["decide", "--format", "csv", archive],
        &["decide", archive],
        &["meta", "--json", archive],
        &["meta", archive],
    ] {
        // As of a program that SIGPIPE ends: the rows after the closed output are missing.
        assert_eq!(code_with_closed_output(args), Some(141), "{args:?}");
    }
}

#[test]
fn a_closed_output_does_not_change_what_was_found() {
    let site = "tests/fixtures/sites/marys-antiques";
    let robots = &format!("{site}/robots.txt");
    let page = &format!("{site}/pages/catalogue/chairs.html");
    let private = "http://www.marys-antiques.com/private/x";
    let base = "http://www.marys-antiques.com/x";
    let junk = "tests/fixtures/robots";
    for (args, code) in [
        (&["check", robots, private][..], 1),
        (&["check", robots, "/"], 0),
        (
            &[
                "diff",
                robots,
                "tests/fixtures/sites/joes-hardware/robots.txt",
            ],
            1,
        ),
        (&["diff", "--text", robots, robots], 0),
        (&["lint", junk], 1),
        (&["lint", "--statistics", junk], 1),
        (
            &[
                "why", page, "--base", base, "--robots", robots, "--expect", "index",
            ],
            1,
        ),
    ] {
        assert_eq!(crate::program::robots(args).code, code, "{args:?}");
        assert_eq!(code_with_closed_output(args), Some(code), "{args:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_full_output_is_an_error_of_help_too() {
    use std::fs::File;
    use std::process::Command;
    for args in [&["--help"][..], &["--version"], &["check", "--help"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_robots"))
            .args(args)
            .stdout(File::create("/dev/full").unwrap())
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(
            stderr.contains("cannot write to standard output"),
            "{stderr}"
        );
    }
}

#[test]
fn colours_are_written_on_request() {
    let plain = robots_on(["check", "-", "/private"], ROBOTS).stdout;
    assert!(!plain.contains('\u{1b}'));
    let coloured = robots_on(["check", "-", "/private", "--color", "always"], ROBOTS).stdout;
    assert!(coloured.contains('\u{1b}'));
}

#[test]
fn digests_are_verified_on_request() {
    let page = |block: &str, payload: &str| {
        let record = String::from_utf8(page("http://a.example/", "<p>")).unwrap();
        let digests = format!(
            "WARC-Block-Digest: sha1:{block}\r\nWARC-Payload-Digest: sha1:{payload}\r\nContent-Length"
        );
        record.replacen("Content-Length", &digests, 1).into_bytes()
    };
    // SHA-1 of the block, of its body, and of "x".
    let block = "18520136f45fd4db0169c7d7db461fdd2b4b72a7";
    let payload = "63ada55c0ba212a5b1f8d5a70890788f00972bf4";
    let other = "11f6ad8ec52a2984abaafd7c3b516503785c2072";
    let (_folder, path) = file("a.warc", &page(block, payload));
    let right = robots(["decide", "--verify-digests", path.to_str().unwrap()]);
    assert!(!right.stderr.contains("digest"), "{}", right.stderr);
    let archive = page(other, other);
    let (_folder, path) = file("a.warc", &archive);
    let path = path.to_str().unwrap();
    let silent = robots(["decide", path]);
    assert!(!silent.stderr.contains("digest"), "{}", silent.stderr);
    let verified = robots(["decide", "--verify-digests", path]);
    assert_eq!(verified.stdout, silent.stdout);
    for warning in [
        "the digest of the block differs",
        "the digest of the payload differs",
        "2 broken places",
    ] {
        verified.assert_stderr_contains(warning);
    }
}

#[test]
fn gzip_in_gzip_is_reported() {
    let archive = gzip(&gzip(&page("http://a.example/", "<p>")));
    let (_folder, path) = file("a.warc.gz.gz", &archive);
    let outcome = robots(["decide", path.to_str().unwrap()]);
    assert_eq!(outcome.code, 2);
    outcome.assert_stderr_contains("gzip in gzip");
}

#[test]
fn standard_input_is_not_a_file_of_that_name() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("-"), page("http://file.example/", "<p>")).unwrap();
    let stdin = folder.path().join("stdin");
    std::fs::write(&stdin, page("http://stdin.example/", "<p>")).unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_robots"))
        .args(["decide", "--json", "-"])
        .current_dir(folder.path())
        .stdin(std::fs::File::open(stdin).unwrap())
        .output()
        .unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(stdout.contains("http://stdin.example/"), "{stdout}");
    assert!(!stdout.contains("http://file.example/"), "{stdout}");
}

#[test]
fn an_unreadable_robots_txt_ends_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("crawl.warc"), page("https://a.example/x", "<p>")).unwrap();
    std::fs::write(path("robots.txt"), b"User-agent: *\nDisallow: /x\n").unwrap();
    std::fs::write(path("robots.warc.gz"), b"").unwrap();
    std::fs::create_dir(path("empty")).unwrap();
    let run = |robots_txt: &str, base: &[&str]| {
        let words = ["decide", "--json", "--robots", robots_txt];
        let crawl = path("crawl.warc");
        robots([&words[..], base, &[crawl.as_str()]].concat())
    };
    let base = ["--base", "https://a.example/"];
    for (robots_txt, base, message) in [
        ("nope.warc.gz", &[][..], "cannot read"),
        ("robots.txt", &[], "a base URL must name the site"),
        ("robots.warc.gz", &base, "neither a WARC nor an ARC file"),
        ("empty", &base, "no robots.txt in this folder"),
    ] {
        let outcome = run(&path(robots_txt), base);
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (2, ""),
            "{robots_txt}"
        );
        outcome.assert_stderr_contains(message);
    }
}

#[test]
fn robots_txt_files_decide_for_the_base_or_the_host_of_their_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let pages = [
        page("https://a.example/x", "<p>"),
        page("http://b.example/x", "<p>"),
    ];
    std::fs::write(path("crawl.warc"), pages.concat()).unwrap();
    std::fs::create_dir_all(path("sites/b.example")).unwrap();
    let rules = b"User-agent: *\nDisallow: /x\n";
    std::fs::write(path("robots.txt"), rules).unwrap();
    std::fs::write(path("sites/b.example/robots.txt"), rules).unwrap();
    let fetch = |words: &[&str]| {
        let crawl = path("crawl.warc");
        let outcome = robots([&["decide", "--json"], words, &[crawl.as_str()]].concat());
        assert_eq!(outcome.code, 0, "{}", outcome.stderr);
        let rows = outcome.stdout.lines().map(|line| {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            row["fetch"].as_str().unwrap().to_owned()
        });
        rows.collect::<Vec<_>>()
    };
    let base = "https://a.example/";
    assert_eq!(
        fetch(&["--robots", &path("robots.txt"), "--base", base]),
        ["disallow", "unknown"]
    );
    assert_eq!(
        fetch(&["--robots", &path("sites")]),
        ["unknown", "disallow"]
    );
}

#[test]
fn a_fault_at_the_target_of_a_redirect_decides_as_one_at_the_robots_txt() {
    let fault = |url: &str| {
        let block = "robots-fault: broken\r\n";
        format!(
            "WARC/1.0\r\nWARC-Type: metadata\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-11-20T00:00:00Z\r\n\
             Content-Type: application/warc-fields\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        )
        .into_bytes()
    };
    let redirect = record(
        "http://a.example/robots.txt",
        "HTTP/1.1 302 X\r\nLocation: /r\r\n\r\n",
        b"",
    );
    let robots_txt = [
        fault("http://b.example/robots.txt"),
        redirect,
        fault("http://a.example/r"),
    ]
    .concat();
    let pages = ["a", "b"].map(|host| page(&format!("http://{host}.example/x"), "<p>"));
    let (_folder, archive) = file("r.warc", &[&robots_txt[..], &pages.concat()].concat());
    let (_other, alone) = file("robots.warc", &robots_txt);
    let (_pages, pages) = file("p.warc", &pages.concat());
    let fields = ["--format", "csv", "--fields", "fetch,index"];
    let path = |path: &std::path::Path| path.to_str().unwrap().to_owned();
    let (archive, alone, pages) = (path(&archive), path(&alone), path(&pages));
    for inputs in [&[&*archive][..], &[&pages, "--robots", &alone]] {
        let args = ["decide"].iter().chain(inputs).chain(&fields);
        let outcome = robots(args);
        assert_eq!(
            outcome.stdout,
            "fetch,index\ndisallow,url_only\ndisallow,url_only\n"
        );
    }
}

/// Yandex reads only text. Of several types, the last valid one counts.
#[test]
fn the_last_valid_type_of_an_archived_robots_txt_counts() {
    let body = b"User-agent: *\nDisallow: /private\n";
    for (types, is_text) in [
        ("Content-Type: text/html\r\nContent-Type: text/plain", true),
        ("Content-Type: text/plain\r\nContent-Type: text/html", false),
        ("Content-Type: text/plain\r\nContent-Type: nonsense", true),
        ("Content-Type: text/html\r\nContent-Type: */*", false),
        ("Content-Type: text/html, text/plain; charset=x", true),
        ("A: b", true),
    ] {
        let archive = [
            response("http://a.example/robots.txt", types, body),
            page("http://a.example/private", "<title>a</title>"),
        ]
        .concat();
        let words = "decide -p yandex --format csv --fields fetch -".split(' ');
        let decided = robots_on(words, &archive);
        let fetch = if is_text { "disallow" } else { "allow" };
        assert_eq!(decided.stdout.lines().nth(1), Some(fetch), "{types}");
    }
}
