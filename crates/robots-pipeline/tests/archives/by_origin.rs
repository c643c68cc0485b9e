//! Pages that are sorted by origin are decided as by a book of all captures.

use crate::{Response, Warnings, archive, fixture};
use robots_meta::Timestamp;
use robots_pipeline::by_origin::{
    Group, MAX_REDIRECT_STEPS, OriginDecider, PageReceiver, SortedRowError, UndecidedPage,
};
use robots_pipeline::robots::capture_book::CaptureBook;
use robots_pipeline::robots::capture_row::CaptureRow;
use robots_pipeline::sink::{RowContext, Sink};
use robots_pipeline::summary::Summary;
use robots_pipeline::{
    Now, Observer, Options, RobotsSource, Rows, Source, captures, decide, read_pages,
};
use robots_policy::site::Tdmrep;
use robots_policy::{Decision, Policies, Policy, Profile};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::{fs, io};

/// Rows: the archive, the offset and the status of the page, and the decision with its evidence as text.
#[derive(Debug, Default, PartialEq)]
struct RowList(Vec<(String, Option<u64>, Option<u16>, String)>);

impl Sink for RowList {
    fn write(&mut self, row: &RowContext<'_>, decision: &Decision) -> io::Result<()> {
        let file = row.file.to_owned();
        let decision = format!("{decision:?} {:?}", row.evidence);
        self.0.push((file, row.offset, row.status, decision));
        Ok(())
    }
}

/// Pages that were read: key, archive and facts.
#[derive(Debug, Default)]
struct PageList(Vec<(String, String, Vec<u8>)>);

impl PageReceiver for PageList {
    fn receive(&mut self, page: &UndecidedPage<'_>) -> io::Result<()> {
        let key = page.key.unwrap_or_default().to_owned();
        self.0
            .push((key, page.file.to_owned(), page.facts.to_vec()));
        Ok(())
    }
}

const NOW: Timestamp = Timestamp::from_seconds(1_790_000_000);

fn policies() -> Arc<Policies> {
    let under = |profile: Profile, name: &str| Policy::under(&profile, name).unwrap();
    Arc::new(Policies::new(vec![
        under(Profile::google(), "Googlebot"),
        under(Profile::duckduckgo(), "DuckDuckBot"),
        Policy::new("ExampleBot").unwrap(),
    ]))
}

fn options() -> Options {
    let mut options = Options::new(NOW);
    options.now = Now::At(NOW);
    options.evidence = true;
    options
}

fn read(paths: &[PathBuf], observer: &dyn Observer) -> (PageList, Summary) {
    let mut pages = PageList::default();
    let source = Source::Files(paths);
    let summary = read_pages(source, &policies(), &options(), &mut pages, observer).unwrap();
    (pages, summary)
}

fn book(paths: &[PathBuf]) -> CaptureBook {
    captures(Source::Files(paths), &policies(), &options(), &())
        .unwrap()
        .0
}

/// Returns the rows of a run that has all captures in a book, sorted.
fn by_book(paths: &[PathBuf], observer: &dyn Observer) -> (RowList, Summary) {
    let mut options = options();
    options.robots = RobotsSource::Book(Arc::new(book(paths)));
    let mut rows = RowList::default();
    let sink = Rows::Sink(&mut rows);
    let outcome = decide(Source::Files(paths), &policies(), &options, sink, observer).unwrap();
    let robots_pipeline::Outcome::Ended { summary, .. } = outcome else {
        panic!("{outcome:?}");
    };
    rows.0.sort();
    (rows, summary)
}

/// Returns the captures of each key: its own, those of its tdmrep.json, and those to which redirects lead.
fn by_key<'b>(rows: &[CaptureRow<'b>]) -> BTreeMap<String, Vec<CaptureRow<'b>>> {
    let key_of = |url: &str| url.replace(Tdmrep::PATH, "/robots.txt");
    let keys: BTreeSet<String> = rows.iter().map(|row| key_of(row.url)).collect();
    let mut groups = BTreeMap::new();
    for key in keys {
        let own = rows.iter().map(|row| row.url);
        let mut urls: BTreeSet<&str> = own.filter(|url| key_of(url) == key).collect();
        for _ in 0..MAX_REDIRECT_STEPS {
            let known = rows.iter().filter(|row| urls.contains(row.url));
            let more: Vec<&str> = known.filter_map(|row| row.target).collect();
            urls.extend(more);
        }
        let own = rows.iter().filter(|row| urls.contains(row.url)).copied();
        groups.insert(key, own.collect());
    }
    groups
}

