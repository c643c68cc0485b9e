//! Findings in a list of directives, for people and linters. They do not change the meaning of the list.

use crate::catalogue::FindingKind;
use std::borrow::Cow;
use std::ops::Range;

/// Returns the names of the kinds of findings in a list.
pub fn names() -> impl Iterator<Item = String> {
    let kinds = FindingKind::ALL.iter().copied();
    kinds.filter(|kind| text(*kind).is_some()).map(name)
}

/// Returns the name of a kind in answers about pages (docs/page-json.md): that of the catalogue with underscores. The names of two
/// kinds are shorter.
fn name(kind: FindingKind) -> String {
    match kind {
        FindingKind::InvalidValue => "invalid".to_owned(),
        FindingKind::EmptyList => "empty".to_owned(),
        _ => kind.name().replace('-', "_"),
    }
}

/// Returns the text of a kind in answers about pages, after the text that the finding is about; `None` for a kind that does not
/// concern lists.
fn text(kind: FindingKind) -> Option<&'static str> {
    Some(match kind {
        FindingKind::ConflictingDirectives => "contradicts another directive",
        FindingKind::RepeatedDirective => "repeats earlier directives",
        FindingKind::UnknownDirective => "not a known directive; ignored",
        FindingKind::MisspeltDirective => "not a known directive",
        FindingKind::InvalidValue => "a value that cannot be read; ignored",
        FindingKind::EmptyList => "no directive in the list",
        FindingKind::ValueOnFlag => "a value where none belongs; the directive counts",
        FindingKind::WithoutEffect => "does nothing without noindex",
        FindingKind::MissingComma => "no comma before the directive",
        FindingKind::PrefixLeak => {
            "applies to the robot named before it; if lines were joined, perhaps to every robot"
        }
        FindingKind::NoZone => "a date without a time zone; read as UTC",
        FindingKind::UnknownZone => "an unknown time zone; read as UTC",
        FindingKind::WrongSeparator => {
            "no comma between directives, which are read as one that is unknown"
        }
        FindingKind::NameInList => "a name that hides the directives after it",
        _ => return None,
    })
}

/// A suspicious part of a list of directives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListFinding<'a> {
    pub(super) kind: FindingKind,
    pub(super) meant: Option<&'static str>,
    pub(super) list: &'a str,
    pub(super) span: Range<usize>,
    pub(super) other: Option<Range<usize>>,
}

impl<'a> ListFinding<'a> {
    /// Returns the kind.
    pub fn kind(&self) -> FindingKind {
        self.kind
    }

    /// Returns the name of the kind in answers about pages: `value_on_flag`.
    pub fn name(&self) -> String {
        name(self.kind)
    }

    /// Returns the text of the kind in answers about pages.
    pub fn about(&self) -> Cow<'static, str> {
        let text = text(self.kind).unwrap_or_default();
        match self.meant {
            Some(meant) => format!("{text}; perhaps `{meant}` is meant").into(),
            None => text.into(),
        }
    }

    /// Returns the directive that a misspelt one is similar to, in lower case.
    pub fn meant(&self) -> Option<&'static str> {
        self.meant
    }

    /// Returns the range in bytes of the part of the list that the finding is about. If two parts are involved, it is
    /// that of the later one.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Returns the text of the part in [`span`](Self::span).
    pub fn text(&self) -> &'a str {
        &self.list[self.span()]
    }

    /// Returns the range in bytes of the other part, if two are involved: the directive that is contradicted or
    /// repeated, the directive before the missing comma, or the robot's name.
    pub fn other_span(&self) -> Option<Range<usize>> {
        self.other.clone()
    }

    /// Returns the text of the other part.
    pub fn other_text(&self) -> Option<&'a str> {
        self.other_span().map(|other| &self.list[other])
    }
}
