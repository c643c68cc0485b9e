//! Logs in the W3C extended format, as IIS and Amazon CloudFront write them.
//!
//! The directive `#Fields` lists the columns of the lines after it, in any order, and may occur again. Values are separated
//! by spaces (IIS) or tabs (CloudFront); one with spaces may be in quotes. `-` is a missing value. Dates and times are UTC.
//!
//! IIS writes `+` for a space in a header; a `+` of the header itself cannot be distinguished. CloudFront percent-encodes
//! values: `%20` in a file is a space in a header. Older files have values that are encoded twice: there, `%2520` is that space.
//! In a path, `%2520` of such a file is the `%20` that the client sent.
//!
//! Sources, read 2026-11-23: the W3C working draft (<https://www.w3.org/TR/WD-logfile-960323>), Microsoft's list of fields
//! (<https://learn.microsoft.com/previous-versions/windows/it-pro/windows-server-2003/cc786596(v=ws.10)>), and
//! <https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/standard-logs-reference.html>.

use super::fields::{Fields, Meaning, letters, path_of_cloudfront};
use super::time::TimeReader;
use super::{BadLine, LogFormat, MAX_LINE_BYTES, Request, number, present};
use std::borrow::Cow;
use std::sync::Arc;

/// The bytes that some programs write at the start of a UTF-8 file.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The directives that apply to the lines after them.
#[derive(Debug, Clone, Default)]
pub(in crate::audit) struct Directives {
    /// The columns of `#Fields`; `None` for one that is not read.
    columns: Option<Arc<[Option<Meaning>]>>,
    /// The date of `#Date`, for lines without a column `date`.
    date: Option<Box<[u8]>>,
}

impl Directives {
    /// Reads the directives at the starts of lines in a block of a log.
    pub(in crate::audit) fn read_all(&mut self, block: &[u8]) {
        self.read(line_at(block, 0));
        for before in memchr::memmem::find_iter(block, b"\n#") {
            self.read(line_at(block, before + 1));
        }
    }

    /// Reads a line, if it is a directive. Returns whether it is one. `false` for a directive longer than [`MAX_LINE_BYTES`]:
    /// it is not read.
    pub(in crate::audit) fn read(&mut self, line: &[u8]) -> bool {
        let Some(text) = line
            .strip_prefix(BYTE_ORDER_MARK)
            .unwrap_or(line)
            .strip_prefix(b"#")
        else {
            return false;
        };
        if line.len() > MAX_LINE_BYTES {
            self.forget();
            // So the line is counted among those that are too long.
            return false;
        }
        let colon = memchr::memchr(b':', text).unwrap_or(text.len());
        let (name, value) = text.split_at(colon);
        let value = value.get(1..).unwrap_or_default();
        match &*name.to_ascii_lowercase() {
            b"fields" => self.columns = Some(columns(value)),
            b"date" | b"start-date" => {
                let date = value.trim_ascii().split(u8::is_ascii_whitespace).next();
                self.date = date.map(Into::into);
            }
            b"version" | b"software" | b"end-date" | b"remark" => {}
            _ => return false,
        }
        true
    }

