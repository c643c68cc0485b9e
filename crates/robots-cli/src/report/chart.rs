//! Charts as SVG. Each has a title for those who cannot see it, and takes its colours from the style of the page.

use super::plain::Plain;
use crate::terminal::shortened;
use maud::{Markup, Render, html};
use std::fmt::Write;

/// The width of every chart in its own units. The page scales it, on a phone to slightly less, so that its text
/// stays readable.
const WIDTH: f64 = 440.0;

/// The space between a label and the chart at its right.
const GAP: f64 = 8.0;

/// A length or position in the units of a chart, written with one decimal.
struct Units(f64);

impl Render for Units {
    fn render_to(&self, buffer: &mut String) {
        // Writing to a string cannot fail.
        let _ = write!(buffer, "{:.1}", self.0);
    }
}

/// The part of a text that is at its position.
#[derive(Clone, Copy)]
enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// A bar: its label, its length, and the text at its end.
#[derive(Debug, Clone)]
pub(crate) struct Bar {
    pub(crate) label: String,
    pub(crate) value: f64,
    pub(crate) text: String,
    /// The value in an earlier report that this one is compared with, shown as a line across the bar.
    pub(crate) before: Option<f64>,
}

/// Returns horizontal bars, one below the other.
pub(crate) fn bars(title: &str, bars: &[Bar]) -> Markup {
    /// The height of a row.
    const ROW: f64 = 26.0;
    /// The width of the labels, at the left. They have up to 22 characters.
    const LABEL: f64 = 165.0;
    /// The width of the values in text, at the right.
    const TEXT: f64 = 95.0;
    let lengths = bars.iter().flat_map(|bar| [Some(bar.value), bar.before]);
    let scale = (WIDTH - LABEL - TEXT) / largest(lengths.flatten());
    let rows = html! {
        @for (row, bar) in bars.iter().enumerate() {
            @let top = ROW * count(row) + 4.0;
            @let length = bar.value * scale;
            (text("label", Anchor::End, LABEL - GAP, top + 13.0, &shortened(&bar.label, 22)))
            rect x=(Units(LABEL)) y=(Units(top)) width=(Units(length)) height="18" class="bar" {}
            @if let Some(before) = bar.before {
                (line("before", (LABEL + before * scale, top), (LABEL + before * scale, top + 18.0)))
            }
            (text("value", Anchor::Start, LABEL + length + 6.0, top + 13.0, &bar.text))
        }
    };
    svg(title, ROW * count(bars.len()) + 4.0, &rows)
}

/// Returns vertical bars, side by side, with the name of the axis below them.
pub(crate) fn columns(title: &str, axis: &str, columns: &[(String, f64)]) -> Markup {
    const HEIGHT: f64 = 240.0;
    /// The position of the horizontal axis, from the top.
    const BASE: f64 = 190.0;
    /// The position of the vertical axis.
    const LEFT: f64 = 46.0;
    /// The right end of the horizontal axis.
    const RIGHT: f64 = WIDTH - 10.0;
    let highest = columns.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    // The highest bar leaves 20 units free at the top.
    let scale = (BASE - 20.0) / largest(columns.iter().map(|(_, value)| *value));
    let step = (RIGHT - LEFT) / count(columns.len().max(1));
    let content = html! {
        @for part in [0.0, 0.5, 1.0] {
            @let y = BASE - highest * part * scale;
            (line("grid", (LEFT, y), (RIGHT, y)))
            (text("tick", Anchor::End, LEFT - 6.0, y + 4.0, &number(highest * part)))
        }
        @for (column, (label, value)) in columns.iter().enumerate() {
            @let x = LEFT + step * count(column);
            @let length = value * scale;
            rect x=(Units(x + step * 0.1)) y=(Units(BASE - length)) width=(Units(step * 0.8))
                height=(Units(length)) class="bar" {}
            (text("tick", Anchor::Middle, x + step / 2.0, BASE + 16.0, label))
        }
        (axis_name(axis, HEIGHT))
    };
    svg(title, HEIGHT, &content)
}

