//! The catalogue: every kind of finding with its code, name, severity, message, help and citations.

mod citation;
mod kind;
mod kinds;

pub use citation::Citation;
pub(crate) use citation::{FILES, joined};
pub use kind::UnknownKind;
pub use kinds::FindingKind;

use std::error::Error;
use std::fmt;
use std::str::FromStr;

/// The severity of a kind of finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Severity {
    /// The text is well-formed and harmless, or a matter of taste; some robot may not expect it.
    Note,
    /// Robots read the text in different ways, or its effect is smaller than it seems.
    Warning,
    /// The text does not have the effect that it was written for.
    Error,
}

impl Severity {
    /// Every severity, the least first.
    pub const ALL: &[Self] = &[Self::Note, Self::Warning, Self::Error];

    /// Returns the name: `note`, `warning`, `error`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Severity {
    type Err = UnknownSeverity;

    /// Reads a name, as [`name`](Self::name) returns it.
    fn from_str(text: &str) -> Result<Self, UnknownSeverity> {
        let mut all = Self::ALL.iter().copied();
        all.find(|severity| severity.name() == text)
            .ok_or(UnknownSeverity)
    }
}

/// An error: no severity has this name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownSeverity;

impl fmt::Display for UnknownSeverity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected note, warning or error")
    }
}

impl Error for UnknownSeverity {}

/// The findings to report: those of a severity and above, or of some kinds.
#[derive(Debug, Clone)]
pub struct Selection {
    only: Vec<FindingKind>,
    ignored: Vec<FindingKind>,
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

    /// Selects these kinds instead, whatever their severity; if the list is empty, the severity decides.
    #[must_use]
    pub fn with_only(self, only: Vec<FindingKind>) -> Self {
        Self { only, ..self }
    }

    /// Leaves these kinds out.
    #[must_use]
    pub fn without(self, ignored: Vec<FindingKind>) -> Self {
        Self { ignored, ..self }
    }

    /// Returns whether findings of a kind are reported.
    pub fn contains(&self, kind: FindingKind) -> bool {
        let is_selected = if self.only.is_empty() {
            kind.severity() >= self.level
        } else {
            self.only.contains(&kind)
        };
        is_selected && !self.ignored.contains(&kind)
    }
}
