//! Reading the HEAD of each page, and of all pages in a row.

use crate::alloc::counted;
use crate::corpus::File;
use crate::measure::{ROUNDS, Row, figure, median, print_figures, print_ours};
use crate::peers::{ALL, Page, Pair};
use memchr::{memchr, memchr2};
use robots_meta::page::ReadBy;
use robots_meta::{Directives, Facts, HeadOptions, HeadReader, Wanted};
use std::hint::black_box;
use std::time::Instant;

/// The names of the three robots in METAs.
const NAMES: [&str; 3] = ["robots", "googlebot", "bingbot"];

/// The number of times that a fast reader is run on a page in a row.
const TIMES: u32 = 16;

/// Returns the options of a reader that keeps these facts.
fn options(wanted: &Wanted) -> HeadOptions {
    HeadOptions::new().with_wanted(wanted.clone())
}

/// Reads the facts that an indexer usually needs.
fn indexing(page: &[u8], wanted: &Wanted) -> usize {
    let page = options(wanted).read(page);
    let flags: Directives = page
        .directives(&NAMES)
        .map(|directive| directive.flags())
        .collect();
    black_box((
        flags,
        page.title(),
        page.description(),
        page.keywords(),
        page.revisit_after().map(|(revisit, _)| revisit),
        page.canonical(),
    ));
    page.metas().len()
}

/// Reads the directives for robots.
fn robots(page: &[u8], wanted: &Wanted) -> Directives {
    options(wanted)
        .read(page)
        .directives(&NAMES)
        .map(|directive| directive.flags())
        .collect()
}

/// Reads every META.
fn everything(page: &[u8]) -> usize {
    HeadReader::read(page).metas().len()
}

/// Counts tags with the minimum of work for a scanner that uses `memchr`: it finds each `<`, then the
/// quotes up to its `>`. This is not an exact reading of tags, but a bound to compare with.
fn tag_ends(page: &Page) -> usize {
    let mut rest = page.bytes.get(..page.head).unwrap_or_default();
    let mut tags = 0;
    'tags: while let Some(start) = memchr(b'<', rest) {
        rest = &rest[start..];
        tags += 1;
        while let Some(at) = memchr2(b'"', b'>', rest) {
            let is_end = rest[at] == b'>';
            rest = &rest[at + 1..];
            if is_end {
                continue 'tags;
            }
            match memchr(b'"', rest) {
                Some(quote) => rest = &rest[quote + 1..],
                None => break 'tags,
            }
        }
        break;
    }
    tags
}

/// A reading to measure, and the number of times that it is run in a row, so that the time is long enough to be
/// measured.
type Reading<'a> = (u32, Box<dyn Fn(&Page) + 'a>);

/// Returns the minimum time of each reading on a page, in nanoseconds. The readings run in turns, so that a change of
/// the processor's clock rate affects all.
fn least(page: &Page, readings: &[Reading<'_>]) -> Vec<f64> {
    let mut least = vec![f64::INFINITY; readings.len()];
    for _ in 0..ROUNDS {
        for (least, (times, read)) in least.iter_mut().zip(readings) {
            let start = Instant::now();
            for _ in 0..*times {
                read(page);
            }
            let time = start.elapsed().as_nanos() as f64 / f64::from(*times);
            *least = least.min(time);
        }
    }
    least
}

/// The name of the bound, which is not a peer.
const BOUND: &str = "memchr alone: each `<`, and quotes up to its `>`; reads nothing";

/// Our rows.
const ROWS: [&str; 3] = [
    "head, what an indexer asks for",
    "head, robots alone",
    "head, every META",
];

pub fn bench(files: &[File]) {
    let pages: Vec<Page> = files
        .iter()
        .map(|file| Page {
            bytes: file.body.clone(),
            text: String::from_utf8_lossy(&file.body).into_owned(),
            head: HeadReader::read(&file.body)
                .consumed()
                .unwrap_or(file.body.len()),
        })
        .collect();
    let wanted = Wanted::facts(Facts::INDEXING).for_robots(NAMES);
    let only_robots = Wanted::facts(Facts::ROBOTS).for_robots(NAMES);
    let mut readings: Vec<Reading<'_>> = vec![
        (
            TIMES,
            Box::new(|page| {
                black_box(indexing(&page.bytes, &wanted));
            }),
        ),
        (
            TIMES,
            Box::new(|page| {
                black_box(robots(&page.bytes, &only_robots));
            }),
        ),
        (
            TIMES,
            Box::new(|page| {
                black_box(everything(&page.bytes));
            }),
        ),
    ];
    readings.push((
        TIMES,
        Box::new(|page| {
            black_box(tag_ends(page));
        }),
    ));
    for peer in ALL {
        let times = if peer.name.contains("whole page") {
            1
        } else {
            TIMES
        };
        let read = peer.read;
        readings.push((
            times,
            Box::new(move |page| {
                black_box(read(page));
            }),
        ));
    }
    let mut all = vec![Vec::with_capacity(pages.len()); readings.len()];
    for page in &pages {
        for (times, time) in all.iter_mut().zip(least(page, &readings)) {
            times.push(time);
        }
    }
    let (ours, theirs) = all.split_at(ROWS.len());
    let Some((bound, theirs)) = theirs.split_first() else {
        return;
    };
    for (row, ours) in ROWS.iter().zip(ours) {
        print_figures(
            &format!("{row}, median page"),
            "a page",
            median(&mut ours.clone()),
            BOUND,
            median(&mut bound.clone()),
            "",
        );
    }
    for (peer, theirs) in ALL.iter().zip(theirs) {
        for (row, ours) in ROWS.iter().zip(ours) {
            let target = match (*row, peer.name) {
                (row, name) if row == ROWS[0] && name.starts_with("lol_html") => "8 x",
                (row, name) if row == ROWS[0] && name.starts_with("html5ever tokenizer") => "28 x",
                (row, name) if row == ROWS[0] && name.contains("rcdom") => "450 x",
                (row, name) if row == ROWS[1] && name.starts_with("lol_html") => "12 x",
                _ => "",
            };
            print_figures(
                &format!("{row}, median page"),
                "a page",
                median(&mut ours.clone()),
                peer.name,
                median(&mut theirs.clone()),
                target,
            );
            print_figures(
                &format!("{row}, sum of all pages"),
                "in all",
                ours.iter().sum(),
                peer.name,
                theirs.iter().sum(),
                target,
            );
        }
        print_wrong(&pages, peer.name, peer.read);
    }
    print_allocations(&pages, &wanted, &only_robots);
    print_read_by(&pages);
}

