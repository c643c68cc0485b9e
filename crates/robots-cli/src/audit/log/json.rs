//! Logs with a JSON object on each line.
//!
//! There is no standard format: the reader knows the usual keys ([`Meaning`]), in the object and in some objects within it.
//!
//! Servers also write `\xNN`, which JSON does not have, and bytes that are not UTF-8. A line with either is rewritten first
//! ([`with_stand_ins`]).

use super::fields::{Fields, Meaning, letters};
use super::stand_ins::{restored, with_stand_ins};
use super::time::TimeReader;
use super::{BadLine, LogFormat, Request, number, read_record};
use serde::Deserializer;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// The maximum depth of objects within objects that are read. An object is parsed once for itself and once for each
/// object around it, so the limit keeps the time linear in the line.
const MAX_DEPTH: usize = 4;

/// Reads a line with a JSON object. With `may_wrap`, an object that is not about a request may have a line of a log as a value.
pub(super) fn read<'l>(
    line: &'l [u8],
    times: &mut TimeReader,
    may_wrap: bool,
) -> Result<Request<'l>, BadLine> {
    read_json(line, times, may_wrap).or_else(|bad_line| {
        let line = with_stand_ins(line).ok_or(bad_line)?;
        Ok(restored(read_json(line.as_bytes(), times, may_wrap)?))
    })
}

fn read_json<'l>(
    line: &'l [u8],
    times: &mut TimeReader,
    may_wrap: bool,
) -> Result<Request<'l>, BadLine> {
    let mut fields = Fields::default();
    let mut json = serde_json::Deserializer::from_slice(line);
    let object = Object {
        fields: &mut fields,
        within: "",
        depth: 0,
    };
    let read = object.deserialize(&mut json).and_then(|()| json.end());
    read.map_err(|_| BadLine::NotJson)?;
    let wrapped = fields.take(Meaning::WrappedLine).filter(|_| may_wrap);
    let request = fields.request(LogFormat::Json, times, [BadLine::JsonMissingField; 2]);
    request.or_else(|bad_line| {
        // Once alone, so that the time stays linear in the line.
        let may_wrap = false;
        let line = wrapped.ok_or(bad_line)?;
        let request = read_record(&line, times, may_wrap).map_err(|_| bad_line)?;
        Ok(request.map(|text| Cow::Owned(text.into_owned())))
    })
}

/// Returns the meaning of a key in an object that is the value of the key `within`.
fn meaning(within: &str, key: &str) -> Option<Meaning> {
    match (within, key) {
        ("headers", "useragent") | ("useragent", "original") => Some(Meaning::Agent),
        ("headers", "host") | ("url", "domain") => Some(Meaning::Host),
        ("source" | "client", "address") => Some(Meaning::Client),
        ("url", "original" | "full") => Some(Meaning::Target),
        ("body", "bytes") => Some(Meaning::Bytes),
        ("headers", _) => Meaning::of(key).filter(|meaning| meaning.is_forwarded()),
        // Neither the size of what the client sent is read, nor what a server has written of a body, which may be anything.
        ("body", _) | ("source" | "client" | "request", "bytes" | "size") => None,
        _ => Meaning::of(key),
    }
}

/// Returns whether the value of a key, in an object that is the value of the key `within`, is an object whose fields are read.
fn has_known_fields(within: &str, key: &str) -> bool {
    match key {
        "request" | "response" | "headers" | "httprequest" | "http" | "useragent" | "url"
        | "source" | "client" => true,
        "body" => within == "response",
        _ => false,
    }
}

/// A JSON object whose fields are read.
struct Object<'s, 'l> {
    fields: &'s mut Fields<'l>,
    /// The key whose value the object is; empty for the whole line.
    within: &'s str,
    /// The number of objects around it.
    depth: usize,
}

