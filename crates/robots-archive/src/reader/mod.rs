//! The reader of records, in order. It continues after damage.

mod block;
pub(crate) mod decoder;
mod frames;
pub(crate) mod open;
pub(crate) mod stream;
mod unpacked;
mod whole;
mod window;

use crate::error::Error;
use crate::record::header::{
    self, CUT_LINE_LIMIT, Header, RecordFormat, WARC_LINE_BYTES, begins, end_of_header,
    may_be_cut_warc_line, next_record_in,
};
use crate::record::{BLOCK_LIMIT, Block, Cut, Damage, Item, Record};
use block::ReadBlock;
use decoder::Compression;
use std::collections::VecDeque;
use std::io::{self, Read, Seek};
use std::mem;
use stream::{Buffers, Place, Stream};

/// The number of bytes of a header that are examined at once: 1 KiB.
const HEADER_STEP: usize = 1024;

/// The maximum length of a record's header: 64 KiB.
const HEADER_LIMIT: usize = 64 * 1024;

/// The number of bytes of an archive that may be read again after wrong record lengths, however short the archive is: 64 MiB. See
/// [`REREADS_PER_BYTE`].
const REREAD_LIMIT: u64 = 64 * 1024 * 1024;

/// The number of times that each byte so far may be read again, on average, after wrong record lengths. Without a limit, reading
/// would not be linear.
const REREADS_PER_BYTE: u64 = 4;

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
    /// Whether each member so far had one record; `None` before the end of the first.
    one_record_per_member: Option<bool>,
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
    /// The bytes after the current member, which was not read to its end.
    AfterSkimmed,
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
            one_record_per_member: None,
            until: u64::MAX,
            stopped_at: None,
        }
    }

    /// Allows the reader to move the input back, so that wrong lengths of more than [`BLOCK_LIMIT`] cost no
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

    /// Reuses the memory of a record for the next one.
    pub fn recycle(&mut self, record: Record) {
        self.spare = record.block.cleared();
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
        self.stream.unpack_whole_until(self.until);
        self.read_item(&mut |_| false)
    }

    /// Returns the next record or damaged place. Stops reading a record when `enough` returns true for the part read so
    /// far.
    ///
    /// The rest is not unpacked. Instead, the next member with a record is searched for in the bytes of the archive.
    /// Bytes that only look like such a member are read as one. A record is read whole unless each member so far had
    /// one record.
    ///
    /// # Errors
    ///
    /// If the input cannot be read. Later calls return `None`.
    pub fn next_item_skimming(
        &mut self,
        enough: &mut dyn FnMut(&Record) -> bool,
    ) -> Result<Option<Item>, Error> {
        // The rest of a member may not be needed, so no member is unpacked in one call.
        self.stream.unpack_whole_until(0);
        self.read_item(enough)
    }

    fn read_item(
        &mut self,
        enough: &mut dyn FnMut(&Record) -> bool,
    ) -> Result<Option<Item>, Error> {
        loop {
            if let Some(item) = self.queue.pop_front() {
                return Ok(Some(item));
            }
            let result = match self.next {
                Next::Record => self.read_record(enough),
                Next::AfterCorrupt => self.resume_after_damage(),
                Next::AfterSkimmed => self.skip_to_next_member(),
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

    /// Advances to the next member in which a record begins, past the rest of one that was skimmed.
    fn skip_to_next_member(&mut self) -> io::Result<()> {
        self.next = Next::Record;
        if !(self.stream.find_member(u64::MAX, header::begins_record)?
            && self.stream.next_member()?)
        {
            self.next = Next::Nothing;
        }
        Ok(())
    }

    /// Reads one record into the queue, or reports why there is none.
    fn read_record(&mut self, enough: &mut dyn FnMut(&Record) -> bool) -> io::Result<()> {
        if !self.skip_separators()? {
            self.next = Next::Nothing;
            return Ok(());
        }
        let offset = self.stream.offset();
        let start = self.stream.total_consumed();
        if !self.stream.is_at_member_start() {
            self.one_record_per_member = Some(false);
        }
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
        let block = self.read_block(length, &mut record, enough)?;
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
                    if !self.stream.is_at_member_start() {
                        self.one_record_per_member = self.one_record_per_member.or(Some(true));
                    }
                    if !self.stream.next_member()? {
                        return Ok(false);
                    }
                }
                [b'\r' | b'\n', ..] => self.stream.consume(1),
                _ => return Ok(true),
            }
        }
    }

    /// Compares the `stated` length of a record's block with the bytes. If the length is wrong, sets the record's cut to
    /// [`Cut::Short`]. A block over the limit keeps [`Cut::Limit`], unless a record begins in its kept bytes.
    ///
    /// If the length is too large, the next records are in the block: they are read again. If it is too small, the bytes
    /// after the block are reported when they are skipped.
    fn check_length(
        &mut self,
        record: &mut Record,
        stated: u64,
        block: &ReadBlock,
    ) -> io::Result<()> {
        let may_be_wrong = match record.cut {
            None | Some(Cut::Limit) => !self.has_valid_end(),
            Some(Cut::Short) => true,
            // The end of the block was not reached.
            Some(_) => false,
        };
        if !may_be_wrong {
            return Ok(());
        }
        let after = self.stream.peek(CUT_LINE_LIMIT);
        let next = next_record_in(self.format, &record.block, after);
        let place = block.place_of_record(next);
        let mut begins_in_kept = next.is_some();
        let what = if let Some(place) = place
            && self.go_back(place)?
        {
            let length = place.distance_from(block.start);
            begins_in_kept = length <= BLOCK_LIMIT as u64;
            record
                .block
                .truncate(usize::try_from(length).unwrap_or(usize::MAX));
            Some("the next record begins earlier".to_owned())
        } else if let Some(next) = next {
            Some(self.put_back_records(&mut record.block, next, block.read))
        } else if block.dropped_record.is_some() {
            Some("the next record begins earlier, and is lost".to_owned())
        } else {
            (record.cut == Some(Cut::Short)).then(|| format!("has {}", block.read))
        };
        if let Some(what) = what {
            let text = format!("the record states {}, but {what}", bytes(stated));
            self.report_damage(record.offset, text);
        }
        if begins_in_kept || record.cut.is_none() {
            record.cut = Some(Cut::Short);
        } else if block.dropped_record.is_some() {
            record.cut = Some(Cut::Limit);
        }
        Ok(())
    }

    /// Goes back to a place, to read from there again. Returns `false`, and does nothing, if that is not possible, or if too many
    /// bytes would be read again.
    fn go_back(&mut self, place: Place) -> io::Result<bool> {
        let cost = self.stream.cost_of(place);
        if !self.may_reread(cost) || !self.stream.go_back(place)? {
            return Ok(false);
        }
        self.reread = self.reread.saturating_add(cost);
        Ok(true)
    }

    /// Returns whether this number of bytes may be read again.
    fn may_reread(&self, count: u64) -> bool {
        let consumed = self.stream.total_consumed();
        let limit = consumed.saturating_mul(REREADS_PER_BYTE);
        self.reread.saturating_add(count) <= limit.saturating_add(REREAD_LIMIT)
    }

    /// Puts consumed bytes back, to be read again. Returns `false`, and does nothing, if too many bytes were read again.
    fn put_back(&mut self, records: &[u8]) -> bool {
        let count = records.len() as u64;
        let may_reread = self.may_reread(count);
        if may_reread {
            self.reread = self.reread.saturating_add(count);
            self.stream.put_back(records);
        }
        may_reread
    }

    /// Cuts a block at `next`, where another record begins. The bytes from there on are put back to be read again as
    /// records, or lost if [too many](Self::may_reread) would be. `read` is the number of bytes of the block that were
    /// read. Returns a text for the damage report.
    fn put_back_records(&mut self, block: &mut Block, next: usize, read: u64) -> String {
        let records = block.get(next..).unwrap_or_default();
        // The bytes past the limit of a block were read, but not kept.
        let mut lost = read.saturating_sub(block.len() as u64);
        let mut why = "";
        if !self.put_back(records) {
            lost = lost.saturating_add(records.len() as u64);
            why = ": too many bytes would be read again";
        }
        block.truncate(next);
        match lost {
            0 => "the next record begins earlier".to_owned(),
            _ => format!("the next record begins earlier; {} lost{why}", bytes(lost)),
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
            let taken = end.unwrap_or(text.len()).saturating_sub(before);
            self.stream.consume(taken);
            if let Some(end) = end {
                let text = text.get(..end).unwrap_or_default();
                return Ok(header::begins_warc(text).then(|| header::parse_warc(text)));
            }
            if text.len() > HEADER_LIMIT {
                // The header is too long. A record may begin in any of its lines but the first: they are read again, unless
                // too many bytes would be.
                let first_line = memchr::memchr(b'\n', &text).unwrap_or(text.len());
                let rest = text.get(first_line.saturating_add(1)..).unwrap_or_default();
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
        self.stream.consume(end.saturating_add(1));
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
            let skip = line_end.map_or(ahead.len(), |at| at.saturating_add(1));
            self.stream.consume(skip);
        }
        let skipped = self.stream.total_consumed().saturating_sub(start);
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
    fn records_are_read_again_up_to_a_limit() {
        let second = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 1\r\n\r\nb\r\n\r\n";
        // The first record states a length that includes the second record.
        let before_second = "a\r\n\r\n";
        let length = before_second.len() + second.len();
        let first = format!("WARC/1.0\r\nContent-Length: {length}\r\n\r\n{before_second}");
        let archive = [first.as_bytes(), second, b"bytes\r\n"].concat();
        for (limit, is_read) in [
            (second.len() - 1, false),
            (second.len(), true),
            (second.len() + 1, true),
        ] {
            let mut reader = Reader::open(&archive[..]).unwrap().unwrap();
            // The header and the block of the first record are consumed when its length is compared.
            let consumed = (first.len() + second.len()) as u64;
            reader.reread = REREAD_LIMIT + REREADS_PER_BYTE * consumed - limit as u64;
            let mut records = 0;
            let mut texts = Vec::new();
            while let Some(item) = reader.next_item().unwrap() {
                match item {
                    Item::Record(record) => {
                        records += 1;
                        assert!(record.block.len() <= before_second.len(), "{limit}");
                    }
                    Item::Damage(damage) => texts.push(damage.text),
                }
            }
            assert_eq!(records, if is_read { 2 } else { 1 }, "{limit}");
            let mut text =
                format!("the record states {length} bytes, but the next record begins earlier");
            if !is_read {
                let lost = second.len();
                text = format!("{text}; {lost} bytes lost: too many bytes would be read again");
            }
            assert_eq!(texts[0], text);
            assert_eq!(texts[1], "no record begins here; 7 bytes skipped");
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