/// Reads every page this number of times, for a profiler. Returns `None` if an argument is invalid, or without a corpus.
pub fn once(what: &str, times: &str) -> Option<()> {
    let times: usize = times.parse().ok()?;
    let files = crate::corpus::pages(&crate::corpus::folder()?);
    let wanted = match what {
        "indexing" => Wanted::facts(Facts::INDEXING).for_robots(NAMES),
        "robots" => Wanted::facts(Facts::ROBOTS).for_robots(NAMES),
        "everything" => Wanted::everything(),
        _ => return None,
    };
    for file in &files {
        for _ in 0..times {
            black_box(options(&wanted).read(&file.body));
        }
    }
    Some(())
}

/// Prints the number of pages on which a peer finds other METAs than the standard does. Ours are those of the standard
/// (`tests/`).
fn print_wrong(pages: &[Page], name: &str, read: fn(&Page) -> Vec<Pair>) {
    let wrong = pages
        .iter()
        .filter(|page| {
            let ours = HeadOptions::new().with_charset("utf-8").read(&page.bytes);
            let ours: Vec<(String, &str)> = ours
                .metas()
                .map(|meta| {
                    let name = meta.name().unwrap_or_default().trim_ascii();
                    (name.to_ascii_lowercase(), meta.content())
                })
                .collect();
            let theirs = read(page);
            let theirs: Vec<(String, &str)> = theirs
                .iter()
                .map(|pair| (pair.name.clone(), pair.content.as_str()))
                .collect();
            ours != theirs
        })
        .count();
    Row {
        row: "head, pages whose METAs differ",
        ours: String::new(),
        peer: name,
        theirs: format!("{wrong} of {}", pages.len()),
        ratio: None,
        target: "",
    }
    .print();
}

fn print_allocations(pages: &[Page], wanted: &Wanted, only_robots: &Wanted) {
    let calls = |read: &dyn Fn(&Page)| {
        let mut calls: Vec<f64> = pages
            .iter()
            .map(|page| counted(|| read(page)).1.calls as f64)
            .collect();
        median(&mut calls)
    };
    let rows = [
        (
            "head, what an indexer asks for, allocations",
            calls(&|page| {
                black_box(indexing(&page.bytes, wanted));
            }),
            "at most 8",
        ),
        (
            "head, robots alone, allocations",
            calls(&|page| {
                black_box(robots(&page.bytes, only_robots));
            }),
            "at most 2",
        ),
    ];
    for (row, calls, target) in rows {
        print_ours(
            row,
            format!("{} for the median page", figure(calls)),
            target,
        );
    }
}

fn print_read_by(pages: &[Page]) {
    let needing_tree_builder = pages
        .iter()
        .filter(|page| HeadReader::read(&page.bytes).read_by() != ReadBy::Scanner)
        .count();
    print_ours(
        "head, pages that needed the tree builder",
        format!("{needing_tree_builder} of {}", pages.len()),
        "",
    );
}
