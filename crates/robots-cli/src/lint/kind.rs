//! What there is to find: in robots.txt files the library's kinds, in pages those of [`PageKind`].

pub(crate) use super::page::PageKind;
use robots_txt::{DiagnosticKind, Severity};
use std::fmt;

/// A kind of finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Robots(DiagnosticKind),
    Page(PageKind),
}

impl Kind {
    /// Every kind, by its code.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let robots = DiagnosticKind::ALL.iter().copied().map(Self::Robots);
        robots.chain(PageKind::ALL.iter().copied().map(Self::Page))
    }

    pub(crate) fn by_code_or_name(text: &str) -> Option<Self> {
        Self::all().find(|kind| {
            kind.code().eq_ignore_ascii_case(text) || kind.name().eq_ignore_ascii_case(text)
        })
    }

    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::Robots(kind) => kind.code(),
            Self::Page(kind) => kind.code(),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Robots(kind) => kind.name(),
            Self::Page(kind) => kind.name(),
        }
    }

    pub(crate) fn severity(self) -> Severity {
        match self {
            Self::Robots(kind) => kind.severity(),
            Self::Page(kind) => kind.severity(),
        }
    }

    pub(crate) fn help(self) -> &'static str {
        match self {
            Self::Robots(kind) => kind.help(),
            Self::Page(kind) => kind.help(),
        }
    }

    pub(crate) fn standard(self) -> &'static str {
        match self {
            Self::Robots(kind) => kind.standard(),
            Self::Page(kind) => kind.standard(),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Robots(kind) => kind.fmt(f),
            Self::Page(kind) => kind.fmt(f),
        }
    }
}
