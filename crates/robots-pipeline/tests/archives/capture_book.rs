//! Books of captures decide as the archives from which they were read.

use crate::{archive, fixture};
use robots_meta::Timestamp;
use robots_pipeline::extent::{ArchiveItems, Extent, FileInput};
use robots_pipeline::input::{ByteStream, InputSource};
use robots_pipeline::robots::capture_book::CaptureBook;
use robots_pipeline::robots::capture_row::CaptureRow;
use robots_pipeline::sink::{RowContext, Sink};
use robots_pipeline::text::with_causes;
use robots_pipeline::{
    Error, Options, Outcome, RobotsSource, Rows, Source, captures, captures_of, decide,
};
use robots_policy::{Decision, Fetch, Page, Policies, Policy, Profile};
use std::fs::{self, File};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

/// Rows: the archive and the offset of the page, the decision, and its evidence as text.
#[derive(Debug, Default, PartialEq)]
struct RowList(Vec<(String, Option<u64>, Decision, String)>);

impl Sink for RowList {
    fn write(&mut self, row: &RowContext<'_>, decision: &Decision) -> io::Result<()> {
        let file = row.file.to_owned();
        let evidence = format!("{:?}", row.evidence.unwrap());
        self.0.push((file, row.offset, decision.clone(), evidence));
        Ok(())
    }
}

fn policies() -> Arc<Policies> {
    let under = |profile: Profile, name: &str| Policy::under(&profile, name).unwrap();
    Arc::new(Policies::new(vec![
        under(Profile::google(), "Googlebot"),
        under(Profile::duckduckgo(), "DuckDuckBot"),
        under(Profile::yandex(), "GPTBot"),
        Policy::new("ExampleBot").unwrap(),
    ]))
}

fn options() -> Options {
    let mut options = Options::new(Timestamp::from_seconds(1_790_000_000));
    options.evidence = true;
    options
}

fn rows(paths: &[PathBuf], robots: RobotsSource) -> RowList {
    let mut options = options();
    options.robots = robots;
    let mut rows = RowList::default();
    let sink = Rows::Sink(&mut rows);
    let outcome = decide(Source::Files(paths), &policies(), &options, sink, &()).unwrap();
    assert!(matches!(outcome, Outcome::Ended { .. }));
    rows
}

fn book(paths: &[PathBuf]) -> CaptureBook {
    let (book, summary) = captures(Source::Files(paths), &policies(), &options(), &()).unwrap();
    assert_eq!(summary.failed_inputs, [""; 0]);
    book
}

fn source(book: CaptureBook) -> RobotsSource {
    RobotsSource::Book(Arc::new(book))
}

#[test]
fn threads_can_share_a_book() {
    fn is_shared<T: Send + Sync + 'static>() {}
    is_shared::<CaptureBook>();
    let shared = Arc::new(book(&[fixture()]));
    let pages = rows(&[fixture()], RobotsSource::Files(vec![fixture()]));
    let urls: Vec<&str> = pages.0.iter().map(|row| &*row.2.url).collect();
    let fetches = || -> Vec<Fetch> {
        let decide = |url: &&str| shared.decide(&Page::new(url), None);
        urls.iter().flat_map(decide).map(|row| row.fetch).collect()
    };
    let expected = fetches();
    let shared = Arc::new(book(&[fixture()]));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for (url, expected) in urls.iter().zip(expected.chunks(4)) {
                    let decisions = shared.decide(&Page::new(url), None);
                    assert!(decisions.iter().map(|row| &row.fetch).eq(expected));
                }
            });
        }
    });
}

#[test]
fn rows_are_those_of_the_archives() {
    let folder = tempfile::tempdir().unwrap();
    let sites = folder.path().join("robots");
    fs::create_dir(&sites).unwrap();
    fs::write(
        sites.join("joes-hardware.com-2026-11-01-robots.txt"),
        "User-agent: *\nDisallow: /",
    )
    .unwrap();
    for robots in [vec![fixture()], vec![sites.clone()], vec![sites, fixture()]] {
        let expected = rows(&[fixture()], RobotsSource::Files(robots.clone()));
        let read = book(&robots);
        let bytes = read.to_bytes();
        assert_eq!(rows(&[fixture()], source(read)), expected);
        let read = CaptureBook::from_bytes(&bytes).unwrap();
        assert_eq!(read.to_bytes(), bytes);
        assert_eq!(
            rows(&[fixture()], RobotsSource::Book(Arc::new(read))),
            expected
        );
        // One book for each source, merged.
        let mut merged = CaptureBook::new(&policies());
        for path in robots {
            let one = book(&[path]).to_bytes();
            merged
                .merge(&CaptureBook::from_bytes(&one).unwrap())
                .unwrap();
        }
        assert_eq!(merged.to_bytes(), bytes);
        assert_eq!(rows(&[fixture()], source(merged)), expected);
    }
}

