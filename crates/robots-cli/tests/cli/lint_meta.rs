//! `robots lint --meta`.

use crate::program::{
    Outcome, command, command_on, counts, json_lines, page, record, response, robots, robots_on,
};
use serde_json::Value;
use std::fs;
use std::path::Path;

const PAGE: &str = "Content-Type: text/html";

fn rows(outcome: &Outcome) -> Vec<Value> {
    json_lines(&outcome.stdout)
}

/// Lints standard input with the options of a line.
fn lint(options: &str, input: &[u8]) -> Outcome {
    command_on(&format!("lint --meta {options} -"), input)
}

/// Returns the codes of the findings in a page, or in a response with its headers.
fn codes(input: &[u8]) -> Vec<String> {
    let rows = rows(&lint("--level note --json", input)).into_iter();
    rows.map(|row| row["code"].as_str().unwrap().to_owned())
        .collect()
}

/// The kinds without an example, because they need the URL of the page.
const NEED_A_URL: [&str; 3] = ["M004", "M005", "M006"];

#[test]
fn every_kind_has_an_example_and_its_correction() {
    let explained = robots(["explain", "--json"]).stdout;
    let explained: Vec<Value> = serde_json::from_str(&explained).unwrap();
    let kinds = explained.iter().map(|kind| {
        let text = |key: &str| kind[key].as_str().unwrap();
        (text("code"), text("text"))
    });
    let kinds: Vec<_> = kinds.filter(|(code, _)| code.starts_with('M')).collect();
    assert_eq!(kinds.len(), 28);
    for (code, text) in kinds {
        let blocks: Vec<&str> = text.split("```").skip(1).step_by(2).collect();
        if NEED_A_URL.contains(&code) {
            assert!(blocks.is_empty(), "{text}");
            continue;
        }
        let [bad, better] = blocks[..] else {
            panic!("{text}");
        };
        let codes_of = |block: &str| {
            let (language, input) = block.split_once('\n').unwrap();
            assert!(["html", "http"].contains(&language), "{block}");
            codes(input.as_bytes())
        };
        let found = codes_of(bad);
        assert!(found.iter().any(|found| found == code), "{code}: {found:?}");
        assert_eq!(codes_of(better), Vec::<String>::new(), "{code}, better");
    }
}

/// Returns an archive of pages with `noindex` and canonical links, some closed by its robots.txt.
fn archive() -> Vec<u8> {
    let url = |path: &str| format!("http://a.example{path}");
    let html = |path: &str, html: &str| page(&url(path), html);
    let gone = "HTTP/1.1 404 Not Found\r\nX-Robots-Tag: noindex\r\n\r\n";
    [
        html(
            "/closed/1",
            "<meta name=robots content='noindex, nofollow'>",
        ),
        html("/closed/2", "<meta name=googlebot content=noindex>"),
        html(
            "/open",
            "<link rel=canonical href=/other><meta name=robots content=noindex>",
        ),
        html(
            "/own",
            "<link rel=canonical href='/own#top'><meta name=robots content=none>",
        ),
        html("/closed/3", "<link rel=canonical href=/open>"),
        response(&url("/closed/4.pdf"), "X-Robots-Tag: noindex", b"%PDF"),
        record(&url("/closed/5"), gone, b""),
        // The file is last, but it also applies to earlier pages.
        response(
            "http://a.example/robots.txt",
            "Content-Type: text/plain",
            b"User-agent: *\nDisallow: /closed\n\nUser-agent: Googlebot\nDisallow:\n",
        ),
        b"WARC/1.0\r\nWARC-Type: response\r\nbroken".to_vec(),
    ]
    .concat()
}

#[test]
fn directives_hidden_by_robots_txt_are_found_in_archives() {
    let folder = tempfile::tempdir().unwrap();
    let warc = folder.path().join("crawl.warc");
    fs::write(&warc, archive()).unwrap();
    let warc = warc.to_str().unwrap();
    let outcome = robots(["lint", "--meta", "--level", "note", "--json", warc]);
    assert_eq!(outcome.code, 1, "{}", outcome.stderr);
    let rows = rows(&outcome);
    let found = rows.iter().map(|row| {
        let url = row["url"].as_str().unwrap();
        let path = url.strip_prefix("http://a.example").unwrap();
        (row["code"].as_str().unwrap(), path)
    });
    let expected = [
        ("M004", "/closed/1"),
        ("M005", "/open"),
        ("M006", "/closed/3"),
        ("M004", "/closed/4.pdf"),
    ];
    assert_eq!(found.collect::<Vec<_>>(), expected);
    outcome.assert_stderr_contains("crawl.warc: ");
    let warnings = outcome.stderr.matches("warning").count();
    assert_eq!(warnings, 1, "{}", outcome.stderr);
    outcome.assert_stderr_contains("4 findings in 4 of 6 pages");
    assert_eq!(rows[3]["header"], true);
    assert_eq!(rows[3]["line"], 1);
    let message = rows[0]["message"].as_str().unwrap();
    assert!(message.ends_with("line 2: Disallow: /closed (group of *)"));
}

