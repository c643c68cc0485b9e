//! The times of logs: in the format of Apache, in RFC 3339, and as numbers of units since 1970.

use jiff::Timestamp;

/// The format of a time in logs of Apache and nginx.
const COMMON: &str = "%d/%b/%Y:%H:%M:%S %z";

/// A time in a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::audit) struct Moment {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub(in crate::audit) milliseconds: i64,
    /// The resolution of the log, in milliseconds: 1,000 or 1.
    pub(in crate::audit) resolution: i64,
}

impl Moment {
    fn seconds(seconds: i64) -> Self {
        Self {
            milliseconds: seconds * 1_000,
            resolution: 1_000,
        }
    }

    /// Returns the time of a timestamp, whose text may have a fraction of a second.
    fn of(time: Timestamp, has_fraction: bool) -> Self {
        if has_fraction {
            Self {
                milliseconds: time.as_millisecond(),
                resolution: 1,
            }
        } else {
            Self::seconds(time.as_second())
        }
    }

    /// Returns the time of a number of seconds, milliseconds, microseconds or nanoseconds since 1970. The size of the number
    /// shows its unit. Returns `None` if it is out of range.
    pub(super) fn of_number(number: f64) -> Option<Self> {
        /// The maximum number of seconds: the year 5138.
        const MAX_SECONDS: f64 = 1e11;
        let mut milliseconds = number * 1_000.0;
        let mut is_whole = number.fract() == 0.0;
        // A number of seconds is below the limit. At or past it, the number is of a smaller unit, whose limit is 1,000 times
        // as large: milliseconds, microseconds, nanoseconds.
        let mut limit = MAX_SECONDS;
        for _ in 0..3 {
            if number >= limit {
                milliseconds /= 1_000.0;
                is_whole = false;
                limit *= 1_000.0;
            }
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "it is less than 1e14, or refused"
        )]
        let moment = Self {
            milliseconds: milliseconds.round() as i64,
            resolution: if is_whole { 1_000 } else { 1 },
        };
        (0.0..MAX_SECONDS * 1_000.0)
            .contains(&milliseconds)
            .then_some(moment)
    }
}

/// A reader of times. It remembers the last one, as most neighbouring lines have the same.
#[derive(Debug, Default)]
pub(in crate::audit) struct TimeReader {
    last: Vec<u8>,
    moment: Option<Moment>,
}

impl TimeReader {
    /// Reads a time as in brackets: `20/Nov/2026:13:55:36 +0000`.
    pub(super) fn read_common(&mut self, text: &[u8]) -> Option<Moment> {
        self.remembered(text, |text| {
            let time = Timestamp::strptime(COMMON, text).ok()?;
            Some(Moment::of(time, false))
        })
    }

    /// Reads a time in any format.
    pub(super) fn read_any(&mut self, text: &[u8]) -> Option<Moment> {
        self.remembered(text, |text| {
            let text = std::str::from_utf8(text).ok()?.trim();
            let inner = text.trim_start_matches('[').trim_end_matches(']');
            if let Ok(time) = Timestamp::strptime(COMMON, inner) {
                return Some(Moment::of(time, false));
            }
            if let Ok(number) = text.parse() {
                return Moment::of_number(number);
            }
            let has_fraction = text.contains('.') || text.contains(',');
            if let Ok(time) = text.parse() {
                return Some(Moment::of(time, has_fraction));
            }
            // A time without a zone is UTC.
            let time: jiff::civil::DateTime = text.parse().ok()?;
            let time = time.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
            Some(Moment::of(time.timestamp(), has_fraction))
        })
    }

    /// Returns the last time if its text is repeated; otherwise calls `read`.
    fn remembered(
        &mut self,
        text: &[u8],
        read: impl FnOnce(&[u8]) -> Option<Moment>,
    ) -> Option<Moment> {
        // `moment` is `None` at first, and after a text that is not a time.
        if self.moment.is_none() || self.last != text {
            self.moment = read(text);
            self.last.clear();
            self.last.extend_from_slice(text);
        }
        self.moment
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_all_forms_are_read() {
        let mut times = TimeReader::default();
        let second = Some(Moment::seconds(1_795_184_136));
        let exact = |milliseconds| {
            Some(Moment {
                milliseconds,
                resolution: 1,
            })
        };
        for text in ["20/Nov/2026:14:15:36 +0000", "20/Nov/2026:09:15:36 -0500"] {
            assert_eq!(times.read_common(text.as_bytes()), second, "{text}");
        }
        for (text, moment) in [
            ("[20/Nov/2026:14:15:36 +0000]", second),
            ("2026-11-20T14:15:36Z", second),
            ("2026-11-20T15:15:36+01:00", second),
            ("2026-11-20 14:15:36", second),
            ("2026-11-20T14:15:36.250Z", exact(1_795_184_136_250)),
            ("1795184136", second),
            ("1795184136.25", exact(1_795_184_136_250)),
            ("1795184136250", exact(1_795_184_136_250)),
            ("1795184136250000000", exact(1_795_184_136_250)),
            ("1e300", None),
            ("-5", None),
            ("NaN", None),
            ("yesterday", None),
            ("", None),
        ] {
            assert_eq!(times.read_any(text.as_bytes()), moment, "{text}");
        }
        assert_eq!(times.read_common(b"31/Feb/2026:14:15:36 +0000"), None);
        assert_eq!(times.read_common(b"20/Nov/2026:14:15:36 +0000"), second);
    }
}
