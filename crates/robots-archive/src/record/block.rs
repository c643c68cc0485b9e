//! Bytes in a buffer that is reused: the block of a record, and the unpacked bytes of a member that are not consumed yet.

use std::fmt;
use std::mem;
use std::ops::Deref;

/// The bytes of a block, in a buffer that is reused.
#[derive(Clone, Default)]
pub struct Block {
    /// The block is the `length` bytes from `start`. The others are space for more, which keeps its old content, so that it is
    /// not set to zero again.
    buffer: Vec<u8>,
    start: usize,
    length: usize,
}

impl Block {
    /// Returns a block of the `length` bytes of `buffer` that begin at `start`.
    pub(crate) fn within(buffer: Vec<u8>, start: usize, length: usize) -> Self {
        Self {
            buffer,
            start,
            length,
        }
    }

    /// Returns the buffer for reuse.
    pub(crate) fn into_buffer(self) -> Vec<u8> {
        self.buffer
    }

    /// Drops all bytes.
    pub(crate) fn clear(&mut self) {
        (self.start, self.length) = (0, 0);
    }

    /// Replaces the bytes by a copy of others.
    fn set(&mut self, bytes: &[u8]) {
        if self.buffer.len() < bytes.len() {
            self.buffer.resize(bytes.len(), 0);
        }
        if let Some(into) = self.buffer.get_mut(..bytes.len()) {
            into.copy_from_slice(bytes);
        }
        (self.start, self.length) = (0, bytes.len());
    }

    /// Returns whether the buffer has no bytes, not even consumed ones.
    pub(crate) fn is_unused(&self) -> bool {
        self.start + self.length == 0
    }

    /// Drops the bytes past this length.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
    }

    /// Consumes bytes, up to all of them. Returns their number.
    pub(crate) fn consume(&mut self, count: usize) -> usize {
        let count = count.min(self.length);
        self.start += count;
        self.length -= count;
        count
    }

    /// Consumes bytes into a buffer, up to all of them. Returns their number.
    pub(crate) fn take_into(&mut self, into: &mut [u8]) -> usize {
        let count = self.length.min(into.len());
        if let (Some(from), Some(into)) = (self.get(..count), into.get_mut(..count)) {
            into.copy_from_slice(from);
        }
        self.consume(count)
    }

    /// Moves the remaining bytes to the start of the buffer, if more than `few` bytes are consumed, and fewer bytes remain than
    /// are consumed. So each consumed byte costs at most one move.
    pub(crate) fn compact(&mut self, few: usize) {
        let end = self.start + self.length;
        if self.start > few.max(end / 2) {
            self.buffer.copy_within(self.start..end, 0);
            self.start = 0;
        }
    }

    /// Appends up to `most` bytes that `read` fills in; `read` returns their number.
    pub(crate) fn fill<E>(
        &mut self,
        most: usize,
        read: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<usize, E> {
        let filled = self.start + self.length;
        let end = filled + most;
        if self.buffer.len() < end {
            self.buffer.resize(end, 0);
        }
        let into = self.buffer.get_mut(filled..end).unwrap_or_default();
        let count = read(into)?.min(most);
        self.length += count;
        Ok(count)
    }

    /// Replaces all bytes by those that `unpack` writes to the start of the buffer. `unpack` returns their number, or `None` if
    /// it failed: then no bytes are left. Returns whether `unpack` succeeded.
    pub(crate) fn replace(&mut self, unpack: impl FnOnce(&mut Vec<u8>) -> Option<usize>) -> bool {
        let count = unpack(&mut self.buffer);
        (self.start, self.length) = (0, count.unwrap_or_default().min(self.buffer.len()));
        count.is_some()
    }

    /// Puts consumed bytes back, before those that are not consumed yet. These are copied only if the buffer no longer has the
    /// space of the consumed ones.
    pub(crate) fn put_back(&mut self, bytes: &[u8]) {
        let space = self.start.checked_sub(bytes.len());
        let into = space.and_then(|start| self.buffer.get_mut(start..self.start));
        if let (Some(start), Some(into)) = (space, into) {
            into.copy_from_slice(bytes);
            self.start = start;
        } else {
            self.buffer = [bytes, &**self].concat();
            self.start = 0;
        }
        self.length += bytes.len();
    }

    /// Moves the next `count` bytes to `block`, and drops its old content. These bytes are not copied: `block` takes this
    /// buffer. The earlier buffer of `block` takes its place, with a copy of the bytes that come after.
    ///
    /// Returns `false`, and does nothing, if there are fewer than `count` bytes, or if more than `count` bytes would be
    /// copied.
    pub(crate) fn exchange(&mut self, count: usize, block: &mut Self) -> bool {
        let after = self.get(count..);
        let Some(after) = after.filter(|after| after.len() <= count) else {
            return false;
        };
        block.set(after);
        mem::swap(self, block);
        block.truncate(count);
        true
    }

    /// Returns an empty block for reuse, in place of one whose bytes are not needed any more. If this buffer is the smaller of the
    /// two, it is exchanged for that of the block. So the memory of one large member serves all later ones, and is not needed twice.
    pub(crate) fn recycle(&mut self, mut block: Self) -> Self {
        if block.buffer.len() > self.buffer.len() {
            block.set(self);
            mem::swap(self, &mut block);
        }
        block.clear();
        block
    }
}

impl Deref for Block {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        let end = self.start + self.length;
        self.buffer.get(self.start..end).unwrap_or_default()
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Block").field(&&**self).finish()
    }
}

impl PartialEq for Block {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Block {}

#[cfg(test)]
mod tests {
    use super::*;

    fn holding(bytes: &[u8]) -> Block {
        let mut unpacked = Block::default();
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
                assert_eq!(&*unpacked, &b"0123456789"[consumed + count..]);
            } else {
                assert_eq!(*block, *b"pa");
                assert_eq!(&*unpacked, &b"0123456789"[consumed..]);
            }
        }
    }

    #[test]
    fn the_larger_buffer_is_kept_for_unpacking() {
        let recycled = |length: usize| {
            let mut unpacked = holding(b"0123456789");
            unpacked.consume(7);
            let block = unpacked.recycle(Block::within(vec![0; length], 2, 3));
            assert_eq!(&*unpacked, b"789");
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
        assert_eq!((unpacked.start, &*unpacked), (1, &b"abcd56789"[..]));
        unpacked.put_back(b"e");
        assert_eq!((unpacked.start, &*unpacked), (0, &b"eabcd56789"[..]));
        unpacked.consume(1);
        unpacked.put_back(b"fg");
        assert_eq!((unpacked.start, &*unpacked), (0, &b"fgabcd56789"[..]));
    }

    #[test]
    fn bytes_move_only_if_fewer_remain_than_are_consumed() {
        let mut unpacked = holding(b"0123456789");
        unpacked.consume(5);
        unpacked.compact(0);
        assert_eq!((unpacked.start, &*unpacked), (5, &b"56789"[..]));
        unpacked.consume(1);
        unpacked.compact(6);
        assert_eq!(unpacked.start, 6);
        unpacked.compact(5);
        assert_eq!((unpacked.start, &*unpacked), (0, &b"6789"[..]));
    }
}
