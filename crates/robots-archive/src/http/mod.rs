//! HTTP responses as archives keep them: status, headers, and the body without its codings.
//!
//! Real records contradict their headers: bodies that were de-chunked or inflated before they were
//! written, wrong lengths, header lines in Latin-1. The reader reads as much as it can and reports
//! the anomalies ([`Response::notes`]).

mod coding;
mod head;

pub use coding::GZIP;
use coding::{dechunk, gunzip, is_binary, is_coding_name, is_compressed, remove_coding};
pub use head::{HEAD_LIMIT, Head, HeaderLines};
use robots_meta::value::MediaType;
use std::borrow::Cow;
use std::iter;

/// The maximum number of bytes of a decoded body that are kept: 16 MiB. The rest is dropped.
pub const BODY_LIMIT: usize = 16 * 1024 * 1024;

/// The maximum number of codings that are removed from a body; servers rarely apply more than one.
const MAX_CODINGS: usize = 8;

/// The header line that marks a response whose body is stored without codings.
pub const DECODED: (&str, &str) = ("x-crawler-body", "decoded");

/// A response, which borrows from its bytes where possible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response<'a> {
    status: u16,
    /// Whether the status is not that of an interim response, whose final one is missing.
    has_final_status: bool,
    headers: HeaderLines<'a>,
    body: Cow<'a, [u8]>,
    /// The body before it was inflated, if its headers do not state that it is gzip.
    packed: Option<Cow<'a, [u8]>>,
    notes: Vec<Note>,
}

/// An anomaly in a response that could still be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, thiserror::Error)]
#[non_exhaustive]
pub enum Note {
    /// `Transfer-Encoding: chunked`, but the body is not in chunks: it is used as it is.
    #[error("the body is not chunked, although its header says so; used as it is")]
    NotChunked,
    /// The chunks break off or are invalid: the body is the data before that.
    #[error("the chunks of the body are invalid; read up to the error")]
    BrokenChunks,
    /// The size of the first chunk is invalid, such as `0x2A` or `-5`: the body cannot be read.
    #[error("the size of the body's first chunk is invalid; not read")]
    UnreadChunks,
    /// A `Content-Encoding` that the body does not have: it is used as it is.
    #[error("the body is not compressed, although its header says so; used as it is")]
    NotEncoded,
    /// The coding breaks off or is invalid: the body is the data before that.
    #[error("the compressed body is invalid; read up to the error")]
    BrokenEncoding,
    /// The body is compressed, but invalid before its first decoded byte: it cannot be read.
    #[error("the compressed body is invalid from its start on; not read")]
    UnreadEncoding,
    /// The body is gzip, but its headers do not state that: it is inflated.
    #[error("the body is gzip, although its headers do not say so; inflated")]
    UndeclaredEncoding,
    /// The body is compressed in an unknown way: it cannot be read.
    #[error("the body is in an unknown content-encoding; not read")]
    UnknownEncoding,
    /// The body is shorter than its `Content-Length`.
    #[error("the body is shorter than its Content-Length")]
    Short,
    /// The decoded body is larger than [`BODY_LIMIT`].
    #[error("the body is larger than 16 MiB; its start was read")]
    BodyLimit,
    /// A line among the header lines has no name and colon: it is ignored.
    #[error("a header line has no name and colon; ignored")]
    InvalidHeaderLine,
    /// The head is larger than [`HEAD_LIMIT`]: the header lines after it are not read.
    #[error("the header lines are larger than 1 MiB; their start was read")]
    HeadLimit,
}

impl Note {
    /// Returns whether the note is about the body.
    fn is_about_body(self) -> bool {
        !matches!(self, Self::InvalidHeaderLine | Self::HeadLimit)
    }

    /// Returns whether the body breaks off before its end.
    pub fn is_cut(self) -> bool {
        matches!(
            self,
            Self::BrokenChunks | Self::BrokenEncoding | Self::BodyLimit | Self::Short
        )
    }

    /// Returns whether there is a body that cannot be read.
    pub fn is_unread(self) -> bool {
        matches!(
            self,
            Self::UnreadChunks | Self::UnreadEncoding | Self::UnknownEncoding
        )
    }
}

/// The error for bytes that are not an HTTP response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an HTTP response")]
#[non_exhaustive]
pub struct NotHttp;

