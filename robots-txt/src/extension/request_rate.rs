//! `Request-rate: documents/period [window]`: the number of documents that a robot may fetch in a
//! period, and the hours. Sean Conner's extended standard, and Seznam (docs/semantics.md, sections
//! 2.7, 3.3).

use super::visit_time::Window;
use crate::parse::text::{is_space, saturating_number, trim};
use memchr::memchr;
use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

/// A rate, with its line. A group may have several, with different windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RequestRate {
    line: usize,
    documents: NonZeroU32,
    period: Duration,
    window: Option<Window>,
}

impl RequestRate {
    /// The maximum number of documents of a rate; more are read as this number. With it,
    /// [`interval`](Self::interval) is never zero: a thousand million in a second are a nanosecond apart.
    pub const MAX_DOCUMENTS: u32 = 1_000_000_000;

    /// The longest period: 30 days, as for a [`CrawlDelay`](crate::extension::CrawlDelay). Of a longer one, the part of
    /// the documents counts that is due in 30 days, or one document.
    pub const MAX_PERIOD: Duration = Duration::from_secs(30 * 24 * 3600);

    /// Reads `1/10`, `1/10s`, `100 / 15m 0800-1600`: whole numbers, neither of them 0, a period in
    /// seconds, minutes, hours or days, and a [`Window`]. `None` for anything else.
    pub(crate) fn read(line: usize, value: &[u8]) -> Option<Self> {
        let (documents, rest) = value.split_at_checked(memchr(b'/', value)?)?;
        let documents = saturating_number(trim(documents))?.min(Self::MAX_DOCUMENTS.into());
        let rest = trim(rest.get(1..)?);
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (count, rest) = rest.split_at_checked(digits)?;
        let (unit, rest) = unit(rest)?;
        let written = saturating_number(count)?.saturating_mul(unit);
        let seconds = written.min(Self::MAX_PERIOD.as_secs());
        if documents == 0 || seconds == 0 {
            return None;
        }
        let due = u128::from(documents) * u128::from(seconds) / u128::from(written);
        let documents = NonZeroU32::new(u32::try_from(due).ok()?).unwrap_or(NonZeroU32::MIN);
        let window = match trim(rest) {
            [] => None,
            text => Some(Window::read(text)?),
        };
        Some(Self {
            line,
            documents,
            period: Duration::from_secs(seconds),
            window,
        })
    }

    /// Returns the number of the line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Sets the number of the line: that of a rate which was read from its own text alone.
    #[must_use]
    pub fn in_line(self, line: usize) -> Self {
        Self { line, ..self }
    }

    /// Returns the number of documents that may be fetched in a [`period`](Self::period).
    pub fn documents(&self) -> NonZeroU32 {
        self.documents
    }

    /// Returns the time in which [`documents`](Self::documents) may be fetched: 1 second to
    /// [`Self::MAX_PERIOD`].
    pub fn period(&self) -> Duration {
        self.period
    }

    /// Returns the part of the day in which the rate applies; `None` if that is the whole day.
    pub fn window(&self) -> Option<Window> {
        self.window
    }

    /// Returns the time between two documents at an even pace, rounded down to nanoseconds.
    pub fn interval(&self) -> Duration {
        self.period / self.documents.get()
    }
}

impl fmt::Display for RequestRate {
    /// Writes the value of a line, with its period in seconds: `100/900s 0800-1600`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}s", self.documents, self.period.as_secs())?;
        match self.window {
            Some(window) => write!(f, " {window}"),
            None => Ok(()),
        }
    }
}

