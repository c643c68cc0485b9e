//! Charts in HTML.
//!
//! Labels and values are text of the page: they wrap, and keep their size at every width. Only the marks between them are SVG,
//! with positions in percent. So a chart is also a list, which is read aloud as it is shown. Colours are those of the style of the
//! page.
//!
//! Chart libraries (plotters and others) draw pictures of a fixed size: on a phone their text shrinks, and their labels cannot
//! wrap or link.

use super::axis::Axis;
use super::chart::{Bar, Chart, Column, Marks, Row, Tone};
use super::html::remark;
use crate::terminal::printable;
use maud::{Markup, Render, html};
use std::fmt::Write;

/// A position or length in percent of a chart.
#[derive(Debug, Clone, Copy)]
struct Percent(f64);

impl Render for Percent {
    fn render_to(&self, buffer: &mut String) {
        // Writing to a string cannot fail.
        let _ = write!(buffer, "{:.2}%", self.0);
    }
}

/// Returns charts side by side, or one below the other on narrow screens. Those with the same unit have the same axis.
pub(super) fn charts(charts: &[Chart]) -> Markup {
    let axis = |chart: &Chart| {
        let same = charts.iter().filter(|other| other.unit == chart.unit);
        Axis::new(chart.unit, same.map(Chart::largest))
    };
    html! {
        @if let [chart] = charts {
            (figure(chart, &axis(chart)))
        } @else if !charts.is_empty() {
            div class="charts" { @for chart in charts { div { (figure(chart, &axis(chart))) } } }
        }
    }
}

fn figure(chart: &Chart, axis: &Axis) -> Markup {
    html! {
        figure {
            figcaption {
                strong { (printable(&chart.title)) }
                span class="axis-name" { (printable(&chart.axis_name)) }
                @if !chart.keys.is_empty() {
                    span class="keys" {
                        @for (class, text) in &chart.keys { span { (sample(class)) (text) } }
                    }
                }
            }
            @match &chart.marks {
                Marks::Rows(all, reference) => (rows(all, *reference, axis)),
                Marks::Columns(all, summary) => (columns(all, summary, axis)),
            }
        }
        @if let Some(text) = &chart.remark { (remark(text)) }
    }
}

/// Returns a small mark for a legend.
fn sample(class: &str) -> Markup {
    html! {
        svg class="sample" aria-hidden="true" {
            @match class {
                "main" | "accent" => { rect class=(class) width="100%" height="100%" {} },
                _ => { line class=(class) x1="50%" x2="50%" y1="0" y2="100%" {} },
            }
        }
    }
}

fn rows(rows: &[Row], reference: Option<f64>, axis: &Axis) -> Markup {
    let ticks: Vec<(f64, String)> = axis.ticks().collect();
    html! {
        div class="rows" {
            div class="ticks" aria-hidden="true" {
                svg {
                    @for (index, (position, text)) in ticks.iter().enumerate() {
                        @let class = if index == 0 { "first" } else if *position >= 100.0 { "last" } else { "" };
                        text class=(class) x=(Percent(*position)) y="1.1em" { (text) }
                    }
                }
            }
            ul role="list" {
                @for row in rows {
                    li {
                        span class="label" {
                            @match &row.url {
                                Some(url) => { a href=(printable(url)) { (printable(&row.name)) } },
                                None => (printable(&row.name)),
                            }
                            @if !row.about.is_empty() { " " small { (printable(&row.about)) } }
                        }
                        svg class="marks" aria-hidden="true" {
                            @for (position, _) in &ticks { (upright("grid", *position)) }
                            (bar(row.bar, axis))
                            @if let Some(value) = reference {
                                (upright("reference", axis.position(value)))
                            }
                        }
                        span class="value" {
                            b { (printable(&row.value)) }
                            @if !row.note.is_empty() { " " small { (printable(&row.note)) } }
                        }
                    }
                }
            }
        }
    }
}

fn bar(bar: Bar, axis: &Axis) -> Markup {
    html! {
        @if bar.value > 0.0 {
            rect class=(bar.tone.class()) y="50%" width=(Percent(axis.position(bar.value))) height="14" {}
        }
        @if let Some(before) = bar.before {
            @let x = Percent(axis.position(before));
            line class="before" x1=(x) x2=(x) y1="15%" y2="85%" {}
        }
    }
}