#[test]
fn rows_of_captures_make_a_book_for_any_robots() {
    let google = Arc::new(Policies::new(vec![
        Policy::under(&Profile::google(), "Googlebot").unwrap(),
    ]));
    let source = [fixture()];
    let (read, _) = captures(Source::Files(&source), &google, &options(), &()).unwrap();
    let mut others = CaptureBook::new(&policies());
    for row in read.rows() {
        others.add_row(&row).unwrap();
    }
    assert_eq!(others.len(), read.len());
    assert_eq!(others.to_bytes(), book(&source).to_bytes());
}

/// A licence may be in another archive than the robots.txt that names it.
#[test]
fn licences_of_merged_books_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["a.warc.gz", "b.warc.gz"].map(|name| folder.path().join(name));
    let plain = ("Content-Type", "text/plain");
    let license = "http://l.example/license.xml";
    let robots = format!("License: {license}\nUser-agent: *");
    let robots_txt = (
        "http://a.example/robots.txt",
        1,
        200,
        plain,
        robots.as_str(),
    );
    archive(&paths[0], &[robots_txt]);
    let terms = r#"<rsl><content url="/"><license><prohibits type="usage">ai-train</prohibits></license></content></rsl>"#;
    archive(&paths[1], &[(license, 1, 200, plain, terms)]);
    let mut merged = book(&paths[..1]);
    merged.merge(&book(&paths[1..])).unwrap();
    assert_eq!(merged.missing_targets(), [license]);
    let source = paths[1..].iter().cloned().map(InputSource::Path).collect();
    let urls = merged.missing_targets();
    let (found, _) =
        captures_of(urls, Source::Inputs(source), &policies(), &options(), &()).unwrap();
    merged.merge(&found).unwrap();
    assert!(merged.missing_targets().is_empty());
    assert_eq!(merged.to_bytes(), book(&paths).to_bytes());
}

/// A table of captures serves any robots: licences are found that a file names for others than those of the book.
#[test]
fn licences_for_other_robots_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc.gz");
    let plain = ("Content-Type", "text/plain");
    let robots = "User-agent: *\nAllow: /\n\nUser-agent: OtherBot\nLicense: /license.xml\nAllow: /";
    let robots_txt = ("http://a.example/robots.txt", 1, 200, plain, robots);
    let license = "http://a.example/license.xml";
    archive(&path, &[robots_txt]);
    assert_eq!(
        book(std::slice::from_ref(&path)).missing_targets(),
        [license]
    );
    archive(&path, &[robots_txt, (license, 1, 200, plain, "<rsl/>")]);
    let whole = book(&[path]);
    assert!(whole.missing_targets().is_empty());
    assert!(whole.rows().any(|row| row.url == license));
}

/// The file that decides is named, or none: never the request after it.
#[test]
fn rules_have_their_own_source() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.warc.gz");
    let html = ("Content-Type", "text/html");
    archive(&page, &[("http://a.example/x", 5, 200, html, "<p>")]);
    for (places, expected) in [
        (
            [true, true],
            "robots: Some(CaptureSource { url: \"http://a.example/robots.txt\", status: Some(200)",
        ),
        (
            [true, false],
            "robots: Some(CaptureSource { url: \"http://a.example/robots.txt\", status: Some(200)",
        ),
        ([false, true], "robots: None"),
        ([false, false], "robots: None"),
    ] {
        let mut book = CaptureBook::new(&policies());
        for (day, has_place) in (1..).zip(places) {
            let row = CaptureRow {
                url: "http://a.example/robots.txt",
                captured_at: Timestamp::parse(&format!("2026-11-0{day}")),
                outcome: "response",
                status: Some(if day == 1 { 200 } else { 304 }),
                body: (day == 1).then_some(&b"User-agent: *"[..]),
                file: has_place.then_some("a.warc"),
                offset: Some(day),
                ..CaptureRow::default()
            };
            book.add_row(&row).unwrap();
        }
        let rows = rows(std::slice::from_ref(&page), source(book));
        assert_eq!(rows.0.len(), 4);
        for row in rows.0 {
            assert!(row.3.contains(expected), "{places:?}: {}", row.3);
        }
    }
}

