//! Verdicts, messages and exit codes of the program, and its behaviour on damaged input.

use crate::program::{
    Folder, command, command_on, gzip, output_in, page, plain_text, response, robots, robots_on,
};
use serde_json::Value;

const ROBOTS: &[u8] = b"User-agent: *\nDisallow: /private\nAllow: /private/open\n";

/// Returns a folder with one file in it, and the path of the file.
fn file(name: &str, bytes: &[u8]) -> (Folder, String) {
    let folder = Folder::new();
    let path = folder.file(name, bytes);
    (folder, path)
}

/// Runs `robots decide` on an archive.
fn decide(name: &str, archive: &[u8]) -> crate::program::Outcome {
    let (_folder, path) = file(name, archive);
    robots(["decide", &path])
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
    wrong.assert_error("expected a product token");
    wrong.assert_stderr_contains("did you mean \"Example\"?");
    let packed = robots_on(["check", "-", "/private"], &gzip(ROBOTS));
    assert_eq!(
        packed.code, 0,
        "gzip without a name that says so is not text"
    );
    packed.assert_stderr_contains("gzip, not text");
}

#[test]
fn a_long_line_is_shown_in_part() {
    let mut body = b"User-agent: *\nDisallow: /x # ".to_vec();
    body.resize(400_000, b'a');
    let outcome = robots_on(["check", "-", "/x"], &body);
    assert_eq!(outcome.code, 1);
    outcome.assert_stdout_contains("Disallow: /x");
    assert!(outcome.stdout.len() < 2_000, "{}", outcome.stdout.len());
}