    /// Forgets the columns, because a line that may list others cannot be read.
    pub(in crate::audit) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Reads a request; `None` without columns.
    pub(super) fn request<'l>(
        &self,
        line: &'l [u8],
        times: &mut TimeReader,
    ) -> Option<Result<Request<'l>, BadLine>> {
        let columns = self.columns.as_deref()?;
        Some(self.read_columns(columns, line, times))
    }

    /// Reads a line that has a value for each of these columns.
    fn read_columns<'l>(
        &self,
        columns: &[Option<Meaning>],
        line: &'l [u8],
        times: &mut TimeReader,
    ) -> Result<Request<'l>, BadLine> {
        let mut fields = Fields::default();
        let tabs = memchr::memchr_iter(b'\t', line).count();
        // Any other number of tabs: the values are separated by spaces, and a tab counts as a space.
        let is_tabbed = tabs > 0 && tabs + 1 == columns.len();
        let mut set = |column: Option<Meaning>, value| {
            let (Some(meaning), Some(value)) = (column, present(value)) else {
                return Ok(());
            };
            // Only CloudFront separates values by tabs, and it percent-encodes them.
            let (meaning, value) = match meaning {
                Meaning::Status if number(&value).is_none() => return Err(BadLine::NoStatus),
                Meaning::Target if is_tabbed => (meaning, path_of_cloudfront(value)),
                Meaning::Stem if !is_tabbed => (Meaning::Path, value),
                Meaning::EncodedAgent if !is_tabbed => (Meaning::Agent, without_plus(value)),
                _ if meaning.is_forwarded() && !is_tabbed => (meaning, without_plus(value)),
                _ => (meaning, value),
            };
            fields.set(meaning, value);
            Ok(())
        };
        if is_tabbed {
            for (column, value) in columns.iter().zip(line.split(|byte| *byte == b'\t')) {
                set(*column, Cow::Borrowed(value))?;
            }
        } else {
            let mut rest = line.trim_ascii();
            for column in columns {
                let value;
                (value, rest) = split_first(rest).ok_or(BadLine::W3cColumns)?;
                set(*column, value)?;
            }
            if !rest.is_empty() {
                return Err(BadLine::W3cColumns);
            }
        }
        if !fields.has(Meaning::Time) {
            return Err(BadLine::W3cTime);
        }
        if let Some(date) = &self.date {
            fields.set(Meaning::Date, Cow::Owned(date.to_vec()));
        }
        let errors = [BadLine::W3cTime, BadLine::W3cMissingField];
        fields.request(LogFormat::W3c, times, errors)
    }
}

