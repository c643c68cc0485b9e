//! The outcome of a request for robots.txt, as records of an archive.
//!
//! Each response is a record; those of a request and its redirects have the same date. The body is kept without chunks and
//! compression, and header lines about those are renamed to `x-crawler-...`, so that the response is consistent. A request
//! without a response, or with too many redirects, is a `metadata` record with the field `robots-fault`: about the last URL, or
//! about the first one if the redirects were too many or took too long together. That says nothing about the last URL, which may
//! be the robots.txt of another site.

use http::StatusCode;
use robots_archive::NewRecord;
use robots_archive::http::DECODED;
use robots_crawl::fetch::Hop;
use robots_crawl::{FetchFault, Fetched};
use robots_meta::Timestamp;
use robots_pipeline::robots::fault::RequestFault;
use robots_pipeline::text::with_causes;
use std::fmt::Write;
use std::net::IpAddr;

/// The field that names the reason why there is no response.
const FAULT: &str = RequestFault::FIELD;

/// The names of header lines that describe the body as it was sent, not as it is kept.
const TRANSFER_HEADERS: [&str; 3] = ["content-encoding", "content-length", "transfer-encoding"];

/// Returns the first record of an archive: the program, its `User-Agent` and its address.
pub(super) fn archive_info(user_agent: &str, from: Option<&str>, date: &str) -> Vec<u8> {
    let mut block = format!(
        "software: robots/{}\r\nformat: WARC File Format 1.1\r\n\
         description: robots.txt of sites; bodies are decoded; only those of 2xx responses are kept\r\n\
         http-header-user-agent: {user_agent}\r\n",
        env!("CARGO_PKG_VERSION")
    );
    if let Some(from) = from {
        // Writing to a string cannot fail.
        let _ = write!(block, "http-header-from: {from}\r\n");
    }
    of_fields("warcinfo", None, date, &block)
}

/// Returns the records of a request: its redirects, and its response or fault.
pub(super) fn records(fetched: &Fetched) -> Vec<u8> {
    let date = Timestamp::from(fetched.at()).to_string();
    let mut records = Vec::new();
    for hop in fetched.hops() {
        records.extend(of_hop(hop, &date));
    }
    if let Some(fault) = fetched.fault() {
        records.extend(of_fault(fault, fetched, &date));
    } else if let Some(status) = fetched.status() {
        let response = ResponseRecord {
            url: fetched.url(),
            status,
            headers: fetched.headers(),
            address: fetched.address(),
            body: fetched.body(),
            is_cut: fetched.is_cut(),
        };
        records.extend(response.to_gzip(&date));
    }
    records
}

fn of_hop(hop: &Hop, date: &str) -> Vec<u8> {
    ResponseRecord {
        url: hop.url(),
        status: hop.status(),
        headers: hop.headers(),
        address: hop.address(),
        body: b"",
        is_cut: false,
    }
    .to_gzip(date)
}

fn of_fault(fault: &FetchFault, fetched: &Fetched, date: &str) -> Vec<u8> {
    let block = format!(
        "{FAULT}: {}\r\n{FAULT}-text: {}\r\nattempts: {}\r\n",
        fault.name(),
        with_causes(fault).replace(['\r', '\n'], " "),
        fetched.attempts()
    );
    let first = fetched.hops().first().map(Hop::url);
    let url = first
        .filter(|_| RequestFault::named(fault.name()).is_some_and(RequestFault::is_of_redirects))
        .unwrap_or(fetched.url());
    of_fields("metadata", Some(url), date, &block)
}

/// Returns a record whose block consists of fields.
fn of_fields(kind: &str, url: Option<&str>, date: &str, fields: &str) -> Vec<u8> {
    NewRecord {
        kind,
        url,
        date,
        content_type: RequestFault::MEDIA_TYPE,
        address: None,
        truncated: None,
        block: fields.as_bytes(),
    }
    .to_gzip()
}

/// A response, to be written as a record.
struct ResponseRecord<'f> {
    url: &'f str,
    status: u16,
    headers: &'f [(String, String)],
    address: Option<IpAddr>,
    body: &'f [u8],
    is_cut: bool,
}

impl ResponseRecord<'_> {
    fn to_gzip(&self, date: &str) -> Vec<u8> {
        let reason = StatusCode::from_u16(self.status)
            .ok()
            .and_then(|status| status.canonical_reason())
            .unwrap_or_default();
        let mut head = format!("HTTP/1.1 {} {reason}\r\n", self.status);
        for (name, value) in self.headers {
            let prefix = if TRANSFER_HEADERS.contains(&name.as_str()) {
                "x-crawler-"
            } else {
                ""
            };
            let _ = write!(head, "{prefix}{name}: {value}\r\n");
        }
        let (name, value) = DECODED;
        let _ = write!(head, "{name}: {value}\r\n");
        let _ = write!(head, "content-length: {}\r\n\r\n", self.body.len());
        NewRecord {
            kind: "response",
            url: Some(self.url),
            date,
            content_type: "application/http; msgtype=response",
            address: self.address,
            truncated: self.truncated(),
            block: &[head.as_bytes(), self.body].concat(),
        }
        .to_gzip()
    }

    /// Returns the reason why the body is not whole, as WARC names it; `None` if it is whole.
    fn truncated(&self) -> Option<&'static str> {
        if (200..=299).contains(&self.status) {
            return self.is_cut.then_some("length");
        }
        // The bodies of other responses were not read.
        let mut headers = self.headers.iter();
        let is_empty = self.status == 304
            || headers.any(|(name, value)| name == "content-length" && value.trim() == "0");
        (!is_empty).then_some("unspecified")
    }
}
