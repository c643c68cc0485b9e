//! Common and Combined logs, as Apache, nginx and others write them.
//!
//! `client ident user [time] "request" status bytes`, followed in the Combined format by `"referer" "agent"`. The requested
//! host may come first, as in Apache's `vhost_combined`, and before it the prefix of a syslog or a container. After the
//! `User-Agent`, only the addresses that proxies state are read. In quotes, Apache and nginx write `\"`, `\\` and `\xhh`.

use super::time::TimeReader;
use super::{
    BadLine, LogFormat, Moment, Request, is_name, number, present, present_host, target_of,
};
use memchr::{memchr, memchr_iter, memchr2, memmem};
use robots_answers::forwarded::stated_address;
use robots_answers::host_of;
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
    let agent = fields.agent();
    Ok(Request {
        format: if agent.is_some() {
            LogFormat::Combined
        } else {
            LogFormat::Common
        },
        client: Cow::Borrowed(client),
        forwarded: fields.forwarded(),
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

/// Returns the requested host, if there is one, and the client.
///
/// A record is `client ident user`, or `host client ident user`, and `ident` is nearly always `-`. So the client is the first word
/// that is followed by `-` and begins the line, or is an address, or a name after the host. What precedes the record is a prefix:
/// as its parts may have a `-` after them, too, other words are the client only if there is no address.
///
/// The first such word counts, because the name of a user may have the form of a record.
fn host_and_client(head: &[u8]) -> (Option<&[u8]>, &[u8]) {
    let mut words = Words(head).enumerate().peekable();
    let mut before: Option<&[u8]> = None;
    let mut found = None;
    while let Some((index, word)) = words.next() {
        if words.peek().is_some_and(|(_, next)| *next == b"-") {
            let host = before.filter(|host| is_host(host, index == 1));
            let is_name = || str::from_utf8(word).is_ok_and(is_name);
            // A word that begins with `<` is the priority of a syslog (RFC 5424).
            let begins_line = index == 0 && !word.starts_with(b"<");
            if begins_line || is_address(word) || index == 1 && is_name() {
                return (host, word);
            }
            found = found.or(Some((host, word)));
        }
        before = Some(word);
    }
    found.unwrap_or_else(|| {
        let mut words = Words(head);
        let first = words.next().unwrap_or_default();
        match (words.next(), words.nth(1)) {
            (Some(second), Some(_)) if !is_address(first) => (Some(first), second),
            _ => (None, first),
        }
    })
}

/// Returns whether a word before the client is the requested host, and not the end of a prefix. Only a host that is alone may be
/// a name without a dot.
fn is_host(word: &[u8], is_alone: bool) -> bool {
    let word = String::from_utf8_lossy(word);
    let Some((host, name)) = host_of(&word) else {
        return false;
    };
    let is_of_host = |c: char| c.is_alphanumeric() || "-_.[]:".contains(c);
    host == word && (is_name(name) || is_alone && name.chars().all(is_of_host))
}

/// Returns whether a word is an address, or the list of a proxy that ends with one.
fn is_address(word: &[u8]) -> bool {
    let last = word.rsplit(|byte| *byte == b',').next();
    last.is_some_and(|last| stated_address(last).is_some())
}

/// The words of a text. After a comma, a word continues: several addresses are one word.
struct Words<'l>(&'l [u8]);

impl<'l> Iterator for Words<'l> {
    type Item = &'l [u8];

    fn next(&mut self) -> Option<&'l [u8]> {
        let text = self.0.trim_ascii_start();
        let mut end = 0_usize;
        loop {
            let rest = text.get(end..)?;
            let start = rest.len() - rest.trim_ascii_start().len();
            let word = rest.get(start..)?;
            let length = word.iter().position(u8::is_ascii_whitespace);
            end += start + length.unwrap_or(word.len());
            let (found, after) = text.split_at_checked(end)?;
            if !found.ends_with(b",") || after.is_empty() {
                self.0 = after;
                return (!found.is_empty()).then_some(found);
            }
        }
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

    /// Returns the `User-Agent` header, after the referer, which is not used. Either may be without quotes: a referer is then a URL
    /// or `-`, and a `User-Agent` extends to the next quote or to the end of the line.
    fn agent(&mut self) -> Option<Cow<'l, [u8]>> {
        let has_referer = self.quoted().is_some();
        if !has_referer {
            let mut after = Self(self.0);
            let word = after.word();
            if word == b"-" || memmem::find(word, b"://").is_some() {
                *self = after;
            }
        }
        self.quoted().or_else(|| {
            let text = self.0.trim_ascii_start();
            // The end of the line, with the closing quote, may be missing.
            let text = text.strip_prefix(b"\"").unwrap_or(text);
            let end = memchr(b'"', text).unwrap_or(text.len());
            let (agent, rest) = text.split_at_checked(end)?;
            let word = Self(agent).word();
            let slash = memchr(b'/', word);
            let has_version =
                slash.is_some_and(|slash| word.get(slash + 1).is_some_and(u8::is_ascii_digit));
            // Without a referer, it may be any other field, such as a time.
            let is_agent = has_version || has_referer && memchr(b'=', word).is_none();
            if !is_agent || !word.first()?.is_ascii_alphabetic() {
                return None;
            }
            self.0 = rest;
            Some(Cow::Borrowed(agent.trim_ascii_end()))
        })
    }

    /// Returns the next text in quotes that is a list of addresses by its last element: `X-Forwarded-For`.
    fn forwarded(&mut self) -> Option<Cow<'l, [u8]>> {
        loop {
            let (before, text) = self.0.split_at_checked(memchr(b'"', self.0)?)?;
            self.0 = text;
            let text = self.quoted()?;
            // The value of another field is in quotes, too: `upstream="10.0.0.1:80"`.
            let is_field = before.last().is_none_or(u8::is_ascii_whitespace);
            let last = text.rsplit(|byte| *byte == b',').next()?;
            if is_field && stated_address(last).is_some() {
                return Some(text);
            }
        }
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
            ("1.2.3.4, 10.0.0.1 - -", None, "1.2.3.4, 10.0.0.1"),
            ("1.2.3.4, unknown - -", None, "1.2.3.4, unknown"),
            ("1.2.3.4 ident user", None, "1.2.3.4"),
            ("1.2.3.4 ident John Smith", None, "1.2.3.4"),
            (
                "example.com 1.2.3.4 ident user",
                Some("example.com"),
                "1.2.3.4",
            ),
            ("localhost - -", None, "localhost"),
            ("unix: - x 1.2.3.4 - -", None, "unix:"),
            ("a.example - x 1.2.3.4 - -", None, "a.example"),
            (
                "Nov 29 14:22:46 web nginx: localhost - -",
                None,
                "localhost",
            ),
            ("2026-11-29T14:22:46Z 1.2.3.4 - -", None, "1.2.3.4"),
            (
                "web-1  | www.example.com 1.2.3.4 - -",
                Some("www.example.com"),
                "1.2.3.4",
            ),
            ("", None, ""),
            (
                "example.com 1.2.3.4, 10.0.0.1 - -",
                Some("example.com"),
                "1.2.3.4, 10.0.0.1",
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