/// Returns the line that starts at an offset of a block.
fn line_at(block: &[u8], start: usize) -> &[u8] {
    let rest = &block[start..];
    let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    let line = &rest[..end];
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Returns the columns that a `#Fields` directive lists. CloudFront's `x-host-header`, the host that the client sent, takes the
/// place of `cs(Host)`, the name of the distribution.
fn columns(fields: &[u8]) -> Arc<[Option<Meaning>]> {
    let names = fields.split(u8::is_ascii_whitespace);
    let names = names.filter(|name| !name.is_empty());
    let names = names.map(|name| letters(&String::from_utf8_lossy(name)));
    let names: Vec<String> = names.collect();
    let has_host_header = names.iter().any(|name| name == "xhostheader");
    let column = |name: &String| match name.as_str() {
        "cdns" => Some(Meaning::Client),
        "csuri" => Some(Meaning::Target),
        "cshost" if !has_host_header => Some(Meaning::Host),
        name => Meaning::of(name),
    };
    names.iter().map(column).collect()
}

/// Returns the first value, and the text from the next one on; `None` at the end.
fn split_first(text: &[u8]) -> Option<(Cow<'_, [u8]>, &[u8])> {
    if text.is_empty() {
        return None;
    }
    let (value, rest) = quoted(text).unwrap_or_else(|| {
        let end = text.iter().position(u8::is_ascii_whitespace);
        let (value, rest) = text.split_at(end.unwrap_or(text.len()));
        (Cow::Borrowed(value), rest)
    });
    Some((value, rest.trim_ascii_start()))
}

/// Returns a value in quotes, in which `""` is a quote, and the rest; `None` if the text does not start with one. Linear over
/// a line: the search ends at the first quote that is neither doubled nor closing.
fn quoted(text: &[u8]) -> Option<(Cow<'_, [u8]>, &[u8])> {
    let inner = text.strip_prefix(b"\"")?;
    let mut plain = Vec::new();
    let mut start = 0_usize;
    loop {
        let rest = inner.get(start..)?;
        let (part, after) = rest.split_at_checked(memchr::memchr(b'"', rest)?)?;
        plain.extend_from_slice(part);
        match after.get(1) {
            Some(b'"') => {
                plain.push(b'"');
                start += part.len() + 2;
            }
            Some(byte) if !byte.is_ascii_whitespace() => return None,
            _ => return Some((Cow::Owned(plain), after.get(1..).unwrap_or_default())),
        }
    }
}

/// Returns a header with a space for each `+`.
fn without_plus(mut header: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    if memchr::memchr(b'+', &header).is_some() {
        for byte in header.to_mut() {
            if *byte == b'+' {
                *byte = b' ';
            }
        }
    }
    header
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;

    fn after(directives: &[&str]) -> Directives {
        let mut read = Directives::default();
        for directive in directives {
            assert!(read.read(directive.as_bytes()), "{directive}");
        }
        read
    }

    fn of<'l>(directives: &Directives, line: &'l str) -> Result<Request<'l>, BadLine> {
        let request = directives.request(line.as_bytes(), &mut TimeReader::default());
        request.unwrap()
    }

    /// The time that the tests' lines have: 2026-11-20T14:15:36Z.
    const TIME: i64 = 1_795_184_136_000;

    #[test]
    fn fields_decides_the_columns_of_iis() {
        let iis = after(&[
            "\u{feff}#Software: Microsoft Internet Information Services 10.0",
            "#Version: 1.0",
            "#Date: 2026-11-20 00:00:00",
            "#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) cs-host sc-status sc-substatus sc-win32-status sc-bytes cs-bytes time-taken",
        ]);
        let line = "2026-11-20 14:15:36 192.0.2.1 GET /a+b%20c id=1+2 443 - 66.249.66.1 Mozilla/5.0+(compatible;+Googlebot/2.1) - example.com 200 0 0 2326 310 15";
        let request = of(&iis, line).unwrap();
        assert_eq!(
            (request.format, request.time.milliseconds),
            (LogFormat::W3c, TIME)
        );
        assert_eq!(&*request.client, b"66.249.66.1");
        assert_eq!(request.host.as_deref(), Some(&b"example.com"[..]));
        assert_eq!(&*request.target, b"/a+b%20c?id=1+2");
        assert_eq!((request.status, request.bytes), (Some(200), 2_326));
        let agent = request.agent.as_deref();
        assert_eq!(agent, Some(&b"Mozilla/5.0 (compatible; Googlebot/2.1)"[..]));

        // Other columns in another order; the date is that of `#date`.
        let few = after(&[
            "#date: 2026-11-20 00:00:00",
            "#fields: CS(USER-AGENT) cs-uri-stem time x-other c-ip c-ip",
        ]);
        let request = of(&few, "\"a \"\"b\"\" c\" /a 14:15:36.5 \"\" ::1 ::2").unwrap();
        assert_eq!(request.agent.as_deref(), Some(&b"a \"b\" c"[..]));
        assert_eq!(request.time.milliseconds, TIME + 500);
        assert_eq!((&*request.client, request.status), (&b"::1"[..], None));
        // A quote that does not close is a part of the value.
        let request = of(&few, "\"a /a 14:15:36 - - -").unwrap();
        assert_eq!(request.agent.as_deref(), Some(&b"\"a"[..]));
    }

    #[test]
    fn cloudfront_has_tabs_and_escapes() {
        let cloudfront = after(&[
            "#Version: 1.0",
            "#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query x-host-header",
        ]);
        for (path, agent, query, target) in [
            ("/a", "Mozilla/5.0%20(x;%20y+z)", "-", "/a"),
            (
                "/a",
                "Mozilla/5.0%2520(x;%2520y+z)",
                "b=%2520c",
                "/a?b=%20c",
            ),
            ("/%25zz%2", "Mozilla/5.0 (x; y+z)", "", "/%25zz%2"),
        ] {
            let line = format!(
                "2026-11-20\t14:15:36\tFRA2\t182\t2001:db8::1\tGET\td1.cloudfront.net\t{path}\t000\t-\t{agent}\t{query}\texample.com"
            );
            let request = of(&cloudfront, &line).unwrap();
            assert_eq!(&*request.target, target.as_bytes(), "{line}");
            let sent = request.agent.as_deref();
            assert_eq!(sent, Some(&b"Mozilla/5.0 (x; y+z)"[..]), "{line}");
            // The status is 000.
            assert_eq!((request.status, request.bytes), (None, 182));
            assert_eq!(request.host.as_deref(), Some(&b"example.com"[..]));
        }
        let chosen = after(&["#Fields: timestamp(ms) cs-uri-stem cs(User-Agent) cs(Host)"]);
        let request = of(&chosen, "1795184136000\t/a\tx\t").unwrap();
        assert_eq!(request.time.milliseconds, TIME);
        assert_eq!((&*request.client, request.host), (&b"-"[..], None));
    }

    #[test]
    fn other_lines_are_bad_lines() {
        let directives = after(&["#Fields: date time c-ip cs-uri-stem sc-status"]);
        for (line, bad_line) in [
            ("2026-11-20 14:15:36 ::1 /a", BadLine::W3cColumns),
            ("2026-11-20 14:15:36 ::1 /a 200 5", BadLine::W3cColumns),
            ("", BadLine::W3cColumns),
            ("- 14:15:36 ::1 /a 200", BadLine::W3cTime),
            ("2026-11-31 14:15:36 ::1 /a 200", BadLine::W3cTime),
            ("2026-11-20 14:15:36 ::1 - 200", BadLine::W3cMissingField),
            ("2026-11-20 14:15:36 - /a 200", BadLine::W3cMissingField),
            ("2026-11-20 14:15:36 ::1 /a two", BadLine::NoStatus),
        ] {
            assert_eq!(of(&directives, line), Err(bad_line), "{line}");
        }
        let empty = after(&["#Fields:"]);
        assert_eq!(of(&empty, "a"), Err(BadLine::W3cColumns));
        let request = Directives::default().request(b"a", &mut TimeReader::default());
        assert!(request.is_none());
    }

    #[test]
    fn directives_are_found_in_a_block() {
        let mut directives = Directives::default();
        directives.read_all(b"a\n#Fields: time\r\nb #Fields: x\n#Date: 2026-11-20 00:00\n\n#");
        assert_eq!(
            directives.columns.as_deref(),
            Some(&[Some(Meaning::Time)][..])
        );
        assert_eq!(directives.date.as_deref(), Some(&b"2026-11-20"[..]));
        for other in ["#", "# a comment", "#Field: x", "a", ""] {
            assert!(!directives.read(other.as_bytes()), "{other}");
        }
        assert!(directives.columns.is_some());
        // A directive that is too long is not read, and may have listed other columns.
        let fields = |length: usize| {
            let line = "#Fields: c-ip";
            [line, &" ".repeat(length - line.len())].concat()
        };
        assert!(directives.read(fields(MAX_LINE_BYTES).as_bytes()));
        assert_eq!(
            directives.columns.as_deref(),
            Some(&[Some(Meaning::Client)][..])
        );
        assert!(!directives.read(fields(MAX_LINE_BYTES + 1).as_bytes()));
        assert!(directives.columns.is_none());
    }

    #[test]
    fn any_bytes_are_read_or_refused() {
        const PARTS: [&str; 14] = [
            "#Fields: ",
            "date ",
            "time ",
            "c-ip ",
            "cs-uri-stem",
            "cs(User-Agent) ",
            "\n",
            "\r",
            "\t",
            " ",
            "\"",
            "%25",
            "2026-11-20 14:15:36",
            "-",
        ];
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..5_000 {
            let parts = (0..random.usize(..40)).map(|_| *random.choice(&PARTS).unwrap());
            let mut block: Vec<u8> = parts.collect::<String>().into_bytes();
            for _ in 0..random.usize(..3) {
                block.push(random.u8(..));
            }
            let (mut of_block, mut of_lines) = (Directives::default(), Directives::default());
            of_block.read_all(&block);
            for line in block.split(|byte| *byte == b'\n') {
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                of_lines.read(line);
                let _ = of_lines.request(line, &mut TimeReader::default());
            }
            assert_eq!(of_block.columns, of_lines.columns);
        }
    }
}
