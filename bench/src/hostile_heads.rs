//! HEADs that are meant to be slow, or to fill memory: the time per megabyte at two sizes, and the memory while they are
//! fed.
//!
//! A page begins with some bytes and then repeats a text. It is fed in chunks that are
//! parts of one buffer, so it is never in memory as a whole.

use crate::alloc::counted;
use crate::measure::{Runner, measure, print_ours};
use robots_meta::page::HeadEnd;
use robots_meta::{Facts, HeadOptions, HeadReader, PageFacts, Progress, Wanted};
use std::hint::black_box;

/// The sizes that each page has in turn, in [`MB`].
const MEGABYTES: [usize; 2] = [50, 100];

const MB: usize = 1_000_000;

/// The length of a chunk in bytes.
const CHUNK: usize = 64 * 1024;

/// A page of any length.
struct Case {
    name: &'static str,
    what: &'static str,
    facts: Facts,
    start: &'static str,
    again: &'static str,
}

impl Case {
    /// Returns a page all of whose facts are wanted.
    const fn new(
        name: &'static str,
        what: &'static str,
        start: &'static str,
        again: &'static str,
    ) -> Self {
        Self {
            name,
            what,
            facts: Facts::all(),
            start,
            again,
        }
    }

    fn reader(&self) -> HeadReader {
        HeadOptions::new()
            .with_wanted(Wanted::facts(self.facts))
            .with_limit(usize::MAX)
            .reader()
    }
}

static CASES: [Case; 20] = [
    Case::new("lt-title", "`<` in a title", "<title>", "<"),
    Case::new("lt-comment", "`<` in a comment", "<!--", "<"),
    Case::new("comments", "`<!--`", "", "<!--"),
    Case::new(
        "scripts",
        "`<script><!--<script>`",
        "",
        "<script><!--<script>",
    ),
    Case::new(
        "meta-value",
        "a META of one value",
        "<meta name=robots content=\"",
        "x",
    ),
    Case::new(
        "link-value",
        "a LINK of one value",
        "<link rel=canonical href=\"",
        "x",
    ),
    Case::new("tag-name", "a tag of one name", "<", "x"),
    Case::new("meta-attributes", "a META of attributes", "<meta", " a=b"),
    Case::new("link-attributes", "a LINK of attributes", "<link", " a=b"),
    Case::new("templates", "nested `<template>`", "", "<template>"),
    Case::new(
        "templates-closed",
        "`<template></template>`",
        "",
        "<template></template>",
    ),
    Case::new(
        "amp-meta",
        "`&amp;` in a META",
        "<meta name=robots content=\"",
        "&amp;",
    ),
    Case::new(
        "amp-metas",
        "METAs of `&amp;`",
        "",
        "<meta name=robots content=\"&amp;&lt;&#38;&amp;\">",
    ),
    Case::new("amp-title", "`&amp;` in a title", "<title>", "&amp;"),
    Case::new("zeros", "`&#` and `0` between tags", "&#", "0"),
    Case::new("space", "white space", "", " \n\t"),
    Case::new("metas", "METAs", "", "<meta name=a content=b>"),
    Case {
        facts: Facts::INDEXING,
        ..Case::new(
            "metas-unwanted",
            "METAs that are not wanted",
            "",
            "<meta name=\"a\" content=\"b\">",
        )
    },
    Case::new(
        "canonicals",
        "canonical LINKs",
        "",
        "<link rel=canonical href=/x>",
    ),
    Case::new(
        "canonicals-empty",
        "canonical LINKs without a URL",
        "",
        "<link rel=canonical href=\"\">",
    ),
];

/// A page that can be fed.
struct Page<'c> {
    case: &'c Case,
    /// The repeated text, often enough that a chunk can begin anywhere in its first occurrence.
    repeated: Vec<u8>,
}

impl<'c> Page<'c> {
    fn new(case: &'c Case) -> Self {
        let times = CHUNK / case.again.len() + 2;
        Self {
            case,
            repeated: case.again.repeat(times).into_bytes(),
        }
    }

    /// Feeds the page, `size` bytes or a little less, so that the last repetition is whole. Returns the number of
    /// bytes that were fed until the reader was done.
    fn feed(&self, reader: &mut HeadReader, size: usize) -> usize {
        let start = self.case.start.as_bytes();
        let period = self.case.again.len();
        let after_start = size.saturating_sub(start.len()) / period * period;
        let mut is_done = reader.feed(start) == Progress::Done;
        let mut fed = 0;
        while fed < after_start && !is_done {
            let from = fed % period;
            let length = CHUNK.min(after_start - fed);
            is_done = reader.feed(&self.repeated[from..from + length]) == Progress::Done;
            fed += length;
        }
        start.len() + fed
    }

    fn read(&self, size: usize) -> PageFacts {
        let mut reader = self.case.reader();
        self.feed(&mut reader, size);
        reader.finish()
    }
}

pub fn bench() {
    for case in &CASES {
        let page = &Page::new(case);
        let times = measure(MEGABYTES.map(|megabytes| {
            Runner::new(1, move || {
                black_box(page.read(megabytes * MB));
            })
        }));
        let mut half = None;
        for (megabytes, times) in MEGABYTES.into_iter().zip(times) {
            print(page, megabytes, times.least, half);
            half = Some(times.least);
        }
    }
}

/// Reads a page once, for `callgrind.sh`. Returns `None` if there is no such case.
pub fn once(case: &str, megabytes: &str) -> Option<()> {
    let case = CASES.iter().find(|known| known.name == case)?;
    let megabytes: usize = megabytes.parse().ok()?;
    black_box(Page::new(case).read(megabytes * MB));
    Some(())
}

/// Prints the row of a page that took this number of nanoseconds, and `half` at half the size.
fn print(page: &Page<'_>, megabytes: usize, nanos: f64, half: Option<f64>) {
    let ((reader, fed), count) = counted(|| {
        let mut reader = page.case.reader();
        let fed = page.feed(&mut reader, megabytes * MB);
        (reader, fed)
    });
    let found = reader.finish();
    let growth = half.map_or_else(String::new, |half| {
        format!(", {:.1} x the half", nanos / half)
    });
    // A nanosecond a byte is a millisecond a megabyte.
    print_ours(
        &format!("hostile head, {}, {megabytes} MB", page.case.what),
        format!(
            "{:.3} ms a MB{growth}, peak {:.1} KiB, kept {:.1} KiB, ends after {:.2} MB: {}",
            nanos / fed as f64,
            count.peak as f64 / 1024.0,
            kept(&found) as f64 / 1024.0,
            fed as f64 / MB as f64,
            what_ended(found.end()),
        ),
        "linear, at most 64 KiB and what is kept",
    );
}

/// Returns the size of the text in a result, in bytes.
fn kept(page: &PageFacts) -> usize {
    let attributes: usize = page
        .metas()
        .flat_map(|meta| meta.attributes())
        .map(|attribute| attribute.name().len() + attribute.value().len())
        .sum();
    let title = page.title().map_or(0, |title| title.len());
    let canonical = page.canonical().map_or(0, |found| found.href().len());
    attributes + title + canonical
}

fn what_ended(end: &HeadEnd) -> String {
    match end {
        HeadEnd::EndOfPage => "the page".to_owned(),
        HeadEnd::Text => "text".to_owned(),
        HeadEnd::Limit(limit) => limit.to_string(),
        other => format!("{other:?}"),
    }
}