#[test]
fn pages_in_folders_have_the_urls_of_their_base() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("site");
    fs::create_dir_all(site.join("closed")).unwrap();
    for name in ["closed/a b.html", "index.html"] {
        fs::write(site.join(name), "<meta name=robots content=noindex>").unwrap();
    }
    let rules = folder.path().join("robots.txt");
    fs::write(&rules, "User-agent: *\nDisallow: /closed/a%20b.html$\n").unwrap();
    let (site, rules) = (site.to_str().unwrap(), rules.to_str().unwrap());
    let outcome = command(&format!(
        "lint --meta --json --robots {rules} --base https://a.example {site}"
    ));
    let found = rows(&outcome);
    assert_eq!(found.len(), 1, "{}", outcome.stdout);
    assert_eq!(found[0]["url"], "https://a.example/closed/a%20b.html");
    // Without a robots.txt and a base, nothing shows that a page is closed.
    assert_eq!(robots(["lint", "--meta", site]).code, 0);
    // `--fix` is only for robots.txt files: with `--meta` it is an error.
    let with_fix = robots(["lint", "--meta", rules, "--fix"]);
    assert_eq!(with_fix.code, 2);
}

#[test]
fn lists_of_directives_in_different_places_are_compared() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
    let index = "<meta name=robots content='index, follow'>";
    let more = |name: &str| format!("{index}<meta name={name} content=noindex>");
    for (headers, html, conflicts) in [
        ("X-Robots-Tag: noindex\r\n", index, 1),
        ("X-Robots-Tag: bingbot: noindex\r\n", index, 0),
        ("X-Robots-Tag: noindex\r\nX-Robots-Tag: index\r\n", "", 1),
        ("", &*more("ROBOTS"), 1),
        ("", &*more("googlebot"), 0),
    ] {
        let found = codes(format!("{head}{headers}\r\n{html}").as_bytes());
        let found = found.iter().filter(|code| *code == "M003").count();
        assert_eq!(found, conflicts, "{headers}{html}");
    }
    // A conflict within one list is another kind of finding.
    let one_list = codes(b"<meta name=robots content='index, noindex'>");
    assert_eq!(one_list, ["M010"]);
}

#[test]
fn passed_dates_depend_on_the_time() {
    let meta = b"<meta name=robots content='unavailable_after: 2026-06-01T00:00:00Z'>";
    for (now, code) in [
        ("2026-05-31T23:59:59Z", 0),
        // As in decisions, the date itself has not passed.
        ("2026-06-01T00:00:00Z", 0),
        ("2026-06-01T00:00:01Z", 1),
    ] {
        assert_eq!(lint(&format!("--now {now}"), meta).code, code, "{now}");
    }
    // Otherwise the time of the capture counts, which is in November 2026.
    let captured = response("http://a.example/", PAGE, meta);
    assert_eq!(robots_on(["lint", "--meta", "-"], &captured).code, 1);
}

#[test]
fn places_are_right_in_every_encoding() {
    let html = "<title>é</title>\n  <meta name=robots content='noindex, nofolow'>";
    let utf16: Vec<u8> = "\u{feff}"
        .chars()
        .chain(html.chars())
        .flat_map(|c| u16::try_from(u32::from(c)).unwrap().to_le_bytes())
        .collect();
    let one = |input: &[u8]| {
        let found = rows(&lint("--json", input)).remove(0);
        counts([&found["line"], &found["column"]])
    };
    assert_eq!(one(html.as_bytes()), [2, 39]);
    // In UTF-16, a finding is at its tag, without the place of the word in it.
    assert_eq!(one(&utf16)[0], 2);
    let shown = lint("--level warning", &utf16);
    shown.assert_stdout_contains("<meta name=robots content='noindex, nofolow'>");
}

#[test]
fn a_page_of_one_long_line_is_shown_in_parts() {
    let long = "x".repeat(3_000_000);
    let page = format!(
        "<title>{long}</title><meta name=robots content='{}noidnex'>{long}",
        "nofollow,".repeat(2_000)
    );
    let outcome = lint("--level note", page.as_bytes());
    assert_eq!(outcome.code, 1);
    assert!(outcome.stdout.len() < 3_000_000, "{}", outcome.stdout.len());
    let sarif = lint("--sarif", page.as_bytes()).stdout;
    let sarif: Value = serde_json::from_str(&sarif).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "M013");
}

#[test]
fn the_last_of_several_responses_is_linted() {
    let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Robots-Tag: noidnex\r\n\r\n<title>a</title>";
    let redirect = "HTTP/1.1 301 Moved\r\nLocation: /b\r\nContent-Length: 154\r\n\r\n";
    let proxy = "HTTP/1.1 200 Connection established\r\n\r\n";
    let all = format!("{proxy}{redirect}{page}");
    assert_eq!(codes(all.as_bytes()), ["M013"]);
    let gone = page.replace("200 OK", "404 Not Found");
    let outcome = robots_on(["lint", "--meta", "-"], gone.as_bytes());
    outcome.assert_stderr_contains("status 404: robots ignore the directives of this page");
}

