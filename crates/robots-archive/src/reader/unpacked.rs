//! The unpacked bytes of a member that are not consumed yet.

use crate::record::Block;
use std::mem;

/// Unpacked bytes, in a buffer that is reused.
#[derive(Debug, Default)]
pub(super) struct Unpacked {
    /// Zeroed once; the bytes that are held are those from `at` to `end`.
    buffer: Vec<u8>,
    at: usize,
    end: usize,
}

impl Unpacked {
    /// Holds nothing, in this buffer.
    pub(super) fn new(buffer: Vec<u8>) -> Self {
        Self {
            buffer,
            at: 0,
            end: 0,
        }
    }

    /// Returns the buffer for reuse.
    pub(super) fn into_buffer(self) -> Vec<u8> {
        self.buffer
    }

    /// Returns the bytes that are held.
    pub(super) fn bytes(&self) -> &[u8] {
        self.buffer.get(self.at..self.end).unwrap_or_default()
    }

    /// Returns the number of bytes that are held.
    pub(super) fn len(&self) -> usize {
        self.end.saturating_sub(self.at)
    }

    /// Returns whether nothing was held since the last [`clear`](Self::clear).
    pub(super) fn is_unused(&self) -> bool {
        self.end == 0
    }

    /// Drops all bytes.
    pub(super) fn clear(&mut self) {
        (self.at, self.end) = (0, 0);
    }

    /// Consumes bytes, up to all of them. Returns their number.
    pub(super) fn consume(&mut self, count: usize) -> usize {
        let count = count.min(self.len());
        self.at = self.at.saturating_add(count);
        count
    }

    /// Consumes bytes into a buffer, up to all of them. Returns their number.
    pub(super) fn take_into(&mut self, into: &mut [u8]) -> usize {
        let count = self.len().min(into.len());
        if let (Some(from), Some(into)) = (self.bytes().get(..count), into.get_mut(..count)) {
            into.copy_from_slice(from);
        }
        self.consume(count)
    }

    /// Makes room at the end of the buffer: consumed bytes are dropped once they outnumber the rest, so that each byte moves
    /// once. Below `few` of them, they stay.
    pub(super) fn compact(&mut self, few: usize) {
        if self.at > few.max(self.end / 2) {
            self.buffer.copy_within(self.at..self.end, 0);
            self.end = self.len();
            self.at = 0;
        }
    }

    /// Appends up to `most` bytes that `read` fills in; `read` returns their number.
    pub(super) fn fill<E>(
        &mut self,
        most: usize,
        read: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<usize, E> {
        let most = self.end.saturating_add(most);
        if self.buffer.len() < most {
            self.buffer.resize(most, 0);
        }
        let count = read(self.buffer.get_mut(self.end..most).unwrap_or_default())?;
        self.end = self.end.saturating_add(count).min(most);
        Ok(count)
    }

    /// Drops all bytes, and holds those that `unpack` puts at the start of the buffer. `unpack` returns their number, or
    /// `None` to hold nothing.
    pub(super) fn replace(&mut self, unpack: impl FnOnce(&mut Vec<u8>) -> Option<usize>) -> bool {
        self.clear();
        let count = unpack(&mut self.buffer);
        self.end = count.unwrap_or_default().min(self.buffer.len());
        count.is_some()
    }

    /// Puts consumed bytes back, before the others.
    pub(super) fn put_back(&mut self, bytes: &[u8]) {
        self.buffer = [bytes, self.bytes()].concat();
        self.at = 0;
        self.end = self.buffer.len();
    }

    /// Moves the next `count` bytes to a block, which is replaced: the two exchange their buffers, and the bytes after the
    /// block are copied. Returns `false`, and does nothing, if the bytes to copy are more than the others, or if `count` bytes
    /// are not held.
    pub(super) fn exchange(&mut self, count: usize, block: &mut Block) -> bool {
        let Some(after) = self
            .bytes()
            .get(count..)
            .filter(|after| after.len() <= count)
        else {
            return false;
        };
        let mut buffer = mem::take(block).into_buffer();
        if buffer.len() < after.len() {
            buffer.resize(after.len(), 0);
        }
        if let Some(into) = buffer.get_mut(..after.len()) {
            into.copy_from_slice(after);
        }
        let end = after.len();
        let buffer = mem::replace(&mut self.buffer, buffer);
        *block = Block::within(buffer, self.at, count);
        (self.at, self.end) = (0, end);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holding(bytes: &[u8]) -> Unpacked {
        let mut unpacked = Unpacked::default();
        unpacked.put_back(bytes);
        unpacked
    }

    #[test]
    fn a_block_takes_the_buffer_only_if_it_is_most_of_it() {
        for (consumed, count, is_taken) in [
            (0, 10, true),
            (0, 5, true),
            (0, 4, false),
            (2, 4, true),
            (2, 3, false),
            (2, 9, false),
            (10, 0, true),
        ] {
            let mut unpacked = holding(b"0123456789");
            unpacked.consume(consumed);
            let mut block = Block::within(b"spare".to_vec(), 1, 2);
            assert_eq!(
                unpacked.exchange(count, &mut block),
                is_taken,
                "{consumed} {count}"
            );
            if is_taken {
                assert_eq!(*block, b"0123456789"[consumed..consumed + count]);
                assert_eq!(unpacked.bytes(), &b"0123456789"[consumed + count..]);
            } else {
                assert_eq!(*block, *b"pa");
                assert_eq!(unpacked.bytes(), &b"0123456789"[consumed..]);
            }
        }
    }

    #[test]
    fn bytes_move_only_if_most_are_consumed() {
        let mut unpacked = holding(b"0123456789");
        unpacked.consume(5);
        unpacked.compact(0);
        assert_eq!((unpacked.at, unpacked.bytes()), (5, &b"56789"[..]));
        unpacked.consume(1);
        unpacked.compact(6);
        assert_eq!(unpacked.at, 6);
        unpacked.compact(5);
        assert_eq!((unpacked.at, unpacked.bytes()), (0, &b"6789"[..]));
    }
}
