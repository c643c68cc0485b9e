//! CDXJ: an index of the records of archives, as Common Crawl and pywb write it.
//!
//! A line is a key, a time and a JSON object: `com,example)/ 20261120000000 {"url": ..., "mime": ..., "status": ...,
//! "offset": ..., "filename": ...}`. Numbers may be written as strings. A line whose key begins with `!` describes the
//! index.

use robots_meta::value::MediaType;
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::io::{self, BufRead, Read};

/// The maximum length of a line: 1 MiB. The rest of a longer line counts as a line of its own.
const LINE_LIMIT: u64 = 1 << 20;

/// The entry of one record.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Entry<'a> {
    /// The URL that was captured.
    #[serde(borrow)]
    pub url: Cow<'a, str>,
    /// The media type that the server stated.
    #[serde(borrow, default)]
    pub mime: Option<Cow<'a, str>>,
    /// The media type that Common Crawl detected.
    #[serde(borrow, default, rename = "mime-detected")]
    pub mime_detected: Option<Cow<'a, str>>,
    /// The HTTP status.
    #[serde(default, deserialize_with = "number_or_none")]
    pub status: Option<u64>,
    /// The offset of the record in its archive, in bytes.
    #[serde(deserialize_with = "number")]
    pub offset: u64,
    /// The length of the record in its archive, in bytes; in gzip or Zstandard, that of its member or frame.
    #[serde(default, deserialize_with = "number_or_none")]
    pub length: Option<u64>,
    /// The archive, as the index names it: often a path.
    #[serde(borrow)]
    pub filename: Cow<'a, str>,
}

impl Entry<'_> {
    /// Returns whether the record has status 200.
    pub fn is_ok(&self) -> bool {
        self.status == Some(200)
    }

    /// Returns whether the stated or the detected media type is HTML.
    pub fn is_html(&self) -> bool {
        let types = [&self.mime, &self.mime_detected];
        types
            .into_iter()
            .flatten()
            .any(|mime| MediaType::parse(&**mime).is_html())
    }
}

/// A reader of the entries of an index, in order.
#[derive(Debug)]
pub struct CdxjReader<R> {
    input: R,
    line: Vec<u8>,
    /// The 1-based number of the line in `line`.
    line_number: u64,
}

impl<R: BufRead> CdxjReader<R> {
    /// Reads from an input that is not compressed.
    pub fn new(input: R) -> Self {
        Self {
            input,
            line: Vec::new(),
            line_number: 0,
        }
    }

    /// Returns the next entry; `None` at the end. Reading can continue after a line that is not valid.
    ///
    /// # Errors
    ///
    /// If the input cannot be read, or the next line is not an entry.
    pub fn next_entry(&mut self) -> Result<Option<Entry<'_>>, CdxjError> {
        loop {
            self.line.clear();
            self.line_number += 1;
            let mut input = self.input.by_ref().take(LINE_LIMIT);
            let read = input.read_until(b'\n', &mut self.line);
            if read.map_err(CdxjError::Read)? == 0 {
                return Ok(None);
            }
            let text = self.line.trim_ascii();
            if !text.is_empty() && !text.starts_with(b"!") {
                break;
            }
        }
        let text = self.line.trim_ascii();
        let json = json(text);
        let entry = json.map_or_else(
            || Err(serde::de::Error::custom("expected a JSON object")),
            serde_json::from_slice,
        );
        entry
            .map(Some)
            .map_err(|error| CdxjError::Line(self.line_number, error))
    }
}

/// Returns the JSON object of a line. The key and the time before it are not needed; a key may have braces, but no space.
fn json(line: &[u8]) -> Option<&[u8]> {
    let begins = |at: &usize| {
        let before = line.get(..*at).and_then(<[u8]>::last);
        before.is_none_or(u8::is_ascii_whitespace)
    };
    let start = memchr::memchr_iter(b'{', line).find(begins)?;
    line.get(start..)
}

/// An error from reading an entry.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CdxjError {
    /// The input could not be read.
    #[error("cannot read the index")]
    Read(#[source] io::Error),
    /// The line of this 1-based number is not an entry.
    #[error("line {0} is not an index entry")]
    Line(u64, #[source] serde_json::Error),
}

/// A number, or a string that holds one.
#[derive(Deserialize)]
#[serde(untagged)]
enum Number<'a> {
    Number(u64),
    Text(#[serde(borrow)] Cow<'a, str>),
}

/// Reads a number or a string. Returns `None` for null, and for a string that is not a number, such as `-`.
fn number_or_none<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    Ok(match Option::<Number<'d>>::deserialize(deserializer)? {
        Some(Number::Number(number)) => Some(number),
        Some(Number::Text(text)) => text.parse().ok(),
        None => None,
    })
}

/// Reads a number, or a string that is one.
fn number<'d, D: Deserializer<'d>>(deserializer: D) -> Result<u64, D::Error> {
    number_or_none(deserializer)?.ok_or_else(|| serde::de::Error::custom("expected a number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_continues_after_lines_that_are_not_entries() {
        let index = b"!meta {\"a\": 1}\n\n\
            com,a)/ 2026 {\"url\": \"http://a.com/\", \"mime\": \"text/html\", \"status\": \"200\", \"offset\": \"7\", \"filename\": \"x/a.warc.gz\"}\n\
            nonsense\n\
            com,b)/ 2026 {\"url\": \"http://b.com/\", \"mime-detected\": \"application/xhtml+xml\", \"status\": 404, \"offset\": 9, \"filename\": \"b\"}";
        let mut reader = CdxjReader::new(&index[..]);
        let entry = reader.next_entry().unwrap().unwrap();
        assert_eq!((&*entry.url, entry.offset), ("http://a.com/", 7));
        assert!(entry.is_ok() && entry.is_html());
        let error = reader.next_entry().unwrap_err();
        assert!(matches!(error, CdxjError::Line(4, _)));
        let entry = reader.next_entry().unwrap().unwrap();
        assert!(!entry.is_ok() && entry.is_html());
        assert_eq!(reader.next_entry().unwrap(), None);
    }

    #[test]
    fn a_key_may_have_braces() {
        let object = "{\"url\": \"https://a.com/%7Bid%7D\", \"offset\": 1, \"filename\": \"a\"}";
        for before in ["", "com,a)/{id}?q={x} 2026 ", "com,a)/{id}\t2026\t", "{ "] {
            let line = format!("{before}{object}");
            let is_entry = CdxjReader::new(line.as_bytes()).next_entry().is_ok();
            assert_eq!(is_entry, before != "{ ", "{line}");
        }
    }

    #[test]
    fn a_line_at_the_limit_is_read() {
        let line = |bytes: usize| {
            let start = "{\"url\": \"";
            let end = "\", \"offset\": 1, \"filename\": \"a\"}\n";
            let url = "a".repeat(bytes - start.len() - end.len());
            format!("{start}{url}{end}").into_bytes()
        };
        let limit = usize::try_from(LINE_LIMIT).unwrap();
        // Of `limit + 1` bytes only the line end is past the limit, so the entry is still whole.
        for (bytes, is_read) in [
            (limit - 1, true),
            (limit, true),
            (limit + 1, true),
            (limit + 2, false),
        ] {
            let line = line(bytes);
            let is_entry = CdxjReader::new(&line[..]).next_entry().is_ok();
            assert_eq!(is_entry, is_read, "{bytes}");
        }
    }
}
