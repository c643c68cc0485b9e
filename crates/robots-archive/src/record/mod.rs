//! The content of an archive: records, and the damage in and between them.

mod block;
pub(crate) mod header;

pub use block::Block;

use crate::http::{DECODED, NotHttp, Response};
use robots_meta::Timestamp;
use std::fmt;

/// The maximum number of bytes of a record's block that are kept: 16 MiB. The rest is read and dropped.
pub const BLOCK_LIMIT: usize = 16 * 1024 * 1024;

/// A record of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Record {
    /// The offset of the record in the file; in gzip or Zstandard, that of the member or frame in which it begins.
    pub offset: u64,
    /// The type as WARC names it, in lower case, such as `response`, `request` or `revisit`. An ARC record has the type that
    /// fits its URL: `warcinfo`, `response` or `other`.
    pub kind: String,
    /// The identifier, as WARC writes it: `<urn:uuid:...>`. ARC has none.
    pub id: Option<String>,
    /// The URL that the record is about.
    pub url: Option<String>,
    /// The time of the capture, as WARC writes it: `2026-11-20T00:00:00Z`.
    pub date: Option<String>,
    /// The media type of the block.
    pub content_type: Option<String>,
    /// The block: for a response, the bytes that the server sent.
    pub block: Block,
    /// The reason why the block is not whole, if it is not.
    pub cut: Option<Cut>,
    /// The digests that the record states for its bytes.
    pub digests: Digests,
}

impl Record {
    /// Returns a record of a response that did not come from an archive. `body` is decoded. A block longer than
    /// [`BLOCK_LIMIT`] is cut ([`Cut::Limit`]).
    ///
    /// `Content-Encoding`, `Content-Length` and `Transfer-Encoding` are left out, and `x-crawler-body: decoded` is added, which
    /// states that the body is decoded. Line ends in names and values become spaces, so that no value can make another
    /// header line.
    pub fn response<'h>(
        url: &str,
        date: Option<&str>,
        status: u16,
        headers: impl IntoIterator<Item = (&'h str, &'h str)>,
        body: &[u8],
    ) -> Self {
        let mut head = format!("HTTP/1.1 {status}\r\n");
        for (name, value) in headers.into_iter().chain([DECODED]) {
            let of_body = ["content-encoding", "content-length", "transfer-encoding"];
            if of_body.iter().any(|other| name.eq_ignore_ascii_case(other)) {
                continue;
            }
            for part in [name, ": ", value] {
                head.push_str(&part.replace(['\r', '\n'], " "));
            }
            head.push_str("\r\n");
        }
        head.push_str("\r\n");
        let mut block = [head.as_bytes(), body].concat();
        let bytes = block.len();
        block.truncate(BLOCK_LIMIT);
        Self {
            offset: 0,
            kind: "response".to_owned(),
            id: None,
            url: Some(url.to_owned()),
            date: date.map(str::to_owned),
            content_type: None,
            block: Block::within(block, 0, bytes.min(BLOCK_LIMIT)),
            cut: (bytes > BLOCK_LIMIT).then_some(Cut::Limit),
            digests: Digests::default(),
        }
    }

    /// Returns the response that the record keeps, or why it cannot be read. A `resource` with a URL of the web was archived
    /// without its response: it counts as one with status 200 and the media type of the record. Returns `None` for other records.
    pub fn http_response(&self) -> Option<Result<Response<'_>, NotHttp>> {
        match self.kind.as_str() {
            "response" => Some(Response::parse(&self.block)),
            "resource" if self.has_web_url() => Some(Ok(Response::of_body(
                self.content_type.as_deref(),
                &self.block,
            ))),
            _ => None,
        }
    }

    /// Returns the time of the capture. A date may have a year or a month alone, as WARC/1.1 allows each level of the
    /// [W3C's dates](https://www.w3.org/TR/NOTE-datetime): it is then the first second of that.
    pub fn captured_at(&self) -> Option<Timestamp> {
        let text = self.date.as_deref()?.trim();
        Timestamp::parse(text).or_else(|| {
            let rest = match text.len() {
                4 => "-01-01",
                7 => "-01",
                _ => return None,
            };
            Timestamp::parse(&[text, rest].concat())
        })
    }

    /// Returns whether the URL begins with `http:` or `https:`.
    pub fn has_web_url(&self) -> bool {
        let scheme = self.url.as_deref().and_then(|url| url.split_once(':'));
        scheme.is_some_and(|(scheme, _)| {
            scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
        })
    }
}

/// The digests that a record states: an algorithm, a colon and a value, as in `sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Digests {
    /// The digest of the block.
    pub block: Option<Box<str>>,
    /// The digest of the payload: of a response, its body.
    pub payload: Option<Box<str>>,
}

/// The reason why a record's block is not whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Cut {
    /// The block is longer than [`BLOCK_LIMIT`].
    Limit,
    /// The stated length is wrong: the block has fewer bytes, or the bytes after it are neither a record nor the end of a
    /// member or of the archive.
    Short,
    /// The rest is corrupt.
    Corrupt,
    /// The crawler cut it, as `WARC-Truncated` says, or it is the first of several segments (`WARC-Segment-Number`), whose others are
    /// not read.
    Truncated,
}

/// A damaged place in an archive. The reader skipped it, or used what it could read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damage {
    /// The offset in the file; in gzip or Zstandard, that of the member or frame.
    pub offset: u64,
    /// A description of the damage and of the bytes that were lost or skipped.
    pub text: String,
    /// Whether a gzip member or Zstandard frame is truncated or corrupt, rather than a record in it.
    pub is_of_member: bool,
}

impl Damage {
    /// Returns damage of a record at an offset, with a description.
    pub fn of_record(offset: u64, text: impl Into<String>) -> Self {
        Self {
            offset,
            text: text.into(),
            is_of_member: false,
        }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.offset, self.text)
    }
}

/// The next item of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(
    clippy::exhaustive_enums,
    reason = "an archive has records and damaged places, and callers must handle both"
)]
pub enum Item {
    /// A record.
    Record(Record),
    /// A damaged place.
    Damage(Damage),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_longer_than_the_limit_of_a_block_is_cut() {
        let url = "http://a.example/";
        let head_bytes = Record::response(url, None, 200, [], b"").block.len();
        for (bytes, cut) in [
            (BLOCK_LIMIT - 1, None),
            (BLOCK_LIMIT, None),
            (BLOCK_LIMIT + 1, Some(Cut::Limit)),
        ] {
            let record = Record::response(url, None, 200, [], &vec![b' '; bytes - head_bytes]);
            assert_eq!(record.cut, cut, "{bytes}");
            assert_eq!(record.block.len(), bytes.min(BLOCK_LIMIT));
        }
    }

    #[test]
    fn a_date_may_be_a_year_or_a_month() {
        for (date, expected) in [
            ("2026-11-20T14:15:36Z", Some("2026-11-20T14:15:36Z")),
            ("2026-11-20", Some("2026-11-20T00:00:00Z")),
            ("2026-11", Some("2026-11-01T00:00:00Z")),
            ("2026", Some("2026-01-01T00:00:00Z")),
            ("2026-13", None),
            ("", None),
            ("abcd", None),
        ] {
            let record = Record::response("https://a.example/", Some(date), 200, [], b"");
            let found = record.captured_at().map(|time| time.to_string());
            assert_eq!(found.as_deref(), expected, "{date}");
        }
    }
}
