//! `Dialect::GOOGLE` against google/robotstxt: what the library said of every file of the corpus.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failure here fails the test"
)]

use flate2::read::MultiGzDecoder;
use robots_archive::http::Response;
use robots_tests::corpus;
use robots_txt::{Dialect, Field, LineFacts, LineKind, RobotsTxt, Rules, Spelling, Target};
use serde::Deserialize;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// The robots.txt files of the corpus, by URL.
fn files(corpus: &Path) -> HashMap<String, RobotsTxt> {
    corpus::records(&corpus.join("corpus/robots.warc.gz"))
        .unwrap()
        .into_iter()
        .filter(|record| record.kind == "response")
        .map(|record| {
            let response = Response::parse(&record.block).unwrap();
            (record.url.unwrap(), RobotsTxt::parse(response.body()))
        })
        .collect()
}

fn rows<T: serde::de::DeserializeOwned>(path: &Path) -> impl Iterator<Item = T> {
    BufReader::new(MultiGzDecoder::new(File::open(path).unwrap()))
        .lines()
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
}

#[derive(Deserialize)]
struct VerdictRow {
    robots: String,
    agent: String,
    url: String,
    allowed: bool,
    line: usize,
}

#[test]
fn every_verdict_and_its_line() {
    let Some(corpus) = corpus::folder() else {
        return;
    };
    let files = files(&corpus);
    let mut compiled: HashMap<(String, String), Rules> = HashMap::new();
    let mut asked = 0_usize;
    for row in rows::<VerdictRow>(&corpus.join("conformance/google-verdicts.jsonl.gz")) {
        let rules = compiled
            .entry((row.robots.clone(), row.agent.clone()))
            .or_insert_with(|| files[&row.robots].rules(&row.agent, &Dialect::GOOGLE));
        let verdict = rules.verdict(&Target::new(&row.url));
        assert_eq!(
            (verdict.is_allowed(), verdict.line().unwrap_or(0)),
            (row.allowed, row.line),
            "{} for {} of {}: {verdict}",
            row.url,
            row.agent,
            row.robots
        );
        asked += 1;
    }
    println!("{asked} verdicts");
    assert!(asked > 0);
}

/// `[line, kind, key, value, typo, too long, no colon, has comment]`.
type Event = (usize, String, String, String, u8, u8, u8, u8);

#[derive(Deserialize)]
struct EventRow {
    robots: String,
    events: Vec<Event>,
    last_line: usize,
    valid: usize,
    unused: usize,
}

fn latin1(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}

/// What google/robotstxt reports of a file: its lines but the blank ones, in its words.
fn events(robots: &RobotsTxt) -> Vec<Event> {
    let mut found = Vec::new();
    for line in robots.lines_under(&Dialect::GOOGLE) {
        let facts = line.facts();
        let flag = |fact| u8::from(facts.contains(fact));
        let has_comment = flag(LineFacts::COMMENT);
        let (kind, key, value) = match (line.kind(), line.field()) {
            (LineKind::Blank, _) => continue,
            (LineKind::Comment, _) => ("comment", String::new(), String::new()),
            (LineKind::Junk, _) => ("skipped", String::new(), String::new()),
            (_, Field::UserAgent) => ("user-agent", String::new(), latin1(line.value())),
            (_, Field::Allow) => ("allow", String::new(), pattern(line.value())),
            (_, Field::Disallow) => ("disallow", String::new(), pattern(line.value())),
            (_, Field::Sitemap) => ("sitemap", String::new(), latin1(line.value())),
            // The library escapes the values of unknown fields as it does those of rules.
            _ => ("unknown", latin1(line.key()), pattern(line.value())),
        };
        found.push((
            line.number(),
            kind.to_owned(),
            key,
            value,
            u8::from(line.spelling() == Spelling::Typo),
            flag(LineFacts::LONG),
            flag(LineFacts::NO_COLON),
            has_comment,
        ));
    }
    found
}

/// The value of a rule as the matcher sees it.
fn pattern(value: &[u8]) -> String {
    let body = [b"User-agent: *\nDisallow: ", value].concat();
    let rules = RobotsTxt::parse(&body).rules("*", &Dialect::GOOGLE);
    latin1(rules.iter().next().unwrap().pattern())
}

#[test]
fn every_fact_of_every_line() {
    let Some(corpus) = corpus::folder() else {
        return;
    };
    let files = files(&corpus);
    let mut lines = 0_usize;
    for row in rows::<EventRow>(&corpus.join("conformance/google-events.jsonl.gz")) {
        let robots = &files[&row.robots];
        let found = events(robots);
        for (found, expected) in found.iter().zip(&row.events) {
            assert_eq!(found, expected, "{}", row.robots);
        }
        assert_eq!(found.len(), row.events.len(), "{}", row.robots);
        assert_eq!(robots.lines().count(), row.last_line, "{}", row.robots);
        let directives = robots.directives(&Dialect::GOOGLE);
        let (valid, unused): (Vec<_>, Vec<_>) = directives.partition(|directive| {
            matches!(
                directive.field(),
                Field::UserAgent | Field::Allow | Field::Disallow | Field::Sitemap
            )
        });
        assert_eq!(valid.len(), row.valid, "{}", row.robots);
        assert_eq!(unused.len(), row.unused, "{}", row.robots);
        lines += found.len();
    }
    println!("{lines} lines");
    assert!(lines > 0);
}
