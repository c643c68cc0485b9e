//! Runs over archives: as files and as streams, with books of captures, and of pages that are sorted by origin.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a failure here fails the test"
)]

mod by_origin;
mod capture_book;
mod streams;

use robots_archive::NewRecord;
use robots_pipeline::{Observer, Warning};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// An observer that keeps warnings.
#[derive(Debug, Default)]
struct Warnings(Mutex<Vec<String>>);

impl Observer for Warnings {
    fn warn(&self, warning: &Warning) {
        self.0.lock().unwrap().push(warning.to_string());
    }
}

/// Returns the path of the crawl among the fixtures.
fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/crawl.warc.gz")
}

/// A response: URL, day, status, header and body.
type Response<'a> = (&'a str, u8, u16, (&'a str, &'a str), &'a str);

/// Writes an archive of responses. Returns its path.
fn archive(path: &Path, responses: &[Response<'_>]) -> PathBuf {
    let mut file = Vec::new();
    for (url, day, status, (name, value), body) in responses {
        let block = format!("HTTP/1.1 {status} x\r\n{name}: {value}\r\n\r\n{body}");
        let record = NewRecord {
            kind: "response",
            url: Some(url),
            date: &format!("2026-11-{day:02}T00:00:00Z"),
            content_type: "application/http; msgtype=response",
            address: None,
            truncated: None,
            block: block.as_bytes(),
        };
        file.extend(record.to_gzip());
    }
    fs::write(path, file).unwrap();
    path.to_owned()
}
