//! The head of a response: the status line and the header lines (RFC 9112, sections 2.2, 4 and 5).
//!
//! Up to [`HEAD_LIMIT`], no header line is lost, because a lost line could forbid indexing. A line ends with LF,
//! CRLF or CR CR LF. The head ends with an empty line or with the input. Reading takes time linear in the bytes.

use robots_meta::header::control_characters_as_spaces;
use std::borrow::Cow;
use std::mem;

/// The maximum number of bytes of header lines that are read: 1 MiB. The lines after them are skipped, and reported as
/// [`Note::HeadLimit`](super::Note::HeadLimit).
pub const HEAD_LIMIT: usize = 1024 * 1024;

/// The maximum length of the HTTP version, the first word of a response, in bytes.
const MAX_VERSION_BYTES: usize = 16;

/// The number of digits of a status.
const STATUS_DIGITS: usize = 3;

/// A header line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line<'a> {
    name: Cow<'a, str>,
    bytes: Cow<'a, [u8]>,
    /// The value as Latin-1, if it is not UTF-8.
    latin1: Option<String>,
}

impl<'a> Line<'a> {
    /// Returns the line with this name and value; `None` if the name is empty.
    ///
    /// Control characters are removed from the name, and replaced by spaces in the value, so that they do
    /// not hide a directive. RFC 9110, section 5.5, lets a recipient replace CR, LF and NUL in values; the rest is our choice.
    fn new(name: &'a [u8], value: Cow<'a, [u8]>) -> Option<Self> {
        let name = trimmed(name);
        let name = if name.iter().any(u8::is_ascii_control) {
            let kept = name.iter().copied().filter(|byte| !byte.is_ascii_control());
            let kept: Vec<u8> = kept.collect();
            Cow::Owned(String::from_utf8_lossy(trimmed(&kept)).into_owned())
        } else {
            String::from_utf8_lossy(name)
        };
        if name.is_empty() {
            return None;
        }
        let bytes = cleaned(value);
        let is_utf8 = str::from_utf8(&bytes).is_ok();
        let latin1 = (!is_utf8).then(|| bytes.iter().copied().map(char::from).collect());
        Some(Self {
            name,
            bytes,
            latin1,
        })
    }

    /// Returns whether the line has this name, ASCII case ignored.
    pub(super) fn is_named(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// Returns the value as text: UTF-8 if it is, Latin-1 otherwise.
    pub(super) fn text(&self) -> &str {
        match &self.latin1 {
            Some(text) => text,
            None => str::from_utf8(&self.bytes).unwrap_or_default(),
        }
    }
}

/// Returns a value with spaces for control characters other than tabs, and without white space around it.
fn cleaned(value: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    match value {
        Cow::Borrowed(value) => match control_characters_as_spaces(value) {
            Cow::Borrowed(value) => Cow::Borrowed(trimmed(value)),
            Cow::Owned(value) => Cow::Owned(trimmed(&value).to_vec()),
        },
        Cow::Owned(value) => Cow::Owned(trimmed(&control_characters_as_spaces(&value)).to_vec()),
    }
}

/// Returns the text without spaces and tabs around it.
fn trimmed(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = text {
        text = rest;
    }
    text
}

/// The header lines at the start of some bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HeaderLines<'a> {
    pub(super) lines: Vec<Line<'a>>,
    /// Their length in bytes, with the empty line after them.
    length: usize,
    /// The number of lines that have no colon or an empty name. They are ignored.
    invalid: usize,
    /// Whether an empty line ends them.
    pub(super) is_ended: bool,
    /// Whether there are lines past [`HEAD_LIMIT`].
    pub(super) is_over_limit: bool,
}

impl<'a> HeaderLines<'a> {
    /// Returns lines that name only the media type of a body, if it is known.
    pub(super) fn of_type(media_type: Option<&'a str>) -> Self {
        let value = media_type.map(|value| Cow::Borrowed(value.as_bytes()));
        let line = value.and_then(|value| Line::new(b"Content-Type", value));
        Self {
            lines: line.into_iter().collect(),
            is_ended: true,
            ..Self::default()
        }
    }

