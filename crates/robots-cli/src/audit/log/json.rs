//! Logs with a JSON object on each line.
//!
//! There is no standard format. The reader knows the usual keys for the variables of nginx and Apache, and the keys of
//! Caddy, Traefik, Cloudflare, CloudFront, Google Cloud and the Elastic Common Schema. Only the letters and digits of a key
//! count: `remote_addr` is `RemoteAddr`. If several keys have the same meaning, the first applies; `remote_ip` applies if there is no
//! other client, as it may be that of a proxy (Caddy). The target of a request is that of its request line; or else the target as it was
//! sent; or else another path, with its query.
//!
//! Servers also write `\xNN`, which JSON does not have, and bytes that are not UTF-8. A line with either is rewritten first
//! ([`with_stand_ins`]).

use super::stand_ins::{restored, with_stand_ins};
use super::time::TimeReader;
use super::w3c::{header_of_cloudfront, path_of_cloudfront, with_query};
use super::{BadLine, LogFormat, Moment, Request, present, present_host, target_of};
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::net::SocketAddr;

/// The maximum length of a key, in letters and digits; the rest is ignored.
const MAX_KEY_LENGTH: usize = 32;

/// The maximum depth of objects within objects that are read. An object is parsed once for itself and once for each
/// object around it, so the limit keeps the time linear in the line.
const MAX_DEPTH: usize = 4;

/// Reads a line with a JSON object.
pub(super) fn read<'l>(line: &'l [u8], times: &mut TimeReader) -> Result<Request<'l>, BadLine> {
    read_json(line, times).or_else(|bad_line| {
        let line = with_stand_ins(line).ok_or(bad_line)?;
        Ok(restored(read_json(line.as_bytes(), times)?))
    })
}

fn read_json<'l>(line: &'l [u8], times: &mut TimeReader) -> Result<Request<'l>, BadLine> {
    let mut fields = Fields::default();
    let mut json = serde_json::Deserializer::from_slice(line);
    let object = Object {
        fields: &mut fields,
        within: Key::new(""),
        depth: 0,
    };
    object
        .deserialize(&mut json)
        .map_err(|_| BadLine::NotJson)?;
    json.end().map_err(|_| BadLine::NotJson)?;
    fields.request(times).ok_or(BadLine::JsonMissingField)
}

/// The meaning of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Client,
    /// The address of the connection, which may be that of a proxy.
    Connection,
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
}

/// A key: its letters and digits, in lower case.
#[derive(Debug, Clone, Copy)]
struct Key {
    bytes: [u8; MAX_KEY_LENGTH],
    length: usize,
}

impl Key {
    fn new(key: &str) -> Self {
        let mut bytes = [0; MAX_KEY_LENGTH];
        let mut length = 0;
        let plain = key.bytes().filter(u8::is_ascii_alphanumeric);
        for (slot, byte) in bytes.iter_mut().zip(plain) {
            *slot = byte.to_ascii_lowercase();
            length = usize::saturating_add(length, 1);
        }
        Self { bytes, length }
    }

