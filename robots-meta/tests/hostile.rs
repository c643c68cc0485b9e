//! HEADs made to be slow or to fill memory. Reading each ends as expected, and two sizes of chunks return
//! the same result. The rows `hostile-heads` of bench/ show their time and memory.

use robots_meta::head::{MAX_METAS, MAX_TITLE_BYTES};
use robots_meta::page::{HeadEnd, HeadLimit};
use robots_meta::{Facts, HeadOptions, PageFacts, Progress, Wanted};

const MB: usize = 1_000_000;

/// The size of pages that take long to read for their size.
const SLOW: usize = MB / 2;

/// The start of a page, and the text that it then repeats.
type Parts = (&'static str, &'static str);

/// Reads a page of this size, or a little less so that nothing is cut at its end, in chunks of two
/// lengths.
fn read_wanting(facts: Facts, (start, again): Parts, size: usize) -> PageFacts {
    let times = (size - start.len()) / again.len();
    let page = [start, &again.repeat(times)].concat();
    let options = HeadOptions::new()
        .with_wanted(Wanted::facts(facts))
        .with_limit(usize::MAX);
    let in_chunks_of = |length| {
        let mut reader = options.reader();
        for chunk in page.as_bytes().chunks(length) {
            if reader.feed(chunk) == Progress::Done {
                break;
            }
        }
        reader.finish()
    };
    let found = in_chunks_of(65_536);
    // `assert!` rather than `assert_eq!`: the values can be megabytes long.
    assert!(in_chunks_of(1_000) == found, "{start}{again}");
    found
}

fn read(parts: Parts, size: usize) -> PageFacts {
    read_wanting(Facts::all(), parts, size)
}

#[test]
fn meaningless_input_is_not_kept() {
    for (start, again) in [
        ("<!--", "<"),
        ("", "<!--"),
        ("", "<script><!--<script>"),
        ("<link rel=canonical href=\"", "x"),
        ("<link", " a=b"),
        ("<", "x"),
        ("", " \n\t"),
        ("", "<link rel=canonical href=\"\">"),
    ] {
        let page = read((start, again), 2 * MB);
        assert_eq!(*page.end(), HeadEnd::EndOfPage, "{start}{again}");
        assert_eq!(page.metas().len(), 0, "{start}{again}");
        assert_eq!(page.canonical(), None, "{start}{again}");
    }
}

#[test]
fn only_nested_templates_have_a_limit() {
    let nested = read(("", "<template>"), 2 * MB);
    assert_eq!(*nested.end(), HeadEnd::Limit(HeadLimit::OpenElements));
    let closed = read(("", "<template></template>"), SLOW);
    assert_eq!(*closed.end(), HeadEnd::EndOfPage);
}

#[test]
fn a_title_is_kept_up_to_its_limit() {
    for (again, size) in [("<", SLOW), ("&amp;", 2 * MB)] {
        let page = read(("<title>", again), size);
        assert_eq!(*page.end(), HeadEnd::EndOfPage, "{again}");
        let length = page.title().map_or(0, |title| title.len());
        assert!((1..=MAX_TITLE_BYTES).contains(&length), "{again}: {length}");
    }
}

#[test]
fn a_meta_without_an_end_has_a_limit() {
    for (start, again) in [
        ("<meta name=robots content=\"", "x"),
        ("<meta name=robots content=\"", "&amp;"),
        ("<meta", " a=b"),
    ] {
        let page = read((start, again), 2 * MB);
        let limit = HeadEnd::Limit(HeadLimit::MetaBytes);
        assert_eq!(*page.end(), limit, "{start}{again}");
        assert_eq!(page.metas().len(), 0, "{start}{again}");
    }
}

#[test]
fn only_metas_that_are_wanted_have_a_limit() {
    for again in [
        "<meta name=a content=b>",
        "<meta name=robots content=\"&amp;&lt;&#38;&amp;\">",
    ] {
        let page = read(("", again), 2 * MB);
        assert_eq!(*page.end(), HeadEnd::Limit(HeadLimit::Metas), "{again}");
        assert_eq!(page.metas().len(), MAX_METAS, "{again}");
    }
    let unwanted = ("", "<meta name=\"a\" content=\"b\">");
    let page = read_wanting(Facts::INDEXING, unwanted, 2 * MB);
    assert_eq!(*page.end(), HeadEnd::EndOfPage);
    assert_eq!(page.metas().len(), 0);
}

#[test]
fn a_number_without_an_end_is_text() {
    let page = read(("&#", "0"), 2 * MB);
    assert_eq!(*page.end(), HeadEnd::Text);
}

#[test]
fn the_first_canonical_link_is_kept() {
    let page = read(("", "<link rel=canonical href=/x>"), 2 * MB);
    assert_eq!(*page.end(), HeadEnd::EndOfPage);
    let canonical = page.canonical().map(|found| (found.offset(), found.href()));
    assert_eq!(canonical, Some((0, "/x")));
}
