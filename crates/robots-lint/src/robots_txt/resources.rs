//! Findings on style sheets and scripts that search robots may not fetch.

use super::audience::{Audience, example_path};
use super::ignore::Collector;
use super::known::KnownRobots;
use crate::catalogue::FindingKind as Kind;
use robots_policy::profile::Purpose;
use robots_txt::parse::Field;
use std::collections::HashSet;

/// Names of folders that hold style sheets or scripts, and examples of these files.
const FOLDERS: [(&str, &[&str]); 17] = [
    ("css", &["a.css"]),
    ("stylesheets", &["a.css"]),
    ("js", &["a.js"]),
    ("javascript", &["a.js"]),
    ("javascripts", &["a.js"]),
    // WordPress.
    ("wp-includes", &["a.css", "a.js"]),
    ("wp-content", &["a.css", "a.js"]),
    ("wp-content/themes", &["a.css", "a.js"]),
    ("wp-content/plugins", &["a.css", "a.js"]),
    // Next.js, Nuxt, Astro, SvelteKit and Create React App, with the folders in which they put these files. `/static/` itself has
    // no style sheets on many sites.
    ("_next", &["static/css/a.css", "static/chunks/a.js"]),
    ("_next/static", &["css/a.css", "chunks/a.js"]),
    ("_nuxt", &["entry.a.css", "entry.a.js"]),
    ("_astro", &["a.css", "a.js"]),
    ("_app", &["immutable/assets/a.css", "immutable/chunks/a.js"]),
    ("_app/immutable", &["assets/a.css", "chunks/a.js"]),
    ("static/css", &["a.css"]),
    ("static/js", &["a.js"]),
];

pub(super) fn examine(
    audiences: &[Audience<'_, '_>],
    known: &KnownRobots,
    findings: &mut Collector,
) {
    let mut reported = HashSet::new();
    for audience in audiences {
        let searches = |name: &[u8]| {
            let agent = known.get(name);
            agent.is_some_and(|agent| agent.has_purpose(&[Purpose::Search]))
        };
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
            // If the whole site is closed, no robot renders its pages, so there is no finding. The check is inside the loop
            // because few audiences have a rule that needs it.
            if !audience.allows("/") {
                break;
            }
            if reported.insert(rule.number()) {
                findings.add_on_value(Kind::ClosedResources, &rule, |found| {
                    found.with_detail(format!("such as `{path}`"))
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
    let name = text.trim_start_matches(['/', '*']);
    // With a star, as in `/*.css`, the pattern is for all files with this ending. Without one, it is for one file: `/.css`.
    if matches!(name.trim_end_matches(['*', '$']), ".css" | ".js") && text.contains('*') {
        return example_path(pattern).into_iter().collect();
    }
    let folder = text.trim_end_matches(['/', '*']);
    let Some(path) = example_path(folder.as_bytes()) else {
        return Vec::new();
    };
    files_in(folder)
        .iter()
        .map(|file| format!("{path}/{file}"))
        .collect()
}

/// Returns examples of the style sheets and scripts in a folder, if it is one of [`FOLDERS`] at the root of the site. A
/// folder of `WordPress` (`wp-`) may also be in a part of the site, where the software is often installed.
fn files_in(folder: &str) -> &'static [&'static str] {
    let folder = folder.trim_start_matches(['/', '*']).to_ascii_lowercase();
    let is_at = |name: &str| {
        let before = folder.strip_suffix(name);
        before.is_some_and(|before| {
            before.is_empty() || (name.starts_with("wp-") && before.ends_with('/'))
        })
    };
    let known = FOLDERS.iter().find(|(name, _)| is_at(name));
    known.map_or(&[], |(_, files)| files)
}
