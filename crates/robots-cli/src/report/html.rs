//! A report as an HTML file.
//!
//! The page has no scripts and makes no requests. It is for light and dark themes, for the screens of desktops and phones, and
//! for paper.

use super::table::{In, Table, Value};
use super::{Part, Report, Section, draw, number};
use crate::terminal::printable;
use anyhow::{Context, Result};
use data_encoding::BASE64;
use jiff::Timestamp;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use robots_answers::BASE_STYLE;
use robots_pipeline::new_file::NewFile;
use robots_pipeline::text::path_text;
use sha2::{Digest, Sha256};
use std::io::Write as _;
use std::path::Path;

/// The style, after [`BASE_STYLE`]: charts, paper, and one column on a phone.
const STYLE: &str = include_str!("style.css");

/// The maximum number of inputs that a report names.
const MAX_INPUTS: usize = 50;

/// The maximum number of rows of a table.
const MAX_TABLE_ROWS: usize = 200;

/// A file for a page. It is created before the work starts, so that an unwritable path fails early; it takes its name
/// at the end, so that a report of an earlier run stays until then.
#[derive(Debug)]
pub(crate) struct NewPage<'p> {
    path: &'p Path,
    file: NewFile,
    /// The date of the report.
    made: Timestamp,
}

impl<'p> NewPage<'p> {
    /// Creates the file of a report with this date.
    pub(crate) fn create(path: &'p Path, made: Timestamp) -> Result<Self> {
        let file = NewFile::create(path);
        let file = file.with_context(|| format!("cannot write {}", path_text(path)))?;
        Ok(Self { path, file, made })
    }

    /// Writes a report as a page, and gives the file its name.
    pub(crate) fn write(mut self, report: &Report) -> Result<()> {
        let written = self.file.write_all(page(report, self.made).as_bytes());
        written
            .and_then(|()| self.file.finish())
            .with_context(|| format!("cannot write {}", path_text(self.path)))
    }
}

/// Returns a report as a page with this date.
fn page(report: &Report, made: Timestamp) -> String {
    // The page loads nothing and runs nothing, and has no style but its own.
    let style = [BASE_STYLE, STYLE].concat();
    let digest = BASE64.encode(&Sha256::digest(&style));
    let security = format!(
        "default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    );
    let mut method = report.method.clone();
    method.push(("Notes", report.notes.clone()));
    let sections: Vec<(&str, &str, Markup)> = report
        .shown_sections()
        .map(|section| (section.id, section.heading, content(section)))
        .chain([("method", "Method and inputs", terms(&method))])
        .collect();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(security);
                meta name="referrer" content="no-referrer";
                title { (report.kind) ", " (number::day(made)) ": " (printable(&report.headline)) }
                style { (PreEscaped(style)) }
            }
            body {
                header {
                    p class="kind" { b { (report.kind) } " · " (number::day(made)) }
                    h1 { (printable(&report.headline)) }
                    @if report.shown_sections().any(|section| !section.main_findings.is_empty()) {
                        ul class="findings" {
                            @for section in report.shown_sections() {
                                @for text in &section.main_findings {
                                    li { (printable(text)) " " a href={ "#" (section.id) } { (section.heading) } }
                                }
                            }
                        }
                    }
                    dl class="numbers" {
                        @for (number, subject) in &report.numbers {
                            div { dt { (subject) } dd { (printable(&number.shown())) } }
                        }
                    }
                    nav aria-label="Contents" {
                        ul {
                            @for (id, heading, _) in &sections { li { a href={ "#" (id) } { (heading) } } }
                        }
                    }
                }
                main {
                    @for (id, heading, content) in &sections {
                        section id=(id) { h2 { (heading) } (content) }
                    }
                }
                footer { p { "Made by " (printable(&report.made_by)) " on " (number::minute(made)) "." } }
            }
        }
    };
    page.into_string()
}

/// Returns the content of a section. Next to charts, a table has their numbers: it is shown on request, and always printed.
fn content(section: &Section) -> Markup {
    let mut parts = section.parts.iter();
    let has_charts = parts.any(|part| matches!(part, Part::Charts(charts) if !charts.is_empty()));
    html! {
        @for part in &section.parts {
            @match part {
                Part::Finding(text) => { p class="finding" { (printable(text)) } },
                Part::Remark(text) => (remark(text)),
                Part::Charts(charts) => (draw::charts(charts)),
                Part::Table(table) => {
                    @if table.rows() == 0 || table.names(In::HTML).is_empty() {
                    } @else if has_charts {
                        details {
                            summary { "Table: " (table.caption) }
                            (table_of(table))
                        }
                    } @else {
                        (table_of(table))
                    }
                },
            }
        }
    }
}

pub(super) fn remark(text: &str) -> Markup {
    html! { p class="source" { (printable(text)) } }
}

/// Returns terms with their explanations; those without one are left out.
fn terms(terms: &[(&str, Vec<String>)]) -> Markup {
    html! {
        dl class="notes" {
            @for (term, texts) in terms.iter().filter(|(_, texts)| !texts.is_empty()) {
                dt { (term) }
                dd {
                    @if let [text] = texts.as_slice() {
                        (printable(text))
                    } @else {
                        ul { @for text in texts { li { (printable(text)) } } }
                    }
                }
            }
        }
    }
}

