//! Dates as pages write them in `unavailable_after`: RFC 822, RFC 850, ISO 8601 and similar forms
//! (docs/semantics.md, section 5.6). jiff checks and converts the parts. Its parsers are not used: each
//! accepts one exact form, and no text after it.

use super::names::begins_with_directive;
use crate::cursor::Cursor;
use crate::value::Timestamp;
use jiff::ToSpan;
use jiff::civil::DateTime;
use jiff::tz::Offset;

/// The current year for the reading of years with two digits. One that would be more than 50 years
/// after it belongs to the century before (RFC 9110, section 5.6.7). The year is fixed, because this
/// crate reads no clock.
pub const PIVOT_YEAR: i16 = 2026;

impl Timestamp {
    /// Reads a date, with or without a time, in one of the forms of docs/semantics.md, section 5.6.
    ///
    /// A weekday before the date is skipped. A date without a time means the first second of the day;
    /// 24:00:00 means that of the next day. A missing or unknown zone is UTC. A later time than 9999-12-30T22:00:00Z
    /// becomes that time. Returns `None` for any other text.
    ///
    /// ```
    /// use robots_meta::Timestamp;
    ///
    /// let date = Timestamp::parse("25 Jun 2010 15:00:00 PST").unwrap();
    /// assert_eq!(date.to_string(), "2010-06-25T23:00:00Z");
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let (date, rest) = Self::parse_start(text)?;
        // A comment, as RFC 822 has it: `(PST)`.
        let is_comment = rest.starts_with('(') && rest.ends_with(')');
        (rest.is_empty() || is_comment).then_some(date)
    }

    /// Returns whether a text begins with the name of a month.
    pub(crate) fn begins_with_month(text: &str) -> bool {
        Cursor(text).month().is_some()
    }

    /// Reads the date at the start of a text. Returns it with the rest, trimmed.
    pub(crate) fn parse_start(text: &str) -> Option<(Self, &str)> {
        Self::read(text).map(|(date, _, rest)| (date, rest))
    }

    /// Reads the zone of the date at the start of a text; `None` if there is no date.
    pub fn zone(text: &str) -> Option<Zone> {
        Self::read(text).map(|(_, zone, _)| zone)
    }

    /// Reads the date at the start of a text. Returns it with its zone and the rest, trimmed.
    fn read(text: &str) -> Option<(Self, Zone, &str)> {
        let mut words = Cursor(without_weekday(text.trim()));
        let (year, month, day) = words.date()?;
        let (year, clock, (offset, zone)) = if let Some(year) = year {
            (year, words.clock_after_date()?, words.zone()?)
        } else {
            let clock = words.clock(Separator::Space)?;
            let zone = words.zone()?;
            words.skip_space();
            let year = words.number().filter(|number| number.digits == 4)?;
            (year.year()?, clock, zone)
        };
        // There was no year 0: `0000` is written for no date.
        let date = DateTime::new(year, month, day, 0, 0, 0, 0)
            .ok()
            .filter(|date| date.year() > 0)?;
        let local = date.checked_add(clock.seconds()).ok()?;
        // `31 Dec 9999` is written for never: it is a day past the latest time of jiff.
        let moment = Offset::UTC
            .to_timestamp(local)
            .and_then(|moment| moment.checked_sub(offset.seconds()))
            .unwrap_or(jiff::Timestamp::MAX);
        Some((Self::from_seconds(moment.as_second()), zone, words.0.trim()))
    }
}

/// The time zone of a date (docs/semantics.md, section 5.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Zone {
    /// A known name, or an offset.
    Known,
    /// An unknown name, which is read as UTC.
    Unknown,
    /// No zone, which is read as UTC.
    Missing,
}

const WEEKDAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Returns whether a word is an English name, or an abbreviation of it: its first three letters or
/// more. A longer word must match as well: names in other languages may begin with the same letters.
fn is_abbreviation(word: &str, name: &str) -> bool {
    word.len() >= 3 && starts_with_ignoring_case(name, word)
}