    fn text(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// Returns the meaning of the key in an object that is the value of the key `within`.
    fn meaning(&self, within: &Self) -> Option<Meaning> {
        let special = match (within.text(), self.text()) {
            (b"headers", b"useragent") | (b"useragent", b"original") => Some(Meaning::Agent),
            (b"headers", b"host") | (b"url", b"domain") => Some(Meaning::Host),
            // No other header is read, nor the size of what the client sent, nor what a server has written of a body, which may be
            // anything.
            (b"headers", _) | (b"source" | b"client" | b"request", b"bytes" | b"size") => {
                return None;
            }
            (b"body", key) => return (key == b"bytes").then_some(Meaning::Bytes),
            (b"source" | b"client", b"address") => Some(Meaning::Client),
            (b"url", b"original" | b"full") => Some(Meaning::Target),
            _ => None,
        };
        special.or_else(|| self.general_meaning())
    }

    /// Returns the meaning of the key in any object.
    fn general_meaning(&self) -> Option<Meaning> {
        Some(match self.text() {
            b"remoteaddr" | b"remotehost" | b"clientip" | b"clienthost" | b"clientaddr"
            | b"client" | b"ip" | b"realip" | b"cip" => Meaning::Client,
            b"remoteip" => Meaning::Connection,
            b"time"
            | b"timelocal"
            | b"timeiso8601"
            | b"timestamp"
            | b"ts"
            | b"msec"
            | b"timestampms"
            | b"datetime"
            | b"startutc"
            | b"edgestarttimestamp" => Meaning::Time,
            b"receivetimestamp" => Meaning::Receipt,
            b"date" => Meaning::Date,
            b"csuristem" => Meaning::Stem,
            b"csuriquery" | b"query" | b"querystring" | b"args" => Meaning::Query,
            b"csuseragent" => Meaning::EncodedAgent,
            b"host" | b"httphost" | b"servername" | b"vhost" | b"virtualhost" | b"requesthost"
            | b"clientrequesthost" | b"authority" | b"xhostheader" => Meaning::Host,
            b"request" | b"requestline" => Meaning::Line,
            b"requesturi" | b"requesturl" | b"clientrequesturi" => Meaning::Target,
            b"uri" | b"requestpath" | b"path" | b"url" => Meaning::Path,
            b"status"
            | b"statuscode"
            | b"downstreamstatus"
            | b"edgeresponsestatus"
            | b"scstatus"
            | b"responsestatus" => Meaning::Status,
            b"bodybytessent"
            | b"bytessent"
            | b"bytes"
            | b"size"
            | b"downstreamcontentsize"
            | b"edgeresponsebytes"
            | b"scbytes"
            | b"responsesize" => Meaning::Bytes,
            b"httpuseragent"
            | b"useragent"
            | b"agent"
            | b"requestuseragent"
            | b"clientrequestuseragent" => Meaning::Agent,
            _ => return None,
        })
    }

    /// Returns whether the value of this key, in an object that is the value of the key `within`, is an object whose fields are read.
    fn has_known_fields(&self, within: &Self) -> bool {
        match self.text() {
            b"request" | b"response" | b"headers" | b"httprequest" | b"http" | b"useragent"
            | b"url" | b"source" | b"client" => true,
            b"body" => within.text() == b"response",
            _ => false,
        }
    }
}

/// The fields of an object that are read.
#[derive(Debug, Default)]
struct Fields<'l> {
    client: Option<Cow<'l, str>>,
    connection: Option<Cow<'l, str>>,
    date: Option<Cow<'l, str>>,
    time: Option<Time<'l>>,
    receipt: Option<Time<'l>>,
    host: Option<Cow<'l, str>>,
    line: Option<Cow<'l, str>>,
    target: Option<Cow<'l, str>>,
    path: Option<Cow<'l, str>>,
    stem: Option<Cow<'l, str>>,
    query: Option<Cow<'l, str>>,
    status: Option<u16>,
    bytes: Option<u64>,
    agent: Option<Cow<'l, str>>,
    encoded_agent: Option<Cow<'l, str>>,
}

#[derive(Debug)]
enum Time<'l> {
    Text(Cow<'l, str>),
    Number(f64),
}

impl<'l> Fields<'l> {
    fn set_text(&mut self, meaning: Meaning, text: Cow<'l, str>) {
        let field = match meaning {
            Meaning::Client => &mut self.client,
            Meaning::Connection => &mut self.connection,
            Meaning::Host => &mut self.host,
            Meaning::Line => &mut self.line,
            Meaning::Target => &mut self.target,
            Meaning::Path => &mut self.path,
            Meaning::Stem => &mut self.stem,
            Meaning::Query => &mut self.query,
            Meaning::Date => &mut self.date,
            Meaning::EncodedAgent => &mut self.encoded_agent,
            Meaning::Agent => &mut self.agent,
            Meaning::Time => {
                self.time.get_or_insert(Time::Text(text));
                return;
            }
            Meaning::Receipt => {
                self.receipt.get_or_insert(Time::Text(text));
                return;
            }
            // nginx writes numbers in quotes.
            Meaning::Status => {
                self.status = self.status.or_else(|| text.parse().ok());
                return;
            }
            Meaning::Bytes => {
                self.bytes = self.bytes.or_else(|| text.parse().ok());
                return;
            }
        };
        // An empty value does not count: a later key with the same meaning may have one.
        if !text.is_empty() {
            field.get_or_insert(text);
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "no log has a number out of range, and a wrong one only appears in a report"
    )]
    fn set_number(&mut self, meaning: Meaning, number: f64) {
        match meaning {
            // A number has date and time, even under the key of a date.
            Meaning::Time | Meaning::Date => {
                self.time.get_or_insert(Time::Number(number));
            }
            Meaning::Receipt => {
                self.receipt.get_or_insert(Time::Number(number));
            }
            Meaning::Status => {
                self.status.get_or_insert(number as u16);
            }
            Meaning::Bytes => {
                self.bytes.get_or_insert(number as u64);
            }
            _ => {}
        }
    }

