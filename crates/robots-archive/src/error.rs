//! The error of reading an archive.

use std::io;

/// The error for an archive that cannot be read, or not any further.
///
/// Damage that the reader can pass over is not an error, but a [`Damage`](crate::Damage) among the records.
#[derive(Debug, thiserror::Error)]
#[error("{kind} at byte {offset}")]
pub struct Error {
    kind: ErrorKind,
    offset: u64,
    source: io::Error,
}

/// The kind of an [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Reading from the input failed.
    #[error("cannot read the archive")]
    Input,
    /// The bytes at the offset are corrupt, and no record after them could be reached.
    #[error("the archive is corrupt")]
    Corrupt,
    /// The Zstandard dictionary at the start of the archive cannot be used.
    #[error("cannot load the zstd dictionary")]
    Dictionary,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, offset: u64, source: io::Error) -> Self {
        Self {
            kind,
            offset,
            source,
        }
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the offset of the error in the input, in bytes. In a plain archive, the error is at the next byte to be
    /// read. In a compressed archive, it is in the gzip member or Zstandard frame that begins at the offset.
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

/// Wraps the error, with its offset and cause, in an error of the same [`io::ErrorKind`] as the cause.
impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        Self::new(error.source.kind(), error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reader;
    use std::error::Error as _;
    use std::io::Read;

    /// An input that fails after some bytes.
    struct Failing<'b>(&'b [u8]);

    impl Read for Failing<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            match self.0.read(into)? {
                0 => Err(io::Error::from(io::ErrorKind::TimedOut)),
                count => Ok(count),
            }
        }
    }

    #[test]
    fn a_failing_input_is_an_error_at_its_offset() {
        let record = b"WARC/1.0\r\nContent-Length: 2\r\n\r\nab\r\n\r\n";
        // More bytes than opening the archive reads ahead: the input fails only after some records.
        let records = record.repeat(60);
        let mut reader = Reader::open(Failing(&records)).unwrap().unwrap();
        let error = loop {
            match reader.next_item() {
                Ok(Some(_)) => {}
                Ok(None) => panic!("the failure is not reported"),
                Err(error) => break error,
            }
        };
        assert_eq!(error.kind(), ErrorKind::Input);
        assert!(error.offset() > 0 && error.offset() <= records.len() as u64);
        assert_eq!(
            error.to_string(),
            format!("cannot read the archive at byte {}", error.offset())
        );
        let (text, offset) = (error.to_string(), error.offset());
        let cause = error.source().unwrap().to_string();
        let wrapped = io::Error::from(error);
        assert_eq!(wrapped.kind(), io::ErrorKind::TimedOut);
        assert_eq!(wrapped.to_string(), text);
        assert_eq!(wrapped.source().unwrap().to_string(), cause);
        let inner = wrapped.downcast::<Error>().unwrap();
        assert_eq!((inner.kind(), inner.offset()), (ErrorKind::Input, offset));
        // After the error, the reader is at its end.
        assert!(reader.next_item().unwrap().is_none());
    }

    #[test]
    fn an_invalid_dictionary_is_an_error() {
        // The header of a dictionary's frame (four bytes that identify it, four of its length), and one byte of it.
        // The length is over the limit in the first, and too large for the input in the second.
        for dictionary in [
            &b"\x5D\x2A\x4D\x18\xFF\xFF\xFF\xFFx"[..],
            b"\x5D\x2A\x4D\x18\x06\0\0\0x",
        ] {
            let error = Reader::open(dictionary).unwrap_err();
            assert_eq!((error.kind(), error.offset()), (ErrorKind::Dictionary, 0));
        }
    }
}
