//! Findings in a list of directives: suspicious parts of its text, for people and linters. They do not
//! change the meaning of the list. `robots-lint` makes a diagnostic of each, with a code, a severity
//! and a place in the page or header.
//!
//! Each finding has the part of the text that it is about, and a second part if two are involved.
//! Findings are in the order of the text. Linear in the text: up to `MAX_COMPARED_DIRECTIVES`
//! directives are compared, up to [`MAX_FINDINGS`] findings are returned. The kinds are those of
//! docs/semantics.md, sections 0.6, 5.5 to 5.7 and 10.

use super::item::Directive;
use std::fmt;
use std::ops::Range;

/// The maximum number of findings that are returned for one list.
pub const MAX_FINDINGS: usize = 1_000;

/// The kind of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ListFindingKind {
    /// Two directives for one robot contradict each other: `index, noindex`; `all, none`;
    /// `nosnippet` with a `max-snippet` other than 0; two limits or dates that differ. Their joint
    /// meaning depends on the engine (docs/semantics.md, section 8.4).
    Conflict,
    /// The directive repeats earlier ones for the same robot.
    Repeated,
    /// An unknown directive, which is ignored. Engines may know others.
    Unknown,
    /// An unknown directive, which is ignored, but is similar to a known one. A letter is added,
    /// missing, wrong or exchanged with the next; or hyphens and spaces differ.
    Misspelt {
        /// The similar directive, in lower case.
        meant: &'static str,
    },
    /// A name with a value that is missing or cannot be read; the name and the value are ignored
    /// (docs/semantics.md, section 5.1).
    Invalid,
    /// The list has no directive.
    Empty,
    /// A directive without values has one: `noindex: 1`. The directive counts (docs/semantics.md,
    /// section 5.5).
    ValueOnFlag,
    /// `indexifembedded` without a `noindex` in the list has no effect, unless another list has
    /// `noindex` (docs/semantics.md, section 5.1).
    WithoutEffect,
    /// White space or a colon is before the directive, in place of a comma. This crate reads the
    /// directive; not every engine does (docs/semantics.md, section 5.5).
    MissingComma,
    /// A directive after a comma still applies to the robot named before: `a: noindex, nofollow`. That
    /// is so within one header line. But if several lines were joined by commas, the directive may have
    /// been meant for every robot (docs/semantics.md, section 5.5, item 7). Returned once for each name
    /// and only in headers; the other part is the name.
    PrefixLeak,
    /// A date without a time zone, which is read as UTC (docs/semantics.md, section 5.6).
    NoZone,
    /// A date with an unknown time zone, which is read as UTC (docs/semantics.md, section 5.6).
    UnknownZone,
}

impl ListFindingKind {
    /// Every name of a kind.
    pub const NAMES: &[&'static str] = &[
        "conflict",
        "repeated",
        "unknown",
        "misspelt",
        "invalid",
        "empty",
        "value_on_flag",
        "without_effect",
        "missing_comma",
        "prefix_leak",
        "no_zone",
        "unknown_zone",
    ];

    /// Returns the name of the kind, in lower case with underscores: `value_on_flag`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Conflict => "conflict",
            Self::Repeated => "repeated",
            Self::Unknown => "unknown",
            Self::Misspelt { .. } => "misspelt",
            Self::Invalid => "invalid",
            Self::Empty => "empty",
            Self::ValueOnFlag => "value_on_flag",
            Self::WithoutEffect => "without_effect",
            Self::MissingComma => "missing_comma",
            Self::PrefixLeak => "prefix_leak",
            Self::NoZone => "no_zone",
            Self::UnknownZone => "unknown_zone",
        }
    }
}

impl fmt::Display for ListFindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Conflict => "contradicts another directive",
            Self::Repeated => "repeats earlier directives",
            Self::Unknown => "not a known directive; ignored",
            Self::Misspelt { meant } => {
                return write!(f, "not a known directive; perhaps `{meant}` is meant");
            }
            Self::Invalid => "a value that cannot be read; ignored",
            Self::Empty => "no directive in the list",
            Self::ValueOnFlag => "a value where none belongs; the directive counts",
            Self::WithoutEffect => "does nothing without noindex",
            Self::MissingComma => "no comma before the directive",
            Self::PrefixLeak => {
                "applies to the robot named before it; if lines were joined, perhaps to every robot"
            }
            Self::NoZone => "a date without a time zone; read as UTC",
            Self::UnknownZone => "an unknown time zone; read as UTC",
        };
        f.write_str(text)
    }
}

/// A suspicious part of a list of directives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ListFinding<'a> {
    pub(super) kind: ListFindingKind,
    pub(super) list: &'a str,
    pub(super) span: Span,
    pub(super) other: Option<Span>,
}

impl<'a> ListFinding<'a> {
    /// Returns the kind.
    pub fn kind(&self) -> ListFindingKind {
        self.kind
    }

    /// Returns the range in bytes of the part of the list that the finding is about. If two parts are involved, it is
    /// that of the later one.
    pub fn span(&self) -> Range<usize> {
        self.span.range()
    }

    /// Returns the text of the part in [`span`](Self::span).
    pub fn text(&self) -> &'a str {
        self.span.of(self.list)
    }

    /// Returns the range in bytes of the other part, if two are involved: the directive that is contradicted or
    /// repeated, the directive before the missing comma, or the robot's name.
    pub fn other_span(&self) -> Option<Range<usize>> {
        self.other.map(Span::range)
    }

    /// Returns the text of the other part.
    pub fn other_text(&self) -> Option<&'a str> {
        self.other.map(|other| other.of(self.list))
    }
}

impl fmt::Display for ListFinding<'_> {
    /// Writes `byte 7: "noindex": contradicts another directive: "index"`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (start, text) = (self.span.start, self.text());
        write!(f, "byte {start}: {text:?}: {}", self.kind)?;
        match self.other_text() {
            Some(other) => write!(f, ": {other:?}"),
            None => Ok(()),
        }
    }
}

/// A part of a list, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Span {
    pub(super) fn new(start: usize, text: &str) -> Self {
        Self {
            start,
            end: start.saturating_add(text.len()),
        }
    }

    pub(super) fn range(self) -> Range<usize> {
        self.start..self.end
    }

    pub(super) fn of(self, list: &str) -> &str {
        list.get(self.range()).unwrap_or_default()
    }
}

impl From<Directive<'_>> for Span {
    fn from(directive: Directive<'_>) -> Self {
        Self::new(directive.offset, directive.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_name() {
        use ListFindingKind as Kind;
        let kinds = [
            Kind::Conflict,
            Kind::Repeated,
            Kind::Unknown,
            Kind::Misspelt { meant: "noindex" },
            Kind::Invalid,
            Kind::Empty,
            Kind::ValueOnFlag,
            Kind::WithoutEffect,
            Kind::MissingComma,
            Kind::PrefixLeak,
            Kind::NoZone,
            Kind::UnknownZone,
        ];
        assert_eq!(kinds.map(Kind::name), Kind::NAMES);
    }
}
