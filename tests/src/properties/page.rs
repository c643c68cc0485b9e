//! Shared checks of the properties of pages.

use robots_meta::page::Placement;
use robots_meta::{PageFacts, Progress};

/// The names of the wanted robots.
pub(super) const NAMES: [&str; 2] = ["robots", "googlebot"];

/// Feeds a page in chunks of these sizes, in turn.
pub(super) fn in_chunks(page: &[u8], sizes: [u8; 4], mut feed: impl FnMut(&[u8]) -> Progress) {
    let mut rest = page;
    for &size in sizes.iter().cycle() {
        // From one byte to 64 KiB, often small.
        let length = usize::from(size).pow(2) + 1;
        let (chunk, after) = rest.split_at(length.min(rest.len()));
        if feed(chunk) == Progress::Done || after.is_empty() {
            break;
        }
        rest = after;
    }
}

/// Checks the offsets and ranges of METAs and values.
pub(super) fn check_places(page: &[u8], found: &PageFacts) {
    for meta in found.metas() {
        let tag = &page[meta.span()];
        // In UTF-16BE the first byte of `<` is zero.
        assert!(matches!(page[meta.offset()], b'<' | 0));
        for attribute in meta.attributes() {
            let Some(span) = attribute.value_span() else {
                continue;
            };
            assert!(tag.starts_with(b"<") && tag.ends_with(b">"));
            assert!(meta.span().start < span.start && span.end < meta.span().end);
            let written = &page[span];
            if written.is_ascii() && !written.iter().any(|byte| b"&\r\0".contains(byte)) {
                assert_eq!(attribute.value().as_bytes(), written);
            }
        }
    }
}

/// Compares a reading with few wanted facts with a reading with all facts.
pub(super) fn check_wanted(few: &PageFacts, whole: &PageFacts) {
    let robots = |page: &PageFacts| -> Vec<(usize, Placement, String)> {
        page.robots_metas(&NAMES)
            .map(|meta| (meta.offset(), meta.placement(), meta.content().to_owned()))
            .collect()
    };
    assert_eq!(robots(few), robots(whole));
    assert_eq!(few.title(), whole.title());
    assert_eq!(few.description(), whole.description());
    assert_eq!(few.canonical(), whole.canonical());
    assert_eq!(few.end(), whole.end());
}
