//! One line of an access log, read: who asked for what, when, and how it was answered.
//!
//! Common and Combined logs ([`common`]) and JSON ([`json`]) are told apart line by line. Nothing is
//! copied but what is written with escapes.

mod common;
mod json;
mod time;

use std::borrow::Cow;
pub(super) use time::{Clock, Moment};

/// How long a line may be, in bytes: 1 MiB. A longer one is told, and passed over.
pub(super) const LONGEST_LINE: usize = 1024 * 1024;

/// A request, as a line has it. Texts are bytes: a log may have any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Request<'l> {
    pub(super) form: Form,
    /// The address or the name of who asked.
    pub(super) client: Cow<'l, [u8]>,
    pub(super) time: Moment,
    /// The host that was asked, if the line says it.
    pub(super) host: Option<Cow<'l, [u8]>>,
    /// What was asked for: a path, or what is none such as `*`. Empty if the request was none that a server could read.
    pub(super) target: Cow<'l, [u8]>,
    /// The status of the answer, if there was one.
    pub(super) status: Option<u16>,
    /// Bytes that were sent.
    pub(super) bytes: u64,
    /// The `User-Agent` header, if the format has it and the client said one.
    pub(super) agent: Option<Cow<'l, [u8]>>,
}

/// The form of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    /// Without a `User-Agent`.
    Common,
    Combined,
    Json,
}

impl Form {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Common => "common",
            Self::Combined => "combined",
            Self::Json => "json",
        }
    }
}

/// Why a line could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fault {
    NoTime,
    NoRequest,
    NoStatus,
    NotJson,
    JsonWithout,
    TooLong,
}

impl Fault {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::NoTime => "expected a time in brackets, such as [20/Nov/2026:13:55:36 +0000]",
            Self::NoRequest => "expected a request in quotes after the time",
            Self::NoStatus => "expected a status after the request",
            Self::NotJson => "not a JSON object",
            Self::JsonWithout => "JSON object without a client, a time or a request",
            Self::TooLong => "longer than 1 MiB",
        }
    }
}

/// Reads a line, without its end. Linear in its length.
pub(super) fn read<'l>(line: &'l [u8], clock: &mut Clock) -> Result<Request<'l>, Fault> {
    let request = if line.trim_ascii_start().starts_with(b"{") {
        json::read(line, clock)
    } else {
        common::read(line, clock)
    };
    request.map(with_path)
}

/// A request whose target is a path: of a URL, host and path (RFC 9112, 3.2.2).
fn with_path(request: Request<'_>) -> Request<'_> {
    let (host, path) = {
        let target = &*request.target;
        let rest = target
            .strip_prefix(b"http://")
            .or_else(|| target.strip_prefix(b"https://"));
        let Some(rest) = rest else { return request };
        let end = rest.iter().position(|byte| b"/?#".contains(byte));
        let (host, path) = rest
            .split_at_checked(end.unwrap_or(rest.len()))
            .unwrap_or_default();
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

/// What is asked for, of a request line such as `GET /a?b HTTP/1.1`; empty if it is none.
fn target_of(request: &[u8]) -> &[u8] {
    let Some(method) = memchr::memchr(b' ', request) else {
        return b"";
    };
    let (method, rest) = request.split_at(method);
    if method.is_empty() || !method.iter().all(u8::is_ascii_uppercase) {
        return b"";
    }
    let rest = rest.trim_ascii();
    // Of HTTP/0.9 there is no version; a path may have spaces, which the version does not.
    let end = memchr::memrchr(b' ', rest).filter(|end| {
        rest.get(end.saturating_add(1)..)
            .is_some_and(|version| version.starts_with(b"HTTP/"))
    });
    rest.get(..end.unwrap_or(rest.len()))
        .unwrap_or_default()
        .trim_ascii_end()
}

/// A field, unless it is `-` or empty: nothing then.
fn present(text: Cow<'_, [u8]>) -> Option<Cow<'_, [u8]>> {
    (!matches!(&*text, b"" | b"-")).then_some(text)
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
            ("http://example.com?b", "example.com", "/?b"),
        ] {
            let line = format!(
                "h.example 1.2.3.4 - - [20/Nov/2026:13:55:36 +0000] \"GET {url} HTTP/1.1\" 200 0"
            );
            let request = read(line.as_bytes(), &mut Clock::default()).unwrap();
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
            ("GET HTTP/1.1", "HTTP/1.1"),
        ] {
            assert_eq!(
                target_of(request.as_bytes()),
                target.as_bytes(),
                "{request:?}"
            );
        }
    }
}