/// Returns `Wed, 03 Dec 2025` or `Wednesday 3-Dec-25` without its weekday.
fn without_weekday(text: &str) -> &str {
    let mut words = Cursor(text);
    let word = words.letters();
    if WEEKDAYS.iter().any(|name| is_abbreviation(word, name)) {
        words.0.trim_start_matches([',', '.', ' ', '\t'])
    } else {
        text
    }
}

fn starts_with_ignoring_case(text: &str, start: &str) -> bool {
    text.get(..start.len())
        .is_some_and(|found| found.eq_ignore_ascii_case(start))
}

/// A run of digits.
struct Number {
    value: u32,
    digits: usize,
}

impl Number {
    fn as_i8(&self) -> Option<i8> {
        i8::try_from(self.value).ok()
    }

    /// Returns the year: four digits as they are; two as a year near [`PIVOT_YEAR`].
    fn year(&self) -> Option<i16> {
        let value = i16::try_from(self.value).ok()?;
        match self.digits {
            4 => Some(value),
            2 => {
                let year = value + 2000;
                let is_past = year - PIVOT_YEAR > 50;
                Some(if is_past { year - 100 } else { year })
            }
            _ => None,
        }
    }
}

/// The separator between a date and its time, which decides the forms of the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separator {
    Space,
    /// The `T` of ISO 8601, whose times may lack minutes or colons.
    T,
}

/// Reads the parts of a date.
impl<'a> Cursor<'a> {
    fn skip_space(&mut self) {
        self.0 = self.0.trim_start();
    }

    /// Reads the separator of a date's parts: `wanted` or white space. `None` if neither follows.
    fn separator(&mut self, wanted: char) -> Option<()> {
        let before = self.0.len();
        self.skip_space();
        let found = self.eat(wanted) || self.0.len() < before;
        self.skip_space();
        found.then_some(())
    }

