//! `Crawl-delay: seconds`. In no standard; Bing, Anthropic and Common Crawl honour it, Google and
//! Yandex do not (docs/semantics.md, sections 2.2, 2.4, 2.5, 2.9).

use std::fmt;
use std::time::Duration;

/// A delay between two requests, with its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrawlDelay {
    line: usize,
    delay: Duration,
}

impl CrawlDelay {
    /// Reads a value: a number of seconds, such as `10`, `0.5` or `1e3`. More than [`Self::MAX_SECONDS`] is read as
    /// that. `None` for anything else.
    pub(crate) fn read(line: usize, value: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(value).ok()?;
        // `f64` also reads "inf", "nan", "-1" and "+1", which are not numbers of seconds.
        if !text.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return None;
        }
        let seconds: f64 = text.parse().ok()?;
        Duration::try_from_secs_f64(seconds.min(Self::MAX_SECONDS))
            .ok()
            .map(|delay| Self { line, delay })
    }

    /// Creates the delay that stored rules contain; `None` if it is longer than [`Self::MAX_SECONDS`].
    pub(crate) fn from_stored(line: usize, delay: Duration) -> Option<Self> {
        (delay.as_secs_f64() <= Self::MAX_SECONDS).then_some(Self { line, delay })
    }

    /// The longest delay: 30 days, in seconds. A longer one is a mistake, and becomes this one.
    pub const MAX_SECONDS: f64 = 30.0 * 24.0 * 3600.0;

    /// Returns the number of the line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the delay.
    pub fn delay(&self) -> Duration {
        self.delay
    }
}

impl fmt::Display for CrawlDelay {
    /// Writes the seconds as in a line: `2.5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.delay.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_decimal_numbers_up_to_a_month() {
        let read = |value: &str| CrawlDelay::read(1, value.as_bytes()).map(|found| found.delay());
        assert_eq!(read("10"), Some(Duration::from_secs(10)));
        assert_eq!(read("0.5"), Some(Duration::from_millis(500)));
        assert_eq!(read(".5"), Some(Duration::from_millis(500)));
        assert_eq!(read("0"), Some(Duration::ZERO));
        for junk in [
            "", ".", "1.2.3", "-1", "inf", "nan", "1e", "e3", "1e3.5", "ten", "10s", "+1", "1,5",
            "1 0", "0x10", "1_0",
        ] {
            assert_eq!(read(junk), None, "{junk:?}");
        }
        assert_eq!(read("2591999"), Some(Duration::from_secs(2_591_999)));
        assert_eq!(read("2592000"), Some(Duration::from_secs(2_592_000)));
        assert_eq!(read("1e-3"), Some(Duration::from_millis(1)));
        assert_eq!(read("1E3"), Some(Duration::from_secs(1_000)));
        // An author who asks for more asks for the most.
        let digits = "9".repeat(400);
        for long in [
            "2592000.5",
            "2592001",
            "1e9",
            "99999999999999999999",
            "1e400",
            &digits,
        ] {
            assert_eq!(read(long), Some(Duration::from_secs(2_592_000)), "{long}");
        }
    }
}
