//! A directive: one item of a list.

use super::flags::Directives;
use crate::value::{ImagePreview, Limit, Timestamp};
use std::fmt;
use std::ops::Range;

/// The meaning of one item of a directive list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DirectiveValue {
    /// A token without a value; `all` and `none` have two bits.
    Flags(Directives),
    /// `max-snippet`: the length of a text snippet, in characters.
    MaxSnippet(Limit),
    /// `max-image-preview`: the size of preview images.
    MaxImagePreview(ImagePreview),
    /// `max-video-preview`: the length of a video preview, in seconds.
    MaxVideoPreview(Limit),
    /// `unavailable_after`: not to be shown after this moment.
    UnavailableAfter(Timestamp),
    /// A known name with a value that cannot be read, which is ignored (docs/semantics.md, section
    /// 5.1).
    Invalid,
    /// An unknown name, which is kept and ignored.
    Unknown,
}

impl DirectiveValue {
    /// Returns the name of its kind: that of the directive for one with a value, `flags`, `invalid` or `unknown`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Flags(_) => "flags",
            Self::MaxSnippet(_) => "max-snippet",
            Self::MaxImagePreview(_) => "max-image-preview",
            Self::MaxVideoPreview(_) => "max-video-preview",
            Self::UnavailableAfter(_) => "unavailable_after",
            Self::Invalid => "invalid",
            Self::Unknown => "unknown",
        }
    }
}

/// A directive with its text and its offset in its list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Directive<'a> {
    pub(crate) text: &'a str,
    pub(crate) offset: usize,
    pub(crate) value: DirectiveValue,
}

impl<'a> Directive<'a> {
    /// Returns the item as written, without white space around it.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Returns the offset of the item in its list, in bytes.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns its range in the list, in bytes.
    pub fn span(&self) -> Range<usize> {
        self.offset..self.offset + self.text.len()
    }

    /// Returns its meaning.
    pub fn value(&self) -> DirectiveValue {
        self.value
    }

    /// Returns its bits; empty for a directive with a value.
    pub fn flags(&self) -> Directives {
        match self.value {
            DirectiveValue::Flags(flags) => flags,
            _ => Directives::empty(),
        }
    }
}

impl fmt::Display for Directive<'_> {
    /// Writes the item as an engine would print it: `noindex, nofollow` for `NONE`, `max-snippet:20`.
    /// An item that is unknown or invalid is printed as written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value {
            DirectiveValue::Flags(flags) => write!(f, "{flags}"),
            DirectiveValue::MaxSnippet(limit) => write!(f, "max-snippet:{limit}"),
            DirectiveValue::MaxImagePreview(size) => {
                write!(f, "max-image-preview:{}", size.name())
            }
            DirectiveValue::MaxVideoPreview(limit) => write!(f, "max-video-preview:{limit}"),
            DirectiveValue::UnavailableAfter(date) => write!(f, "unavailable_after:{date}"),
            DirectiveValue::Invalid | DirectiveValue::Unknown => f.write_str(self.text),
        }
    }
}

/// An item of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Item<'a> {
    /// The robot that it is for; `None` for every robot.
    pub agent: Option<&'a str>,
    /// The directive.
    pub directive: Directive<'a>,
}

impl Item<'_> {
    /// Returns whether a robot's name applies to the item and a comma is directly before the item in `list`. If the
    /// list was joined from several lines, the name may be from an earlier line.
    pub fn may_have_leaked(&self, list: &str) -> bool {
        self.agent.is_some()
            && list
                .get(..self.directive.offset)
                .is_some_and(|before| before.trim_end().ends_with(','))
    }
}

/// Returns the offset of `part` in `list`, in bytes. `part` must be a slice of `list`, as their addresses are
/// compared.
pub(crate) fn offset_in(list: &str, part: &str) -> usize {
    part.as_ptr().addr() - list.as_ptr().addr()
}