    /// Returns the request that the fields describe; `None` without a readable time, a target, or a client or agent.
    fn request(self, times: &mut TimeReader) -> Option<Request<'l>> {
        let is_timed = self.date.is_some() || self.time.is_some();
        let time = self.time.or(self.receipt.filter(|_| !is_timed));
        let time = match (self.date, time) {
            (_, Some(Time::Number(number))) => Moment::of_number(number)?,
            (date, Some(Time::Text(text))) => times.read_any(text.as_bytes()).or_else(|| {
                // CloudFront writes the date and the time of day apart.
                times.read_any([&*date?, &*text].join(" ").as_bytes())
            })?,
            (Some(date), None) => times.read_any(date.as_bytes())?,
            (None, None) => return None,
        };
        let is_target = |line: &str| line.starts_with('/') || line.contains("://");
        let (line, path_of_line) = match self.line {
            // Logstash has the path alone under the key of the line.
            Some(path) if is_target(&path) && !path.contains(' ') => (None, Some(path)),
            line => (line, None),
        };
        let line = line.map(|line| match line {
            Cow::Borrowed(line) => Cow::Borrowed(target_of(line.as_bytes())),
            Cow::Owned(line) => Cow::Owned(target_of(line.as_bytes()).to_vec()),
        });
        let is_read = |target: &Cow<'_, [u8]>| !target.is_empty();
        // CloudFront writes the path and its query apart, and so does Apache if it is asked to; Apache with the question mark.
        let query = self.query.map(bytes).and_then(present);
        let query = query.as_deref();
        let query = query.map(|query| query.strip_prefix(b"?").unwrap_or(query));
        let stem = self
            .stem
            .map(|stem| path_of_cloudfront(with_query(bytes(stem), query)));
        let path = path_of_line.or(self.path).map(bytes).map(|path| {
            let query = query.filter(|_| !path.contains(&b'?'));
            with_query(path, query)
        });
        // A path that is not certainly what the client sent comes later: it may be the file that the server chose, without
        // the query.
        let sent = line.clone().filter(is_read).or(self.target.map(bytes));
        // An unreadable request line counts as an empty target if no other key has one.
        let target = sent.or(path).or(stem).or(line)?;
        let agent = self.agent.map(bytes).and_then(present).or_else(|| {
            let agent = bytes(self.encoded_agent?);
            present(agent).map(header_of_cloudfront)
        });
        let client = self.client.or(self.connection);
        let client = client.map(|client| bytes(without_port(client)));
        // Nothing would identify the robot.
        if client.is_none() && agent.is_none() {
            return None;
        }
        Some(Request {
            format: LogFormat::Json,
            // As other formats write a missing value.
            client: client.unwrap_or(Cow::Borrowed(b"-")),
            time,
            host: self.host.map(bytes).and_then(present_host),
            target,
            // Some servers write 0 if they sent no response.
            status: self.status.filter(|status| *status > 0),
            bytes: self.bytes.unwrap_or_default(),
            agent,
        })
    }
}

