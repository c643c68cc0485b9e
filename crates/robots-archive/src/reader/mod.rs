//! The reader of records in order, past any damage.

mod block;
mod frames;
pub(crate) mod members;
mod open;
pub(crate) mod stream;
mod window;

use crate::error::Error;
use crate::record::header::{
    self, FIRST_LINE, Format, Header, begins, end_of_header, is_cut_start, next_record_in,
};
use crate::record::{Block, Cut, Fault, Item, Record};
use members::Packed;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::mem;
use stream::{Buffers, Stream};

/// The number of bytes of a header that are examined at once.
const HEADER_STEP: usize = 1024;

/// The maximum length of a record's header: 64 KiB.
const HEADER_LIMIT: usize = 64 * 1024;

/// The maximum number of bytes that are re-read after wrong record lengths: 64 MiB, to keep reading linear.
const REREADS: usize = 64 * 1024 * 1024;

/// A reader of the records of an archive, in order. See the [module](super).
#[derive(Debug)]
pub struct Reader<R> {
    stream: Stream<R>,
    format: Format,
    queue: VecDeque<Item>,
    next: Next,
    /// The remaining part of [`REREADS`], in bytes.
    rereads_left: usize,
    /// The memory of a block that is no longer needed.
    spare: Block,
    /// Whether each member so far had one record; `None` before the end of the first.
    one_record_per_member: Option<bool>,
    /// The exclusive end in bytes: reading stops at the first record at or after this offset.
    until: u64,
    /// The offset of that record.
    stopped_at: Option<u64>,
}

/// The next step of reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// The record that begins here.
    Record,
    /// The bytes after the current member, which is corrupt.
    AfterCorrupt,
    /// The bytes after the current member, which was not read to its end.
    AfterSkimmed,
    /// The end.
    Nothing,
}

/// The format and the compression of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Packing {
    format: Format,
    packed: Packed,
}

impl<R: Read> Reader<R> {
    fn new(stream: Stream<R>, format: Format) -> Self {
        Self {
            stream,
            format,
            queue: VecDeque::new(),
            next: Next::Record,
            rereads_left: REREADS,
            spare: Block::default(),
            one_record_per_member: None,
            until: u64::MAX,
            stopped_at: None,
        }
    }

    /// Returns the memory of the reader to `buffers`.
    pub fn into_buffers(self, buffers: &mut Buffers) {
        buffers.block = self.spare;
        self.stream.into_buffers(buffers);
    }

    /// Stops before the first record that begins at or after this offset; if there are members, one that begins a
    /// member.
    #[must_use]
    pub fn until(mut self, offset: u64) -> Self {
        self.until = offset;
        self
    }

    /// Reuses the memory of a record for the next one.
    pub fn recycle(&mut self, record: Record) {
        self.spare = record.block;
        self.spare.truncate(0);
    }

    /// Returns the offset at which the reader stopped, if before the end.
    pub fn stopped_at(&self) -> Option<u64> {
        self.stopped_at
    }

    /// Returns the format and the compression of the archive.
    pub fn packing(&self) -> Packing {
        Packing {
            format: self.format,
            packed: self.stream.packed(),
        }
    }

    /// Returns the next record or fault; `None` at the end.
    ///
    /// # Errors
    ///
    /// If the input cannot be read. Later calls return `None`.
    pub fn next_item(&mut self) -> Result<Option<Item>, Error> {
        self.next_item_skimming(&mut |_| false)
    }

