//! The decisions that docs/decisions.md shows are those about the blocks that it shows.
//!
//! `UPDATE_DOCS=1 cargo test -p robots-tests --test docs` writes them anew; read every difference.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a failure here fails the test"
)]

use robots_meta::Timestamp;
use robots_policy::{Page, Policy, Profile, RobotsFetch};
use std::fmt::Write;
use std::path::Path;

const URL: &str = "https://shop.example/news/sale?page=2";

/// The text of the first block with this info string.
fn block<'d>(doc: &'d str, info: &str) -> &'d str {
    let (_, rest) = doc.split_once(&format!("\n```{info}\n")).unwrap();
    rest.split_once("```").unwrap().0
}

fn explained(doc: &str, profile: &str, agent: &str) -> String {
    let profile = Profile::by_name(profile).unwrap();
    let policy = Policy::under(&profile, agent);
    let at = |text| Timestamp::parse(text).unwrap();
    let robots = RobotsFetch::Body(block(doc, "robots.txt").as_bytes());
    policy
        .learn_at(URL, robots, at("2026-11-20T11:00:00Z"))
        .unwrap();
    let headers: Vec<(&str, &str)> = block(doc, "headers")
        .lines()
        .map(|line| line.split_once(": ").unwrap())
        .collect();
    let page = Page::new(URL)
        .with_status(200)
        .with_headers(headers)
        .with_html(block(doc, "html").as_bytes())
        .at(at("2026-11-20T12:00:00Z"));
    policy.decide_page(&page).explain().to_string()
}

#[test]
fn the_decisions_of_the_page() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/decisions.md");
    let doc = std::fs::read_to_string(&path).unwrap();
    let mut made = String::new();
    let mut decisions = 0;
    let mut rest = doc.as_str();
    while let Some((before, behind)) = rest.split_once("\n```decision ") {
        let (info, behind) = behind.split_once('\n').unwrap();
        let (profile, agent) = info.split_once(' ').unwrap();
        let text = explained(&doc, profile, agent);
        write!(made, "{before}\n```decision {info}\n{text}```").unwrap();
        // An empty block ends at once.
        rest = match behind.strip_prefix("```") {
            Some(rest) => rest,
            None => behind.split_once("\n```").unwrap().1,
        };
        decisions += 1;
    }
    made.push_str(rest);
    assert_eq!(decisions, 3);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &made).unwrap();
        return;
    }
    assert_eq!(made, doc, "UPDATE_DOCS=1 writes the page anew");
}

/// What the page calls a row, the requests with their hours, and the hour to decide for.
type Row = (&'static str, &'static [(RobotsFetch<'static>, i64)], i64);

/// The table of what became of a request.
#[test]
fn the_outcomes_of_the_page() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/decisions.md");
    let doc = std::fs::read_to_string(&path).unwrap();
    let time = |hours: i64| Timestamp::from_seconds(hours * 3600);
    let rows: [Row; 4] = [
        ("status 404", &[(RobotsFetch::Status(404), 0)], 1),
        (
            "status 503, an hour ago",
            &[(RobotsFetch::Status(503), 0)],
            1,
        ),
        (
            "status 503 for two days, with an older copy",
            &[
                (RobotsFetch::Body(b"User-agent: *\nDisallow: /"), 0),
                (RobotsFetch::Status(503), 12),
                (RobotsFetch::Status(503), 59),
            ],
            60,
        ),
        (
            "status 503 for two days, without one",
            &[
                (RobotsFetch::Status(503), 0),
                (RobotsFetch::Status(503), 47),
            ],
            48,
        ),
    ];
    for (name, requests, now) in rows {
        let mut line = format!("| {name} |");
        for (profile, agent) in [
            ("google", "Googlebot"),
            ("bing", "bingbot"),
            ("yandex", "YandexBot"),
        ] {
            let policy = Policy::under(&Profile::by_name(profile).unwrap(), agent);
            for (fetch, at) in requests {
                policy.learn_at(URL, *fetch, time(*at)).unwrap();
            }
            let decision = policy.decide_page(&Page::new(URL).at(time(now)));
            let is_rule = decision.explain().to_string().contains("Disallow: /");
            let cell = match decision.fetch.as_str() {
                _ if is_rule => "the copy",
                "allow" => "everything is allowed",
                "disallow" => "nothing",
                "defer" => "nothing now, ask again",
                other => panic!("{other}"),
            };
            write!(line, " {cell} |").unwrap();
        }
        assert!(doc.contains(&line), "{line}");
    }
}
