//! Real crawls. They are not in the repository: see tests/README.md.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a failure here fails the test"
)]

mod program;

use program::{corpus, robots};
use std::collections::BTreeSet;

#[test]
fn every_page_of_the_crawl_has_a_decision() {
    let Some(corpus) = corpus() else {
        return;
    };
    let crawl = corpus.join("crawl.warc.gz");
    let outcome = robots([
        "decide",
        "--json",
        "--agent",
        "ExampleBot",
        crawl.to_str().unwrap(),
    ]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    // Each page is a line of the list of provenance that is no robots.txt.
    let provenance = std::fs::read_to_string(corpus.join("crawl.provenance.tsv")).unwrap();
    let pages = provenance
        .lines()
        .filter(|line| {
            let url = line.split('\t').next().unwrap_or_default();
            !url.ends_with("/robots.txt")
        })
        .count();
    println!("{pages} pages");
    assert_eq!(outcome.stdout.lines().count(), pages);
    let summary = format!("{pages} pages decided");
    assert!(outcome.stderr.contains(&summary));
}

#[test]
fn every_archive_is_read_to_its_end() {
    let Some(corpus) = corpus() else {
        return;
    };
    let mut archives = 0;
    for entry in std::fs::read_dir(corpus.join("warc")).unwrap() {
        let path = entry.unwrap().path();
        let outcome = robots(["decide", "--json", path.to_str().unwrap()]);
        let name = path.display();
        assert!(matches!(outcome.code, 0 | 2), "{name}: {}", outcome.stderr);
        assert!(outcome.stderr.contains("pages decided for *"), "{name}");
        // Each oddity is told once.
        let told: Vec<&str> = outcome
            .stderr
            .lines()
            .filter(|line| line.starts_with("warning: ") || line.starts_with("error: "))
            .collect();
        let once: BTreeSet<&str> = told.iter().copied().collect();
        assert_eq!(told.len(), once.len(), "{name}: {}", outcome.stderr);
        let path = path.to_str().unwrap();
        let now = ["--now", "2026-11-21", "--json", path];
        let of = |words: &[&str]| robots([&["decide"], words, &now].concat());
        let one = of(&["--threads", "1"]);
        for words in [["--threads", "3"], ["--hold-back", "0"]] {
            let other = of(&words);
            assert!(other.stdout == one.stdout, "{name}: {words:?}");
            assert_eq!(other.stderr, one.stderr, "{name}: {words:?}");
        }
        archives += 1;
    }
    println!("{archives} archives");
    assert!(archives > 0);
}
