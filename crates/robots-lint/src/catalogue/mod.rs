//! The kinds of findings: for robots.txt files those of `robots-txt`, for pages and headers [`PageKind`].

mod explanation;
mod page;

pub use page::PageKind;

use robots_txt::Severity;
use std::fmt;

/// A kind of finding, with its code, name, severity, message and help.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DiagnosticKind {
    /// A kind of finding on a robots.txt file.
    RobotsTxt(robots_txt::DiagnosticKind),
    /// A kind of finding on a page or its headers.
    Page(PageKind),
}

impl DiagnosticKind {
    /// Returns every kind, in the order of the codes.
    pub fn all() -> impl Iterator<Item = Self> {
        let robots = robots_txt::DiagnosticKind::ALL.iter().copied();
        let pages = PageKind::ALL.iter().copied();
        robots.map(Self::RobotsTxt).chain(pages.map(Self::Page))
    }

    /// Finds a kind by its code (`R014`) or its name (`unknown-field`); ASCII case is ignored.
    pub fn by_code_or_name(text: &str) -> Option<Self> {
        Self::all().find(|kind| {
            kind.code().eq_ignore_ascii_case(text) || kind.name().eq_ignore_ascii_case(text)
        })
    }

    /// Returns the code: `R` (robots.txt) or `M` (pages and headers) and three digits.
    pub fn code(self) -> &'static str {
        match self {
            Self::RobotsTxt(kind) => kind.code(),
            Self::Page(kind) => kind.code(),
        }
    }

    /// Returns the name, in lower case with hyphens.
    pub fn name(self) -> &'static str {
        match self {
            Self::RobotsTxt(kind) => kind.name(),
            Self::Page(kind) => kind.name(),
        }
    }

    /// Returns the severity.
    pub fn severity(self) -> Severity {
        match self {
            Self::RobotsTxt(kind) => kind.severity(),
            Self::Page(kind) => kind.severity(),
        }
    }

    /// Returns what to do about it, in one sentence.
    pub fn help(self) -> &'static str {
        match self {
            Self::RobotsTxt(kind) => kind.help(),
            Self::Page(kind) => kind.help(),
        }
    }

    /// Returns the sections of the standards, and of docs/semantics.md, that the kind rests on.
    pub fn standard(self) -> &'static str {
        match self {
            Self::RobotsTxt(kind) => kind.standard(),
            Self::Page(kind) => kind.standard(),
        }
    }
}

impl fmt::Display for DiagnosticKind {
    /// Writes the message of the kind, a clause.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RobotsTxt(kind) => kind.fmt(f),
            Self::Page(kind) => kind.fmt(f),
        }
    }
}

/// The findings to report: those of a severity and above, or of some kinds.
#[derive(Debug, Clone)]
pub struct Selection {
    only: Vec<DiagnosticKind>,
    ignored: Vec<DiagnosticKind>,
    level: Severity,
}

impl Selection {
    /// Selects all kinds of this severity and above.
    pub fn of_level(level: Severity) -> Self {
        Self {
            only: Vec::new(),
            ignored: Vec::new(),
            level,
        }
    }

    /// Selects these kinds instead, whatever their severity; no kind leaves the selection as it is.
    #[must_use]
    pub fn with_only(self, only: Vec<DiagnosticKind>) -> Self {
        Self { only, ..self }
    }

    /// Leaves these kinds out.
    #[must_use]
    pub fn without(self, ignored: Vec<DiagnosticKind>) -> Self {
        Self { ignored, ..self }
    }

    /// Returns whether findings of a kind are reported.
    pub fn contains(&self, kind: DiagnosticKind) -> bool {
        let is_selected = if self.only.is_empty() {
            kind.severity() >= self.level
        } else {
            self.only.contains(&kind)
        };
        is_selected && !self.ignored.contains(&kind)
    }
}
