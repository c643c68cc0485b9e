//! Citations: the section of a document that a kind of finding rests on, with its URL.

use std::fmt;

/// The URL of the project's files, for links.
pub(crate) const FILES: &str = "https://github.com/robots-engine/robots/blob/main";

/// A section of a document. It is displayed as "RFC 9309, section 2.3" or "docs/semantics.md#s-8-1".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Citation {
    /// The RFC of this number, and the number of the section.
    Rfc(u16, &'static str),
    /// The number of a section of docs/semantics.md.
    Semantics(&'static str),
}

impl Citation {
    /// Returns the URL of the section.
    pub fn url(self) -> String {
        match self {
            Self::Rfc(number, section) => {
                format!("https://www.rfc-editor.org/rfc/rfc{number}.html#section-{section}")
            }
            Self::Semantics(section) => format!("{FILES}/docs/semantics.md{}", fragment(section)),
        }
    }
}

impl fmt::Display for Citation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rfc(number, section) => write!(f, "RFC {number}, section {section}"),
            Self::Semantics(section) => write!(f, "docs/semantics.md{}", fragment(section)),
        }
    }
}

/// Returns the fragment of a section of docs/semantics.md: `#s-8-1`.
fn fragment(section: &str) -> String {
    format!("#s-{}", section.replace('.', "-"))
}

/// Joins citations, each written by `write`, with semicolons.
pub(crate) fn joined(citations: &[Citation], write: impl FnMut(&Citation) -> String) -> String {
    citations.iter().map(write).collect::<Vec<_>>().join("; ")
}
