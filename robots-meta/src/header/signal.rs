//! `Content-Signal: search=yes, ai-train=no`: Cloudflare's Content Signals, as a response header
//! (docs/semantics.md, section 4.5).
//!
//! A value becomes members with their places; a member that cannot be read does not invalidate the
//! others. A use that is not named is neither granted nor restricted. A header has no paths: it applies to
//! the response. Linear in the value.

use super::valid_start;
use robots_usage::content_signal::{Signal, members};

/// A member of a `Content-Signal` line, with its text and place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentSignal<'a> {
    index: usize,
    offset: usize,
    text: &'a str,
    signal: Signal,
}

impl<'a> ContentSignal<'a> {
    /// Reads the members of a line, in order. Empty members are left out.
    pub(super) fn read(index: usize, value: &'a [u8]) -> impl Iterator<Item = Self> {
        members(value).map(move |member| Self {
            index,
            offset: member.offset(),
            text: valid_start(value.get(member.range()).unwrap_or_default()),
            signal: member.signal(),
        })
    }

    /// Returns the index of the header line among all lines, from 0.
    pub fn header_index(&self) -> usize {
        self.index
    }

    /// Returns the offset of the member in the value of its line, in bytes from 0.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the member as written, without white space around it: `ai-train=no`.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Returns the statement of the member.
    pub fn signal(&self) -> Signal {
        self.signal
    }
}
