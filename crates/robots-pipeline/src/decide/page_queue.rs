//! The pages that wait until every robots.txt is known.
//!
//! They wait as serialised facts, in order: in memory up to a limit, and beyond it in a temporary file. So archives of any
//! size are read once.

use crate::error::Error;
use crate::extract::page::ReadPage;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use tempfile::SpooledTempFile;

/// The size of the buffers between pages and the temporary file: 64 KiB.
const BUFFER_BYTES: usize = 64 << 10;

/// The approximate size of a batch of pages that are decided together: 8 KiB, some 50 pages. So there are batches for all threads
/// even in a small crawl, and the first is soon written.
const BATCH_BYTES: usize = 8 << 10;

/// The queue of the pages that wait: all are pushed before the first is taken.
#[derive(Debug)]
pub(super) struct PageQueue {
    /// For each page, the number of its bytes (`u64`, little-endian) and these bytes.
    file: BufWriter<SpooledTempFile>,
    /// The number of pages that can still be added.
    pages_left: u64,
    /// The number of pages in the queue.
    len: u64,
    /// The number of their bytes.
    total_bytes: u64,
}

/// A batch of pages that wait: about [`BATCH_BYTES`], and at least one.
#[derive(Debug)]
pub(super) struct Batch {
    /// As in the file of the queue.
    bytes: Vec<u8>,
}

impl Batch {
    /// Returns the pages with the indexes of their inputs, in order. Ends after an error.
    pub(super) fn pages(&self) -> impl Iterator<Item = Result<(usize, ReadPage), Error>> {
        let mut rest = self.bytes.as_slice();
        std::iter::from_fn(move || {
            let (len, after) = rest.split_first_chunk()?;
            let len = usize::try_from(u64::from_le_bytes(*len)).unwrap_or(usize::MAX);
            let (page, after) = after.split_at_checked(len).unwrap_or((after, &[]));
            rest = after;
            let page = postcard::from_bytes(page).map_err(io::Error::other);
            if page.is_err() {
                rest = &[];
            }
            Some(page.map_err(Error::temporary("continue reading")))
        })
    }
}

impl PageQueue {
    /// Returns an empty queue that takes up to `pages` pages, and keeps about `bytes` bytes of them in memory.
    pub(super) fn new(bytes: usize, pages: u64) -> Self {
        Self {
            file: BufWriter::with_capacity(BUFFER_BYTES, SpooledTempFile::new(bytes)),
            pages_left: pages,
            len: 0,
            total_bytes: 0,
        }
    }

    /// Adds a page of an input, unless the maximum number of pages is reached.
    pub(super) fn push(&mut self, input: usize, page: &ReadPage) -> Result<(), Error> {
        if self.pages_left == 0 {
            return Ok(());
        }
        self.pages_left -= 1;
        self.len += 1;
        self.write(input, page)
            .map_err(Error::temporary("write to"))
    }

    fn write(&mut self, input: usize, page: &ReadPage) -> io::Result<()> {
        let bytes = postcard::to_stdvec(&(input, page)).map_err(io::Error::other)?;
        self.total_bytes += bytes.len() as u64;
        self.file.write_all(&(bytes.len() as u64).to_le_bytes())?;
        self.file.write_all(&bytes)
    }

    /// Returns the approximate number of batches.
    pub(super) fn batches(&self) -> u64 {
        self.total_bytes / BATCH_BYTES as u64 + 1
    }

    /// Returns the pages in batches, in order. Ends after an error, which follows what was read before it.
    pub(super) fn into_batches(self) -> Result<impl Iterator<Item = Result<Batch, Error>>, Error> {
        let mut left = self.len;
        let file = self.file.into_inner().map_err(io::Error::from);
        let mut file = file.map_err(Error::temporary("write to"))?;
        file.rewind()
            .map_err(Error::temporary("continue reading"))?;
        let mut file = BufReader::with_capacity(BUFFER_BYTES, file);
        let mut failure = None;
        Ok(std::iter::from_fn(move || {
            let mut batch = Vec::new();
            while batch.len() < BATCH_BYTES && left > 0 && failure.is_none() {
                match read_onto(&mut batch, &mut file) {
                    Ok(()) => left -= 1,
                    Err(error) => failure = Some(error),
                }
            }
            if !batch.is_empty() {
                return Some(Ok(Batch { bytes: batch }));
            }
            let error = failure.take()?;
            left = 0;
            Some(Err(Error::temporary("continue reading")(error)))
        }))
    }
}

/// Reads the bytes of the next page, with their number, to the end of `batch`. After an error, the batch is as before.
fn read_onto(batch: &mut Vec<u8>, file: &mut impl Read) -> io::Result<()> {
    let before = batch.len();
    let mut len = [0; size_of::<u64>()];
    file.read_exact(&mut len)?;
    batch.extend(len);
    let len = u64::from_le_bytes(len);
    let read = file.take(len).read_to_end(batch).and_then(|read| {
        if read as u64 == len {
            Ok(())
        } else {
            Err(io::ErrorKind::UnexpectedEof.into())
        }
    });
    if read.is_err() {
        batch.truncate(before);
    }
    read
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::page::samples::page;

    /// Returns all pages that wait, up to an error.
    fn waiting(queue: PageQueue) -> Vec<Result<(usize, ReadPage), Error>> {
        let batches = queue.into_batches().unwrap();
        let pages = batches.map(|batch| batch.map(|batch| batch.pages().collect()));
        pages
            .flat_map(|batch| batch.unwrap_or_else(|error| vec![Err(error)]))
            .collect()
    }

    #[test]
    fn pages_are_taken_as_they_were_pushed() {
        // The pages make several batches.
        assert!(postcard::to_allocvec(&page(0)).unwrap().len() < BATCH_BYTES / 10);
        for bytes in [0, 1_000, 1 << 20] {
            let mut queue = PageQueue::new(bytes, 5_000);
            let mut pushed = Vec::new();
            for number in 0..5_010 {
                queue.push(number, &page(number as u64)).unwrap();
                if number < 5_000 {
                    pushed.push((number, *page(number as u64)));
                }
            }
            let batches = queue.batches();
            assert!(batches > 3, "{batches}");
            let taken: Result<Vec<_>, _> = waiting(queue).into_iter().collect();
            assert_eq!(taken.unwrap(), pushed);
        }
    }

    #[test]
    fn an_empty_queue_has_nothing() {
        assert!(waiting(PageQueue::new(0, 0)).is_empty());
    }

    #[test]
    fn damaged_bytes_end_the_queue_with_an_error() {
        let mut queue = PageQueue::new(0, 9);
        for number in 0..3 {
            queue.push(0, &page(number)).unwrap();
        }
        // The file is cut within a page.
        queue.file.flush().unwrap();
        queue.file.get_mut().set_len(600).unwrap();
        let taken = waiting(queue);
        assert_eq!(taken.len(), 2, "a whole page, and an error");
        let error = taken.last().unwrap().as_ref().unwrap_err();
        let error = error.to_string();
        assert!(
            error.starts_with("cannot continue reading a temporary file in "),
            "{error}"
        );
        assert!(taken.iter().rev().skip(1).all(Result::is_ok));
    }
}
