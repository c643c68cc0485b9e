//! Charts.
//!
//! Labels and values are text of the page: they wrap, and keep their size at every width. Only the marks between them are SVG,
//! with positions in percent. So a chart is also a list, which is read aloud as it is shown. Colours are those of the style of the
//! page.
//!
//! Chart libraries (plotters and others) draw pictures of a fixed size: on a phone their text shrinks, and their labels cannot
//! wrap or link.

mod axis;
mod columns;
mod rows;

pub(crate) use axis::{Axis, Unit};
pub(crate) use columns::{Column, columns};
pub(crate) use rows::{Label, Mark, Reference, Row, Value, rows};

use super::plain::Plain;
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

/// The colour of a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// The colour of most marks.
    Main,
    /// The colour of the marks that the chart is about.
    Accent,
}

impl Tone {
    fn class(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Accent => "accent",
        }
    }
}

/// An entry of a legend.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Key<'t> {
    /// Marks of this colour.
    Tone(Tone, &'t str),
    /// The line of a value that the others are compared with.
    Reference(&'t str),
    /// The lines across the bars: the values of an earlier report.
    Before(&'t str),
    /// The lines on both sides of dots.
    Interval(&'t str),
}

impl Key<'_> {
    fn parts(&self) -> (&'static str, &str) {
        match self {
            Self::Tone(tone, text) => (tone.class(), text),
            Self::Reference(text) => ("reference", text),
            Self::Before(text) => ("before", text),
            Self::Interval(text) => ("whisker", text),
        }
    }
}

/// The text of a chart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caption<'t> {
    pub(crate) title: &'t str,
    /// What the axis measures, with its unit.
    pub(crate) axis: &'t str,
    pub(crate) keys: &'t [Key<'t>],
}

/// Returns a chart with its text.
fn figure(caption: &Caption<'_>, content: &Markup) -> Markup {
    html! {
        figure {
            figcaption {
                strong { (Plain(caption.title)) }
                span class="axis-name" { (Plain(caption.axis)) }
                @if !caption.keys.is_empty() {
                    span class="keys" {
                        @for key in caption.keys {
                            @let (class, text) = key.parts();
                            span { (sample(class)) (Plain(text)) }
                        }
                    }
                }
            }
            (content)
        }
    }
}

/// Returns a small mark for a legend.
fn sample(class: &str) -> Markup {
    html! {
        svg class="sample" aria-hidden="true" {
            @match class {
                "main" | "accent" => { rect class=(class) width="100%" height="100%" {} },
                "whisker" => {
                    line class="whisker main" x1="0" x2="100%" y1="50%" y2="50%" {}
                    circle class="main" cx="50%" cy="50%" r="4" {}
                },
                _ => { line class=(class) x1="50%" x2="50%" y1="0" y2="100%" {} },
            }
        }
    }
}

/// Returns charts side by side, or one below the other on narrow screens.
pub(crate) fn side_by_side(charts: &[Markup]) -> Markup {
    html! {
        div class="charts" {
            @for chart in charts { (chart) }
        }
    }
}
