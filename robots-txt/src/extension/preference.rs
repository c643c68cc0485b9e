//! A site's preference about one kind of use of its content.

use std::fmt;

/// A site's preference about one kind of use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Preference {
    /// The use is welcome.
    Allow,
    /// The use is not wanted.
    Disallow,
    /// Nothing is said. No standard says what follows from that.
    #[default]
    Unknown,
}

impl Preference {
    /// Combines two statements about the same use: `Disallow` if either disallows, else `Allow` if
    /// either allows (SEMANTICS 4.1, 8.6).
    #[must_use]
    pub fn combine(self, other: Self) -> Self {
        match (self, other) {
            (Self::Disallow, _) | (_, Self::Disallow) => Self::Disallow,
            (Self::Allow, _) | (_, Self::Allow) => Self::Allow,
            (Self::Unknown, Self::Unknown) => Self::Unknown,
        }
    }
}

impl fmt::Display for Preference {
    /// `allow`, `disallow` or `unknown`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Allow => "allow",
            Self::Disallow => "disallow",
            Self::Unknown => "unknown",
        })
    }
}
