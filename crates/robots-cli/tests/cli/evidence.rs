//! `robots decide --evidence` and `robots verify`.

use crate::output::CRAWL;
use crate::program::{Folder, Outcome, gzip, page, plain_text, record, robots};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

const ROBOTS: &str = "http://a.example/robots.txt";
const OPEN: &str = "User-agent: *\nDisallow: /private";
const CLOSED: &str = "User-agent: *\nDisallow: /closed";
const PAGE: &str = "http://a.example/page";
const HTML: &str = "<meta name=robots content=nofollow>";

/// Returns an archive with a robots.txt, two pages of its site, and a page of a site without one.
fn archive(robots_txt: &str, html: &str) -> Vec<u8> {
    [
        plain_text(ROBOTS, robots_txt),
        page(PAGE, html),
        page("http://a.example/private/page", html),
        record(
            "http://b.example/robots.txt",
            "HTTP/1.1 404 x\r\n\r\n",
            b"no",
        ),
        page("http://b.example/", "<p>"),
    ]
    .concat()
}

/// Decides an archive with evidence; the extension of the file names the format.
fn decide(folder: &Folder, archive: &str, decisions: &str, more: &[&str]) -> String {
    let path = folder.path(decisions);
    let args = [
        "decide",
        "--evidence",
        "--now",
        "2026-11-21",
        "-o",
        &path,
        archive,
    ];
    robots([&args, more].concat()).assert_success();
    path
}

fn verify(decisions: &str, archive: &str, more: &[&str]) -> Outcome {
    robots([&["verify", "--json", decisions, archive], more].concat())
}

/// Returns the numbers of equal, different, missing and changed decisions.
fn numbers(outcome: &Outcome) -> [u64; 4] {
    let answer = outcome.json();
    let of = |name: &str| answer[name].as_u64().unwrap();
    assert_eq!(
        of("decisions"),
        of("equal") + of("different") + of("missing") + of("changed")
    );
    ["equal", "different", "missing", "changed"].map(of)
}

fn rows(path: &str) -> Vec<Value> {
    crate::program::json_lines(&fs::read_to_string(path).unwrap())
}

/// The digests are those of `sha256sum` on the bodies.
#[test]
fn decisions_have_their_evidence() {
    let folder = Folder::new();
    let crawl = folder.file("crawl.warc", archive("", "<p>"));
    let rows = rows(&decide(
        &folder,
        &crawl,
        "decisions.jsonl",
        &["--agent", "GPTBot"],
    ));
    let evidence = |row: &Value| {
        let names = [
            "evidence_version",
            "robots_url",
            "robots_status",
            "robots_captured_at",
            "robots_digest",
            "robots_file",
            "robots_offset",
            "robots_age",
            "captured_at",
            "payload_digest",
            "payload_digest_source",
            "decided_at",
        ];
        json!(names.map(|name| row[name].clone()))
    };
    let empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    let html = "sha256:33f2799467177287a29260780a107ac98ea63dd6165f67fcc0d74767d0a82090";
    let time = "2026-11-20T00:00:00Z";
    assert_eq!(
        evidence(&rows[0]),
        json!([
            1,
            ROBOTS,
            200,
            time,
            empty,
            crawl,
            0,
            0,
            time,
            html,
            "computed",
            "2026-11-21T00:00:00Z"
        ])
    );
    // A 404 has no body that counts.
    let of_404 = evidence(&rows[2]);
    assert_eq!(
        of_404.as_array().unwrap()[1..5],
        [
            json!("http://b.example/robots.txt"),
            json!(404),
            json!(time),
            json!(null)
        ]
    );
    assert_eq!(
        rows[0]["profile_digest"].as_str().unwrap().len(),
        "sha256:".len() + 64
    );
    assert_ne!(rows[0]["program"], json!(null));
    assert_ne!(rows[0]["agents_date"], json!(null));
}

/// Archives of the crawl in the tests state digests.
#[test]
fn a_digest_that_the_archive_states_is_marked() {
    let folder = Folder::new();
    let decisions = decide(&folder, CRAWL, "decisions.jsonl", &[]);
    let rows = rows(&decisions);
    assert!(rows.len() > 20);
    for row in &rows {
        assert_eq!(row["payload_digest_source"], "archive");
        assert!(row["payload_digest"].as_str().unwrap().starts_with("sha1:"));
    }
    for more in [&[][..], &["--verify-digests"]] {
        let outcome = verify(&decisions, CRAWL, more);
        outcome.assert_success();
        assert_eq!(numbers(&outcome), [rows.len() as u64, 0, 0, 0]);
    }
}

