//! One item of a directive list.

use super::flags::Directives;
use crate::value::{ImagePreview, Limit, Timestamp};

/// What one item of a directive list says.
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
    /// A known name with a value that cannot be read, which is ignored (SEMANTICS 5.1).
    Invalid,
    /// A name that is not known, which is kept and ignored.
    Unknown,
}

/// One item of a directive list, with its text and place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Directive<'a> {
    pub(crate) text: &'a str,
    pub(crate) offset: usize,
    pub(crate) value: DirectiveValue,
}

impl<'a> Directive<'a> {
    /// The item as written, without white space around it.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Where the item begins in the list that it stands in, in bytes.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// What it says.
    pub fn value(&self) -> DirectiveValue {
        self.value
    }

    /// The bits that it says; empty if it is none of those without a value.
    pub fn flags(&self) -> Directives {
        match self.value {
            DirectiveValue::Flags(flags) => flags,
            _ => Directives::empty(),
        }
    }
}

/// An item, with the robot that it is for: `None` for every robot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Item<'a> {
    pub(crate) agent: Option<&'a str>,
    pub(crate) directive: Directive<'a>,
}

impl Item<'_> {
    /// Whether the robot is named earlier in `list`, from which the item is, with a comma between:
    /// if the list was joined from several lines, the name may be another line's.
    pub(crate) fn may_have_leaked(&self, list: &str) -> bool {
        self.agent.is_some()
            && list
                .get(..self.directive.offset)
                .is_some_and(|before| before.trim_end().ends_with(','))
    }
}

/// Where `part`, which is a part of `list`, begins in it.
pub(crate) fn offset_in(list: &str, part: &str) -> usize {
    part.as_ptr().addr().saturating_sub(list.as_ptr().addr())
}
