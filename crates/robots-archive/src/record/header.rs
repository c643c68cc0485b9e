//! The header of a record, WARC's named fields or ARC's one line, and the detection of its start.

use super::Digests;
use std::borrow::Cow;

/// The number of fields for which memory is allocated at once: few headers have more.
const COMMON_FIELDS: usize = 12;

/// The content of a record's header.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) kind: String,
    pub(crate) id: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) date: Option<String>,
    pub(crate) content_type: Option<String>,
    pub(crate) length: Option<u64>,
    /// Whether the header says that the crawler cut the block.
    pub(crate) is_truncated: bool,
    /// `WARC-Block-Digest` and `WARC-Payload-Digest`.
    pub(crate) digests: Digests,
}

/// Returns whether a record may begin with these bytes, if the format of the records is not known; see [`begins`] for one
/// format.
pub(crate) fn begins_record(start: &[u8]) -> bool {
    begins_warc(start) || begins_arc(start)
}

/// Returns whether a WARC record begins here: with `WARC/1.0`, `WARC/0.18` or another version, and the end of the line.
pub(crate) fn begins_warc(start: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let version_end = || {
        let version = start.strip_prefix(b"WARC/")?;
        let minor = version.get(digits(version)..)?.strip_prefix(b".")?;
        minor.get(digits(minor)..)?.first()
    };
    matches!(version_end(), Some(b'\r' | b'\n'))
}

/// Returns whether an ARC record may begin here: the line begins with a known URL scheme, and has a space.
pub(crate) fn begins_arc(start: &[u8]) -> bool {
    let line = start
        .split(|&byte| byte == b'\n')
        .next()
        .unwrap_or_default();
    let Some(colon) = memchr::memchr(b':', line) else {
        return false;
    };
    let (scheme, rest) = line.split_at_checked(colon).unwrap_or_default();
    let is_scheme = matches!(
        scheme,
        b"filedesc" | b"http" | b"https" | b"ftp" | b"dns" | b"mailto" | b"gopher" | b"news"
    );
    is_scheme && rest.contains(&b' ')
}

/// Reads the header of a WARC record: the version line, then fields up to an empty line.
///
/// Accepts LF in place of CRLF, field names in any case, folded lines, and bytes that are not UTF-8.
pub(crate) fn parse_warc(text: &[u8]) -> Header {
    // Nearly all headers are UTF-8, for which this is faster than the lossy conversion.
    let text = str::from_utf8(text).map_or_else(|_| String::from_utf8_lossy(text), Cow::Borrowed);
    let mut fields: Vec<(&str, Cow<'_, str>)> = Vec::with_capacity(COMMON_FIELDS);
    // The first line is the version.
    let (_, mut rest) = text.split_once('\n').unwrap_or_default();
    while !rest.is_empty() {
        let end = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        let (line, after) = rest.split_at(end);
        rest = after.get(1..).unwrap_or_default();
        let line = line.trim_end_matches('\r');
        if line.starts_with([' ', '\t']) {
            if let Some((_, value)) = fields.last_mut() {
                let value = value.to_mut();
                let line = line.trim();
                // The value may begin in a continuation line.
                if !value.is_empty() && !line.is_empty() {
                    value.push(' ');
                }
                value.push_str(line);
            }
        } else if let Some((name, value)) = line.split_once(':') {
            fields.push((name.trim(), Cow::Borrowed(value.trim())));
        }
    }
    let mut header = Header::default();
    for (name, value) in fields {
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        if is("warc-type") {
            header.kind = value.to_ascii_lowercase();
        } else if is("warc-target-uri") {
            // WARC 1.0 shows the URL in angle brackets, and wget writes them.
            let bare = value
                .strip_prefix('<')
                .and_then(|value| value.strip_suffix('>'));
            header.url = Some(bare.unwrap_or(&value).to_owned());
        } else if is("warc-record-id") {
            header.id = Some(value.into_owned());
        } else if is("warc-date") {
            header.date = Some(value.into_owned());
        } else if is("content-type") {
            header.content_type = Some(value.into_owned());
        } else if is("warc-block-digest") {
            header.digests.block = Some(value.into());
        } else if is("warc-payload-digest") {
            header.digests.payload = Some(value.into());
        } else if is("warc-truncated") || is("warc-segment-number") {
            // A segment of a record. The others are records of the type `continuation`.
            header.is_truncated = true;
        } else if is("content-length") {
            header.length = value.parse().ok();
        }
    }
    header
}

/// Reads the line that is the header of an ARC record: `URL IP date type length`, or in version 2 `URL IP date type status
/// checksum location offset file length`. A URL may have spaces.
pub(crate) fn parse_arc(line: &[u8]) -> Header {
    let line = String::from_utf8_lossy(line);
    let line = line.trim_end();
    let words: Vec<&str> = line.split(' ').collect();
    // A date has at least a year, a month and a day: eight digits.
    let is_date = |word: &&str| word.len() >= 8 && word.bytes().all(|byte| byte.is_ascii_digit());
    // The date follows the URL and the IP address; the other fields are counted from it, on both sides.
    let date = words.iter().skip(2).position(is_date);
    let date = date.map(|at| at + 2);
    let (url, content_type) = match date {
        Some(date) => (
            words.get(..date - 1).unwrap_or_default().join(" "),
            words.get(date + 1).copied(),
        ),
        None => (words.first().copied().unwrap_or_default().to_owned(), None),
    };
    let kind = if url.starts_with("filedesc:") {
        "warcinfo"
    } else if url.starts_with("http") {
        "response"
    } else {
        "other"
    };
    Header {
        kind: kind.to_owned(),
        date: date
            .and_then(|at| words.get(at))
            .and_then(|date| iso_date(date)),
        content_type: content_type.map(str::to_owned),
        length: words.last().and_then(|length| length.parse().ok()),
        url: Some(url),
        ..Header::default()
    }
}

/// Returns an ARC date such as `20080430204825` as WARC writes it: `2008-04-30T20:48:25Z`.
fn iso_date(digits: &str) -> Option<String> {
    let part = |from: usize, to: usize| digits.get(from..to);
    Some(format!(
        "{}-{}-{}T{}:{}:{}Z",
        part(0, 4)?,
        part(4, 6)?,
        part(6, 8)?,
        part(8, 10).unwrap_or("00"),
        part(10, 12).unwrap_or("00"),
        part(12, 14).unwrap_or("00"),
    ))
}

/// The format of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum RecordFormat {
    Warc,
    Arc,
}

