//! Charts with a row for each name: bars, and dots with intervals.

use super::{Axis, Caption, Percent, Tone, figure};
use crate::report::number;
use crate::report::plain::Plain;
use crate::statistics::share::fraction;
use maud::{Markup, html};

/// The name of a row. It is never cut: a long one wraps.
#[derive(Debug, Clone, Default)]
pub(crate) struct Label {
    pub(crate) text: String,
    /// The address of its explanation.
    pub(crate) url: Option<String>,
    /// A remark below the name.
    pub(crate) note: Option<String>,
}

impl Label {
    /// Returns the label of a name.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// Adds a remark below the name.
    pub(crate) fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// Adds the address of an explanation, if there is one.
    pub(crate) fn with_url(mut self, url: Option<String>) -> Self {
        self.url = url;
        self
    }
}

/// The mark of a row, by values of the axis.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Mark {
    /// A bar from 0.
    Bar {
        value: f64,
        tone: Tone,
        /// The value in an earlier report: a line across the bar.
        before: Option<f64>,
    },
    /// A dot on the line of its confidence interval.
    Dot { value: f64, low: f64, high: f64 },
}

impl Mark {
    /// Returns a bar of this colour.
    pub(crate) fn bar(value: f64, tone: Tone) -> Self {
        Self::Bar {
            value,
            tone,
            before: None,
        }
    }

    /// Returns the values that the axis needs room for.
    fn values(self) -> [f64; 2] {
        match self {
            Self::Bar { value, before, .. } => [value, before.unwrap_or_default()],
            Self::Dot { value, high, .. } => [value, high],
        }
    }
}

/// The numbers of a row, as text.
#[derive(Debug, Clone)]
pub(crate) struct Value {
    pub(crate) text: String,
    /// Further numbers, below.
    pub(crate) note: String,
}

/// A row of a chart.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) label: Label,
    pub(crate) mark: Mark,
    pub(crate) value: Value,
}

impl Row {
    /// Returns a bar for the part of a whole; `thing` is the name of one of its things, such as `file`.
    pub(crate) fn share(label: Label, part: u64, all: u64, thing: &str, tone: Tone) -> Self {
        Self {
            label,
            mark: Mark::bar(fraction(part, all), tone),
            value: Value {
                text: number::percent_of(part, all),
                note: number::counted(part, thing),
            },
        }
    }

    /// Adds the value of an earlier report, if there is one.
    pub(crate) fn with_before(mut self, earlier: Option<f64>) -> Self {
        if let Mark::Bar { before, .. } = &mut self.mark {
            *before = earlier;
        }
        self
    }

    /// Returns the values that the axis needs room for.
    pub(crate) fn values(&self) -> [f64; 2] {
        self.mark.values()
    }
}

/// A value that all rows are compared with: a line across the chart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reference(pub(crate) f64);

/// Returns a chart with a row for each name.
pub(crate) fn rows(
    caption: &Caption<'_>,
    axis: &Axis,
    reference: Option<Reference>,
    rows: &[Row],
) -> Markup {
    let ticks: Vec<(f64, String)> = axis.ticks().collect();
    let content = html! {
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
                        span class="label" { (name(&row.label)) }
                        svg class="marks" aria-hidden="true" {
                            @for (position, _) in &ticks { (upright("grid", *position)) }
                            (mark(&row.mark, axis))
                            @if let Some(Reference(value)) = reference {
                                (upright("reference", axis.position(value)))
                            }
                        }
                        span class="value" {
                            b { (Plain(&row.value.text)) }
                            @if !row.value.note.is_empty() { " " small { (Plain(&row.value.note)) } }
                        }
                    }
                }
            }
        }
    };
    figure(caption, &content)
}

fn name(label: &Label) -> Markup {
    html! {
        @match &label.url {
            Some(url) => { a href=(Plain(url)) { (Plain(&label.text)) } },
            None => (Plain(&label.text)),
        }
        @if let Some(note) = &label.note { " " small { (Plain(note)) } }
    }
}

fn mark(mark: &Mark, axis: &Axis) -> Markup {
    match *mark {
        Mark::Bar {
            value,
            tone,
            before,
        } => html! {
            @if value > 0.0 {
                rect class=(tone.class()) y="50%" width=(Percent(axis.position(value))) height="14" {}
            }
            @if let Some(before) = before {
                @let x = Percent(axis.position(before));
                line class="before" x1=(x) x2=(x) y1="15%" y2="85%" {}
            }
        },
        Mark::Dot { value, low, high } => html! {
            line class="whisker main" x1=(Percent(axis.position(low))) x2=(Percent(axis.position(high))) y1="50%" y2="50%" {}
            circle class="main" cx=(Percent(axis.position(value))) cy="50%" r="5" {}
        },
    }
}

/// Returns a line from top to bottom.
fn upright(class: &str, position: f64) -> Markup {
    let x = Percent(position);
    html! { line class=(class) x1=(x) x2=(x) y1="0" y2="100%" {} }
}

#[cfg(test)]
mod tests {
    use super::super::{Key, Unit};
    use super::*;

    #[test]
    fn charts_have_whole_labels_and_no_foreign_markup() {
        let text = "<script>\"&' \u{1b}".to_owned() + &"é".repeat(100);
        let label = Label::new(text.as_str())
            .with_note(text.as_str())
            .with_url(Some(text.clone()));
        let value = Value {
            text: text.clone(),
            note: text.clone(),
        };
        let row = |mark| Row {
            label: label.clone(),
            mark,
            value: value.clone(),
        };
        let marks = [
            Mark::bar(0.0, Tone::Main),
            Mark::Bar {
                value: 3.5,
                tone: Tone::Accent,
                before: Some(f64::MAX),
            },
            Mark::Dot {
                value: 0.5,
                low: 0.0,
                high: 1.0,
            },
        ];
        for unit in [Unit::Share, Unit::Count, Unit::Bytes] {
            let axis = Axis::new(unit, marks.iter().flat_map(|mark| mark.values()));
            let keys = [Key::Reference(&text), Key::Tone(Tone::Main, &text)];
            let caption = Caption {
                title: &text,
                axis: &text,
                keys: &keys,
            };
            let all = marks.map(row);
            let chart = rows(&caption, &axis, Some(Reference(0.25)), &all).into_string();
            assert!(!chart.contains("<script") && !chart.contains('\u{1b}'));
            assert!(!chart.contains("NaN") && !chart.contains("inf%"), "{chart}");
            assert!(chart.starts_with("<figure>") && chart.ends_with("</figure>"));
            // The title, the name of the axis, two keys; of each row the name with its address and remark, and the value with its.
            assert_eq!(chart.matches(&"é".repeat(100)).count(), 4 + 3 * 5);
        }
    }
}
