//! The committed schema equals that of the types, and decisions conform to it. Decisions and compiled rules that are
//! written and read back are the same.

#![cfg(feature = "schema")]
#![allow(clippy::unwrap_used, reason = "a failure here fails the test")]

mod json_schema;

use robots_policy::decision::{Field, Source};
use robots_policy::robots::RobotsState;
use robots_policy::robots_meta::value::Rel;
use robots_policy::{Decision, Page, Policy, Profile, RobotsFetch};
use serde_json::Value;
use std::collections::BTreeSet;

#[test]
fn the_schema_is_that_of_the_types() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/decision.schema.json");
    let schema = Decision::schema();
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        let mut text = serde_json::to_string_pretty(&schema).unwrap();
        text.push('\n');
        std::fs::write(path, &text).unwrap();
    }
    // The order of keys depends on the build.
    let committed: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert!(
        committed == schema,
        "the types have changed: UPDATE_SCHEMA=1 cargo test -p robots-policy --features schema"
    );
}

#[test]
fn a_decision_has_the_keys_and_words_of_the_schema() {
    let schema = Decision::schema();
    let policy = Policy::new("a").unwrap();
    let url = "https://example.com/x";
    let robots = b"User-agent: *\nRequest-rate: 1/5\nVisit-time: 0000-2400\nCrawl-delay: 1\nLicense: https://a.example/l";
    policy.learn(url, RobotsFetch::Body(robots)).unwrap();
    let headers = [
        ("X-Robots-Tag", "noindex, max-snippet: 4"),
        ("Content-Usage", "train-ai=n"),
    ];
    let page = Page::new(url)
        .with_status(200)
        .with_headers(headers)
        .with_html(b"<meta name=robots content='index, foo'>");
    let decision = serde_json::to_value(policy.decide_page(&page)).unwrap();
    assert_eq!(json_schema::fault(&schema, &decision), None);
    // This decision has every key.
    let keys = |value: &Value| -> BTreeSet<String> {
        value.as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(keys(&decision), keys(&schema["properties"]));
    // Unknown keys and words are not valid, neither in the decision nor in its reasons and warnings.
    for place in ["", "/reasons/0", "/warnings/0"] {
        let mut changed = decision.clone();
        changed.pointer_mut(place).unwrap()["colour"] = "red".into();
        let fault = json_schema::fault(&schema, &changed).unwrap();
        assert!(fault.contains("no key \"colour\""), "{fault}");
    }
    let mut changed = decision.clone();
    changed["fetch"] = "maybe".into();
    assert!(json_schema::fault(&schema, &changed).is_some());
    let id = schema["$id"].as_str().unwrap();
    assert!(id.ends_with("/robots-policy/decision.schema.json"), "{id}");
}

#[test]
fn a_decision_reads_back_as_it_was_written() {
    let url = "https://example.com/x";
    let robots = b"User-agent: *\nRequest-rate: 100/15m 0800-1600\nVisit-time: 0000-2400\nCrawl-delay: 1.5\nLicense: https://a.example/l";
    let html: [&[u8]; 5] = [
        b"<meta name=robots content='noindex, max-snippet: 4, max-image-preview: large, unavailable_after: 2031-01-01'><meta name=revisit-after content='2 weeks'>",
        b"<meta name=robots content='index, foo, noarchive'><meta name=tdm-reservation content=1><meta name=revisit-after content='5 hours'>",
        // More days than the type of their number holds.
        b"<meta name=revisit-after content='4294967295 years'>",
        b"<meta name=revisit-after content='999999999 months'>",
        b"",
    ];
    let headers = [
        ("X-Robots-Tag", "nofollow"),
        ("Content-Usage", "train-ai=n"),
    ];
    for profile in Profile::all() {
        let policy = Policy::under(&profile, profile.agent()).unwrap();
        policy.learn(url, RobotsFetch::Body(robots)).unwrap();
        for html in html {
            let page = Page::new(url).with_headers(headers).with_html(html);
            let decision = policy.decide_page(&page);
            let text = serde_json::to_string(&decision).unwrap();
            let read: Decision = serde_json::from_str(&text).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), text);
            let later = text.replacen("\"version\":1", "\"version\":2", 1);
            let error = serde_json::from_str::<Decision>(&later).unwrap_err();
            assert!(error.to_string().contains("version 2"), "{error}");
            // The line of a rate and the unit of revisit-after are not serialised.
            let mut expected = decision.clone();
            expected.request_rates.clone_from(&read.request_rates);
            expected.revisit_after = read.revisit_after;
            assert_eq!(read, expected);
            for rel in ["nofollow", ""] {
                let rel = Rel::parse(rel);
                assert_eq!(read.follow_link(rel), decision.follow_link(rel));
            }
        }
    }
}

#[test]
fn rules_loaded_from_bytes_decide_as_their_file_does() {
    let files: [&[u8]; 5] = [
        b"",
        b"User-agent: *\nDisallow: /x$\nCrawl-delay: 3\nSitemap: https://example.com/s",
        b"User-agent: *\nDisallow: /y\nRequest-rate: 1/5\nContent-Signal: ai-train=no\nLicense: https://a.example/l",
        b"User-agent: *\nDisallow: https://example.com/x",
        b"User-agent: Google-Extended\nDisallow: /\n\nUser-agent: *\nContent-Signal: search=no\n\nUser-agent: Googlebot\nAllow: /",
    ];
    for profile in Profile::all() {
        let policy = Policy::under(&profile, profile.agent()).unwrap();
        for file in files {
            let bytes = policy.compile_to_bytes(file);
            let loaded = RobotsState::Rules(policy.load(&bytes).unwrap());
            let compiled = RobotsState::Rules(policy.compile(file));
            for url in ["https://example.com/x", "https://example.com/y"] {
                let page = Page::new(url).with_html(b"<title>a</title>");
                assert_eq!(
                    policy.decide_under(&loaded, &page),
                    policy.decide_under(&compiled, &page)
                );
            }
        }
        assert!(policy.load(b"").is_err());
        assert!(policy.load(b"Disallow: /").is_err());
    }
}

#[test]
fn the_fields_of_a_decision_are_the_keys_of_the_schema() {
    let schema = Decision::schema();
    let keys: BTreeSet<&str> = schema["properties"]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let mut expected: BTreeSet<&str> = Field::ALL.iter().map(|field| field.name()).collect();
    expected.extend(["version", "url", "agent", "profile", "reasons", "warnings"]);
    assert_eq!(keys, expected);
    let places = schema["$defs"]["Reason"]["oneOf"].as_array().unwrap();
    let kinds = places
        .iter()
        .map(|place| &place["properties"]["source"]["const"]);
    assert!(kinds.eq(Source::KINDS));
}
