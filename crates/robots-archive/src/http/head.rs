//! The head of a response: the status line and the header lines.

use std::borrow::Cow;

/// The number of header lines that are read; more are an error.
const HEADER_LINES: usize = 2_048;

/// The number of header lines that most responses do not exceed.
const FEW_HEADER_LINES: usize = 64;

/// The first word of a response, as the parser expects it.
const VERSION: &[u8] = b"HTTP/1.1";

/// The maximum length of the first word, in bytes.
const LONGEST_VERSION: usize = 16;

/// Returns the response with spaces for control characters in its head, and with an empty line if the head has no end.
fn repaired(block: &[u8]) -> Vec<u8> {
    let ends = [&b"\r\n\r\n"[..], b"\n\n"];
    let end = ends
        .iter()
        .filter_map(|end| memchr::memmem::find(block, end))
        .min();
    let head = block.get(..end.unwrap_or(block.len())).unwrap_or(block);
    let mut repaired = Vec::with_capacity(block.len().saturating_add(4));
    for (at, &byte) in head.iter().enumerate() {
        let next = at.checked_add(1).and_then(|next| head.get(next));
        let is_line_end = byte == b'\n' || byte == b'\r' && matches!(next, Some(b'\n') | None);
        let is_invalid = byte.is_ascii_control() && byte != b'\t' && !is_line_end;
        repaired.push(if is_invalid { b' ' } else { byte });
    }
    match end {
        Some(end) => repaired.extend_from_slice(block.get(end..).unwrap_or_default()),
        None => repaired.extend_from_slice(b"\r\n\r\n"),
    }
    repaired
}

/// A header line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub(super) name: Cow<'a, str>,
    /// The value as text: UTF-8 if it is, Latin-1 otherwise.
    pub(super) text: Cow<'a, str>,
    /// The bytes of a value that is not UTF-8.
    bytes: Option<Cow<'a, [u8]>>,
}

impl<'a> Line<'a> {
    fn new(name: &'a str, value: &'a [u8]) -> Self {
        let (text, bytes) = match str::from_utf8(value) {
            Ok(text) => (Cow::Borrowed(text.trim()), None),
            Err(_) => (Cow::Owned(latin_1(value)), Some(Cow::Borrowed(value))),
        };
        Self {
            name: Cow::Borrowed(name),
            text,
            bytes,
        }
    }

    /// Returns the value as it was received.
    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes
            .as_deref()
            .unwrap_or_else(|| self.text.as_bytes())
    }

    fn into_owned<'o>(self) -> Line<'o> {
        Line {
            name: Cow::Owned(self.name.into_owned()),
            text: Cow::Owned(self.text.into_owned()),
            bytes: self.bytes.map(|bytes| Cow::Owned(bytes.into_owned())),
        }
    }
}

fn latin_1(value: &[u8]) -> String {
    let text: String = value.iter().copied().map(char::from).collect();
    text.trim().to_owned()
}

/// The part of a response before the body.
pub(super) struct Head<'a> {
    pub(super) status: u16,
    pub(super) headers: Vec<Line<'a>>,
    /// The length of the head in bytes.
    pub(super) bytes: usize,
}

impl<'a> Head<'a> {
    /// Reads the head of a response, even a malformed one; `None` if it is not HTTP.
    pub(super) fn read(block: &'a [u8]) -> Option<Self> {
        let version_end = memchr::memchr(b' ', block)?;
        let (version, rest) = block.split_at_checked(version_end)?;
        let name = version.get(..5)?;
        if !name.eq_ignore_ascii_case(b"HTTP/") || version.len() > LONGEST_VERSION {
            return None;
        }
        let head = if matches!(version, VERSION | b"HTTP/1.0") {
            Head::parse(block)
        } else {
            None
        };
        // Archives contain `HTTP/2 200` and `HTTP/1.2 200`; the rest is as in HTTP/1.1.
        head.or_else(|| {
            let block = [VERSION, rest].concat();
            let head = Head::parse(&block).map(Head::into_owned);
            let head = head.or_else(|| Head::parse(&repaired(&block)).map(Head::into_owned))?;
            let after_version = head.bytes.saturating_sub(VERSION.len());
            Some(Head {
                bytes: version.len().saturating_add(after_version),
                ..head
            })
        })
    }

    fn parse(block: &'a [u8]) -> Option<Self> {
        let mut few = [httparse::EMPTY_HEADER; FEW_HEADER_LINES];
        match Self::parse_with(block, &mut few) {
            Err(httparse::Error::TooManyHeaders) => {
                let mut lines = vec![httparse::EMPTY_HEADER; HEADER_LINES];
                Self::parse_with(block, &mut lines).ok().flatten()
            }
            head => head.ok().flatten(),
        }
    }

    fn parse_with(
        block: &'a [u8],
        lines: &mut [httparse::Header<'a>],
    ) -> Result<Option<Self>, httparse::Error> {
        let mut config = httparse::ParserConfig::default();
        config
            .allow_multiple_spaces_in_response_status_delimiters(true)
            .allow_obsolete_multiline_headers_in_responses(true)
            .allow_spaces_after_header_name_in_responses(true)
            .ignore_invalid_headers_in_responses(true);
        let mut response = httparse::Response::new(lines);
        let httparse::Status::Complete(bytes) = config.parse_response(&mut response, block)? else {
            return Ok(None);
        };
        Ok(response.code.map(|status| Self {
            status,
            headers: response
                .headers
                .iter()
                .map(|line| Line::new(line.name, line.value))
                .collect(),
            bytes,
        }))
    }

    fn into_owned<'o>(self) -> Head<'o> {
        Head {
            status: self.status,
            headers: self.headers.into_iter().map(Line::into_owned).collect(),
            bytes: self.bytes,
        }
    }
}