/// Returns a cumulative curve: the share of the files at or below each value, on a logarithmic axis. `points` are the values
/// in ascending order, each with the number of files at or below it; the last number is that of all files.
pub(crate) fn curve(title: &str, axis: &str, points: &[(u64, u64)]) -> Markup {
    const HEIGHT: f64 = 260.0;
    /// The position of the horizontal axis, from the top.
    const BASE: f64 = 210.0;
    const TOP: f64 = 16.0;
    /// The position of the vertical axis.
    const LEFT: f64 = 46.0;
    /// The right end of the horizontal axis.
    const RIGHT: f64 = WIDTH - 14.0;
    let total = points.last().map_or(1.0, |(_, total)| float(*total));
    let last = points.last().map_or(1, |(value, _)| *value);
    // Each value counts as one more, because 0 has no logarithm. A span of 0 would be a division by zero.
    let span = float(last.saturating_add(1)).ln().max(0.1);
    let x = |value: u64| LEFT + (RIGHT - LEFT) * float(value.saturating_add(1)).ln() / span;
    let y = |share: f64| BASE - (BASE - TOP) * share;
    let decades = std::iter::successors(Some(1_u64), |decade| decade.checked_mul(10))
        .take_while(|decade| *decade <= last);
    let mut path = format!("M{LEFT},{BASE}");
    for (value, below) in points {
        // Between two points, which may be far apart, the curve rises evenly.
        let _ = write!(path, "L{:.1},{:.1}", x(*value), y(float(*below) / total));
    }
    let content = html! {
        @for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
            (line("grid", (LEFT, y(share)), (RIGHT, y(share))))
            (text("tick", Anchor::End, LEFT - 6.0, y(share) + 4.0, &format!("{:.0}%", share * 100.0)))
        }
        @for decade in decades {
            (line("grid", (x(decade), TOP), (x(decade), BASE)))
            (text("tick", Anchor::Middle, x(decade), BASE + 16.0, &number(float(decade))))
        }
        path d=(path) class="curve" {}
        (axis_name(axis, HEIGHT))
    };
    svg(title, HEIGHT, &content)
}

/// Returns a table of shares from 0 to 1. The larger a share, the darker its cell.
pub(crate) fn heat(title: &str, columns: &[&str], rows: &[(String, Vec<f64>)]) -> Markup {
    /// The height of a row.
    const ROW: f64 = 24.0;
    /// The height of the names of the columns.
    const HEAD: f64 = 28.0;
    /// The width of the labels, at the left. They have up to 20 characters.
    const LABEL: f64 = 150.0;
    let width = (WIDTH - LABEL - 4.0) / count(columns.len().max(1));
    let content = html! {
        @for (column, name) in columns.iter().enumerate() {
            (text("tick", Anchor::Middle, LABEL + width * (count(column) + 0.5), 18.0, name))
        }
        @for (row, (label, shares)) in rows.iter().enumerate() {
            @let top = HEAD + ROW * count(row);
            (text("label", Anchor::End, LABEL - GAP, top + 16.0, &shortened(label, 20)))
            @for (column, share) in shares.iter().enumerate() {
                @let left = LABEL + width * count(column);
                // Dark cells have light text.
                @let class = if *share > 0.55 { "cell-text strong" } else { "cell-text" };
                rect x=(Units(left + 1.0)) y=(Units(top)) width=(Units(width - 2.0)) height=(Units(ROW - 2.0))
                    class="cell" fill-opacity=(format_args!("{:.3}", share.clamp(0.0, 1.0))) {}
                (text(class, Anchor::Middle, left + width / 2.0, top + 16.0, &format!("{:.1}%", share * 100.0)))
            }
        }
    };
    svg(title, HEAD + ROW * count(rows.len()) + 4.0, &content)
}

