//! The page: a headline, findings, sections with charts and tables, and how the report was made.

use super::number;
use super::plain::Plain;
use anyhow::{Context, Result};
use data_encoding::BASE64;
use jiff::Timestamp;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use robots_pipeline::new_file::NewFile;
use robots_pipeline::text::path_text;
use sha2::{Digest, Sha256};
use std::io::Write as _;
use std::path::Path;

/// The style: a light and a dark theme, paper, and one column on a phone.
const STYLE: &str = include_str!("style.css");

/// The maximum number of inputs that a report names.
const MAX_INPUTS: usize = 50;

/// A file for a page. It is created before the work starts, so that an unwritable path fails early; it takes its name
/// at the end, so that a report of an earlier run stays until then.
#[derive(Debug)]
pub(crate) struct NewPage<'p> {
    path: &'p Path,
    file: NewFile,
    /// The date of the report.
    pub(crate) made: Timestamp,
}

impl<'p> NewPage<'p> {
    /// Creates the file of a report with this date.
    pub(crate) fn create(path: &'p Path, made: Timestamp) -> Result<Self> {
        let file = NewFile::create(path);
        let file = file.with_context(|| format!("cannot write {}", path_text(path)))?;
        Ok(Self { path, file, made })
    }

    /// Writes the page, and gives the file its name.
    pub(crate) fn write(mut self, html: &str) -> Result<()> {
        let written = self.file.write_all(html.as_bytes());
        written
            .and_then(|()| self.file.finish())
            .with_context(|| format!("cannot write {}", path_text(self.path)))
    }
}

/// A section of a page.
#[derive(Debug)]
struct Section {
    id: &'static str,
    heading: &'static str,
    content: Markup,
}

/// A finding in words, and the section that shows it.
#[derive(Debug)]
struct Finding {
    section: &'static str,
    text: String,
}

/// A page under construction.
#[derive(Debug)]
pub(crate) struct Page {
    kind: &'static str,
    made: Timestamp,
    headline: String,
    findings: Vec<Finding>,
    numbers: Vec<(String, &'static str)>,
    sections: Vec<Section>,
}

impl Page {
    /// Starts a page: the kind and date of the report, and its main finding.
    pub(crate) fn new(kind: &'static str, made: Timestamp, headline: String) -> Self {
        Self {
            kind,
            made,
            headline,
            findings: Vec::new(),
            numbers: Vec::new(),
            sections: Vec::new(),
        }
    }

    /// Adds a finding below the headline, with a link to its section.
    pub(crate) fn finding(&mut self, section: &'static str, text: String) {
        self.findings.push(Finding { section, text });
    }

    /// Adds a number at the top, with its subject.
    pub(crate) fn number(&mut self, number: String, subject: &'static str) {
        self.numbers.push((number, subject));
    }

    /// Adds a section.
    pub(crate) fn section(&mut self, id: &'static str, heading: &'static str, content: Markup) {
        self.sections.push(Section {
            id,
            heading,
            content,
        });
    }

    /// Returns the whole page; `made_by` is the program.
    pub(crate) fn finish(self, made_by: &str) -> String {
        // The page loads nothing and runs nothing, and has no style but its own.
        let digest = BASE64.encode(&Sha256::digest(STYLE));
        let security = format!(
            "default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
        );
        let has_section = |id: &str| self.sections.iter().any(|section| section.id == id);
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta http-equiv="Content-Security-Policy" content=(security);
                    meta name="referrer" content="no-referrer";
                    title { (self.kind) ", " (number::day(self.made)) ": " (Plain(&self.headline)) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    header {
                        p class="kind" { b { (self.kind) } " · " (number::day(self.made)) }
                        h1 { (Plain(&self.headline)) }
                        @if !self.findings.is_empty() {
                            ul class="findings" {
                                @for finding in &self.findings {
                                    li {
                                        (Plain(&finding.text))
                                        @if has_section(finding.section) {
                                            " " a href={ "#" (finding.section) } { (self.heading(finding.section)) }
                                        }
                                    }
                                }
                            }
                        }
                        dl class="numbers" {
                            @for (number, subject) in &self.numbers {
                                div { dt { (subject) } dd { (Plain(number)) } }
                            }
                        }
                        nav aria-label="Contents" {
                            ul {
                                @for section in &self.sections {
                                    li { a href={ "#" (section.id) } { (section.heading) } }
                                }
                            }
                        }
                    }
                    main {
                        @for section in &self.sections {
                            section id=(section.id) {
                                h2 { (section.heading) }
                                (section.content)
                            }
                        }
                    }
                    footer { p { "Made by " (Plain(made_by)) " on " (number::minute(self.made)) "." } }
                }
            }
        };
        page.into_string()
    }

    fn heading(&self, id: &str) -> &'static str {
        let section = self.sections.iter().find(|section| section.id == id);
        section.map_or("", |section| section.heading)
    }
}

