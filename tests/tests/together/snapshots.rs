//! Decisions about every page of the recorded crawl of the fixture sites: for three robots each with reasons, and
//! under every profile.

use robots_archive::Record;
use robots_archive::http::Response;
use robots_meta::Timestamp;
use robots_policy::{Decision, Page, Policy, Profile, RobotsFetch};
use robots_tests::site;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Decides about every response of the crawl that belongs to a site, robots.txt first.
fn decisions(records: &[Record], site: &site::Site, policy: &Policy) -> Vec<Decision> {
    let now = Timestamp::parse(&site.now).unwrap();
    let responses: Vec<(&str, Response)> = records
        .iter()
        .filter(|record| record.kind == "response")
        .map(|record| {
            let url = record.url.as_deref().unwrap();
            (url, Response::parse(&record.block).unwrap())
        })
        .filter(|(url, _)| url.starts_with(&site.origin))
        .collect();
    let robots_url = format!("{}/robots.txt", site.origin);
    for (url, response) in &responses {
        if *url == robots_url {
            let fetch = match response.status() {
                200..=299 => RobotsFetch::Body(response.body()),
                status => RobotsFetch::Status(status),
            };
            policy.learn(url, fetch).unwrap();
        }
    }
    let mut decisions = Vec::new();
    for (url, response) in &responses {
        if *url == robots_url {
            continue;
        }
        let mut page = Page::new(url)
            .with_status(response.status())
            .with_headers(response.headers())
            .at(now);
        if let Some(charset) = response.media_type().charset() {
            page = page.with_charset(charset);
        }
        page = if response.is_html() {
            page.with_html(response.body())
        } else {
            page.not_html()
        };
        decisions.push(policy.decide_page(&page));
    }
    decisions
}

fn explained(decisions: &[Decision]) -> String {
    decisions.iter().fold(String::new(), |mut text, decision| {
        writeln!(text, "{}", decision.explain()).unwrap();
        text
    })
}

/// Returns a line per page and profile: the decision for the profile's first robot.
fn by_profile(records: &[Record], site: &site::Site) -> String {
    let all: Vec<Vec<Decision>> = Profile::all()
        .map(|profile| {
            decisions(
                records,
                site,
                &Policy::under(&profile, profile.agent()).unwrap(),
            )
        })
        .collect();
    let mut text = String::new();
    for page in 0..all.first().unwrap().len() {
        for (index, decisions) in all.iter().enumerate() {
            let decision = decisions.get(page).unwrap();
            if index == 0 {
                writeln!(text, "{}", decision.url).unwrap();
            }
            let Decision {
                profile,
                fetch,
                index,
                follow,
                archive,
                ai_train,
                ai_input,
                ..
            } = decision;
            let (snippet, delay) = (decision.snippet, decision.crawl_delay);
            writeln!(
                text,
                "  {profile:<18} fetch {fetch:<8} index {index:<8} follow {follow:<8} archive {archive:<8} \
                 train {ai_train:<8} input {ai_input:<8} snippet {snippet:?} delay {delay:?}"
            )
            .unwrap();
        }
    }
    text
}

#[test]
fn every_page_of_the_fixture_sites() {
    let records = robots_corpus::records(&site::fixtures().join("crawl.warc.gz")).unwrap();
    let mut names = BTreeSet::new();
    insta::with_settings!({prepend_module_to_snapshot => false, omit_expression => true}, {
        for (name, site) in site::all().unwrap() {
            assert_eq!(site.agents.len(), 3, "{name}: three robots");
            for agent in &site.agents {
                let snapshot = format!("{name}@{agent}");
                let policy = Policy::new(agent).unwrap();
                let text = explained(&decisions(&records, &site, &policy));
                insta::assert_snapshot!(snapshot.as_str(), text);
                names.insert(format!("{snapshot}.snap"));
            }
            let snapshot = format!("{name}@profiles");
            insta::assert_snapshot!(snapshot.as_str(), by_profile(&records, &site));
            names.insert(format!("{snapshot}.snap"));
        }
    });
    // A snapshot without a robot is stale.
    let kept: BTreeSet<String> = std::fs::read_dir(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/together/snapshots"
    ))
    .unwrap()
    .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
    .collect();
    assert_eq!(
        kept, names,
        "snapshots that are there, and those that are used"
    );
}

/// Removes the numbers of header lines from an explanation: the crawled server sent more headers.
fn without_line_numbers(explained: &str) -> String {
    let mut text = String::new();
    for part in explained.split_inclusive(" header line ") {
        text.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    text
}

/// Checks that the recorded crawl leads to the decisions of the sites' folders.
#[test]
fn the_crawl_is_that_of_the_folders() {
    let records = robots_corpus::records(&site::fixtures().join("crawl.warc.gz")).unwrap();
    for (name, site) in site::all().unwrap() {
        for agent in &site.agents {
            let policy = Policy::new(agent).unwrap();
            let recorded = without_line_numbers(&explained(&decisions(&records, &site, &policy)));
            for record in records.iter().filter(|record| record.kind == "response") {
                let url = record.url.as_deref().unwrap();
                let Some(path) = url.strip_prefix(&site.origin) else {
                    continue;
                };
                if path == "/robots.txt" {
                    continue;
                }
                let from_folder = site
                    .decide(Profile::of_robot(agent), agent, path)
                    .unwrap()
                    .explain()
                    .to_string();
                assert!(
                    recorded.contains(&without_line_numbers(&from_folder)),
                    "{name}: record the crawl again with fixtures/crawl.sh; this is new:\n{from_folder}"
                );
            }
        }
    }
}