fn bytes(text: Cow<'_, str>) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

/// Returns an address without its port, if it has one.
fn without_port(client: Cow<'_, str>) -> Cow<'_, str> {
    if !client.contains(':') {
        return client;
    }
    match client.parse::<SocketAddr>() {
        Ok(address) => Cow::Owned(address.ip().to_string()),
        Err(_) => client,
    }
}

/// A JSON object whose fields are read.
struct Object<'s, 'l> {
    fields: &'s mut Fields<'l>,
    /// The key whose value the object is; empty for the whole line.
    within: Key,
    /// The number of objects around it.
    depth: usize,
}

impl<'l> Object<'_, 'l> {
    fn read_field(&mut self, key: Key, value: &'l RawValue) {
        let text = value.get();
        let meaning = key.meaning(&self.within);
        match (text.as_bytes().first(), meaning) {
            (Some(b'{'), _) if key.has_known_fields(&self.within) && self.depth < MAX_DEPTH => {
                let object = Object {
                    fields: &mut *self.fields,
                    within: key,
                    depth: self.depth.saturating_add(1),
                };
                // It is valid JSON: it was parsed before.
                let _ = object.deserialize(&mut serde_json::Deserializer::from_str(text));
            }
            // Caddy writes a list for each header, of which the first value counts.
            (Some(b'['), Some(meaning)) => {
                if let Ok([first, ..]) = serde_json::from_str::<Vec<&RawValue>>(text).as_deref() {
                    self.read_value(meaning, first.get());
                }
            }
            (_, Some(meaning)) => self.read_value(meaning, text),
            (_, None) => {}
        }
    }

    fn read_value(&mut self, meaning: Meaning, json: &'l str) {
        if let Some(text) = string(json) {
            self.fields.set_text(meaning, text);
        } else if let Ok(number) = json.parse() {
            self.fields.set_number(meaning, number);
        }
    }
}

/// Returns the text of a JSON string; `None` for another value.
fn string(json: &str) -> Option<Cow<'_, str>> {
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        return serde_json::from_str(json).ok().map(Cow::Owned);
    }
    Some(Cow::Borrowed(inner))
}

impl<'l> DeserializeSeed<'l> for Object<'_, 'l> {
    type Value = ();

