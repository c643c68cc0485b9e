//! A buffered reader of a file or a pipe that keeps past bytes.
//!
//! After a corrupt member, the search for the next one begins within bytes that were read before. At least the last
//! [`HISTORY`] of them are kept.
//!
//! [`Window::peek`] looks further ahead. It does not change the steps (up to [`READ_STEP`] bytes each) in which the other
//! methods return the bytes. The steps matter in a corrupt member: the bytes that a decoder returns before it fails depend
//! on them.

use super::whole::PACKED_LIMIT;
use std::io::{self, BufRead, Read, Seek, SeekFrom};

/// The minimum number of past bytes that are kept: 1 MiB. The maximum is 2 MiB and one [`READ_STEP`].
pub(super) const HISTORY: usize = 1024 * 1024;

/// The number of bytes that are read at once: 64 KiB.
const READ_STEP: usize = 64 * 1024;

/// The capacity of the buffer: for the most past bytes, and for those that are peeked at to find the end of a gzip member.
const CAPACITY: usize = HISTORY * 2 + PACKED_LIMIT + READ_STEP * 2;

/// A buffered reader that can go back.
#[derive(Debug)]
pub(super) struct Window<R> {
    inner: R,
    /// The bytes up to `end` were read; those from there to `peeked_end` were only peeked at.
    buffer: Vec<u8>,
    end: usize,
    peeked_end: usize,
    /// The position in the buffer of the next byte.
    at: usize,
    /// The offset in the input of the buffer's first byte.
    base: u64,
    /// An error of the input that [`peek`](Self::peek) met, to be returned after the bytes before it.
    error: Option<io::Error>,
    /// Whether reading from the input failed, so that its bytes are missing rather than corrupt.
    pub(super) failed: bool,
    /// The function that moves the input to an offset, if it can be moved.
    seek: Option<fn(&mut R, u64) -> io::Result<()>>,
}

impl<R: Read> Window<R> {
    /// Returns a window on an input at this offset, with this buffer.
    pub(super) fn new(inner: R, base: u64, buffer: Vec<u8>) -> Self {
        Self {
            inner,
            buffer,
            end: 0,
            peeked_end: 0,
            at: 0,
            base,
            error: None,
            failed: false,
            seek: None,
        }
    }

    /// Allows [`go_to`](Self::go_to) to move the input. The positions of the input are the offsets of the archive.
    pub(super) fn allow_seek(&mut self)
    where
        R: Seek,
    {
        self.seek = Some(|input, offset| input.seek(SeekFrom::Start(offset)).map(drop));
    }

    /// Goes to an offset. Returns `false`, and does nothing, if its bytes are not kept, and the input cannot be moved.
    pub(super) fn go_to(&mut self, offset: u64) -> io::Result<bool> {
        if (self.base..=self.base + self.end as u64).contains(&offset) {
            self.at = usize::try_from(offset - self.base).unwrap_or(self.end);
            return Ok(true);
        }
        match self.seek.map(|seek| seek(&mut self.inner, offset)) {
            None => return Ok(false),
            Some(Err(error)) if error.kind() == io::ErrorKind::Unsupported => return Ok(false),
            Some(Err(error)) => {
                self.failed = true;
                return Err(error);
            }
            Some(Ok(())) => {}
        }
        (self.end, self.peeked_end, self.at) = (0, 0, 0);
        self.base = offset;
        self.error = None;
        Ok(true)
    }

    /// Returns the buffer for reuse.
    pub(super) fn into_buffer(self) -> Vec<u8> {
        self.buffer
    }

    /// Returns the offset in the input of the next byte.
    pub(super) fn offset(&self) -> u64 {
        self.base + self.at as u64
    }

    /// Returns to an earlier offset, or to the oldest byte that is kept.
    pub(super) fn rewind(&mut self, offset: u64) {
        let back = offset.saturating_sub(self.base);
        self.at = usize::try_from(back).map_or(self.at, |back| back.min(self.at));
    }

