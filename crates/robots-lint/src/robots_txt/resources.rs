//! Findings on style sheets and scripts that search robots may not fetch.

use super::audience::{Audience, example_path};
use super::finding::{Collector, Finding};
use super::known::{KnownRobot, KnownRobots};
use crate::catalogue::FindingKind as Kind;
use robots_txt::parse::Field;
use std::collections::HashSet;

/// Names of folders that hold style sheets or scripts, and the endings of these files.
const FOLDERS: [(&str, &[&str]); 9] = [
    ("css", &["css"]),
    ("stylesheets", &["css"]),
    ("js", &["js"]),
    ("javascript", &["js"]),
    ("javascripts", &["js"]),
    // WordPress.
    ("wp-includes", &["css", "js"]),
    ("wp-content", &["css", "js"]),
    ("wp-content/themes", &["css", "js"]),
    ("wp-content/plugins", &["css", "js"]),
];

pub(super) fn examine(
    audiences: &[Audience<'_, '_>],
    known: &KnownRobots,
    findings: &mut Collector,
) {
    let mut reported = HashSet::new();
    for audience in audiences {
        let searches = |name: &[u8]| known.get(name).is_some_and(KnownRobot::searches);
        let is_for_search =
            audience.is_star() || audience.names().any(|agent| searches(agent.value()));
        if !is_for_search {
            continue;
        }
        for rule in audience.patterns(Field::Disallow) {
            let Some(path) = resources(rule.value())
                .into_iter()
                .find(|path| !audience.allows(path))
            else {
                continue;
            };
            // No robot renders the pages of a closed site.
            if !audience.allows("/") {
                break;
            }
            if reported.insert(rule.number()) {
                findings.add(Kind::ClosedResources, || {
                    Finding::new(Kind::ClosedResources, rule.number(), rule.value_span())
                        .with_detail(format!("such as `{path}`"))
                });
            }
        }
    }
}

/// Returns example paths of the style sheets and scripts that a pattern is written for. Patterns for one file, and for
/// folders within a part of the site, are left out: they may be intended.
fn resources(pattern: &[u8]) -> Vec<String> {
    if !may_be_of_resources(pattern) {
        return Vec::new();
    }
    let Ok(text) = std::str::from_utf8(pattern) else {
        return Vec::new();
    };
    let text = text.trim_start_matches(['/', '*']);
    if matches!(text.trim_end_matches(['*', '$']), ".css" | ".js") && pattern.contains(&b'*') {
        return example_path(pattern).into_iter().collect();
    }
    // Without the slashes and stars after the folder.
    let kept = pattern
        .iter()
        .rposition(|byte| !b"/*".contains(byte))
        .map_or(0, |at| at.saturating_add(1));
    let folder = text.trim_end_matches(['/', '*']).to_ascii_lowercase();
    let is_named = |name: &str| {
        let before = folder.strip_suffix(name);
        before.is_some_and(|before| {
            before.is_empty() || (name.starts_with("wp-") && before.ends_with('/'))
        })
    };
    let endings = FOLDERS.iter().find(|(name, _)| is_named(name));
    let path = pattern.get(..kept).and_then(example_path);
    let Some(((_, endings), path)) = endings.zip(path) else {
        return Vec::new();
    };
    endings
        .iter()
        .map(|ending| format!("{path}/a.{ending}"))
        .collect()
}

/// Returns whether a pattern ends like one for style sheets or scripts, before its slashes and stars: all names of [`FOLDERS`]
/// end with an `s` or a `t`. Most patterns do not.
fn may_be_of_resources(pattern: &[u8]) -> bool {
    let mut rest = pattern.iter().rev();
    let last = rest.find(|byte| !b"/*$".contains(byte));
    last.is_some_and(|byte| matches!(byte.to_ascii_lowercase(), b's' | b't'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_folder_and_ending_may_be_of_resources() {
        for (name, endings) in FOLDERS {
            for text in [
                format!("/{name}"),
                format!("/{}/*$", name.to_ascii_uppercase()),
            ] {
                assert!(may_be_of_resources(text.as_bytes()), "{text}");
            }
            for ending in endings {
                assert!(may_be_of_resources(format!("/*.{ending}$").as_bytes()));
            }
        }
        assert!(!may_be_of_resources(b"/private"));
        assert!(!may_be_of_resources(b"/*"));
    }
}
