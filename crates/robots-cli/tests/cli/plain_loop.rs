//! `robots decide` makes the same decisions as a plain loop over the pages, with `Policy::decide_page` or
//! `policy::decide`.

use crate::program::{json_lines, robots, workspace};
use robots_archive::http::Response;
use robots_archive::{Item, Reader};
use robots_meta::Timestamp;
use robots_policy::robots::RobotsResponse;
use robots_policy::{self as policy, Decision, Page, Policy, Profile, RobotsFetch};
use serde_json::Value;
use std::collections::HashMap;
use std::fs::File;
use std::path::Path;

robots_corpus::tests!(the_program_decides_a_real_crawl_as_a_plain_loop_does);

/// The maximum number of redirects of a robots.txt that are followed.
const MAX_REDIRECTS: usize = 5;

/// The time of the decisions.
const NOW: &str = "2026-11-21T00:00:00Z";

/// A response of an archive.
struct Capture {
    url: String,
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    is_html: bool,
    is_cut: bool,
}

impl Capture {
    fn header(&self, name: &str) -> Option<&str> {
        let has_name = |header: &&(String, String)| header.0.eq_ignore_ascii_case(name);
        self.headers
            .iter()
            .find(has_name)
            .map(|(_, value)| value.as_str())
    }

    fn page(&self) -> Page<'_> {
        let headers = self.headers.iter();
        let headers = headers.map(|(name, value)| (name.as_str(), value.as_str()));
        let page = Page::new(&self.url)
            .with_status(self.status)
            .with_headers(headers)
            .with_html(&self.body);
        if self.is_cut { page.cut_short() } else { page }
    }
}

/// Returns the HTTP responses of an archive.
fn read(archive: &Path) -> Vec<Capture> {
    let mut reader = Reader::open(File::open(archive).unwrap()).unwrap().unwrap();
    let mut all = Vec::new();
    while let Some(item) = reader.next_item().unwrap() {
        let Item::Record(record) = item else {
            continue;
        };
        let Some(url) = record.url.clone().filter(|_| record.kind == "response") else {
            continue;
        };
        let Ok(response) = Response::parse(&record.block) else {
            continue;
        };
        let headers = response.headers();
        all.push(Capture {
            url,
            status: response.status(),
            headers: headers
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            body: response.body().to_vec(),
            is_html: response.is_html() && !response.is_unread(),
            is_cut: record.cut.is_some() || response.is_cut(),
        });
    }
    all
}

/// Gives a policy the robots.txt files of an archive, and follows redirects. Each URL must have one response.
fn learn(policy: &Policy, all: &[Capture]) {
    let by_url: HashMap<&str, &Capture> = all
        .iter()
        .map(|capture| (capture.url.as_str(), capture))
        .collect();
    for robots_txt in all
        .iter()
        .filter(|capture| capture.url.ends_with("/robots.txt"))
    {
        let mut end = Some(robots_txt);
        for _ in 0..MAX_REDIRECTS {
            let Some(from) =
                end.filter(|capture| matches!(capture.status, 301 | 302 | 303 | 307 | 308))
            else {
                break;
            };
            let location = from.header("location").expect("a redirect leads somewhere");
            let target = url::Url::parse(&from.url).unwrap().join(location).unwrap();
            end = by_url.get(target.as_str()).copied();
        }
        // The archive does not have the target of a redirect, so the policy learns nothing about this site.
        let Some(end) = end else {
            continue;
        };
        let fetch = if (300..400).contains(&end.status) {
            RobotsFetch::TooManyRedirects
        } else {
            let response = RobotsResponse::new(end.status, &end.body);
            RobotsFetch::Response(
                response.with_content_type(end.header("content-type").unwrap_or_default()),
            )
        };
        policy.learn(&robots_txt.url, fetch).unwrap();
    }
}

/// Returns the decisions of the program.
fn by_program(archive: &Path, words: &[&str]) -> Vec<Value> {
    let path = archive.to_str().unwrap();
    let outcome = robots([&["decide", "--json", "--now", NOW, path], words].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    json_lines(&outcome.stdout)
}

/// Returns a decision as a row of the program, with the columns about the archive taken from `row`.
fn as_row(decision: &Decision, row: &Value) -> Value {
    let mut expected = serde_json::to_value(decision).unwrap();
    let object = expected.as_object_mut().unwrap();
    for key in ["file", "offset", "status"] {
        object.insert(key.to_owned(), row[key].clone());
    }
    expected
}

/// Asserts that program and loop decide the pages of an archive the same. Returns the number of pages.
fn assert_same_decisions(archive: &Path, profile: &Profile, agent: &str) -> usize {
    let all = read(archive);
    let policy = Policy::under(profile, agent).unwrap();
    learn(&policy, &all);
    let rows = by_program(archive, &["--profile", profile.name(), "--agent", agent]);
    let pages = all
        .iter()
        .filter(|capture| capture.is_html && !capture.url.ends_with("/robots.txt"));
    let now = Timestamp::parse(NOW).unwrap();
    let mut count = 0;
    for (capture, row) in pages.zip(&rows) {
        let decision = policy.decide_page(&capture.page().at(now));
        assert_eq!(&as_row(&decision, row), row, "{}", capture.url);
        count += 1;
    }
    assert_eq!(count, rows.len());
    count
}

/// Returns profiles, with a robot for each.
fn all_robots() -> [(Profile, &'static str); 3] {
    [
        (Profile::neutral(), "*"),
        (Profile::google(), "Googlebot"),
        (Profile::yandex(), "YandexBot"),
    ]
}

#[test]
fn the_program_decides_as_a_plain_loop_does() {
    let fixture = workspace().join("tests/fixtures/crawl.warc.gz");
    for (profile, agent) in &all_robots() {
        assert!(assert_same_decisions(&fixture, profile, agent) > 10);
    }
}

fn the_program_decides_a_real_crawl_as_a_plain_loop_does(corpus: &Path) {
    let crawl = corpus.join("corpus/crawl.warc.gz");
    for (profile, agent) in &all_robots() {
        assert!(assert_same_decisions(&crawl, profile, agent) > 1_000);
    }
    // `policy::decide` agrees on pages whose HTML alone determines the decision.
    let all = read(&crawl);
    let robot = Policy::default();
    learn(&robot, &all);
    policy::install(robot).unwrap();
    let rows = by_program(&crawl, &[]);
    let by_url: HashMap<&str, &Value> = rows
        .iter()
        .map(|row| (row["url"].as_str().unwrap(), row))
        .collect();
    let fields = [
        "fetch", "index", "follow", "archive", "snippet", "ai_train", "licenses",
    ];
    let mut compared = 0;
    for capture in all.iter().filter(|capture| capture.status == 200) {
        let concerns_robots = |(name, _): &(String, String)| {
            let name = name.to_ascii_lowercase();
            name.contains("robots")
                || name.contains("tdm")
                || name.contains("signal")
                || name == "link"
        };
        let Some(row) = by_url.get(capture.url.as_str()) else {
            continue;
        };
        // `policy::decide` takes only a URL and HTML: it does not know headers, the time, or whether the HTML is cut.
        if capture.headers.iter().any(concerns_robots)
            || capture.is_cut
            || !row["expires_at"].is_null()
        {
            continue;
        }
        let decision = serde_json::to_value(policy::decide(&capture.url, &capture.body)).unwrap();
        for field in fields {
            assert_eq!(decision[field], row[field], "{field} of {}", capture.url);
        }
        compared += 1;
    }
    assert!(compared > 500, "{compared}");
}
