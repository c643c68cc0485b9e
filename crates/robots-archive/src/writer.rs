//! The writer of records.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::fmt::Write as _;
use std::io::Write as _;
use std::net::IpAddr;
use uuid::Uuid;

/// A record to be written (ISO 28500:2017, WARC 1.1).
#[derive(Debug, Clone, Copy)]
#[allow(clippy::exhaustive_structs, reason = "a caller fills every field")]
pub struct NewRecord<'a> {
    /// The type as WARC names it: `response`, `metadata`, `warcinfo`.
    pub kind: &'a str,
    /// The URL that the record is about.
    pub url: Option<&'a str>,
    /// The time of the capture: `2026-11-20T00:00:00Z`. Records of one capture have the same date.
    pub date: &'a str,
    /// The media type of the block.
    pub content_type: &'a str,
    /// The address of the server.
    pub address: Option<IpAddr>,
    /// The reason why the block is not whole, as WARC names it: `length`, `unspecified`.
    pub truncated: Option<&'a str>,
    /// The block: for a response, the bytes that the server sent.
    pub block: &'a [u8],
}

impl NewRecord<'_> {
    /// Returns the record as a gzip member, with a new identifier. A field ends at its first line end, so that it
    /// cannot add another field.
    pub fn to_gzip(self) -> Vec<u8> {
        let mut head = String::from("WARC/1.1\r\n");
        let mut field = |name: &str, value: &str| {
            let line = value.split(['\r', '\n']).next().unwrap_or_default();
            // Writing to a string cannot fail.
            let _ = write!(head, "{name}: {line}\r\n");
        };
        field("WARC-Type", self.kind);
        field(
            "WARC-Record-ID",
            &format!("<urn:uuid:{}>", Uuid::new_v4().hyphenated()),
        );
        field("WARC-Date", self.date);
        if let Some(url) = self.url {
            field("WARC-Target-URI", url);
        }
        if let Some(address) = self.address {
            field("WARC-IP-Address", &address.to_string());
        }
        if let Some(why) = self.truncated {
            field("WARC-Truncated", why);
        }
        field("Content-Type", self.content_type);
        field("Content-Length", &self.block.len().to_string());
        let mut member = GzEncoder::new(Vec::new(), Compression::default());
        let parts = [head.as_bytes(), b"\r\n", self.block, b"\r\n\r\n"];
        // Writing to memory cannot fail.
        for part in parts {
            let _ = member.write_all(part);
        }
        member.finish().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cut, Item, Reader};

    #[test]
    fn written_records_are_read_back() {
        let block = b"HTTP/1.1 200 OK\r\n\r\nUser-agent: *";
        let record = NewRecord {
            kind: "response",
            url: Some("https://a.example/robots.txt"),
            date: "2026-11-20T00:00:00Z",
            content_type: "application/http;msgtype=response\r\nWARC-Type: x",
            address: Some(IpAddr::from([127, 0, 0, 1])),
            truncated: None,
            block,
        };
        let cut = NewRecord {
            truncated: Some("length"),
            url: None,
            ..record
        };
        let file = [record.to_gzip(), cut.to_gzip()].concat();
        let mut reader = Reader::open(&file[..]).unwrap().unwrap();
        let mut next = || match reader.next_item().unwrap() {
            Some(Item::Record(record)) => record,
            other => panic!("{other:?}"),
        };
        let (first, second) = (next(), next());
        assert_eq!(first.kind, "response");
        assert_eq!(first.url.as_deref(), record.url);
        assert_eq!(first.date.as_deref(), Some(record.date));
        let content_type = first.content_type.as_deref();
        assert_eq!(content_type, Some("application/http;msgtype=response"));
        assert_eq!((&*first.block, first.cut), (&block[..], None));
        assert_eq!((second.url, second.cut), (None, Some(Cut::Truncated)));
        assert_eq!(reader.next_item().unwrap(), None);
    }
}
