//! A buffered reader of a file or a pipe that keeps past bytes.
//!
//! After a corrupt member, the search for the next one begins within bytes that were read before. At least the last
//! [`HISTORY`] of them are kept.

use std::io::{self, BufRead, Read};

/// The minimum number of past bytes that are kept: 1 MiB. The maximum is twice as many, and one step.
pub(super) const HISTORY: usize = 1024 * 1024;

/// The number of bytes that are read at once: 64 KiB.
const READ_STEP: usize = 64 * 1024;

/// A buffered reader that can go back.
#[derive(Debug)]
pub(super) struct Window<R> {
    inner: R,
    /// The bytes that were read end at `end`.
    buffer: Vec<u8>,
    end: usize,
    /// The position in the buffer of the next byte.
    at: usize,
    /// The offset in the input of the buffer's first byte.
    base: u64,
    /// Whether reading from the input failed, so that its bytes are missing rather than corrupt.
    pub(super) failed: bool,
}

impl<R: Read> Window<R> {
    /// Returns a window on an input at this offset, with this buffer.
    pub(super) fn new(inner: R, base: u64, buffer: Vec<u8>) -> Self {
        Self {
            inner,
            buffer,
            end: 0,
            at: 0,
            base,
            failed: false,
        }
    }

    /// Returns the buffer for reuse.
    pub(super) fn into_buffer(self) -> Vec<u8> {
        self.buffer
    }

    /// Returns the offset in the input of the next byte.
    pub(super) fn offset(&self) -> u64 {
        self.base.saturating_add(self.at as u64)
    }

    /// Returns to an earlier offset, or to the oldest byte that is kept.
    pub(super) fn rewind(&mut self, offset: u64) {
        let back = offset.saturating_sub(self.base);
        self.at = usize::try_from(back).map_or(self.at, |back| back.min(self.at));
    }

    /// Returns the next bytes: at least `wanted`, unless the input ends before.
    pub(super) fn ahead(&mut self, wanted: usize) -> io::Result<&[u8]> {
        while self.end.saturating_sub(self.at) < wanted {
            if self.read_more()? == 0 {
                break;
            }
        }
        Ok(self.buffer.get(self.at..self.end).unwrap_or_default())
    }

    fn read_more(&mut self) -> io::Result<usize> {
        // Older bytes are dropped once they are as many as those that are kept, not at each read: each byte moves once.
        if self.at > HISTORY.saturating_mul(2) {
            let old = self.at.saturating_sub(HISTORY);
            self.buffer.copy_within(old..self.end, 0);
            self.end = self.end.saturating_sub(old);
            self.at = HISTORY;
            self.base = self.base.saturating_add(old as u64);
        }
        let most = self.end.saturating_add(READ_STEP);
        if self.buffer.len() < most {
            self.buffer.resize(most, 0);
        }
        let read = loop {
            match self
                .inner
                .read(self.buffer.get_mut(self.end..most).unwrap_or_default())
            {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result,
            }
        };
        self.end = self.end.saturating_add(*read.as_ref().unwrap_or(&0));
        self.failed |= read.is_err();
        read
    }
}

impl<R: Read> Read for Window<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let count = available.len().min(into.len());
        if let (Some(to), Some(from)) = (into.get_mut(..count), available.get(..count)) {
            to.copy_from_slice(from);
        }
        self.consume(count);
        Ok(count)
    }
}

impl<R: Read> BufRead for Window<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.ahead(1)
    }

    fn consume(&mut self, count: usize) {
        self.at = self.at.saturating_add(count).min(self.end);
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
}