/// Returns the finding of a section or a chart, in words.
pub(crate) fn finding(text: &str) -> Markup {
    html! { p class="finding" { (Plain(text)) } }
}

/// Returns a remark: a definition, or the source of a comparison.
pub(crate) fn remark(text: &str) -> Markup {
    html! { p class="source" { (Plain(text)) } }
}

/// Returns the method of a report: terms with their explanations.
pub(crate) fn notes(notes: &[(&str, Vec<String>)]) -> Markup {
    html! {
        dl class="notes" {
            @for (term, texts) in notes {
                @if !texts.is_empty() {
                    dt { (Plain(term)) }
                    dd {
                        @if let [text] = texts.as_slice() {
                            (Plain(text))
                        } @else {
                            ul { @for text in texts { li { (Plain(text)) } } }
                        }
                    }
                }
            }
        }
    }
}

/// Returns the names of input files, up to a limit.
pub(crate) fn input_names<'p>(paths: impl ExactSizeIterator<Item = &'p Path>) -> Vec<String> {
    let more = paths.len().saturating_sub(MAX_INPUTS);
    let name = |path: &Path| {
        if path == Path::new("-") {
            "standard input".to_owned()
        } else {
            path_text(path)
        }
    };
    let mut names: Vec<String> = paths.take(MAX_INPUTS).map(name).collect();
    if more > 0 {
        names.push(format!("and {} more", number::whole(more as u64)));
    }
    names
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn page() -> Page {
        let made = "2026-11-20T13:55:36Z".parse().unwrap();
        Page::new("Report", made, "<headline>".to_owned())
    }

    #[test]
    fn text_cannot_become_markup() {
        let mut page = page();
        page.finding("one", "<finding>".to_owned());
        page.finding("two", "<other>".to_owned());
        page.number("<number>".to_owned(), "subject");
        let content = html! {
            (finding("<text>"))
            (remark("<remark>"))
            (notes(&[("<term>", vec!["<note>".to_owned()]), ("none", Vec::new())]))
        };
        page.section("one", "One", content);
        let html = page.finish("<program>");
        for bad in [
            "<headline",
            "<finding",
            "<other",
            "<number",
            "<text",
            "<remark",
            "<term",
            "<note>",
            "<program",
            "<script",
            "none</dt>",
            "href=\"#two\"",
        ] {
            assert!(!html.contains(bad), "{bad}");
        }
        assert!(html.contains("&lt;finding&gt; <a href=\"#one\">One</a>"));
        assert!(html.contains("Made by &lt;program&gt; on 20 November 2026, 13:55 UTC."));
    }

    #[test]
    fn the_style_is_the_only_one_that_the_page_allows_itself() {
        let html = page().finish("");
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
            input_names(paths.iter().map(AsRef::as_ref))
        };
        assert_eq!(named(MAX_INPUTS - 1).len(), MAX_INPUTS - 1);
        assert_eq!(named(MAX_INPUTS).len(), MAX_INPUTS);
        let more = named(MAX_INPUTS + 1);
        assert_eq!(more.len(), MAX_INPUTS + 1);
        assert_eq!(more.last().unwrap(), "and 1 more");
        let standard = [Path::new("-")];
        assert_eq!(input_names(standard.into_iter()), ["standard input"]);
    }
}
