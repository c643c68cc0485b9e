//! The fields of a line, in the formats that name them.

use super::time::{Moment, TimeReader};
use super::{BadLine, LogFormat, Request, number, present, present_host, target_of};
use percent_encoding::percent_decode;
use std::borrow::Cow;

/// The meaning of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Client,
    /// The address of the connection, which may be that of a proxy.
    Connection,
    /// The addresses of `X-Forwarded-For` or `Forwarded`.
    Forwarded,
    /// The address in a header that has only one, such as `X-Real-IP`.
    ForwardedClient,
    /// A date, alone or with the time of day.
    Date,
    /// A time with its date, or the time of day alone.
    Time,
    /// The time at which the log received the entry, often that of several (Google Cloud).
    Receipt,
    Host,
    /// A request line, such as `GET / HTTP/1.1`.
    Line,
    /// A target as it was sent.
    Target,
    /// A path, which the server may have rewritten.
    Path,
    /// A path without the query, as CloudFront encodes it.
    Stem,
    /// The query of a stem or a path, with or without its question mark.
    Query,
    Status,
    Bytes,
    Agent,
    /// A `User-Agent` header, as CloudFront encodes it.
    EncodedAgent,
    /// A line of a log, as Docker, journald, Google Cloud and others wrap it.
    WrappedLine,
}

/// The usual names of fields, with spaces between them: the variables of nginx and Apache, and the keys of Caddy, Traefik,
/// Cloudflare, CloudFront, Google Cloud and the Elastic Common Schema. Only the letters and digits of a name count.
const NAMES: [(Meaning, &str); 18] = [
    (
        Meaning::Client,
        "remoteaddr remotehost clientip clienthost clientaddr client ip cip",
    ),
    (Meaning::Connection, "remoteip"),
    (
        Meaning::Forwarded,
        "xforwardedfor httpxforwardedfor requestxforwardedfor csxforwardedfor proxyaddxforwardedfor forwardedfor forwarded \
         httpforwarded requestforwarded csforwarded",
    ),
    (
        Meaning::ForwardedClient,
        "realip xrealip httpxrealip requestxrealip csxrealip trueclientip httptrueclientip cfconnectingip httpcfconnectingip",
    ),
    (Meaning::Date, "date"),
    (
        Meaning::Time,
        "time timelocal timeiso8601 timestamp ts msec timestampms datetime startutc edgestarttimestamp",
    ),
    (Meaning::Receipt, "receivetimestamp"),
    (
        Meaning::Host,
        "host httphost servername vhost virtualhost requesthost clientrequesthost authority xhostheader",
    ),
    (Meaning::Line, "request requestline"),
    (Meaning::Target, "requesturi requesturl clientrequesturi"),
    (Meaning::Path, "uri requestpath path url"),
    (Meaning::Stem, "csuristem"),
    (Meaning::Query, "csuriquery query querystring args"),
    (
        Meaning::Status,
        "status statuscode downstreamstatus edgeresponsestatus scstatus responsestatus",
    ),
    (
        Meaning::Bytes,
        "bodybytessent bytessent bytes size downstreamcontentsize edgeresponsebytes scbytes responsesize",
    ),
    (
        Meaning::Agent,
        "httpuseragent useragent agent requestuseragent clientrequestuseragent",
    ),
    (Meaning::EncodedAgent, "csuseragent"),
    (
        Meaning::WrappedLine,
        "log message msg shortmessage textpayload",
    ),
];

impl Meaning {
    /// Returns the meaning of a name, by its [letters].
    pub(super) fn of(letters: &str) -> Option<Self> {
        let mut all = NAMES.iter();
        let found = all.find(|(_, names)| names.split(' ').any(|name| name == letters));
        found.map(|(meaning, _)| *meaning)
    }

    /// Returns whether it is the addresses that a proxy states.
    pub(super) fn is_forwarded(self) -> bool {
        matches!(self, Self::Forwarded | Self::ForwardedClient)
    }
}

/// Returns the letters and digits of a name, in lower case: `remote_addr` is `RemoteAddr`.
pub(super) fn letters(name: &str) -> String {
    let mut letters = name.to_ascii_lowercase();
    letters.retain(|c| c.is_ascii_alphanumeric());
    letters
}

/// The fields of a line that are read, by their meaning.
#[derive(Debug, Default)]
pub(super) struct Fields<'l>([Option<Cow<'l, [u8]>>; NAMES.len()]);

impl<'l> Fields<'l> {
    /// Sets a field. Of several with the same meaning, the first that is not empty counts.
    pub(super) fn set(&mut self, meaning: Meaning, value: Cow<'l, [u8]>) {
        let is_missing = meaning.is_forwarded() && *value == *b"-";
        if !value.is_empty() && !is_missing {
            self.0[meaning as usize].get_or_insert(value);
        }
    }

    pub(super) fn has(&self, meaning: Meaning) -> bool {
        self.0[meaning as usize].is_some()
    }

