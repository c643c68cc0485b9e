//! Compares the reader's METAs with those in HEAD after a full parse.

use robots_archive::http::Response;
use robots_meta::page::HeadEnd;
use robots_meta::{Facts, HeadOptions, HeadReader, PageFacts, Progress};
use robots_tests::{if_needed, oracle};
use std::path::Path;

robots_corpus::tests!(every_page_of_the_crawl);

/// Pages on which the oracle panics: html5ever 0.39 does so on a charset META without a label.
const ORACLE_PANICS: [&str; 1] = ["h5e_panic.html"];

fn in_chunks(page: &[u8], charset: Option<&str>, size: usize) -> PageFacts {
    let mut reader = HeadOptions::new()
        .with_charset(charset.unwrap_or_default())
        .reader();
    for chunk in page.chunks(size) {
        if reader.feed(chunk) == Progress::Done {
            break;
        }
    }
    reader.finish()
}

/// Compares the reader with the oracle, and each chunk size with the whole page.
fn check(name: &str, page: &[u8], charset: Option<&str>) -> PageFacts {
    let whole = in_chunks(page, charset, page.len().max(1));
    let expected = oracle::metas(page, whole.encoding());
    assert_eq!(oracle::reported(&whole), expected, "{name}");
    check_chunks(name, page, charset, &whole);
    whole
}

/// Compares the reader of a whole document with the oracle. Returns `false`, and compares nothing, if the page exceeds a
/// limit of the reader: the oracle has no limits.
fn check_document(name: &str, page: &[u8], charset: Option<&str>) -> bool {
    let options = HeadOptions::new().with_charset(charset.unwrap_or_default());
    let document = options.read_document(page);
    if matches!(document.end(), HeadEnd::Limit(_)) || document.overlong_tags() > 0 {
        return false;
    }
    let [found, expected] = oracle::elements(page, &document);
    assert_eq!(found, expected, "{name}");
    true
}

fn check_chunks(name: &str, page: &[u8], charset: Option<&str>, whole: &PageFacts) {
    for size in [1, 2, 7, 1024, 4096] {
        assert_eq!(
            in_chunks(page, charset, size),
            *whole,
            "{name} in chunks of {size}"
        );
    }
    for meta in whole.metas() {
        let found = &page[meta.offset()..];
        let is_wide = found.starts_with(b"<\0") || found.starts_with(b"\0<");
        assert!(
            is_wide || found[..5].eq_ignore_ascii_case(b"<meta"),
            "{name}: no META at byte {}",
            meta.offset()
        );
    }
}

#[test]
fn small_pages_that_trip_readers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("heads");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().to_string_lossy().into_owned();
        let page = std::fs::read(entry.path()).unwrap();
        if ORACLE_PANICS.contains(&name.as_str()) {
            let whole = HeadReader::read(&page);
            assert!(
                std::panic::catch_unwind(|| oracle::metas(&page, "UTF-8")).is_err(),
                "{name}: the oracle no longer panics; remove it from ORACLE_PANICS"
            );
            assert_eq!(whole.metas().len(), 1);
            check_chunks(&name, &page, None, &whole);
        } else {
            check(&name, &page, None);
        }
        count += 1;
    }
    assert_eq!(count, 45);
}

fn every_page_of_the_crawl(corpus: &Path) {
    let records = robots_corpus::records(&corpus.join("corpus/crawl.warc.gz")).unwrap();
    let mut pages = 0;
    let mut documents = 0;
    let mut metas = 0;
    let mut needed = 0;
    for record in records.iter().filter(|record| record.kind == "response") {
        let response = Response::parse(&record.block).unwrap();
        if !response.is_html() {
            continue;
        }
        let url = record.url.as_deref().unwrap();
        let charset = response.media_type().charset();
        let page = check(url, response.body(), charset);
        documents += usize::from(check_document(url, response.body(), charset));
        match if_needed::compare(response.body(), charset, Facts::ROBOTS) {
            Ok(is_needed) => needed += usize::from(is_needed),
            Err(difference) => panic!("{url}: {difference}"),
        }
        pages += 1;
        metas += page.metas().len();
    }
    println!(
        "{pages} pages, {documents} of them compared as documents, {metas} METAs; \
         {needed} documents need the tree builder for METAs of robots"
    );
    assert!(needed < pages / 50);
    assert!(documents > pages / 10 * 9);
    assert!(pages > 0);
}