/// A share from 0 to 1, with its confidence interval.
#[derive(Debug, Clone)]
pub(crate) struct Estimate {
    pub(crate) label: String,
    pub(crate) share: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// Returns shares as points, each on a line that is its confidence interval.
pub(crate) fn estimates(title: &str, estimates: &[Estimate]) -> Markup {
    /// The height of a row.
    const ROW: f64 = 26.0;
    /// The width of the labels, at the left. They have up to 22 characters.
    const LABEL: f64 = 165.0;
    /// The width of the values in text, at the right.
    const TEXT: f64 = 150.0;
    let scale = (WIDTH - LABEL - TEXT) / largest(estimates.iter().map(|row| row.high));
    let x = |share: f64| LABEL + share * scale;
    let rows = html! {
        @for (row, estimate) in estimates.iter().enumerate() {
            @let middle = ROW * count(row) + 13.0;
            @let [share, low, high] = [estimate.share, estimate.low, estimate.high].map(|part| part * 100.0);
            (text("label", Anchor::End, LABEL - GAP, middle + 4.0, &shortened(&estimate.label, 22)))
            (line("whisker", (x(estimate.low), middle), (x(estimate.high), middle)))
            circle cx=(Units(x(estimate.share))) cy=(Units(middle)) r="4.5" class="bar" {}
            (text("value", Anchor::End, WIDTH - 2.0, middle + 4.0, &format!("{share:.1}% ({low:.1} to {high:.1})")))
        }
    };
    svg(title, ROW * count(estimates.len()) + 4.0, &rows)
}

fn svg(title: &str, height: f64, content: &Markup) -> Markup {
    html! {
        svg viewBox=(format_args!("0 0 {WIDTH:.0} {height:.0}")) role="img" aria-label=(Plain(title)) {
            title { (Plain(title)) }
            (content)
        }
    }
}

fn text(class: &str, anchor: Anchor, x: f64, y: f64, text: &str) -> Markup {
    html! {
        text x=(Units(x)) y=(Units(y)) class=(class) text-anchor=(anchor.as_str()) { (Plain(text)) }
    }
}

fn line(class: &str, from: (f64, f64), to: (f64, f64)) -> Markup {
    html! {
        line x1=(Units(from.0)) x2=(Units(to.0)) y1=(Units(from.1)) y2=(Units(to.1)) class=(class) {}
    }
}

fn axis_name(axis: &str, height: f64) -> Markup {
    text("tick", Anchor::Middle, WIDTH / 2.0, height - 8.0, axis)
}

/// Returns the largest of these, or 1 if none is above 0.
fn largest(values: impl Iterator<Item = f64>) -> f64 {
    let largest = values.fold(0.0, f64::max);
    if largest > 0.0 { largest } else { 1.0 }
}

/// Returns a number in few characters: 1,500 is 1.5k.
pub(crate) fn number(value: f64) -> String {
    let (value, unit) = match value {
        value if value >= 1e9 => (value / 1e9, "G"),
        value if value >= 1e6 => (value / 1e6, "M"),
        value if value >= 1e3 => (value / 1e3, "k"),
        value => (value, ""),
    };
    let text = format!("{value:.1}");
    format!("{}{unit}", text.strip_suffix(".0").unwrap_or(&text))
}

#[expect(clippy::cast_precision_loss, reason = "a position in a chart")]
fn float(number: u64) -> f64 {
    number as f64
}

#[expect(clippy::cast_precision_loss, reason = "a position in a chart")]
fn count(number: usize) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charts_are_well_formed_with_any_text() {
        let text = "<script>\"&' \u{1b}".to_owned() + &"é".repeat(100);
        let bar = |value| Bar {
            label: text.clone(),
            value,
            text: text.clone(),
            before: Some(value),
        };
        let estimate = |share| Estimate {
            label: text.clone(),
            share,
            low: 0.0,
            high: share,
        };
        let charts = [
            bars(&text, &[bar(0.0), bar(3.5)]),
            bars(&text, &[]),
            columns(&text, &text, &[(text.clone(), 0.0)]),
            columns(&text, &text, &[]),
            curve(&text, &text, &[(0, 1), (u64::MAX, 9)]),
            curve(&text, &text, &[]),
            heat(&text, &["none", "all"], &[(text.clone(), vec![0.0, 1.0])]),
            estimates(&text, &[]),
            estimates(&text, &[estimate(0.0), estimate(1.0)]),
        ];
        for chart in charts {
            let chart = chart.into_string();
            assert!(
                !chart.contains("<script") && !chart.contains('\u{1b}'),
                "{chart}"
            );
            assert!(!chart.contains("NaN") && !chart.contains("inf"), "{chart}");
            assert!(chart.starts_with("<svg") && chart.ends_with("</svg>"));
        }
    }

    #[test]
    fn numbers_are_short() {
        for (value, expected) in [(0.0, "0"), (12.0, "12"), (1_500.0, "1.5k"), (2e6, "2M")] {
            assert_eq!(number(value), expected);
        }
    }
}
