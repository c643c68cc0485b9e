//! The records of a page: its facts as ranges of the kept text and of the page's bytes.

use super::end::Placement;
use crate::value::Rel;
use smallvec::SmallVec;
use std::ops::Range;

/// A range: of [`PageFacts::text`](super::PageFacts) in bytes, unless the field says otherwise.
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
    /// The range of the value in the bytes of the page; `None` if it is not known.
    pub(crate) source: Option<Span>,
}

/// A META that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct MetaRecord {
    /// The range of its tag in the bytes of the page; empty if it is not known.
    pub(crate) source: Span,
    /// The range of its attributes in [`Records::attributes`], by index.
    pub(crate) attributes: Span,
    /// The values of `name` and `content`.
    pub(crate) name: Option<Span>,
    pub(crate) content: Option<Span>,
    pub(crate) placement: Placement,
}

/// The text of a title, or the URL of a link, with the offset of the tag in the bytes of the page.
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

/// The records of a page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Records {
    pub(crate) metas: SmallVec<[MetaRecord; 2]>,
    pub(crate) attributes: SmallVec<[AttributeRecord; 4]>,
    pub(crate) title: Option<TextRecord>,
    pub(crate) title_is_cut: bool,
    pub(crate) canonical: Option<TextRecord>,
    pub(crate) licenses: Vec<TextRecord>,
    pub(crate) links: Vec<LinkRecord>,
    pub(crate) no_snippets: Vec<u32>,
    pub(crate) no_snippets_on_other_elements: Vec<u32>,
    pub(crate) unclosed_no_snippets: Vec<u32>,
}
