//! The reports of the analyses hold for each path. On generated files, every example path confirms
//! its report. Where a report lists no difference, no tried URL shows one.

#![allow(
    clippy::indexing_slicing,
    reason = "a test: an overflow or a panic fails it"
)]

mod generator;

use generator::{File, FileGenerator};
use robots_txt::analysis::{PathVerdict, Restriction, ShadowCause, diff};
use robots_txt::select::Group;
use robots_txt::{Agent, Dialect, RobotsTxt, Rules, Target};

/// Returns whether a path has only characters of URLs, and escapes.
fn is_of_url(path: &[u8]) -> bool {
    let is_plain =
        |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~:/?@!$&'()*+,;=[]".contains(byte);
    match path {
        [] => true,
        [b'%', high, low, rest @ ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
            is_of_url(rest)
        }
        [byte, rest @ ..] => is_plain(byte) && is_of_url(rest),
    }
}

/// Returns the paths of some URLs for a file, with only characters of URLs ([`is_of_url`]).
fn urls(generator: &mut FileGenerator, file: &File) -> Vec<String> {
    (0..24)
        .map(|_| generator.url(file))
        .map(|url| url.replace("https://example.com", "").replace("#top", ""))
        .filter(|url| is_of_url(url.as_bytes()))
        .collect()
}

/// Returns the URL of a path. A path alone could look like a URL: `//a` begins with a host.
fn url_of(path: &str) -> String {
    format!("https://example.com{path}")
}

fn allows(rules: &Rules, url: &str) -> bool {
    rules.verdict(&Target::new(&url_of(url))).is_allowed()
}

#[test]
fn summaries_hold_for_each_path() {
    let mut generator = FileGenerator::new(2);
    let mut seen = std::collections::BTreeMap::new();
    for round in 0..600 {
        let file = generator.file();
        let robots = RobotsTxt::parse(&file.body);
        let dialect = &Dialect::ALL[round % Dialect::ALL.len()];
        let agent = generator.agent();
        let rules = robots.rules(&agent, dialect);
        let summary = rules.summary();
        *seen.entry(summary.restriction()).or_insert(0) += 1;
        assert!(summary.allowed().is_none_or(|path| allows(&rules, path)));
        assert!(
            summary
                .disallowed()
                .is_none_or(|path| !allows(&rules, path))
        );
        if !summary.is_complete() {
            continue;
        }
        // The restriction without a search is the same: of compiled rules, and of the groups of a file.
        assert_eq!(rules.restriction(), summary.restriction());
        let groups = robots.groups(&Dialect::RFC9309);
        // Two groups at a time, as if one robot obeyed both.
        for two in groups.chunks(2) {
            let directives = two.iter().flat_map(Group::directives);
            let rules = Rules::of_directives(&robots, directives, &Dialect::RFC9309);
            let searched = rules.summary();
            if searched.is_complete() {
                let body = file.body.escape_ascii();
                assert_eq!(rules.restriction(), searched.restriction(), "{body}");
            }
        }
        for url in urls(&mut generator, &file) {
            let is_allowed = allows(&rules, &url);
            match summary.restriction() {
                Restriction::None => assert!(is_allowed, "{url} {}", dialect.name()),
                Restriction::All => {
                    // `/robots.txt` itself does not count.
                    assert!(
                        !is_allowed || url == "/robots.txt",
                        "{url} {}",
                        dialect.name()
                    );
                }
                _ => {}
            }
        }
    }
    // The generated files differ: there are several restrictions.
    assert!(seen.len() > 2, "{seen:?}");
}

#[test]
fn differences_between_dialects_hold_for_each_path() {
    let mut generator = FileGenerator::new(3);
    let (mut differing, mut agreeing) = (0, 0);
    for round in 0..400 {
        let file = generator.file();
        let robots = RobotsTxt::parse(&file.body);
        let pair = [
            Dialect::ALL[round % Dialect::ALL.len()],
            // Changes more slowly, so that there are many different pairs.
            Dialect::ALL[(round / 3) % Dialect::ALL.len()],
        ];
        let agent = generator.agent();
        let found = robots.divergence(&agent, &pair);
        for divergence in found.iter() {
            let decisions: Vec<bool> = divergence
                .verdicts()
                .iter()
                .map(PathVerdict::is_allowed)
                .collect();
            assert_ne!(
                decisions[0],
                decisions[1],
                "{} {:?}",
                divergence.path(),
                pair.map(|d| d.name().to_owned())
            );
            differing += 1;
        }
        if !found.is_empty() || !found.is_complete() {
            continue;
        }
        agreeing += 1;
        let rules = pair.map(|dialect| robots.rules(&agent, &dialect));
        for url in urls(&mut generator, &file) {
            let both = [allows(&rules[0], &url), allows(&rules[1], &url)];
            assert_eq!(
                both[0],
                both[1],
                "{url} {:?}\n{}",
                pair.map(|dialect| dialect.name().to_owned()),
                file.body.escape_ascii()
            );
        }
    }
    // Both cases occur often.
    assert!(differing > 200 && agreeing > 50, "{differing} {agreeing}");
}

#[test]
fn changes_hold_for_each_path() {
    let mut generator = FileGenerator::new(4);
    let (mut changed, mut same) = (0, 0);
    for round in 0..400 {
        let file = generator.file();
        let dialect = &Dialect::ALL[round % Dialect::ALL.len()];
        let before = RobotsTxt::parse(&file.body);
        // The changed file lacks one line.
        let left_out = round % before.lines().count();
        let lines = before.lines().enumerate().filter(|(at, _)| *at != left_out);
        let body: Vec<&[u8]> = lines.map(|(_, line)| line.bytes()).collect();
        let after = RobotsTxt::parse(body.join(&b"\n"[..]));
        let agent: Agent<'_> = generator.agent();
        let found = diff(&before, &after, std::slice::from_ref(&agent), |_| dialect);
        changed += found.iter().len();
        for change in found.iter() {
            assert_ne!(change.before().is_allowed(), change.after().is_allowed());
        }
        if !found.is_empty() || !found.is_complete() {
            continue;
        }
        same += 1;
        let rules = [before.rules(&agent, dialect), after.rules(&agent, dialect)];
        for url in urls(&mut generator, &file) {
            assert_eq!(allows(&rules[0], &url), allows(&rules[1], &url), "{url}");
        }
    }
    // Both cases occur often.
    assert!(changed > 20 && same > 100, "{changed} {same}");
}

#[test]
fn shadows_never_decide() {
    let mut generator = FileGenerator::new(5);
    let mut found = 0;
    for round in 0..400 {
        let file = generator.file();
        let dialect = &Dialect::ALL[round % Dialect::ALL.len()];
        let rules = RobotsTxt::parse(&file.body).rules(generator.agent(), dialect);
        let shadows = rules.shadows();
        let lines: Vec<usize> = shadows.iter().map(|one| one.rule().line()).collect();
        found += lines.len();
        for shadow in &shadows {
            match shadow.cause() {
                ShadowCause::Duplicate(of) => assert!(of.line() < shadow.rule().line()),
                ShadowCause::Outranked(by) => assert_ne!(by, shadow.rule()),
                _ => {}
            }
        }
        for url in urls(&mut generator, &file) {
            let url = url_of(&url);
            let verdict = rules.verdict(&Target::new(&url));
            assert!(
                verdict.line().is_none_or(|line| !lines.contains(&line)),
                "{url}: {verdict} {}",
                dialect.name()
            );
        }
    }
    // Shadows occur often.
    assert!(found > 100, "{found}");
}
