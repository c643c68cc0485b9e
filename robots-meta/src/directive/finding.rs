//! What an author cannot have meant by a list of directives: facts for people and linters, never
//! errors. Nothing here changes what the list says.
//!
//! A list becomes findings, each with the part of the text that it is about and, if it takes two,
//! the other part. They are in the order of the text. Linear in the text: only the first
//! [`MAX_COMPARED_DIRECTIVES`] directives are compared with each other, only [`MAX_FINDINGS`]
//! findings are given. The kinds are those of SEMANTICS 0.6, 5.5 to 5.7 and 10.

use super::item::Directive;
use std::fmt;
use std::ops::Range;

/// How many directives of a list are compared with each other, unknown and unreadable ones not
/// counted; those behind them are neither in conflict nor repeated. Each is compared with all
/// before it.
pub const MAX_COMPARED_DIRECTIVES: usize = 256;

/// How many findings are given for one list; a list of nothing but junk needs no more.
pub const MAX_FINDINGS: usize = 1_000;

/// What is odd.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FindingKind {
    /// Two directives for one robot contradict each other: `index, noindex`; `all, none`;
    /// `nosnippet` with a `max-snippet` other than 0; two limits or dates that differ. What they
    /// mean together depends on the engine (SEMANTICS 8.4).
    Conflict,
    /// All that the directive says has been said before, for the same robot.
    Repeated,
    /// No directive that is known, which is ignored. Engines know others.
    Unknown,
    /// No directive that is known, which is ignored, but nearly one: a letter too many, too few,
    /// wrong or exchanged with the next, or a hyphen or space more or less.
    Misspelt {
        /// The directive that it is near, in lower case.
        meant: &'static str,
    },
    /// A name with a value that is missing or cannot be read; both are ignored (SEMANTICS 5.1).
    Invalid,
    /// There is no directive in the list.
    Empty,
    /// A directive that has no value has one: `noindex: 1`. The directive counts (SEMANTICS 5.5).
    ValueOnFlag,
    /// `indexifembedded` without a `noindex` in the list does nothing, unless another list has it
    /// (SEMANTICS 5.1).
    WithoutEffect,
    /// White space or a colon stands before the directive, where a comma belongs. It counts here,
    /// but not everywhere (SEMANTICS 5.5).
    MissingComma,
    /// A robot's name still holds behind a comma, as it does in one line. If lines were joined, the
    /// directive may have been meant for every robot (SEMANTICS 5.5, item 7). Given once for each
    /// name, and in headers alone; the other part is the name.
    PrefixLeak,
    /// A date without a time zone, which is read as UTC (SEMANTICS 5.6).
    NoZone,
    /// A date whose time zone is not known, which is read as UTC (SEMANTICS 5.6).
    UnknownZone,
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Conflict => "contradicts another directive",
            Self::Repeated => "says nothing that was not said before",
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
                "holds for the robot named before; if lines were joined, perhaps for every robot"
            }
            Self::NoZone => "a date without a time zone; read as UTC",
            Self::UnknownZone => "an unknown time zone; read as UTC",
        };
        f.write_str(text)
    }
}

/// One odd thing in a list of directives, and where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Finding<'a> {
    pub(super) kind: FindingKind,
    pub(super) list: &'a str,
    pub(super) span: Span,
    pub(super) other: Option<Span>,
}

impl<'a> Finding<'a> {
    /// What is odd.
    pub fn kind(&self) -> FindingKind {
        self.kind
    }

    /// The part of the list that it is about, in bytes; of two parts, the latter.
    pub fn span(&self) -> Range<usize> {
        self.span.range()
    }

    /// The text of that part.
    pub fn text(&self) -> &'a str {
        self.span.of(self.list)
    }

    /// The other part, in bytes, if there is one: the directive that is contradicted or repeated,
    /// the one that no comma follows, the name that holds.
    pub fn other_span(&self) -> Option<Range<usize>> {
        self.other.map(Span::range)
    }

    /// The text of the other part.
    pub fn other_text(&self) -> Option<&'a str> {
        self.other.map(|other| other.of(self.list))
    }
}

impl fmt::Display for Finding<'_> {
    /// `byte 7: "noindex": contradicts another directive: "index"`.
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
