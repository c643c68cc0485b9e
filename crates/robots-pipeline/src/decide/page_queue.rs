//! The pages that wait until every robots.txt is known.
//!
//! They wait as serialised facts, in order: in memory up to a limit, and beyond it in a temporary file. So archives of any
//! size are read once.

use crate::error::{Error, Operation};
use crate::extract::page::ReadPage;
use serde::{Deserialize, Serialize};
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use tempfile::SpooledTempFile;

/// The size of the buffers between pages and the temporary file: 64 KiB.
const BUFFER_BYTES: usize = 64 << 10;

/// A page or a folder that waits.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Waiting {
    /// A page of the input of this index.
    Page(usize, Box<ReadPage>),
    /// The folder that is the input of this index.
    Folder(usize),
}

/// The queue of the pages and folders that wait: all are pushed before the first is taken.
#[derive(Debug)]
pub(super) struct PageQueue {
    /// For each page or folder, the number of its bytes (`u64`, little-endian) and these bytes.
    file: BufWriter<SpooledTempFile>,
    /// The bytes of one page.
    buffer: Vec<u8>,
    /// The number of pages that can still be added.
    pages_left: u64,
    /// The number of pages and folders in the queue.
    len: u64,
}

impl PageQueue {
    /// Returns an empty queue that takes up to `pages` pages, and keeps about `bytes` bytes of them in memory.
    pub(super) fn new(bytes: usize, pages: u64) -> Self {
        Self {
            file: BufWriter::with_capacity(BUFFER_BYTES, SpooledTempFile::new(bytes)),
            buffer: Vec::new(),
            pages_left: pages,
            len: 0,
        }
    }

    /// Adds a page of an input, unless the maximum number of pages is reached.
    pub(super) fn push_page(&mut self, input: usize, page: Box<ReadPage>) -> Result<(), Error> {
        let Some(pages_left) = self.pages_left.checked_sub(1) else {
            return Ok(());
        };
        self.pages_left = pages_left;
        self.push(&Waiting::Page(input, page))
    }

    /// Adds a folder. Its pages are read when they are decided.
    pub(super) fn push_folder(&mut self, input: usize) -> Result<(), Error> {
        self.push(&Waiting::Folder(input))
    }

    fn push(&mut self, waiting: &Waiting) -> Result<(), Error> {
        self.len = self.len.saturating_add(1);
        self.write(waiting)
            .map_err(Error::temporary(Operation::WriteTo))
    }

    fn write(&mut self, waiting: &Waiting) -> io::Result<()> {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        self.buffer = postcard::to_extend(waiting, buffer).map_err(io::Error::other)?;
        self.file
            .write_all(&(self.buffer.len() as u64).to_le_bytes())?;
        self.file.write_all(&self.buffer)
    }

    /// Returns the pages and folders, in order. Ends after an error.
    pub(super) fn into_waiting(
        self,
    ) -> Result<impl Iterator<Item = Result<Waiting, Error>>, Error> {
        let mut left = self.len;
        let mut bytes = self.buffer;
        let file = self.file.into_inner().map_err(io::Error::from);
        let mut file = file.map_err(Error::temporary(Operation::WriteTo))?;
        file.rewind().map_err(Error::temporary(Operation::ReadOn))?;
        let mut file = BufReader::with_capacity(BUFFER_BYTES, file);
        Ok(std::iter::from_fn(move || {
            left = left.checked_sub(1)?;
            let waiting = read(&mut file, &mut bytes);
            if waiting.is_err() {
                left = 0;
            }
            Some(waiting.map_err(Error::temporary(Operation::ReadOn)))
        }))
    }
}

/// Reads the next page or folder.
fn read(file: &mut impl Read, bytes: &mut Vec<u8>) -> io::Result<Waiting> {
    let mut len = [0; size_of::<u64>()];
    file.read_exact(&mut len)?;
    bytes.clear();
    let len = u64::from_le_bytes(len);
    if file.take(len).read_to_end(bytes)? as u64 != len {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    postcard::from_bytes(bytes).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::page::samples::page;

    #[test]
    fn pages_and_folders_are_taken_as_they_were_pushed() {
        for bytes in [0, 1_000, 1 << 20] {
            let mut queue = PageQueue::new(bytes, 50);
            let mut pushed = Vec::new();
            for number in 0..60 {
                if number % 7 == 0 {
                    queue.push_folder(5).unwrap();
                    pushed.push(Waiting::Folder(5));
                }
                queue.push_page(number, page(number as u64)).unwrap();
                if number < 50 {
                    pushed.push(Waiting::Page(number, page(number as u64)));
                }
            }
            let taken: Result<Vec<_>, _> = queue.into_waiting().unwrap().collect();
            assert_eq!(taken.unwrap(), pushed);
        }
    }

    #[test]
    fn an_empty_queue_has_nothing() {
        assert_eq!(PageQueue::new(0, 0).into_waiting().unwrap().count(), 0);
    }

    #[test]
    fn damaged_bytes_end_the_queue_with_an_error() {
        let mut queue = PageQueue::new(0, 9);
        for number in 0..3 {
            queue.push_page(0, page(number)).unwrap();
        }
        // The file is cut within a page.
        queue.file.flush().unwrap();
        queue.file.get_mut().set_len(600).unwrap();
        let taken: Vec<_> = queue.into_waiting().unwrap().collect();
        let error = taken.last().unwrap().as_ref().unwrap_err();
        let error = error.to_string();
        assert!(
            error.starts_with("cannot continue reading a temporary file in "),
            "{error}"
        );
        assert!(taken.iter().rev().skip(1).all(Result::is_ok));
    }
}
