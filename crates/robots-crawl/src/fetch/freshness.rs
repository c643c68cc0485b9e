//! Headers about time: the freshness of a response (RFC 9111), and the time of the next request (`Retry-After`).
//!
//! The crate `http-cache-semantics` applies the rules. This module adapts it in three ways:
//!
//! * It reads directives in lower case only, and dates in one of the three forms of HTTP. So both are converted first.
//! * It would guess a time from `Last-Modified`. Here, a time that the headers do not state is not guessed.
//! * It caches few statuses, and no response with cookies. Neither matters to a robots.txt, so the status and cookies are
//!   not passed on.

use http::header::{
    AGE, AsHeaderName, CACHE_CONTROL, DATE, EXPIRES, HeaderMap, HeaderName, HeaderValue, PRAGMA,
    RETRY_AFTER, VARY,
};
use http_cache_semantics::{CacheOptions, CachePolicy};
use std::borrow::Cow;
use std::time::{Duration, SystemTime};

/// The maximum time for which `Retry-After` is obeyed: 7 days. A longer one counts as 7 days.
pub const MAX_RETRY_AFTER: Duration = Duration::from_secs(7 * 24 * 3600);

/// Returns the time for which a response that arrived at `at` may be kept, if its headers state it: the
/// rest of `s-maxage`, `max-age` or `Expires` after `Age`. It is zero if they forbid to keep the response, or to use it
/// without a request.
///
/// All requests of a robot share the response, so `s-maxage` applies, unless the response is `private`. Others do not share it,
/// so `private` does not forbid to keep it.
pub(super) fn fresh_for(headers: &HeaderMap, at: SystemTime) -> Option<Duration> {
    let control = joined(headers, CACHE_CONTROL).to_ascii_lowercase();
    let control = with_readable_times(&control);
    let has_directive = |name| {
        control.split(',').any(|part| {
            part.split('=')
                .next()
                .is_some_and(|part| part.trim() == name)
        })
    };
    let has_time =
        has_directive("max-age") || has_directive("s-maxage") || headers.contains_key(EXPIRES);
    let is_forbidden = has_directive("no-store")
        || has_directive("no-cache")
        || (control.is_empty() && joined(headers, PRAGMA).contains("no-cache"));
    if !has_time && !is_forbidden {
        return None;
    }

    let mut response = http::Response::new(());
    let passed_on = response.headers_mut();
    if !control.is_empty() {
        passed_on.extend(HeaderValue::from_str(&control).map(|value| (CACHE_CONTROL, value)));
    }
    for name in [PRAGMA, VARY] {
        passed_on.extend(headers.get(&name).map(|value| (name, value.clone())));
    }
    passed_on.extend(headers.get(AGE).map(|age| (AGE, readable_age(age))));
    for name in [DATE, EXPIRES] {
        passed_on.extend(date(headers, &name).map(|value| (name, value)));
    }
    let options = CacheOptions {
        shared: !has_directive("private"),
        cache_heuristic: 0.0,
        immutable_min_time_to_live: Duration::ZERO,
        ignore_cargo_cult: false,
    };
    let policy = CachePolicy::new_options(&http::Request::new(()), &response, at, options);
    Some(policy.time_to_live(at))
}

/// The seconds of a time that does not fit 64 bits (RFC 9111, section 1.2.2). The crate takes such a time for an error.
const TOO_LARGE: u64 = 1 << 31;

/// Returns whether a text is a number that does not fit 64 bits.
fn is_too_large(text: &str) -> bool {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number && text.parse::<u64>().is_err()
}

/// Returns an `Age` that the crate can read.
fn readable_age(age: &HeaderValue) -> HeaderValue {
    let text = age.to_str().unwrap_or_default();
    if is_too_large(text.trim()) {
        HeaderValue::from(TOO_LARGE)
    } else {
        age.clone()
    }
}

