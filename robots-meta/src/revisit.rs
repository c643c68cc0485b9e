//! `revisit-after`: when an author would like a robot to come back. No engine honours it; it is a
//! hint for a schedule (SEMANTICS 0.6, 5.8).

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

/// The time after which an author asks a robot to come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RevisitAfter {
    count: u32,
    unit: RevisitUnit,
}

impl RevisitAfter {
    /// Reads a value: `10 days`, `2 week`, `After 7 days`, `daily`, or a bare number of days.
    /// Case and white space do not matter. `None` for anything else.
    ///
    /// ```
    /// use robots_meta::RevisitAfter;
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

    /// How many of the unit.
    pub fn count(self) -> u32 {
        self.count
    }

    /// The unit.
    pub fn unit(self) -> RevisitUnit {
        self.unit
    }

    /// The time in days; a month has 30, a year 365.
    pub fn days(self) -> f64 {
        f64::from(self.count) * f64::from(self.unit.hours()) / 24.0
    }

    /// The time.
    pub fn duration(self) -> Duration {
        let seconds = u64::from(self.unit.hours()).saturating_mul(3600);
        Duration::from_secs(seconds.saturating_mul(u64::from(self.count)))
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
    /// `10 days`, `1 week`.
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

    #[test]
    fn the_forms_seen_on_pages() {
        let cases = [
            ("1 days", "1 day"),
            ("7 days", "7 days"),
            ("7 Days", "7 days"),
            ("1 day", "1 day"),
            ("2 week", "2 weeks"),
            ("1 month", "1 month"),
            ("3 month", "3 months"),
            ("daily", "1 day"),
            ("Weekly", "1 week"),
            ("7", "7 days"),
            ("After 7 days", "7 days"),
            ("after 10days", "10 days"),
            (" 12  hours ", "12 hours"),
            ("0", "0 days"),
        ];
        for (text, expected) in cases {
            let found = RevisitAfter::parse(text).map(|revisit| revisit.to_string());
            assert_eq!(found.as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_none() {
        for text in [
            "",
            "s",
            "days",
            "7 s",
            "7 moons",
            "-1 days",
            "99999999999 days",
            "after",
        ] {
            assert_eq!(RevisitAfter::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn time_is_counted() {
        let week = RevisitAfter::parse("2 week").unwrap();
        assert!((week.days() - 14.0).abs() < f64::EPSILON);
        assert_eq!(week.duration(), Duration::from_secs(14 * 24 * 3600));
    }
}
