//! `revisit-after`: the author's hint when a robot should return. No engine honours it
//! (docs/semantics.md, sections 0.6 and 5.8).

use std::fmt;

/// A unit of time in a `revisit-after` value.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Unit {
    name: &'static str,
    /// The word for one of the unit.
    adverb: &'static str,
    hours: u16,
}

static UNITS: [Unit; 5] = [
    Unit::new("hour", "hourly", 1),
    Unit::new("day", "daily", 24),
    Unit::new("week", "weekly", 7 * 24),
    Unit::new("month", "monthly", 30 * 24),
    Unit::new("year", "yearly", 365 * 24),
];

impl Unit {
    const fn new(name: &'static str, adverb: &'static str, hours: u16) -> Self {
        Self {
            name,
            adverb,
            hours,
        }
    }
}

/// The time after which an author asks a robot to return.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RevisitAfter {
    count: u32,
    unit: &'static Unit,
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
        if let Some(unit) = UNITS.iter().find(|unit| unit.adverb == text) {
            return Some(Self { count: 1, unit });
        }
        let text = text
            .strip_prefix("after")
            .map_or(text.as_str(), str::trim_start);
        let digits = text
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len());
        let (number, unit) = text.split_at_checked(digits)?;
        let name = match unit.trim() {
            // A number without a unit means days; `7 s` is rejected.
            "" => "day",
            unit => unit.strip_suffix('s').unwrap_or(unit),
        };
        Some(Self {
            count: number.parse().ok()?,
            unit: UNITS.iter().find(|unit| unit.name == name)?,
        })
    }

    /// Returns the time in days; a month has 30, a year 365.
    pub fn days(self) -> f64 {
        f64::from(self.count) * f64::from(self.unit.hours) / 24.0
    }
}

impl fmt::Display for RevisitAfter {
    /// Writes `10 days`, `1 week`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.count == 1 { "" } else { "s" };
        write!(f, "{} {}{plural}", self.count, self.unit.name)
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
            // Values beyond that grammar.
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

    proptest! {
        #[test]
        fn forms_of_the_grammar_are_read(
            space in prop::sample::select(vec!["", " ", "\t "]),
            after in prop::sample::select(vec!["", "after ", "After  ", "AFTER\t"]),
            count in any::<u32>(),
            (unit, hours) in prop::sample::select(vec![
                ("hour", 1.0), ("Day", 24.0), ("WEEK", 168.0), ("month", 720.0), ("year", 8760.0),
            ]),
            plural in prop::sample::select(vec!["", "s"]),
        ) {
            let text = format!("{space}{after}{count}{space}{unit}{plural}{space}");
            let found = RevisitAfter::parse(&text);
            let days = found.map(RevisitAfter::days);
            prop_assert_eq!(days, Some(f64::from(count) * hours / 24.0), "{:?}", text);
            let printed = found.map(|revisit| revisit.to_string());
            prop_assert_eq!(printed.as_deref().and_then(RevisitAfter::parse), found);
        }

        #[test]
        fn any_text_is_accepted(text in "\\PC{0,40}") {
            let _ = RevisitAfter::parse(&text);
        }
    }
}
