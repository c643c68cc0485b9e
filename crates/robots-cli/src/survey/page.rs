//! The counter of a page.

use super::count::{Hits, Pages};
use crate::statistics::tally::Tally;
use robots_archive::http::Response;
use robots_meta::directive::DirectiveValue;
use robots_meta::{Directive, HeadOptions, PageFacts, robots_headers};
use std::collections::BTreeMap;

/// Counts a page: the directives and links of its HEAD, and the directives of its headers.
pub(super) fn count(response: &Response<'_>, count: &mut Pages) {
    let head = HeadOptions::new()
        .with_charset(response.media_type().charset().unwrap_or_default())
        .read(response.body());
    add(&mut count.count, true);
    let metas = metas(&head, count);
    add(&mut count.with_meta, metas);
    add(&mut count.with_canonical, head.canonical().is_some());
    add(&mut count.with_description, head.description().is_some());
    let mut directives: BTreeMap<String, u64> = BTreeMap::new();
    let mut has_header = false;
    for header in robots_headers(response.header_bytes()) {
        has_header = true;
        count_directive(&mut directives, &header.directive());
    }
    add(&mut count.with_header, has_header);
    add_all(directives, &mut count.header_directives);
}

fn add(count: &mut u64, is_present: bool) {
    *count = count.saturating_add(u64::from(is_present));
}

/// Counts the METAs for robots. Returns whether there are any.
fn metas(head: &PageFacts, count: &mut Pages) -> bool {
    let mut directives: BTreeMap<String, u64> = BTreeMap::new();
    let mut names: BTreeMap<String, u64> = BTreeMap::new();
    for meta in head.robots_metas(&crate::meta::ROBOTS) {
        let name = meta.name().unwrap_or_default().to_ascii_lowercase();
        let times = names.entry(name).or_default();
        *times = times.saturating_add(1);
        for directive in meta.directives() {
            count_directive(&mut directives, &directive);
        }
    }
    let has_any = !names.is_empty();
    add_all(directives, &mut count.meta_directives);
    add_all(names, &mut count.meta_names);
    has_any
}

/// Counts a directive by its name. All unknown directives share one name, and so do all invalid ones.
fn count_directive(directives: &mut BTreeMap<String, u64>, directive: &Directive<'_>) {
    let name = match directive.value() {
        DirectiveValue::Unknown => "(unknown)".to_owned(),
        DirectiveValue::Invalid => "(invalid)".to_owned(),
        _ => {
            let name = directive.text().split(':').next().unwrap_or_default();
            name.trim().to_ascii_lowercase()
        }
    };
    let times = directives.entry(name).or_default();
    *times = times.saturating_add(1);
}

fn add_all(counts: BTreeMap<String, u64>, tally: &mut Tally<Hits>) {
    for (name, times) in counts {
        if let Some(hits) = tally.of(&name) {
            hits.add(times);
        }
    }
}
