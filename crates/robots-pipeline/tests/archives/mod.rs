//! Archives that tests read.

use robots_archive::NewRecord;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the path of the crawl among the fixtures.
pub(crate) fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/crawl.warc.gz")
}

/// A response: URL, day, status, header and body.
pub(crate) type Response<'a> = (&'a str, u8, u16, (&'a str, &'a str), &'a str);

/// Writes an archive of responses. Returns its path.
pub(crate) fn archive(path: &Path, responses: &[Response<'_>]) -> PathBuf {
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
