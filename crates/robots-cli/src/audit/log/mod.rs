//! The reader of a line of an access log: requester, request, time and response.
//!
//! Each line is recognised as Common or Combined ([`common`]), as JSON ([`json`]), or, after a `#Fields` directive, as W3C
//! extended ([`w3c`]). The latter two name their fields ([`fields`]). Programs that collect lines add a prefix, or wrap them in JSON.
//! Only text with escapes is copied.

mod common;
mod fields;
mod json;
mod stand_ins;
mod time;
mod w3c;

use std::borrow::Cow;
pub(super) use time::{Moment, TimeReader};
pub(super) use w3c::Directives;

/// The maximum length of a line, in bytes: 1 MiB. A longer line is reported and skipped.
pub(super) const MAX_LINE_BYTES: usize = 1024 * 1024;

/// The request of a line. Texts are bytes, as a log may contain any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Request<'l> {
    pub(super) format: LogFormat,
    /// The address or the host name of the client, or those of several proxies, with commas between them.
    pub(super) client: Cow<'l, [u8]>,
    /// The addresses that proxies state, if the line has them: the value of `X-Forwarded-For` or `Forwarded`.
    pub(super) forwarded: Option<Cow<'l, [u8]>>,
    pub(super) time: Moment,
    /// The requested host, if the line names it.
    pub(super) host: Option<Cow<'l, [u8]>>,
    /// The requested target: a path, or another form such as `*`. Empty if the server could not read the request.
    pub(super) target: Cow<'l, [u8]>,
    /// The status of the response, if there was one.
    pub(super) status: Option<u16>,
    /// The number of bytes that were sent.
    pub(super) bytes: u64,
    /// The `User-Agent` header, if the format has it and the client sent one.
    pub(super) agent: Option<Cow<'l, [u8]>>,
}

/// The format of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LogFormat {
    /// Without a `User-Agent`.
    Common,
    Combined,
    Json,
    /// W3C extended, with the columns of a `#Fields` directive.
    W3c,
}

impl LogFormat {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Common => "common",
            Self::Combined => "combined",
            Self::Json => "json",
            Self::W3c => "w3c",
        }
    }
}

/// A line that could not be read: the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum BadLine {
    NoTime,
    NoRequest,
    NoStatus,
    NotJson,
    JsonMissingField,
    W3cColumns,
    W3cTime,
    W3cMissingField,
    TooLong,
}

impl BadLine {
    /// Returns the reason, for people.
    pub(super) fn message(self) -> &'static str {
        match self {
            Self::NoTime => "expected a time in brackets, such as [20/Nov/2026:13:55:36 +0000]",
            Self::NoRequest => "expected a request in quotes after the time",
            Self::NoStatus => "expected a number or - as the status",
            Self::NotJson => "not a JSON object",
            Self::JsonMissingField => {
                "JSON object without a time, a request, or both client and User-Agent"
            }
            Self::W3cColumns => "expected as many values as #Fields has columns",
            Self::W3cTime => "expected a date and a time in the columns of #Fields",
            Self::W3cMissingField => {
                "W3C line without a path, or without both client and User-Agent"
            }
            Self::TooLong => "longer than 1 MiB",
        }
    }
}

impl<'l> Request<'l> {
    /// Returns the request with each text changed by a function.
    fn map(self, text: impl Fn(Cow<'l, [u8]>) -> Cow<'static, [u8]>) -> Request<'static> {
        Request {
            format: self.format,
            client: text(self.client),
            forwarded: self.forwarded.map(&text),
            time: self.time,
            host: self.host.map(&text),
            target: text(self.target),
            status: self.status,
            bytes: self.bytes,
            agent: self.agent.map(&text),
        }
    }
}

/// Reads a line, without its line end, that is not a directive. `directives` are those before it. Linear in its length.
pub(super) fn read<'l>(
    line: &'l [u8],
    directives: &Directives,
    times: &mut TimeReader,
) -> Result<Request<'l>, BadLine> {
    let may_wrap = true;
    let request = if begins_object(line) {
        json::read(line, times, may_wrap)
    } else {
        match directives.request(line, times) {
            None => read_record(line, times, may_wrap),
            // A log in another format may follow in the same file. If the line is not of such a log, its mistake as W3C counts.
            Some(Err(bad_line)) => read_record(line, times, may_wrap).map_err(|_| bad_line),
            Some(request) => request,
        }
    };
    request.map(with_path)
}

fn begins_object(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"{")
}

/// Reads a record that needs no directives. The prefix of a syslog or a container may precede it. With `may_wrap`, a JSON object may
/// have the whole line as a value.
fn read_record<'l>(
    line: &'l [u8],
    times: &mut TimeReader,
    may_wrap: bool,
) -> Result<Request<'l>, BadLine> {
    if begins_object(line) {
        return json::read(line, times, may_wrap);
    }
    common::read(line, times).or_else(|bad_line| {
        // An object after a prefix extends to the end of the line.
        let object = memchr::memchr(b'{', line).map(|start| &line[start..]);
        let object = object.filter(|object| object.trim_ascii_end().ends_with(b"}"));
        json::read(object.ok_or(bad_line)?, times, may_wrap)
    })
}

