//! Parts of an archive: ranges of offsets that are read apart from each other, in any order and on any machine.
//!
//! A part has the records that begin in its range. [`find_start`] searches for the first of them, without the bytes before it. The
//! archive is plain WARC, or WARC or ARC in gzip members.
//!
//! A search can be wrong, as bytes inside a record may look like another record. So a caller compares: the reader of the part
//! before stops at the first record past its end ([`Reader::stopped_at`]), and a search from this end to `u64::MAX` must find the
//! same place. That reader must also have read the format that all parts have ([`Reader::archive_format`]). If both hold for each
//! part, the parts have exactly the records of the archive.
//!
//! A search takes time linear in the bytes between its offset and what it finds, and up to 64 MiB more after a place that
//! may be the last record of a truncated archive.

use crate::error::{Error, ErrorKind};
use crate::http::GZIP;
use crate::reader::HEADER_LIMIT;
use crate::reader::open::SEARCH_BYTES;
use crate::record::header::{
    WARC_LINE_BYTES, begins_warc, end_of_header, ends_in_empty_line, parse_warc,
};
use crate::{ArchiveFormat, Buffers, Reader};
use std::io::{self, Read, Seek, SeekFrom};

/// The number of bytes of a plain archive that are searched at once: 256 KiB.
const SEARCH_STEP: usize = 256 * 1024;

/// The maximum number of bytes that are tested for the start of a part of a plain archive, as they look like a record: 1,000.
const MAX_CANDIDATES: usize = 1_000;

/// The maximum length of the block of a record at which a part of a plain archive begins: 1 TiB. It is stated by the record, and
/// so may be any number; file systems refuse offsets that are too large.
const BLOCK_LIMIT: u64 = 1 << 40;

/// The maximum number of bytes of the last record of a truncated plain archive, if a part begins at it: 64 MiB.
const TRUNCATED_LIMIT: u64 = 64 << 20;

/// The maximum length of the end of the line before a record, and of the empty line after it: `\n\r\n`.
const EMPTY_LINE_BYTES: usize = 3;

/// An input that is read at any offset, such as a file, or an object of a store that answers range requests.
pub trait ReadAt {
    /// Reads bytes at an offset. Returns their number: 0 at the end of the input. No byte at or after the offset `end` will be
    /// asked for soon, so an implementation that reads ahead stops there.
    ///
    /// # Errors
    ///
    /// If the input cannot be read.
    fn read_at(&mut self, into: &mut [u8], offset: u64, end: u64) -> io::Result<usize>;

    /// Returns whether bytes before those that were read last can be read, too. If not, which is the default, wrong lengths of
    /// records may cost other records ([`Reader::seekable`]).
    fn can_go_back(&self) -> bool {
        false
    }
}

impl<R: ReadAt + ?Sized> ReadAt for Box<R> {
    fn read_at(&mut self, into: &mut [u8], offset: u64, end: u64) -> io::Result<usize> {
        (**self).read_at(into, offset, end)
    }

    fn can_go_back(&self) -> bool {
        (**self).can_go_back()
    }
}

impl<R: ReadAt + ?Sized> ReadAt for &mut R {
    fn read_at(&mut self, into: &mut [u8], offset: u64, end: u64) -> io::Result<usize> {
        (**self).read_at(into, offset, end)
    }

    fn can_go_back(&self) -> bool {
        (**self).can_go_back()
    }
}

impl ReadAt for &[u8] {
    fn read_at(&mut self, into: &mut [u8], offset: u64, _: u64) -> io::Result<usize> {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        let rest = self.get(offset..).unwrap_or_default();
        (&mut &*rest).read(into)
    }

    fn can_go_back(&self) -> bool {
        true
    }
}

/// A reader of an input from one offset to another. A read fills its buffer, unless the bytes end or the input fails. The next
/// read returns the error.
#[derive(Debug)]
pub struct ReadFrom<R> {
    input: R,
    offset: u64,
    end: u64,
    /// An error, to be returned after the bytes before it.
    error: Option<io::Error>,
}

impl<R: ReadAt> ReadFrom<R> {
    /// Returns a reader of the bytes from `offset` up to `end`, or to the end of the input.
    pub fn new(input: R, offset: u64, end: u64) -> Self {
        Self {
            input,
            offset,
            end,
            error: None,
        }
    }

