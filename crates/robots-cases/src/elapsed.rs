//! The elapsed times in cases about outcomes.

use crate::error::CaseError;
use robots_meta::Timestamp;
use std::fmt::Write;
use std::time::Duration;

/// The text for a time that is not known.
pub(crate) const UNKNOWN: &str = "unknown";

/// Reads a time of a case, counted from a moment that all its times share: `12h`, `-20h` or `30d-1s`. `min` and `max`
/// are the earliest and the latest time; `unknown` returns `None`.
pub(crate) fn elapsed_time(text: &str) -> Result<Option<Timestamp>, CaseError> {
    if text == UNKNOWN {
        return Ok(None);
    }
    let seconds = elapsed(text).ok_or_else(|| {
        CaseError::new(format!(
            "{text:?} is not an elapsed time: expected one like 12h, -20h or 30d-1s, or min, max or unknown"
        ))
    })?;
    Ok(Some(Timestamp::from_seconds(seconds)))
}

/// Returns a time as cases write it: the reverse of [`elapsed_time`].
pub(crate) fn elapsed_text(time: Option<Timestamp>) -> String {
    let Some(time) = time else {
        return UNKNOWN.to_owned();
    };
    let mut seconds = match time.as_seconds() {
        i64::MIN => return "min".to_owned(),
        i64::MAX => return "max".to_owned(),
        0 => return "0s".to_owned(),
        seconds => seconds,
    };
    let mut text = String::new();
    for (unit, name) in [(86_400, 'd'), (3600, 'h'), (60, 'm'), (1, 's')] {
        // Division rounds towards zero, so each part has the sign of the whole.
        let (number, rest) = (seconds / unit, seconds % unit);
        if number != 0 {
            // Writing to a string cannot fail.
            let _ = write!(text, "{number}{name}");
        }
        seconds = rest;
    }
    text
}

/// Reads a sum of days, hours, minutes and seconds (`30d-1s`). Returns seconds: for `min` and `max` the least and the
/// greatest number.
fn elapsed(text: &str) -> Option<i64> {
    match text {
        "min" => return Some(i64::MIN),
        "max" => return Some(i64::MAX),
        _ => {}
    }
    let mut seconds = 0_i64;
    let mut rest = text;
    while !rest.is_empty() {
        let unit_at = rest.find(|letter: char| letter.is_ascii_alphabetic())?;
        let (number, after) = rest.split_at(unit_at);
        let unit = match after.chars().next()? {
            's' => 1,
            'm' => 60,
            'h' => 3600,
            'd' => 86_400,
            _ => return None,
        };
        let number: i64 = number.parse().ok()?;
        seconds = seconds.checked_add(number.checked_mul(unit)?)?;
        rest = after.get(1..)?;
    }
    (!text.is_empty()).then_some(seconds)
}

/// Reads the duration for which a response may be kept. It is not negative; `max` is the longest.
pub(crate) fn freshness(text: &str) -> Result<Duration, CaseError> {
    if text == "max" {
        return Ok(Duration::MAX);
    }
    let seconds = elapsed(text).and_then(|seconds| u64::try_from(seconds).ok());
    seconds.map(Duration::from_secs).ok_or_else(|| {
        CaseError::new(format!(
            "{text:?} is not a time to keep a response: expected one like 12h or 30d-1s, or max"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elapsed_times_are_sums_of_units() {
        for (text, seconds) in [
            ("0s", Some(0)),
            ("-20h", Some(-72_000)),
            ("30d-1s", Some(2_591_999)),
            ("1d2h3m4s", Some(93_784)),
            ("min", Some(i64::MIN)),
            ("max", Some(i64::MAX)),
            ("", None),
            ("5", None),
            ("h", None),
            ("1w", None),
            ("1h5", None),
            ("1é", None),
            ("9223372036854775807d", None),
        ] {
            assert_eq!(elapsed(text), seconds, "{text}");
        }
    }

    /// Returns the values that the text of an error recommends.
    fn recommended(error: &CaseError) -> Vec<String> {
        let text = error.to_string();
        let (_, values) = text.split_once("expected one like ").unwrap();
        let values = values.split([',', ' ']).filter(|word| !word.is_empty());
        values
            .filter(|word| *word != "or")
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn errors_recommend_valid_values_alone() {
        let times = recommended(&elapsed_time("soon").unwrap_err());
        assert_eq!(times, ["12h", "-20h", "30d-1s", "min", "max", UNKNOWN]);
        for time in times {
            assert!(elapsed_time(&time).is_ok(), "{time}");
        }
        for invalid in ["-20h", "min", UNKNOWN, "soon"] {
            let times = recommended(&freshness(invalid).unwrap_err());
            assert_eq!(times, ["12h", "30d-1s", "max"], "{invalid}");
            for time in times {
                assert!(freshness(&time).is_ok(), "{time}");
            }
        }
    }

    #[test]
    fn a_time_is_written_as_it_is_read() {
        for (seconds, text) in [
            (0, "0s"),
            (172_800, "2d"),
            (-72_000, "-20h"),
            (90_061, "1d1h1m1s"),
            (-90_061, "-1d-1h-1m-1s"),
            (i64::MIN, "min"),
            (i64::MAX, "max"),
        ] {
            let time = Some(Timestamp::from_seconds(seconds));
            assert_eq!(elapsed_text(time), text);
            assert_eq!(elapsed_time(text).unwrap(), time, "{text}");
        }
        assert_eq!(elapsed_text(None), UNKNOWN);
    }
}
