//! A page, and how it is cut into chunks, which its last four bytes say: every chunking gives the same,
//! what is wanted is what is found among all, METAs and values stand where they say, and the METAs are
//! those that a full parse puts in HEAD.
#![no_main]

use libfuzzer_sys::fuzz_target;
use robots_meta::{Facts, HeadEnd, HeadReader, PageMeta, Progress, Wanted};
use robots_tests::oracle;

/// The names of the robots that are asked for.
const NAMES: [&str; 2] = ["robots", "googlebot"];

/// Reads a page in chunks of these sizes, in turn.
fn in_chunks(page: &[u8], sizes: &[u8; 4]) -> PageMeta {
    let mut reader = HeadReader::new();
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
    let robots = |page: &PageMeta| -> Vec<(usize, String)> {
        page.robots_metas(&NAMES)
            .map(|meta| (meta.offset(), meta.content().to_owned()))
            .collect()
    };
    assert_eq!(robots(few), robots(whole));
    assert_eq!(few.title(), whole.title());
    assert_eq!(few.description(), whole.description());
    assert_eq!(few.canonical(), whole.canonical());
    assert_eq!(few.end(), whole.end());
}

/// Whether the oracle, which is html5ever 0.39, can read a page. It panics at a META whose
/// `http-equiv` says that its content names the encoding and whose content ends with `charset`. Here
/// every page counts that may have one.
fn suits_oracle(page: &[u8], encoding: &str) -> bool {
    let has = |word: &[u8]| {
        page.windows(word.len())
            .any(|part| part.eq_ignore_ascii_case(word))
    };
    let has_bare_charset = || {
        let word = b"charset";
        page.windows(word.len()).enumerate().any(|(at, part)| {
            part.eq_ignore_ascii_case(word) && page.get(at + word.len()) != Some(&b'=')
        })
    };
    // In these the text does not stand in the bytes.
    let is_hidden = matches!(
        encoding,
        "UTF-16LE" | "UTF-16BE" | "ISO-2022-JP" | "replacement"
    );
    // A character reference can stand for a letter.
    !is_hidden && !(has(b"http-equiv") && (has(b"&#") || has_bare_charset()))
}

fuzz_target!(|data: &[u8]| {
    let Some((page, sizes)) = data.split_last_chunk::<4>() else {
        return;
    };
    let whole = HeadReader::read(page);
    assert_eq!(in_chunks(page, sizes), whole);
    check_places(page, &whole);
    for meta in whole.metas() {
        let _ = meta.directives().count();
    }
    let _ = (whole.keywords(), whole.revisit_after());
    // What is not wanted strikes no limit, and the oracle has none.
    if matches!(whole.end(), HeadEnd::Limit(_)) {
        return;
    }
    let wanted = Wanted::facts(Facts::INDEXING).for_robots(NAMES);
    check_wanted(&HeadReader::wanting(&wanted).read_page(page), &whole);
    if suits_oracle(page, whole.encoding()) {
        let expected = oracle::metas(page, whole.encoding());
        assert_eq!(oracle::reported(&whole), expected);
    }
});
