//! The HEAD of a page. The last four bytes of the input are the sizes of the chunks.
//!
//! The result does not depend on the chunks. Reading only wanted facts finds the same facts as reading all. METAs and values
//! are at their offsets. The METAs are those that a full parse puts in HEAD.
use super::page::{NAMES, check_places, check_wanted, in_chunks};
use crate::oracle;
use robots_meta::page::HeadEnd;
use robots_meta::{Facts, HeadOptions, HeadReader, Wanted};

/// Returns whether the oracle, which is html5ever 0.39, can read a page. It panics at a META with
/// `http-equiv=content-type` whose content ends with `charset`. This is false for every page that may have one.
pub(super) fn suits_oracle(page: &[u8], encoding: &str) -> bool {
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
    // In these encodings, the bytes do not show the text.
    let is_hidden = matches!(
        encoding,
        "UTF-16LE" | "UTF-16BE" | "ISO-2022-JP" | "replacement"
    );
    // A character reference can stand for a letter.
    !is_hidden && !(has(b"http-equiv") && (has(b"&#") || has_bare_charset()))
}

/// Checks one input.
pub fn check(data: &[u8]) {
    let Some((page, sizes)) = data.split_last_chunk::<4>() else {
        return;
    };
    let whole = HeadReader::read(page);
    let mut reader = HeadReader::default();
    in_chunks(page, *sizes, |chunk| reader.feed(chunk));
    assert_eq!(reader.finish(), whole);
    check_places(page, &whole);
    for meta in whole.metas() {
        let _ = meta.directives().count();
    }
    let _ = (whole.keywords(), whole.revisit_after());
    // Unwanted facts do not count for a limit, and the oracle has no limits.
    if matches!(whole.end(), HeadEnd::Limit(_)) {
        return;
    }
    let wanted = Wanted::facts(Facts::INDEXING).for_robots(NAMES);
    let options = HeadOptions::new().with_wanted(wanted);
    check_wanted(&options.read(page), &whole);
    if suits_oracle(page, whole.encoding()) {
        let expected = oracle::metas(page, whole.encoding());
        assert_eq!(oracle::reported(&whole), expected);
    }
}