    /// Fills a buffer, unless the bytes end or the input fails. Returns the number of bytes, and the failure after them.
    fn fill(&mut self, into: &mut [u8]) -> (usize, io::Result<()>) {
        let left = self.end.saturating_sub(self.offset);
        let most = usize::try_from(left).map_or(into.len(), |left| left.min(into.len()));
        let into = into.get_mut(..most).unwrap_or_default();
        let mut filled = 0_usize;
        while let Some(rest) = into.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.input.read_at(rest, self.offset, self.end) {
                Ok(0) => break,
                Ok(count) => {
                    let count = count.min(rest.len());
                    filled += count;
                    self.offset += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return (filled, Err(error)),
            }
        }
        (filled, Ok(()))
    }
}

impl<R: ReadAt> Read for ReadFrom<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        match self.fill(into) {
            (0, Err(error)) => Err(error),
            (filled, result) => {
                self.error = result.err();
                Ok(filled)
            }
        }
    }
}

/// Only moves to an offset from the start, and only if the input [can go back](ReadAt::can_go_back).
impl<R: ReadAt> Seek for ReadFrom<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match to {
            SeekFrom::Start(offset) if self.input.can_go_back() => {
                self.offset = offset;
                self.error = None;
                Ok(offset)
            }
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

/// Returns the bytes from `offset` up to `end`, or to the end of the input, as far as the buffer has space for them.
fn read_into<'b, R: ReadAt>(
    input: &mut R,
    (offset, end): (u64, u64),
    buffer: &'b mut [u8],
) -> io::Result<&'b [u8]> {
    let (count, result) = ReadFrom::new(input, offset, end).fill(buffer);
    result?;
    Ok(buffer.get(..count).unwrap_or_default())
}

/// Returns the format of an archive if it can be divided into parts: if it begins as a plain WARC file does, or is gzip and its
/// first record begins in its first 1 MiB. Zstandard cannot be divided, as its frames may need the dictionary at the beginning,
/// and plain ARC cannot, as any line may look like its records.
///
/// # Errors
///
/// If the input cannot be read.
pub fn divisible_format<R: ReadAt>(
    input: &mut R,
    buffers: &mut Buffers,
) -> Result<Option<ArchiveFormat>, Error> {
    let mut start = [0; WARC_LINE_BYTES];
    let start = read_into(input, (0, WARC_LINE_BYTES as u64), &mut start)
        .map_err(|error| Error::new(ErrorKind::Input, 0, error))?;
    if !start.starts_with(&GZIP) {
        return Ok(begins_warc(start).then(ArchiveFormat::plain_warc));
    }
    let start = ReadFrom::new(input, 0, SEARCH_BYTES as u64);
    match Reader::open_with(start, buffers) {
        Ok(reader) => Ok(reader.map(|reader| {
            let format = reader.archive_format();
            reader.into_buffers(buffers);
            format
        })),
        Err(error) if error.kind() == ErrorKind::Input => Err(error),
        // The reader of the whole archive reports it.
        Err(_) => Ok(None),
    }
}

/// Returns the first offset from `from` up to `until` at which a record seems to begin in an archive of this format, as
/// [`divisible_format`] returns it; `None` if there is none.
///
/// # Errors
///
/// If the input cannot be read, or if more than 1,000 places of a plain archive look like a record and are none.
pub fn find_start<R: ReadAt>(
    input: &mut R,
    format: ArchiveFormat,
    from: u64,
    until: u64,
    buffers: &mut Buffers,
) -> Result<Option<u64>, Error> {
    if from >= until {
        return Ok(None);
    }
    if format == ArchiveFormat::plain_warc() {
        let found = find_plain(input, from, until, SearchLimits::DEFAULT);
        return found.map_err(|error| Error::new(ErrorKind::Input, from, error));
    }
    if !format.is_gzip() {
        return Ok(None);
    }
    let found = Reader::find_record(ReadFrom::new(input, from, u64::MAX), from, until, buffers)?;
    let offset = found.map(|(offset, _)| offset);
    Ok(offset.filter(|&offset| offset < until))
}

/// The limits of a search of a plain archive.
#[derive(Debug, Clone, Copy)]
struct SearchLimits {
    /// The maximum number of places that are tested.
    candidates: usize,
    /// The maximum number of bytes of a truncated record.
    truncated: u64,
}

impl SearchLimits {
    const DEFAULT: Self = Self {
        candidates: MAX_CANDIDATES,
        truncated: TRUNCATED_LIMIT,
    };
}

