//! Charts over time: upright columns of two parts.

use super::{Axis, Caption, Percent, Tone, figure};
use crate::report::plain::Plain;
use maud::{Markup, html};

/// A column: a time, and its number.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    /// The time and the numbers in words: shown by a pointer that rests on the column.
    pub(crate) title: String,
    /// The text below the column, if it has one.
    pub(crate) tick: Option<String>,
    pub(crate) value: f64,
    /// The part of the value that the chart is about: the lower part of the column.
    pub(crate) part: f64,
}

/// Returns a chart with columns side by side. `summary` states in words what it shows.
pub(crate) fn columns(
    caption: &Caption<'_>,
    summary: &str,
    axis: &Axis,
    columns: &[Column],
) -> Markup {
    #[expect(
        clippy::cast_precision_loss,
        reason = "a chart has less than a thousand columns"
    )]
    let width = 100.0 / columns.len().max(1) as f64;
    let content = html! {
        div class="columns" {
            svg role="img" aria-label=(Plain(summary)) {
                @for (position, text) in axis.ticks() {
                    @let y = Percent(100.0 - position);
                    line class="grid" x1="0" x2="100%" y1=(y) y2=(y) {}
                    text x="-8" y=(y) dy=".35em" text-anchor="end" { (text) }
                }
                @for (index, column) in columns.iter().enumerate() {
                    @let left = width * f64::from(u32::try_from(index).unwrap_or(u32::MAX));
                    @let (all, part) = (axis.position(column.value), axis.position(column.part));
                    g {
                        title { (Plain(&column.title)) }
                        (upper(Tone::Main, left, width, part, all))
                        (upper(Tone::Accent, left, width, 0.0, part))
                    }
                    @if let Some(tick) = &column.tick {
                        line class="tick" x1=(Percent(left)) x2=(Percent(left)) y1="100%" y2="103%" {}
                        text x=(Percent(left)) y="100%" dy="1.5em" { (Plain(tick)) }
                    }
                }
            }
        }
    };
    figure(caption, &content)
}

/// Returns the part of a column between two heights, in percent.
fn upper(tone: Tone, left: f64, width: f64, from: f64, to: f64) -> Markup {
    html! {
        @if to > from {
            rect class=(tone.class()) x=(Percent(left + width * 0.08)) width=(Percent(width * 0.84))
                y=(Percent(100.0 - to)) height=(Percent(to - from)) {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Unit;
    use super::*;

    #[test]
    fn columns_are_within_the_chart() {
        let column = |value: f64, part: f64| Column {
            title: "<1>".to_owned(),
            tick: Some("<2>".to_owned()),
            value,
            part,
        };
        let all = [
            column(0.0, 0.0),
            column(981.0, 100.0),
            column(1_000.0, 1_000.0),
        ];
        let axis = Axis::new(Unit::Count, all.iter().map(|column| column.value));
        let caption = Caption {
            title: "<3>",
            axis: "<4>",
            keys: &[],
        };
        for some in [&all[..], &[]] {
            let chart = columns(&caption, "<5>", &axis, some).into_string();
            for bad in ["<1>", "<2>", "<3>", "<4>", "<5>", "NaN", "-1"] {
                assert!(!chart.contains(bad), "{bad}: {chart}");
            }
            // The first column is empty, the second has two parts, the third one.
            assert_eq!(
                chart.matches("<rect").count(),
                if some.is_empty() { 0 } else { 3 }
            );
        }
    }
}
