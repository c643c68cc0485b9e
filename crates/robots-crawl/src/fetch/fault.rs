//! The faults of requests without a usable response.
//!
//! They are distinguished by the types of the client's errors. One exception: only the text of an error shows
//! whether a name may resolve later.

use robots_policy::text::prefix;
use std::error::Error;
use std::io;
use std::iter;
use std::net::IpAddr;

/// The maximum length of a server's text in a fault, in bytes: 1 KiB. A longer one is cut.
pub const MAX_FAULT_TEXT: usize = 1 << 10;

/// The reason why a request has no usable response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FetchFault {
    /// The name of the host did not resolve.
    #[error("host not found")]
    Name(#[source] FaultDetail),
    /// No connection could be made: it was refused, or there is no route to the host.
    #[error("cannot connect to the host")]
    Connect(#[source] FaultDetail),
    /// The name, the connection and the TLS handshake took too long.
    #[error("the connection to the host timed out")]
    ConnectTimeout,
    /// TLS failed: the certificate is not trusted or is for another host, or the server does not speak TLS.
    #[error("TLS with the host failed")]
    Tls(#[source] FaultDetail),
    /// The whole fetch took too long.
    #[error("the response was not complete in time")]
    Timeout,
    /// Nothing arrived for too long: no headers, or no more of the body.
    #[error("the host sent nothing for too long")]
    IdleTimeout,
    /// The response broke off, or its body is not as it was announced: the connection was closed
    /// or reset, the length or a chunk is wrong, or it cannot be decompressed.
    #[error("the response broke off or is malformed")]
    Broken(#[source] FaultDetail),
    /// The response is not valid HTTP, or has more than 100 header lines, or a head of over about 400 KB: limits of the client.
    #[error("the head of the response is not valid HTTP, or too large")]
    Protocol(#[source] FaultDetail),
    /// The body has a content coding that is not supported, or several. The value is that of `Content-Encoding`, up to
    /// [`MAX_FAULT_TEXT`].
    #[error("the response has the content coding {0:?}, which is not supported")]
    Encoding(String),
    /// The host has only addresses that are not public, or is such an address. Nothing was sent to it. The value is the
    /// first of them.
    #[error("refused to connect to a private address: {0}")]
    PrivateAddress(IpAddr),
    /// A redirect to a target that HTTP cannot request: another scheme (`file:`, `data:`), or an invalid
    /// URL. The value is the target as the server sent it, up to [`MAX_FAULT_TEXT`].
    #[error("a redirect to {0:?}, which HTTP cannot request")]
    RedirectToOther(String),
    /// A redirect without a `Location`.
    #[error("a redirect without a target")]
    RedirectWithoutTarget,
    /// More redirects than are followed.
    #[error("too many redirects")]
    TooManyRedirects,
    /// A URL that HTTP cannot request: it is invalid, or has another scheme (`ftp:`). No request was made.
    #[error("HTTP cannot request {0:?}")]
    BadUrl(String),
    /// There was no turn for the request, which was not made: too many others wait for the address, or the wait was too long. It
    /// says nothing about the site. A fetcher alone has no such limits; a
    /// [`KnownRobots`](crate::known::KnownRobotsBuilder::with_max_waiting_per_address) has.
    #[error("too many requests wait for their turn")]
    NoTurn,
}

impl FetchFault {
    /// Returns whether the fetcher repeats a request for robots.txt after this fault
    /// ([`FetcherBuilder::with_retries`](super::FetcherBuilder::with_retries)). Requests for pages are never
    /// repeated.
    ///
    /// After a failure of TLS, it repeats the request only if the connection ended during the handshake. After
    /// [`FetchFault::Timeout`] it does not, as no time is left.
    pub fn is_retried(&self) -> bool {
        match self {
            Self::ConnectTimeout | Self::IdleTimeout => true,
            Self::Name(detail)
            | Self::Connect(detail)
            | Self::Tls(detail)
            | Self::Broken(detail) => detail.is_temporary,
            _ => false,
        }
    }

    /// Returns whether the request ended before anything was sent, for a reason that says nothing about the site: the host was not
    /// found, or its address is not permitted. The site that redirects to such a host was asked.
    pub fn is_of_host(&self) -> bool {
        matches!(self, Self::Name(_) | Self::PrivateAddress(_))
    }

    /// Returns the name of the fault, in lower case, such as `connect` or `idle_timeout`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Name(_) => "name",
            Self::Connect(_) => "connect",
            Self::ConnectTimeout => "connect_timeout",
            Self::Tls(_) => "tls",
            Self::Timeout => "timeout",
            Self::IdleTimeout => "idle_timeout",
            Self::Broken(_) => "broken",
            Self::Protocol(_) => "protocol",
            Self::Encoding(_) => "encoding",
            Self::PrivateAddress(_) => "private_address",
            Self::RedirectToOther(_) => "redirect_to_other",
            Self::RedirectWithoutTarget => "redirect_without_target",
            Self::TooManyRedirects => "too_many_redirects",
            Self::BadUrl(_) => "bad_url",
            Self::NoTurn => "no_turn",
        }
    }

    /// Returns the fault of a response with a content coding that is not supported.
    pub(super) fn of_coding(coding: String) -> Self {
        Self::Encoding(cut(coding))
    }

    /// Returns the fault of a redirect to a target that HTTP cannot request.
    pub(super) fn of_target(target: String) -> Self {
        Self::RedirectToOther(cut(target))
    }

    /// Returns the fault of a request without response headers.
    pub(super) fn of_request(error: &(dyn Error + 'static)) -> Self {
        if find::<rustls::Error>(error).is_some() {
            return Self::Tls(FaultDetail::new(error, false));
        }
        if find(error).is_some_and(hyper::Error::is_parse) {
            return Self::Protocol(FaultDetail::new(error, false));
        }
        Self::of_stream(error)
    }

    /// Returns the fault of a connection that could not be made, or ended during the TLS handshake.
    pub(super) fn of_connect(error: &(dyn Error + 'static)) -> Self {
        if find::<rustls::Error>(error).is_some() {
            return Self::Tls(FaultDetail::new(error, false));
        }
        let io_errors = causes(error).filter_map(|cause| cause.downcast_ref::<io::Error>());
        let kinds: Vec<io::ErrorKind> = io_errors.map(io::Error::kind).collect();
        if kinds.contains(&io::ErrorKind::TimedOut) {
            Self::ConnectTimeout
        } else if kinds.contains(&io::ErrorKind::UnexpectedEof) {
            // The connection ended during the handshake.
            Self::Tls(FaultDetail::new(error, true))
        } else {
            // Errors of the system, such as a refused connection, are temporary; those of the client alone are not.
            Self::Connect(FaultDetail::new(error, !kinds.is_empty()))
        }
    }

    /// Returns the fault of a response that broke off.
    pub(super) fn of_stream(error: &(dyn Error + 'static)) -> Self {
        Self::Broken(FaultDetail::new(error, causes(error).any(is_break)))
    }
}

/// Cuts a text of a server.
fn cut(mut text: String) -> String {
    text.truncate(prefix(&text, MAX_FAULT_TEXT).len());
    text.shrink_to_fit();
    text
}

/// The text of the client, the operating system or TLS about a fault. It is for people to read: it
/// changes with their versions.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct FaultDetail {
    text: Box<str>,
    /// Whether another attempt may succeed.
    is_temporary: bool,
}

impl FaultDetail {
    fn new(error: &(dyn Error + 'static), is_temporary: bool) -> Self {
        let mut texts: Vec<String> = causes(error).map(ToString::to_string).collect();
        texts.dedup();
        Self {
            text: texts.join(": ").into(),
            is_temporary,
        }
    }

    /// Returns the detail of a name that does not resolve. Only the text of the resolver shows whether it may later:
    /// "Temporary failure in name resolution" (glibc, macOS), "Try again" (musl), "a temporary
    /// error during hostname resolution" (Windows).
    pub(super) fn of_name(error: &io::Error) -> Self {
        let text = error.to_string();
        let lower = text.to_ascii_lowercase();
        Self {
            is_temporary: lower.contains("temporary") || lower.contains("try again"),
            text: text.into(),
        }
    }

    /// Returns the detail of a name that resolves, but has no address.
    pub(super) fn without_address() -> Self {
        Self {
            text: "it has no address".into(),
            is_temporary: false,
        }
    }
}

/// Returns an error and its causes, the outermost first. An error inside an I/O error is one of them, although the `source`
/// of the I/O error skips it.
fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    iter::successors(Some(error), |&error| {
        match error.downcast_ref().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => error.source(),
        }
    })
}

/// Returns the first error of a type among an error and its causes.
fn find<'e, E: Error + 'static>(error: &'e (dyn Error + 'static)) -> Option<&'e E> {
    causes(error).find_map(|cause| cause.downcast_ref())
}

/// Returns whether the cause is that a connection ended early. Such a fault is temporary: another attempt may succeed.
fn is_break(cause: &(dyn Error + 'static)) -> bool {
    let is_break_of_http = cause
        .downcast_ref::<hyper::Error>()
        .is_some_and(|error| error.is_incomplete_message() || error.is_canceled());
    let is_break_of_stream = cause.downcast_ref::<io::Error>().is_some_and(|error| {
        matches!(
            error.kind(),
            io::ErrorKind::ConnectionReset
                | io::ErrorKind::ConnectionAborted
                | io::ErrorKind::BrokenPipe
                | io::ErrorKind::NotConnected
                | io::ErrorKind::TimedOut
                | io::ErrorKind::UnexpectedEof
        )
    });
    is_break_of_http || is_break_of_stream
}
