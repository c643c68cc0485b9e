//! `robots decide --index`: only the records that an index lists are read.

use crate::program::{Outcome, gzip, page, plain_text, record, response, robots, robots_on};
use std::path::{Path, PathBuf};

/// An archive, and the lines of its index.
struct Indexed {
    archive: Vec<u8>,
    lines: Vec<String>,
}

impl Indexed {
    /// Makes an archive of 300 pages, 200 of them in the index, and four other records. Each record is compressed alone.
    fn new(compress: &dyn Fn(&[u8]) -> Vec<u8>) -> Self {
        let mut indexed = Self {
            archive: Vec::new(),
            lines: vec!["!meta 0 {\"format\": \"cdxj\"}".to_owned()],
        };
        let mut add = |record: &[u8], line: Option<(&str, &str, &str)>| {
            if let Some((url, mime, status)) = line {
                let offset = indexed.archive.len();
                indexed.lines.push(format!(
                    "key 20261120000000 {{\"url\": \"{url}\", \"mime\": \"{mime}\", \"status\": \"{status}\", \"offset\": \"{offset}\", \"filename\": \"crawl/segments/a.warc.gz\"}}"
                ));
            }
            indexed.archive.extend(compress(record));
        };
        for number in 0..300 {
            let url = format!("http://a.example/{number}");
            // The archive is so large that it is read in several parts.
            let noise: String = std::iter::repeat_with(fastrand::alphanumeric)
                .take(9_000)
                .collect();
            let html = format!("<meta name=robots content=noindex><p>{noise}");
            // Every third page is not in the index.
            let line = (number % 3 > 0).then_some((url.as_str(), "text/html", "200"));
            add(&page(&url, &html), line);
        }
        let gone = record(
            "http://a.example/gone",
            "HTTP/1.1 404 x\r\nContent-Type: text/html\r\n\r\n",
            b"",
        );
        add(&gone, Some(("http://a.example/gone", "text/html", "404")));
        let pdf = response(
            "http://a.example/x.pdf",
            "Content-Type: application/pdf",
            b"%PDF",
        );
        add(
            &pdf,
            Some(("http://a.example/x.pdf", "application/pdf", "200")),
        );
        let rules = plain_text("http://a.example/rules", b"User-agent: *\nDisallow: /1");
        add(
            &rules,
            Some(("http://a.example/rules", "text/plain", "200")),
        );
        let moved = record(
            "http://a.example/robots.txt",
            "HTTP/1.1 301 x\r\nLocation: /rules\r\n\r\n",
            b"",
        );
        add(&moved, Some(("http://a.example/robots.txt", "unk", "301")));
        indexed
    }

    /// Writes both files, and returns their paths: archive and index.
    fn write(&self, folder: &Path) -> [PathBuf; 2] {
        let [archive, index] = ["a.warc.gz", "a.cdxj"].map(|name| folder.join(name));
        std::fs::write(&archive, &self.archive).unwrap();
        std::fs::write(&index, self.lines.join("\n")).unwrap();
        [archive, index]
    }
}

fn decide([archive, index]: &[PathBuf; 2], words: &[&str]) -> Outcome {
    let (archive, index) = (archive.to_str().unwrap(), index.to_str().unwrap());
    let fixed = [
        "decide",
        "--format",
        "csv",
        "--fields",
        "url,fetch,status",
        "--index",
        index,
        archive,
    ];
    robots([&fixed[..], words].concat())
}

#[test]
fn only_listed_records_are_read() {
    let plain = |record: &[u8]| record.to_vec();
    let zstd = |record: &[u8]| zstd::encode_all(record, 1).unwrap();
    for compress in [&gzip as &dyn Fn(&[u8]) -> Vec<u8>, &plain, &zstd] {
        let folder = tempfile::tempdir().unwrap();
        let paths = Indexed::new(compress).write(folder.path());
        let expected = decide(&paths, &["--threads", "1"]);
        expected.assert_success();
        let urls: Vec<&str> = expected.stdout.lines().skip(1).collect();
        // Of the listed records, only pages with status 200 have rows.
        assert_eq!(urls.len(), 200, "{}", expected.stderr);
        assert_eq!(urls[0], "http://a.example/1,disallow,200");
        assert_eq!(urls[1], "http://a.example/2,allow,200");
        assert!(!expected.stderr.contains("warning:"), "{}", expected.stderr);
        for words in [
            &["--threads", "3"][..],
            &["--hold-back", "0"],
            &["--threads", "2", "--hold-back", "0"],
        ] {
            let outcome = decide(&paths, words);
            assert_eq!(outcome.stdout, expected.stdout, "{words:?}");
            assert_eq!(outcome.stderr, expected.stderr, "{words:?}");
        }
        // From standard input, it is read once, too, although the target of the redirect is searched in it.
        let words = ["decide", "--format", "csv", "--fields", "url,fetch,status"];
        let of_index = ["--index", "-", paths[0].to_str().unwrap()];
        let words = words.iter().chain(&of_index);
        let outcome = robots_on(words, &std::fs::read(&paths[1]).unwrap());
        assert_eq!(outcome.stdout, expected.stdout);
        assert_eq!((outcome.code, &outcome.stderr), (0, &expected.stderr));
        let all_types = decide(&paths, &["--all-types"]).stdout;
        assert!(all_types.contains("http://a.example/x.pdf,"), "{all_types}");
        // Without the index: the header, 300 pages, and the HTML response with status 404.
        let archive = paths[0].to_str().unwrap();
        let whole = robots(["decide", "--format", "csv", archive]);
        assert_eq!(whole.stdout.lines().count(), 302);
    }
}

