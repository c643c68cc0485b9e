//! `robots meta --headers`, its other name `robots headers`, and the decisions of `robots meta --profiles`.

use crate::program::{
    Folder, command, command_on, json_lines, page, record, response, robots, robots_on,
};
use serde_json::Value;

/// Returns the decision for a robot under a profile in a row of `robots meta --headers` or `robots meta --profiles`.
fn decision<'v>(row: &'v Value, profile: &str, agent: &str) -> &'v Value {
    let decisions = row["decisions"].as_array().unwrap();
    let is_wanted = |one: &&Value| one["profile"] == profile && one["agent"] == agent;
    decisions.iter().find(is_wanted).unwrap()
}

#[test]
fn header_lines_are_shown_with_the_decisions_of_every_robot() {
    let head = b"HTTP/2 200\r\ncontent-type: application/pdf\r\nx-robots-tag: googlebot: noindex\r\nx-robots-tag: noarchive\r\n\r\n";
    let row_of = |input: &[u8]| {
        let outcome = command_on("headers --json -", input);
        json_lines(&outcome.stdout).remove(0)
    };
    let outcome = command_on("headers -", head);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    outcome.assert_stdout_contains("X-Robots-Tag: googlebot: noindex");
    outcome.assert_stdout_contains("decisions, without robots.txt");
    let row = row_of(head);
    assert_eq!(decision(&row, "google", "Googlebot")["index"], "no");
    assert_eq!(decision(&row, "bing", "bingbot")["index"], "yes");
    assert_eq!(decision(&row, "bing", "bingbot")["archive"], "no");
    assert_eq!(row["headers"][0]["agent"], "googlebot");
    // As an editor or PowerShell writes it.
    let text = "\u{feff}X-Robots-Tag: noindex\r\n";
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for marked in [text.as_bytes(), &wide] {
        assert_eq!(
            decision(&row_of(marked), "google", "Googlebot")["index"],
            "no"
        );
    }
    command_on("headers -", b"Server: x\n").assert_stdout_contains("no header for robots");
    let nothing = command_on("headers -", b"");
    assert_eq!(nothing.code, 2);
    nothing.assert_stderr_contains("no header lines");
}

/// `robots headers` reads one input, and `robots meta --headers` several.
#[test]
fn headers_are_a_part_of_meta() {
    let folder = Folder::new();
    let lines = folder.file("head.txt", "X-Robots-Tag: noindex\n");
    let empty = folder.file("empty.txt", "");
    let crawl = "tests/fixtures/crawl.warc.gz";
    for words in [&lines, &format!("--json {lines}"), crawl, &empty, "/none"] {
        let [new, old] =
            ["meta --headers", "headers"].map(|name| command(&format!("{name} {words}")));
        assert_eq!(new.code, old.code, "{words}");
        assert_eq!(
            (new.stdout, new.stderr),
            (old.stdout, old.stderr),
            "{words}"
        );
    }
    let all = command(&format!(
        "meta --headers --json {lines} {empty} /none {lines}"
    ));
    assert_eq!(all.code, 2);
    assert_eq!(json_lines(&all.stdout).len(), 2);
    all.assert_stderr_contains("empty.txt: no header lines");
    all.assert_stderr_contains("error: cannot read /none");
    for words in [
        "--all",
        "--document",
        "--scripting",
        "--charset utf-8",
        "--profiles",
    ] {
        let outcome = command(&format!("meta --headers {words} {lines}"));
        outcome.assert_error("cannot be used with");
    }
    assert_eq!(command("meta --headers - -").code, 2);
    assert_eq!(command("meta --headers").code, 2);
    assert_eq!(command(&format!("headers {lines} {lines}")).code, 2);
}

#[test]
fn each_response_of_an_archive_is_a_row() {
    let archive = [
        response("http://a.example/x.pdf", "X-Robots-Tag: none", b"%PDF"),
        page("http://a.example/", "<meta name=robots content=noindex>"),
    ]
    .concat();
    let outcome = robots_on(["headers", "--json", "-"], &archive);
    let rows = json_lines(&outcome.stdout);
    assert_eq!(rows.len(), 2);
    assert_eq!(decision(&rows[0], "neutral", "*")["follow"], "no");
    // METAs of the page are not headers.
    assert_eq!(decision(&rows[1], "neutral", "*")["index"], "yes");
}

#[test]
fn a_page_is_decided_for_every_robot() {
    let html = b"<meta name=bingbot content=noindex><meta name=robots content='max-snippet:20'>";
    let outcome = command_on("meta --profiles --json -", html);
    let row: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(decision(&row, "bing", "bingbot")["index"], "no");
    assert_eq!(decision(&row, "google", "Googlebot")["index"], "yes");
    assert_eq!(decision(&row, "google", "Googlebot")["snippet"], 20);
    let outcome = robots_on(["meta", "--profiles", "-"], html);
    outcome.assert_stdout_contains("  index no, follow yes");
    let without_profiles = robots_on(["meta", "-"], html).stdout;
    assert!(!without_profiles.contains("decisions, without robots.txt"));
}

