//! `robots decide --skim`: pages are not decompressed past their HEAD.

use crate::program::{Outcome, gzip, page, response, robots};
use fastrand::Rng;
use std::fmt::Write;

/// Returns the records of a crawl: pages of all sizes, whose HEAD ends early, late or never, and other records.
fn records() -> Vec<Vec<u8>> {
    let mut random = Rng::with_seed(5);
    let mut records = Vec::new();
    for number in 0..150 {
        let url = format!("http://a.example/{number}");
        let bytes = random.usize(..300_000);
        let text: String = std::iter::repeat_with(|| random.alphanumeric())
            .take(bytes)
            .collect();
        let word = ["noindex", "nofollow", "none"][number % 3];
        let html = match number % 5 {
            // The META follows a long comment.
            0 => format!("<!--{text}--><meta name=robots content={word}><body>"),
            1 => format!("<title>{text}"),
            _ => format!("<meta name=robots content={word}><body>{text}"),
        };
        let compressed = gzip(html.as_bytes());
        records.push(match number % 7 {
            0 => response(
                &url,
                "Content-Type: text/html\r\nContent-Encoding: gzip",
                &compressed,
            ),
            1 => response(&url, "Content-Type: image/png", text.as_bytes()),
            2 => {
                let chunks = format!("{:x}\r\n{html}\r\n0\r\n\r\n", html.len());
                let headers = "Content-Type: text/html\r\nTransfer-Encoding: chunked";
                response(&url, headers, chunks.as_bytes())
            }
            3 => {
                let headers = format!("Content-Type: text/html\r\nContent-Length: {}", html.len());
                response(&url, &headers, html.as_bytes())
            }
            _ => page(&url, &html),
        });
    }
    // So long that a skimmed robots.txt would lose its last rule.
    let mut rules = "User-agent: *\n".to_owned();
    for number in 0..9_000 {
        writeln!(rules, "Disallow: /x{number}").unwrap();
    }
    rules.push_str("Disallow: /1");
    records.push(response(
        "http://a.example/robots.txt",
        "Content-Type: text/plain",
        rules.as_bytes(),
    ));
    records
}

fn decide(archive: &[u8], words: &[&str]) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc.gz");
    std::fs::write(&path, archive).unwrap();
    let fixed = [
        "decide",
        "--json",
        "--now",
        "2026-11-21",
        path.to_str().unwrap(),
    ];
    let mut outcome = robots([&fixed[..], words].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    outcome.stdout = outcome.stdout.replace(folder.path().to_str().unwrap(), "");
    outcome
}

#[test]
fn skimmed_pages_get_the_same_decisions() {
    let records = records();
    let zstd = |record: &Vec<u8>| zstd::encode_all(&record[..], 1).unwrap();
    let each: Vec<u8> = records.iter().flat_map(|record| gzip(record)).collect();
    let frames: Vec<u8> = records.iter().flat_map(zstd).collect();
    // Only archives with one record per member can be skimmed. In these members, there are two.
    let pairs: Vec<u8> = records
        .chunks(2)
        .flat_map(|pair| gzip(&pair.concat()))
        .collect();
    for (what, archive) in [
        ("a member each", each),
        ("a frame each", frames),
        ("two in a member", pairs),
        ("one member", gzip(&records.concat())),
        ("plain", records.concat()),
    ] {
        let expected = decide(&archive, &[]);
        assert!(expected.stdout.lines().count() > 100, "{what}");
        for words in [
            &["--skim", "--threads", "1"][..],
            // No page waits in memory: all wait in the temporary file.
            &["--skim", "--threads", "3", "--hold-back", "0"],
        ] {
            let outcome = decide(&archive, words);
            let (lines, expected_lines) = (outcome.stdout.lines(), expected.stdout.lines());
            let count = (lines.clone().count(), expected_lines.clone().count());
            let other = lines.zip(expected_lines).find(|(a, b)| a != b);
            assert!(
                outcome.stdout == expected.stdout,
                "{what}: {count:?} {other:?}"
            );
            assert_eq!(outcome.stderr, expected.stderr, "{what}");
        }
    }
}

#[test]
fn a_profile_that_reads_body_cannot_skim() {
    let outcome = robots([
        "decide",
        "--skim",
        "--profile",
        "google",
        "tests/fixtures/crawl.warc.gz",
    ]);
    assert_eq!(outcome.code, 2);
    outcome.assert_stderr_contains("google obeys METAs in BODY");
}