/// Returns the first offset from `from` up to `until` at which a record of a plain WARC file seems to begin: after an empty line,
/// with a whole header, and with another record or the end of the archive after its block. If there is none, the block may
/// also reach past the end of the archive, as the last one of a truncated archive does.
fn find_plain<R: ReadAt>(
    input: &mut R,
    from: u64,
    until: u64,
    limits: SearchLimits,
) -> io::Result<Option<u64>> {
    // The empty line before the first record is before `from`.
    let mut base = from.saturating_sub(EMPTY_LINE_BYTES as u64);
    let mut next = from;
    let mut buffer = vec![0; SEARCH_STEP];
    let mut candidates = 0_usize;
    let mut truncated: Option<u64> = None;
    loop {
        let bytes = read_into(input, (base, u64::MAX), &mut buffer)?;
        for at in memchr::memmem::find_iter(bytes, b"WARC/") {
            let offset = base + at as u64;
            if offset >= until && truncated.is_none() {
                return Ok(None);
            }
            let (before, start) = bytes.split_at_checked(at).unwrap_or_default();
            if offset < next || !ends_in_empty_line(before) || !begins_warc(start) {
                continue;
            }
            candidates += 1;
            if candidates > limits.candidates {
                let text = format!("more than {} places look like a record", limits.candidates);
                return Err(io::Error::new(io::ErrorKind::InvalidData, text));
            }
            match candidate(input, offset)? {
                Candidate::Record => return Ok(Some(offset).filter(|&offset| offset < until)),
                Candidate::Truncated => truncated = truncated.or(Some(offset)),
                Candidate::OtherBytes => {}
            }
            next = offset + 1;
        }
        let end = base + bytes.len() as u64;
        if bytes.len() < SEARCH_STEP {
            // A file that shrinks during the search may end before the start.
            let bytes = |start| end.checked_sub(start);
            let is_within = |bytes| bytes <= limits.truncated;
            return Ok(truncated.filter(|&start| bytes(start).is_some_and(is_within)));
        }
        // A record that begins at the end of these bytes is found in the next step.
        base = end - (EMPTY_LINE_BYTES + WARC_LINE_BYTES) as u64;
        let last = truncated.map_or(0, |start| start.saturating_add(limits.truncated));
        if base >= until.max(last) {
            return Ok(None);
        }
    }
}

/// A place of a plain WARC file that looks like a record.
enum Candidate {
    /// A record with a type and a length. After its block comes another record or the end of the file.
    Record,
    /// The start of a record: the file ends in its block.
    Truncated,
    OtherBytes,
}