    fn digits(&mut self) -> &'a str {
        self.take(|c| c.is_ascii_digit())
    }

    fn number(&mut self) -> Option<Number> {
        let digits = self.digits();
        Some(Number {
            value: digits.parse().ok()?,
            digits: digits.len(),
        })
    }

    /// Reads a number of one or two digits.
    fn short_number(&mut self) -> Option<Number> {
        self.number().filter(|number| number.digits <= 2)
    }

    fn letters(&mut self) -> &'a str {
        self.take(|c| c.is_ascii_alphabetic())
    }

    /// Reads year, month and day: `2027-12-31`, `20271231`, `31 Dec 2027`, `31-Dec-27`,
    /// `December 31, 2027`. The year is `None` if a time precedes it: `Dec 31 23:59:59 2027`.
    fn date(&mut self) -> Option<(Option<i16>, i8, i8)> {
        if let Some(month) = self.month() {
            let _ = self.eat('.');
            self.separator('-');
            let day = self.short_number()?.as_i8()?;
            self.ordinal();
            let _ = self.eat(',');
            self.separator('-');
            if self.is_at_clock() {
                return Some((None, month, day));
            }
            return Some((Some(self.number()?.year()?), month, day));
        }
        let first = self.number()?;
        match first.digits {
            8 => {
                let year = i16::try_from(first.value / 10_000).ok()?;
                let part = |divisor| i8::try_from(first.value / divisor % 100).ok();
                Some((Some(year), part(100)?, part(1)?))
            }
            4 => {
                let separator = if self.0.starts_with('/') { '/' } else { '-' };
                self.separator(separator)?;
                let month = self.short_number()?;
                self.separator(separator)?;
                let day = self.short_number()?;
                Some((Some(first.year()?), month.as_i8()?, day.as_i8()?))
            }
            1 | 2 => {
                self.ordinal();
                self.separator('-');
                let month = self.month()?;
                let _ = self.eat('.') || self.eat(',');
                self.separator('-');
                Some((Some(self.number()?.year()?), month, first.as_i8()?))
            }
            _ => None,
        }
    }

    /// Reads the letters of `1st`, `2nd`, `3rd`, `4th`, if they follow.
    fn ordinal(&mut self) {
        let before = self.0;
        let word = self.letters();
        let is_ordinal = ["st", "nd", "rd", "th"]
            .iter()
            .any(|suffix| suffix.eq_ignore_ascii_case(word));
        if !is_ordinal {
            self.0 = before;
        }
    }

    /// Reads the name of a month. Takes nothing if there is none.
    fn month(&mut self) -> Option<i8> {
        let before = self.0;
        let word = self.letters();
        let found = (1..)
            .zip(MONTHS)
            .find(|(_, name)| is_abbreviation(word, name))
            .map(|(number, _)| number);
        if found.is_none() {
            self.0 = before;
        }
        found
    }

    /// Returns whether `hh:` follows.
    fn is_at_clock(&self) -> bool {
        let mut ahead = Cursor(self.0);
        !ahead.digits().is_empty() && ahead.eat(':')
    }

    /// Reads the time after a date, in seconds of the day; zero if there is no time.
    fn clock_after_date(&mut self) -> Option<i64> {
        if self.eat('T') || self.eat('t') {
            return self.clock(Separator::T);
        }
        // A comma in `31 Dec 2027, 10:00`.
        let _ = self.eat(',');
        self.skip_space();
        if self.0.starts_with(|c: char| c.is_ascii_digit()) {
            self.clock(Separator::Space)
        } else {
            Some(0)
        }
    }

    /// Reads `hh:mm`, `hh:mm:ss` or `hh:mm:ss.f`, in seconds of the day; after a `T` also `hh`,
    /// `hhmm` and `hhmmss`.
    fn clock(&mut self, separator: Separator) -> Option<i64> {
        let first = self.number()?;
        let (mut hours, mut minutes, mut seconds) = (first.value, 0, 0);
        let has_seconds = match first.digits {
            1 | 2 if self.eat(':') => {
                minutes = self.short_number()?.value;
                let has_seconds = self.eat(':');
                if has_seconds {
                    seconds = self.short_number()?.value;
                }
                has_seconds
            }
            2 if separator == Separator::T => false,
            4 if separator == Separator::T => {
                (hours, minutes) = (hours / 100, hours % 100);
                false
            }
            6 if separator == Separator::T => {
                seconds = hours % 100;
                minutes = hours / 100 % 100;
                hours /= 10_000;
                true
            }
            _ => return None,
        };
        if has_seconds && self.eat('.') && self.digits().is_empty() {
            return None;
        }
        // 60 is a leap second.
        let is_in_range = hours <= 24 && minutes <= 59 && seconds <= 60;
        if !is_in_range || hours == 24 && (minutes, seconds) != (0, 0) {
            return None;
        }
        let hours = self.hour_of_day(hours)?;
        Some(seconds_of(hours, minutes) + i64::from(seconds))
    }

    /// Returns the hour of the day. Reads an `AM`, `PM`, `a.m.` or `p.m.`, if one follows.
    fn hour_of_day(&mut self, hours: u32) -> Option<u32> {
        self.skip_space();
        let marks = [("a.m.", false), ("p.m.", true), ("am", false), ("pm", true)];
        let found = marks.iter().find_map(|(mark, is_pm)| {
            let rest = self.0.get(mark.len()..)?;
            let is_mark = starts_with_ignoring_case(self.0, mark)
                && !rest.starts_with(|c: char| c.is_ascii_alphanumeric());
            is_mark.then_some((rest, *is_pm))
        });
        let Some((rest, is_pm)) = found else {
            return Some(hours);
        };
        self.0 = rest;
        match (hours, is_pm) {
            (12, false) => Some(0),
            (12, true) | (1..=11, false) => Some(hours),
            (1..=11, true) => Some(hours + 12),
            _ => None,
        }
    }

    /// Reads the zone, in seconds ahead of UTC: a name, `+0200`, or both as in `GMT+0200`. A directive
    /// after the date is not read as a zone.
    fn zone(&mut self) -> Option<(i64, Zone)> {
        self.skip_space();
        let before = self.0;
        let name = self.letters();
        // An offset may follow only a name of UTC, or no name, which is UTC too.
        let is_behind = match (named_zone(name), self.0.chars().next()) {
            (Some(0), Some('+')) => false,
            (Some(0), Some('-')) => true,
            (Some(_), _) if name.is_empty() => return Some((0, Zone::Missing)),
            (Some(ahead), _) => return Some((ahead, Zone::Known)),
            (None, _) if begins_with_directive(before) => {
                self.0 = before;
                return Some((0, Zone::Missing));
            }
            (None, _) => return Some((0, Zone::Unknown)),
        };
        self.0 = self.0.get(1..)?;
        let first = self.number()?;
        let (hours, minutes) = match first.digits {
            4 => (first.value / 100, first.value % 100),
            1 | 2 if self.eat(':') => (first.value, self.short_number()?.value),
            1 | 2 => (first.value, 0),
            _ => return None,
        };
        if hours > 23 || minutes > 59 {
            return None;
        }
        let ahead = seconds_of(hours, minutes);
        self.skip_zone_name();
        Some((if is_behind { -ahead } else { ahead }, Zone::Known))
    }

    /// Skips the name of a zone after its offset, which decides, and the reading of a clock without a date:
    /// `+0100 CET m=+0.25`, as Go prints times.
    fn skip_zone_name(&mut self) {
        let mut ahead = *self;
        ahead.skip_space();
        let is_apart = ahead.0.len() < self.0.len();
        if !is_apart || begins_with_directive(ahead.0) {
            return;
        }
        // A zone without a name has its offset in place of it: `+03`, `-0330`.
        let is_name = if ahead.eat_sign() {
            matches!(ahead.digits().len(), 2 | 4)
        } else {
            // POSIX: at least three letters. None that is in use has more than six.
            matches!(ahead.letters().len(), 3..=6)
        };
        if !is_name {
            return;
        }
        *self = ahead;
        ahead.skip_space();
        let is_reading = ahead.eat('m')
            && ahead.eat('=')
            && ahead.eat_sign()
            && !ahead.digits().is_empty()
            && (!ahead.eat('.') || !ahead.digits().is_empty());
        if is_reading {
            *self = ahead;
        }
    }

    fn eat_sign(&mut self) -> bool {
        self.eat('+') || self.eat('-')
    }
}

