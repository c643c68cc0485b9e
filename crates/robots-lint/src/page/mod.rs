//! Findings on pages and their headers.
//!
//! Each list of directives is examined alone (`lists`), and then the page as a whole (`whole`): its lists
//! next to each other, its canonical link, and the robots.txt that applies to it. `no_snippet` examines elements with `data-nosnippet`. `location` finds lines and columns.
//! Linear in the page and its headers.

mod input;
mod lists;
mod location;
mod no_snippet;
mod whole;

pub use input::{PageInput, header_text};
pub use whole::RobotsInForce;

use crate::catalogue::DiagnosticKind;
use crate::report::Annotation;
use location::Spot;
use robots_meta::{HeadOptions, PageMeta, Timestamp};
use std::fmt;

/// A linter of pages and their headers.
///
/// ```
/// use robots_lint::{PageInput, PageLinter};
/// use robots_meta::Timestamp;
///
/// let now = Timestamp::from_seconds(1_790_000_000);
/// let page = PageInput::new("<meta name=robots content='noindex, nofolow'>");
/// let linted = PageLinter::new(&["robots", "googlebot"]).lint(page, now);
/// let annotations = linted.annotations();
/// assert_eq!(annotations[0].kind.code(), "M013");
/// assert_eq!((annotations[0].location.line, annotations[0].location.column), (1, 37));
/// ```
#[derive(Clone, Copy)]
pub struct PageLinter<'a> {
    names: &'a [&'a str],
    robots: Option<&'a dyn RobotsInForce>,
}

impl fmt::Debug for PageLinter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PageLinter")
            .field("names", &self.names)
            .finish_non_exhaustive()
    }
}

impl<'a> PageLinter<'a> {
    /// Creates a linter for METAs with these names, such as `robots` and `googlebot`.
    pub fn new(names: &'a [&'a str]) -> Self {
        Self {
            names,
            robots: None,
        }
    }

    /// Adds the robots.txt files in force, for findings on directives that they hide.
    #[must_use]
    pub fn with_robots(self, robots: &'a dyn RobotsInForce) -> Self {
        Self {
            robots: Some(robots),
            ..self
        }
    }

    /// Lints a page. Dates up to `now` have passed.
    pub fn lint(&self, page: PageInput, now: Timestamp) -> LintedPage {
        let meta = HeadOptions::new()
            .with_charset(page.charset().unwrap_or_default())
            .read_document(page.html());
        let mut diagnostics = lists::diagnostics(&page, &meta, self.names);
        self.examine_whole(&page, &meta, now, &mut diagnostics);
        diagnostics.sort_by_key(|found| found.spot.order());
        LintedPage {
            encoding: meta.encoding(),
            page,
            diagnostics,
        }
    }

    fn examine_whole(
        &self,
        page: &PageInput,
        meta: &PageMeta,
        now: Timestamp,
        diagnostics: &mut Vec<PageDiagnostic>,
    ) {
        let statements = lists::statements(page, meta, self.names);
        whole::places(meta, self.names, diagnostics);
        whole::disagreements(&statements, diagnostics);
        whole::passed_dates(&statements, now, diagnostics);
        whole::noarchive(&statements, diagnostics);
        let canonical = whole::canonical_elsewhere(page, meta);
        whole::noindex_and_canonical(canonical.as_ref(), &statements, diagnostics);
        if let Some(robots) = self.robots {
            whole::hidden(page, canonical.as_ref(), &statements, robots, diagnostics);
        }
        diagnostics.extend(no_snippet::diagnostics(page, meta));
    }
}

/// A finding, without its line and column.
#[derive(Debug, Clone)]
struct PageDiagnostic {
    kind: DiagnosticKind,
    /// The part of the message that differs between findings of a kind.
    detail: Option<String>,
    spot: Spot,
    /// Another span that concerns the finding, and its label.
    related: Option<(Spot, &'static str)>,
}

impl PageDiagnostic {
    fn new(kind: DiagnosticKind, spot: Spot) -> Self {
        Self {
            kind,
            detail: None,
            spot,
            related: None,
        }
    }

    fn with_detail(self, detail: String) -> Self {
        Self {
            detail: Some(detail),
            ..self
        }
    }

    fn message(&self) -> String {
        match &self.detail {
            Some(detail) => format!("{}: {detail}", self.kind),
            None => self.kind.to_string(),
        }
    }
}

/// A page with its findings, headers first, then in the order of the page.
#[derive(Debug, Clone)]
pub struct LintedPage {
    page: PageInput,
    encoding: &'static str,
    diagnostics: Vec<PageDiagnostic>,
}

impl LintedPage {
    /// Keeps the findings of which `keep` returns true.
    pub fn retain(&mut self, mut keep: impl FnMut(DiagnosticKind) -> bool) {
        self.diagnostics.retain(|found| keep(found.kind));
    }

    /// Returns the URL of the page.
    pub fn url(&self) -> Option<&str> {
        self.page.url()
    }

    /// Returns the number of findings.
    pub fn len(&self) -> usize {
        self.diagnostics.len()
    }

    /// Returns whether there is no finding.
    pub fn is_empty(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// Returns the findings with their lines and columns. Linear in the page.
    pub fn annotations(&self) -> Vec<Annotation<'_>> {
        location::annotations(&self.page, self.encoding, &self.diagnostics)
    }
}