    /// Reads header lines up to an empty line or the end, and up to [`HEAD_LIMIT`] bytes of them.
    pub fn read(bytes: &'a [u8]) -> Self {
        let mut read = Self::default();
        // The name and the value of the line that the next one may continue.
        let mut open: Option<(&[u8], Cow<'a, [u8]>)> = None;
        while let Some((line, next)) = line_at(bytes, read.length) {
            read.length = next;
            if line.is_empty() {
                read.is_ended = true;
                break;
            }
            if next > HEAD_LIMIT {
                read.is_over_limit = true;
                // The lines are still followed to the end of the head, where the body begins.
                continue;
            }
            let colon = memchr::memchr(b':', line);
            if let Some((_, value)) = &mut open
                && continues(line, colon.is_some())
            {
                let value = value.to_mut();
                value.push(b' ');
                value.extend_from_slice(trimmed(line));
                continue;
            }
            read.close(&mut open);
            match colon.and_then(|colon| line.split_at_checked(colon)) {
                Some((name, value)) => {
                    open = Some((name, Cow::Borrowed(value.get(1..).unwrap_or_default())));
                }
                None => read.invalid += 1,
            }
        }
        read.close(&mut open);
        read
    }

    /// Adds the open line to the lines: no other line continues it.
    fn close(&mut self, open: &mut Option<(&'a [u8], Cow<'a, [u8]>)>) {
        if let Some((name, value)) = mem::take(open) {
            match Line::new(name, value) {
                Some(line) => self.lines.push(line),
                None => self.invalid += 1,
            }
        }
    }

    /// Returns the lines in order: the name, and the bytes of the value. Control characters are removed from names, and
    /// replaced by spaces in values, except tabs.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.lines.iter().map(|line| (&*line.name, &*line.bytes))
    }

    /// Returns the lines in order: the name, and the value as text. A value that is not UTF-8 is read as Latin-1.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.lines.iter().map(|line| (&*line.name, line.text()))
    }

    /// Returns the length of the lines in bytes, with the empty line that ends them.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Returns the number of lines that have no colon or an empty name. They are ignored.
    pub fn invalid_lines(&self) -> usize {
        self.invalid
    }

    /// Returns whether a line names the chunked transfer coding.
    pub(super) fn is_chunked(&self) -> bool {
        self.lines.iter().any(|line| {
            line.is_named("transfer-encoding")
                && line.text().to_ascii_lowercase().contains("chunked")
        })
    }

    /// Returns whether there are lines past [`HEAD_LIMIT`], which were not read.
    pub fn is_over_limit(&self) -> bool {
        self.is_over_limit
    }
}

/// Returns whether a line continues the one before. It does if it begins with white space (RFC 9112, section 5.2).
///
/// A line that begins with another control character does only if it has no colon. With a colon, it is a header line of
/// its own, which must not be lost.
fn continues(line: &[u8], has_colon: bool) -> bool {
    match line {
        [b' ' | b'\t', ..] => true,
        [first, ..] => first.is_ascii_control() && !has_colon,
        [] => false,
    }
}

/// Returns the line at a position, without its end, and the position after it; `None` at the end of the bytes. Any number of CRs
/// before an LF belong to the end: bytes that were converted twice have CR CR LF.
fn line_at(bytes: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
    let end = memchr::memchr(b'\n', rest);
    let length = end.map_or(rest.len(), |end| end + 1);
    let mut line = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
    while let Some(shorter) = line.strip_suffix(b"\r") {
        line = shorter;
    }
    Some((line, at + length))
}

/// The part of a response before the body.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Head<'a> {
    /// The status code, such as 200.
    pub status: u16,
    /// The header lines.
    pub headers: HeaderLines<'a>,
    /// The length of the head in bytes, with the empty line that ends it and the interim responses before it.
    pub length: usize,
}

