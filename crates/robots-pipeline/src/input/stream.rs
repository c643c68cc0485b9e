//! Archives that the caller provides as streams of bytes.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

/// The number of bytes at the start of an input that are kept: 64 KiB.
const START_BYTES: usize = 64 << 10;

/// The first bytes of an input, up to 64 KiB. They show what an input is that is not an archive.
#[derive(Debug, Default)]
pub(crate) struct StartBytes(Vec<u8>);

impl StartBytes {
    /// Returns the bytes.
    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.0
    }

    /// Keeps the bytes that were read at an offset, as far as they continue those before.
    pub(crate) fn keep(&mut self, offset: u64, bytes: &[u8]) {
        let known = (self.0.len() as u64).checked_sub(offset);
        let known = known.and_then(|known| usize::try_from(known).ok());
        let new = known.and_then(|known| bytes.get(known..));
        let new = new.unwrap_or_default();
        let missing = START_BYTES - self.0.len();
        self.0.extend_from_slice(new.get(..missing).unwrap_or(new));
    }
}

/// An archive as a stream of bytes, such as a response of a server. It is read once, from its start to its end, by one thread
/// at a time.
pub struct ByteStream {
    /// The name for rows and messages.
    pub(crate) name: String,
    input: Box<dyn Read + Send>,
}

impl ByteStream {
    /// Returns a stream with a name for rows and messages. A read may return fewer bytes than it could; zero bytes are the end.
    pub fn new(name: impl Into<String>, input: impl Read + Send + 'static) -> Self {
        Self {
            name: name.into(),
            input: Box::new(input),
        }
    }
}

impl fmt::Debug for ByteStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ByteStream")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// The content of a stream. If an archive is read again for the targets of redirects, the second reading needs a copy.
#[derive(Debug)]
pub(crate) struct StreamContent(Mutex<State>);

#[derive(Debug)]
enum State {
    /// Nothing was read.
    New {
        stream: ByteStream,
        /// Whether the bytes are copied to a temporary file.
        is_copied: bool,
    },
    /// The stream was opened, and is read by one reader. The file is the copy.
    Opened(Option<Arc<File>>),
}

/// An open archive.
#[derive(Clone)]
pub(crate) enum OpenArchive {
    /// A file, which may be read at any place.
    File(Arc<File>),
    /// A stream, which is read once.
    Stream(Arc<Mutex<StreamReader>>),
}

impl StreamContent {
    /// Returns the content of a stream. `is_copied`: whether it can be opened again, from a temporary copy.
    pub(crate) fn new(stream: ByteStream, is_copied: bool) -> Self {
        Self(Mutex::new(State::New { stream, is_copied }))
    }

    /// Opens the stream, or its copy.
    ///
    /// # Errors
    ///
    /// If the copy cannot be made, or the stream was read before and was not copied.
    pub(crate) fn open(&self) -> io::Result<OpenArchive> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match mem::replace(&mut *state, State::Opened(None)) {
            State::New { stream, is_copied } => {
                let copy = is_copied
                    .then(tempfile::tempfile)
                    .transpose()?
                    .map(Arc::new);
                *state = State::Opened(copy.clone());
                let reader = StreamReader::new(stream.input, copy);
                Ok(OpenArchive::Stream(Arc::new(Mutex::new(reader))))
            }
            State::Opened(Some(copy)) => {
                *state = State::Opened(Some(Arc::clone(&copy)));
                Ok(OpenArchive::File(copy))
            }
            State::Opened(None) => Err(io::Error::other("the stream was read before")),
        }
    }
}

/// A reader of a stream that keeps its start, and may copy it.
///
/// A read fills the buffer unless the stream ends or fails: what is read of a corrupt archive depends on the sizes of reads,
/// and must be the same as of a file.
pub(crate) struct StreamReader {
    input: Box<dyn Read + Send>,
    start: StartBytes,
    /// The number of bytes that were read.
    offset: u64,
    copy: Option<Arc<File>>,
    /// The end, or an error that is returned after the bytes before it.
    last: Option<io::Result<()>>,
}

