//! The unpacked bytes of a member that are not consumed yet.

use crate::record::Block;
use std::mem;

/// Unpacked bytes, in a buffer that is reused.
#[derive(Debug, Default)]
pub(super) struct Unpacked {
    /// The unpacked bytes are those from `at` to `end`. The others are space for more, which keeps its old content, so that
    /// it is not set to zero again.
    buffer: Vec<u8>,
    at: usize,
    end: usize,
}

impl Unpacked {
    /// Returns an empty instance that uses this buffer.
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

    /// Returns the bytes that are not consumed yet.
    pub(super) fn bytes(&self) -> &[u8] {
        self.buffer.get(self.at..self.end).unwrap_or_default()
    }

    /// Returns the number of bytes that are not consumed yet.
    pub(super) fn len(&self) -> usize {
        self.end - self.at
    }

    /// Returns whether the buffer has no bytes of the member, not even consumed ones.
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
        self.at += count;
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

    /// Moves the remaining bytes to the start of the buffer, if more than `few` bytes are consumed, and fewer bytes remain than
    /// are consumed. So each consumed byte costs at most one move.
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
        let limit = self.end + most;
        if self.buffer.len() < limit {
            self.buffer.resize(limit, 0);
        }
        let count = read(self.buffer.get_mut(self.end..limit).unwrap_or_default())?;
        self.end = (self.end + count).min(limit);
        Ok(count)
    }

    /// Replaces all bytes by those that `unpack` writes to the start of the buffer. `unpack` returns their number, or `None` if
    /// it failed: then no bytes are left. Returns whether `unpack` succeeded.
    pub(super) fn replace(&mut self, unpack: impl FnOnce(&mut Vec<u8>) -> Option<usize>) -> bool {
        self.clear();
        let count = unpack(&mut self.buffer);
        self.end = count.unwrap_or_default().min(self.buffer.len());
        count.is_some()
    }

    /// Puts consumed bytes back, before those that are not consumed yet. These are copied only if the buffer no longer has the
    /// space of the consumed ones.
    pub(super) fn put_back(&mut self, bytes: &[u8]) {
        let space = self.at.checked_sub(bytes.len());
        let into = space.and_then(|start| self.buffer.get_mut(start..self.at));
        if let (Some(start), Some(into)) = (space, into) {
            into.copy_from_slice(bytes);
            self.at = start;
            return;
        }
        self.buffer = [bytes, self.bytes()].concat();
        self.at = 0;
        self.end = self.buffer.len();
    }

    /// Moves the next `count` bytes to `block`, and drops its old content. These bytes are not copied: `block` takes this
    /// buffer. The earlier buffer of `block` takes its place, with a copy of the bytes that come after.
    ///
    /// Returns `false`, and does nothing, if there are fewer than `count` bytes, or if more than `count` bytes would be
    /// copied.
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

    /// Returns an empty block for reuse, in place of one whose bytes are not needed any more. If this buffer is the smaller of the
    /// two, it is exchanged for that of the block. So the memory of one large member serves all later ones, and is not needed twice.
    pub(super) fn recycle(&mut self, block: Block) -> Block {
        let count = self.len();
        let mut buffer = block.into_buffer();
        if buffer.len() > self.buffer.len()
            && let Some(into) = buffer.get_mut(..count)
        {
            into.copy_from_slice(self.bytes());
            mem::swap(&mut self.buffer, &mut buffer);
            (self.at, self.end) = (0, count);
        }
        Block::within(buffer, 0, 0)
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
    fn a_block_takes_the_buffer_only_if_it_has_at_least_half_of_the_bytes() {
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
    fn the_larger_buffer_is_kept_for_unpacking() {
        let recycled = |length: usize| {
            let mut unpacked = holding(b"0123456789");
            unpacked.consume(7);
            let block = unpacked.recycle(Block::within(vec![0; length], 2, 3));
            assert_eq!(unpacked.bytes(), b"789");
            assert_eq!(block.len(), 0);
            (unpacked.into_buffer().len(), block.into_buffer().len())
        };
        assert_eq!(recycled(9), (10, 9));
        assert_eq!(recycled(10), (10, 10));
        assert_eq!(recycled(11), (11, 10));
    }

    #[test]
    fn bytes_are_put_back_into_the_space_of_consumed_ones() {
        let mut unpacked = holding(b"0123456789");
        unpacked.consume(5);
        unpacked.put_back(b"abcd");
        assert_eq!((unpacked.at, unpacked.bytes()), (1, &b"abcd56789"[..]));
        unpacked.put_back(b"e");
        assert_eq!((unpacked.at, unpacked.bytes()), (0, &b"eabcd56789"[..]));
        unpacked.consume(1);
        unpacked.put_back(b"fg");
        assert_eq!((unpacked.at, unpacked.bytes()), (0, &b"fgabcd56789"[..]));
    }

    #[test]
    fn bytes_move_only_if_fewer_remain_than_are_consumed() {
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