/// Returns a table. Its caption names it, also to those who cannot see it; the first cell of each row is the name of the row. A
/// keyboard can scroll it where it is wider than the page.
fn table_of(table: &Table) -> Markup {
    let rows: Vec<_> = table.cells(In::HTML).take(MAX_TABLE_ROWS).collect();
    let class = |value: &Value| value.is_number().then_some("number");
    let class_of_column = |column: usize| rows.iter().find_map(|row| class(row[column]));
    let cell = |value: &Value| {
        html! {
            @match value {
                Value::Link(text, url) => { a href=(printable(url)) { (printable(text)) } },
                _ => (printable(&value.shown())),
            }
        }
    };
    html! {
        div class="scroll" role="region" aria-label=(table.caption) tabindex="0" {
            table {
                caption { (table.caption) }
                thead {
                    tr {
                        @for (column, name) in table.names(In::HTML).iter().enumerate() {
                            th scope="col" class=[class_of_column(column)] { (name) }
                        }
                    }
                }
                tbody {
                    @for row in &rows {
                        tr {
                            @for (column, value) in row.iter().enumerate() {
                                @if column == 0 {
                                    th scope="row" class=[class(value)] { (cell(value)) }
                                } @else {
                                    td class=[class_of_column(column)] { (cell(value)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Returns the names of input files, up to a limit.
pub(crate) fn input_names(paths: &[impl AsRef<Path>]) -> Vec<String> {
    let (named, more) = paths.split_at(paths.len().min(MAX_INPUTS));
    let name = |path: &Path| match path_text(path).as_str() {
        "-" => "standard input".to_owned(),
        name => name.to_owned(),
    };
    let mut names: Vec<String> = named.iter().map(|path| name(path.as_ref())).collect();
    if !more.is_empty() {
        names.push(format!("and {} more", number::whole(more.len() as u64)));
    }
    names
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn html(section: Section) -> String {
        let report = Report {
            kind: "Report",
            made_by: "<program>".to_owned(),
            headline: "<headline>".to_owned(),
            numbers: vec![("<number>".into(), "subject")],
            sections: vec![section],
            method: vec![("Term", vec!["<note>".to_owned()]), ("none", Vec::new())],
            notes: vec!["<text>\u{7}\u{202e}".to_owned()],
        };
        page(&report, "2026-11-20T13:55:36Z".parse().unwrap())
    }

    #[test]
    fn text_cannot_become_markup() {
        let row = (
            Value::Link("<a>".to_owned(), "https://a.example/?\"&".to_owned()),
            "<b>",
            1_000_u64,
        );
        let table = Table::of("", "c", [row])
            .column(In::ALL, "d", |row| row.0.clone())
            .column(In::ALL, "e", |row| row.1)
            .column(In::HTML, "f", |row| row.2);
        let section = Section::new("one", "One");
        let html = html(
            section
                .main_finding("<finding>")
                .finding("<text>")
                .remark("<remark>")
                .table(table),
        );
        for bad in [
            "<headline",
            "<finding",
            "<number",
            "<text",
            "<remark",
            "<note>",
            "<program",
            "<script",
            "none</dt>",
            "\u{7}",
        ] {
            assert!(!html.contains(bad), "{bad}");
        }
        for part in [
            "&lt;finding&gt; <a href=\"#one\">One</a>",
            "Made by &lt;program&gt; on 20 November 2026, 13:55 UTC.",
            "&lt;text&gt;\\u{7}\\u{202e}",
            "<div class=\"scroll\" role=\"region\" aria-label=\"c\" tabindex=\"0\">",
            "<caption>c</caption>",
            "<th scope=\"col\">d</th>",
            "<th scope=\"col\" class=\"number\">f</th>",
            "<th scope=\"row\"><a href=\"https://a.example/?&quot;&amp;\">&lt;a&gt;</a></th>",
            "<td>&lt;b&gt;</td><td class=\"number\">1,000</td>",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
    }

    #[test]
    fn the_style_is_the_only_one_that_the_page_allows_itself() {
        let html = html(Section::new("", ""));
        let style = html.split("<style>").nth(1).unwrap();
        let style = style.split("</style>").next().unwrap();
        let hash = BASE64.encode(&Sha256::digest(style));
        assert!(html.contains(&format!("style-src 'sha256-{hash}'")));
        // The style loads nothing, and shows no text smaller than 13 pixels on a screen.
        assert!(!style.contains("url(") && !style.contains("@import"));
        let screen = style.split("@media print").next().unwrap();
        for size in screen.split("font-size: ").skip(1) {
            let size = size.split([';', ' ']).next().unwrap();
            let size = size.strip_prefix("clamp(").unwrap_or(size);
            let size = size.trim_end_matches(',').strip_suffix("rem").unwrap();
            assert!(size.parse::<f64>().unwrap() * 16.0 >= 13.0, "{size}");
        }
    }

    #[test]
    fn inputs_beyond_the_limit_are_counted() {
        let named = |count: usize| {
            let paths: Vec<PathBuf> = (0..count)
                .map(|at| PathBuf::from(format!("{at}")))
                .collect();
            input_names(&paths)
        };
        assert_eq!(named(MAX_INPUTS - 1).len(), MAX_INPUTS - 1);
        assert_eq!(named(MAX_INPUTS).len(), MAX_INPUTS);
        let more = named(MAX_INPUTS + 1);
        assert_eq!(more.len(), MAX_INPUTS + 1);
        assert_eq!(more.last().unwrap(), "and 1 more");
        assert_eq!(input_names(&["-"]), ["standard input"]);
    }
}