/// Lints a page below `/closed/`, which its robots.txt disallows to `*`. Writes the robots.txt into the folder.
fn lint_a_closed_page(folder: &Path, options: &[&str], input: &str) -> Outcome {
    let rules = folder.join("robots.txt");
    fs::write(&rules, "User-agent: *\nDisallow: /closed\n").unwrap();
    let rules = rules.to_str().unwrap();
    let base = "https://e.example/closed/";
    let words = [
        "lint", "--meta", "--json", "--robots", rules, "--base", base, "-",
    ];
    robots_on([&words[..], options].concat(), input.as_bytes())
}

#[test]
fn a_table_of_robots_applies() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("robots.toml");
    let text = "version = 1\ndate = \"2026-11-01\"\n[[agent]]\ntoken = \"Googlebot\"\noperator = \"X\"\n\
         purposes = [\"search\"]\nobeys = \"yes\"\nobeys-star = false\nbasis = \"memory\"\n";
    fs::write(&table, text).unwrap();
    let meta = "<meta name=googlebot content=noindex>";
    let outcome = lint_a_closed_page(folder.path(), &[], meta);
    assert_eq!(rows(&outcome).len(), 1);
    // The Googlebot of the table does not obey `*`, so that it sees the page.
    let options = ["--agent-table", table.to_str().unwrap()];
    let outcome = lint_a_closed_page(folder.path(), &options, meta);
    assert_eq!(rows(&outcome).len(), 0);
}

#[test]
fn findings_of_a_kind_have_a_limit() {
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..3_000)
        .map(|number| format!("bot{number}: noindex, nofolow"))
        .collect();
    let page = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Robots-Tag: {}\r\n\r\n<p>",
        names.join(", ")
    );
    let outcome = lint_a_closed_page(folder.path(), &[], &page);
    // Two kinds: a directive that robots.txt hides, and a misspelt one.
    assert_eq!(rows(&outcome).len(), 2 * robots_lint::MAX_PER_KIND);
    assert!(outcome.stdout.len() < 2_000_000);
}

#[test]
fn the_same_robots_txt_is_in_force_as_for_decide() {
    let noindex = |url: &str| page(url, "<meta name=robots content=noindex>");
    let rules = |url: &str, body: &str| response(url, "Content-Type: text/plain", body.as_bytes());
    let dated = |date: &str, record: Vec<u8>| {
        let record = String::from_utf8(record).unwrap();
        record.replace("2026-11-20T00:00:00Z", date).into_bytes()
    };
    let (closed, open) = ("User-agent: *\nDisallow: /\n", "User-agent: *\nAllow: /\n");
    let redirect = "HTTP/1.1 301 Moved\r\nLocation: /static/robots\r\n\r\n";
    let archive = [
        // Each origin of a host has a robots.txt of its own.
        rules("http://a.example/robots.txt", closed),
        dated(
            "2026-11-19T00:00:00Z",
            rules("https://a.example/robots.txt", open),
        ),
        rules("http://a.example:8080/robots.txt", open),
        noindex("http://a.example/1"),
        noindex("https://a.example/2"),
        noindex("http://a.example:8080/3"),
        // A failure after a success.
        dated(
            "2026-11-18T00:00:00Z",
            rules("http://b.example/robots.txt", open),
        ),
        dated("2026-11-18T00:00:00Z", noindex("http://b.example/4")),
        record(
            "http://b.example/robots.txt",
            "HTTP/1.1 503 Busy\r\n\r\n",
            b"",
        ),
        noindex("http://b.example/5"),
        // A redirect to another URL.
        record("http://c.example/robots.txt", redirect, b""),
        rules("http://c.example/static/robots", closed),
        noindex("http://c.example/6"),
        // No robots.txt.
        noindex("http://d.example/7"),
    ]
    .concat();
    let folder = tempfile::tempdir().unwrap();
    let warc = folder.path().join("crawl.warc");
    fs::write(&warc, archive).unwrap();
    let warc = warc.to_str().unwrap();
    let urls_of = |rows: Vec<Value>, field: &str, value: &str| -> Vec<String> {
        let rows = rows.into_iter().filter(|row| row[field] == value);
        rows.map(|row| row["url"].as_str().unwrap().to_owned())
            .collect()
    };
    let decided = robots(["decide", "--json", warc]);
    let denied = urls_of(rows(&decided), "fetch", "disallow");
    let linted = robots(["lint", "--meta", "--json", "--only", "M004", warc]);
    let hidden = urls_of(rows(&linted), "code", "M004");
    assert_eq!(hidden, denied);
    let expected = [
        "http://a.example/1",
        "http://b.example/5",
        "http://c.example/6",
    ];
    assert_eq!(hidden, expected);
    assert!(linted.stdout.contains("status 503"), "{}", linted.stdout);
}
