//! `Dialect::GOOGLE` against google/robotstxt: the library's verdicts on files of our own, and its verdicts
//! and line facts on every file of the corpus.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::MultiGzDecoder;
use robots_archive::http::Response;
use robots_txt::parse::{Field, LineFacts, LineKind, Spelling};
use robots_txt::{Dialect, RobotsTxt, Rules, Target};
use serde::Deserialize;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

robots_corpus::tests!(every_verdict_and_its_line, every_fact_of_every_line);

/// Reads the robots.txt files of the corpus, by URL.
fn files(corpus: &Path) -> HashMap<String, RobotsTxt> {
    robots_corpus::records(&corpus.join("corpus/robots.warc.gz"))
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

/// One of our own files, with the library's verdicts.
#[derive(Deserialize)]
struct MadeFile {
    name: String,
    /// The file, unless it is not valid UTF-8.
    body: Option<String>,
    body_base64: Option<String>,
    ask: Vec<Question>,
}

#[derive(Deserialize)]
struct Question {
    agent: String,
    url: String,
    allowed: bool,
    line: usize,
}

#[test]
fn every_verdict_on_our_own_files() {
    let set = Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/google.jsonl.gz");
    let mut asked = 0_usize;
    let mut failures = Vec::new();
    for file in rows::<MadeFile>(&set) {
        let body = match (&file.body, &file.body_base64) {
            (Some(text), None) => text.clone().into_bytes(),
            (None, Some(base64)) => STANDARD.decode(base64).unwrap(),
            _ => panic!("{}: body or body_base64", file.name),
        };
        let robots = RobotsTxt::parse(&body);
        for question in &file.ask {
            let rules = robots.rules(&question.agent, &Dialect::GOOGLE);
            let verdict = rules.verdict(&Target::new(&question.url));
            let answer = (verdict.is_allowed(), verdict.line().unwrap_or(0));
            if answer != (question.allowed, question.line) {
                let Question { agent, url, .. } = question;
                failures.push(format!("{}: {url:?} for {agent}: {answer:?}", file.name));
            }
            asked += 1;
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
    assert_eq!(asked, 6_798);
}

#[derive(Deserialize)]
struct VerdictRow {
    robots: String,
    agent: String,
    url: String,
    allowed: bool,
    line: usize,
}

fn every_verdict_and_its_line(corpus: &Path) {
    let files = files(corpus);
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

/// Returns the lines of a file as google/robotstxt reports them, without blank lines.
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
            // The library escapes the values of unknown fields and of rules in the same way.
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

/// Returns the value of a rule in the form that is matched.
fn pattern(value: &[u8]) -> String {
    let body = [b"User-agent: *\nDisallow: ", value].concat();
    let rules = RobotsTxt::parse(&body).rules("*", &Dialect::GOOGLE);
    latin1(rules.iter().next().unwrap().pattern())
}

fn every_fact_of_every_line(corpus: &Path) {
    let files = files(corpus);
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
    assert!(lines > 0);
}