/// Returns the directives of a `Cache-Control` with times that the crate can read.
fn with_readable_times(control: &str) -> Cow<'_, str> {
    let has_large_time = |part: &str| {
        let value = part.split_once('=').map(|(_, value)| value);
        value.is_some_and(|value| is_too_large(value.trim().trim_matches('"')))
    };
    if !control.split(',').any(has_large_time) {
        return control.into();
    }
    let parts = control.split(',').map(|part| match part.split_once('=') {
        Some((name, _)) if has_large_time(part) => format!("{name}={TOO_LARGE}"),
        _ => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join(",").into()
}

/// Returns the pause that the server asks for, from the time of the response.
pub(super) fn retry_after(headers: &HeaderMap, at: SystemTime) -> Option<Duration> {
    let value = text(headers, RETRY_AFTER)?.trim();
    let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    let wait = if is_number {
        // Digits that do not fit are a large number.
        value.parse().map_or(MAX_RETRY_AFTER, Duration::from_secs)
    } else {
        let time = httpdate::parse_http_date(value).ok()?;
        // A date is read by the server's clock, if the response states its time.
        let now = text(headers, DATE).and_then(|date| httpdate::parse_http_date(date).ok());
        time.duration_since(now.unwrap_or(at)).unwrap_or_default()
    };
    Some(wait.min(MAX_RETRY_AFTER))
}

/// Returns a date header in the preferred form of HTTP. An invalid date is returned unchanged: it counts as
/// past.
fn date(headers: &HeaderMap, name: &HeaderName) -> Option<HeaderValue> {
    let value = headers.get(name)?;
    let time = value
        .to_str()
        .ok()
        .and_then(|text| httpdate::parse_http_date(text).ok());
    let date = time.and_then(|time| HeaderValue::from_str(&httpdate::fmt_http_date(time)).ok());
    Some(date.unwrap_or_else(|| value.clone()))
}

fn text(headers: &HeaderMap, name: impl AsHeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

/// Returns the values of all headers of a name, as one list.
fn joined(headers: &HeaderMap, name: HeaderName) -> String {
    let values: Vec<&str> = headers
        .get_all(name)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .collect();
    values.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "Sun, 06 Nov 1994 08:49:37 GMT";
    const DAY: u64 = 24 * 3600;

    /// Returns the headers of lines that are separated by `|`.
    fn headers(lines: &'static str) -> HeaderMap {
        let lines = lines.split('|').filter(|line| !line.is_empty());
        lines
            .map(|line| {
                let (name, value) = line.split_once(':').unwrap();
                let name = HeaderName::from_bytes(name.trim().as_bytes()).unwrap();
                (name, HeaderValue::from_static(value.trim()))
            })
            .collect()
    }

    fn now() -> SystemTime {
        httpdate::parse_http_date(NOW).unwrap()
    }

    #[test]
    fn freshness_follows_the_headers() {
        let cases: &[(&'static str, Option<u64>)] = &[
            // No time is given.
            ("", None),
            ("cache-control: public", None),
            ("cache-control: must-revalidate", None),
            ("cache-control: private", None),
            ("cache-control: immutable", None),
            ("last-modified: Sun, 06 Nov 1983 08:49:37 GMT", None),
            ("etag: \"a\" | date: Sun, 06 Nov 1994 08:49:37 GMT", None),
            ("age: 10", None),
            // A time is given.
            ("cache-control: max-age=60", Some(60)),
            ("cache-control: public, Max-Age=60", Some(60)),
            ("cache-control: max-age=\"60\"", Some(60)),
            (
                "cache-control: public | cache-control: max-age=60",
                Some(60),
            ),
            ("cache-control: max-age=0", Some(0)),
            ("cache-control: max-age=x", Some(0)),
            ("cache-control: max-age=18446744073709551616", Some(1 << 31)),
            (
                "cache-control: max-age=\"18446744073709551616\"",
                Some(1 << 31),
            ),
            (
                "cache-control: max-age=60 | age: 18446744073709551616",
                Some(0),
            ),
            (
                "cache-control: public, S-MaxAge = 99999999999999999999 , max-age=1",
                Some(1 << 31),
            ),
            ("cache-control: max-age=-1", Some(0)),
            ("cache-control: max-age", Some(0)),
            ("cache-control: max-age=60, s-maxage=600", Some(600)),
            ("cache-control: s-maxage=600", Some(600)),
            ("cache-control: private, max-age=60", Some(60)),
            ("cache-control: max-age=60 | set-cookie: a=b", Some(60)),
            ("cache-control: max-age=60 | age: 20", Some(40)),
            ("cache-control: max-age=60 | age: 80", Some(0)),
            ("cache-control: max-age=60 | age: x", Some(60)),
            (
                "cache-control: max-age=60 | age: 18446744073709551615",
                Some(0),
            ),
            (
                "cache-control: max-age=60 | vary: accept-encoding",
                Some(60),
            ),
            ("cache-control: max-age=60 | vary: *", Some(0)),
            ("cache-control: max-age=60 | pragma: no-cache", Some(60)),
            ("cache-control: x-max-age=60", None),
            // Until a time.
            ("expires: Sun, 06 Nov 1994 08:50:37 GMT", Some(60)),
            ("expires: Sunday, 06-Nov-94 08:50:37 GMT", Some(60)),
            ("expires: Sun Nov  6 08:50:37 1994", Some(60)),
            ("expires: Sun, 06 Nov 1994 08:49:37 GMT", Some(0)),
            ("expires: 0", Some(0)),
            ("expires: -1", Some(0)),
            (
                "expires: Fri, 31 Dec 9999 23:59:59 GMT | cache-control: max-age=60",
                Some(60),
            ),
            (
                "expires: Mon, 07 Nov 1994 08:49:37 GMT | date: Sun, 06 Nov 1994 08:49:37 GMT",
                Some(DAY),
            ),
            // By the clock of the server.
            (
                "expires: Tue, 07 Nov 2000 00:01:00 GMT | date: Tue, 07 Nov 2000 00:00:00 GMT",
                Some(60),
            ),
            // Forbidden.
            ("cache-control: no-store", Some(0)),
            ("cache-control: No-Cache", Some(0)),
            ("cache-control: no-store, max-age=60", Some(0)),
            ("cache-control: no-cache, max-age=60", Some(0)),
            (
                "cache-control: private, no-cache, no-store, max-age=60",
                Some(0),
            ),
            ("pragma: no-cache", Some(0)),
        ];
        for (lines, expected) in cases {
            let fresh = fresh_for(&headers(lines), now());
            assert_eq!(fresh, expected.map(Duration::from_secs), "{lines:?}");
        }
    }

    #[test]
    fn values_that_are_not_text_are_ignored_except_in_expires() {
        let mut headers = HeaderMap::new();
        for name in [CACHE_CONTROL, EXPIRES, DATE, AGE, PRAGMA, RETRY_AFTER] {
            headers.append(name, HeaderValue::from_bytes(b"\xff=1").unwrap());
        }
        // An invalid `Expires` counts as past.
        assert_eq!(fresh_for(&headers, now()), Some(Duration::ZERO));
        headers.remove(EXPIRES);
        assert_eq!(fresh_for(&headers, now()), None);
        assert_eq!(retry_after(&headers, now()), None);
    }

    #[test]
    fn retry_after_is_read_as_seconds_or_date() {
        let cases: &[(&'static str, Option<u64>)] = &[
            ("", None),
            ("retry-after:", None),
            ("retry-after: soon", None),
            ("retry-after: -1", None),
            ("retry-after: 1.5", None),
            ("retry-after: 0", Some(0)),
            ("retry-after:  120 ", Some(120)),
            ("retry-after: 604799", Some(7 * DAY - 1)),
            ("retry-after: 604800", Some(7 * DAY)),
            ("retry-after: 604801", Some(7 * DAY)),
            ("retry-after: 99999999999999999999999999", Some(7 * DAY)),
            ("retry-after: Sun, 06 Nov 1994 08:50:37 GMT", Some(60)),
            ("retry-after: Sunday, 06-Nov-94 08:50:37 GMT", Some(60)),
            ("retry-after: Sun, 06 Nov 1994 08:48:37 GMT", Some(0)),
            ("retry-after: Fri, 31 Dec 9999 23:59:59 GMT", Some(7 * DAY)),
            (
                "retry-after: Tue, 07 Nov 2000 00:01:00 GMT | date: Tue, 07 Nov 2000 00:00:00 GMT",
                Some(60),
            ),
        ];
        for (lines, expected) in cases {
            let wait = retry_after(&headers(lines), now());
            assert_eq!(wait, expected.map(Duration::from_secs), "{lines:?}");
        }
    }
}