/// Returns a line from top to bottom.
fn upright(class: &str, position: f64) -> Markup {
    let x = Percent(position);
    html! { line class=(class) x1=(x) x2=(x) y1="0" y2="100%" {} }
}

fn columns(columns: &[Column], summary: &str, axis: &Axis) -> Markup {
    #[expect(
        clippy::cast_precision_loss,
        reason = "a chart has less than a thousand columns"
    )]
    let left_of = |index: usize| 100.0 * index as f64 / columns.len() as f64;
    let width = left_of(1);
    html! {
        div class="columns" {
            svg role="img" aria-label=(printable(summary)) {
                @for (position, text) in axis.ticks() {
                    @let y = Percent(100.0 - position);
                    line class="grid" x1="0" x2="100%" y1=(y) y2=(y) {}
                    text x="-8" y=(y) dy=".35em" text-anchor="end" { (text) }
                }
                @for (index, column) in columns.iter().enumerate() {
                    @let left = left_of(index);
                    @let (all, part) = (axis.position(column.value), axis.position(column.part));
                    g {
                        title { (printable(&column.title)) }
                        (part_of_column(Tone::Main, left, width, part, all))
                        (part_of_column(Tone::Accent, left, width, 0.0, part))
                    }
                    @if let Some(tick) = &column.tick {
                        line class="tick" x1=(Percent(left)) x2=(Percent(left)) y1="100%" y2="103%" {}
                        text x=(Percent(left)) y="100%" dy="1.5em" { (printable(tick)) }
                    }
                }
            }
        }
    }
}

/// Returns the part of a column between two heights, in percent.
fn part_of_column(tone: Tone, left: f64, width: f64, from: f64, to: f64) -> Markup {
    html! {
        @if to > from {
            rect class=(tone.class()) x=(Percent(left + width * 0.08)) width=(Percent(width * 0.84))
                y=(Percent(100.0 - to)) height=(Percent(to - from)) {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::chart::Unit;
    use super::*;

    #[test]
    fn charts_have_whole_labels_and_no_foreign_markup() {
        let text = "<script>\"&' \u{1b}".to_owned() + &"é".repeat(100);
        let decorated = |row: Row| {
            row.with_about(text.as_str())
                .with_url(Some(text.clone()))
                .with_before(Some(f64::MAX))
        };
        let rows = [
            decorated(Row::count(text.as_str(), 0, Tone::Main, text.clone())),
            decorated(Row::bytes(text.as_str(), 3, Tone::Accent, text.clone())),
            decorated(Row::part(text.as_str(), 3, 5, Tone::Main)),
        ];
        for unit in [Unit::Share, Unit::Count, Unit::Bytes] {
            let chart = Chart::rows(text.as_str(), text.as_str(), unit, rows.clone())
                .with_keys([("reference", "one"), ("main", "two")])
                .with_reference(0.25);
            let html = charts(&[chart]).into_string();
            assert!(!html.contains("<script") && !html.contains('\u{1b}'));
            assert!(!html.contains("NaN") && !html.contains("inf%"), "{html}");
            assert!(html.starts_with("<figure>") && html.ends_with("</figure>"));
            // The title and the name of the axis; of each row the name with its address and remark, and of two the note of the value.
            assert_eq!(html.matches(&"é".repeat(100)).count(), 2 + 3 * 3 + 2);
        }
    }

    #[test]
    fn columns_are_within_the_chart() {
        let column = |value: f64, part: f64| Column {
            title: "<1>".to_owned(),
            tick: Some("<2>".to_owned()),
            value,
            part,
        };
        let all = vec![
            column(0.0, 0.0),
            column(981.0, 100.0),
            column(1_000.0, 1_000.0),
        ];
        let chart = Chart::columns("<3>", "<4>".to_owned(), "<5>".to_owned(), all);
        let html = charts(&[chart]).into_string();
        for bad in ["<1>", "<2>", "<3>", "<4>", "<5>", "NaN", "-1"] {
            assert!(!html.contains(bad), "{bad}: {html}");
        }
        // The first column is empty, the second has two parts, the third one.
        assert_eq!(html.matches("<rect").count(), 3);
    }
}
