//! The time of a record.

use robots_archive::Record;
use robots_meta::Timestamp;

/// Returns the time of a capture, as its record states it. A date may have a year or a month alone, as WARC/1.1 allows each level of
/// the [W3C's dates](https://www.w3.org/TR/NOTE-datetime): it is then the first second of that.
pub fn captured_at(record: &Record) -> Option<Timestamp> {
    let text = record.date.as_deref()?.trim();
    Timestamp::parse(text).or_else(|| {
        let rest = match text.len() {
            4 => "-01-01",
            7 => "-01",
            _ => return None,
        };
        Timestamp::parse(&[text, rest].concat())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_may_be_a_year_or_a_month() {
        for (date, expected) in [
            ("2026-11-20T14:15:36Z", Some("2026-11-20T14:15:36Z")),
            ("2026-11-20", Some("2026-11-20T00:00:00Z")),
            ("2026-11", Some("2026-11-01T00:00:00Z")),
            ("2026", Some("2026-01-01T00:00:00Z")),
            ("2026-13", None),
            ("", None),
            ("abcd", None),
        ] {
            let record = Record::response("https://a.example/", Some(date), 200, [], b"");
            let found = captured_at(&record).map(|time| time.to_string());
            assert_eq!(found.as_deref(), expected, "{date}");
        }
    }
}
