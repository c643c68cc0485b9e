//! Common and Combined logs, as Apache, nginx and others write them.
//!
//! `client ident user [time] "request" status bytes`, followed in the Combined format by `"referer" "agent"`. The requested
//! host may come first, as in Apache's `vhost_combined`; text at the end is ignored. In quotes, Apache and nginx write `\"`,
//! `\\` and `\xhh`.

use super::time::TimeReader;
use super::{BadLine, LogFormat, Moment, Request, number, present, present_host, target_of};
use memchr::{memchr, memchr_iter, memchr2};
use std::borrow::Cow;

/// The maximum number of opening brackets that are tried as the start of the time. User names may contain some before
/// it.
const MAX_BRACKETS: usize = 8;

/// The closing bracket must be within this number of bytes after the opening one. A time has 26:
/// `20/Nov/2026:13:55:36 +0000`.
const MAX_TIME_BYTES: usize = 40;

/// Reads a line of a Common or Combined log.
pub(super) fn read<'l>(line: &'l [u8], times: &mut TimeReader) -> Result<Request<'l>, BadLine> {
    let (head, time, rest) = split_at_time(line, times).ok_or(BadLine::NoTime)?;
    let (host, client) = host_and_client(head);
    let mut fields = Fields(rest);
    let request = fields.quoted().ok_or(BadLine::NoRequest)?;
    let status = fields.word();
    let bytes = fields.word();
    let status = match status {
        b"-" => None,
        _ => Some(number(status).ok_or(BadLine::NoStatus)?),
    };
    // The referer is not used.
    fields.quoted();
    let agent = fields.quoted();
    Ok(Request {
        format: if agent.is_some() {
            LogFormat::Combined
        } else {
            LogFormat::Common
        },
        client: Cow::Borrowed(client),
        time,
        host: host.map(Cow::Borrowed).and_then(present_host),
        target: target_of(request),
        // A number above 65,535 is not a status.
        status: status.and_then(|status| u16::try_from(status).ok()),
        bytes: number(bytes).unwrap_or_default(),
        agent: agent.and_then(present),
    })
}

/// Splits a line into the part before the time, the time, and the part after it.
fn split_at_time<'l>(
    line: &'l [u8],
    times: &mut TimeReader,
) -> Option<(&'l [u8], Moment, &'l [u8])> {
    memchr_iter(b'[', line).take(MAX_BRACKETS).find_map(|open| {
        let (before, after) = line.split_at_checked(open)?;
        let after = after.get(1..)?;
        let close = memchr(b']', after.get(..MAX_TIME_BYTES).unwrap_or(after))?;
        let (time, rest) = after.split_at_checked(close)?;
        Some((before, times.read_common(time)?, rest.get(1..)?))
    })
}

/// Returns the requested host, if it comes first, and the client.
fn host_and_client(head: &[u8]) -> (Option<&[u8]>, &[u8]) {
    let mut words = head
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    let second = words.next().unwrap_or_default();
    // A proxy may list several clients; the first is the requester.
    if let Some(client) = first.strip_suffix(b",") {
        return (None, client);
    }
    // Four words before the time are either `host client ident user`, or `client ident` and a user name with a space.
    // In the second of these, the second word is `ident`, which is nearly always `-`.
    if words.nth(1).is_some() && second != b"-" {
        (Some(first), second.strip_suffix(b",").unwrap_or(second))
    } else {
        (None, first)
    }
}

/// The part of a line that is not read yet.
struct Fields<'l>(&'l [u8]);

impl<'l> Fields<'l> {
    /// Returns the next word; empty at the end, or before quotes.
    fn word(&mut self) -> &'l [u8] {
        let rest = self.0.trim_ascii_start();
        let end = memchr2(b' ', b'"', rest).unwrap_or(rest.len());
        let (word, rest) = rest.split_at_checked(end).unwrap_or_default();
        self.0 = rest;
        word
    }

    /// Returns the next text in quotes, without its escapes; `None` if there is no quote, or no closing one.
    fn quoted(&mut self) -> Option<Cow<'l, [u8]>> {
        let text = self.0.trim_ascii_start().strip_prefix(b"\"")?;
        let mut has_escapes = false;
        let mut end = 0_usize;
        loop {
            end += memchr2(b'"', b'\\', text.get(end..)?)?;
            if text.get(end) == Some(&b'"') {
                break;
            }
            has_escapes = true;
            end += 2;
        }
        let (inner, rest) = text.split_at_checked(end)?;
        self.0 = rest.get(1..)?;
        Some(if has_escapes {
            Cow::Owned(unescaped(inner))
        } else {
            Cow::Borrowed(inner)
        })
    }
}

