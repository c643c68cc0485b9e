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
