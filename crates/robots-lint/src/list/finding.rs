//! Findings in a list of directives, for people and linters. They do not change the meaning of the list.

use crate::catalogue::FindingKind;
use std::borrow::Cow;
use std::ops::Range;

/// The kinds of findings in a list, with their names and texts for answers about pages (docs/page-json.md).
const WORDS: [(FindingKind, &str, &str); 14] = [
    (
        FindingKind::ConflictingDirectives,
        "conflict",
        "contradicts another directive",
    ),
    (
        FindingKind::RepeatedDirective,
        "repeated",
        "repeats earlier directives",
    ),
    (
        FindingKind::UnknownDirective,
        "unknown",
        "not a known directive; ignored",
    ),
    (
        FindingKind::MisspeltDirective,
        "misspelt",
        "not a known directive",
    ),
    (
        FindingKind::InvalidValue,
        "invalid",
        "a value that cannot be read; ignored",
    ),
    (FindingKind::EmptyList, "empty", "no directive in the list"),
    (
        FindingKind::ValueOnFlag,
        "value_on_flag",
        "a value where none belongs; the directive counts",
    ),
    (
        FindingKind::WithoutEffect,
        "without_effect",
        "does nothing without noindex",
    ),
    (
        FindingKind::MissingComma,
        "missing_comma",
        "no comma before the directive",
    ),
    (
        FindingKind::PrefixLeak,
        "prefix_leak",
        "applies to the robot named before it; if lines were joined, perhaps to every robot",
    ),
    (
        FindingKind::NoZone,
        "no_zone",
        "a date without a time zone; read as UTC",
    ),
    (
        FindingKind::UnknownZone,
        "unknown_zone",
        "an unknown time zone; read as UTC",
    ),
    (
        FindingKind::WrongSeparator,
        "wrong_separator",
        "no comma between directives, which are read as one that is unknown",
    ),
    (
        FindingKind::NameInList,
        "name_in_list",
        "a name that hides the directives after it",
    ),
];

/// Returns the names of the kinds of findings in a list.
pub fn names() -> impl Iterator<Item = &'static str> {
    WORDS.into_iter().map(|(_, name, _)| name)
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
    pub fn name(&self) -> &'static str {
        self.words().0
    }

    /// Returns the text of the kind in answers about pages.
    pub fn about(&self) -> Cow<'static, str> {
        let text = self.words().1;
        match self.meant {
            Some(meant) => format!("{text}; perhaps `{meant}` is meant").into(),
            None => text.into(),
        }
    }

    fn words(&self) -> (&'static str, &'static str) {
        let words = WORDS.iter().find(|(kind, ..)| *kind == self.kind);
        words.map_or(("", ""), |(_, name, text)| (name, text))
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
