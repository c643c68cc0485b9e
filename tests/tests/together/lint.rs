//! The linter: the examples of crates/robots-lint/lints.md, and fixes of real files. With `ROBOTS_CASES`, the fixes of all files are
//! compared, otherwise those of every eighth.

use robots_archive::http::Response;
use robots_lint::{Finding, FindingKind as Kind, RobotsTxtLinter, Severity, apply_fixes};
use robots_policy::profile::AgentTable;
use robots_txt::analysis::diff;
use robots_txt::{Agent, Dialect, RobotsTxt};
use std::path::Path;

robots_corpus::tests!(fixes_of_real_files_change_nothing_at_google);

/// Kinds whose examples are too large for a document, or names of files.
const WITHOUT_EXAMPLE: [Kind; 3] = [Kind::OverSizeLimit, Kind::LongLine, Kind::MisnamedFile];

fn linter() -> RobotsTxtLinter {
    RobotsTxtLinter::new().with_known_robots(AgentTable::built_in())
}

/// Returns the examples of a section, in order.
fn examples(section: &str) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    for block in section.split("```robots").skip(1) {
        let (info, rest) = block.split_once('\n').unwrap();
        let (text, _) = rest.split_once("```").unwrap();
        found.push(match info {
            "" => text.as_bytes().to_vec(),
            "-escaped" => unescaped(text),
            other => panic!("robots{other}"),
        });
    }
    found
}

/// Reads `\0`, `\r`, `\n`, `\\` and `\xEF`.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('\\') {
        bytes.extend(before.as_bytes());
        let (kind, after) = escape.split_at(1);
        rest = after;
        match kind {
            "0" => bytes.push(0),
            "r" => bytes.push(b'\r'),
            "n" => bytes.push(b'\n'),
            "\\" => bytes.push(b'\\'),
            "x" => {
                let (digits, after) = after.split_at(2);
                rest = after;
                bytes.push(u8::from_str_radix(digits, 16).unwrap());
            }
            other => panic!("\\{other}"),
        }
    }
    bytes.extend(rest.as_bytes());
    bytes
}

#[test]
fn every_kind_has_an_example_and_a_better_one() {
    let text = include_str!("../../../crates/robots-lint/lints.md");
    // `robots-cli` tests the examples of pages.
    let sections = text
        .split("\n## ")
        .filter(|section| section.starts_with('R'));
    let sections: Vec<&str> = sections.collect();
    let kinds: Vec<Kind> = Kind::ALL
        .iter()
        .copied()
        .filter(|kind| kind.is_about_robots_txt())
        .collect();
    assert_eq!(sections.len(), kinds.len());
    for (kind, section) in kinds.iter().zip(sections) {
        let heading = format!("{} {}", kind.code(), kind.name());
        assert!(section.starts_with(&heading), "{heading}");
        let examples = examples(section);
        if WITHOUT_EXAMPLE.contains(kind) {
            assert!(examples.is_empty(), "{heading}");
            continue;
        }
        let [bad, better] = &examples[..] else {
            panic!("{heading} has {} examples", examples.len());
        };
        let found = linter().lint(&RobotsTxt::parse(bad));
        let is_there = found.iter().any(|found| found.kind() == *kind);
        assert!(
            is_there,
            "{heading}: {:?}",
            found.iter().collect::<Vec<_>>()
        );
        let found = linter().lint(&RobotsTxt::parse(better));
        for found in found.iter() {
            assert_ne!(found.kind(), *kind, "{heading}, better: {found}");
            assert_eq!(
                found.severity(),
                Severity::Note,
                "{heading}, better: {found}"
            );
        }
    }
}

/// Returns the bodies in an archive of the corpus.
fn bodies(archive: &Path) -> Vec<Vec<u8>> {
    robots_corpus::records(archive)
        .unwrap()
        .into_iter()
        .filter(|record| record.kind == "response")
        .map(|record| Response::parse(&record.block).unwrap().body().to_vec())
        .collect()
}

fn fixes_of_real_files_change_nothing_at_google(corpus: &Path) {
    let linter = linter().with_limit(usize::MAX);
    let agents = ["Googlebot", "Other"].map(Agent::new);
    let every = if std::env::var_os("ROBOTS_CASES").is_some() {
        1
    } else {
        8
    };
    let mut fixed = 0;
    for name in ["robots.warc.gz", "nonrobots.warc.gz"] {
        for body in bodies(&corpus.join("corpus").join(name)) {
            let robots = RobotsTxt::parse(&body);
            let lint = linter.lint(&robots);
            for found in lint.iter() {
                let span = found.span();
                assert!(
                    span.start <= span.end && span.end <= robots.body().len(),
                    "{found}"
                );
                assert!(robots.line_text(found.line()).is_some(), "{found}");
            }
            let fixes: Vec<_> = lint.iter().filter_map(Finding::fix).collect();
            if fixes.is_empty() {
                continue;
            }
            fixed += 1;
            let mut better =
                RobotsTxt::parse(apply_fixes(robots.body(), fixes.iter().copied()).body);
            // Overlapping fixes, and new findings, are fixed in the next rounds.
            let mut rounds = 1;
            loop {
                let after = linter.lint(&better);
                let fixes: Vec<_> = after.iter().filter_map(Finding::fix).collect();
                if fixes.is_empty() {
                    break;
                }
                rounds += 1;
                assert!(rounds < 5, "{}", body.escape_ascii());
                better = RobotsTxt::parse(apply_fixes(better.body(), fixes).body);
            }
            // Comparing all paths is slow, so a sample of the files is compared.
            if fixed % every == 0 {
                let changes = diff(&robots, &better, &agents, |_| &Dialect::GOOGLE);
                let change = changes.iter().next();
                assert!(change.is_none(), "{change:?}\n{}", body.escape_ascii());
            }
        }
    }
    assert!(fixed > 300, "{fixed}");
}