    fn deserialize<D: Deserializer<'l>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'l> Visitor<'l> for Object<'_, 'l> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'l>>(mut self, mut map: M) -> Result<(), M::Error> {
        while let Some(key) = map.next_key::<Key>()? {
            if key.meaning(&self.within).is_some() || key.has_known_fields(&self.within) {
                self.read_field(key, map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

impl<'l> Deserialize<'l> for Key {
    fn deserialize<D: Deserializer<'l>>(from: D) -> Result<Self, D::Error> {
        /// A visitor that does not keep the text.
        struct AsKey;
        impl Visitor<'_> for AsKey {
            type Value = Key;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }
            fn visit_str<E: Error>(self, key: &str) -> Result<Key, E> {
                Ok(Key::new(key))
            }
        }
        from.deserialize_str(AsKey)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<Request<'_>, BadLine> {
        read(line.as_bytes(), &mut TimeReader::default())
    }

    #[test]
    fn the_forms_of_many_servers_are_read() {
        let nginx = r#"{"time_local":"20/Nov/2026:14:15:36 +0000","remote_addr":"66.249.66.1","request":"GET /a HTTP/1.1","status":"200","body_bytes_sent":"12","http_user_agent":"Googlebot/2.1","host":"example.com","request_time":"0.5"}"#;
        let caddy = r#"{"level":"info","ts":1795184136.25,"request":{"remote_ip":"66.249.66.1","remote_port":"4","proto":"HTTP/2.0","method":"GET","host":"example.com","uri":"/a","headers":{"Accept":["*/*"],"User-Agent":["Googlebot/2.1"]}},"bytes_read":0,"duration":0.01,"size":12,"status":200}"#;
        let traefik = r#"{"ClientAddr":"66.249.66.1:4711","ClientHost":"66.249.66.1","DownstreamContentSize":12,"DownstreamStatus":200,"RequestHost":"example.com","RequestPath":"/a","StartUTC":"2026-11-20T14:15:36.25Z","request_User-Agent":"Googlebot/2.1"}"#;
        let cloudflare = r#"{"ClientIP":"66.249.66.1","ClientRequestHost":"example.com","ClientRequestURI":"/a","ClientRequestUserAgent":"Googlebot/2.1","EdgeResponseBytes":12,"EdgeResponseStatus":200,"EdgeStartTimestamp":1795184136250000000}"#;
        let elastic = r#"{"@timestamp":"2026-11-20T14:15:36.250Z","source":{"ip":"66.249.66.1"},"url":{"path":"/a","domain":"example.com"},"http":{"request":{"method":"GET","bytes":184},"response":{"status_code":200,"body":{"bytes":12}}},"user_agent":{"original":"Googlebot/2.1"}}"#;
        let cloudfront = r#"{"date":"2026-11-20","time":"14:15:36","sc-bytes":"12","c-ip":"66.249.66.1","cs-method":"GET","cs(Host)":"d1.cloudfront.net","cs-uri-stem":"/a","sc-status":"200","cs(Referer)":"-","cs(User-Agent)":"Googlebot/2.1","cs-uri-query":"-","x-host-header":"example.com"}"#;
        for line in [nginx, caddy, traefik, cloudflare, elastic, cloudfront] {
            let request = of(line).unwrap();
            assert_eq!(&*request.client, b"66.249.66.1", "{line}");
            assert_eq!(request.host.as_deref(), Some(&b"example.com"[..]), "{line}");
            assert_eq!(&*request.target, b"/a", "{line}");
            assert_eq!((request.status, request.bytes), (Some(200), 12), "{line}");
            assert_eq!(
                request.agent.as_deref(),
                Some(&b"Googlebot/2.1"[..]),
                "{line}"
            );
            let time = request.time.milliseconds;
            assert_eq!(time - time % 1_000, 1_795_184_136_000, "{line}");
        }
    }

    #[test]
    fn a_query_apart_belongs_to_the_path() {
        for (fields, target) in [
            (r#""requestPath":"/a","query":"?b=c""#, "/a?b=c"),
            (r#""query":"?b=c","requestPath":"/a""#, "/a?b=c"),
            (r#""uri":"/a","args":"b=c""#, "/a?b=c"),
            (r#""uri":"/a","query_string":"""#, "/a"),
            (r#""uri":"/a","args":"-""#, "/a"),
            (r#""url":{"path":"/a","query":"b"}"#, "/a?b"),
            (r#""path":"/a?b","query":"b""#, "/a?b"),
            (r#""request":"/a?b","uri":"/x""#, "/a?b"),
            (r#""request":"/a","args":"b","uri":"/x""#, "/a?b"),
            (
                r#""request":"http://example.com/a","uri":"/x""#,
                "http://example.com/a",
            ),
            (
                r#""response":{"body":{"path":"/forged","bytes":1}},"uri":"/x""#,
                "/x",
            ),
            (r#""request":"no request line","uri":"/x""#, "/x"),
            (r#""request":"no request line""#, ""),
            (
                r#""request":"GET /a?b HTTP/1.1","uri":"/x","args":"b""#,
                "/a?b",
            ),
        ] {
            let line = format!(r#"{{"ts":1795184136,"ip":"::1",{fields}}}"#);
            let request = of(&line).unwrap();
            assert_eq!(String::from_utf8_lossy(&request.target), target, "{line}");
        }
    }

    #[test]
    fn the_time_of_receipt_is_that_of_no_request() {
        let receipt = r#""receiveTimestamp":"2026-11-20T14:16:00Z""#;
        for (fields, seconds) in [
            (
                format!(r#"{receipt},"timestamp":"2026-11-20T14:15:30Z""#),
                30,
            ),
            (
                format!(r#""timestamp":"2026-11-20T14:15:30Z",{receipt}"#),
                30,
            ),
            (receipt.to_owned(), 60),
        ] {
            let line = format!(r#"{{{fields},"remoteIp":"192.0.2.1","url":"/"}}"#);
            let request = of(&line).unwrap();
            let start = 1_795_184_100_000;
            assert_eq!(request.time.milliseconds, start + seconds * 1_000, "{line}");
        }
    }

    #[test]
    fn bytes_that_json_does_not_have_are_read() {
        let line = |target: &[u8], agent: &[u8]| {
            let start = br#"{"ts":1795184136,"ip":"::1","request":"GET "#;
            [start, target, br#" HTTP/1.1","agent":""#, agent, br#""}"#].concat()
        };
        let cases: [[&[u8]; 4]; 4] = [
            [b"/a", b"/a", b"caf\xE9 \\x22q\\x22", b"caf\xE9 \"q\""],
            [b"/\\xE9", b"/\xE9", b"caf\xE9 \\\"", b"caf\xE9 \""],
            [b"/\xC3\xA9\\\\x41", b"/\xC3\xA9\\x41", b"\\xe9", b"\xE9"],
            [b"/\xFF", b"/\xFF", b"x", b"x"],
        ];
        for [target, expected_target, agent, expected_agent] in cases {
            let line = line(target, agent);
            let request = read(&line, &mut TimeReader::default()).unwrap();
            assert_eq!(&*request.target, expected_target);
            assert_eq!(request.agent.as_deref(), Some(expected_agent));
        }
        for agent in [&b"\\xZZ\xE9"[..], b"\\x4", b"\xE9\\"] {
            let line = line(b"/", agent);
            let found = read(&line, &mut TimeReader::default());
            assert_eq!(found, Err(BadLine::NotJson));
        }
    }

    #[test]
    fn the_client_of_a_proxy_comes_before_its_connection() {
        for line in [
            r#"{"ts":1795184136,"request":{"remote_ip":"192.0.2.1","client_ip":"198.51.100.7","uri":"/"}}"#,
            r#"{"ts":1795184136,"request":{"client_ip":"198.51.100.7","remote_ip":"192.0.2.1","uri":"/"}}"#,
            r#"{"ts":1795184136,"remoteIP":"198.51.100.7","uri":"/"}"#,
        ] {
            assert_eq!(&*of(line).unwrap().client, b"198.51.100.7", "{line}");
        }
    }

    #[test]
    fn cloudfront_escapes_values_and_may_omit_fields() {
        let line = r#"{"timestamp(ms)":1795184136250,"cs-uri-stem":"/a%2520b","cs-uri-query":"c=d","cs(User-Agent)":"Mozilla/5.0%2520(x;%2520GPTBot/1.2)"}"#;
        let request = of(line).unwrap();
        assert_eq!(request.time.milliseconds, 1_795_184_136_250);
        assert_eq!(&*request.target, b"/a%20b?c=d");
        assert_eq!((&*request.client, request.host), (&b"-"[..], None));
        let agent = request.agent.as_deref();
        assert_eq!(agent, Some(&b"Mozilla/5.0 (x; GPTBot/1.2)"[..]));
        let unnamed = r#"{"time":"1795184136","cs-uri-stem":"/","cs(User-Agent)":"-"}"#;
        assert_eq!(of(unnamed), Err(BadLine::JsonMissingField));
        let date = r#"{"date":"2026-11-20T14:15:36Z","ip":"::1","uri":"/"}"#;
        assert_eq!(of(date).unwrap().time.milliseconds, 1_795_184_136_000);
    }

    #[test]
    fn escapes_are_read_and_unexpected_values_ignored() {
        let line = r#" {"time":"1795184136","ip":"::1","uri":"\/a b","agent":null,"status":[],"bytes":{"x":1},"more":[[[{"uri":"/no"}]]]}"#;
        let request = of(line).unwrap();
        assert_eq!(&*request.target, b"/a b");
        assert_eq!(
            (request.status, request.bytes, request.agent),
            (None, 0, None)
        );
        for (line, bad_line) in [
            ("{", BadLine::NotJson),
            ("{}", BadLine::JsonMissingField),
            ("{} x", BadLine::NotJson),
            (
                r#"{"time":"then","ip":"::1","uri":"/"}"#,
                BadLine::JsonMissingField,
            ),
            (
                r#"{"time":"1795184136","ip":"::1"}"#,
                BadLine::JsonMissingField,
            ),
        ] {
            assert_eq!(of(line), Err(bad_line), "{line}");
        }
        let rewritten = r#"{"ts":1795184136,"ip":"::1","uri":"/index.php","request":"GET /nice?a HTTP/1.1","headers":{"Agent":["no"],"Status":["500"],"User-Agent":["yes"]}}"#;
        let request = of(rewritten).unwrap();
        assert_eq!(&*request.target, b"/nice?a");
        assert_eq!(
            (request.agent.as_deref(), request.status),
            (Some(&b"yes"[..]), None)
        );
        let deep = "{\"request\":".repeat(1_000) + "1" + &"}".repeat(1_000);
        // Deep objects are ignored, without a call for each level.
        assert_eq!(of(&deep), Err(BadLine::JsonMissingField));
    }
}