#[test]
fn every_format_can_be_verified() {
    let folder = Folder::new();
    let crawl = folder.file("crawl.warc", archive(OPEN, HTML));
    let robots_of = [
        "--agent",
        "GPTBot",
        "--agent",
        "Googlebot",
        "--profile",
        "google",
        "--profile",
        "bing",
    ];
    let formats = [
        "a.csv",
        "a.jsonl",
        #[cfg(feature = "columnar")]
        "a.parquet",
    ];
    for name in formats {
        let decisions = decide(&folder, &crawl, name, &robots_of);
        let outcome = verify(&decisions, &crawl, &[]);
        outcome.assert_success();
        assert_eq!(numbers(&outcome), [12, 0, 0, 0], "{name}");
    }
    // A folder stands for the files in it.
    let folder_of_decisions = folder.path("decisions");
    let args = [
        "decide",
        "--evidence",
        "--format",
        "csv",
        "--output-folder",
        &folder_of_decisions,
    ];
    robots([&args[..], &[&crawl]].concat()).assert_success();
    let outcome = verify(&folder_of_decisions, &crawl, &[]);
    outcome.assert_success();
    assert_eq!(numbers(&outcome), [3, 0, 0, 0]);
    let other = folder.path("a.txt");
    fs::write(&other, "").unwrap();
    verify(&other, &crawl, &[]).assert_error("decisions are read from .jsonl and .csv");
}

#[test]
fn one_changed_byte_of_a_robots_txt_names_its_pages_alone() {
    let folder = Folder::new();
    let decisions = decide(&folder, CRAWL, "decisions.jsonl", &["--agent", "GPTBot"]);
    let bytes = fs::read(crate::program::workspace().join(CRAWL)).unwrap();
    let mut archive = Vec::new();
    std::io::Read::read_to_end(
        &mut flate2::read::MultiGzDecoder::new(&*bytes),
        &mut archive,
    )
    .unwrap();
    let marker = b"Disallow: /";
    let url = b"http://www.joes-hardware.com/robots.txt";
    let record = archive
        .windows(url.len())
        .enumerate()
        .filter(|(_, bytes)| bytes == url)
        .nth(1)
        .unwrap()
        .0;
    let line = archive[record..]
        .windows(marker.len())
        .position(|bytes| bytes == marker)
        .unwrap();
    let letter = record + line;
    assert_eq!(archive[letter], b'D');
    archive[letter] = b'd';
    let changed = folder.file("changed.warc", archive);
    let outcome = verify(&decisions, &changed, &[]);
    assert_eq!(outcome.code, 1, "{}", outcome.stderr);
    let answer = outcome.json();
    let urls = |rows: &[Value]| -> BTreeSet<String> {
        let urls = rows
            .iter()
            .map(|row| row["url"].as_str().unwrap().to_owned());
        urls.collect()
    };
    let of_site: Vec<Value> = rows(&decisions)
        .into_iter()
        .filter(|row| row["url"].as_str().unwrap().contains("joes-hardware"))
        .collect();
    assert!(!of_site.is_empty() && of_site.len() < rows(&decisions).len());
    let findings = answer["findings"].as_array().unwrap();
    assert_eq!(findings.len(), of_site.len());
    assert_eq!(urls(findings), urls(&of_site));
    for finding in findings {
        assert_eq!(finding["status"], "changed");
        assert_eq!(finding["subject"], "robots_txt");
        assert_eq!(finding["name"], "http://www.joes-hardware.com/robots.txt");
        assert_ne!(finding["recorded"], finding["found"]);
    }
}