#[test]
fn inputs_have_maximum_lengths() {
    const MIB: usize = 1024 * 1024;
    // Questions: the text is as long as the limit, or one byte longer.
    for (length, error) in [
        (MIB, "line 1: expected a string in"),
        (MIB + 1, "line 1: longer than 1 MiB"),
    ] {
        let padding = b"x".repeat(length - "{\"a\":\"\"}".len());
        let question = [&b"{\"a\":\""[..], &padding, b"\"}\n{\n"].concat();
        let line = "check --batch - --robots tests/fixtures/crawl.warc.gz";
        let outcome = command_on(line, &question);
        outcome.assert_error(error);
        outcome.assert_stderr_contains("line 2: not a JSON object");
        assert_eq!(outcome.stdout.lines().count(), 2);
        // The row of an answer repeats the question, unless that is too long to be read.
        assert_eq!(outcome.stdout.len() > MIB, length == MIB);
    }
    let url = |length: usize| format!("/{}\n", "x".repeat(length - 1));
    let folder = Folder::new();
    let file = &*folder.file("robots.txt", "User-agent: *\nDisallow: /y\n");
    let check = |url: &str| robots_on(["check", file, "--urls", "-"], url.as_bytes());
    assert_eq!(check(&url(MIB)).code, 0);
    let long = check(&url(MIB + 1));
    long.assert_error("-: line 1: longer than 1 MiB");
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
    let folder = Folder::new();
    let path = &*folder.path("robots.txt");
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
    let archive = plain_text("https://a.example/robots.txt", ROBOTS);
    let (_folder, path) = file("robots.warc.gz", &gzip(&archive));
    let questions = concat!(
        "{\"n\": 1, \"robots\": \"https://a.example/robots.txt\", \"agent\": \"x\", \"url\": \"https://a.example/private\"}\n",
        "\n",
        "{\"n\": 2, \"robots\": \"https://a.example/robots.txt\", \"agent\": \"x\", \"url\": \"https://a.example/\"}\n",
    );
    let batch = |questions: &[u8]| {
        let (_folder, questions) = file("questions.jsonl", questions);
        command(&format!("check --batch {questions} --robots {path}"))
    };
    let expected = concat!(
        "{\"n\":1,\"robots\":\"https://a.example/robots.txt\",\"agent\":\"x\",\"url\":\"https://a.example/private\",\"profile\":\"neutral\",\"allowed\":false,\"line\":2}\n",
        "{\"n\":2,\"robots\":\"https://a.example/robots.txt\",\"agent\":\"x\",\"url\":\"https://a.example/\",\"profile\":\"neutral\",\"allowed\":true,\"line\":0}\n",
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
    let row = &batch(again).rows()[0];
    assert!(
        row["allowed"].is_boolean() && row.get("error").is_none(),
        "{row}"
    );
    let header = br#"{"robots":"https://a.example/robots.txt","agent":"Mozilla/5.0 (compatible; SomeBot/1.0)","url":"/"}"#;
    assert!(batch(header).rows()[0]["allowed"].is_boolean());
    for agent in ["", "Some Bot"] {
        let question =
            format!(r#"{{"robots":"https://a.example/robots.txt","agent":"{agent}","url":"/"}}"#);
        let outcome = batch(question.as_bytes());
        outcome.assert_error("\"agent\": expected a product token");
    }
    let broken = batch(b"{\"robots\": \"https://b.example/robots.txt\", \"agent\": \"x\", \"url\": \"/\"}\nnonsense\n");
    assert_eq!(broken.code, 2);
    let rows = broken.rows();
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
        plain_text("https://a.example/robots.txt", ROBOTS),
        response(
            "https://a.example/a.pdf",
            "Content-Type: application/pdf\r\nX-Robots-Tag: noindex",
            b"%PDF",
        ),
    ]
    .concat();
    let outcome = decide("crawl.warc", &archive);
    outcome.assert_success();
    assert_eq!(
        outcome.stdout,
        "\
fetch     index     follow   archive  train    url
disallow  url_only  unknown  no       no       https://a.example/private  (robots.txt line 2: Disallow: /private (group of *))
unknown   no        unknown  unknown  unknown  https://b.example/private  (META at byte 0: noindex)
"
    );
    assert_eq!(
        outcome.stderr,
        "\
2 pages decided for *
  fetch    disallow 1, unknown 1
  index    no 1, url_only 1
  follow   unknown 2
  archive  no 1, unknown 1
  train    no 1, unknown 1
1 page without a known robots.txt
1 record skipped: not HTML
1 record skipped: robots.txt itself
"
    );
    let (_folder, path) = file("crawl.warc", &archive);
    let pdf = &command(&format!("decide --json --all-types {path}")).rows()[2];
    assert_eq!(pdf["url"], "https://a.example/a.pdf");
    assert_eq!(pdf["index"], "no");
    assert_eq!(pdf["reasons"][1]["source"], "header");
}

#[test]
fn the_summary_counts_what_was_written() {
    let folder = Folder::new();
    folder.file("robots.txt", "User-agent: GPTBot\nDisallow: /private\n");
    folder.file("index.html", "<p>");
    folder.file("noai.html", "<meta name=robots content=noai>");
    folder.file("private/a.html", "<p>");
    let decide = |options: &str| {
        let root = folder.root().to_str().unwrap();
        let summary = folder.path("summary.json");
        let outcome = command(&format!(
            "decide --base https://a.example/ --summary {summary} {options} {root}"
        ));
        outcome.assert_success();
        let summary = std::fs::read(summary).unwrap();
        let summary: serde_json::Value = serde_json::from_slice(&summary).unwrap();
        (outcome, summary["robots"][0].clone())
    };
    for (options, written, train) in [
        ("--only trainable", 2, "yes 2, no 1"),
        ("--only not-trainable", 1, "yes 2, no 1"),
        ("--only not-trainable --agent GPTBot", 2, "yes 1, no 2"),
        (
            "--only trainable --profile any-ai-trainer",
            1,
            "yes 1, no 2",
        ),
        ("--only trainable,not-trainable", 3, "yes 2, no 1"),
    ] {
        let (outcome, robot) = decide(options);
        assert_eq!(outcome.stdout.lines().count(), written + 1, "{options}");
        outcome.assert_stderr_contains(&format!("\n  {written} of 3 written\n"));
        outcome.assert_stderr_contains(&format!("\n  train    {train}\n"));
        assert_eq!(robot["written"], written, "{options}");
        let counts = ["yes", "no"].map(|word| format!("{word} {}", robot["train"][word]));
        assert_eq!(counts.join(", "), train);
    }
    let (outcome, robot) =
        decide("--format csv --fields may_train,may_train_reason --agent GPTBot");
    assert_eq!(
        outcome.stdout,
        "may_train,may_train_reason\nyes,\nno,META at byte 0: noai\nno,robots.txt: not to be fetched\n"
    );
    assert!(!outcome.stderr.contains("written"));
    assert_eq!(robot["written"], 3);
}

#[test]
fn a_folder_of_saved_pages_is_decided() {
    let folder = Folder::new();
    folder.file("robots.txt", ROBOTS);
    folder.file("index.html", "<meta name=robots content=none>");
    folder.file("private/a b.htm", "<p>");
    folder.file("notes.txt", "no page");
    let path = folder.root().to_str().unwrap();
    let outcome = robots(["decide", "--base", "https://a.example/", path]);
    assert_eq!(
        outcome.stdout,
        "\
fetch     index     follow   archive  train    url
allow     no        no       yes      yes      https://a.example/index.html  (META at byte 0: none)
disallow  url_only  unknown  no       no       https://a.example/private/a%20b.htm  (robots.txt line 2: Disallow: /private (group of *))
"
    );
    let outcome = robots(["decide", &folder.path("index.html")]);
    assert_eq!(outcome.stdout.lines().count(), 2, "{}", outcome.stderr);
    let outcome = robots(["decide", Folder::new().root().to_str().unwrap()]);
    outcome.assert_error("no .html files and no archives in this folder");
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
    let outcome = robots(["decide", "/nowhere/b.warc", &path]);
    outcome.assert_error("cannot read /nowhere/b.warc");
    assert_eq!(outcome.stdout.lines().count(), 2);
    let outcome = robots(["decide", "/nowhere/b.warc"]);
    assert_eq!(outcome.code, 2);
}

#[test]
fn a_page_that_is_cut_is_decided_as_far_as_its_head_is_known() {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let with =
        |page: &str, field: &str| page.replace("WARC-Date", &format!("{field}\r\nWARC-Date"));
    let url = "https://a.example/";
    let whole = text(page(url, "<title>a</title><body><p>text"));
    let noindex = "<title>a</title><meta name=robots content=noindex>";
    let meta = text(page(url, noindex));
    let start = text(page(url, "<title>a"));
    let headers = "Content-Type: text/html\r\nContent-Length: 500";
    let short = text(response(url, headers, noindex.as_bytes()));
    for (archive, decision, message) in [
        // The cut is in BODY, or in the META.
        (
            &whole[..whole.len() - 8],
            "allow     yes",
            "the record states",
        ),
        (
            &meta[..meta.len() - 12],
            "allow     unknown",
            "cut before the end of its HEAD; only what is forbidden is decided",
        ),
        (&with(&meta, "WARC-Truncated: length"), "allow     no", ""),
        // Whether a page that was cut in its HEAD may be indexed is not known.
        (&with(&start, "WARC-Other: 1"), "allow     yes", ""),
        (
            &with(&start, "WARC-Truncated: length"),
            "allow     unknown",
            "",
        ),
        // The other segments of a record are not read.
        (
            &with(&start, "WARC-Segment-Number: 1"),
            "allow     unknown",
            "",
        ),
        (
            &short,
            "allow     no",
            "the body is shorter than its Content-Length",
        ),
    ] {
        let robots = plain_text("https://a.example/robots.txt", b"User-agent: *\n");
        let outcome = decide("a.warc", &[&robots, archive.as_bytes()].concat());
        assert_eq!(outcome.code, 0, "{archive}");
        outcome.assert_stdout_contains(decision);
        outcome.assert_stderr_contains(message);
    }
}

#[test]
fn repeated_warnings_are_counted_by_every_command() {
    let folder = Folder::new();
    let page = page("https://a.example/", "<p>");
    let broken = b"WARC/1.0\r\nWARC-Type: response\r\n\r\n\r\n\r\n".repeat(500);
    let broken = folder.file("broken.warc", [&page[..], &broken].concat());
    let head = "WARC-Type: response\r\nWARC-Target-URI: https://a.example/";
    let junk = format!("WARC/1.0\r\n{head}\r\nContent-Length: 4\r\n\r\njunk\r\n\r\n");
    let junk = folder.file(
        "junk.warc",
        [&page[..], junk.repeat(15).as_bytes()].concat(),
    );
    let rules = format!("User-agent: *\n{}", "Disallow /x\n".repeat(30));
    let rules = folder.file("robots.txt", rules);
    let not_http = "responses that are not HTTP";
    for (line, warnings, group) in [
        (format!("decide {broken}"), 500, "damaged records"),
        (format!("meta {junk}"), 15, not_http),
        (format!("lint --meta {junk}"), 15, not_http),
        (format!("survey {junk}"), 15, not_http),
        (format!("check {rules} /"), 30, "errors in robots.txt"),
    ] {
        let warnings_of = |line: &str| {
            let outcome = command(line);
            let lines = outcome.stderr.lines();
            let warnings: Vec<_> = lines.filter(|line| line.starts_with("warning:")).collect();
            (warnings.len(), warnings.last().map(|&line| line.to_owned()))
        };
        // Ten warnings, and the number of the others.
        let hidden = warnings - 10;
        let last = format!("warning: {hidden} more warnings about {group}; --verbose shows them");
        assert_eq!(warnings_of(&line), (11, Some(last)), "{line}");
        assert_eq!(
            warnings_of(&format!("{line} --verbose")).0,
            warnings,
            "{line}"
        );
        assert_eq!(warnings_of(&format!("{line} -v")).0, warnings, "{line}");
    }
}

#[test]
fn header_lines_past_their_limit_make_a_page_unknown() {
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
    let garbage = b"some\nlines of\ngarbage\n";
    let no_length = b"WARC/1.0\r\nWARC-Type: response\r\n\r\n";
    let truncated = format!("a.warc.gz: at byte {last}: truncated gzip member");
    let of_plain = [
        "no record begins here; 22 bytes skipped",
        "does not state its length",
        "2 broken places in the inputs",
    ];
    let plain = [one, garbage, two, no_length, three].concat();
    for (name, archive, pages, messages) in [
        // The HEAD of the last page was read, and in the next archive not even the header of its record.
        (
            "a.warc.gz",
            &whole[..whole.len() - 10],
            3,
            &[&*truncated][..],
        ),
        ("a.warc.gz", &whole[..last + 30], 2, &[&*truncated]),
        ("a.warc", &plain, 3, &of_plain),
    ] {
        let outcome = decide(name, archive);
        outcome.assert_success();
        assert_eq!(outcome.stdout.lines().count(), 1 + pages, "{messages:?}");
        for message in messages {
            outcome.assert_stderr_contains(message);
        }
    }
}

#[test]
fn an_input_is_not_overwritten() {
    let record = page("https://a.example/", "<p>");
    let (_folder, path) = file("a.warc", &record);
    let outcome = robots(["decide", &path, "--json", "-o", &path]);
    outcome.assert_error("is an input; nothing was written");
    assert_eq!(std::fs::read(path).unwrap(), record);
    let (folder, page) = file("a.html", b"<p>");
    let folder = folder.root().to_str().unwrap();
    let outcome = robots(["decide", folder, "--json", "-o", &page]);
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
    html.assert_stdout_contains("allow     yes");
    let zstd = response(robots_url, "Content-Encoding: zstd", b"\x28\xB5\x2F\xFD");
    let unread = with_page(zstd);
    unread.assert_stderr_contains("unknown content-encoding; not read");
    unread.assert_stdout_contains("unknown   unknown");
    let cut = with_page(response(robots_url, "Content-Length: 99", ROBOTS));
    // The rest may have rules for any path.
    cut.assert_stderr_contains("robots.txt is not whole, so its rules are not known");
    cut.assert_stdout_contains("unknown   unknown");
    // A robot reads the first 500 KiB, and these are there.
    let long = [ROBOTS, &b"#".repeat(500 << 10)].concat();
    let cut = with_page(response(robots_url, "Content-Length: 999999", &long));
    assert!(!cut.stderr.contains("is not whole"), "{}", cut.stderr);
    cut.assert_stdout_contains("allow     yes");
}

#[test]
fn a_page_with_an_invalid_url_is_decided_with_a_warning() {
    let archive = page("https://[not a host/", "<meta name=robots content=noindex>");
    let outcome = decide("a.warc", &archive);
    assert_eq!(outcome.code, 0);
    outcome.assert_stderr_contains("at byte 0: cannot read \"https://[not a host/\" as a URL");
    outcome.assert_stdout_contains("unknown   no");
}

#[test]
fn files_that_are_not_html_are_read_with_a_warning() {
    let junk: Vec<u8> = (0..=255).cycle().take(10_000).collect();
    let outcome = command_on("meta -", &junk);
    outcome.assert_success();
    outcome.assert_stderr_contains("has NUL bytes; is this HTML?");
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
fn meta_reads_archives_with_pages() {
    let outcome = command("meta tests/fixtures/crawl.warc.gz --json");
    outcome.assert_success();
    assert_eq!(outcome.stdout.lines().count(), 26);
    let archive = plain_text("https://a.example/robots.txt", ROBOTS);
    command_on("meta -", &archive).assert_error("no HTML page in this archive");
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
    let robots = format!("{site}/robots.txt");
    let page = format!("{site}/pages/catalogue/chairs.html");
    let base = "http://www.marys-antiques.com";
    let junk = "tests/fixtures/robots";
    for (line, code) in [
        (format!("check {robots} {base}/private/x"), 1),
        (format!("check {robots} /"), 0),
        (
            format!("diff {robots} tests/fixtures/sites/joes-hardware/robots.txt"),
            1,
        ),
        (format!("diff --text {robots} {robots}"), 0),
        (format!("lint {junk}"), 1),
        (format!("lint --statistics {junk}"), 1),
        (
            format!("why {page} --base {base}/x --robots {robots} --expect index"),
            1,
        ),
    ] {
        assert_eq!(command(&line).code, code, "{line}");
        let args: Vec<&str> = line.split(' ').collect();
        assert_eq!(code_with_closed_output(&args), Some(code), "{line}");
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
    let right = robots(["decide", "--verify-digests", &path]);
    assert!(!right.stderr.contains("digest"), "{}", right.stderr);
    let archive = page(other, other);
    let (_folder, path) = file("a.warc", &archive);
    let silent = robots(["decide", &path]);
    assert!(!silent.stderr.contains("digest"), "{}", silent.stderr);
    let verified = robots(["decide", "--verify-digests", &path]);
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
    let outcome = robots(["decide", &path]);
    outcome.assert_error("gzip in gzip");
}

#[test]
fn standard_input_is_not_a_file_of_that_name() {
    let folder = Folder::new();
    folder.file("-", page("http://file.example/", "<p>"));
    let stdin = page("http://stdin.example/", "<p>");
    let output = output_in(folder.root(), ["decide", "--json", "-"], &stdin);
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(stdout.contains("http://stdin.example/"), "{stdout}");
    assert!(!stdout.contains("http://file.example/"), "{stdout}");
}

#[test]
fn an_unreadable_robots_txt_ends_the_run() {
    let folder = Folder::new();
    folder.file("crawl.warc", page("https://a.example/x", "<p>"));
    folder.file("robots.txt", b"User-agent: *\nDisallow: /x\n");
    folder.file("robots.warc.gz", b"");
    std::fs::create_dir(folder.path("empty")).unwrap();
    let run = |robots_txt: &str, base: &[&str]| {
        let words = ["decide", "--json", "--robots", robots_txt];
        let crawl = folder.path("crawl.warc");
        robots([&words[..], base, &[crawl.as_str()]].concat())
    };
    let base = ["--base", "https://a.example/"];
    for (robots_txt, base, message) in [
        ("nope.warc.gz", &[][..], "cannot read"),
        ("robots.txt", &[], "a base URL must name the site"),
        ("robots.warc.gz", &base, "neither a WARC nor an ARC file"),
        ("empty", &base, "no robots.txt in this folder"),
    ] {
        let outcome = run(&folder.path(robots_txt), base);
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
    let folder = Folder::new();
    let pages = [
        page("https://a.example/x", "<p>"),
        page("http://b.example/x", "<p>"),
    ];
    folder.file("crawl.warc", pages.concat());
    let rules = b"User-agent: *\nDisallow: /x\n";
    folder.file("robots.txt", rules);
    folder.file("sites/b.example/robots.txt", rules);
    let fetch = |words: &[&str]| {
        let crawl = folder.path("crawl.warc");
        let outcome = robots([&["decide", "--json"], words, &[crawl.as_str()]].concat());
        outcome.assert_success();
        let rows = outcome.rows().into_iter();
        rows.map(|row| row["fetch"].clone()).collect::<Vec<_>>()
    };
    let base = "https://a.example/";
    assert_eq!(
        fetch(&["--robots", &folder.path("robots.txt"), "--base", base]),
        ["disallow", "unknown"]
    );
    assert_eq!(
        fetch(&["--robots", &folder.path("sites")]),
        ["unknown", "disallow"]
    );
}