/// Returns the length in seconds of the unit at the start of `text`, and the rest of the text. Without a
/// unit, the length is 1. `None` if white space does not separate the rest.
fn unit(text: &[u8]) -> Option<(u64, &[u8])> {
    let (seconds, rest) = match trim(text) {
        [b's' | b'S', rest @ ..] => (1, rest),
        [b'm' | b'M', rest @ ..] => (60, rest),
        [b'h' | b'H', rest @ ..] => (3_600, rest),
        [b'd' | b'D', rest @ ..] => (86_400, rest),
        _ => (1, text),
    };
    rest.first()
        .is_none_or(|&byte| is_space(byte))
        .then_some((seconds, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Parts = (u32, u64, Option<(u16, u16)>);

    fn read(value: &str) -> Option<Parts> {
        let rate = RequestRate::read(1, value.as_bytes())?;
        Some((
            rate.documents().get(),
            rate.period().as_secs(),
            rate.window().map(|window| (window.start(), window.end())),
        ))
    }

    #[test]
    fn a_rate_prints_as_it_is_read() {
        for (text, printed) in [
            ("1/10", "1/10s"),
            ("100 / 15m 800-1600", "100/900s 0800-1600"),
        ] {
            let rate = RequestRate::read(1, text.as_bytes()).unwrap();
            assert_eq!(rate.to_string(), printed);
        }
    }

    #[test]
    fn rates_are_read_as_they_are_written() {
        let cases = [
            ("1/10", (1, 10, None)),
            ("1/10s", (1, 10, None)),
            ("1/1S", (1, 1, None)),
            ("100/24h", (100, 86_400, None)),
            ("9000/1d", (9000, 86_400, None)),
            ("1 / 10 M", (1, 600, None)),
            ("0300/01h", (300, 3600, None)),
            ("100/15m 0800-1600", (100, 900, Some((480, 960)))),
            ("1/10 0800-1600", (1, 10, Some((480, 960)))),
            ("1/10s 1820-1940", (1, 10, Some((1100, 1180)))),
            ("1/10 13:00 - 20:00", (1, 10, Some((780, 1200)))),
            ("1/10\t2200-0400", (1, 10, Some((1320, 240)))),
        ];
        for (value, expected) in cases {
            assert_eq!(read(value), Some(expected), "{value}");
        }
    }

    #[test]
    fn invalid_rates_are_rejected() {
        for junk in [
            "",
            "/",
            "1",
            "1/",
            "/10",
            "10s",
            "0/10",
            "1/0",
            "1/s",
            "1/10x",
            "1/10ms",
            "1/10sec",
            "-1/10",
            "+1/10",
            "1/+10",
            "1/-10",
            "1.5/10",
            "1/1.5",
            "1/10/2",
            "a/b",
            "1/10s0800-1600",
            "1/10 0800",
            "1/10 0800-2500",
            "1/10 s m",
            "1/10 0800-1600 0900-1000",
        ] {
            assert_eq!(read(junk), None, "{junk:?}");
        }
    }

    #[test]
    fn documents_and_period_have_limits() {
        assert_eq!(read("999999999/1").unwrap().0, 999_999_999);
        assert_eq!(read("1000000000/1").unwrap().0, RequestRate::MAX_DOCUMENTS);
        assert_eq!(read("1000000001/1").unwrap().0, RequestRate::MAX_DOCUMENTS);
        assert_eq!(read("1/2591999").unwrap().1, 2_591_999);
        assert_eq!(read("1/30d").unwrap().1, RequestRate::MAX_PERIOD.as_secs());
        let most = RequestRate::MAX_PERIOD.as_secs();
        for (value, documents) in [
            ("1/2592001", 1),
            ("1/31d", 1),
            ("1/4294967295d", 1),
            ("1/99999999999999999999", 1),
            ("5/18446744073709551615d 0100-0200", 1),
            // The rate stays.
            ("1000/60d", 500),
            ("3/60d", 1),
        ] {
            let found = read(value).unwrap();
            assert_eq!((found.0, found.1), (documents, most), "{value}");
        }
        assert_eq!(
            read("99999999999999999999/1").unwrap().0,
            RequestRate::MAX_DOCUMENTS
        );
        assert_eq!(read("99999999999999999999/0"), None);
        assert_eq!(read("00000000000000000000000/1"), None);
    }

    #[test]
    fn an_interval_is_an_even_share_of_the_period() {
        let interval = |value: &str| RequestRate::read(1, value.as_bytes()).unwrap().interval();
        assert_eq!(interval("1/10"), Duration::from_secs(10));
        assert_eq!(interval("100/15m"), Duration::from_secs(9));
        assert_eq!(interval("3/1"), Duration::from_nanos(333_333_333));
        assert_eq!(interval("1000000000/1"), Duration::from_nanos(1));
    }
}
