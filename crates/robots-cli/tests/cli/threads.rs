//! Decisions depend neither on the number of threads nor on `--hold-back`, the memory in MiB for pages that wait for a
//! robots.txt.

use crate::program::{Outcome, command, gzip, page, plain_text, response, robots, workspace};
use fastrand::Rng;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::process::Command;

/// Returns text that gzip hardly compresses.
fn text(random: &mut Rng, bytes: usize) -> String {
    let digits = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
    (0..bytes)
        .map(|_| char::from(digits[random.usize(..64)]))
        .collect()
}

/// Returns a gzip member that stores the bytes without compression.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Returns an archive of some megabytes that is hard to read from the middle: it has archives in pages, members with
/// several records, records over several members, corrupt members, wrong lengths and very large pages.
fn archive() -> Vec<u8> {
    let mut random = Rng::with_seed(7);
    let mut archive = gzip(&page("http://first.example/", "<p>"));
    for number in 0..400 {
        let url = format!("http://s{}.example/{number}", random.usize(..9));
        let bytes = random.usize(..40_000);
        let body = text(&mut random, bytes);
        let robots = if random.usize(..3) == 0 {
            "noindex"
        } else {
            "nofollow"
        };
        let html = format!("<meta name=robots content={robots}><body>{body}");
        let record = page(&url, &html);
        match random.usize(..16) {
            0 => {
                let rules = format!("User-agent: *\nDisallow: /{}", random.usize(..4));
                let url = format!("http://s{}.example/robots.txt", random.usize(..9));
                archive.extend(gzip(&plain_text(&url, rules.as_bytes())));
            }
            // A page whose bytes contain gzip members: the member of the page stores them without compression.
            1 | 2 => {
                let inner: Vec<u8> = (0..3)
                    .flat_map(|inner| gzip(&page(&format!("http://in.example/{inner}"), "<p>")))
                    .collect();
                let page = response(&url, "Content-Type: text/html", &inner);
                archive.extend(stored(&page));
            }
            // Two records in a member, and one record in two.
            3 => archive.extend(gzip(&[record.clone(), record].concat())),
            4 => {
                let (start, end) = record.split_at(record.len() / 2);
                archive.extend([gzip(start), gzip(end)].concat());
            }
            5 => {
                let mut broken = gzip(&record);
                let middle = broken.len() / 2;
                broken[middle] ^= 0x55;
                archive.extend(broken);
            }
            // A digit before the length makes it too large.
            6 => {
                let wrong = String::from_utf8(record).unwrap();
                let wrong = wrong.replace("Content-Length: ", "Content-Length: 1");
                archive.extend(gzip(wrong.as_bytes()));
            }
            7 => archive.extend(&gzip(&record)[..20]),
            8 => archive.extend(b"no member at all"),
            9 => archive.extend(gzip(b"\r\n\r\n")),
            // A member of more than 1 MiB, which is not unpacked in one call; only a few, as they are slow.
            10 if number % 4 == 0 => {
                let large = format!("{html}{}", text(&mut random, 2_500_000));
                archive.extend(gzip(&page(&url, &large)));
            }
            _ => archive.extend(gzip(&record)),
        }
    }
    archive
}

fn decide(path: &str, threads: &str, hold_back: &str) -> Outcome {
    command(&format!(
        "decide --json --now 2026-11-21 --threads {threads} --hold-back {hold_back} {path}"
    ))
}

#[test]
fn archives_are_decided_the_same_by_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc.gz");
    let archive = archive();
    assert!(archive.len() > 5_000_000, "{}", archive.len());
    std::fs::write(&path, &archive).unwrap();
    let path = path.to_str().unwrap();
    let expected = decide(path, "1", "64");
    expected.assert_success();
    // Most of the 400 members have a page that can be read.
    assert!(expected.stdout.lines().count() > 250);
    expected.assert_stderr_contains("corrupt gzip member");
    for (threads, hold_back) in [("1", "0"), ("2", "64"), ("3", "0"), ("8", "64")] {
        let outcome = decide(path, threads, hold_back);
        assert!(outcome.stdout == expected.stdout, "{threads} {hold_back}");
        assert_eq!(outcome.stderr, expected.stderr, "{threads} {hold_back}");
    }
}

#[test]
fn an_error_names_the_folder_that_waiting_pages_cannot_be_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("none");
    let archive = workspace().join("tests/fixtures/crawl.warc.gz");
    let decide = |hold_back: &str| {
        let words = ["decide", "--format", "csv", "--hold-back", hold_back];
        let mut command = Command::new(env!("CARGO_BIN_EXE_robots"));
        command.args(words).arg(&archive).env("TMPDIR", &missing);
        command.output().unwrap()
    };
    assert_eq!(decide("64").status.code(), Some(0));
    let outcome = decide("0");
    assert_eq!(outcome.status.code(), Some(2));
    let stderr = String::from_utf8(outcome.stderr).unwrap();
    let message = format!("cannot write to a temporary file in {}", missing.display());
    assert!(stderr.contains(&message), "{stderr}");
}

#[test]
fn archives_of_robots_replace_those_of_the_inputs() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, records: &[Vec<u8>]| {
        let path = folder.path().join(name);
        std::fs::write(&path, records.concat()).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let robots_txt =
        |rules: &str| gzip(&plain_text("http://a.example/robots.txt", rules.as_bytes()));
    let pages = write(
        "pages.warc.gz",
        &[
            gzip(&page("http://a.example/x", "<p>")),
            robots_txt("User-agent: *\nDisallow: /x"),
        ],
    );
    let other = write(
        "robots.warc.gz",
        &[robots_txt("User-agent: *\nDisallow: /y")],
    );
    let fetch = |words: &[&str]| {
        let outcome = robots(words);
        outcome.assert_success();
        let row: serde_json::Value = outcome.json();
        row["fetch"].as_str().unwrap().to_owned()
    };
    assert_eq!(fetch(&["decide", "--json", &pages]), "disallow");
    assert_eq!(
        fetch(&["decide", "--json", "--robots", &other, &pages]),
        "allow"
    );
    // --robots also replaces the robots.txt of a folder.
    let site = folder.path().join("site");
    std::fs::create_dir(&site).unwrap();
    std::fs::write(site.join("robots.txt"), "User-agent: *\nDisallow: /x").unwrap();
    std::fs::write(site.join("x.html"), "<p>").unwrap();
    let site = site.to_str().unwrap();
    let base = "http://a.example/";
    assert_eq!(
        fetch(&["decide", "--json", "--base", base, site]),
        "disallow"
    );
    let words = ["decide", "--json", "--base", base, "--robots", &other, site];
    assert_eq!(fetch(&words), "allow");
}

#[test]
fn absurd_numbers_of_threads_are_refused() {
    for threads in ["0", "1025", "100000", "x"] {
        assert_eq!(robots(["decide", "--threads", threads, "a.warc"]).code, 2);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc.gz");
    std::fs::write(&path, gzip(&page("http://a.example/x", "<p>"))).unwrap();
    assert_eq!(decide(path.to_str().unwrap(), "1024", "64").code, 0);
}
