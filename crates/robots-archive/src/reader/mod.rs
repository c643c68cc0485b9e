//! The reader of records, in order. It continues after damage.

mod block;
pub(crate) mod decoder;
mod frames;
mod length;
pub(crate) mod open;
pub(crate) mod stream;
mod whole;
mod window;

use crate::error::Error;
use crate::record::header::{
    self, Header, RecordFormat, WARC_LINE_BYTES, begins, end_of_header, may_be_cut_warc_line,
};
use crate::record::{Block, Cut, Damage, Item, Record};
use decoder::Compression;
use std::collections::VecDeque;
use std::io::{self, Read, Seek};
use std::mem;
use stream::{Buffers, Stream};

/// The number of bytes of a header that are examined at once: 1 KiB.
const HEADER_STEP: usize = 1024;

/// The maximum length of a record's header: 64 KiB.
pub(crate) const HEADER_LIMIT: usize = 64 * 1024;

/// A reader of the records of an archive, in order.
#[derive(Debug)]
pub struct Reader<R> {
    stream: Stream<R>,
    format: RecordFormat,
    queue: VecDeque<Item>,
    next: Next,
    /// The number of bytes that were read again, or put back to be.
    reread: u64,
    /// The memory of a block that is no longer needed.
    spare: Block,
    /// Whether each gzip member is unpacked step by step.
    in_steps: bool,
    /// Reading stops at the first record at or after this offset.
    until: u64,
    /// The offset of the record at which reading stopped.
    stopped_at: Option<u64>,
}

/// The next step of a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// The record that begins here.
    Record,
    /// The bytes after the current member, which is corrupt.
    AfterCorrupt,
    /// No step: reading has ended.
    Nothing,
}

/// The format of an archive: that of its records, and its compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ArchiveFormat {
    records: RecordFormat,
    compression: Compression,
}

impl ArchiveFormat {
    /// Returns the format of a WARC file that is not compressed.
    pub(crate) fn plain_warc() -> Self {
        Self {
            records: RecordFormat::Warc,
            compression: Compression::Plain,
        }
    }

    /// Returns whether the archive consists of gzip members.
    pub(crate) fn is_gzip(self) -> bool {
        self.compression == Compression::Gzip
    }
}

impl<R: Read> Reader<R> {
    fn new(stream: Stream<R>, format: RecordFormat) -> Self {
        Self {
            stream,
            format,
            queue: VecDeque::new(),
            next: Next::Record,
            reread: 0,
            spare: Block::default(),
            in_steps: false,
            until: u64::MAX,
            stopped_at: None,
        }
    }

    /// Allows the reader to move the input back, so that wrong lengths of more than [`BLOCK_LIMIT`](crate::BLOCK_LIMIT) cost no
    /// record: their bytes are read again. The positions of the input are the offsets of the archive. An input that returns
    /// [`io::ErrorKind::Unsupported`] is not moved.
    #[must_use]
    pub fn seekable(mut self) -> Self
    where
        R: Seek,
    {
        self.stream.allow_seek();
        self
    }

    /// Returns the memory of the reader to `buffers`.
    pub fn into_buffers(self, buffers: &mut Buffers) {
        buffers.block = self.spare;
        self.stream.into_buffers(buffers);
    }

    /// Stops before the first record that begins at or after this offset. In a gzip or Zstandard archive, records have the
    /// offset of their member, and reading stops only between members.
    #[must_use]
    pub fn until(mut self, offset: u64) -> Self {
        self.until = offset;
        self
    }

    /// Unpacks each gzip member step by step, which is slower and returns the same items: the reference for reading at once.
    #[must_use]
    pub fn in_steps(mut self) -> Self {
        self.in_steps = true;
        self
    }

    /// Reuses the memory of a record for the next one.
    pub fn recycle(&mut self, record: Record) {
        self.spare = self.stream.recycle(record.block);
    }

    /// Returns the offset of the record at which [`until`](Self::until) stopped the reader.
    pub fn stopped_at(&self) -> Option<u64> {
        self.stopped_at
    }

    /// Returns the offset of the next byte in a plain archive, and else of the current member; at the end of the archive, its
    /// size in bytes.
    pub fn offset(&self) -> u64 {
        self.stream.offset()
    }

    /// Returns the format of the archive.
    pub fn archive_format(&self) -> ArchiveFormat {
        ArchiveFormat {
            records: self.format,
            compression: self.stream.compression(),
        }
    }

