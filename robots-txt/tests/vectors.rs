//! The test vectors 60 to 71 of docs/semantics.md, section 9, about robots.txt: not 66 (tdmrep.json), 68 and 69 (META
//! tags). The case files in the workspace's tests cover other vectors.

#![allow(
    clippy::indexing_slicing,
    reason = "a test: an overflow or a panic fails it"
)]

use robots_txt::extension::Extensions;
use robots_txt::robots_usage::Preference;
use robots_txt::robots_usage::content_usage::{Usage, UsageCategory};
use robots_txt::{Dialect, RobotsTxt, Target};

fn parse(body: &str) -> RobotsTxt {
    RobotsTxt::parse(body.as_bytes())
}

/// Applies `ask` to the extensions of a file for a robot.
fn with_extensions<T>(body: &str, agent: &str, ask: impl FnOnce(&Extensions<'_>) -> T) -> T {
    let robots = parse(body);
    ask(&robots.extensions_for(agent, &Dialect::RFC9309))
}

fn train_ai(body: &str, agent: &str, path: &str) -> Preference {
    with_extensions(body, agent, |extensions| {
        let usage = extensions.preferences().content_usage(&Target::new(path));
        usage.value().preference(UsageCategory::TrainAi)
    })
}

#[test]
fn vector_60_the_example_of_content_usage() {
    let body = "User-agent: *\nAllow: /\nDisallow: /never/\nContent-Usage: train-ai=n\n\
                Content-Usage: /ai-ok/ train-ai=y\n";
    let rules = parse(body).rules("a", &Dialect::RFC9309);
    let crawls = |path: &str| rules.verdict(&Target::new(path)).is_allowed();
    assert!(crawls("/test"));
    assert_eq!(train_ai(body, "a", "/test"), Preference::Disallow);
    // A target that may not be fetched has no preferences (section 4.1), so only its verdict is checked.
    assert!(!crawls("/never/test"));
    assert!(crawls("/ai-ok/test"));
    assert_eq!(train_ai(body, "a", "/ai-ok/test"), Preference::Allow);
}

#[test]
fn vector_61_the_last_of_two_keys_is_unknown() {
    let body = "User-agent: *\nContent-Usage: train-ai=y, train-ai\n";
    assert_eq!(train_ai(body, "a", "/"), Preference::Unknown);
}

#[test]
fn vector_62_a_key_in_capitals_is_not_a_dictionary() {
    let body = "User-agent: *\nContent-Usage: Train-AI=n\n";
    assert_eq!(train_ai(body, "a", "/"), Preference::Unknown);
}

#[test]
fn vector_63_robots_txt_and_header_together() {
    let robots = with_extensions(
        "User-agent: *\nContent-Usage: train-ai=y\n",
        "a",
        |extensions| {
            extensions
                .preferences()
                .content_usage(&Target::new("/"))
                .value()
        },
    );
    let header = Usage::from_dictionary(b"train-ai=n").unwrap_or_default();
    assert_eq!(
        robots.combine(header).preference(UsageCategory::TrainAi),
        Preference::Disallow
    );
}

#[test]
fn vector_64_the_same_path_with_both() {
    let body = "User-agent: *\nContent-Usage: /a train-ai=y\nContent-Usage: /a train-ai=n\n";
    assert_eq!(train_ai(body, "a", "/a"), Preference::Disallow);
}

#[test]
fn vector_65_a_signal_for_everyone_is_not_for_a_robot_with_a_group() {
    let body = "User-agent: *\nContent-Signal: ai-train=no\n\nUser-agent: GPTBot\nAllow: /\n";
    let signal = |agent| {
        with_extensions(body, agent, |extensions| {
            let signals = extensions.preferences().content_signals(&Target::new("/"));
            signals.value().ai_train()
        })
    };
    assert_eq!(signal("GPTBot"), Preference::Unknown);
    assert_eq!(signal("OtherBot"), Preference::Disallow);
}

#[test]
fn vector_67_a_licence_of_the_group_hides_that_of_the_file() {
    let body = "License: https://a.example/file\n\nUser-agent: a\nLicense: https://a.example/group\n\
                Disallow: /x\n\nUser-agent: b\nDisallow: /x\n";
    let uris = |agent| {
        with_extensions(body, agent, |extensions| {
            let licenses = extensions.licenses().into_iter();
            licenses
                .map(|license| String::from_utf8_lossy(license.text()).into_owned())
                .collect::<Vec<_>>()
        })
    };
    assert_eq!(uris("a"), ["https://a.example/group"]);
    assert_eq!(uris("b"), ["https://a.example/file"]);
}

#[test]
fn vector_70_rates_and_hours() {
    let body = "User-agent: *\nRequest-rate: 1/10\nRequest-rate: 100/15m 0800-1600\n\
                Visit-time: 2200-0400\n";
    with_extensions(body, "a", |extensions| {
        let rates: Vec<_> = extensions.request_rates().collect();
        assert_eq!(rates.len(), 2);
        assert_eq!(rates[0].interval().as_secs(), 10);
        assert_eq!(rates[0].window(), None);
        // 100 requests in 15 minutes are one in 9 seconds.
        assert_eq!(rates[1].interval().as_secs(), 9);
        let hours = |minute: u16| {
            rates[1]
                .window()
                .is_some_and(|hours| hours.contains(minute))
        };
        assert!(hours(8 * 60) && hours(16 * 60 - 1) && !hours(16 * 60));
        let night = extensions.visit_time().map(|time| time.window());
        let open = |hour: u16| night.is_some_and(|night| night.contains(hour * 60));
        assert!(open(22) && open(0) && open(3) && !open(4) && !open(21));
    });
}

#[test]
fn vector_71_insignificant_parameters() {
    let body = "User-agent: Yandex\nDisallow:\nClean-param: ref&sid /forum/*.php\n";
    let clean = |url: &str| {
        with_extensions(body, "Yandex", |extensions| {
            String::from_utf8_lossy(&extensions.without_clean_params(url.as_bytes())).into_owned()
        })
    };
    assert_eq!(
        clean("https://a.example/forum/show.php?id=1&ref=2&sid=3#x"),
        "https://a.example/forum/show.php?id=1#x"
    );
    assert_eq!(
        clean("https://a.example/shop.php?id=1&ref=2"),
        "https://a.example/shop.php?id=1&ref=2"
    );
}
