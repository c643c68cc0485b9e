//! The output of commands whose exit code is an answer.

use anstream::AutoStream;
use std::io::{self, StdoutLock, Write};

/// Standard output of a command whose exit code says what it found. After the reader closed it, as `head` does, what is written is
/// dropped, so that the exit code does not depend on how much the reader wanted.
pub(crate) fn stdout() -> AnswerOutput<AutoStream<StdoutLock<'static>>> {
    AnswerOutput::new(anstream::stdout().lock())
}

/// The same for bytes that are not text for people: none is left out.
pub(crate) fn raw_stdout() -> AnswerOutput<StdoutLock<'static>> {
    AnswerOutput::new(io::stdout().lock())
}

/// An output that accepts what is written after its reader closed it.
#[derive(Debug)]
pub(crate) struct AnswerOutput<W> {
    out: W,
    is_closed: bool,
}

impl<W: Write> AnswerOutput<W> {
    fn new(out: W) -> Self {
        Self {
            out,
            is_closed: false,
        }
    }

    /// Calls `write` unless the output is closed. Returns `dropped` if it is.
    fn unless_closed<T>(
        &mut self,
        dropped: T,
        write: impl FnOnce(&mut W) -> io::Result<T>,
    ) -> io::Result<T> {
        if self.is_closed {
            return Ok(dropped);
        }
        match write(&mut self.out) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(dropped)
            }
            result => result,
        }
    }
}

impl<W: Write> Write for AnswerOutput<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unless_closed(bytes.len(), |out| out.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_closed((), W::flush)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An output that fails with an error of this kind after some bytes.
    struct Fails(usize, io::ErrorKind);

    impl Write for Fails {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(self.1)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn only_a_closed_output_drops_what_is_written() {
        let mut closed = AnswerOutput::new(Fails(3, io::ErrorKind::BrokenPipe));
        for _ in 0..5 {
            closed.write_all(b"ab").unwrap();
            closed.flush().unwrap();
        }
        let mut full = AnswerOutput::new(Fails(3, io::ErrorKind::StorageFull));
        full.write_all(b"ab").unwrap();
        let error = full.write_all(b"ab").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