/// The number of bytes that show whether a line is the first of a WARC record: enough for `WARC/`, the version and its line
/// end.
pub(crate) const WARC_LINE_BYTES: usize = 16;

/// Returns whether a record of this format begins with these bytes, which begin a line. ARC records do not begin with a
/// fixed word, so the line must be a whole header.
pub(crate) fn begins(format: RecordFormat, start: &[u8]) -> bool {
    match format {
        RecordFormat::Warc => begins_warc(start),
        RecordFormat::Arc => {
            let end = memchr::memchr(b'\n', start).unwrap_or(start.len());
            let line = start.get(..end).unwrap_or_default();
            let header = begins_arc(start).then(|| parse_arc(line));
            header.is_some_and(|header| header.length.is_some() && header.date.is_some())
        }
    }
}

/// Returns whether these bytes, up to the end of a member, may be the cut first line of a WARC record.
pub(crate) fn may_be_cut_warc_line(start: &[u8]) -> bool {
    let word = b"WARC/";
    start.len() < WARC_LINE_BYTES && (start.starts_with(word) || word.starts_with(start))
}

/// A line that begins in a block may end after it. Up to this number of its bytes are examined on each side of the end of the
/// block: 4 KiB.
pub(crate) const CUT_LINE_LIMIT: usize = 4 * 1024;

/// Returns the offset of the first record that begins in a block. One begins there only if the stated length of the block is
/// too large. A WARC record must follow an empty line. Its first line may end in the bytes `after` the block.
pub(crate) fn next_record_in(format: RecordFormat, block: &[u8], after: &[u8]) -> Option<usize> {
    let last_line = memchr::memrchr(b'\n', block)? + 1;
    let start_of_last = block.get(last_line..).unwrap_or_default();
    let start_of_last = start_of_last.get(..CUT_LINE_LIMIT).unwrap_or(start_of_last);
    let after = after.get(..CUT_LINE_LIMIT).unwrap_or(after);
    memchr::memchr_iter(b'\n', block)
        .map(|at| at + 1)
        .find(|&at| {
            let (before, start) = block.split_at_checked(at).unwrap_or_default();
            let may_begin = format == RecordFormat::Arc || ends_in_empty_line(before);
            may_begin
                && if at == last_line {
                    begins(format, &[start_of_last, after].concat())
                } else {
                    begins(format, start)
                }
        })
}