impl<'l> Object<'_, 'l> {
    fn read_field(&mut self, key: &str, value: &'l RawValue) {
        let text = value.get();
        let meaning = meaning(self.within, key);
        match (text.as_bytes().first(), meaning) {
            (Some(b'{'), _) if has_known_fields(self.within, key) && self.depth < MAX_DEPTH => {
                let object = Object {
                    fields: &mut *self.fields,
                    within: key,
                    depth: self.depth + 1,
                };
                // It is valid JSON: it was parsed before.
                let _ = object.deserialize(&mut serde_json::Deserializer::from_str(text));
            }
            // Caddy writes a list for each header, of which the first value counts, or all that proxies have added.
            (Some(b'['), Some(meaning)) => {
                let values: Vec<&RawValue> = serde_json::from_str(text).unwrap_or_default();
                if meaning.is_forwarded() {
                    let values = values.iter().filter_map(|value| string(value.get()));
                    let values: Vec<_> = values.collect();
                    self.fields.set(meaning, values.join(&b","[..]).into());
                } else if let [first, ..] = &*values {
                    self.read_value(meaning, first.get());
                }
            }
            (_, Some(meaning)) => self.read_value(meaning, text),
            (_, None) => {}
        }
    }

    fn read_value(&mut self, meaning: Meaning, json: &'l str) {
        let is_number = matches!(meaning, Meaning::Status | Meaning::Bytes);
        let is_time = matches!(meaning, Meaning::Date | Meaning::Time | Meaning::Receipt);
        let value = match (string(json), json.parse::<f64>()) {
            // nginx writes numbers in quotes.
            (Some(text), _) if is_number && number(&text).is_none() => None,
            (Some(text), _) => Some(text),
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "no log has a number out of range, and a wrong one only appears in a report"
            )]
            (None, Ok(number)) if is_number => {
                Some(Cow::Owned((number as u64).to_string().into_bytes()))
            }
            (None, Ok(_)) if is_time => Some(Cow::Borrowed(json.as_bytes())),
            _ => None,
        };
        if let Some(value) = value {
            self.fields.set(meaning, value);
        }
    }
}

/// Returns the text of a JSON string; `None` for another value.
fn string(json: &str) -> Option<Cow<'_, [u8]>> {
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        let text: String = serde_json::from_str(json).ok()?;
        return Some(Cow::Owned(text.into_bytes()));
    }
    Some(Cow::Borrowed(inner.as_bytes()))
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
        while let Some(key) = map.next_key::<String>()? {
            let key = letters(&key);
            if meaning(self.within, &key).is_some() || has_known_fields(self.within, &key) {
                self.read_field(&key, map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;
    use robots_answers::forwarded::stated_address;

    fn of(line: &str) -> Result<Request<'_>, BadLine> {
        read(line.as_bytes(), &mut TimeReader::default(), true)
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
            let client = stated_address(&request.client).map(|address| address.to_string());
            assert_eq!(client.as_deref(), Some("66.249.66.1"), "{line}");
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
            let request = read(&line, &mut TimeReader::default(), true).unwrap();
            assert_eq!(&*request.target, expected_target);
            assert_eq!(request.agent.as_deref(), Some(expected_agent));
        }
        for agent in [&b"\\xZZ\xE9"[..], b"\\x4", b"\xE9\\"] {
            let line = line(b"/", agent);
            let found = read(&line, &mut TimeReader::default(), true);
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
    fn forwarded_addresses_have_many_names() {
        for (fields, forwarded) in [
            (r#""http_x_forwarded_for":"a, b""#, "a, b"),
            (r#""x_forwarded_for":"a""#, "a"),
            (r#""X-Forwarded-For":"a""#, "a"),
            (r#""forwarded_for":"a""#, "a"),
            (r#""request_X-Forwarded-For":"a""#, "a"),
            (r#""Forwarded":"for=\"a\"""#, r#"for="a""#),
            (
                r#""request":{"headers":{"X-Forwarded-For":["a, b","c"]}}"#,
                "a, b,c",
            ),
            (r#""headers":{"x-forwarded-for":"a","Cookie":"b"}"#, "a"),
            (r#""x_real_ip":"a","x_forwarded_for":"b, c""#, "b, c"),
            (r#""x_forwarded_for":"-","http_cf_connecting_ip":"a""#, "a"),
            (r#""x-forwarded-for":"a,%20b""#, "a, b"),
        ] {
            let line =
                format!(r#"{{"ts":1795184136,"remote_addr":"10.0.0.1","uri":"/",{fields}}}"#);
            let request = of(&line).unwrap();
            let found = request.forwarded.as_deref();
            assert_eq!(found, Some(forwarded.as_bytes()), "{line}");
            assert_eq!(&*request.client, b"10.0.0.1");
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
