//! `revisit-after`: the author's hint when a robot should return. No engine honours it
//! (docs/semantics.md, sections 0.6 and 5.8).

use std::fmt;
use std::time::Duration;

/// A unit of time in a `revisit-after` value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum RevisitUnit {
    /// An hour.
    Hour,
    /// A day.
    Day,
    /// Seven days.
    Week,
    /// Thirty days.
    Month,
    /// 365 days.
    Year,
}

/// The time after which an author asks a robot to return.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RevisitAfter {
    count: u32,
    unit: RevisitUnit,
}

impl RevisitAfter {
    /// Reads a value: `10 days`, `2 week`, `After 7 days`, `daily`, or a bare number of days.
    /// Case and white space do not matter. Returns `None` for anything else.
    ///
    /// ```
    /// use robots_meta::value::RevisitAfter;
    ///
    /// assert_eq!(RevisitAfter::parse("2 week").unwrap().days(), 14.0);
    /// assert_eq!(RevisitAfter::parse("soon"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        let every = match text.as_str() {
            "hourly" => Some(RevisitUnit::Hour),
            "daily" => Some(RevisitUnit::Day),
            "weekly" => Some(RevisitUnit::Week),
            "monthly" => Some(RevisitUnit::Month),
            "yearly" => Some(RevisitUnit::Year),
            _ => None,
        };
        if let Some(unit) = every {
            return Some(Self { count: 1, unit });
        }
        let text = text
            .strip_prefix("after")
            .map_or(text.as_str(), str::trim_start);
        let digits = text
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len());
        let (number, unit) = text.split_at_checked(digits)?;
        let unit = unit.trim();
        let unit = match unit.strip_suffix('s').unwrap_or(unit) {
            // A number without a unit means days; `7 s` is rejected.
            "" if unit.is_empty() => RevisitUnit::Day,
            "hour" => RevisitUnit::Hour,
            "day" => RevisitUnit::Day,
            "week" => RevisitUnit::Week,
            "month" => RevisitUnit::Month,
            "year" => RevisitUnit::Year,
            _ => return None,
        };
        Some(Self {
            count: number.parse().ok()?,
            unit,
        })
    }

    /// Returns the number of units.
    pub fn count(self) -> u32 {
        self.count
    }

    /// Returns the unit.
    pub fn unit(self) -> RevisitUnit {
        self.unit
    }

    /// Returns the time in days; a month has 30, a year 365.
    pub fn days(self) -> f64 {
        f64::from(self.count) * f64::from(self.unit.hours()) / 24.0
    }

    /// Returns the time.
    pub fn duration(self) -> Duration {
        let seconds = u64::from(self.unit.hours()) * 3600;
        Duration::from_secs(seconds * u64::from(self.count))
    }
}

impl RevisitUnit {
    fn hours(self) -> u16 {
        match self {
            Self::Hour => 1,
            Self::Day => 24,
            Self::Week => 7 * 24,
            Self::Month => 30 * 24,
            Self::Year => 365 * 24,
        }
    }
}

impl fmt::Display for RevisitAfter {
    /// Writes `10 days`, `1 week`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = match self.unit {
            RevisitUnit::Hour => "hour",
            RevisitUnit::Day => "day",
            RevisitUnit::Week => "week",
            RevisitUnit::Month => "month",
            RevisitUnit::Year => "year",
        };
        let plural = if self.count == 1 { "" } else { "s" };
        write!(f, "{} {unit}{plural}", self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_forms_seen_on_pages() {
        // Those of docs/semantics.md, section 5.8, and more by its grammar.
        let cases = [
            ("1 days", "1 day"),
            ("7 days", "7 days"),
            ("7 Days", "7 days"),
            ("1 day", "1 day"),
            ("2 days", "2 days"),
            ("3 days", "3 days"),
            ("10 days", "10 days"),
            ("30 days", "30 days"),
            ("2 week", "2 weeks"),
            ("1 month", "1 month"),
            ("3 month", "3 months"),
            ("daily", "1 day"),
            ("Weekly", "1 week"),
            (" monthly ", "1 month"),
            ("YEARLY", "1 year"),
            ("7", "7 days"),
            ("1", "1 day"),
            ("After 7 days", "7 days"),
            ("after 10days", "10 days"),
            (" 12  hours ", "12 hours"),
            ("2years", "2 years"),
            ("0", "0 days"),
        ];
        for (text, expected) in cases {
            let found = RevisitAfter::parse(text).map(|revisit| revisit.to_string());
            assert_eq!(found.as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn values_beyond_the_grammar_are_read() {
        let cases = [
            ("hourly", "1 hour"),
            ("after 7", "7 days"),
            ("after7days", "7 days"),
            ("07 days", "7 days"),
        ];
        for (text, expected) in cases {
            let found = RevisitAfter::parse(text).map(|revisit| revisit.to_string());
            assert_eq!(found.as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn other_texts_are_rejected() {
        for text in [
            "",
            "s",
            "days",
            "7 s",
            "7 moons",
            "-1 days",
            "99999999999 days",
            "after",
            "after daily",
            "7 dayss",
            "7 days ago",
            "1.5 days",
            "7 days, 2 weeks",
            "7\u{e9}",
        ] {
            assert_eq!(RevisitAfter::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn days_and_durations() {
        let week = RevisitAfter::parse("2 week").unwrap();
        assert!((week.days() - 14.0).abs() < f64::EPSILON);
        assert_eq!(week.duration(), Duration::from_secs(14 * 24 * 3600));
    }

    proptest! {
        #[test]
        fn forms_of_the_grammar_are_read(
            space in prop::sample::select(vec!["", " ", "\t "]),
            after in prop::sample::select(vec!["", "after ", "After  ", "AFTER\t"]),
            count in any::<u32>(),
            (unit, seconds) in prop::sample::select(vec![
                ("hour", 3_600), ("Day", 86_400), ("WEEK", 604_800), ("month", 2_592_000),
                ("year", 31_536_000_u64),
            ]),
            plural in prop::sample::select(vec!["", "s"]),
        ) {
            let text = format!("{space}{after}{count}{space}{unit}{plural}{space}");
            let found = RevisitAfter::parse(&text);
            let duration = found.map(RevisitAfter::duration);
            let expected = Duration::from_secs(seconds * u64::from(count));
            prop_assert_eq!(duration, Some(expected), "{:?}", text);
            let printed = found.map(|revisit| revisit.to_string());
            prop_assert_eq!(printed.as_deref().and_then(RevisitAfter::parse), found);
        }

        #[test]
        fn any_text_is_accepted(text in "\\PC{0,40}") {
            let _ = RevisitAfter::parse(&text);
        }
    }
}