    /// Returns the next record or damaged place; `None` at the end.
    ///
    /// Unpacks a gzip member that is not large in one call, which is faster. To find its end, reads up to 1 MiB past the
    /// record.
    ///
    /// # Errors
    ///
    /// If the input cannot be read. Later calls return `None`.
    pub fn next_item(&mut self) -> Result<Option<Item>, Error> {
        self.stream.whole_until = if self.in_steps { 0 } else { self.until };
        loop {
            if let Some(item) = self.queue.pop_front() {
                return Ok(Some(item));
            }
            let result = match self.next {
                Next::Record => self.read_record(),
                Next::AfterCorrupt => self.resume_after_damage(),
                Next::Nothing => return Ok(None),
            };
            if let Err(error) = result {
                let reported = self.report_member_damage(error);
                reported.map_err(|error| self.stream.error(error))?;
            }
        }
    }

    /// Queues a damaged place of the content.
    fn report_damage(&mut self, offset: u64, text: impl Into<String>) {
        let damage = Damage::of_record(offset, text);
        self.queue.push_back(Item::Damage(damage));
    }

    /// Queues the damaged member that an error is about. Returns the error if the input itself failed.
    fn report_member_damage(&mut self, error: io::Error) -> io::Result<()> {
        if self.stream.input_failed() {
            self.next = Next::Nothing;
            return Err(error);
        }
        let what = if error.kind() == io::ErrorKind::UnexpectedEof {
            format!("truncated {}", self.stream.member_name())
        } else {
            format!("corrupt {} ({error})", self.stream.member_name())
        };
        self.queue.push_back(Item::Damage(Damage {
            offset: self.stream.offset(),
            text: format!("{what}; reading continues at the next whole one"),
            is_of_member: true,
        }));
        self.next = Next::AfterCorrupt;
        Ok(())
    }

    /// Advances to the next member in which a record begins, past a corrupt one.
    fn resume_after_damage(&mut self) -> io::Result<()> {
        self.next = Next::Record;
        if !self.stream.resume_after_damage(header::begins_record)? {
            self.next = Next::Nothing;
        }
        Ok(())
    }

    /// Reads one record into the queue, or reports why there is none.
    fn read_record(&mut self) -> io::Result<()> {
        if !self.skip_separators()? {
            self.next = Next::Nothing;
            return Ok(());
        }
        let offset = self.stream.offset();
        let start = self.stream.total_consumed();
        let is_boundary = self.stream.is_at_member_start() || !self.stream.has_members();
        if is_boundary && offset >= self.until {
            self.stopped_at = Some(offset);
            self.next = Next::Nothing;
            return Ok(());
        }
        let header = match self.format {
            RecordFormat::Warc => self.read_warc_header()?,
            RecordFormat::Arc => self.read_arc_header()?,
        };
        let Some(header) = header else {
            // If nothing was consumed, this line is known not to begin a record. Otherwise, the next bytes are the line after
            // those that were consumed, and may begin one.
            let from = if self.stream.total_consumed() == start {
                SearchFrom::NextLine
            } else {
                SearchFrom::ThisLine
            };
            return self.skip_to_next_record((offset, start), "no record begins here", from);
        };
        let Some(length) = header.length else {
            let why = "a record that does not state its length";
            return self.skip_to_next_record((offset, start), why, SearchFrom::ThisLine);
        };
        let mut record = Record {
            offset,
            kind: header.kind,
            id: header.id,
            url: header.url,
            date: header.date,
            content_type: header.content_type,
            block: mem::take(&mut self.spare),
            cut: None,
            digests: header.digests,
        };
        let block = self.read_block(length, &mut record.block)?;
        record.cut = block.cut;
        self.check_length(&mut record, length, &block)?;
        if header.is_truncated {
            // If reading cut the block, that reason is kept.
            record.cut = record.cut.or(Some(Cut::Truncated));
        }
        self.queue.push_back(Item::Record(record));
        Ok(())
    }

    /// Consumes what separates records: empty lines, and the ends of members. Returns `false` at the end of the input.
    fn skip_separators(&mut self) -> io::Result<bool> {
        loop {
            match self.stream.ahead(1)? {
                [] => {
                    if !self.stream.next_member()? {
                        return Ok(false);
                    }
                }
                [b'\r' | b'\n', ..] => self.stream.consume(1),
                _ => return Ok(true),
            }
        }
    }

