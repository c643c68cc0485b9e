//! Charts as SVG. Each has a title and a description for those who cannot see it; colours are those
//! of the page's style.

use super::page::escaped;
use crate::terminal::shortened;
use std::fmt::Write;

/// The width of every chart, in units of its own: the page scales it, on a phone to little less, so that
/// its text can be read there.
const WIDTH: f64 = 440.0;

/// A bar: its label, its length, and what stands at its end.
#[derive(Debug, Clone)]
pub(crate) struct Bar {
    pub(crate) label: String,
    pub(crate) value: f64,
    pub(crate) text: String,
    /// The length before, if there is something to compare with.
    pub(crate) before: Option<f64>,
}

/// Lying bars, one under the other.
pub(crate) fn bars(title: &str, bars: &[Bar]) -> String {
    const ROW: f64 = 26.0;
    const LABEL: f64 = 165.0;
    const TEXT: f64 = 95.0;
    let longest = bars
        .iter()
        .flat_map(|bar| [Some(bar.value), bar.before])
        .flatten()
        .fold(0.0, f64::max);
    let scale = (WIDTH - LABEL - TEXT) / if longest > 0.0 { longest } else { 1.0 };
    let height = ROW * count(bars.len()) + 4.0;
    let mut svg = open(title, height);
    for (place, bar) in bars.iter().enumerate() {
        let top = ROW * count(place) + 4.0;
        let length = bar.value * scale;
        let (label_at, middle, text_at) = (LABEL - 8.0, top + 13.0, LABEL + length + 6.0);
        let _ = write!(
            svg,
            "<text x=\"{label_at:.0}\" y=\"{middle:.1}\" class=\"label\" text-anchor=\"end\">{}</text>\
             <rect x=\"{LABEL:.0}\" y=\"{top:.1}\" width=\"{length:.1}\" height=\"18\" class=\"bar\"/>",
            escaped(&shortened(&bar.label, 22)),
        );
        if let Some(before) = bar.before {
            let at = LABEL + before * scale;
            let _ = write!(
                svg,
                "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{top:.1}\" y2=\"{:.1}\" class=\"before\"/>",
                top + 18.0
            );
        }
        let _ = write!(
            svg,
            "<text x=\"{text_at:.1}\" y=\"{middle:.1}\" class=\"value\">{}</text>",
            escaped(&bar.text)
        );
    }
    svg.push_str("</svg>");
    svg
}

/// Standing bars, side by side: how many files have 0, 1, 2 ... of something.
pub(crate) fn columns(title: &str, axis: &str, columns: &[(String, f64)]) -> String {
    const HEIGHT: f64 = 240.0;
    const BASE: f64 = 190.0;
    const LEFT: f64 = 46.0;
    let highest = columns.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    let scale = (BASE - 20.0) / if highest > 0.0 { highest } else { 1.0 };
    let step = (WIDTH - LEFT - 10.0) / count(columns.len().max(1));
    let mut svg = open(title, HEIGHT);
    for part in [0.0, 0.5, 1.0] {
        let y = BASE - highest * part * scale;
        let _ = write!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{:.0}\" y1=\"{y:.1}\" y2=\"{y:.1}\" class=\"grid\"/>\
             <text x=\"{:.0}\" y=\"{:.1}\" class=\"tick\" text-anchor=\"end\">{}</text>",
            WIDTH - 10.0,
            LEFT - 6.0,
            y + 4.0,
            number(highest * part)
        );
    }
    for (place, (label, value)) in columns.iter().enumerate() {
        let x = LEFT + step * count(place);
        let length = value * scale;
        let _ = write!(
            svg,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{length:.1}\" class=\"bar\"/>\
             <text x=\"{:.1}\" y=\"{:.0}\" class=\"tick\" text-anchor=\"middle\">{}</text>",
            x + step * 0.1,
            BASE - length,
            step * 0.8,
            x + step / 2.0,
            BASE + 16.0,
            escaped(label)
        );
    }
    axis_title(&mut svg, axis, HEIGHT);
    svg.push_str("</svg>");
    svg
}

