//! Compares the reader with a full parse, on generated pages, in chunks of random sizes. Compared are the METAs of a HEAD,
//! and the links and the elements with `data-nosnippet` of a document, too.
//!
//! `ROBOTS_CASES` is the number of pages of each kind, `ROBOTS_SEED` the first seed.

use robots_archive::http::Response;
use robots_meta::page::{Placement, ReadBy};
use robots_meta::{Facts, HeadOptions, PageFacts, Progress, Wanted};
use robots_tests::tricky::{self, Random};
use robots_tests::{if_needed, oracle};
use std::borrow::Cow;
use std::panic::catch_unwind;
use std::path::Path;

robots_corpus::tests!(changed_real_heads, changed_real_documents);

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|value| value.parse().ok())
        .unwrap_or(default)
}

/// Returns the seeds of a run.
fn seeds(cases: u64) -> std::ops::Range<u64> {
    let seed = number("ROBOTS_SEED", 1) << 32;
    seed..seed + number("ROBOTS_CASES", cases)
}

/// The part of a page that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    Head,
    Document,
}

/// Reads a page in chunks of random sizes.
fn in_random_chunks(page: &[u8], options: &HeadOptions, scope: Scope, seed: u64) -> PageFacts {
    match scope {
        Scope::Head => {
            let mut reader = options.reader();
            feed_random_chunks(page, seed, |chunk| reader.feed(chunk));
            reader.finish()
        }
        Scope::Document => {
            let mut reader = options.document_reader();
            feed_random_chunks(page, seed, |chunk| reader.feed(chunk));
            reader.finish()
        }
    }
}

fn feed_random_chunks(page: &[u8], seed: u64, mut feed: impl FnMut(&[u8]) -> Progress) {
    let mut random = Random::new(!seed);
    let max_length = [1, 2, 7, 64, 1024, 4096][random.below(6)];
    let mut rest = page;
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at((random.below(max_length) + 1).min(rest.len()));
        if feed(chunk) == Progress::Done {
            break;
        }
        rest = after;
    }
}

/// Reads a page at once.
fn whole_page(page: &[u8], options: &HeadOptions, scope: Scope) -> PageFacts {
    match scope {
        Scope::Head => options.read(page),
        Scope::Document => options.read_document(page),
    }
}

/// Compares a reading with the oracle. Returns `None` if the oracle panics.
fn compare_with_oracle(page: &[u8], whole: &PageFacts, scope: Scope) -> Option<Result<(), String>> {
    match scope {
        Scope::Head => {
            let expected = catch_unwind(|| oracle::metas(page, whole.encoding())).ok()?;
            let is_in_head = whole
                .metas()
                .all(|meta| meta.placement() == Placement::Head);
            let found = (oracle::reported(whole), is_in_head);
            Some(same("the oracle", &found, &(expected, true)))
        }
        Scope::Document => {
            let [found, expected] = catch_unwind(|| oracle::elements(page, whole)).ok()?;
            Some(same("the oracle", &found, &expected))
        }
    }
}

/// Returns an error that shows both values if they differ.
fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{what}: found {found:?}\nexpected {expected:?}"))
    }
}

/// Compares the readings of a page. Returns whether the oracle could read the page, and whether the scanner
/// read it without the tree builder; or the first difference.
fn compare(page: &[u8], seed: u64, scope: Scope) -> Result<(bool, bool), String> {
    let options = HeadOptions::new();
    let whole = whole_page(page, &options, scope);
    let chunked = in_random_chunks(page, &options, scope, seed);
    same("in chunks", &chunked, &whole)?;
    if scope == Scope::Document {
        if_needed::compare_all(page)?;
    }
    match compare_with_oracle(page, &whole, scope) {
        Some(compared) => compared?,
        None => return Ok((false, false)),
    }
    // Reading only the wanted facts finds the same facts.
    let names = ["robots", "googlebot"];
    let wanted = Wanted::facts(Facts::INDEXING).for_robots(names);
    let few = whole_page(page, &options.with_wanted(wanted), scope);
    let facts = |page: &PageFacts| {
        let robots: Vec<(usize, String)> = page
            .metas()
            .filter(|meta| meta.departure(&names).is_some())
            .map(|meta| (meta.offset(), meta.content().to_owned()))
            .collect();
        let canonical = page.canonical().map(|found| found.href().to_owned());
        let owned = |text: Cow<'_, str>| text.into_owned();
        let texts = (
            page.title().map(owned),
            page.description().map(owned),
            canonical,
        );
        (robots, texts, page.end().clone(), page.encoding())
    };
    same("wanted facts", &facts(&few), &facts(&whole))?;
    Ok((true, whole.read_by() == ReadBy::Scanner))
}

/// Compares one page; panics with the smallest part of it that shows a difference.
fn check(page: &[u8], seed: u64, scope: Scope) -> (bool, bool) {
    let mut wrong = match compare(page, seed, scope) {
        Ok(read) => return read,
        Err(wrong) => wrong,
    };
    let mut page = page.to_vec();
    let mut step = page.len();
    while step > 0 {
        let mut at = 0;
        while at < page.len() {
            let mut less = page.clone();
            less.drain(at..(at + step).min(page.len()));
            match compare(&less, seed, scope) {
                Err(still) => (page, wrong) = (less, still),
                Ok(_) => at += step,
            }
        }
        step /= 2;
    }
    let page = String::from_utf8_lossy(&page);
    panic!("seed {seed}: {page:?}\n{wrong}");
}

fn report(what: &str, results: impl Iterator<Item = (bool, bool)>) {
    let (mut cases, mut read, mut alone) = (0, 0, 0);
    for (is_read, is_alone) in results {
        cases += 1;
        read += i32::from(is_read);
        alone += i32::from(is_alone);
    }
    println!("{what}: {cases} pages, {read} read by the oracle, {alone} by the scanner alone");
    assert!(read > cases / 2, "the oracle reads most of them");
}

#[test]
fn made_heads() {
    report(
        "made",
        seeds(4_000).map(|seed| check(&tricky::page(seed), seed, Scope::Head)),
    );
}

#[test]
fn made_documents() {
    report(
        "made documents",
        seeds(2_000).map(|seed| {
            let page = if seed % 2 == 0 {
                tricky::page(seed)
            } else {
                tricky::document(seed)
            };
            check(&page, seed, Scope::Document)
        }),
    );
}

fn changed_real_heads(corpus: &Path) {
    let pages = real_pages(corpus);
    report(
        "changed",
        seeds(2_000).map(|seed| {
            let page = &pages[Random::new(!seed).below(pages.len())];
            check(&tricky::mutated(page, seed), seed, Scope::Head)
        }),
    );
}

fn changed_real_documents(corpus: &Path) {
    let pages = real_pages(corpus);
    report(
        "changed documents",
        seeds(1_000).map(|seed| {
            let page = &pages[Random::new(!seed).below(pages.len())];
            check(&tricky::mutated(page, seed), seed, Scope::Document)
        }),
    );
}

/// Returns the pages of the crawl.
fn real_pages(corpus: &Path) -> Vec<Vec<u8>> {
    robots_corpus::records(&corpus.join("corpus/crawl.warc.gz"))
        .unwrap()
        .iter()
        .filter(|record| record.kind == "response")
        .filter_map(|record| {
            let response = Response::parse(&record.block).ok()?;
            response.is_html().then(|| response.body().to_vec())
        })
        .collect()
}
