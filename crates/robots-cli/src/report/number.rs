//! Numbers and times as reports show them.

use crate::statistics::share::fraction;
use jiff::Timestamp;
pub(crate) use robots_policy::text::counted;
use robots_policy::text::{joined, thousands};

/// Returns a whole number with commas between thousands: `1,234,567`.
pub(crate) fn whole(number: u64) -> String {
    thousands(&number.to_string())
}

/// Returns a number with one decimal place and commas between thousands: `1,609.5`. A whole number has no decimal place.
pub(crate) fn decimal(number: f64) -> String {
    let text = format!("{number:.1}");
    match text.split_once('.') {
        Some((whole, "0")) => thousands(whole),
        Some((whole, tenths)) => format!("{}.{tenths}", thousands(whole)),
        None => text,
    }
}

/// Returns a share from 0 to 1 in percent. Only 0 is `0%`, and only 1 is `100%`.
pub(crate) fn percent(share: f64) -> String {
    if share <= 0.0 {
        "0%".to_owned()
    } else if share >= 1.0 {
        "100%".to_owned()
    } else if share < 0.000_5 {
        "<0.1%".to_owned()
    } else if share >= 0.999_5 {
        ">99.9%".to_owned()
    } else {
        format!("{:.1}%", share * 100.0)
    }
}

/// Returns the part of a whole in percent.
pub(crate) fn percent_of(part: u64, whole: u64) -> String {
    percent(fraction(part, whole))
}

/// Returns a part of a whole as two numbers: `3 of 5`.
pub(crate) fn part_of(part: u64, all: u64) -> String {
    format!("{} of {}", whole(part), whole(all))
}

/// Returns a number of things with its share of the whole: `63 files (1.4%)`.
pub(crate) fn counted_share(part: u64, whole: u64, thing: &str) -> String {
    format!("{} ({})", counted(part, thing), percent_of(part, whole))
}

/// Returns a number of bytes in decimal units: `1.4 GB`.
pub(crate) fn bytes(number: f64) -> String {
    const UNITS: [(f64, &str); 4] = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    let unit = UNITS.iter().find(|(size, _)| number >= *size);
    match unit {
        Some((size, name)) => format!("{} {name}", decimal(number / size)),
        None => format!("{} B", decimal(number)),
    }
}

/// Returns the day of a time, in UTC: `20 November 2026`.
pub(crate) fn day(time: Timestamp) -> String {
    time.strftime("%-d %B %Y").to_string()
}

/// Returns a time to the minute: `20 November 2026, 13:55 UTC`.
pub(crate) fn minute(time: Timestamp) -> String {
    time.strftime("%-d %B %Y, %H:%M UTC").to_string()
}

/// Returns names as a list in a sentence: `a, b and c`, or `a, b, c and 7 more`.
pub(crate) fn listed(names: &[String]) -> String {
    /// The maximum number of names.
    const MAX: usize = 5;
    let (shown, more) = names.split_at(names.len().min(MAX));
    match (shown, more.len()) {
        ([], _) => String::new(),
        (all, 0) => joined(all),
        (_, more) => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;

    #[test]
    fn thousands_have_commas() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (12_345, "12,345"),
            (999_999, "999,999"),
            (u64::MAX, "18,446,744,073,709,551,615"),
        ] {
            assert_eq!(whole(number), text);
        }
        assert_eq!(decimal(1_609.53), "1,609.5");
        assert_eq!(decimal(2_000.0), "2,000");
        assert_eq!(decimal(0.04), "0");
        assert_eq!(counted(1, "file"), "1 file");
        assert_eq!(counted(4_351, "file"), "4,351 files");
    }

    #[test]
    fn only_nothing_and_everything_are_0_and_100_percent() {
        for (part, text) in [
            (0, "0%"),
            (1, "<0.1%"),
            (4_999, "<0.1%"),
            (5_000, "0.1%"),
            (3_333_333, "33.3%"),
            (9_994_999, "99.9%"),
            (9_999_999, ">99.9%"),
            (10_000_000, "100%"),
        ] {
            assert_eq!(percent_of(part, 10_000_000), text, "{part}");
        }
        assert_eq!(percent_of(0, 0), "0%");
    }

    #[test]
    fn bytes_have_units() {
        for (number, text) in [
            (0.0, "0 B"),
            (999.0, "999 B"),
            (1_000.0, "1 kB"),
            (832_800_000.0, "832.8 MB"),
            (1_352_658_556.0, "1.4 GB"),
            (2e15, "2,000 TB"),
        ] {
            assert_eq!(bytes(number), text);
        }
    }

    #[test]
    fn names_and_times_are_words() {
        let names: Vec<String> = "abcdefg".chars().map(String::from).collect();
        for (count, text) in [
            (0, ""),
            (1, "a"),
            (2, "a and b"),
            (5, "a, b, c, d and e"),
            (6, "a, b, c, d, e and 1 more"),
        ] {
            assert_eq!(listed(&names[..count]), text);
        }
        let time: Timestamp = "2026-11-02T03:04:05Z".parse().unwrap();
        assert_eq!(day(time), "2 November 2026");
        assert_eq!(minute(time), "2 November 2026, 03:04 UTC");
    }
}