#[test]
fn bytes_that_are_not_utf_8_mean_the_same_to_every_command() {
    // Each tilde stands for the byte.
    let archive_with = |byte| {
        let lines = "Content-Type: text/html\r\n\
            X-Robots-Tag: noarchive, ~nofollow, noindex~\r\n\
            Link: </~>; rel=preload, </terms>; rel=license\r\n\
            Content-Signal: search=no, ai-input=no~\r\n\
            Content-Usage: train-ai=n;a=\"~\"\r\n\
            tdm-reservation: 1~";
        let mut record = response("http://a.example/", lines, b"<title>a</title>");
        for replaced in &mut record {
            if *replaced == b'~' {
                *replaced = byte;
            }
        }
        record
    };
    // In Latin-1: é, and two characters that Unicode counts as white space (no-break space, next line).
    for byte in [0xE9, 0xA0, 0x85] {
        let archive = archive_with(byte);
        let no_rules = crate::program::plain_text("http://a.example/robots.txt", b"");
        let site = [&no_rules[..], &archive].concat();
        let decided = robots_on(["decide", "--json", "-"], &site);
        let decided = json_lines(&decided.stdout).remove(0);
        assert_eq!(decided["archive"], "no");
        for command in ["meta --profiles --json -", "headers --json -"] {
            let row = json_lines(&command_on(command, &archive).stdout).remove(0);
            let of_robot = decision(&row, "neutral", "*");
            for field in "index follow archive ai_train ai_input ai_search".split(' ') {
                assert_eq!(of_robot[field], decided[field], "{byte:x} {field}");
            }
            let facts = row["header_facts"].as_array().unwrap();
            let licences = facts.iter().filter(|fact| fact["name"] == "Link");
            let licences: Vec<&Value> = licences.map(|fact| &fact["href"]).collect();
            let expected: Vec<&Value> = decided["licenses"].as_array().unwrap().iter().collect();
            assert_eq!(licences, expected, "{byte:x}");
        }
        let linted = robots_on(["lint", "--meta", "--json", "-"], &archive).stdout;
        let linted = json_lines(&linted).into_iter();
        let misspelt = linted.filter(|row| row["name"] == "misspelt");
        let misspelt = misspelt.map(|row| row["offset"].as_u64().unwrap());
        // The bytes of the X-Robots-Tag line at which `~nofollow` and `noindex~` begin.
        assert_eq!(misspelt.collect::<Vec<_>>(), [25, 36], "{byte:x}");
        // In a shown line, `?` replaces the byte, so that offsets in the text are those in the bytes.
        let shown = robots_on(["headers", "-"], &archive).stdout;
        assert!(shown.contains("noarchive, ?nofollow, noindex?"), "{shown}");
    }
}

#[test]
fn a_directive_far_in_a_long_line_is_not_overlooked() {
    // Directives are marked in the first 2,048 bytes of a line.
    let line = format!("X-Robots-Tag: {}noindex\r\n", ",".repeat(3_000));
    let outcome = robots_on(["headers", "-"], line.as_bytes());
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    outcome.assert_stdout_contains("noindex");
    assert!(!outcome.stdout.contains("no directive"));
}

/// The status decides, too: a page that is missing is not indexed, and says nothing.
#[test]
fn the_status_of_a_response_counts() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (crawl, robots_txt) = (path("crawl.warc"), path("robots.warc"));
    let robots_url = "http://a.example/robots.txt";
    let text = response(robots_url, "Content-Type: text/plain", b"");
    std::fs::write(&robots_txt, text).unwrap();
    for status in [200, 304, 404, 410, 503] {
        let head = format!(
            "HTTP/1.1 {status} X\r\nContent-Type: text/html\r\nX-Robots-Tag: noarchive, noai\r\n\r\n"
        );
        std::fs::write(&crawl, record("http://a.example/x", &head, b"<p>")).unwrap();
        let answers = [
            robots_on(["headers", "--json", "-"], head.as_bytes()),
            robots(["headers", "--json", &crawl]),
            robots(["meta", "--profiles", "--json", &crawl]),
        ];
        for profile in ["google", "yandex", "neutral"] {
            let words = format!("decide {crawl} --robots {robots_txt} --json -p {profile}");
            let decided = &json_lines(&command(&words).stdout)[0];
            for answer in &answers {
                let rows = json_lines(&answer.stdout);
                // `meta` leaves out responses that are not pages.
                let Some(row) = rows.first() else { continue };
                let found = decision(row, profile, decided["agent"].as_str().unwrap());
                for field in ["index", "archive", "follow", "snippet"] {
                    assert_eq!(found[field], decided[field], "{status} {profile} {field}");
                }
            }
        }
    }
}

#[test]
fn meta_reads_a_response_with_its_headers() {
    let folder = tempfile::tempdir().unwrap();
    let response = folder.path().join("response.txt");
    let rows = |kind: &str| {
        let text = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nX-Robots-Tag: noindex\r\n\r\n\
             <meta name=robots content=nofollow>"
        );
        std::fs::write(&response, text).unwrap();
        let outcome = robots(["meta", "--json", response.to_str().unwrap()]);
        assert_eq!(outcome.code, 0, "{}", outcome.stderr);
        (outcome.stdout, outcome.stderr)
    };
    let (stdout, stderr) = rows("text/html");
    assert!(
        stdout.contains("noindex") && stdout.contains("nofollow"),
        "{stdout}"
    );
    assert_eq!(stderr, "");
    let (stdout, stderr) = rows("application/pdf");
    assert!(
        stdout.contains("noindex") && !stdout.contains("nofollow"),
        "{stdout}"
    );
    assert!(stderr.contains("only the headers count"), "{stderr}");
}
