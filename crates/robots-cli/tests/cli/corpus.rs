//! Real crawls. They are not in the repository: see tests/README.md.

use crate::program::{command, robots};
use robots_policy::text::counted;
use std::collections::BTreeSet;
use std::path::Path;

robots_corpus::tests!(
    every_page_of_the_crawl_has_a_decision,
    every_archive_is_read_to_its_end
);

fn every_page_of_the_crawl_has_a_decision(corpus: &Path) {
    let crawl = corpus.join("corpus/crawl.warc.gz");
    let outcome = command(&format!(
        "decide --json --agent ExampleBot {}",
        crawl.display()
    ));
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    // The list of provenance has a line for each page and each robots.txt.
    let provenance = std::fs::read_to_string(corpus.join("corpus/crawl.provenance.tsv")).unwrap();
    let pages = provenance
        .lines()
        .filter(|line| {
            let url = line.split('\t').next().unwrap_or_default();
            !url.ends_with("/robots.txt")
        })
        .count();
    assert_eq!(outcome.stdout.lines().count(), pages);
    let summary = format!("{} decided", counted(pages as u64, "page"));
    assert!(outcome.stderr.contains(&summary));
}

fn every_archive_is_read_to_its_end(corpus: &Path) {
    let mut archives = 0;
    for entry in std::fs::read_dir(corpus.join("corpus/warc")).unwrap() {
        let path = entry.unwrap().path();
        let outcome = robots(["decide", "--json", path.to_str().unwrap()]);
        let name = path.display();
        // The code is 2 if an archive is so damaged that no page of it can be decided, or that reading it fails.
        assert!(matches!(outcome.code, 0 | 2), "{name}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(" decided for *"), "{name}");
        // Each warning or error is reported once.
        let reports: Vec<&str> = outcome
            .stderr
            .lines()
            .filter(|line| line.starts_with("warning: ") || line.starts_with("error: "))
            .collect();
        let distinct: BTreeSet<&str> = reports.iter().copied().collect();
        assert_eq!(reports.len(), distinct.len(), "{name}: {}", outcome.stderr);
        let path = path.to_str().unwrap();
        let fixed = ["--now", "2026-11-21", "--json", path];
        let decide = |words: &[&str]| robots([&["decide"], words, &fixed].concat());
        let expected = decide(&["--threads", "1"]);
        for words in [["--threads", "3"], ["--hold-back", "0"]] {
            let outcome = decide(&words);
            assert!(outcome.stdout == expected.stdout, "{name}: {words:?}");
            assert_eq!(outcome.stderr, expected.stderr, "{name}: {words:?}");
        }
        archives += 1;
    }
    assert!(archives > 0);
}
