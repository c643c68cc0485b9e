//! Places in a stream, and the way back to them.

use super::Stream;
use std::io::{self, Read, Seek};

/// A place in a stream, to which it can go back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::reader) struct Place {
    member_start: u64,
    consumed: u64,
    total_consumed: u64,
}

impl Place {
    /// Returns the place that is this number of bytes after this one, in the same member.
    pub(in crate::reader) fn after(self, count: u64) -> Self {
        Self {
            consumed: self.consumed + count,
            total_consumed: self.total_consumed + count,
            ..self
        }
    }

    /// Returns the number of unpacked bytes from an earlier place to this one.
    pub(in crate::reader) fn distance_from(self, earlier: Self) -> u64 {
        self.total_consumed - earlier.total_consumed
    }

    /// Returns whether this place is in the same member as another.
    pub(in crate::reader) fn is_in_member_of(self, other: Self) -> bool {
        self.member_start == other.member_start
    }

    /// Returns the place that is this number of bytes before this one, in the same member; `None` if it is not in the member.
    pub(in crate::reader) fn before(self, count: u64) -> Option<Self> {
        Some(Self {
            consumed: self.consumed.checked_sub(count)?,
            total_consumed: self.total_consumed.checked_sub(count)?,
            ..self
        })
    }
}

impl<R: Read> Stream<R> {
    /// Allows [`go_back`](Self::go_back) to move the input. The positions of the input are the offsets of the archive.
    pub(in crate::reader) fn allow_seek(&mut self)
    where
        R: Seek,
    {
        if let Some(window) = self.window_mut() {
            window.allow_seek();
        }
    }

    /// Returns the place of the next byte.
    pub(in crate::reader) fn place(&self) -> Place {
        Place {
            member_start: self.member_start,
            consumed: self.consumed,
            total_consumed: self.total_consumed,
        }
    }

    /// Returns the number of bytes that are unpacked again to go back to a place, and from there to here.
    pub(in crate::reader) fn cost_of(&self, place: Place) -> u64 {
        let again = self.total_consumed - place.total_consumed;
        // A member is unpacked from its start.
        let before = if self.has_members() {
            place.consumed
        } else {
            0
        };
        again + before
    }

    /// Goes back to a place. Returns `false`, and does nothing, if its bytes are not kept, and the input cannot be moved.
    pub(in crate::reader) fn go_back(&mut self, place: Place) -> io::Result<bool> {
        let has_members = self.has_members();
        let offset = if has_members {
            place.member_start
        } else {
            place.consumed
        };
        let moved = self.window_mut().map(|window| window.go_to(offset));
        if !moved.transpose()?.unwrap_or_default() {
            return Ok(false);
        }
        if has_members {
            self.begin_member()?;
        } else {
            self.out.clear();
            self.error = None;
        }
        let mut left = place.consumed.saturating_sub(self.consumed);
        while has_members && left > 0 {
            let step = self.ahead(1)?.len();
            let step = usize::try_from(left).map_or(step, |left| left.min(step));
            if step == 0 {
                break;
            }
            self.consume(step);
            left -= step as u64;
        }
        self.consumed = place.consumed;
        self.total_consumed = place.total_consumed;
        Ok(true)
    }
}