impl<'a> Response<'a> {
    /// Reads a response: the status line, header lines, the body.
    ///
    /// # Errors
    ///
    /// If there is no status line.
    pub fn parse(block: &'a [u8]) -> Result<Self, NotHttp> {
        let head = Head::read(block).ok_or(NotHttp)?;
        let body = block.get(head.length..).unwrap_or_default();
        Ok(Self::with(head, body))
    }

    /// Returns the response with which a body that was archived alone may have been sent: status 200, and its media type.
    pub(crate) fn of_body(media_type: Option<&'a str>, body: &'a [u8]) -> Self {
        let head = Head {
            status: 200,
            headers: HeaderLines::of_type(media_type),
            length: 0,
        };
        Self::with(head, body)
    }

    /// Returns the response with a head, and with a body that still has its codings.
    fn with(head: Head<'a>, body: &'a [u8]) -> Self {
        let mut read = Self {
            status: head.status,
            has_final_status: !head.is_interim(),
            headers: head.headers,
            body: Cow::Borrowed(&[]),
            packed: None,
            notes: Vec::new(),
        };
        if read.headers.invalid_lines() > 0 {
            read.notes.push(Note::InvalidHeaderLine);
        }
        if read.headers.is_over_limit() {
            read.notes.push(Note::HeadLimit);
        }
        read.decode(body);
        read
    }

