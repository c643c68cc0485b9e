//! The charts of a report, as data.

pub(crate) use super::axis::Unit;

use super::number;
use crate::statistics::share::{float, fraction};

/// The maximum number of rows of a chart of names.
pub(crate) const MAX_ROWS: usize = 15;

/// The colour of a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// The colour of most marks.
    Main,
    /// The colour of the marks that the chart is about.
    Accent,
}

impl Tone {
    /// Returns the colour of AI robots, or that of others.
    pub(crate) fn of_robot(is_ai: bool) -> Self {
        if is_ai { Self::Accent } else { Self::Main }
    }

    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Accent => "accent",
        }
    }
}

/// An entry of a legend: the class of its marks in the style of the page, and its text.
pub(crate) type Key = (&'static str, &'static str);

/// The keys of a chart that marks AI robots.
pub(crate) const AI_KEYS: [Key; 2] = [("accent", "AI robots"), ("main", "other robots")];

/// A chart.
#[derive(Debug)]
pub(crate) struct Chart {
    pub(super) title: String,
    /// What the axis measures, with its unit.
    pub(super) axis_name: String,
    pub(super) unit: Unit,
    pub(super) keys: Vec<Key>,
    pub(super) marks: Marks,
    /// A value that the axis reaches, whether or not a mark does.
    pub(super) reach: f64,
    pub(super) remark: Option<String>,
}

/// The marks of a chart.
#[derive(Debug)]
pub(super) enum Marks {
    /// A row for each name, and the value that all rows are compared with.
    Rows(Vec<Row>, Option<f64>),
    /// Upright columns over time, and what they show in words.
    Columns(Vec<Column>, String),
}

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

/// The bar of a row, from 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bar {
    /// The value of the axis.
    pub(super) value: f64,
    pub(super) tone: Tone,
    /// The value in an earlier report: a line across the bar.
    pub(super) before: Option<f64>,
}

/// A row of a chart.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// The name. It is never cut: a long one wraps.
    pub(super) name: String,
    /// The address of the explanation of the name.
    pub(super) url: Option<String>,
    /// A remark below the name.
    pub(super) about: String,
    pub(super) bar: Bar,
    /// The value, as text.
    pub(super) value: String,
    /// Further numbers, below the value.
    pub(super) note: String,
}

impl Row {
    fn new(
        name: impl Into<String>,
        value: f64,
        tone: Tone,
        [value_text, note]: [String; 2],
    ) -> Self {
        Self {
            name: name.into(),
            url: None,
            about: String::new(),
            bar: Bar {
                value,
                tone,
                before: None,
            },
            value: value_text,
            note,
        }
    }

    /// Returns a bar for a number, with further numbers as `note`.
    pub(crate) fn count(name: impl Into<String>, count: u64, tone: Tone, note: String) -> Self {
        Self::new(name, float(count), tone, [number::whole(count), note])
    }

    /// Returns a bar for a number of bytes, with further numbers as `note`.
    pub(crate) fn bytes(name: impl Into<String>, bytes: u64, tone: Tone, note: String) -> Self {
        let text = number::bytes(float(bytes));
        Self::new(name, float(bytes), tone, [text, note])
    }

    /// Returns a bar for the part of a whole; `thing` is the name of one of its things, such as `file`.
    pub(crate) fn share(
        name: impl Into<String>,
        part: u64,
        all: u64,
        thing: &str,
        tone: Tone,
    ) -> Self {
        let texts = [number::percent_of(part, all), number::counted(part, thing)];
        Self::new(name, fraction(part, all), tone, texts)
    }

    /// Returns a bar for the part of a whole of its own: `3 of 5`, and the share as a note.
    pub(crate) fn part(name: impl Into<String>, part: u64, all: u64, tone: Tone) -> Self {
        let texts = [number::part_of(part, all), number::percent_of(part, all)];
        Self::new(name, fraction(part, all), tone, texts)
    }

    pub(crate) fn with_about(mut self, about: impl Into<String>) -> Self {
        self.about = about.into();
        self
    }

    pub(crate) fn with_url(mut self, url: Option<String>) -> Self {
        self.url = url;
        self
    }

    /// Adds the value of an earlier report, if there is one.
    pub(crate) fn with_before(mut self, earlier: Option<f64>) -> Self {
        self.bar.before = earlier;
        self
    }
}

impl Chart {
    /// Returns a chart with a row for each name.
    pub(crate) fn rows(
        title: impl Into<String>,
        axis_name: impl Into<String>,
        unit: Unit,
        rows: impl IntoIterator<Item = Row>,
    ) -> Self {
        Self {
            title: title.into(),
            axis_name: axis_name.into(),
            unit,
            keys: Vec::new(),
            marks: Marks::Rows(rows.into_iter().collect(), None),
            reach: 0.0,
            remark: None,
        }
    }

    /// Returns a chart of counts over time. `summary` states in words what it shows.
    pub(crate) fn columns(
        title: &str,
        axis_name: String,
        summary: String,
        columns: Vec<Column>,
    ) -> Self {
        Self {
            marks: Marks::Columns(columns, summary),
            ..Self::rows(title, axis_name, Unit::Count, [])
        }
    }

    pub(crate) fn with_keys(mut self, keys: impl IntoIterator<Item = Key>) -> Self {
        self.keys.extend(keys);
        self
    }

    /// Adds a line across the chart, at a value that all rows are compared with.
    pub(crate) fn with_reference(mut self, value: f64) -> Self {
        if let Marks::Rows(_, reference) = &mut self.marks {
            *reference = Some(value);
        }
        self.with_reach(value)
    }

    /// Extends the axis to a value.
    pub(crate) fn with_reach(mut self, value: f64) -> Self {
        self.reach = self.reach.max(value);
        self
    }

    pub(crate) fn with_remark(mut self, remark: String) -> Self {
        self.remark = Some(remark);
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        match &self.marks {
            Marks::Rows(rows, _) => rows.is_empty(),
            // One time has no course.
            Marks::Columns(columns, _) => columns.len() < 2,
        }
    }

    /// Returns the largest value that the axis has room for.
    pub(super) fn largest(&self) -> f64 {
        let largest = match &self.marks {
            Marks::Rows(rows, _) => rows
                .iter()
                .map(|row| row.bar.value.max(row.bar.before.unwrap_or_default()))
                .fold(0.0, f64::max),
            Marks::Columns(columns, _) => columns
                .iter()
                .map(|column| column.value)
                .fold(0.0, f64::max),
        };
        largest.max(self.reach)
    }
}
