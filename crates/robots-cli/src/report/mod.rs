//! Reports: one model that a command fills, and a writer for each format.
//!
//! A [`Report`] has findings in words, and sections with charts ([`chart`]) and tables ([`table`]). A command computes each
//! number once. [`text`] writes the findings and tables, [`csv`] the tables, and [`html`] everything. JSON is not made of the
//! model, but of the facts from which the model is made.

mod axis;
pub(crate) mod chart;
pub(crate) mod csv;
mod draw;
pub(crate) mod html;
pub(crate) mod number;
pub(crate) mod table;
pub(crate) mod text;

use chart::Chart;
use table::{Table, TableOf, Value};

/// A report, as a command fills it.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) kind: &'static str,
    /// The name and version of the program.
    pub(crate) made_by: String,
    /// The main finding.
    pub(crate) headline: String,
    /// The main numbers, each with its subject.
    pub(crate) numbers: Vec<(Value, &'static str)>,
    pub(crate) sections: Vec<Section>,
    /// Terms of the method and the inputs, with their explanations. HTML alone has them.
    pub(crate) method: Vec<(&'static str, Vec<String>)>,
    /// The counts that are not exact, with the reasons.
    pub(crate) notes: Vec<String>,
}

/// A section of a report. HTML and text leave out a section without a finding; CSV has its tables.
#[derive(Debug)]
pub(crate) struct Section {
    id: &'static str,
    heading: &'static str,
    /// The findings that are also below the headline.
    main_findings: Vec<String>,
    parts: Vec<Part>,
}

/// A part of a section.
#[derive(Debug)]
enum Part {
    /// A sentence with the numbers that the section shows.
    Finding(String),
    /// A definition, or the source of a comparison.
    Remark(String),
    /// Charts side by side. Those with the same unit have the same axis, so that they can be compared.
    Charts(Vec<Chart>),
    Table(Table),
}

impl Section {
    pub(crate) fn new(id: &'static str, heading: &'static str) -> Self {
        Self {
            id,
            heading,
            main_findings: Vec::new(),
            parts: Vec::new(),
        }
    }

    pub(crate) fn finding(mut self, text: impl Into<String>) -> Self {
        self.parts.push(Part::Finding(text.into()));
        self
    }

    /// Adds a finding that is also below the headline.
    pub(crate) fn main_finding(mut self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.main_findings.push(text.clone());
        self.finding(text)
    }

    pub(crate) fn remark(mut self, text: impl Into<String>) -> Self {
        self.parts.push(Part::Remark(text.into()));
        self
    }

    /// Adds charts side by side. Those without a row are left out.
    pub(crate) fn charts(mut self, charts: impl IntoIterator<Item = Chart>) -> Self {
        let charts = charts.into_iter().filter(|chart| !chart.is_empty());
        self.parts.push(Part::Charts(charts.collect()));
        self
    }

    pub(crate) fn table<T>(mut self, table: TableOf<T>) -> Self {
        self.parts.push(Part::Table(table.table));
        self
    }

    fn is_shown(&self) -> bool {
        let mut parts = self.parts.iter();
        parts.any(|part| matches!(part, Part::Finding(_)))
    }

    fn tables(&self) -> impl Iterator<Item = &Table> {
        self.parts.iter().filter_map(|part| match part {
            Part::Table(table) => Some(table),
            _ => None,
        })
    }
}

impl Report {
    fn shown_sections(&self) -> impl Iterator<Item = &Section> {
        self.sections.iter().filter(|section| section.is_shown())
    }
}