    /// Returns the next bytes: at least `wanted`, unless the input ends before.
    pub(super) fn ahead(&mut self, wanted: usize) -> io::Result<&[u8]> {
        while self.end - self.at < wanted {
            if self.read_more()? == 0 {
                break;
            }
        }
        Ok(self.buffer.get(self.at..self.end).unwrap_or_default())
    }

    /// Returns the next bytes: at least `wanted`, unless the input ends before. Returns `None` if reading fails before. The
    /// error is returned by [`ahead`](Self::ahead), after the bytes before it.
    pub(super) fn peek(&mut self, wanted: usize) -> Option<&[u8]> {
        while self.peeked_end - self.at < wanted {
            if self.error.is_some() {
                return None;
            }
            match self.read_input() {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => self.error = Some(error),
            }
        }
        self.buffer.get(self.at..self.peeked_end)
    }

    /// Consumes bytes that [`peek`](Self::peek) returned. Later calls return the same as if a decoder had consumed these
    /// bytes step by step.
    pub(super) fn consume_peeked(&mut self, count: usize) {
        let mut left = count;
        loop {
            let step = (self.end - self.at).min(left);
            self.at += step;
            left -= step;
            if left == 0 || self.peeked_end == self.end {
                return;
            }
            self.take_step();
        }
    }

    /// Makes one more step of bytes available to [`ahead`](Self::ahead): of those that were peeked at, or of the input.
    /// Returns their number, 0 at the end of the input.
    fn read_more(&mut self) -> io::Result<usize> {
        if self.peeked_end > self.end {
            return Ok(self.take_step());
        }
        let read = match self.error.take() {
            Some(error) => Err(error),
            None => self.read_input(),
        };
        self.take_step();
        self.failed |= read.is_err();
        read
    }

    /// Makes up to [`READ_STEP`] of the bytes that were peeked at count as read. Returns their number.
    fn take_step(&mut self) -> usize {
        // Past bytes are dropped once there are twice as many as must be kept. So each byte is moved only once.
        if self.at > HISTORY * 2 {
            let old = self.at - HISTORY;
            self.buffer.copy_within(old..self.peeked_end, 0);
            self.peeked_end -= old;
            self.end -= old;
            self.at = HISTORY;
            self.base += old as u64;
        }
        let step = (self.peeked_end - self.end).min(READ_STEP);
        self.end += step;
        step
    }

    /// Reads bytes of the input, and appends them to those that were peeked at. Returns their number, 0 at the end of the
    /// input.
    fn read_input(&mut self) -> io::Result<usize> {
        let end_of_space = self.peeked_end + READ_STEP;
        if self.buffer.len() < end_of_space {
            // After the first step at once, so that bytes are not moved as the buffer grows. Memory that is not used costs nothing.
            if !self.buffer.is_empty() {
                self.buffer
                    .reserve_exact(CAPACITY.saturating_sub(self.buffer.len()));
            }
            self.buffer.resize(end_of_space, 0);
        }
        let read = loop {
            let into = self.buffer.get_mut(self.peeked_end..end_of_space);
            match self.inner.read(into.unwrap_or_default()) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result?,
            }
        };
        self.peeked_end = (self.peeked_end + read).min(end_of_space);
        Ok(read)
    }
}

impl<R: Read> Read for Window<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut available = self.fill_buf()?;
        let count = available.read(into)?;
        self.consume(count);
        Ok(count)
    }
}