/// Returns the rows of pages and captures that are sorted by origin, sorted; the pages of an origin are in so many groups.
fn by_origin(paths: &[PathBuf], salts: i64) -> RowList {
    let (pages, _) = read(paths, &());
    let book = book(paths);
    let captures: Vec<_> = book.rows().collect();
    let captures = by_key(&captures);
    let mut groups: BTreeMap<Group<'_>, Vec<(&str, &[u8])>> = BTreeMap::new();
    for (number, (key, file, facts)) in pages.0.iter().enumerate() {
        let salt = i64::try_from(number).unwrap() % salts;
        let group = groups.entry(Group { key, salt }).or_default();
        group.push((file, facts));
    }
    // An origin without pages.
    groups.entry(Group { key: "~", salt: 0 }).or_default();
    let mut decider = OriginDecider::new(policies(), NOW).with_evidence();
    let mut rows = RowList::default();
    for (group, pages) in groups {
        for row in captures.get(group.key).into_iter().flatten() {
            decider.add_capture(group, row).unwrap();
        }
        for (file, facts) in pages {
            decider.decide(group, file, facts, &mut rows).unwrap();
        }
    }
    rows.0.sort();
    rows
}

const HTML: (&str, &str) = ("Content-Type", "text/html");
const PLAIN: (&str, &str) = ("Content-Type", "text/plain");

#[test]
fn a_crawl_has_the_rows_of_a_run() {
    let paths = [fixture()];
    let warnings = [Warnings::default(), Warnings::default()];
    let (expected, of_run) = by_book(&paths, &warnings[0]);
    assert!(expected.0.len() > 60);
    assert_eq!(by_origin(&paths, 1), expected);
    assert_eq!(by_origin(&paths, 3), expected);
    // Problems are reported when pages are read.
    let (pages, of_reading) = read(&paths, &warnings[1]);
    assert_eq!(pages.0.len() * policies().len(), expected.0.len());
    let [of_run_warnings, of_reading_warnings] = warnings.map(|all| all.0.into_inner().unwrap());
    assert_eq!(of_reading_warnings, of_run_warnings);
    assert_eq!(of_reading.skipped, of_run.skipped);
    assert_eq!(of_reading.has_failed(), of_run.has_failed());
}

#[test]
fn redirects_are_followed_over_origins() {
    let folder = tempfile::tempdir().unwrap();
    let mut responses: Vec<(String, u8, u16, String, &str)> = Vec::new();
    let closed = "User-agent: *\nDisallow: /";
    // Chains of up to eight redirects, to a file and to nothing.
    for (host, end) in [("h", true), ("n", false)] {
        for hop in 0..8 {
            let url = format!("http://{host}{hop}.example/robots.txt");
            let target = format!("http://{host}{}.example/robots.txt", hop + 1);
            responses.push((url, 1, 301, target, ""));
        }
        if end {
            let url = format!("http://{host}8.example/robots.txt");
            responses.push((url, 1, 200, String::new(), closed));
        }
    }
    // A loop, and a robots.txt whose redirect leads to other origins over time, one of which has several captures of a second.
    let url = |host: &str| format!("http://{host}.example/robots.txt");
    responses.push((url("l0"), 1, 301, url("l1"), ""));
    responses.push((url("l1"), 1, 302, url("l0"), ""));
    responses.push((url("t"), 1, 302, url("h8"), ""));
    responses.push((url("t"), 3, 302, "/rules?a".to_owned(), ""));
    responses.push((url("t"), 5, 302, url("u"), ""));
    responses.push(("http://t.example/rules?a".to_owned(), 2, 302, url("u"), ""));
    responses.push((url("u"), 1, 200, String::new(), closed));
    responses.push((
        url("u"),
        1,
        200,
        String::new(),
        "User-agent: *\nDisallow: /x",
    ));
    responses.push((url("u"), 4, 503, String::new(), ""));
    // A tdmrep.json, directly and by a redirect to another file.
    let tdmrep = |host: &str| format!("http://{host}.example{}", Tdmrep::PATH);
    let reserved = r#"[{"location": "/x", "tdm-reservation": 1}]"#;
    responses.push((tdmrep("none"), 3, 200, String::new(), reserved));
    responses.push((tdmrep("r"), 2, 302, "/rights".to_owned(), ""));
    responses.push((
        "http://r.example/rights".to_owned(),
        2,
        200,
        String::new(),
        reserved,
    ));
    let hosts: Vec<String> = (0..9)
        .flat_map(|hop| [format!("h{hop}"), format!("n{hop}")])
        .chain(["l0", "l1", "t", "u", "r", "none"].map(str::to_owned))
        .collect();
    let mut all: Vec<Response<'_>> = Vec::new();
    for (url, day, status, target, body) in &responses {
        let header = if *status == 200 {
            PLAIN
        } else {
            ("Location", target.as_str())
        };
        all.push((url, *day, *status, header, body));
    }
    let pages: Vec<String> = hosts
        .iter()
        .flat_map(|host| ["x", "y"].map(|path| format!("http://{host}.example/{path}")))
        .collect();
    for url in &pages {
        for day in 1..7 {
            all.push((url, day, 200, HTML, "<meta name=robots content=noarchive>"));
        }
    }
    // These have no origin.
    all.push(("http://[::1/", 2, 200, HTML, "<p>"));
    all.push(("urn:a:b", 2, 200, HTML, "<p>"));
    let paths = [archive(&folder.path().join("a.warc.gz"), &all)];
    let (expected, _) = by_book(&paths, &());
    assert_eq!(expected.0.len(), (hosts.len() * 12 + 2) * policies().len());
    let reserves = |row: &&(_, _, _, String)| row.3.contains("tdm-reservation: 1");
    // The pages /x of two sites, on six days, for each policy.
    assert_eq!(
        expected.0.iter().filter(reserves).count(),
        2 * 6 * policies().len()
    );
    for salts in [1, 4] {
        assert_eq!(by_origin(&paths, salts), expected);
    }
}

