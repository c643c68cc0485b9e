//! Counts the directives and links of a page.

use super::count::{Hits, Pages};
use crate::statistics::tally::Tally;
use robots_archive::http::Response;
use robots_meta::directive::DirectiveValue;
use robots_meta::{Directive, HeadOptions, PageFacts, robots_headers};
use std::collections::BTreeMap;

/// Counts a page: the directives and links of its HEAD, and the directives of its headers.
pub(super) fn count(response: &Response<'_>, pages: &mut Pages) {
    let head = HeadOptions::new()
        .with_charset(response.media_type().charset().unwrap_or_default())
        .read(response.body());
    pages.all += 1;
    let has_meta = count_metas(&head, pages);
    pages.with_meta += u64::from(has_meta);
    pages.with_canonical += u64::from(head.canonical().is_some());
    pages.with_description += u64::from(head.description().is_some());
    let mut directives: BTreeMap<String, u64> = BTreeMap::new();
    let mut has_header = false;
    for header in robots_headers(response.header_bytes()) {
        has_header = true;
        count_directive(&mut directives, &header.directive());
    }
    pages.with_header += u64::from(has_header);
    add_all(directives, &mut pages.header_directives);
}

/// Counts the METAs for robots. Returns whether there are any.
fn count_metas(head: &PageFacts, pages: &mut Pages) -> bool {
    let mut directives: BTreeMap<String, u64> = BTreeMap::new();
    let mut names: BTreeMap<String, u64> = BTreeMap::new();
    for meta in head.robots_metas(robots_answers::page::robots_metas()) {
        let name = meta.name().unwrap_or_default().to_ascii_lowercase();
        *names.entry(name).or_default() += 1;
        for directive in meta.directives() {
            count_directive(&mut directives, &directive);
        }
    }
    let has_any = !names.is_empty();
    add_all(directives, &mut pages.meta_directives);
    add_all(names, &mut pages.meta_names);
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
    *directives.entry(name).or_default() += 1;
}

/// Adds the occurrences of each name in one page, except names beyond the limit of the tally.
fn add_all(counts: BTreeMap<String, u64>, tally: &mut Tally<Hits>) {
    for (name, times) in counts {
        if let Some(hits) = tally.of(&name) {
            hits.add(times);
        }
    }
}