    /// Reads a WARC header, which may span several members. If there is no valid header, returns `None` and consumes:
    ///
    /// * nothing, if the bytes do not begin a header;
    /// * the first line, if the header is too long; all bytes read so far, if too many were [read again](Self::may_reread);
    /// * otherwise, the bytes up to the empty line that would end the header, or up to the end of the member in which it
    ///   breaks off.
    fn read_warc_header(&mut self) -> io::Result<Option<Header>> {
        let start = self.stream.ahead(WARC_LINE_BYTES)?;
        if !header::begins_warc(start) && !may_be_cut_warc_line(start) {
            return Ok(None);
        }
        let mut text = Vec::new();
        loop {
            let ahead = self.stream.ahead(HEADER_STEP)?;
            if ahead.is_empty() {
                if !self.continue_in_next_member()? {
                    return Ok(None);
                }
                continue;
            }
            // `ahead` returns all available bytes, often many more than a header has.
            let step = ahead.get(..HEADER_STEP).unwrap_or(ahead);
            let before = text.len();
            text.extend_from_slice(step);
            let end = end_of_header(&text);
            let taken = end.unwrap_or(text.len()) - before;
            self.stream.consume(taken);
            if let Some(end) = end {
                let text = text.get(..end).unwrap_or_default();
                return Ok(header::begins_warc(text).then(|| header::parse_warc(text)));
            }
            if text.len() > HEADER_LIMIT {
                // The header is too long. A record may begin in any of its lines but the first: they are read again, unless
                // too many bytes would be.
                let first_line = memchr::memchr(b'\n', &text).unwrap_or(text.len());
                let rest = text.get(first_line + 1..).unwrap_or_default();
                self.put_back(rest);
                return Ok(None);
            }
        }
    }

    /// Reads an ARC header. Returns `None`, and consumes nothing, if there is none.
    fn read_arc_header(&mut self) -> io::Result<Option<Header>> {
        let ahead = self.stream.ahead(HEADER_LIMIT)?;
        let Some(end) = memchr::memchr(b'\n', ahead) else {
            return Ok(None);
        };
        if !header::begins_arc(ahead) {
            return Ok(None);
        }
        let header = header::parse_arc(ahead.get(..end).unwrap_or_default());
        self.stream.consume(end + 1);
        Ok(Some(header))
    }

    /// Advances to the next line that begins a record. Reports the number of skipped bytes, and the reason `why`.
    ///
    /// The skipped bytes begin at `offset` in the archive; `start` is the number of unpacked bytes before them.
    fn skip_to_next_record(
        &mut self,
        (offset, start): (u64, u64),
        why: &str,
        from: SearchFrom,
    ) -> io::Result<()> {
        let mut at_line_start = from == SearchFrom::ThisLine;
        loop {
            let format = self.format;
            let ahead = self.stream.ahead(HEADER_LIMIT)?;
            if ahead.is_empty() {
                if !self.stream.next_member()? {
                    self.next = Next::Nothing;
                    break;
                }
                at_line_start = true;
                continue;
            }
            if at_line_start && begins(format, ahead) {
                break;
            }
            let line_end = memchr::memchr(b'\n', ahead);
            at_line_start = line_end.is_some();
            let skip = line_end.map_or(ahead.len(), |at| at + 1);
            self.stream.consume(skip);
        }
        let skipped = self.stream.total_consumed() - start;
        self.report_damage(offset, format!("{why}; {} skipped", bytes(skipped)));
        Ok(())
    }
}

/// The line from which a search for a record begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SearchFrom {
    /// The line here, which has not been examined.
    ThisLine,
    /// The line after this one, which does not begin a record.
    NextLine,
}

/// Returns a number of bytes as text.
fn bytes(count: u64) -> String {
    if count == 1 {
        "1 byte".to_owned()
    } else {
        format!("{count} bytes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// An endless input in which no gzip member begins. It counts the bytes that are read.
    struct Counting<'c> {
        read: &'c Cell<usize>,
    }

    impl Read for Counting<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            into.fill(0x1F);
            self.read.set(self.read.get() + into.len());
            Ok(into.len())
        }
    }

    #[test]
    fn a_search_ends_at_its_limit() {
        const MEBIBYTE: u64 = 1 << 20;
        for until in [1, 2, 8] {
            let read = Cell::new(0);
            let input = Counting { read: &read };
            let until = until * MEBIBYTE;
            let found = Reader::find_record(input, 0, until, &mut Buffers::default()).unwrap();
            assert_eq!(found, None);
            let read = read.get() as u64;
            // The input is read in steps, so reading ends a little after the limit.
            assert!(
                (until..until + MEBIBYTE).contains(&read),
                "{read} of {until}"
            );
        }
    }

    #[test]
    fn a_zstandard_archive_is_not_resumed() {
        let record = b"WARC/1.0\r\nContent-Length: 2\r\n\r\nab\r\n\r\n";
        let frame = zstd::encode_all(&record[..], 0).unwrap();
        for (archive, is_resumed) in [(&record[..], true), (&frame, false)] {
            let reader = Reader::open(archive).unwrap().unwrap();
            let format = reader.archive_format();
            let resumed = Reader::resume_at(archive, 0, format, &mut Buffers::default());
            let item = resumed.map(|mut reader| reader.next_item().unwrap());
            let is_record = matches!(item, Some(Some(Item::Record(_))));
            assert_eq!(is_record, is_resumed);
        }
    }
}
