//! The requests of robots over time.

use crate::audit::facts::{Audit, Day};
use crate::report::Section;
use crate::report::chart::{AI_KEYS, Chart, Column};
use crate::report::number::{counted, decimal, minute, whole};
use crate::report::table::{In, Table};
use crate::statistics::share::float;
use jiff::ToSpan;
use jiff::civil::Date;

/// The maximum number of columns, if a column may be as wide as ten years.
const MAX_COLUMNS: i64 = 92;

/// The number of days that a column may stand for.
const WIDTHS: [i64; 5] = [1, 7, 28, 364, 3_640];

/// The maximum number of dates below the columns. A phone has room for five.
const MAX_TICKS: usize = 5;

/// Some days: the requests of robots on all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Period {
    first: Date,
    days: i64,
    robots: u64,
    ai: u64,
}

impl Period {
    fn mean(&self, requests: u64) -> f64 {
        float(requests) / float(self.days.unsigned_abs())
    }
}

/// Divides the days into periods of the same length, with the days without requests. Only the last period may be shorter.
fn periods(days: &[Day]) -> Vec<Period> {
    let dated = days
        .iter()
        .filter_map(|day| Some((day.date.parse::<Date>().ok()?, day)));
    let dated: Vec<(Date, &Day)> = dated.collect();
    let (Some((first, _)), Some((last, _))) = (dated.first(), dated.last()) else {
        return Vec::new();
    };
    let days_after_first = |date: Date| {
        let span = first.until(date);
        span.map_or(0, |span| i64::from(span.get_days()))
    };
    let to_last = days_after_first(*last);
    let fits = |width: &i64| to_last / width < MAX_COLUMNS;
    let width = WIDTHS.into_iter().find(fits).unwrap_or(36_400);
    let mut periods: Vec<Period> = (0..=to_last / width)
        .map(|period| Period {
            first: first.saturating_add((period * width).days()),
            days: width.min(to_last - period * width + 1),
            robots: 0,
            ai: 0,
        })
        .collect();
    for (date, day) in &dated {
        let period = usize::try_from(days_after_first(*date) / width).unwrap_or_default();
        periods[period].robots += day.robots;
        periods[period].ai += day.ai;
    }
    periods
}

/// Returns the requests of robots by day.
pub(super) fn section(audit: &Audit) -> Section {
    let section = Section::new("days", "Requests by day");
    let periods = periods(&audit.days);
    let busiest = audit.days.iter().max_by_key(|day| day.robots);
    let section = match (busiest, audit.first, audit.last) {
        (Some(busiest), Some(first), Some(last)) => {
            let text = format!(
                "Robots made {} a day on average, and {} on the busiest day, {}. The logs begin on {} and end on {}.",
                counted(mean(&periods), "request"),
                whole(busiest.robots),
                long_date(&busiest.date),
                minute(first),
                minute(last)
            );
            section
                .finding(text.as_str())
                .charts([chart(&periods, text)])
        }
        _ => section,
    };
    section.table(
        Table::of("days", "Requests by day", &audit.days)
            .column(In::CSV | In::HTML, "day", |day| &day.date)
            .column(In::CSV | In::HTML, "requests", |day| day.requests)
            .column(In::CSV | In::HTML, "robots", |day| day.robots)
            .column(In::CSV | In::HTML, "ai", |day| day.ai),
    )
}

fn chart(periods: &[Period], summary: String) -> Chart {
    let axis_name = match periods.first().map_or(1, |period| period.days) {
        1 => "requests of robots a day, in UTC".to_owned(),
        width => format!("requests of robots a day, in UTC: the mean of {width} days"),
    };
    let ticks = periods.len().div_ceil(MAX_TICKS).max(1);
    let marks = periods.iter().enumerate();
    let marks = marks.map(|(index, period)| column(period, index.is_multiple_of(ticks)));
    let title = "Requests of robots by day";
    Chart::columns(title, axis_name, summary, marks.collect()).with_keys(AI_KEYS)
}

/// Returns a date as words: `20 November 2026`.
fn long_date(date: &str) -> String {
    match date.parse::<Date>() {
        Ok(date) => date.strftime("%-d %B %Y").to_string(),
        Err(_) => date.to_owned(),
    }
}

/// Returns the mean number of requests a day, rounded.
fn mean(periods: &[Period]) -> u64 {
    let robots: u64 = periods.iter().map(|period| period.robots).sum();
    let days: i64 = periods.iter().map(|period| period.days).sum();
    let days = days.unsigned_abs().max(1);
    (robots + days / 2) / days
}

fn column(period: &Period, has_tick: bool) -> Column {
    let (value, part) = (period.mean(period.robots), period.mean(period.ai));
    let date = period.first.strftime("%-d %B %Y");
    let from = if period.days == 1 { "" } else { "from " };
    Column {
        title: format!(
            "{from}{date}: {} requests of robots a day, {} of them of AI robots",
            decimal(value),
            decimal(part)
        ),
        tick: has_tick.then(|| {
            let format = if period.days < 28 { "%-d %b" } else { "%b %Y" };
            period.first.strftime(format).to_string()
        }),
        value,
        part,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;

    fn day(date: &str) -> Day {
        Day {
            date: date.to_owned(),
            requests: 9,
            robots: 4,
            ai: 1,
        }
    }

    #[test]
    fn days_without_requests_have_columns() {
        let days = ["2026-02-27", "2026-03-01", "2026-03-02"].map(day);
        let found = periods(&days);
        let robots: Vec<u64> = found.iter().map(|period| period.robots).collect();
        assert_eq!(robots, [4, 0, 4, 4]);
        assert!(found.iter().all(|period| period.days == 1));
        assert_eq!(found[1].first.to_string(), "2026-02-28");
        assert!(periods(&[]).is_empty());
    }

    #[test]
    fn many_days_share_columns_and_the_last_one_counts_its_own_days() {
        let start: Date = "2026-01-01".parse().unwrap();
        let over = |count: i64| -> Vec<Day> {
            let date = |index: i64| (start + index.days()).to_string();
            (0..count).map(|index| day(&date(index))).collect()
        };
        for (days, columns, last) in [
            (1, 1, 1),
            (91, 91, 1),
            (92, 92, 1),
            (93, 14, 2),
            (644, 92, 7),
            (645, 24, 1),
        ] {
            let found = periods(&over(days));
            assert_eq!(found.len(), columns, "{days}");
            assert_eq!(found.last().unwrap().days, last, "{days}");
            for period in &found {
                assert!((period.mean(period.robots) - 4.0).abs() < 1e-9);
            }
        }
        // A log may have a wrong year.
        let far = periods(&[day("0001-01-01"), day("9999-12-31")]);
        assert_eq!(far.len(), 101);
    }
}