    /// Returns the payloads that a digest may cover: the body of a response as it was sent and, if it is chunked, also
    /// without the chunked coding. Empty if the block is not a response.
    pub fn payloads(block: &[u8]) -> Vec<Cow<'_, [u8]>> {
        let Some(head) = Head::read(block) else {
            return Vec::new();
        };
        let raw = block.get(head.length..).unwrap_or_default();
        let unchunked = head.headers.is_chunked().then(|| dechunk(raw).0);
        iter::once(Cow::Borrowed(raw)).chain(unchunked).collect()
    }

    /// Returns the status code, such as 200.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Returns the values of the header lines of this name, in order. A value that is not UTF-8 is read as Latin-1.
    pub fn header<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s str> {
        let lines = self.headers.lines.iter();
        lines
            .filter(move |line| line.is_named(name))
            .map(head::Line::text)
    }

    /// Returns all header lines in order: the name as it is written, and the value as text. See
    /// [`header`](Self::header).
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.texts()
    }

    /// Returns all header lines in order: the name, and the bytes of the value; see [`HeaderLines::iter`].
    pub fn header_bytes(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.headers.iter()
    }

    /// Returns whether an empty line ends the header lines of the final response. Without one, the head may be cut.
    pub fn has_whole_head(&self) -> bool {
        self.has_final_status && self.headers.is_ended
    }

    /// Returns whether there are header lines past [`HEAD_LIMIT`], which were not read.
    pub fn is_head_over_limit(&self) -> bool {
        self.headers.is_over_limit
    }

    /// Returns the body after removal of the chunked and content codings; at most [`BODY_LIMIT`] bytes.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// Returns the body as the client of a live response reads it, which inflates no gzip that the headers do not state.
    pub fn unsniffed_body(&self) -> &[u8] {
        self.packed.as_deref().unwrap_or(&self.body)
    }

    /// Returns the body, as [`body`](Self::body) does, without a copy.
    pub fn into_body(self) -> Cow<'a, [u8]> {
        self.body
    }

    /// Returns the anomalies of the response.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Returns whether the body is gzip, intact or not, and its headers do not state that.
    pub fn is_undeclared_gzip(&self) -> bool {
        self.packed.is_some()
    }

    /// Returns the anomalies of the response with its [`unsniffed_body`](Self::unsniffed_body). Gzip that the headers do not
    /// state is inflated only if the body has no anomaly yet, so those about the body are about the inflated one.
    pub fn unsniffed_notes(&self) -> impl Iterator<Item = Note> {
        let is_of_other_body = |note: &Note| self.is_undeclared_gzip() && note.is_about_body();
        let notes = self.notes.iter().copied();
        notes.filter(move |note| !is_of_other_body(note))
    }

    /// Returns whether the body breaks off before its end.
    pub fn is_cut(&self) -> bool {
        self.notes.iter().any(|note| note.is_cut())
    }

    /// Returns whether there is a body that cannot be read.
    pub fn is_unread(&self) -> bool {
        self.notes.iter().any(|note| note.is_unread())
    }

    /// Returns the value of `Content-Type`; several values are joined with commas, as HTTP joins the lines of a header
    /// (RFC 9110, section 5.3).
    pub fn content_type(&self) -> Option<Cow<'_, str>> {
        let mut values = self.header("content-type");
        let mut joined = Cow::Borrowed(values.next()?);
        for value in values {
            joined.to_mut().extend([", ", value]);
        }
        Some(joined)
    }

    /// Returns the media type of the body.
    pub fn media_type(&self) -> MediaType<'_> {
        MediaType::of_headers(self.header_bytes())
    }

    /// Returns whether the body is HTML: by its type, or, where there is none, by its first tag.
    pub fn is_html(&self) -> bool {
        let media_type = self.media_type();
        media_type.is_html() || media_type.is_missing() && looks_like_html(&self.body)
    }

    /// Sets the body to these bytes without their codings.
    fn decode(&mut self, raw: &'a [u8]) {
        let mut body = Cow::Borrowed(raw);
        if self.headers.is_chunked() {
            let (unchunked, note) = dechunk(raw);
            self.notes.extend(note);
            if note == Some(Note::UnreadChunks) {
                return;
            }
            body = unchunked;
        } else {
            // `Content-Length` does not count for a chunked body (RFC 9112, section 6.3).
            let length = self.header("content-length").next();
            let length: Option<usize> = length.and_then(|length| length.parse().ok());
            if length.is_some_and(|length| raw.len() < length) {
                self.notes.push(Note::Short);
            }
        }
        let (body, missing) = self.remove_codings(body);
        let (name, value) = DECODED;
        // The bytes of a body that is marked as decoded are not examined: it may be a compressed file.
        let body = if self.header(name).any(|found| found == value) {
            body
        } else {
            self.sniff_coding(body, missing)
        };
        if body.len() > BODY_LIMIT {
            self.notes.push(Note::BodyLimit);
        }
        self.body = match body {
            Cow::Borrowed(bytes) => Cow::Borrowed(bytes.get(..BODY_LIMIT).unwrap_or(bytes)),
            Cow::Owned(mut bytes) => {
                bytes.truncate(BODY_LIMIT);
                Cow::Owned(bytes)
            }
        };
    }

    /// Removes the codings that the headers state, except the chunked one. Returns the body, and the coding that could not be
    /// removed.
    fn remove_codings<'b>(&mut self, mut body: Cow<'b, [u8]>) -> (Cow<'b, [u8]>, MissingCoding) {
        // Each header lists codings in the order in which they were applied; transfer codings were applied last.
        let codings: Vec<String> = self
            .header("content-encoding")
            .chain(self.header("transfer-encoding"))
            .flat_map(|value| value.split(','))
            .map(|coding| coding.trim().to_ascii_lowercase())
            .filter(|coding| !matches!(coding.as_str(), "" | "identity" | "chunked"))
            .collect();
        let mut is_decoded = false;
        let mut has_known = false;
        let mut has_unknown = false;
        for coding in codings.iter().rev().take(MAX_CODINGS) {
            match remove_coding(&body, coding) {
                (Some(decoded), note) => {
                    self.notes.extend(note);
                    is_decoded = true;
                    body = Cow::Owned(decoded);
                }
                // With a note, the coding is known, but the body does not have it. Without one, the name is unknown.
                (None, Some(_)) => has_known = true,
                (None, None) => has_unknown |= is_coding_name(coding),
            }
        }
        let missing = if has_known && !is_decoded {
            MissingCoding::Known
        } else if has_unknown {
            MissingCoding::Unknown
        } else {
            MissingCoding::None
        };
        (body, missing)
    }

    /// Inflates a body that is gzip although its headers do not state that. Drops a body whose coding is unknown: its first
    /// bytes are those of compressed data, or they are not text although a stated coding is `missing`.
    fn sniff_coding(&mut self, body: Cow<'a, [u8]>, missing: MissingCoding) -> Cow<'a, [u8]> {
        // If the body has another anomaly, its bytes are not certain enough to guess a coding.
        if body.starts_with(&GZIP) && !self.notes.iter().any(|note| note.is_about_body()) {
            let (decoded, note) = gunzip(&body);
            // Invalid gzip is reported instead of the missing header.
            self.notes.push(note.unwrap_or(Note::UndeclaredEncoding));
            let Some(decoded) = decoded else {
                return body;
            };
            self.packed = Some(body);
            return Cow::Owned(decoded);
        }
        if is_compressed(&body) || missing != MissingCoding::None && is_binary(&body) {
            self.notes.push(Note::UnknownEncoding);
            return Cow::Borrowed(&[]);
        }
        if missing == MissingCoding::Known {
            self.notes.push(Note::NotEncoded);
        }
        body
    }
}