/// Tests what begins at an offset of a plain WARC file.
fn candidate<R: ReadAt>(input: &mut R, offset: u64) -> io::Result<Candidate> {
    let mut text = vec![0; HEADER_LIMIT];
    let limit = offset.saturating_add(HEADER_LIMIT as u64);
    let text = read_into(input, (offset, limit), &mut text)?;
    let Some(length) = end_of_header(text) else {
        return Ok(Candidate::OtherBytes);
    };
    let header = parse_warc(text.get(..length).unwrap_or_default());
    let block = header.length.filter(|&block| block <= BLOCK_LIMIT);
    let Some(block) = block.filter(|_| !header.kind.is_empty()) else {
        return Ok(Candidate::OtherBytes);
    };
    let end = offset.saturating_add(length as u64).saturating_add(block);
    // The last byte of the record shows whether the file has all of it.
    let last = end - 1;
    let mut after = [0; 1 + EMPTY_LINE_BYTES + 1 + WARC_LINE_BYTES];
    let limit = last.saturating_add(after.len() as u64);
    let Some((_, after)) = read_into(input, (last, limit), &mut after)?.split_first() else {
        return Ok(Candidate::Truncated);
    };
    let breaks = after
        .iter()
        .take_while(|byte| matches!(byte, b'\r' | b'\n'));
    let rest = after.get(breaks.count()..).unwrap_or_default();
    Ok(if rest.is_empty() || begins_warc(rest) {
        Candidate::Record
    } else {
        Candidate::OtherBytes
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Item;

    fn record(url: &str, body: &str) -> Vec<u8> {
        let block = format!("HTTP/1.1 200 OK\r\n\r\n{body}");
        format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        )
        .into_bytes()
    }

    /// Returns a gzip member.
    fn member(bytes: &[u8]) -> Vec<u8> {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        io::Write::write_all(&mut gzip, bytes).unwrap();
        gzip.finish().unwrap()
    }

    /// Returns archives of the same records: plain, and as gzip members.
    fn archives() -> [Vec<u8>; 2] {
        let mut plain = Vec::new();
        let mut packed = Vec::new();
        for number in 0..40 {
            // Some bodies have what looks like a record.
            let body = match number % 5 {
                0 => {
                    "a page\r\n\r\nWARC/1.0\r\nWARC-Type: response\r\nContent-Length: 3\r\n\r\nabcd"
                        .to_owned()
                }
                1 => "WARC/1.0\r\n".repeat(9),
                _ => "x".repeat(number * 7),
            };
            let bytes = record(&format!("http://{number}.example/"), &body);
            packed.extend(member(&bytes));
            plain.extend(bytes);
        }
        [plain, packed]
    }

    fn urls<R: Read>(reader: Option<Reader<R>>, until: u64) -> (Vec<String>, Option<u64>) {
        let mut found = Vec::new();
        let Some(reader) = reader else {
            return (found, None);
        };
        let mut reader = reader.until(until);
        while let Some(item) = reader.next_item().unwrap() {
            match item {
                Item::Record(record) => found.push(record.url.unwrap()),
                Item::Damage(damage) => panic!("{damage}"),
            }
        }
        (found, reader.stopped_at())
    }

    #[test]
    fn parts_of_any_size_have_the_records_of_the_archive() {
        for archive in archives() {
            let whole = urls(Reader::open(&archive[..]).unwrap(), u64::MAX).0;
            assert_eq!(whole.len(), 40);
            let size = archive.len() as u64;
            let mut input = &archive[..];
            let buffers = &mut Buffers::default();
            let format = divisible_format(&mut input, buffers).unwrap().unwrap();
            for part in [1, 7, 100, 333, 1_000, size - 1, size, size + 1] {
                let mut read = Vec::new();
                let mut from = 0;
                while from < size {
                    let until = from + part;
                    let (found, stopped) = if from == 0 {
                        urls(Reader::open(&archive[..]).unwrap(), until)
                    } else if let Some(start) =
                        find_start(&mut input, format, from, until, buffers).unwrap()
                    {
                        let rest = ReadFrom::new(input, start, u64::MAX);
                        urls(Reader::resume_at(rest, start, format, buffers), until)
                    } else {
                        from = until;
                        continue;
                    };
                    let next = find_start(&mut input, format, until, u64::MAX, buffers).unwrap();
                    assert_eq!(stopped, next, "{part} {from}");
                    read.extend(found);
                    from = until;
                }
                assert_eq!(read, whole, "{part}");
            }
        }
    }

    #[test]
    fn a_whole_record_in_another_is_found_by_the_part_before() {
        let inner = String::from_utf8(record("http://inner.example/", "")).unwrap();
        let mut archive = record("http://a.example/", &format!("x\r\n\r\n{inner}"));
        let second = archive.len() as u64;
        archive.extend(record("http://b.example/", ""));
        let mut input = &archive[..];
        let format = ArchiveFormat::plain_warc();
        let found = find_start(&mut input, format, 9, u64::MAX, &mut Buffers::default());
        let found = found.unwrap().unwrap();
        assert!(9 < found && found < second);
        let stopped = urls(Reader::open(&archive[..]).unwrap(), 9).1;
        // They differ, so the caller knows that the part from 9 on begins at the wrong place.
        assert_eq!(stopped, Some(second));
    }

    #[test]
    fn a_record_at_the_border_of_a_search_step_is_found() {
        for before in (SEARCH_STEP - 40)..(SEARCH_STEP + 40) {
            let mut archive = record("http://a.example/", "");
            let rest = before - archive.len();
            archive = record("http://a.example/", &"x".repeat(rest));
            let start = archive.len() as u64;
            archive.extend(record("http://b.example/", "y"));
            let found = find_plain(&mut &archive[..], 1, u64::MAX, SearchLimits::DEFAULT);
            assert_eq!(found.unwrap(), Some(start), "{before}");
        }
    }

    #[test]
    fn a_search_of_a_plain_archive_tests_a_limited_number_of_places() {
        let nested = "\r\n\r\nWARC/1.0\r\nWARC-Type: response\r\nContent-Length: 1\r\n\r\nabc";
        let mut archive = record("http://a.example/", &nested.repeat(10));
        let start = archive.len() as u64;
        archive.extend(record("http://b.example/", ""));
        let find = |candidates| {
            let limits = SearchLimits {
                candidates,
                ..SearchLimits::DEFAULT
            };
            find_plain(&mut &archive[..], 1, u64::MAX, limits)
        };
        assert_eq!(find(9).unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert!(find(10).is_err());
        assert_eq!(find(11).unwrap(), Some(start));
        assert_eq!(find(12).unwrap(), Some(start));
    }

    /// Returns the search of a plain archive from its second byte on.
    fn find(archive: &[u8], until: u64) -> Option<u64> {
        find_plain(&mut &*archive, 1, until, SearchLimits::DEFAULT).unwrap()
    }

    fn header(length: u64) -> String {
        format!("WARC/1.0\r\nWARC-Type: response\r\nContent-Length: {length}\r\n\r\n")
    }

    #[test]
    fn a_place_whose_block_reaches_past_the_end_is_the_last_record_of_a_truncated_archive() {
        for length in [1_000, BLOCK_LIMIT, BLOCK_LIMIT + 1, 1 << 63, u64::MAX] {
            let place = format!("\r\n\r\n{}x", header(length));
            let first = record("http://a.example/", &place);
            let second = first.len() as u64;
            let archive = [first, record("http://b.example/", "")].concat();
            // A record follows, so the place is in the block of the first one.
            assert_eq!(find(&archive, u64::MAX), Some(second), "{length}");
            assert_eq!(find(&archive, second + 1), Some(second), "{length}");
            assert_eq!(find(&archive, second), None, "{length}");
            let truncated = [record("http://a.example/", ""), place.into_bytes()].concat();
            let start = truncated.len() - 1 - header(length).len();
            let expected = (length <= BLOCK_LIMIT).then_some(start as u64);
            assert_eq!(find(&truncated, u64::MAX), expected, "{length}");
        }
    }

    /// An archive that becomes empty as soon as a byte after its end is read.
    struct Shrinking<'b>(&'b [u8]);

    impl ReadAt for Shrinking<'_> {
        fn read_at(&mut self, into: &mut [u8], offset: u64, end: u64) -> io::Result<usize> {
            if offset > self.0.len() as u64 {
                self.0 = &[];
            }
            self.0.read_at(into, offset, end)
        }
    }

    #[test]
    fn an_archive_that_shrinks_while_it_is_searched_has_no_truncated_record() {
        // The next step of the search begins before the record.
        let start = SEARCH_STEP - WARC_LINE_BYTES;
        let first = |body: usize| record("http://a.example/", &"x".repeat(body));
        let other_bytes = first(SEARCH_STEP).len() - SEARCH_STEP;
        let first = first(start - other_bytes);
        assert_eq!(first.len(), start);
        let archive = [first, header(BLOCK_LIMIT).into_bytes()].concat();
        let limits = SearchLimits::DEFAULT;
        let found = find_plain(&mut &archive[..], 1, u64::MAX, limits);
        assert_eq!(found.unwrap(), Some(start as u64));
        let found = find_plain(&mut Shrinking(&archive), 1, u64::MAX, limits);
        assert_eq!(found.unwrap(), None);
    }

    #[test]
    fn the_parts_of_a_truncated_archive_have_its_records() {
        let [archive, _] = archives();
        let last = record("http://last.example/", &"x".repeat(100));
        let start = archive.len() as u64;
        // The header is whole, and the block is not, up to its last byte.
        for length in [
            last.len() - 120,
            last.len() - 50,
            last.len() - 5,
            last.len() - 4,
        ] {
            let archive = [&archive[..], &last[..length]].concat();
            let (read, stopped) = urls(Reader::open(&archive[..]).unwrap(), start);
            assert_eq!((read.len(), stopped), (40, Some(start)));
            let limits = SearchLimits::DEFAULT;
            let found = find_plain(&mut &archive[..], start - 5, u64::MAX, limits);
            assert_eq!(found.unwrap(), Some(start), "{length}");
        }
    }

    #[test]
    fn a_truncated_record_is_searched_up_to_a_limit() {
        for rest in [100, SEARCH_STEP, 3 * SEARCH_STEP] {
            let first = record("http://a.example/", "");
            let archive = [&first[..], header(1 << 30).as_bytes(), &vec![b'x'; rest]].concat();
            let bytes = (archive.len() - first.len()) as u64;
            for (truncated, is_found) in [(bytes - 1, false), (bytes, true), (bytes + 1, true)] {
                let limits = SearchLimits {
                    truncated,
                    ..SearchLimits::DEFAULT
                };
                // The limit applies past the end of the part, too.
                for until in [first.len() as u64 + 1, u64::MAX] {
                    let found = find_plain(&mut &archive[..], 1, until, limits).unwrap();
                    assert_eq!(found.is_some(), is_found, "{rest} {truncated} {until}");
                }
            }
        }
    }

    /// An input of short reads, one of which fails. Later reads succeed.
    struct FailsOnce<'b> {
        bytes: &'b [u8],
        reads_before: usize,
    }

    impl ReadAt for FailsOnce<'_> {
        fn read_at(&mut self, into: &mut [u8], offset: u64, end: u64) -> io::Result<usize> {
            let Some(left) = self.reads_before.checked_sub(1) else {
                self.reads_before = usize::MAX;
                return Err(io::Error::from(io::ErrorKind::TimedOut));
            };
            self.reads_before = left;
            let short = into.len().min(7);
            self.bytes.read_at(&mut into[..short], offset, end)
        }
    }

    #[test]
    fn a_failure_of_the_input_is_not_its_end() {
        for bytes in archives() {
            let buffers = &mut Buffers::default();
            let format = divisible_format(&mut &bytes[..], buffers).unwrap().unwrap();
            let start = find_start(&mut &bytes[..], format, 1, u64::MAX, buffers).unwrap();
            assert!(start.is_some());
            let (mut failures, mut reads_before) = (0, 0);
            loop {
                let mut input = FailsOnce {
                    bytes: &bytes,
                    reads_before,
                };
                match find_start(&mut input, format, 1, u64::MAX, buffers) {
                    Ok(found) => assert_eq!(found, start, "{reads_before}"),
                    Err(error) => {
                        assert_eq!(error.kind(), ErrorKind::Input);
                        failures += 1;
                    }
                }
                if input.reads_before < usize::MAX / 2 {
                    // No read failed.
                    break;
                }
                reads_before += 1;
            }
            assert!(failures > 2, "{failures}");
            for reads_before in [0, 1] {
                let mut input = FailsOnce {
                    bytes: &bytes,
                    reads_before,
                };
                assert!(
                    divisible_format(&mut input, buffers).is_err(),
                    "{reads_before}"
                );
            }
            let input = FailsOnce {
                bytes: &bytes,
                reads_before: 2,
            };
            let mut reader = ReadFrom::new(input, 0, u64::MAX);
            let mut into = [0; 100];
            assert_eq!(reader.read(&mut into).unwrap(), 14);
            assert!(reader.read(&mut into).is_err());
            assert_eq!(reader.read(&mut into).unwrap(), 100);
        }
    }

    #[test]
    fn a_gzip_archive_has_the_format_of_its_first_record() {
        let warc = member(&record("http://a.example/", ""));
        let arc = member(b"http://a.example/ 1.2.3.4 20080430204825 text/html 3\nabc\n");
        // Its first block has a type that does not exist.
        let corrupt = [&GZIP[..], &[0; 7], &[0xFF; 9]].concat();
        let format = |archive: &[u8]| {
            let format = divisible_format(&mut &*archive, &mut Buffers::default());
            let whole = Reader::open(archive).unwrap();
            let whole = whole.map(|reader| reader.archive_format());
            (format.unwrap(), whole)
        };
        let archives = [
            [&warc[..], &arc].concat(),
            [&arc[..], &warc].concat(),
            [&corrupt[..], &warc, &arc].concat(),
            member(b"another file"),
        ];
        for archive in archives {
            let (format, whole) = format(&archive);
            assert_eq!(format, whole);
        }
        // Beyond the first 1 MiB, the first record is not searched for.
        for (start, is_found) in [
            (SEARCH_BYTES - warc.len(), true),
            (SEARCH_BYTES - 1, false),
            (SEARCH_BYTES, false),
        ] {
            let between = vec![0; start - corrupt.len()];
            let archive = [&corrupt[..], &between, &warc].concat();
            let (format, whole) = format(&archive);
            assert_eq!(
                (format.is_some(), whole.is_some()),
                (is_found, true),
                "{start}"
            );
        }
    }

    #[test]
    fn other_archives_are_not_divided() {
        let arc = b"http://a.example/ 1.2.3.4 20080430204825 text/html 3\nabc\n";
        let zstd = zstd::encode_all(&record("http://a.example/", "")[..], 0).unwrap();
        for archive in [&arc[..], &zstd, b"", b"\x1f"] {
            let buffers = &mut Buffers::default();
            assert_eq!(divisible_format(&mut &*archive, buffers).unwrap(), None);
            if let Some(reader) = Reader::open(archive).unwrap() {
                let format = reader.archive_format();
                let found = find_start(&mut &*archive, format, 0, u64::MAX, buffers);
                assert_eq!(found.unwrap(), None);
            }
        }
    }
}
