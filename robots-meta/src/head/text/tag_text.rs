//! The bytes of a tag, and the ranges of its attributes in them.

use crate::wanted::Keys;
use std::ops::Range;

/// The ranges of an attribute in its tag. A missing value is empty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RawAttribute {
    pub(crate) name: (u32, u32),
    pub(crate) value: (u32, u32),
}

impl RawAttribute {
    pub(crate) fn name(&self) -> Range<usize> {
        self.name.0 as usize..self.name.1 as usize
    }

    pub(crate) fn value(&self) -> Range<usize> {
        self.value.0 as usize..self.value.1 as usize
    }
}

/// A tag that has ended: its bytes, from `<` to `>`, and its offset in the page.
#[derive(Clone, Copy)]
pub(crate) struct TagText<'t> {
    pub(crate) bytes: &'t [u8],
    pub(crate) attributes: &'t [RawAttribute],
    /// True if some attributes were not recorded.
    pub(crate) has_more: bool,
    /// The offsets of its start and end in the page.
    pub(crate) source: (usize, usize),
}

impl<'t> TagText<'t> {
    /// Returns the bytes of a range of the tag.
    pub(crate) fn part(&self, range: Range<usize>) -> &'t [u8] {
        self.bytes.get(range).unwrap_or_default()
    }

    /// Returns a range of the tag with the byte after it, which the decoding of a value needs.
    pub(crate) fn part_and_end(&self, range: Range<usize>) -> &'t [u8] {
        self.part(range.start..range.end + 1)
    }

    /// Returns the names and values of the attributes as they are written.
    fn values(&self) -> impl Iterator<Item = (&'t [u8], &'t [u8])> {
        self.attributes
            .iter()
            .map(|found| (self.part(found.name()), self.part(found.value())))
    }

    /// Returns the attributes that identify a META, as they are written.
    pub(crate) fn keys(&self) -> Keys<'t> {
        let mut keys = Keys::default();
        for (name, value) in self.values() {
            keys.note(name, value);
        }
        keys
    }

    /// Returns the first attribute of this name.
    pub(crate) fn attribute(&self, wanted: &[u8]) -> Option<&'t RawAttribute> {
        self.attributes
            .iter()
            .find(|found| self.part(found.name()).eq_ignore_ascii_case(wanted))
    }

    /// Returns the value of an attribute as it is written.
    pub(crate) fn value(&self, wanted: &[u8]) -> Option<&'t [u8]> {
        Some(self.part(self.attribute(wanted)?.value()))
    }
}