/// A cumulative curve: what share of the files is at or below each value, which is drawn as a
/// logarithm.
pub(crate) fn curve(title: &str, axis: &str, points: &[(u64, u64)]) -> String {
    const HEIGHT: f64 = 260.0;
    const BASE: f64 = 210.0;
    const LEFT: f64 = 46.0;
    let total = points.last().map_or(1.0, |(_, total)| float(*total));
    let largest = points.last().map_or(1, |(value, _)| *value);
    let span = float(largest.saturating_add(1)).ln().max(0.1);
    let x = |value: u64| LEFT + (WIDTH - LEFT - 14.0) * float(value.saturating_add(1)).ln() / span;
    let y = |share: f64| BASE - (BASE - 16.0) * share;
    let mut svg = open(title, HEIGHT);
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let _ = write!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{:.0}\" y1=\"{1:.1}\" y2=\"{1:.1}\" class=\"grid\"/>\
             <text x=\"{2:.0}\" y=\"{3:.1}\" class=\"tick\" text-anchor=\"end\">{4:.0}%</text>",
            WIDTH - 14.0,
            y(share),
            LEFT - 6.0,
            y(share) + 4.0,
            share * 100.0
        );
    }
    let decades = std::iter::successors(Some(1_u64), |decade| decade.checked_mul(10));
    for decade in decades.take_while(|decade| *decade <= largest) {
        let at = x(decade);
        let _ = write!(
            svg,
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"16\" y2=\"{BASE}\" class=\"grid\"/>\
             <text x=\"{at:.1}\" y=\"{:.0}\" class=\"tick\" text-anchor=\"middle\">{}</text>",
            BASE + 16.0,
            number(float(decade))
        );
    }
    let mut path = format!("M{LEFT},{BASE}");
    for (value, below) in points {
        // Between two points, which may stand for many, it is taken to rise evenly.
        let (at, share) = (x(*value), y(float(*below) / total));
        let _ = write!(path, "L{at:.1},{share:.1}");
    }
    let _ = write!(svg, "<path d=\"{path}\" class=\"curve\"/>");
    axis_title(&mut svg, axis, HEIGHT);
    svg.push_str("</svg>");
    svg
}

/// A table of shares from 0 to 1, each cell as dark as it is large.
pub(crate) fn heat(title: &str, columns: &[&str], rows: &[(String, Vec<f64>)]) -> String {
    const ROW: f64 = 24.0;
    const HEAD: f64 = 28.0;
    const LABEL: f64 = 150.0;
    let width = (WIDTH - LABEL - 4.0) / count(columns.len().max(1));
    let mut svg = open(title, HEAD + ROW * count(rows.len()) + 4.0);
    for (place, column) in columns.iter().enumerate() {
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"18\" class=\"tick\" text-anchor=\"middle\">{}</text>",
            LABEL + width * (count(place) + 0.5),
            escaped(column)
        );
    }
    for (line, (label, shares)) in rows.iter().enumerate() {
        let top = HEAD + ROW * count(line);
        let _ = write!(
            svg,
            "<text x=\"{:.0}\" y=\"{:.1}\" class=\"label\" text-anchor=\"end\">{}</text>",
            LABEL - 8.0,
            top + 16.0,
            escaped(&shortened(label, 20))
        );
        for (place, share) in shares.iter().enumerate() {
            let left = LABEL + width * count(place);
            // The text stands on the cell: dark cells have light text.
            let class = if *share > 0.55 {
                "cell-text strong"
            } else {
                "cell-text"
            };
            let _ = write!(
                svg,
                "<rect x=\"{:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" class=\"cell\" fill-opacity=\"{:.3}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" class=\"{class}\" text-anchor=\"middle\">{:.1}%</text>",
                left + 1.0,
                width - 2.0,
                ROW - 2.0,
                share.clamp(0.0, 1.0),
                left + width / 2.0,
                top + 16.0,
                share * 100.0
            );
        }
    }
    svg.push_str("</svg>");
    svg
}