/// The coding that the headers of a response state, and that could not be removed from its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MissingCoding {
    /// The headers state no coding, or each was removed.
    None,
    /// A known coding that the body does not have. No other was removed.
    Known,
    /// A coding of an unknown name.
    Unknown,
}

/// Returns whether a body that has no type begins as HTML does.
fn looks_like_html(body: &[u8]) -> bool {
    let start = body
        .strip_prefix(b"\xEF\xBB\xBF")
        .unwrap_or(body)
        .trim_ascii_start();
    [
        &b"<!doctype html"[..],
        b"<html",
        b"<head",
        b"<body",
        b"<title",
        b"<meta",
    ]
    .iter()
    .any(|tag| {
        start
            .get(..tag.len())
            .is_some_and(|found| found.eq_ignore_ascii_case(tag))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use std::io::Write;

    fn read(block: &[u8]) -> (Vec<u8>, Vec<Note>) {
        let response = Response::parse(block).unwrap();
        (response.body().to_vec(), response.notes().to_vec())
    }

    fn with_headers(headers: &str, body: &[u8]) -> Vec<u8> {
        [
            format!("HTTP/1.1 200 OK\r\n{headers}\r\n\r\n").as_bytes(),
            body,
        ]
        .concat()
    }

    #[test]
    fn status_and_headers() {
        let response = Response::parse(
            b"HTTP/1.0 404\r\nContent-Type: Text/HTML; a=b; Charset=\"koi8-r\"\r\nX-Robots-Tag: a\r\nx-robots-tag : caf\xE9\r\n\r\nbody",
        )
        .unwrap();
        assert_eq!(response.status(), 404);
        assert_eq!(response.body(), b"body");
        let tags: Vec<_> = response.header("x-robots-tag").collect();
        assert_eq!(tags, ["a", "caf\u{e9}"]);
        assert!(response.is_html());
        assert_eq!(response.media_type().charset(), Some("koi8-r"));
        assert_eq!(
            Response::parse(b"HTTP/2 200\r\n\r\n").unwrap().status(),
            200
        );
        for version in ["HTTP/3", "http/1.1", "HTTP/1.2"] {
            let block = format!("{version} 200 OK\r\nA: b\r\n\r\nbody");
            assert_eq!(Response::parse(block.as_bytes()).unwrap().body(), b"body");
        }
        let with_controls =
            Response::parse(b"HTTP/1.1 200 OK\r\nA: b\0c\rd\r\nX-Robots-Tag: x\r\n\r\nbody")
                .unwrap();
        assert_eq!(with_controls.header("x-robots-tag").next(), Some("x"));
        assert_eq!(with_controls.body(), b"body");
        let cut_head = Response::parse(b"HTTP/1.1 404 No\r\nX-Robots-Tag: x").unwrap();
        assert_eq!(cut_head.header("x-robots-tag").next(), Some("x"));
        let short = Response::parse(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nbody").unwrap();
        assert!(short.is_cut());
        let interim = Response::parse(b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 2").unwrap();
        assert!(!interim.has_whole_head());
        assert!(Response::parse(b"<html>").is_err());
        assert!(Response::parse(b"").is_err());
    }

    #[test]
    fn of_several_types_the_last_valid_one_counts() {
        let read = |headers: &str| {
            let block = with_headers(headers, b"");
            let response = Response::parse(&block).unwrap();
            let media_type = response.media_type();
            (
                response.content_type().map(Cow::into_owned),
                response.is_html(),
                media_type.charset().map(str::to_owned),
            )
        };
        let joined = Some("text/plain, text/html;charset=gbk, x".to_owned());
        let gbk = Some("gbk".to_owned());
        let lines =
            "Content-Type: text/plain\r\ncontent-type: text/html;charset=gbk\r\nCONTENT-TYPE: x";
        assert_eq!(read(lines), (joined, true, gbk));
        assert_eq!(read("A: b"), (None, false, None));
    }

    #[test]
    fn html_is_known_by_its_type_or_its_first_tag() {
        let html = |headers: &str, body: &[u8]| {
            Response::parse(&with_headers(headers, body))
                .unwrap()
                .is_html()
        };
        assert!(html("Content-Type: application/xhtml+xml", b""));
        assert!(!html("Content-Type: text/plain", b"<html>"));
        assert!(html("A: b", b"\n <!DOCTYPE HTML>"));
        assert!(!html("A: b", b"%PDF"));
    }

    #[test]
    fn chunks() {
        let check = |raw: &str, body: &str, note: Option<Note>| {
            let found = read(&with_headers("Transfer-Encoding: chunked", raw.as_bytes()));
            let expected = (body.as_bytes().to_vec(), Vec::from_iter(note));
            assert_eq!(found, expected, "{raw:?}");
        };
        let broken = Some(Note::BrokenChunks);
        for (raw, body, note) in [
            (
                "3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n",
                "abc0123456789",
                None,
            ),
            ("3\nabc\n0\n", "abc", None),
            ("3\r\nabc\r\nzz\r\n", "abc", broken),
            ("9\r\nabc", "abc", broken),
            ("", "", broken),
            // The chunk states a length of `u64::MAX`, and one of 17 digits.
            ("ffffffffffffffff\r\nabc", "abc", broken),
            ("fffffffffffffffff\r\nabc", "abc", broken),
            ("00000000000000000003\r\nabc\r\n0\r\n\r\n", "abc", None),
        ] {
            check(raw, body, note);
        }
        for line in ["\r\n", "\n", "\r\n\r\n"] {
            let body = format!("{line}3\r\nabc\r\n{line}2\r\nde\r\n{line}0\r\n\r\n");
            check(&body, "abcde", None);
            let body = format!("{line}<html>\n");
            check(&body, &body, Some(Note::NotChunked));
        }
        for size in ["0x3", "0X3;a=b", "-3", "+3"] {
            let body = format!("{size}\r\nabc\r\n0\r\n\r\n");
            let block = with_headers("Transfer-Encoding: gzip, chunked", body.as_bytes());
            assert_eq!(read(&block), (vec![], vec![Note::UnreadChunks]), "{size}");
            assert!(Response::parse(&block).unwrap().is_unread());
        }
        for text in [
            "<html>\n",
            "0x",
            "-",
            "- a list\n",
            "+c++\n",
            "-5",
            "0xyz\n",
        ] {
            check(text, text, Some(Note::NotChunked));
        }
    }

    fn gzip_of(text: &[u8]) -> Vec<u8> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(text).unwrap();
        gzip.finish().unwrap()
    }

    fn zlib_of(text: &[u8]) -> Vec<u8> {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::best());
        zlib.write_all(text).unwrap();
        zlib.finish().unwrap()
    }

    #[test]
    fn codings() {
        let text = b"<title>robots</title>".repeat(20);
        let gzip = gzip_of(&text);
        let mut deflate = DeflateEncoder::new(Vec::new(), Compression::fast());
        deflate.write_all(&text).unwrap();
        let mut br = Vec::new();
        let parameters = brotli::enc::BrotliEncoderParams::default();
        brotli::BrotliCompress(&mut &text[..], &mut br, &parameters).unwrap();
        let check = |headers: &str, raw: &[u8], body: &[u8], note: Option<Note>| {
            let expected = (body.to_vec(), Vec::from_iter(note));
            assert_eq!(read(&with_headers(headers, raw)), expected, "{headers}");
        };
        let check_coding = |coding: &str, raw: &[u8], body: &[u8], note: Option<Note>| {
            check(&format!("Content-Encoding: {coding}"), raw, body, note);
        };
        for (coding, raw) in [
            ("gzip", &gzip[..]),
            ("X-GZip", &gzip),
            ("deflate", &zlib_of(&text)),
            ("deflate", &deflate.finish().unwrap()),
            ("br", &br),
            ("zstd", &zstd::encode_all(&text[..], 3).unwrap()),
            ("identity", &text),
            ("utf-8", &text),
            ("none", &text),
            // A body in a coding that is not known is read if it is text.
            ("exi", &text),
        ] {
            check_coding(coding, raw, &text, None);
        }
        for coding in ["gzip", "zstd"] {
            check_coding(coding, &text, &text, Some(Note::NotEncoded));
        }
        let unknown = Some(Note::UnknownEncoding);
        for coding in ["compress", "dcb", "aes128gcm", "exi", "lzma", "br, dcb"] {
            check_coding(coding, b"\x1F\x9D\x90\x00\x01robots", b"", unknown);
        }
        for (coding, raw) in [
            ("dcb, gzip", &gzip_of(b"\xFFDCB\0")[..]),
            // The first bytes are those of Zstandard or zlib, the others are not.
            ("zstd", b"\x28\xB5\x2F\xFDrobots"),
            ("gzip", b"\x78\x9C\x01\x02"),
        ] {
            check_coding(coding, raw, b"", unknown);
        }
        // These are not names of codings: a binary body, such as an image, is kept.
        for nonsense in [
            "utf-8",
            "none",
            "binary",
            "8bit",
            "aws-chunked",
            "image/png",
        ] {
            let image = b"\x89PNG\r\n\x1A\n\0";
            check_coding(nonsense, image, image, None);
        }
        // Each coding in the headers removes one from the body, up to the limit.
        for (times, body, note) in [
            (MAX_CODINGS, &text[..], None),
            (MAX_CODINGS + 1, b"", unknown),
        ] {
            let nested = (0..times).fold(text.clone(), |body, _| {
                zstd::encode_all(&body[..], 3).unwrap()
            });
            check_coding(&vec!["zstd"; times].join(", "), &nested, body, note);
        }
        // Codings that the headers do not state, or state twice.
        let undeclared = Some(Note::UndeclaredEncoding);
        check_coding("br", &gzip, &text, undeclared);
        check("A: b", &gzip, &text, undeclared);
        let twice = "Content-Encoding: gzip\r\nTransfer-Encoding: gzip";
        check(twice, &gzip, &text, None);
        check("Transfer-Encoding: gzip", &gzip, &text, None);
        // Bytes after the last member are ignored.
        let members = [&gzip[..], &gzip, b"junk"].concat();
        check_coding("gzip", &members, &text.repeat(2), None);
        // The trailer has 8 bytes, so the last byte of the compressed data is missing, too.
        let cut = with_headers("Content-Encoding: gzip", &gzip[..gzip.len() - 9]);
        assert_eq!(read(&cut).1, [Note::BrokenEncoding]);
    }

    #[test]
    fn a_body_that_is_corrupt_from_its_start_is_not_used_as_it_is() {
        let text = (0..500).map(|number| format!("<p>{number}</p>"));
        let text = text.collect::<Vec<_>>().concat();
        let (gzip, zlib) = (gzip_of(text.as_bytes()), zlib_of(text.as_bytes()));
        let unread = (vec![], vec![Note::UnreadEncoding]);
        for (headers, body, header) in [
            ("Content-Encoding: gzip", &gzip, 10),
            ("Content-Encoding: deflate", &zlib, 2),
            // Without the header, the body is gzip by its first three bytes.
            ("A: b", &gzip, 10),
            ("Content-Encoding: deflate", &gzip, 10),
        ] {
            for cut in 3..body.len() {
                let (text, notes) = read(&with_headers(headers, &body[..cut]));
                let expected = if text.is_empty() {
                    Note::UnreadEncoding
                } else {
                    Note::BrokenEncoding
                };
                assert_eq!(notes, [expected], "{headers} {cut}");
            }
            let start = with_headers(headers, &body[..header + 3]);
            assert_eq!(read(&start), unread, "{headers}");
            assert!(Response::parse(&start).unwrap().is_unread());
            // A type of a block that does not exist.
            let mut corrupt = body.clone();
            corrupt[header] = 0xFF;
            assert_eq!(read(&with_headers(headers, &corrupt)), unread, "{headers}");
        }
        // Text may begin like bare deflate, or with a valid header of zlib, and is not decoded.
        assert!(u16::from_be_bytes(*b"hC").is_multiple_of(31));
        for text in [
            "# robots.txt of a.example\nUser-agent: *\nDisallow: /\n",
            "<html>",
            "Sitemap: /",
            "hC is text",
        ] {
            let expected = (text.as_bytes().to_vec(), vec![Note::NotEncoded]);
            let block = with_headers("Content-Encoding: deflate", text.as_bytes());
            assert_eq!(read(&block), expected, "{text}");
        }
    }

    #[test]
    fn a_bomb_is_cut_at_the_limit() {
        let bomb = |size: usize| {
            let gzip = gzip_of(&vec![b' '; size]);
            let (body, notes) = read(&with_headers("Content-Encoding: gzip", &gzip));
            (body.len(), notes)
        };
        assert_eq!(bomb(BODY_LIMIT - 1), (BODY_LIMIT - 1, vec![]));
        assert_eq!(bomb(BODY_LIMIT), (BODY_LIMIT, vec![]));
        assert_eq!(bomb(BODY_LIMIT + 1), (BODY_LIMIT, vec![Note::BodyLimit]));
    }
}