impl StreamReader {
    fn new(input: Box<dyn Read + Send>, copy: Option<Arc<File>>) -> Self {
        Self {
            input,
            start: StartBytes::default(),
            offset: 0,
            copy,
            last: None,
        }
    }

    /// Returns the first bytes, as far as they were read: up to 64 KiB.
    pub(crate) fn start(&self) -> &[u8] {
        self.start.as_slice()
    }

    fn read_more(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.input.read(into) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(count) if count > into.len() => {
                    return Err(io::Error::other("a stream returned too many bytes"));
                }
                result => return result,
            }
        }
    }

    /// Keeps bytes that were read.
    fn keep(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.start.keep(self.offset, bytes);
        self.offset += bytes.len() as u64;
        match &self.copy {
            Some(copy) => (&**copy).write_all(bytes),
            None => Ok(()),
        }
    }
}

impl Read for StreamReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while self.last.is_none()
            && let Some(rest) = into.get_mut(filled..).filter(|rest| !rest.is_empty())
        {
            match self.read_more(rest) {
                Ok(0) => self.last = Some(Ok(())),
                Ok(count) => filled += count,
                Err(error) => self.last = Some(Err(error)),
            }
        }
        if filled == 0
            && !into.is_empty()
            && let Some(last) = self.last.replace(Ok(()))
        {
            return last.map(|()| 0);
        }
        self.keep(into.get(..filled).unwrap_or_default())?;
        Ok(filled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream that returns a few bytes at a time, and then may fail.
    struct Slow(Vec<u8>, usize, bool);

    impl Read for Slow {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(into.len()).min(self.0.len());
            if count == 0 && self.2 {
                return Err(io::ErrorKind::TimedOut.into());
            }
            into[..count].copy_from_slice(&self.0[..count]);
            self.0.drain(..count);
            Ok(count)
        }
    }

    fn reader(content: &StreamContent) -> StreamReader {
        match content.open().unwrap() {
            OpenArchive::Stream(reader) => Arc::into_inner(reader).unwrap().into_inner().unwrap(),
            OpenArchive::File(_) => panic!("a copy"),
        }
    }

    #[test]
    fn a_read_fills_the_buffer_before_the_end_or_a_failure() {
        for fails in [false, true] {
            let stream = ByteStream::new("a", Slow(vec![7; 100], 3, fails));
            let mut reader = reader(&StreamContent::new(stream, false));
            let mut buffer = [0; 64];
            assert_eq!(reader.read(&mut buffer).unwrap(), 64);
            assert_eq!(reader.read(&mut buffer).unwrap(), 36);
            let end = reader.read(&mut buffer).map_err(|error| error.kind());
            let expected = if fails {
                Err(io::ErrorKind::TimedOut)
            } else {
                Ok(0)
            };
            assert_eq!(end, expected);
            assert_eq!(reader.read(&mut buffer).unwrap(), 0);
            assert_eq!(reader.start(), [7; 100]);
        }
    }

    #[test]
    fn only_the_start_is_kept_unless_a_copy_is_made() {
        let bytes: Vec<u8> = (0..=255).cycle().take(START_BYTES + 1).collect();
        for is_copied in [false, true] {
            let stream = ByteStream::new("a", io::Cursor::new(bytes.clone()));
            let content = StreamContent::new(stream, is_copied);
            let mut reader = reader(&content);
            let mut read = Vec::new();
            reader.read_to_end(&mut read).unwrap();
            assert_eq!(read, bytes);
            assert_eq!(reader.start(), &bytes[..START_BYTES]);
            match content.open() {
                Ok(OpenArchive::File(copy)) => {
                    assert!(is_copied);
                    assert_eq!(copy.metadata().unwrap().len(), bytes.len() as u64);
                }
                Ok(OpenArchive::Stream(_)) => panic!("read twice"),
                Err(_) => assert!(!is_copied),
            }
        }
    }
}
