//! Fixes change no decision of Google, and a fixed file has no finding with a fix. `ROBOTS_CASES` sets the number of
//! generated files.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test: an overflow or a panic fails it"
)]

#[allow(dead_code, reason = "the tests of robots-txt use the rest")]
#[path = "../../../robots-txt/tests/generator/mod.rs"]
mod generator;

use generator::FileGenerator;
use robots_lint::{Finding, RobotsTxtLinter, apply_fixes};
use robots_txt::analysis::diff;
use robots_txt::{Agent, Dialect, RobotsTxt};

/// Returns the number in an environment variable.
fn number(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().expect("a number"),
        Err(_) => default,
    }
}

/// Lints a body and applies the fixes until there are none. Returns the result and the number of fixes.
fn fix_all(body: &[u8]) -> (Vec<u8>, usize) {
    let linter = RobotsTxtLinter::new().with_limit(usize::MAX);
    let mut body = body.to_vec();
    let mut count = 0;
    loop {
        let lint = linter.lint(&RobotsTxt::parse(&body));
        let fixes: Vec<_> = lint.iter().filter_map(Finding::fix).collect();
        if fixes.is_empty() {
            return (body, count);
        }
        count += fixes.len();
        assert!(count < 100_000, "fixes come to an end");
        body = apply_fixes(&body, fixes).body;
    }
}

/// Returns a body with mistakes.
fn with_mistakes(generator: &mut FileGenerator, body: &[u8]) -> Vec<u8> {
    let mut careless: Vec<u8> = Vec::new();
    if generator.one_in(8) {
        careless.extend(b"\xEF\xBB\xBF");
    }
    for line in body.split_inclusive(|&byte| byte == b'\n') {
        let text = String::from_utf8_lossy(line).into_owned();
        let text = match generator.below(16) {
            0 => text.replace("Disallow", "Dissallow"),
            1 => text.replace("Disallow", "Disallowed"),
            2 => text.replace(": ", " "),
            3 => format!("  {text}"),
            4 => text.replace('\n', "\r"),
            5 => format!("{text}{text}"),
            6 => text.replace("User-agent", "useragent"),
            7 => text.replace('\n', "/2.1\n"),
            8 => format!("Sitemap https://a.example/s.xml\n{text}"),
            9 => format!("Crawl_delay: 3\n{text}"),
            10 => text.replace("Disallow: ", "Disalow "),
            11 => text.replace('\n', "\r\r\n"),
            12 => text.replace("Disallow:", "Disallow\u{a0}:"),
            _ => text,
        };
        careless.extend(text.as_bytes());
    }
    careless
}

#[test]
fn a_misspelt_field_without_a_colon_is_corrected_at_once() {
    let body = b"useragent *\nDisalow /x\nsite-map https://a.example/s.xml\n";
    let lint = RobotsTxtLinter::new().lint(&RobotsTxt::parse(body));
    let fixed = apply_fixes(body, lint.iter().filter_map(Finding::fix)).body;
    assert_eq!(
        String::from_utf8_lossy(&fixed),
        "User-agent: *\nDisallow: /x\nSitemap: https://a.example/s.xml\n"
    );
}

#[test]
fn fixes_change_no_decision_of_google() {
    let agents = ["Googlebot", "bingbot", "ExampleBot", "Other"].map(Agent::new);
    let mut fixes = 0;
    for seed in 0..number("ROBOTS_CASES", 50) {
        let mut generator = FileGenerator::new(seed);
        let file = generator.file();
        let body = with_mistakes(&mut generator, &file.body);
        let (fixed, count) = fix_all(&body);
        fixes += count;
        let (before, after) = (RobotsTxt::parse(&body), RobotsTxt::parse(&fixed));
        let changes = diff(&before, &after, &agents, |_| &Dialect::GOOGLE);
        assert!(
            changes.is_empty(),
            "seed {seed}: {:?}\n{}\nbecame\n{}",
            changes.iter().next(),
            body.escape_ascii(),
            fixed.escape_ascii()
        );
    }
    // The files had enough mistakes for the test to mean something.
    assert!(fixes > 100, "{fixes}");
}