/// Returns the request with a path as its target: a target that is a URL (RFC 9112, section 3.2.2) is split into host and path.
fn with_path(request: Request<'_>) -> Request<'_> {
    let (host, path) = {
        let target = &*request.target;
        let after = |scheme: &[u8]| {
            let (start, rest) = target.split_at_checked(scheme.len())?;
            start.eq_ignore_ascii_case(scheme).then_some(rest)
        };
        let Some(rest) = after(b"http://").or_else(|| after(b"https://")) else {
            return request;
        };
        let end = rest.iter().position(|byte| b"/?#".contains(byte));
        let (host, path) = rest
            .split_at_checked(end.unwrap_or(rest.len()))
            .unwrap_or_default();
        // A user's name and password may precede the host.
        let host = host.rsplit(|byte| *byte == b'@').next().unwrap_or_default();
        let slash = if path.starts_with(b"/") {
            &b""[..]
        } else {
            b"/"
        };
        (host.to_vec(), [slash, path].concat())
    };
    Request {
        host: Some(Cow::Owned(host)),
        target: Cow::Owned(path),
        ..request
    }
}

/// Returns the target of a request line such as `GET /a?b HTTP/1.1`; empty if it is not a request line.
fn target_of(request: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    match request {
        Cow::Borrowed(request) => Cow::Borrowed(target_in(request)),
        Cow::Owned(request) => Cow::Owned(target_in(&request).to_vec()),
    }
}

fn target_in(request: &[u8]) -> &[u8] {
    let Some(method_end) = memchr::memchr(b' ', request) else {
        return b"";
    };
    let (method, rest) = request.split_at(method_end);
    if method.is_empty() || !method.iter().all(u8::is_ascii_uppercase) {
        return b"";
    }
    let rest = rest.trim_ascii();
    // HTTP/0.9 has no version. A path may contain spaces, a version does not.
    let end = memchr::memrchr(b' ', rest).filter(|end| rest[end + 1..].starts_with(b"HTTP/"));
    rest[..end.unwrap_or(rest.len())].trim_ascii_end()
}

fn number(word: &[u8]) -> Option<u64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// Returns a field; `None` if it is `-` or empty.
fn present(text: Cow<'_, [u8]>) -> Option<Cow<'_, [u8]>> {
    (!matches!(&*text, b"" | b"-")).then_some(text)
}

/// Returns whether a text is a host name: letters, digits, `-`, `_` and dots, with a letter before the last dot. So a partly
/// masked address, such as `66.249.66.xxx`, is not one.
pub(super) fn is_name(text: &str) -> bool {
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let domain = text.rsplit_once('.').map(|(before, _)| before);
    text.bytes().all(is_of_name)
        && domain.is_some_and(|labels| labels.bytes().any(|byte| byte.is_ascii_alphabetic()))
}

/// Returns a host; `None` if it is missing: `-`, with a port or without.
fn present_host(host: Cow<'_, [u8]>) -> Option<Cow<'_, [u8]>> {
    let is_missing = matches!(&*host, b"-" | [b'-', b':', ..]);
    (!is_missing).then_some(host).and_then(present)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_a_host_and_a_path() {
        for (url, host, path) in [
            (
                "https://user@Example.com:8443/a?b",
                "Example.com:8443",
                "/a?b",
            ),
            ("http://example.com", "example.com", "/"),
            ("HTTP://example.com/a", "example.com", "/a"),
            ("http://example.com?b", "example.com", "/?b"),
        ] {
            let line = format!(
                "h.example 1.2.3.4 - - [20/Nov/2026:13:55:36 +0000] \"GET {url} HTTP/1.1\" 200 0"
            );
            let request = read(
                line.as_bytes(),
                &Directives::default(),
                &mut TimeReader::default(),
            )
            .unwrap();
            assert_eq!(request.host.as_deref(), Some(host.as_bytes()), "{url}");
            assert_eq!(&*request.target, path.as_bytes(), "{url}");
        }
    }

    #[test]
    fn a_request_line_has_a_target() {
        for (request, target) in [
            ("GET / HTTP/1.1", "/"),
            ("GET /a b?c HTTP/1.1", "/a b?c"),
            ("GET /a", "/a"),
            ("HEAD  /a  HTTP/2.0", "/a"),
            ("OPTIONS * HTTP/1.0", "*"),
            ("-", ""),
            ("", ""),
            ("\u{16}\u{3} a", ""),
            ("get / HTTP/1.1", ""),
            // The only word after the method is the target.
            ("GET HTTP/1.1", "HTTP/1.1"),
        ] {
            assert_eq!(
                target_in(request.as_bytes()),
                target.as_bytes(),
                "{request:?}"
            );
        }
    }
}