#[test]
fn rows_that_are_not_sorted_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let responses = [
        ("http://a.example/robots.txt", 1, 200, PLAIN, ""),
        ("http://a.example/x", 2, 200, HTML, "<p>"),
    ];
    let paths = [archive(&folder.path().join("a.warc.gz"), &responses)];
    let (pages, _) = read(&paths, &());
    let [(key, file, facts)] = &pages.0[..] else {
        panic!("{pages:?}");
    };
    assert_eq!(key, "http://a.example/robots.txt");
    let book = book(&paths);
    let capture = book.rows().next().unwrap();
    let mut rows = RowList::default();
    let group = |key, salt| Group { key, salt };
    let own = group(key.as_str(), 1);
    let mut decider = OriginDecider::new(policies(), NOW);
    decider.add_capture(own, &capture).unwrap();
    decider.decide(own, file, facts, &mut rows).unwrap();
    let late = decider.add_capture(own, &capture).unwrap_err();
    assert!(matches!(late, SortedRowError::LateCapture(_)), "{late}");
    for before in [group(key, 0), group("http:", 2)] {
        let error = decider.decide(before, file, facts, &mut rows).unwrap_err();
        assert!(matches!(error, SortedRowError::NotSorted { .. }), "{error}");
    }
    let other = group("http://b.example/robots.txt", 0);
    let error = decider.decide(other, file, facts, &mut rows).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the page \"http://a.example/x\" is not of the origin of \"http://b.example/robots.txt\""
    );
    let no_capture = CaptureRow {
        outcome: "none",
        ..capture
    };
    let next = group("http://c.example/robots.txt", 0);
    let error = decider.add_capture(next, &no_capture).unwrap_err();
    assert!(matches!(error, SortedRowError::Capture { .. }), "{error}");
    let error = decider.decide(next, file, &facts[1..], &mut rows);
    assert!(error.is_err());
    assert_eq!(rows.0.len(), policies().len());
}

#[test]
fn what_cannot_be_read_is_left_out_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("page.html"), "<p>").unwrap();
    let missing = folder.path().join("missing.warc");
    let (pages, summary) = read(&[folder.path().to_owned(), missing], &());
    assert!(pages.0.is_empty());
    let [of_missing, of_folder] = &summary.failed_inputs[..] else {
        panic!("{summary:?}");
    };
    assert!(of_missing.contains("missing.warc"), "{of_missing}");
    assert!(of_folder.contains("neither a WARC"), "{of_folder}");
}
