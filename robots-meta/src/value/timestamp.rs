//! A time, in seconds.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

/// A time, in whole seconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(i64);

impl Timestamp {
    /// Returns the time that is this number of seconds after 1970-01-01T00:00:00Z.
    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds)
    }

    /// Returns the seconds since 1970-01-01T00:00:00Z.
    pub const fn as_seconds(self) -> i64 {
        self.0
    }
}

impl fmt::Display for Timestamp {
    /// Writes RFC 3339 in UTC; outside the years -9999 to 9999 the number of seconds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_second(self.0) {
            Ok(moment) => write!(f, "{moment}"),
            Err(_) => write!(f, "{}", self.0),
        }
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Timestamp {
    /// Writes the time as it is displayed.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Timestamp {
    /// Reads a time as it is displayed. A fraction of a second is cut off.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <String as serde::Deserialize>::deserialize(deserializer)?;
        let moment = text
            .parse::<jiff::Timestamp>()
            .map(jiff::Timestamp::as_second);
        moment
            .or_else(|error| text.parse().map_err(|_| error))
            .map(Self)
            .map_err(serde::de::Error::custom)
    }
}

impl From<SystemTime> for Timestamp {
    /// Returns the whole second that `time` is in.
    fn from(time: SystemTime) -> Self {
        let seconds = match time.duration_since(UNIX_EPOCH) {
            Ok(since) => i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
            Err(before) => {
                let before = before.duration();
                let begun = u64::from(before.subsec_nanos() > 0);
                i64::try_from(before.as_secs().saturating_add(begun))
                    .map_or(i64::MIN, i64::saturating_neg)
            }
        };
        Self(seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_times_are_whole_seconds() {
        use std::time::Duration;
        let at = |time| Timestamp::from(time).as_seconds();
        assert_eq!(at(UNIX_EPOCH + Duration::from_millis(1_500)), 1);
        assert_eq!(at(UNIX_EPOCH), 0);
        assert_eq!(at(UNIX_EPOCH - Duration::from_secs(1)), -1);
        assert_eq!(at(UNIX_EPOCH - Duration::from_millis(1_500)), -2);
    }
}