    pub(super) fn take(&mut self, meaning: Meaning) -> Option<Cow<'l, [u8]>> {
        self.0[meaning as usize].take()
    }

    /// Returns the request that the fields describe. Fails with `no_time` without a readable time, and with `missing` without a
    /// target, or without both client and agent: then nothing would identify the robot.
    pub(super) fn request(
        mut self,
        format: LogFormat,
        times: &mut TimeReader,
        [no_time, missing]: [BadLine; 2],
    ) -> Result<Request<'l>, BadLine> {
        let time = self.time(times).ok_or(no_time)?;
        let target = self.target().ok_or(missing)?;
        let agent = self.take(Meaning::Agent).and_then(present);
        let encoded = self.take(Meaning::EncodedAgent).and_then(present);
        let agent = agent.or_else(|| encoded.map(|header| header_of_cloudfront(&header)));
        let client = self.take(Meaning::Client);
        let client = client.or_else(|| self.take(Meaning::Connection));
        let forwarded = self.take(Meaning::Forwarded);
        let forwarded = forwarded.or_else(|| self.take(Meaning::ForwardedClient));
        let forwarded = forwarded.map(|header| match memchr::memchr(b'%', &header) {
            Some(_) => header_of_cloudfront(&header),
            None => header,
        });
        if client.is_none() && forwarded.is_none() && agent.is_none() {
            return Err(missing);
        }
        let mut number_of = |meaning| self.take(meaning).and_then(|text| number(&text));
        // CloudFront and others write 0 if they sent no response.
        let status = number_of(Meaning::Status).filter(|status| *status > 0);
        Ok(Request {
            format,
            // As other formats write a missing value.
            client: client.unwrap_or(Cow::Borrowed(b"-")),
            forwarded,
            time,
            target,
            status: status.and_then(|status| u16::try_from(status).ok()),
            bytes: number_of(Meaning::Bytes).unwrap_or_default(),
            host: self.take(Meaning::Host).and_then(present_host),
            agent,
        })
    }

    fn time(&mut self, times: &mut TimeReader) -> Option<Moment> {
        match (self.take(Meaning::Date), self.take(Meaning::Time)) {
            // Date and time of day, unless one of them has both.
            (Some(date), Some(time)) => times
                .read_any(&[&*date, b" ", &*time].concat())
                .or_else(|| times.read_any(&time))
                .or_else(|| times.read_any(&date)),
            (Some(time), None) | (None, Some(time)) => times.read_any(&time),
            (None, None) => times.read_any(&self.take(Meaning::Receipt)?),
        }
    }

    /// Returns the target of the request line; or else the target as it was sent; or else another path, with its query.
    fn target(&mut self) -> Option<Cow<'l, [u8]>> {
        let is_target =
            |line: &[u8]| line.starts_with(b"/") || memchr::memmem::find(line, b"://").is_some();
        let (line, path_of_line) = match self.take(Meaning::Line) {
            // Logstash has the path alone under the key of the line.
            Some(path) if is_target(&path) && !path.contains(&b' ') => (None, Some(path)),
            line => (line.map(target_of), None),
        };
        // The path and its query may be apart; Apache writes the query with its question mark.
        let query = self.take(Meaning::Query).and_then(present);
        let query = query.as_deref();
        let query = query.map(|query| query.strip_prefix(b"?").unwrap_or(query));
        let stem = self.take(Meaning::Stem);
        let stem = stem.map(|stem| path_of_cloudfront(with_query(stem, query)));
        let path = path_of_line.or_else(|| self.take(Meaning::Path));
        let path = path.map(|path| {
            let query = query.filter(|_| !path.contains(&b'?'));
            with_query(path, query)
        });
        // A path that is not certainly what the client sent comes later: it may be the file that the server chose, without
        // the query.
        let sent = line.clone().filter(|target| !target.is_empty());
        let sent = sent.or_else(|| self.take(Meaning::Target));
        // An unreadable request line counts as an empty target if no other key has one.
        sent.or(path).or(stem).or(line)
    }
}

/// Returns a path with its query, if there is one.
fn with_query<'l>(path: Cow<'l, [u8]>, query: Option<&[u8]>) -> Cow<'l, [u8]> {
    match query {
        Some(query) => Cow::Owned([&*path, b"?", query].concat()),
        None => path,
    }
}

/// Returns a header as the client sent it. In older logs of CloudFront it is encoded twice: a `%20` that is left after the
/// first decoding shows this.
fn header_of_cloudfront(header: &[u8]) -> Cow<'static, [u8]> {
    let once: Vec<u8> = percent_decode(header).collect();
    Cow::Owned(match memchr::memmem::find(&once, b"%20") {
        Some(_) => percent_decode(&once).collect(),
        None => once,
    })
}

/// Returns a path as the client sent it: `%25` before two hexadecimal digits was encoded twice, and becomes `%`. Other
/// escapes stay, as the log does not show whether the client sent them.
pub(super) fn path_of_cloudfront(path: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let Some(first) = memchr::memmem::find(&path, b"%25") else {
        return path;
    };
    let mut plain = path[..first].to_vec();
    let mut rest = &path[first..];
    while let Some((&byte, after)) = rest.split_first() {
        plain.push(byte);
        let is_doubled = byte == b'%'
            && after.starts_with(b"25")
            && after
                .get(2..4)
                .is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        rest = if is_doubled { &after[2..] } else { after };
    }
    Cow::Owned(plain)
}