/// An index lists the files of a site, and the licences that it names, as other types than pages: they are read all the same.
#[test]
fn listed_terms_decide() {
    let folder = tempfile::tempdir().unwrap();
    let mut archive = Vec::new();
    let mut lines = Vec::new();
    let (site, reserved) = (
        "http://a.example",
        r#"[{"location": "/", "tdm-reservation": 1}]"#,
    );
    let file = format!("{site}/.well-known/tdmrep.json");
    for (url, mime, record) in [
        (
            &file,
            "application/json",
            response(&file, "Content-Type: application/json", reserved.as_bytes()),
        ),
        (
            &format!("{site}/robots.txt"),
            "text/plain",
            plain_text(
                &format!("{site}/robots.txt"),
                b"License: /moved\nUser-agent: *",
            ),
        ),
        (
            &format!("{site}/moved"),
            "text/html",
            record(
                &format!("{site}/moved"),
                "HTTP/1.1 301 x\r\nLocation: /license.xml\r\n\r\n",
                b"",
            ),
        ),
        (
            &format!("{site}/license.xml"),
            "application/xml",
            response(
                &format!("{site}/license.xml"),
                "Content-Type: text/xml",
                br#"<rsl><content url="/"><license><prohibits type="usage">search</prohibits></license></content></rsl>"#,
            ),
        ),
        (
            &format!("{site}/x"),
            "text/html",
            page(&format!("{site}/x"), "<p>"),
        ),
    ] {
        let offset = archive.len();
        lines.push(format!(
            "key 20261120000000 {{\"url\": \"{url}\", \"mime\": \"{mime}\", \"status\": \"200\", \"offset\": \"{offset}\", \"filename\": \"a.warc\"}}"
        ));
        archive.extend(record);
    }
    let [path, index] = ["a.warc", "a.cdxj"].map(|name| folder.path().join(name));
    std::fs::write(&path, archive).unwrap();
    std::fs::write(&index, lines.join("\n")).unwrap();
    let words = ["decide", "--format=csv", "--fields=url,may_train,ai_search"];
    let words = words.map(std::ffi::OsString::from);
    let whole = robots(words.iter().chain([&path.clone().into()]));
    assert!(
        whole.stdout.ends_with("http://a.example/x,no,disallow\n"),
        "{}",
        whole.stdout
    );
    let indexed = ["--index".into(), index.into(), path.into()];
    assert_eq!(robots(words.iter().chain(&indexed)).stdout, whole.stdout);
}

#[test]
fn wrong_index_entries_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let mut indexed = Indexed::new(&gzip);
    let line = |offset: &str, file: &str| {
        format!(
            "key 20261120000000 {{\"url\": \"http://a.example/\", \"mime-detected\": \"text/html\", \"status\": 200, \"offset\": {offset}, \"filename\": \"{file}\"}}"
        )
    };
    // The index has 205 lines, so these are lines 206 to 212.
    indexed.lines.extend([
        line("7", "a.warc.gz"),
        line("999999999", "a.warc.gz"),
        line("0", "b.warc.gz"),
        "no index".to_owned(),
        line("\"x\"", "a.warc.gz"),
        // The first record, twice: it is read once.
        line("0", "a.warc.gz"),
        line("0", "a.warc.gz"),
    ]);
    let paths = indexed.write(folder.path());
    let outcome = decide(&paths, &[]);
    // The header, the 200 listed pages, and the first record.
    assert_eq!(outcome.stdout.lines().count(), 202, "{}", outcome.stderr);
    for message in [
        "a.warc.gz: at byte 7: no record begins here",
        "a.warc.gz: at byte 999999999: no record begins here",
        "the index has 1 record in files that are not inputs",
        "a.cdxj: line 209 is not an index entry",
        "a.cdxj: line 210 is not an index entry: expected a number",
        "2 broken places",
    ] {
        outcome.assert_stderr_contains(message);
    }
    let nowhere = [paths[0].clone(), folder.path().join("none.cdxj")];
    assert_eq!(decide(&nowhere, &[]).code, 2);
    let other_file = line("0", "b.warc.gz") + "\n";
    for (index, message) in [
        ("", "a.cdxj is not a CDXJ index: no line is an entry"),
        ("User-agent: *\nDisallow: /\n", "no line is an entry"),
        (
            &other_file,
            "the index has 1 record, all in files that are not inputs",
        ),
    ] {
        std::fs::write(&paths[1], index).unwrap();
        let outcome = decide(&paths, &[]);
        assert_eq!((outcome.code, &*outcome.stdout), (2, ""), "{index}");
        outcome.assert_stderr_contains(message);
    }
}

#[test]
fn inputs_that_an_index_does_not_list_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let paths = Indexed::new(&gzip).write(folder.path());
    let second = folder.path().join("second.warc.gz");
    std::fs::copy(&paths[0], &second).unwrap();
    let outcome = decide(&paths, &[second.to_str().unwrap()]);
    assert_eq!((outcome.code, outcome.stdout.lines().count()), (0, 201));
    outcome
        .assert_stderr_contains("second.warc.gz: the index lists no page and no robots.txt of it");
}