impl<R: Read> BufRead for Window<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.ahead(1)
    }

    fn consume(&mut self, count: usize) {
        self.at = (self.at + count).min(self.end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_bytes_can_be_read_again() {
        let bytes: Vec<u8> = (0..=255).cycle().take(5 * HISTORY).collect();
        let mut window = Window::new(&bytes[..], 0, Vec::new());
        while window.offset() < 4 * HISTORY as u64 {
            let length = window.fill_buf().unwrap().len();
            window.consume(length);
        }
        let here = window.offset();
        window.rewind(here - HISTORY as u64);
        assert_eq!(window.offset(), here - HISTORY as u64);
        let at = usize::try_from(window.offset()).unwrap();
        assert_eq!(window.ahead(100).unwrap()[..100], bytes[at..at + 100]);
        window.rewind(0);
        assert!(window.offset() > 0, "the start is gone");
        assert!(window.offset() <= here - HISTORY as u64);
    }

    #[test]
    fn an_input_that_can_be_moved_is_read_again_from_any_offset() {
        let bytes: Vec<u8> = (0..=250).cycle().take(5 * HISTORY).collect();
        let mut window = Window::new(io::Cursor::new(&bytes), 0, Vec::new());
        let read_all = |window: &mut Window<_>| {
            while window.ahead(1).unwrap() != b"" {
                let length = window.ahead(1).unwrap().len();
                window.consume(length);
            }
        };
        read_all(&mut window);
        assert!(!window.go_to(0).unwrap());
        assert_eq!(window.offset(), bytes.len() as u64);
        window.allow_seek();
        for offset in [0, 1000, 5 * HISTORY - 10, HISTORY, 5 * HISTORY] {
            assert!(window.go_to(offset as u64).unwrap());
            assert_eq!(window.offset(), offset as u64);
            let ahead = window.ahead(100).unwrap();
            assert!(ahead.len() >= 100.min(bytes.len() - offset));
            assert!(bytes[offset..].starts_with(ahead));
            read_all(&mut window);
            assert_eq!(window.offset(), bytes.len() as u64);
        }
    }

    #[test]
    fn peeking_changes_no_step() {
        let bytes: Vec<u8> = (0..=250).cycle().take(4 * HISTORY + 1000).collect();
        let mut plain = Window::new(&bytes[..], 0, Vec::new());
        let mut peeked = Window::new(&bytes[..], 0, Vec::new());
        let mut count = 1;
        loop {
            let offset = usize::try_from(plain.offset()).unwrap();
            let ahead = peeked.peek(count).unwrap();
            assert!(ahead.len() >= count.min(bytes.len() - offset));
            assert!(bytes[offset..].starts_with(ahead));
            assert_eq!(plain.ahead(7).unwrap(), peeked.ahead(7).unwrap());
            assert_eq!((plain.offset(), plain.base), (peeked.offset(), peeked.base));
            if plain.ahead(1).unwrap().is_empty() {
                break;
            }
            // A decoder consumes all it gets before it asks for more.
            let mut left = count.min(bytes.len() - offset);
            while left > 0 {
                let step = plain.fill_buf().unwrap().len().min(left);
                plain.consume(step);
                left -= step;
            }
            peeked.consume_peeked(count.min(bytes.len() - offset));
            // Counts of many sizes: shorter than a step, and longer than several.
            count = count * 7 % 300_007;
        }
        assert_eq!(plain.offset(), bytes.len() as u64);
    }

    /// An input that fails once, after some bytes, and has more bytes after that. The results of its reads are in reverse order:
    /// each read takes the last.
    struct FailsOnce(Vec<io::Result<Vec<u8>>>);

    impl Read for FailsOnce {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let bytes = self.0.pop().unwrap_or(Ok(Vec::new()))?;
            into[..bytes.len()].copy_from_slice(&bytes);
            Ok(bytes.len())
        }
    }

    #[test]
    fn an_error_that_was_peeked_at_is_returned_after_the_bytes_before_it() {
        let error = io::Error::from(io::ErrorKind::TimedOut);
        let input = FailsOnce(vec![Ok(b"cd".to_vec()), Err(error), Ok(b"ab".to_vec())]);
        let mut window = Window::new(input, 0, Vec::new());
        assert_eq!(window.peek(2), Some(&b"ab"[..]));
        assert_eq!(window.peek(3), None);
        assert_eq!(window.peek(3), None);
        assert!(!window.failed);
        assert_eq!(window.ahead(2).unwrap(), b"ab");
        assert!(window.ahead(3).is_err());
        assert!(window.failed);
        assert_eq!(window.ahead(3).unwrap(), b"abcd");
    }
}