#[test]
fn streams_and_records_have_the_captures_of_files() {
    let expected = book(&[fixture()]);
    // The name of the archive is another one.
    let rows = |book: &CaptureBook| -> Vec<String> {
        let rows = book.rows();
        rows.map(|row| format!("{:?}", CaptureRow { file: None, ..row }))
            .collect()
    };
    let stream = ByteStream::new("a", File::open(fixture()).unwrap());
    let source = Source::Inputs(vec![InputSource::Stream(stream)]);
    let (read, _) = captures(source, &policies(), &options(), &()).unwrap();
    assert_eq!(rows(&read), rows(&expected));
    let input = FileInput::open(&fixture()).unwrap();
    let mut items = ArchiveItems::new("records", input, Extent::Whole);
    let source = Source::Items {
        name: "records",
        items: &mut items,
    };
    let (read, _) = captures(source, &policies(), &options(), &()).unwrap();
    assert_eq!(rows(&read), rows(&expected));
}

#[test]
fn an_archive_that_cannot_be_read_is_an_error_or_in_the_summary() {
    let missing = [PathBuf::from("missing.warc.gz")];
    let read = captures(Source::Files(&missing), &policies(), &options(), &());
    assert!(matches!(read, Err(Error::Io { .. })));
    let stream = ByteStream::new("a page", &b"<title>A page</title>"[..]);
    let source = Source::Inputs(vec![InputSource::Stream(stream)]);
    let (read, summary) = captures(source, &policies(), &options(), &()).unwrap();
    assert!(read.is_empty());
    assert!(summary.failed_inputs[0].starts_with("a page: neither a WARC"));
}

#[test]
fn other_policies_are_an_error() {
    let mut options = options();
    options.robots = source(book(&[fixture()]));
    let others = Policies::new(vec![Policy::new("OtherBot").unwrap()]);
    let mut rows = RowList::default();
    let paths = [fixture()];
    let sink = Rows::Sink(&mut rows);
    let error = decide(Source::Files(&paths), &others, &options, sink, &()).unwrap_err();
    let text = with_causes(&error);
    assert!(
        text.starts_with(
            "cannot use the book of robots.txt captures: the book is of Googlebot under google, "
        ),
        "{text}"
    );
    assert!(text.contains("not of OtherBot under neutral"), "{text}");
}

#[test]
fn redirects_to_other_archives_can_be_followed() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["first.warc", "second.warc"].map(|name| folder.path().join(name));
    let html = ("Content-Type", "text/html");
    let to = |target: &'static str| ("Location", target);
    archive(
        &first,
        &[
            ("http://a.example/robots.txt", 1, 302, to("/rules"), ""),
            (
                "http://b.example/robots.txt",
                1,
                302,
                to("http://c.example/robots.txt"),
                "",
            ),
            ("http://a.example/x", 2, 200, html, "<p>"),
            ("http://b.example/x", 2, 200, html, "<p>"),
        ],
    );
    archive(
        &second,
        &[
            ("http://a.example/rules", 1, 302, to("/more-rules"), ""),
            (
                "http://c.example/robots.txt",
                1,
                200,
                html,
                "User-agent: *\nDisallow: /",
            ),
            (
                "http://a.example/more-rules",
                1,
                200,
                html,
                "User-agent: *\nDisallow: /x",
            ),
        ],
    );
    let both = [first.clone(), second.clone()];
    let expected = rows(&both, RobotsSource::Files(both.to_vec()));
    let is_denied = |row: &&(String, Option<u64>, Decision, String)| row.2.fetch == Fetch::Disallow;
    assert!(expected.0.iter().filter(is_denied).count() >= 6);
    assert_eq!(rows(&both, source(book(&both))), expected);

    let mut merged = book(std::slice::from_ref(&first));
    merged.merge(&book(std::slice::from_ref(&second))).unwrap();
    assert_eq!(merged.missing_targets(), ["http://a.example/rules"]);
    let missing = merged.missing_targets();
    for path in &both {
        let source = Source::Files(std::slice::from_ref(path));
        let (found, _) =
            captures_of(missing.clone(), source, &policies(), &options(), &()).unwrap();
        merged.merge(&found).unwrap();
    }
    assert_eq!(merged.missing_targets(), [""; 0]);
    assert_eq!(rows(&both, source(merged)), expected);
}