impl<'a> Head<'a> {
    /// Reads the head of a response; `None` if the block does not begin with a status line.
    ///
    /// Skips interim responses (RFC 9110, section 15.2), which come before the final one on the same connection: heads with
    /// a status of 100 to 199 other than 101, if another status line follows. Each byte is read once, however many there are.
    pub fn read(block: &'a [u8]) -> Option<Self> {
        let mut head = Self::read_one(block)?;
        while head.is_interim() {
            let rest = block.get(head.length..).unwrap_or_default();
            let Some(next) = Self::read_one(rest) else {
                break;
            };
            head = Self {
                length: head.length + next.length,
                ..next
            };
        }
        Some(head)
    }

    /// Reads the head of an interim or final response.
    fn read_one(block: &'a [u8]) -> Option<Self> {
        let (line, start) = line_at(block, 0)?;
        let status = status(line)?;
        let headers = HeaderLines::read(block.get(start..).unwrap_or_default());
        Some(Self {
            status,
            length: start + headers.length,
            headers,
        })
    }

    /// Returns whether this is the head of an interim response, which another one follows. 101 is final in an archive: another
    /// protocol follows it.
    pub fn is_interim(&self) -> bool {
        matches!(self.status, 100 | 102..=199)
    }
}

/// Returns the status of a status line: `HTTP/1.1 200 OK`. Archives also contain `HTTP/2 200` and `HTTP/1.2 200`.
fn status(line: &[u8]) -> Option<u16> {
    let version_end = memchr::memchr(b' ', line)?;
    let (version, rest) = line.split_at_checked(version_end)?;
    let name = version.get(..5)?;
    if !name.eq_ignore_ascii_case(b"HTTP/") || version.len() > MAX_VERSION_BYTES {
        return None;
    }
    // Control characters count as spaces, as in values.
    let is_space = |byte: &u8| *byte == b' ' || byte.is_ascii_control();
    let start = rest.iter().position(|byte| !is_space(byte))?;
    let (digits, after) = rest.get(start..)?.split_at_checked(STATUS_DIGITS)?;
    if !digits.iter().all(u8::is_ascii_digit) || !after.first().is_none_or(is_space) {
        return None;
    }
    str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
        let lines = HeaderLines::read(bytes);
        let lines = lines.iter();
        lines
            .map(|(name, value)| (name.to_owned(), value.to_vec()))
            .collect()
    }

    #[test]
    fn no_control_character_hides_a_line() {
        let noindex = [("X-Robots-Tag".to_owned(), b"noindex".to_vec())];
        for control in (0..=0x1F_u8).chain([0x7F]).filter(|byte| *byte != b'\n') {
            // The control character is at the end, before the value, or at the start. Even white space at the start makes
            // no continuation line, because there is no line before.
            for line in [
                [&b"X-Robots-Tag: noindex"[..], &[control]].concat(),
                [&b"X-Robots-Tag:"[..], &[control], b"noindex"].concat(),
                [&[control], &b"X-Robots-Tag: noindex"[..]].concat(),
            ] {
                let lines = HeaderLines::read(&line);
                assert_eq!(read(&line), noindex, "{}", line.escape_ascii());
                assert_eq!(lines.invalid_lines(), 0);
            }
            let inside = [&b"A: x"[..], &[control], b"y\r\nB: z"].concat();
            let space = if control == b'\t' { b'\t' } else { b' ' };
            let value = [b'x', space, b'y'].to_vec();
            assert_eq!(
                read(&inside),
                [("A".to_owned(), value), ("B".to_owned(), b"z".to_vec())]
            );
            let name = [&b"X-Robots"[..], &[control], b"-Tag\x0B: noindex"].concat();
            assert_eq!(read(&name), noindex, "{control:#04x}");
        }
    }

    #[test]
    fn lines_end_and_continue() {
        let line = |name: &str, value: &str| (name.to_owned(), value.as_bytes().to_vec());
        let text = b"A: b\n c\r\n\t d\r\nE : f\nnone\n: x\nG:\n\nbody";
        let read_lines = HeaderLines::read(text);
        assert_eq!(
            read(text),
            [line("A", "b c d"), line("E", "f"), line("G", "")]
        );
        assert_eq!(read_lines.invalid_lines(), 2);
        assert!(read_lines.is_ended);
        assert_eq!(text.get(read_lines.length..), Some(&b"body"[..]));
        assert_eq!(read(b" A: b\r\n\r\n"), [line("A", "b")]);
        // One space joins the continuation, and one replaces the control character.
        assert_eq!(read(b"A: b\n\x01c"), [line("A", "b  c")]);
        assert_eq!(read(b"A: b\n\x01C: d"), [line("A", "b"), line("C", "d")]);
        // A line without a colon is ignored, so no line continues it.
        assert_eq!(read(b"none\r\n A: b"), [line("A", "b")]);
        assert_eq!(read(b"na me: b"), [line("na me", "b")]);
        assert_eq!(read(b""), []);
        let converted = HeaderLines::read(b"A: b\r\r\nC: d\r\r\n\r\r\nE: body");
        let lines: Vec<_> = converted.texts().collect();
        assert_eq!(lines, [("A", "b"), ("C", "d")]);
        assert!(converted.is_ended && converted.invalid_lines() == 0);
        let cut = HeaderLines::read(b"A: b");
        assert!(!cut.is_ended && cut.length == 4);
        assert!(HeaderLines::read(b"\r\nA: b").is_ended);
    }

    #[test]
    fn lines_are_read_up_to_the_limit() {
        for (length, is_read) in [
            (HEAD_LIMIT - 1, true),
            (HEAD_LIMIT, true),
            (HEAD_LIMIT + 1, false),
        ] {
            let last = "X-Robots-Tag: noindex\r\n";
            // Both lines together have `length` bytes.
            let padding = length - last.len() - "A: \r\n".len();
            let first = format!("A: {}\r\n", "b".repeat(padding));
            let text = format!("{first}{last}\r\nbody");
            let lines = HeaderLines::read(text.as_bytes());
            assert_eq!(lines.iter().count(), if is_read { 2 } else { 1 });
            assert_eq!(lines.is_over_limit(), !is_read, "{length}");
            assert_eq!(text.get(lines.length..), Some("body"));
        }
    }

    #[test]
    fn interim_responses_are_skipped() {
        let hints = "HTTP/1.1 103 Early Hints\r\nX-Robots-Tag: none\r\n\r\n";
        let last = "HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex\r\n\r\n";
        for interim in [
            hints.to_owned(),
            hints.replace("\r\n", "\n"),
            "HTTP/1.1 100 Continue\r\n\r\n".to_owned(),
            hints.replace("103", "102").repeat(10_000),
        ] {
            let block = format!("{interim}{last}body");
            let head = Head::read(block.as_bytes()).unwrap();
            assert_eq!(head.status, 200);
            let lines: Vec<_> = head.headers.texts().collect();
            assert_eq!(lines, [("X-Robots-Tag", "noindex")]);
            assert_eq!(block.get(head.length..), Some("body"));
        }
        // 101 ends HTTP on the connection, and only a status line ends an interim response.
        for (block, status) in [
            (format!("HTTP/1.1 101 Switch\r\n\r\n{last}"), 101),
            (format!("{hints}body"), 103),
            (hints.to_owned(), 103),
            (format!("{last}{last}"), 200),
        ] {
            let head = Head::read(block.as_bytes()).unwrap();
            assert_eq!(head.status, status);
            assert_eq!(head.is_interim(), status == 103);
        }
    }

    #[test]
    fn status_lines_are_read() {
        for (line, expected) in [
            ("HTTP/1.1 200 OK", Some(200)),
            ("HTTP/1.0 404", Some(404)),
            ("HTTP/2 200", Some(200)),
            ("http/1.1  301 \u{e9}", Some(301)),
            ("HTTP/1.1 200\u{1}OK", Some(200)),
            ("HTTP/1.1 200OK", None),
            ("HTTP/1.1 20", None),
            ("HTTP/1.1", None),
            ("HTTP/1.1 ", None),
            ("ICY 200 OK", None),
            ("HTTP/1.1.1.1.1.1.1.1 200 OK", None),
        ] {
            assert_eq!(status(line.as_bytes()), expected, "{line}");
        }
    }
}
