//! The requests of robots over time.

use crate::audit::facts::{Audit, Day};
use crate::report::chart::{Axis, Caption, Column, Key, Tone, Unit, columns};
use crate::report::number::{decimal, minute, whole};
use crate::report::page::{Page, finding};
use crate::report::table::{Cell, details};
use crate::statistics::share::float;
use jiff::ToSpan;
use jiff::civil::Date;
use maud::html;

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
        float(requests) / float(u64::try_from(self.days).unwrap_or(1).max(1))
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
    let whole_periods = |days: i64, width: i64| days.checked_div(width).unwrap_or_default();
    let fits = |width: &&i64| whole_periods(to_last, **width) < MAX_COLUMNS;
    let width = WIDTHS.iter().find(fits).copied().unwrap_or(36_400);
    let mut periods: Vec<Period> = (0..=whole_periods(to_last, width))
        .map(|period| {
            let start = period.saturating_mul(width);
            Period {
                first: first.saturating_add(start.days()),
                days: width.min(to_last.saturating_sub(start).saturating_add(1)),
                robots: 0,
                ai: 0,
            }
        })
        .collect();
    for (date, day) in &dated {
        let period = whole_periods(days_after_first(*date), width);
        let period = usize::try_from(period).unwrap_or_default();
        if let Some(period) = periods.get_mut(period) {
            period.robots = period.robots.saturating_add(day.robots);
            period.ai = period.ai.saturating_add(day.ai);
        }
    }
    periods
}

/// Adds the requests of robots by day.
pub(super) fn section(page: &mut Page, audit: &Audit) {
    let periods = periods(&audit.days);
    let Some(busiest) = audit.days.iter().max_by_key(|day| day.robots) else {
        return;
    };
    let (Some(first), Some(last)) = (audit.first, audit.last) else {
        return;
    };
    let width = periods.first().map_or(1, |period| period.days);
    let axis_name = if width == 1 {
        "requests of robots a day, in UTC".to_owned()
    } else {
        format!("requests of robots a day, in UTC: the mean of {width} days")
    };
    let text = format!(
        "Robots made {} a day on average, and {} on the busiest day, {}. The logs begin on {} and end on {}.",
        counted_mean(mean(&periods)),
        whole(busiest.robots),
        long_date(&busiest.date),
        minute(first),
        minute(last)
    );
    let ticks = periods.len().div_ceil(MAX_TICKS).max(1);
    let marks: Vec<Column> = periods
        .iter()
        .enumerate()
        .map(|(index, period)| column(period, index.is_multiple_of(ticks)))
        .collect();
    let axis = Axis::new(Unit::Count, marks.iter().map(|column| column.value));
    let caption = Caption {
        title: "Requests of robots by day",
        axis: &axis_name,
        keys: &[
            Key::Tone(Tone::Accent, "AI robots"),
            Key::Tone(Tone::Main, "other robots"),
        ],
    };
    let rows: Vec<Vec<Cell>> = audit.days.iter().map(cells).collect();
    let content = html! {
        (finding(&text))
        // One day has no course.
        @if periods.len() > 1 { (columns(&caption, &text, &axis, &marks)) }
        (details("Requests by day", &["day", "all requests", "of robots", "of AI robots"], &rows))
    };
    page.section("days", "Requests by day", content);
}

/// Returns a mean number of requests, rounded to a whole number: `1,234 requests`.
fn counted_mean(mean: f64) -> String {
    match decimal(mean.round()).as_str() {
        "1" => "1 request".to_owned(),
        number => format!("{number} requests"),
    }
}

/// Returns a date as words: `20 November 2026`.
fn long_date(date: &str) -> String {
    match date.parse::<Date>() {
        Ok(date) => date.strftime("%-d %B %Y").to_string(),
        Err(_) => date.to_owned(),
    }
}

fn mean(periods: &[Period]) -> f64 {
    let robots = periods.iter().map(|period| period.robots);
    let days = periods.iter().map(|period| period.days);
    let days = u64::try_from(days.fold(0, i64::saturating_add)).unwrap_or(1);
    float(robots.fold(0, u64::saturating_add)) / float(days.max(1))
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

fn cells(day: &Day) -> Vec<Cell> {
    let number = |count: u64| Cell::Number(whole(count));
    vec![
        Cell::Text(day.date.clone()),
        number(day.requests),
        number(day.robots),
        number(day.ai),
    ]
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