/// A tdmrep.json and a licence are evidence as a robots.txt is: which ones, and where.
#[test]
fn terms_have_evidence_and_are_verified() {
    const LICENSE: &str = r#"<rsl><content url="/"><license><prohibits type="usage">ai-train</prohibits></license></content></rsl>"#;
    let folder = Folder::new();
    let named = "http://a.example/license.xml";
    let robots_txt = plain_text(ROBOTS, format!("License: {named}\nUser-agent: *"));
    let tdmrep_url = "http://a.example/.well-known/tdmrep.json";
    let tdmrep = |value: u8| {
        let text = format!(r#"[{{"location": "/", "tdm-reservation": {value}}}]"#);
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n";
        record(tdmrep_url, head, text.as_bytes())
    };
    let license = |text: &str| plain_text(named, text);
    let pages = [page(PAGE, HTML), page("http://b.example/", "<p>")].concat();
    let archive = |terms: &[Vec<u8>]| [robots_txt.clone(), terms.concat(), pages.clone()].concat();
    let terms = [tdmrep(1), license(LICENSE)];
    let crawl = folder.file("crawl.warc", archive(&terms));
    let formats = [
        "a.jsonl",
        "a.csv",
        #[cfg(feature = "columnar")]
        "a.parquet",
    ];
    let decisions = formats.map(|name| decide(&folder, &crawl, name, &["--agent", "GPTBot"]));
    let rows = rows(&decisions[0]);
    let time = "2026-11-20T00:00:00Z";
    let digest = |text: &[u8]| robots_archive::sha256(text);
    let tdmrep_digest = digest(br#"[{"location": "/", "tdm-reservation": 1}]"#);
    let entry = |kind: &str, url: &str, digest: &str| json!({"kind": kind, "url": url, "status": 200, "captured_at": time, "digest": digest, "age": 0});
    assert_eq!(
        rows[0]["terms"],
        json!([
            entry("tdmrep", tdmrep_url, &tdmrep_digest),
            entry("license", named, &digest(LICENSE.as_bytes())),
        ])
    );
    let offset = robots_txt.len();
    let offsets = [offset, offset + terms[0].len()];
    let places = offsets.map(|offset| format!("{crawl}:{offset}"));
    assert_eq!(rows[0]["terms_places"], json!(places));
    assert_eq!(
        [&rows[1]["terms"], &rows[1]["terms_places"]],
        [&json!([]); 2]
    );
    let status = |decisions: &str, terms: &[Vec<u8>]| {
        let path = folder.file("again.warc", archive(terms));
        let outcome = verify(decisions, &path, &[]);
        let first = &outcome.json()["findings"][0];
        let named = ["status", "subject", "name"]
            .map(|key| first[key].as_str().unwrap_or_default().to_owned());
        (numbers(&outcome), named.join(" "))
    };
    for decisions in &decisions {
        let moved = [license(LICENSE), tdmrep(1)];
        let equal = ([2, 0, 0, 0], "  ".to_owned());
        assert_eq!(status(decisions, &moved), equal, "{decisions}");
        // The decision stays, as the licence prohibits it, too.
        let found = status(decisions, &[tdmrep(0), license(LICENSE)]);
        let changed = format!("changed tdmrep {tdmrep_url}");
        assert_eq!(found, ([1, 0, 0, 1], changed), "{decisions}");
        let found = status(decisions, &[tdmrep(1), license("<rsl/>")]);
        let changed = format!("changed license {named}");
        assert_eq!(found, ([1, 0, 0, 1], changed), "{decisions}");
        let found = status(decisions, &[tdmrep(1)]);
        let missing = format!("missing license {named}");
        assert_eq!(found, ([1, 0, 1, 0], missing), "{decisions}");
        // One that was added decides, too.
        let other = record(tdmrep_url, "HTTP/1.1 404 x\r\n\r\n", b"");
        let found = status(decisions, &[tdmrep(1), license(LICENSE), other]);
        assert_eq!(found.0, [1, 1, 0, 0], "{decisions}");
    }
    let text = fs::read_to_string(&decisions[0]).unwrap();
    let broken = folder.file("broken.jsonl", text.replace("\"kind\"", "\"sort\""));
    verify(&broken, &crawl, &[]).assert_error("missing field `kind`");
    // The order of keys does not matter.
    let sorted = rows.iter().map(|row| {
        let sorted: BTreeMap<String, Value> = serde_json::from_value(row.clone()).unwrap();
        let mut sorted = json!(sorted);
        for terms in sorted["terms"].as_array_mut().unwrap() {
            let keys: BTreeMap<String, Value> = serde_json::from_value(terms.clone()).unwrap();
            *terms = json!(keys);
        }
        sorted.to_string() + "\n"
    });
    let sorted = folder.file("sorted.jsonl", sorted.collect::<String>());
    verify(&sorted, &crawl, &[]).assert_success();
}

#[test]
fn archives_may_be_renamed_and_packed_again() {
    let folder = Folder::new();
    let crawl = folder.file("crawl.warc", archive(OPEN, HTML));
    let decisions = decide(&folder, &crawl, "decisions.csv", &[]);
    fs::remove_file(&crawl).unwrap();
    let records = [
        page("http://b.example/", "<p>"),
        page("http://a.example/private/page", HTML),
        page(PAGE, HTML),
        record(
            "http://b.example/robots.txt",
            "HTTP/1.1 404 x\r\n\r\n",
            b"no",
        ),
        plain_text(ROBOTS, OPEN),
    ];
    let members: Vec<u8> = records.iter().flat_map(|record| gzip(record)).collect();
    let renamed = folder.file("other/name.warc.gz", members);
    let outcome = verify(&decisions, &renamed, &[]);
    outcome.assert_success();
    assert_eq!(numbers(&outcome), [3, 0, 0, 0]);
}

#[test]
fn each_decision_has_a_status() {
    let folder = Folder::new();
    let crawl = folder.file("crawl.warc", archive(OPEN, HTML));
    let decisions = decide(&folder, &crawl, "decisions.jsonl", &[]);
    let status = |archive: &[u8], more: &[&str]| {
        let path = folder.file("again.warc", archive);
        let outcome = verify(&decisions, &path, more);
        assert_eq!(outcome.code, 1, "{}", outcome.stderr);
        let findings = outcome.json()["findings"].clone();
        let first = &findings[0];
        let named = ["status", "subject", "name"]
            .map(|key| first[key].as_str().unwrap_or_default().to_owned());
        (numbers(&outcome), named.join(" "))
    };
    // The page is missing.
    let without_page = [
        plain_text(ROBOTS, OPEN),
        page("http://a.example/private/page", HTML),
        record(
            "http://b.example/robots.txt",
            "HTTP/1.1 404 x\r\n\r\n",
            b"no",
        ),
        page("http://b.example/", "<p>"),
    ];
    let found = status(&without_page.concat(), &[]);
    assert_eq!(found, ([2, 0, 1, 0], format!("missing page {PAGE}")));
    // The robots.txt is missing, or another one has its place.
    let rest = archive(OPEN, HTML)[plain_text(ROBOTS, OPEN).len()..].to_vec();
    let found = status(&rest, &[]);
    assert_eq!(
        found,
        ([1, 0, 2, 0], format!("missing robots_txt {ROBOTS}"))
    );
    let found = status(&archive(CLOSED, HTML), &[]);
    assert_eq!(
        found,
        ([1, 0, 0, 2], format!("changed robots_txt {ROBOTS}"))
    );
    // The page has another byte.
    let found = status(&archive(OPEN, "<meta name=robots content=nofolloW>"), &[]);
    assert_eq!(found, ([1, 0, 0, 2], format!("changed page {PAGE}")));
    // A robots.txt of another time is in its place.
    let later = String::from_utf8(plain_text(ROBOTS, OPEN)).unwrap();
    let later = later.replace("00:00:00Z", "00:00:01Z").into_bytes();
    let found = status(&[later.clone(), rest].concat(), &[]);
    assert_eq!(
        found,
        ([1, 0, 2, 0], format!("missing robots_txt {ROBOTS}"))
    );
    // The recorded one is there, and the archive has another one of the same second, which is in force.
    let two = [archive(OPEN, HTML), plain_text(ROBOTS, CLOSED)].concat();
    let found = status(&two, &[]);
    assert_eq!(found, ([1, 2, 0, 0], "different  ".to_owned()));
    // The profile has changed, or is not known.
    let found = status(&archive(OPEN, HTML), &["--dialect", "google"]);
    assert_eq!(found, ([0, 0, 0, 3], "changed profile neutral".to_owned()));
}

#[test]
fn a_decision_that_was_edited_is_different() {
    let folder = Folder::new();
    let crawl = folder.file("crawl.warc", archive(OPEN, HTML));
    let path = decide(&folder, &crawl, "decisions.jsonl", &[]);
    let text = fs::read_to_string(&path).unwrap();
    let edited = text.replacen("\"follow\":\"no\"", "\"follow\":\"yes\"", 1);
    assert_ne!(text, edited);
    fs::write(&path, edited).unwrap();
    let outcome = verify(&path, &crawl, &[]);
    assert_eq!((outcome.code, numbers(&outcome)), (1, [2, 1, 0, 0]));
    let finding = &outcome.json()["findings"][0];
    assert_eq!(
        finding["differences"],
        json!([{"column": "follow", "recorded": "yes", "found": "no"}])
    );
    let text = robots(["verify", &path, &crawl]);
    assert_eq!(text.code, 1);
    text.assert_stdout_contains("3 decisions: 2 equal, 1 different, 0 missing, 0 changed\n");
    text.assert_stdout_contains("    follow\n      recorded yes\n      found    no\n");
    text.assert_stdout_contains(&format!("{PAGE} for * under neutral ({path}: line 1)"));
}

#[test]
fn a_profile_of_a_file_is_needed_again() {
    let folder = Folder::new();
    let crawl = folder.file("crawl.warc", archive(OPEN, HTML));
    let profile = folder.file("mine.toml", "name = \"mine\"\nbased-on = \"google\"\n");
    let decisions = decide(&folder, &crawl, "decisions.csv", &["--profile", &profile]);
    let outcome = verify(&decisions, &crawl, &[]);
    assert_eq!((outcome.code, numbers(&outcome)), (1, [0, 0, 3, 0]));
    let outcome = verify(&decisions, &crawl, &["--profile", &profile]);
    outcome.assert_success();
    fs::write(&profile, "name = \"mine\"\nbased-on = \"bing\"\n").unwrap();
    let outcome = verify(&decisions, &crawl, &["--profile", &profile]);
    assert_eq!((outcome.code, numbers(&outcome)), (1, [0, 0, 0, 3]));
}

#[test]
fn saved_pages_and_files_have_evidence() {
    let folder = Folder::new();
    folder.file("site/a.html", HTML);
    let robots_txt = folder.file("robots.txt", OPEN);
    let site = folder.path("site");
    let options = ["--base", "http://a.example/", "--robots", &robots_txt];
    let decisions = decide(&folder, &site, "decisions.jsonl", &options);
    let row = &rows(&decisions)[0];
    assert_eq!(row["robots_file"], json!(robots_txt));
    assert_eq!(row["robots_offset"], json!(null));
    verify(&decisions, &site, &options).assert_success();
    fs::write(&robots_txt, CLOSED).unwrap();
    let outcome = verify(&decisions, &site, &options);
    assert_eq!((outcome.code, numbers(&outcome)), (1, [0, 0, 0, 1]));
}

#[test]
fn rows_that_are_not_decisions_are_errors_with_their_place() {
    let folder = Folder::new();
    let crawl = folder.file("crawl.warc", archive(OPEN, HTML));
    let path = decide(&folder, &crawl, "decisions.jsonl", &[]);
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let version = lines[0].replace("\"evidence_version\":1", "\"evidence_version\":2");
    let (cut, _) = lines[2].split_at(lines[2].len() / 2);
    let bad = [&version, "", lines[1], "[]", "{}", cut].join("\n");
    let bad = folder.file("bad.jsonl", bad);
    let outcome = verify(&bad, &crawl, &[]);
    assert_eq!((outcome.code, numbers(&outcome)), (2, [1, 0, 0, 0]));
    assert_eq!(outcome.json()["unreadable"], 4);
    for message in [
        "bad.jsonl: line 1: evidence of version \"2\": this program reads version 1",
        "bad.jsonl: line 4: not a decision with evidence: ",
        "bad.jsonl: line 5: not a decision with evidence: ",
        "bad.jsonl: line 6: not JSON: ",
    ] {
        outcome.assert_stderr_contains(message);
    }
    // Without evidence, or with some columns.
    let plain = folder.path("plain.csv");
    robots(["decide", "-o", &plain, &crawl]).assert_success();
    verify(&plain, &crawl, &[]).assert_error("plain.csv: no column reasons_json, ");
    let plain = folder.path("plain.jsonl");
    robots(["decide", "-o", &plain, &crawl]).assert_success();
    verify(&plain, &crawl, &[]).assert_error("plain.jsonl: line 1: no evidence_version");
    // A file that is cut in a row.
    let path = decide(&folder, &crawl, "decisions.csv", &[]);
    let text = fs::read_to_string(&path).unwrap();
    let cut = folder.file("cut.csv", &text[..text.len() - 20]);
    let outcome = verify(&cut, &crawl, &[]);
    assert_eq!((outcome.code, numbers(&outcome)), (2, [2, 0, 0, 0]));
    outcome.assert_stderr_contains("cut.csv: line 4: ");
    for empty in ["empty.jsonl", "empty.csv"] {
        let path = folder.file(
            empty,
            text.lines()
                .next()
                .filter(|_| empty.ends_with("csv"))
                .unwrap_or_default(),
        );
        verify(&path, &crawl, &[]).assert_error("there are no decisions to verify");
    }
    verify(&path, &folder.path("no.warc"), &[]).assert_error("no.warc");
}

/// Nothing counts as equal by a value that could not be read.
#[test]
fn values_of_another_kind_are_no_evidence() {
    let folder = Folder::new();
    let crawl = folder.file("crawl.warc", archive(OPEN, HTML));
    let path = decide(&folder, &crawl, "decisions.jsonl", &[]);
    for (key, value) in [
        ("robots_digest", json!({"x": 1})),
        ("robots_status", json!(200.5)),
        ("robots_url", json!(true)),
        ("captured_at", json!("soon")),
    ] {
        let mut all = rows(&path);
        all[0][key] = value;
        let lines: Vec<String> = all.iter().map(Value::to_string).collect();
        let edited = folder.file("edited.jsonl", lines.join("\n"));
        let outcome = verify(&edited, &crawl, &[]);
        assert_eq!(
            (outcome.code, numbers(&outcome)),
            (2, [2, 0, 0, 0]),
            "{key}"
        );
        outcome.assert_stderr_contains("edited.jsonl: line 1: ");
        outcome.assert_stderr_contains(key);
    }
}

/// A file of a folder that is not read is an error: it may have decisions, too.
#[test]
fn each_file_of_a_folder_is_read_or_named() {
    let folder = Folder::new();
    let crawl = folder.file("crawl.warc", archive(OPEN, HTML));
    fs::create_dir(folder.path("all")).unwrap();
    decide(&folder, &crawl, "all/1.jsonl", &[]);
    let all = folder.path("all");
    verify(&all, &crawl, &[]).assert_success();
    for name in ["all/2.jsonl.gz", "all/2.jsonl.part", "all/notes.txt"] {
        let other = folder.file(name, "");
        verify(&all, &crawl, &[]).assert_error(&other);
        fs::remove_file(other).unwrap();
    }
}

/// The rules of a body that cannot be decoded are not known, but its bytes are.
#[test]
fn a_robots_txt_that_cannot_be_decoded_has_a_digest() {
    let folder = Folder::new();
    let of = |last: u8| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\n\r\n";
        let robots_txt = record(ROBOTS, head, &[0x1f, 0x8b, 8, 0, last]);
        [robots_txt, page(PAGE, HTML)].concat()
    };
    let crawl = folder.file("crawl.warc", of(1));
    let decisions = decide(&folder, &crawl, "decisions.jsonl", &[]);
    verify(&decisions, &crawl, &[]).assert_success();
    let outcome = verify(&decisions, &folder.file("changed.warc", of(2)), &[]);
    assert_eq!((outcome.code, numbers(&outcome)), (1, [0, 0, 0, 1]));
}

/// A digest that was computed is compared with the bytes, whatever a record states.
#[test]
fn a_record_cannot_state_a_digest_that_was_computed() {
    let folder = Folder::new();
    let crawl = folder.file("crawl.warc", archive(OPEN, HTML));
    let decisions = decide(&folder, &crawl, "decisions.jsonl", &[]);
    let digest = rows(&decisions)[0]["payload_digest"].clone();
    let stated = format!(
        "WARC-Target-URI: {PAGE}\r\nWARC-Payload-Digest: {}\r\n",
        digest.as_str().unwrap()
    );
    let changed = String::from_utf8(archive(OPEN, "<meta name=robots content=nofolloW>")).unwrap();
    let forged = changed.replacen(&format!("WARC-Target-URI: {PAGE}\r\n"), &stated, 1);
    assert_ne!(forged, changed);
    let outcome = verify(&decisions, &folder.file("forged.warc", forged), &[]);
    assert_eq!((outcome.code, numbers(&outcome)), (1, [1, 0, 0, 2]));
}

/// Each page is decided again for each robot, so their number is limited.
#[test]
fn up_to_a_thousand_robots_are_verified_at_once() {
    let folder = Folder::new();
    let crawl = folder.file("crawl.warc", page(PAGE, HTML));
    let robots: Vec<String> = (0..=1000)
        .map(|robot| format!("--agent=robot{robot}x"))
        .collect();
    let of = |number: usize| {
        let robots: Vec<&str> = robots[..number].iter().map(String::as_str).collect();
        let decisions = decide(&folder, &crawl, &format!("{number}.jsonl"), &robots);
        verify(&decisions, &crawl, &[])
    };
    of(1000).assert_success();
    of(1001).assert_error("more than 1000 robots");
}

#[test]
fn decisions_of_several_runs_are_verified_apart() {
    let folder = Folder::new();
    let crawl = folder.file("crawl.warc", archive(OPEN, HTML));
    let first = decide(&folder, &crawl, "first.jsonl", &[]);
    let args = [
        "decide",
        "--evidence",
        "--json",
        "--now",
        "2026-11-22",
        &crawl,
    ];
    let second = robots(args).stdout;
    let both = fs::read_to_string(&first).unwrap() + &second;
    let both = folder.file("both.jsonl", both);
    verify(&both, &crawl, &[]).assert_error("both.jsonl: line 1; ");
}

#[test]
fn evidence_needs_archives_and_a_format_with_columns() {
    robots(["decide", "--evidence", CRAWL])
        .assert_error("a table has no evidence; use --format csv");
    let outcome = robots(["decide", "--json", "--fields", "url,robots_digest", CRAWL]);
    outcome.assert_success();
    assert!(outcome.rows()[0]["robots_digest"].is_string());
}

const OVERRIDES: &str = r#"
[[override]]
who = "Jane Doe, legal department"
why = "Licence 2026-17"
until = 2026-11-21
hosts = ["a.example"]
paths = ["/page"]
decision = { may_train = "yes", follow = "yes" }

[[override]]
who = "Jane Doe"
why = "Letter of the owner"
until = 2026-11-20
hosts = ["b.example"]
decision = { may_train = "no" }
"#;

#[test]
fn overrides_are_kept_next_to_decisions_until_they_expire() {
    let folder = Folder::new();
    let crawl = folder.file("crawl.warc", archive(OPEN, HTML));
    let overrides = folder.file("overrides.toml", OVERRIDES);
    let of_row = |row: &Value| {
        let keys = ["override", "override_who", "override_why", "override_until"];
        json!(keys.map(|key| row[key].clone()))
    };
    let options = ["--overrides", &overrides];
    for name in ["decisions.jsonl", "decisions.csv"] {
        let decisions = decide(&folder, &crawl, name, &options);
        // With them, without them, and with others.
        for (more, numbers_of_all) in [(&options[..], [3, 0, 0, 0]), (&[], [3, 0, 0, 0])] {
            let outcome = verify(&decisions, &crawl, more);
            outcome.assert_success();
            assert_eq!(numbers(&outcome), numbers_of_all);
            // Its last day is over by now.
            let answer = outcome.json();
            assert_eq!(answer["overridden"], 1);
            assert_eq!(answer["expired"], 1);
        }
        let other = OVERRIDES.replace("Licence 2026-17", "Licence 2026-18");
        let other = folder.file("other.toml", other);
        let outcome = verify(&decisions, &crawl, &["--overrides", &other]);
        assert_eq!((outcome.code, numbers(&outcome)), (1, [2, 1, 0, 0]));
        let differences = &outcome.json()["findings"][0]["differences"];
        assert_eq!(
            *differences,
            json!([{
                "column": "override_why",
                "recorded": "Licence 2026-17",
                "found": "Licence 2026-18",
            }])
        );
    }
    let decided = rows(&folder.path("decisions.jsonl"));
    assert_eq!(
        of_row(&decided[0]),
        json!([
            ["follow=yes", "may_train=yes"],
            "Jane Doe, legal department",
            "Licence 2026-17",
            "2026-11-21"
        ])
    );
    // The original decision stays.
    assert_eq!(decided[0]["follow"], "no");
    for row in &decided[1..] {
        assert_eq!(of_row(row), json!([[], null, null, null]));
    }
    let outcome = robots([
        "decide",
        "--json",
        "--now",
        "2026-11-21",
        "--only",
        "overridden",
        "--overrides",
        &overrides,
        &crawl,
    ]);
    outcome.assert_success();
    assert_eq!(outcome.rows().len(), 1);
    outcome.assert_stderr_contains(
        "note: the override for b.example expired on 2026-11-20: Letter of the owner",
    );
    // A day later, none is in force.
    let outcome = robots([
        "decide",
        "--json",
        "--now",
        "2026-11-22",
        "--overrides",
        &overrides,
        &crawl,
    ]);
    assert!(
        outcome
            .rows()
            .iter()
            .all(|row| row["override"] == json!([]))
    );
    robots(["decide", "--overrides", &overrides, &crawl]).assert_error("a table has no overrides");
    let wrong = folder.file(
        "wrong.toml",
        OVERRIDES.replace("until = 2026-11-21", "until = \"soon\""),
    );
    let outcome = robots(["decide", "--json", "--overrides", &wrong, &crawl]);
    outcome.assert_error("wrong.toml: not a file of overrides");
    outcome.assert_stderr_contains("line 5");
}

/// The numbers are those of the rows, and the statements are those that decide.
#[test]
fn the_usage_of_a_crawl_is_counted() {
    let folder = Folder::new();
    let crawl = folder.file(
        "crawl.warc",
        archive(OPEN, "<meta name=robots content='noarchive, noai'>"),
    );
    let decisions = decide(
        &folder,
        &crawl,
        "a.jsonl",
        &["--agent", "GPTBot", "--agent", "ExampleBot"],
    );
    let html = folder.path("usage.html");
    let tables = folder.path("tables");
    let args = [
        "usage",
        &decisions,
        "--html",
        &html,
        "--csv",
        &tables,
        "--now",
        "2026-11-22",
    ];
    let outcome = robots(args);
    outcome.assert_success();
    insta::assert_snapshot!("usage", outcome.stdout);
    let page = fs::read_to_string(&html).unwrap();
    for text in [
        "What this crawl may be used for",
        "META: noai",
        "ExampleBot under neutral: sha256:",
        "22 November 2026",
    ] {
        assert!(page.contains(text), "{text}");
    }
    let rows = rows(&decisions);
    let json = robots(["usage", &decisions, "--json"]).json();
    for robot in json["robots"].as_array().unwrap() {
        for (one, column) in [
            ("fetch", "fetch"),
            ("index", "index"),
            ("archive", "archive"),
            ("ai-train", "may_train"),
            ("ai-input", "ai_input"),
            ("ai-search", "ai_search"),
        ] {
            let count = |values: &[&str]| {
                let rows = rows.iter().filter(|row| row["agent"] == robot["agent"]);
                rows.filter(|row| values.contains(&row[column].as_str().unwrap()))
                    .count() as u64
            };
            let answers = &robot["uses"][one];
            assert_eq!(answers["permitted"], count(&["allow", "yes"]), "{one}");
            assert_eq!(answers["limited"], count(&["limited", "url_only"]), "{one}");
            assert_eq!(
                answers["refused"],
                count(&["disallow", "no", "defer"]),
                "{one}"
            );
            assert_eq!(answers["not_known"], count(&["unknown"]), "{one}");
        }
    }
    let uses = fs::read_to_string(folder.path("tables/uses.csv")).unwrap();
    assert_eq!(uses.lines().count(), 1 + 2 * 6);
    // Rows that cannot be read are reported, and the others are counted.
    let half = fs::read_to_string(&decisions).unwrap();
    let broken = folder.file("b.jsonl", format!("{half}{{\"url\": 1}}\n"));
    let outcome = robots(["usage", &broken, "--json"]);
    assert_eq!(
        (outcome.code, &outcome.json()["unreadable"]),
        (2, &json!(1))
    );
    assert!(outcome.stderr.contains("line 7"), "{}", outcome.stderr);
    let none = folder.file(
        "c.csv",
        fs::read_to_string(folder.path("tables/uses.csv")).unwrap(),
    );
    robots(["usage", &none]).assert_error("no column");
}
