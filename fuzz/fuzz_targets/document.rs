//! A page of which all is read, BODY too, and how it is cut into chunks, which its last four bytes say:
//! every chunking gives the same, what is wanted is what is found among all, METAs and values stand
//! where they say, and what is in HEAD is what is found when HEAD alone is read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use robots_meta::{Facts, HeadEnd, HeadReader, PageMeta, Place, Progress, Scope, Wanted};

/// The names of the robots that are asked for.
const NAMES: [&str; 2] = ["robots", "googlebot"];

/// A reader of all of a document.
fn reader(wanted: &Wanted) -> HeadReader {
    HeadReader::wanting(wanted).with_scope(Scope::Document)
}

/// Reads a page in chunks of these sizes, in turn.
fn in_chunks(page: &[u8], sizes: &[u8; 4]) -> PageMeta {
    let mut reader = reader(&Wanted::everything());
    let mut rest = page;
    for &size in sizes.iter().cycle() {
        // From one byte to 64 KiB, and small ones often.
        let length = usize::from(size).pow(2) + 1;
        let (chunk, behind) = rest.split_at(length.min(rest.len()));
        if reader.feed(chunk) == Progress::Done || behind.is_empty() {
            break;
        }
        rest = behind;
    }
    reader.finish()
}

/// Looks at what METAs and values say about where they stand.
fn check_places(page: &[u8], found: &PageMeta) {
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

/// Compares what was found by one who wants little with what was found by one who wants everything.
fn check_wanted(few: &PageMeta, whole: &PageMeta) {
    let robots = |page: &PageMeta| -> Vec<(usize, Place, String)> {
        page.robots_metas(&NAMES)
            .map(|meta| (meta.offset(), meta.place(), meta.content().to_owned()))
            .collect()
    };
    assert_eq!(robots(few), robots(whole));
    assert_eq!(few.title(), whole.title());
    assert_eq!(few.description(), whole.description());
    assert_eq!(few.canonical(), whole.canonical());
    assert_eq!(few.end(), whole.end());
}

/// Compares the HEAD of a document with what is found when it alone is read.
fn check_head(head: &PageMeta, whole: &PageMeta) {
    let offsets = |page: &PageMeta| -> Vec<usize> {
        page.metas()
            .filter(|meta| meta.place() == Place::Head)
            .map(|meta| meta.offset())
            .collect()
    };
    assert_eq!(offsets(head), offsets(whole));
    assert_eq!(head.metas().len(), offsets(head).len());
    assert_eq!(head.end(), whole.end());
}

fuzz_target!(|data: &[u8]| {
    let Some((page, sizes)) = data.split_last_chunk::<4>() else {
        return;
    };
    let whole = reader(&Wanted::everything()).read_page(page);
    assert_eq!(in_chunks(page, sizes), whole);
    check_places(page, &whole);
    let head = HeadReader::read(page);
    // What is not wanted strikes no limit, nor does what is not read.
    let has_limit = |page: &PageMeta| matches!(page.end(), HeadEnd::Limit(_));
    if has_limit(&whole) || has_limit(&head) {
        return;
    }
    let wanted = Wanted::facts(Facts::INDEXING).for_robots(NAMES);
    check_wanted(&reader(&wanted).read_page(page), &whole);
    check_head(&head, &whole);
});