    /// Returns the next record or fault. Stops reading a record when `enough` returns true for the part read so far.
    /// The rest is not unpacked: the next record is searched for in the bytes of the archive, and bytes that look
    /// like the beginning of one are taken for it. Applies only while each member has had one record.
    ///
    /// # Errors
    ///
    /// If the input cannot be read. Later calls return `None`.
    pub fn next_item_skimming(
        &mut self,
        enough: &mut dyn FnMut(&Record) -> bool,
    ) -> Result<Option<Item>, Error> {
        loop {
            if let Some(item) = self.queue.pop_front() {
                return Ok(Some(item));
            }
            let result = match self.next {
                Next::Record => self.record(enough),
                Next::AfterCorrupt => self.resume(),
                Next::AfterSkimmed => self.skip_member(),
                Next::Nothing => return Ok(None),
            };
            if let Err(error) = result {
                let noted = self.note_damage(error);
                noted.map_err(|error| self.stream.error(error))?;
            }
        }
    }

    fn fault(&mut self, offset: u64, text: impl Into<String>) {
        self.queue.push_back(Item::Fault(Fault {
            offset,
            text: text.into(),
            is_member: false,
        }));
    }

    /// Turns an error into a fault, unless the input itself failed.
    fn note_damage(&mut self, error: io::Error) -> io::Result<()> {
        if self.stream.input_failed() {
            self.next = Next::Nothing;
            return Err(error);
        }
        let what = if error.kind() == io::ErrorKind::UnexpectedEof {
            format!("truncated {}", self.stream.member())
        } else {
            format!("corrupt {} ({error})", self.stream.member())
        };
        self.queue.push_back(Item::Fault(Fault {
            offset: self.stream.offset(),
            text: format!("{what}; reading continues at the next whole one"),
            is_member: true,
        }));
        self.next = Next::AfterCorrupt;
        Ok(())
    }

    /// Resumes after a corrupt member.
    fn resume(&mut self) -> io::Result<()> {
        self.next = Next::Record;
        if !self.stream.resume(header::begins_record)? {
            self.next = Next::Nothing;
        }
        Ok(())
    }

    /// Advances to the next member in which a record begins, past the rest of this one.
    fn skip_member(&mut self) -> io::Result<()> {
        self.next = Next::Record;
        if !(self.stream.find(u64::MAX, header::begins_record)? && self.stream.next_member()?) {
            self.next = Next::Nothing;
        }
        Ok(())
    }

    /// Reads one record into the queue.
    fn record(&mut self, enough: &mut dyn FnMut(&Record) -> bool) -> io::Result<()> {
        // 1. Records are separated by empty lines, and often by members.
        loop {
            match self.stream.ahead(1)? {
                [] => {
                    if !self.stream.is_at_start() {
                        self.one_record_per_member = self.one_record_per_member.or(Some(true));
                    }
                    if !self.stream.next_member()? {
                        self.next = Next::Nothing;
                        return Ok(());
                    }
                }
                [b'\r' | b'\n', ..] => self.stream.consume(1),
                _ => break,
            }
        }
        let offset = self.stream.offset();
        if !self.stream.is_at_start() {
            self.one_record_per_member = Some(false);
        }
        let is_boundary = self.stream.is_at_start() || !self.stream.has_members();
        if is_boundary && offset >= self.until {
            self.stopped_at = Some(offset);
            self.next = Next::Nothing;
            return Ok(());
        }
        // 2. The header.
        let header = match self.format {
            Format::Warc => self.warc_header()?,
            Format::Arc => self.arc_header()?,
        };
        let Some(header) = header else {
            return self.find_next(offset, "no record begins here", Line::Bad);
        };
        let Some(length) = header.length else {
            let why = "a record that does not state its length";
            return self.find_next(offset, why, Line::Fresh);
        };
        // 3. The block.
        let mut record = Record {
            offset,
            kind: header.kind,
            url: header.url,
            date: header.date,
            content_type: header.content_type,
            block: mem::take(&mut self.spare),
            cut: None,
            digests: header.digests,
        };
        let (read, mut cut) = self.block(length, &mut record, enough)?;
        let bytes = &mut record.block;
        let is_suspect = match cut {
            None => !self.ends_well(),
            Some(Cut::Short) => true,
            Some(_) => false,
        };
        if is_suspect {
            // The length is wrong. If it is too large, the next records are in the block.
            let next = next_record_in(self.format, bytes);
            let after = next.map_or(0, |next| bytes.len().saturating_sub(next));
            let what = match next {
                Some(end) if after <= self.rereads_left => {
                    self.rereads_left = self.rereads_left.saturating_sub(after);
                    self.stream.put_back(bytes.get(end..).unwrap_or_default());
                    bytes.truncate(end);
                    let lost = read.saturating_sub((end.saturating_add(after)) as u64);
                    match lost {
                        0 => ", but the next record begins earlier".to_owned(),
                        _ => {
                            format!(", but the next record begins earlier; {lost} bytes were lost")
                        }
                    }
                }
                Some(_) => format!(", but other records begin in it; {read} bytes were lost"),
                None => format!(", but has {read}"),
            };
            // Bytes after it that are not a record are reported when they are skipped.
            if next.is_some() || cut.is_some() {
                self.fault(offset, format!("the record states {length} bytes{what}"));
            }
            cut = Some(Cut::Short);
        }
        if header.is_truncated {
            cut = cut.or(Some(Cut::Truncated));
        }
        record.cut = cut;
        self.queue.push_back(Item::Record(record));
        Ok(())
    }