/// A share from 0 to 1, and between which the true one lies.
#[derive(Debug, Clone)]
pub(crate) struct Estimate {
    pub(crate) label: String,
    pub(crate) share: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// Shares as points, each with a line from the least that it may be to the most.
pub(crate) fn estimates(title: &str, estimates: &[Estimate]) -> String {
    const ROW: f64 = 26.0;
    const LABEL: f64 = 165.0;
    const TEXT: f64 = 150.0;
    let highest = estimates.iter().map(|row| row.high).fold(0.0, f64::max);
    let scale = (WIDTH - LABEL - TEXT) / if highest > 0.0 { highest } else { 1.0 };
    let mut svg = open(title, ROW * count(estimates.len()) + 4.0);
    for (place, row) in estimates.iter().enumerate() {
        let middle = ROW * count(place) + 13.0;
        let x = |share: f64| LABEL + share * scale;
        let _ = write!(
            svg,
            "<text x=\"{:.0}\" y=\"{:.1}\" class=\"label\" text-anchor=\"end\">{}</text>\
             <line x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{middle:.1}\" y2=\"{middle:.1}\" class=\"whisker\"/>\
             <circle cx=\"{:.1}\" cy=\"{middle:.1}\" r=\"4.5\" class=\"bar\"/>\
             <text x=\"{:.1}\" y=\"{1:.1}\" class=\"value\" text-anchor=\"end\">{:.1}% ({:.1} to {:.1})</text>",
            LABEL - 8.0,
            middle + 4.0,
            escaped(&shortened(&row.label, 22)),
            x(row.low),
            x(row.high),
            x(row.share),
            WIDTH - 2.0,
            row.share * 100.0,
            row.low * 100.0,
            row.high * 100.0,
        );
    }
    svg.push_str("</svg>");
    svg
}

fn open(title: &str, height: f64) -> String {
    let title = escaped(title);
    format!(
        "<svg viewBox=\"0 0 {WIDTH:.0} {height:.0}\" role=\"img\" aria-label=\"{title}\"><title>{title}</title>"
    )
}

fn axis_title(svg: &mut String, axis: &str, height: f64) {
    let _ = write!(
        svg,
        "<text x=\"{:.0}\" y=\"{:.0}\" class=\"tick\" text-anchor=\"middle\">{}</text>",
        WIDTH / 2.0,
        height - 8.0,
        escaped(axis)
    );
}

/// A number in few characters: 1,500 is 1.5k.
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

#[expect(clippy::cast_precision_loss, reason = "a place on paper")]
fn float(number: u64) -> f64 {
    number as f64
}

#[expect(clippy::cast_precision_loss, reason = "a place on paper")]
fn count(number: usize) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charts_are_well_formed_whatever_is_in_them() {
        let odd = "<script>\"&' \u{1b}".to_owned() + &"é".repeat(100);
        let bar = |value| Bar {
            label: odd.clone(),
            value,
            text: odd.clone(),
            before: Some(value),
        };
        let estimate = |share| Estimate {
            label: odd.clone(),
            share,
            low: 0.0,
            high: share,
        };
        let charts = [
            bars(&odd, &[bar(0.0), bar(3.5)]),
            bars(&odd, &[]),
            columns(&odd, &odd, &[(odd.clone(), 0.0)]),
            columns(&odd, &odd, &[]),
            curve(&odd, &odd, &[(0, 1), (u64::MAX, 9)]),
            curve(&odd, &odd, &[]),
            heat(&odd, &["none", "all"], &[(odd.clone(), vec![0.0, 1.0])]),
            estimates(&odd, &[]),
            estimates(&odd, &[estimate(0.0), estimate(1.0)]),
        ];
        for chart in charts {
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