/// Returns a text without its escapes: `\"`, `\\`, `\xhh` and those of C.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            plain.push(byte);
            continue;
        }
        let Some((&escape, after)) = rest.split_first() else {
            plain.push(byte);
            break;
        };
        rest = after;
        match escape {
            b'x' => match rest.split_at_checked(2).and_then(|(digits, after)| {
                let digits = std::str::from_utf8(digits).ok()?;
                Some((u8::from_str_radix(digits, 16).ok()?, after))
            }) {
                Some((value, after)) => {
                    plain.push(value);
                    rest = after;
                }
                None => plain.extend_from_slice(b"\\x"),
            },
            b'n' => plain.push(b'\n'),
            b'r' => plain.push(b'\r'),
            b't' => plain.push(b'\t'),
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<Request<'_>, BadLine> {
        read(line.as_bytes(), &mut TimeReader::default())
    }

    #[test]
    fn a_hyphen_is_no_host() {
        for (host, expected) in [
            ("-", None),
            ("-:80", None),
            ("a.example:80", Some("a.example:80")),
        ] {
            let line = format!(
                "{host} 192.0.2.1 - - [20/Nov/2026:13:55:36 +0000] \"GET / HTTP/1.0\" 200 5"
            );
            let request = of(&line).unwrap();
            assert_eq!(request.host.as_deref(), expected.map(str::as_bytes));
            assert_eq!(&*request.client, b"192.0.2.1");
        }
    }

    #[test]
    fn lines_of_both_forms_are_read() {
        let combined = of(
            r#"66.249.66.1 - - [20/Nov/2026:13:55:36 +0000] "GET /a?b=1 HTTP/1.1" 200 2326 "-" "Googlebot/2.1 \"x\" \x41\t" extra "more""#,
        )
        .unwrap();
        assert_eq!(combined.format, LogFormat::Combined);
        assert_eq!(&*combined.client, b"66.249.66.1");
        assert_eq!(&*combined.target, b"/a?b=1");
        assert_eq!((combined.status, combined.bytes), (Some(200), 2_326));
        assert_eq!(
            combined.agent.as_deref(),
            Some(&b"Googlebot/2.1 \"x\" A\t"[..])
        );
        assert_eq!(combined.host, None);

        let common =
            of(r#"crawl.example.com - frank [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 304 -"#)
                .unwrap();
        assert_eq!(common.format, LogFormat::Common);
        assert_eq!(&*common.client, b"crawl.example.com");
        assert_eq!((common.status, common.bytes), (Some(304), 0));
        assert_eq!(
            (common.agent, common.time.milliseconds),
            (None, 971_211_336_000)
        );
    }

    #[test]
    fn a_host_may_come_first_and_a_user_may_have_spaces() {
        for (head, host, client) in [
            (
                "example.com:443 1.2.3.4 - -",
                Some("example.com:443"),
                "1.2.3.4",
            ),
            ("example.com 1.2.3.4 - -", Some("example.com"), "1.2.3.4"),
            (
                "example.com:80 crawl.example.net - -",
                Some("example.com:80"),
                "crawl.example.net",
            ),
            ("1.2.3.4 - John Smith", None, "1.2.3.4"),
            ("::1 - John Smith", None, "::1"),
            ("crawl.example.net - John Smith", None, "crawl.example.net"),
            ("1.2.3.4 - [a]", None, "1.2.3.4"),
            ("1.2.3.4, 10.0.0.1 - -", None, "1.2.3.4"),
            (
                "example.com 1.2.3.4, 10.0.0.1 - -",
                Some("example.com"),
                "1.2.3.4",
            ),
            (
                "example.com a.example - -",
                Some("example.com"),
                "a.example",
            ),
        ] {
            let line = format!("{head} [20/Nov/2026:13:55:36 +0000] \"GET / HTTP/1.1\" 200 0");
            let request = of(&line).unwrap();
            assert_eq!(request.host.as_deref(), host.map(str::as_bytes), "{head}");
            assert_eq!(&*request.client, client.as_bytes(), "{head}");
        }
    }

    #[test]
    fn unreadable_requests_are_kept_and_other_lines_are_bad_lines() {
        let line = |rest: &str| format!("1.2.3.4 - - [20/Nov/2026:13:55:36 +0000] {rest}");
        for (rest, target, status) in [
            (r#""-" 408 -"#, "", Some(408)),
            (r#""\x16\x03\x01" 400 0 "-" "-""#, "", Some(400)),
            (r#""GET /\xe9 HTTP/1.1" - -"#, "/\u{fffd}", None),
        ] {
            let line = line(rest);
            let request = of(&line).unwrap();
            assert_eq!(String::from_utf8_lossy(&request.target), target, "{rest}");
            assert_eq!((request.status, request.agent), (status, None), "{rest}");
        }
        for (text, bad_line) in [
            (String::new(), BadLine::NoTime),
            ("\0\0[[[[[[[[[[".to_owned(), BadLine::NoTime),
            (line("GET / HTTP/1.1"), BadLine::NoRequest),
            (line("\"GET / HTTP/1.1"), BadLine::NoRequest),
            (line("\"GET / HTTP/1.1\\"), BadLine::NoRequest),
            (line("\"GET / HTTP/1.1\""), BadLine::NoStatus),
            (line("\"GET / HTTP/1.1\" two 5"), BadLine::NoStatus),
        ] {
            assert_eq!(of(&text), Err(bad_line), "{text}");
        }
        assert_eq!(unescaped(br"\x4\xzz\"), br"\x4\xzz\");
    }
}