    /// Reads a header, which may span several members.
    fn warc_header(&mut self) -> io::Result<Option<Header>> {
        let start = self.stream.ahead(FIRST_LINE)?;
        if !header::begins_warc(start) && !is_cut_start(start) {
            return Ok(None);
        }
        let mut text = Vec::new();
        loop {
            let ahead = self.stream.ahead(HEADER_STEP)?;
            if ahead.is_empty() {
                if !self.next_member_of_block()? {
                    return Ok(None);
                }
                continue;
            }
            // Many more bytes than a header may be available.
            let step = ahead.get(..HEADER_STEP).unwrap_or(ahead);
            let before = text.len();
            text.extend_from_slice(step);
            let end = end_of_header(&text);
            let taken = end.unwrap_or(text.len()).saturating_sub(before);
            self.stream.consume(taken);
            if let Some(end) = end {
                let text = text.get(..end).unwrap_or_default();
                return Ok(header::begins_warc(text).then(|| header::warc(text)));
            }
            if text.len() > HEADER_LIMIT {
                return Ok(None);
            }
        }
    }

    fn arc_header(&mut self) -> io::Result<Option<Header>> {
        let ahead = self.stream.ahead(HEADER_LIMIT)?;
        let Some(end) = memchr::memchr(b'\n', ahead) else {
            return Ok(None);
        };
        if !header::begins_arc(ahead) {
            return Ok(None);
        }
        let header = header::arc(ahead.get(..end).unwrap_or_default());
        self.stream.consume(end.saturating_add(1));
        Ok(Some(header))
    }

    /// Advances to the next place where a record begins: a line that begins one, or the next member. Reports the number of
    /// skipped bytes, and the reason `why`.
    fn find_next(&mut self, from: u64, why: &str, line: Line) -> io::Result<()> {
        let mut skipped = 0_u64;
        let mut at_line_start = line == Line::Fresh;
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
            let skip = line_end.map_or(ahead.len(), |at| at.saturating_add(1));
            self.stream.consume(skip);
            skipped = skipped.saturating_add(skip as u64);
        }
        self.fault(from, format!("{why}; {skipped} bytes skipped"));
        Ok(())
    }
}

/// The line at which a search begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    /// It has been examined, and does not begin a record.
    Bad,
    /// It has not been examined.
    Fresh,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// An input without a member that counts the bytes read.
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
            let found = Reader::find(input, 0, until, &mut Buffers::default()).unwrap();
            assert_eq!(found, None);
            let read = read.get() as u64;
            assert!(
                (until..until + MEBIBYTE).contains(&read),
                "{read} of {until}"
            );
        }
    }
}
