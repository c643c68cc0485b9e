//! The records of a page: parts of its text, and of its bytes.

use super::end::Placement;
use crate::value::Rel;
use std::ops::Range;

/// A part of the text that is kept, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Span {
    pub(crate) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// An attribute that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct AttributeRecord {
    pub(crate) name: Span,
    pub(crate) value: Span,
    /// The range of the value in the page.
    pub(crate) source: Option<Span>,
}

/// A META that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct MetaRecord {
    /// The range of its tag in the page.
    pub(crate) source: Span,
    /// The range of its attributes among all attributes.
    pub(crate) attributes: Span,
    /// The values of `name` and `content`.
    pub(crate) name: Option<Span>,
    pub(crate) content: Option<Span>,
    pub(crate) placement: Placement,
}

/// The title, or the canonical link, with its offset in the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct TextRecord {
    pub(crate) offset: u32,
    pub(crate) text: Span,
}

/// A link that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct LinkRecord {
    pub(crate) href: TextRecord,
    pub(crate) rel: Rel,
}