/// The number of bytes that show whether a WARC record begins after an empty line: those of the line ends before it, `\n\r\n`, and
/// of its first line.
pub(crate) const MARK_BYTES: usize = 3 + WARC_LINE_BYTES;

/// Returns the offset of the first WARC record in some bytes that follows an empty line.
pub(crate) fn marked_record_in(bytes: &[u8]) -> Option<usize> {
    memchr::memmem::find_iter(bytes, b"\nWARC/").find_map(|at| {
        let start = at + 1;
        let (before, record) = bytes.split_at_checked(start)?;
        (ends_in_empty_line(before) && begins_warc(record)).then_some(start)
    })
}

/// Returns whether the last line of some bytes is empty.
pub(crate) fn ends_in_empty_line(bytes: &[u8]) -> bool {
    bytes.ends_with(b"\n\n") || bytes.ends_with(b"\n\r\n")
}

/// Returns whether a line of the text other than the first begins a WARC record.
pub(crate) fn has_warc_line(text: &[u8]) -> bool {
    memchr::memmem::find_iter(text, b"\nWARC/")
        .any(|at| begins_warc(text.get(at + 1..).unwrap_or_default()))
}

/// Returns the offset after the empty line that ends a header.
pub(crate) fn end_of_header(text: &[u8]) -> Option<usize> {
    let mut from = 0_usize;
    loop {
        let line_end = memchr::memchr(b'\n', text.get(from..)?)?;
        let line = text.get(from..)?.get(..line_end)?;
        from += line_end + 1;
        if line.is_empty() || line == b"\r" {
            return Some(from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warc_fields() {
        let header = parse_warc(
            b"WARC/1.0\r\nwarc-type: Response\r\nWARC-Target-URI: <http://a.example/x>\r\nX: y\r\n z\r\nWARC-Date:2026-01-01T00:00:00Z\r\nContent-Length: 12\r\n\r\n",
        );
        assert_eq!(header.kind, "response");
        assert_eq!(header.url.as_deref(), Some("http://a.example/x"));
        assert_eq!(header.date.as_deref(), Some("2026-01-01T00:00:00Z"));
        assert_eq!(header.length, Some(12));
    }

    #[test]
    fn a_value_may_begin_in_a_continuation_line() {
        let header = parse_warc(
            b"WARC/1.0\r\nWARC-Type:\r\n response\r\nWARC-Target-URI: \r\n\thttp://a.example/\r\nContent-Length:\r\n \r\n 131\r\n\r\n",
        );
        assert_eq!(header.kind, "response");
        assert_eq!(header.url.as_deref(), Some("http://a.example/"));
        assert_eq!(header.length, Some(131));
    }

    #[test]
    fn arc_lines() {
        let one = parse_arc(b"http://a.example/x y 1.2.3.4 20080430204825 text/html 77\n");
        assert_eq!(one.url.as_deref(), Some("http://a.example/x y"));
        assert_eq!(one.date.as_deref(), Some("2008-04-30T20:48:25Z"));
        assert_eq!(one.content_type.as_deref(), Some("text/html"));
        assert_eq!((one.kind.as_str(), one.length), ("response", Some(77)));
        let two =
            parse_arc(b"http://a.example/ 1.2.3.4 20080430204825 text/html 200 - - 153 a.arc 77");
        assert_eq!(two.content_type.as_deref(), Some("text/html"));
        assert_eq!(two.length, Some(77));
        let broken = parse_arc(b"http://a.example/ nonsense");
        assert_eq!(broken.length, None);
    }

    #[test]
    fn the_start_of_a_record_is_recognised() {
        assert!(begins_record(b"WARC/1.1\r\n"));
        assert!(begins_record(b"WARC/0.18\n"));
        assert!(!begins_record(b"WARC/ is a format\n"));
        assert!(begins_record(
            b"filedesc://a.arc 0.0.0.0 2008 text/plain 76"
        ));
        assert!(begins_record(b"dns:a.example 1.2.3.4 20080430 text/dns 3"));
        assert!(!begins_record(b"<!doctype html><a href=http: >"));
        assert!(!begins_record(b"User-agent: *"));
    }
}