fn seconds_of(hours: u32, minutes: u32) -> i64 {
    i64::from(hours) * 3600 + i64::from(minutes) * 60
}

/// Returns the seconds ahead of UTC of a zone of RFC 822, 5.1, or `UTC`. An empty name is UTC.
fn named_zone(name: &str) -> Option<i64> {
    let zones: [(&str, i64); 13] = [
        ("", 0),
        ("GMT", 0),
        ("UTC", 0),
        ("UT", 0),
        ("Z", 0),
        ("EST", -5),
        ("EDT", -4),
        ("CST", -6),
        ("CDT", -5),
        ("MST", -7),
        ("MDT", -6),
        ("PST", -8),
        ("PDT", -7),
    ];
    zones
        .iter()
        .find(|(zone, _)| zone.eq_ignore_ascii_case(name))
        .map(|(_, hours)| hours * 3600)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_last_day_of_all_is_a_date() {
        for text in [
            "31-Dec-9999 23:59:59 GMT",
            "9999-12-31",
            "31 Dec 9999 23:00 EST",
        ] {
            let date = Timestamp::parse(text).unwrap();
            assert_eq!(date.to_string(), "9999-12-30T22:00:00Z", "{text}");
        }
    }

    #[test]
    fn the_forms_seen_on_pages() {
        let cases = [
            ("25 Jun 2010 15:00:00 PST", "2010-06-25T23:00:00Z"),
            ("31 Dec 2007 24:00:00 GMT", "2008-01-01T00:00:00Z"),
            ("Wed, 03 Dec 2025 13:09:53 GMT", "2025-12-03T13:09:53Z"),
            ("Tuesday, 31-Dec-30 23:00:00 PST", "2031-01-01T07:00:00Z"),
            ("Saturday, 01-Jul-00 07:00:00 PST", "2000-07-01T15:00:00Z"),
            ("01 Jan 2999 00:00 UTC", "2999-01-01T00:00:00Z"),
            ("12 Sep 2022 00:00:00 PST", "2022-09-12T08:00:00Z"),
            ("1-Jan-3000 00:00:00 EST", "3000-01-01T05:00:00Z"),
            ("2020-09-21", "2020-09-21T00:00:00Z"),
            ("2020-09-21T10:00:00+02:00", "2020-09-21T08:00:00Z"),
            ("2020-09-21 10:00:00.25 -0130", "2020-09-21T11:30:00Z"),
            ("2020-09-21T10:00Z", "2020-09-21T10:00:00Z"),
            ("Mon 21 September 2020", "2020-09-21T00:00:00Z"),
            ("  21 sep 2020 10:00 ", "2020-09-21T10:00:00Z"),
            ("December 31, 2027 23:59:59 GMT", "2027-12-31T23:59:59Z"),
            ("Dec. 31 2027", "2027-12-31T00:00:00Z"),
            ("31 Dec 2027, 10:00 UTC", "2027-12-31T10:00:00Z"),
            ("31 Dec 2027 11:00 PM EST", "2028-01-01T04:00:00Z"),
            ("31 Dec 2027 12:30 am", "2027-12-31T00:30:00Z"),
            ("31 Dec 2027 11:00 GMT+0200", "2027-12-31T09:00:00Z"),
            ("31 Dec 2027 11:00:00 -0800 (PST)", "2027-12-31T19:00:00Z"),
            ("31 Dec 2027 11:00 CET", "2027-12-31T11:00:00Z"),
            // The format of Go's `Time.String`.
            ("2026-02-26 00:00:00 +0000 UTC", "2026-02-26T00:00:00Z"),
            (
                "2026-02-26 00:30:00.000000001 +0100 CET",
                "2026-02-25T23:30:00Z",
            ),
            ("2026-02-26 00:00:00 -0700 MST", "2026-02-26T07:00:00Z"),
            ("2026-02-26 00:00:00 +0545 +0545", "2026-02-25T18:15:00Z"),
            (
                "2026-02-26 00:00:00 -0300 -03 m=-0.5",
                "2026-02-26T03:00:00Z",
            ),
            (
                "2026-02-26 00:00:00.25 +0000 UTC m=+0.1",
                "2026-02-26T00:00:00Z",
            ),
            (
                "Thu, 26 Feb 2026 00:00:00 +1030 ACDT",
                "2026-02-25T13:30:00Z",
            ),
            ("Thu Feb 26 00:00:00 +0100 CET 2026", "2026-02-25T23:00:00Z"),
        ];
        for (text, expected) in cases {
            let found = Timestamp::parse(text).map(|date| date.to_string());
            assert_eq!(found.as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn texts_that_are_not_dates() {
        for text in [
            "",
            "never",
            "Wed",
            "32 Jan 2020",
            "29 Feb 2021",
            "2020-13-01",
            "1 Foo 2020",
            "25:00 1 Jan 2020",
            "1 Jan 2020 24:00:01",
            "1 Jan 2020 25:00",
            "1 Jan 20200",
            "2020-9999999999-1",
            "1 Jan 2020 10:00 +9999",
            "10",
            "1 Jan 2020 10:00 GMT noindex",
            "1 Jan 2020 10:00 noindex",
            "1 Jan 2020 10:00 +0000 noindex",
            "1 Jan 2020 10:00 +0000UTC",
            "1 Jan 2020 10:00 +0000 U",
            "1 Jan 2020 10:00 +0000 UTC UTC",
            "1 Jan 2020 10:00 +0000 UTC m=0.1",
            "1 Jan 2020 10:00 +0000 UTC m=+",
            "1 Jan 2020 10:00 +0000 m=+0.1",
            "1 Jan 2020 10:00 +0000 +3",
            "1 Jan 2020 13:00 PM",
            "é",
        ] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }

    #[test]
    fn names_in_other_languages_are_not_dates() {
        // French, Spanish, Italian, Portuguese, Romanian, German, Dutch, the Scandinavian languages,
        // Finnish, Estonian, Polish, Czech, Turkish: names that begin as an English one does.
        for month in
            "marraskuuta maaliskuuta marras maj mai maart mars marzo mayo maggio maio juni \
                      juin juillet juli junio julio junho julho januari janvier janeiro janv \
                      febbraio febrero februari august\u{f3}w auguste augustus septiembre settembre \
                      setembro septembre septembrie okt octobre octubre octombrie novembre \
                      noviembre novembro novembrie noiembrie decembrie d\u{e9}cembre decembrist"
                .split_whitespace()
        {
            for text in [format!("25 {month} 2027"), format!("{month} 25, 2027")] {
                assert_eq!(Timestamp::parse(&text), None, "{text}");
            }
        }
        for weekday in ["montag", "thunder", "satunnainen", "sunset", "wednes2"] {
            let text = format!("{weekday} 25 Jan 2027");
            assert_eq!(Timestamp::parse(&text), None, "{text}");
        }
    }

    #[test]
    fn names_may_be_abbreviated_to_three_letters() {
        let expected = Timestamp::parse("2027-09-25");
        for text in [
            "Sat 25 Sep 2027",
            "Satur. 25 Sept. 2027",
            "saturday, SEPTEMBER 25 2027",
            "Sat, Septem 25, 2027",
        ] {
            assert_eq!(Timestamp::parse(text), expected, "{text}");
        }
        assert_eq!(Timestamp::parse("25 Se 2027"), None);
        assert_eq!(Timestamp::parse("Sa 25 Sep 2027"), None);
    }

    #[test]
    fn two_digit_years_are_near_the_pivot() {
        let year = |text: &str| Timestamp::parse(text).unwrap().to_string()[..4].to_owned();
        assert_eq!(year("1 Jan 75"), "2075");
        assert_eq!(year("1 Jan 76"), "2076");
        assert_eq!(year("1 Jan 77"), "1977");
        assert_eq!(year("1 Jan 99"), "1999");
    }

    #[test]
    fn zones_are_those_of_rfc_822_and_offsets() {
        let cases = [
            ("GMT", 12),
            ("utc", 12),
            ("UT", 12),
            ("Z", 12),
            ("EST", 17),
            ("EDT", 16),
            ("CST", 18),
            ("CDT", 17),
            ("MST", 19),
            ("MDT", 18),
            ("PST", 20),
            ("pdt", 19),
            ("+0200", 10),
            ("-0200", 14),
            ("+2", 10),
            ("+02:00", 10),
            ("UTC+2", 10),
            ("GMT-02:00", 14),
        ];
        for (zone, hour) in cases {
            let text = format!("2 Mar 2021 12:00 {zone}");
            let expected = format!("2021-03-02T{hour}:00:00Z");
            let found = Timestamp::parse(&text).map(|date| date.to_string());
            assert_eq!(found, Some(expected), "{text}");
            assert_eq!(Timestamp::zone(&text), Some(Zone::Known), "{text}");
        }
    }

    #[test]
    fn a_missing_or_unknown_zone_is_utc() {
        let cases = [
            ("2 Mar 2021 12:00", Zone::Missing),
            ("2021-03-02T12:00:00", Zone::Missing),
            ("2 Mar 2021 12:00 pm", Zone::Missing),
            ("2 Mar 2021 12:00 CET", Zone::Unknown),
            ("2 Mar 2021 12:00 Moscow", Zone::Unknown),
        ];
        for (text, zone) in cases {
            let noon = Timestamp::parse("2021-03-02T12:00:00Z");
            assert_eq!(Timestamp::parse(text), noon, "{text}");
            assert_eq!(Timestamp::zone(text), Some(zone), "{text}");
        }
        let before = "2 Mar 2021 12:00 noindex";
        assert_eq!(Timestamp::zone(before), Some(Zone::Missing));
        assert_eq!(Timestamp::zone("2 Mar 2021"), Some(Zone::Missing));
        assert_eq!(Timestamp::zone("never"), None);
    }

    /// The forms of docs/semantics.md, section 5.6, and similar ones, without a zone, as `strftime`
    /// has them.
    const FORMS: [&str; 24] = [
        // RFC 822, with and without the weekday, the seconds, the day's zero.
        "%a, %d %b %Y %H:%M:%S",
        "%d %b %Y %H:%M:%S",
        "%d %b %Y %H:%M",
        "%-d %B %Y %H:%M:%S",
        "%A %d %B %Y",
        // RFC 850 and similar forms.
        "%A, %d-%b-%Y %H:%M:%S",
        "%a, %d-%b-%Y %H:%M",
        "%-d-%b-%Y %H:%M:%S",
        "%d-%B-%Y",
        // ISO 8601.
        "%Y-%m-%dT%H:%M:%S",
        "%Y-%m-%dT%H:%M",
        "%Y-%m-%d %H:%M:%S",
        "%Y-%m-%d",
        "%Y-%m-%dT%H",
        "%Y/%m/%d",
        "%Y%m%dT%H%M%S",
        "%Y%m%dT%H%M",
        "%Y%m%d",
        // As Americans write.
        "%B %d, %Y %H:%M:%S",
        "%b. %-d %Y, %H:%M",
        "%A, %B %-d, %Y, %I:%M:%S %p",
        "%d %b %Y %I:%M %P",
        // As the English write.
        "%-dth %B %Y",
        "%d %b, %Y %H:%M",
    ];

    /// Forms whose year has two digits.
    const SHORT_FORMS: [&str; 4] = [
        "%A, %d-%b-%y %H:%M:%S",
        "%a, %d-%b-%y",
        "%d %b %y %H:%M",
        "%b %d, %y %I:%M %p",
    ];

    /// Writes a time, given in seconds as if in UTC, in a form. Returns the text, and the time rounded
    /// down to the unit that the form shows.
    fn written(form: &str, seconds: i64) -> (String, i64) {
        let unit = if form.contains("%S") {
            1
        } else if form.contains("%M") {
            60
        } else if form.contains("%H") {
            3_600
        } else {
            86_400
        };
        let seconds = seconds.div_euclid(unit) * unit;
        let moment = jiff::Timestamp::from_second(seconds).unwrap();
        let local = Offset::UTC.to_datetime(moment);
        // jiff writes two digits for the years 1969 to 2068 alone.
        let year = format!("{:02}", local.year().rem_euclid(100));
        let form = form.replace("%y", &year);
        (local.strftime(&form).to_string(), seconds)
    }

    /// Returns zones as written, with their seconds ahead of UTC.
    fn zones() -> impl Strategy<Value = (String, i64)> {
        let named = prop::sample::select(vec![
            ("", 0),
            ("GMT", 0),
            ("UTC", 0),
            ("UT", 0),
            ("Z", 0),
            ("EST", -5),
            ("EDT", -4),
            ("CST", -6),
            ("CDT", -5),
            ("MST", -7),
            ("MDT", -6),
            ("PST", -8),
            ("PDT", -7),
        ]);
        let named = named.prop_map(|(name, hours)| (name.to_owned(), hours * 3600));
        let offset = (
            prop::sample::select(vec!["", "GMT", "UTC"]),
            prop::sample::select(vec![("+", 1), ("-", -1)]),
            0..24_i64,
            prop::sample::select(vec!["", ":"]),
            0..60_i64,
        );
        let offset = offset.prop_map(|(name, (sign, factor), hours, colon, minutes)| {
            let ahead = factor * (hours * 3600 + minutes * 60);
            (format!("{name}{sign}{hours:02}{colon}{minutes:02}"), ahead)
        });
        prop_oneof![named, offset]
    }

    proptest! {
        #[test]
        fn printed_dates_are_read_back(
            // From the year 1 to 9999-12-30T22:00:00Z, the latest time that is printed as a date.
            seconds in -62_135_596_800_i64..=253_402_207_200,
        ) {
            let date = Timestamp::from_seconds(seconds);
            prop_assert_eq!(Timestamp::parse(&date.to_string()), Some(date));
        }

        #[test]
        fn every_form_is_read_back(
            // The years 1000 to 9998.
            seconds in -30_610_224_000_i64..253_370_764_800,
            form in prop::sample::select(FORMS.to_vec()),
            (zone, ahead) in zones(),
            has_space in any::<bool>(),
        ) {
            let (text, local) = written(form, seconds);
            // In ISO 8601, a zone may follow without a space.
            let space = if form.contains("dT") && !has_space { "" } else { " " };
            let text = format!("{text}{space}{zone}");
            let found = Timestamp::parse(&text).map(Timestamp::as_seconds);
            prop_assert_eq!(found, Some(local - ahead), "{}", text);
        }

        #[test]
        fn a_year_after_the_time_is_read_back(
            seconds in -30_610_224_000_i64..253_370_764_800,
            form in prop::sample::select(vec![
                "%a %b %e %H:%M:%S",
                "%A, %B %-d %H:%M",
                "%b %d %I:%M:%S %p",
            ]),
            (zone, ahead) in zones(),
        ) {
            let (text, local) = written(form, seconds);
            let (year, _) = written("%Y", seconds);
            let text = format!("{text} {zone} {year}");
            let found = Timestamp::parse(&text).map(Timestamp::as_seconds);
            prop_assert_eq!(found, Some(local - ahead), "{}", text);
        }

        #[test]
        fn two_digits_of_a_year_are_read_back(
            // The years 1977 to 2076: those that two digits mean by `PIVOT_YEAR`.
            seconds in 220_924_800_i64..3_376_684_800,
            form in prop::sample::select(SHORT_FORMS.to_vec()),
            (zone, ahead) in zones(),
        ) {
            let (text, local) = written(form, seconds);
            let text = format!("{text} {zone}");
            let found = Timestamp::parse(&text).map(Timestamp::as_seconds);
            prop_assert_eq!(found, Some(local - ahead), "{}", text);
        }

        #[test]
        fn the_hour_24_is_the_next_day(
            seconds in -30_610_224_000_i64..253_370_764_800,
            form in prop::sample::select(vec!["%d %b %Y", "%A, %d-%b-%Y", "%Y-%m-%d", "%B %d, %Y"]),
            clock in prop::sample::select(vec!["24:00", "24:00:00", "24:00:00.000"]),
            (zone, ahead) in zones(),
        ) {
            let (text, day) = written(form, seconds);
            let text = format!("{text} {clock} {zone}");
            let found = Timestamp::parse(&text).map(Timestamp::as_seconds);
            prop_assert_eq!(found, Some(day + 86_400 - ahead), "{}", text);
        }

        #[test]
        fn any_text_is_accepted(text in "\\PC{0,40}") {
            let _ = Timestamp::parse(&text);
        }

        #[test]
        fn any_text_like_a_date_is_accepted(text in "[0-9TZJanFeb:+., -]{0,40}") {
            let _ = Timestamp::parse(&text);
        }
    }
}
