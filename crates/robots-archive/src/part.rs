//! Parts of an archive, which are read apart from each other, in any order and on any machine.
//!
//! A part is a range of offsets, and has the records that begin in it. [`find_start`] searches for the first one, in an
//! archive of which nothing else is known: plain WARC, or WARC or ARC as gzip members. Bytes in a record may look like another
//! record. Whether the start of a part is right is certain only once the reader of the bytes before it stops there:
//! `find_start(input, until, u64::MAX)` must return the place at which the reader of a part that ends at `until` has stopped
//! ([`Reader::stopped_at`]). If that is so for each part, then by induction the parts have the records of the archive.
//!
//! A search takes time linear in the bytes between its offset and what it finds.

use crate::error::{Error, ErrorKind};
use crate::reader::decoder::GZIP;
use crate::record::header::{WARC_LINE_BYTES, begins_warc, end_of_header, parse_warc};
use crate::{ArchiveFormat, Buffers, Reader};
use std::io::{self, Read};

/// The number of bytes of a plain archive that are searched at once: 256 KiB.
const SEARCH_STEP: usize = 256 * 1024;

/// The maximum length of the header of a record at which a part of a plain archive begins: 64 KiB.
const HEADER_LIMIT: usize = 64 * 1024;

/// The maximum number of bytes that are tested for the start of a part of a plain archive, as they look like a record: 1,000.
const MAX_CANDIDATES: usize = 1_000;

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
}

impl<R: ReadAt + ?Sized> ReadAt for Box<R> {
    fn read_at(&mut self, into: &mut [u8], offset: u64, end: u64) -> io::Result<usize> {
        (**self).read_at(into, offset, end)
    }
}

impl<R: ReadAt + ?Sized> ReadAt for &mut R {
    fn read_at(&mut self, into: &mut [u8], offset: u64, end: u64) -> io::Result<usize> {
        (**self).read_at(into, offset, end)
    }
}

impl ReadAt for &[u8] {
    fn read_at(&mut self, into: &mut [u8], offset: u64, _: u64) -> io::Result<usize> {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        let rest = self.get(offset..).unwrap_or_default();
        (&mut &*rest).read(into)
    }
}

/// A reader of an input from one offset to another. A read fills its buffer, unless the bytes end.
#[derive(Debug)]
pub struct ReadFrom<R> {
    input: R,
    offset: u64,
    end: u64,
}

impl<R: ReadAt> ReadFrom<R> {
    /// Returns a reader of the bytes from `offset` up to `end`, or to the end of the input.
    pub fn new(input: R, offset: u64, end: u64) -> Self {
        Self { input, offset, end }
    }
}

impl<R: ReadAt> Read for ReadFrom<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = self.end.saturating_sub(self.offset);
        let most = usize::try_from(left).map_or(into.len(), |left| left.min(into.len()));
        let into = into.get_mut(..most).unwrap_or_default();
        let mut filled = 0_usize;
        while let Some(rest) = into.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.input.read_at(rest, self.offset, self.end) {
                Ok(0) => break,
                Ok(count) => {
                    let count = count.min(rest.len());
                    filled = filled.saturating_add(count);
                    self.offset = self.offset.saturating_add(count as u64);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // The bytes before the error are returned; the next call meets it again.
                Err(_) if filled > 0 => break,
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }
}

/// The compression of an archive that can be divided into parts.
enum Divisible {
    Gzip,
    PlainWarc,
}

/// Returns how an archive can be divided; `None` if it cannot.
fn divisible<R: ReadAt>(input: &mut R) -> io::Result<Option<Divisible>> {
    let mut start = [0; WARC_LINE_BYTES];
    let end = WARC_LINE_BYTES as u64;
    let count = ReadFrom::new(input, 0, end).read(&mut start)?;
    let start = start.get(..count).unwrap_or_default();
    Ok(if start.starts_with(&GZIP) {
        Some(Divisible::Gzip)
    } else if begins_warc(start) {
        Some(Divisible::PlainWarc)
    } else {
        None
    })
}

/// Returns whether an archive can be divided into parts: whether it begins as gzip or as a plain WARC file does. Zstandard cannot,
/// as its frames may need the dictionary at the beginning, and plain ARC cannot, as any line may look like its records.
///
/// # Errors
///
/// If the input cannot be read.
pub fn is_divisible<R: ReadAt>(input: &mut R) -> Result<bool, Error> {
    divisible(input)
        .map(|found| found.is_some())
        .map_err(|error| Error::new(ErrorKind::Input, 0, error))
}

/// Returns the first offset from `from` up to `until` at which a record seems to begin, and the format of the archive; `None` if
/// there is none, or if the archive cannot be divided.
///
/// # Errors
///
/// If the input cannot be read, or if more than 1,000 places of a plain archive look like a record and are none.
pub fn find_start<R: ReadAt>(
    input: &mut R,
    from: u64,
    until: u64,
    buffers: &mut Buffers,
) -> Result<Option<(u64, ArchiveFormat)>, Error> {
    let failed = |error| Error::new(ErrorKind::Input, from, error);
    match divisible(input).map_err(failed)? {
        Some(Divisible::Gzip) => {
            let found =
                Reader::find_record(ReadFrom::new(input, from, u64::MAX), from, until, buffers)?;
            Ok(found.filter(|&(offset, _)| offset < until))
        }
        Some(Divisible::PlainWarc) => {
            let found = find_plain(input, from, until, MAX_CANDIDATES).map_err(failed)?;
            Ok(found.map(|offset| (offset, ArchiveFormat::plain_warc())))
        }
        None => Ok(None),
    }
}

/// Returns the first offset from `from` up to `until` at which a record of a plain WARC file seems to begin: after an empty line,
/// with a whole header, and with another record or the end of the archive after its block. Tests at most `max_candidates` places.
fn find_plain<R: ReadAt>(
    input: &mut R,
    from: u64,
    until: u64,
    max_candidates: usize,
) -> io::Result<Option<u64>> {
    // The empty line before the first record is before `from`.
    let mut base = from.saturating_sub(EMPTY_LINE_BYTES as u64);
    let mut next = from;
    let mut buffer = vec![0; SEARCH_STEP];
    let mut candidates = 0_usize;
    loop {
        let count = ReadFrom::new(&mut *input, base, u64::MAX).read(&mut buffer)?;
        let bytes = buffer.get(..count).unwrap_or_default();
        for at in memchr::memmem::find_iter(bytes, b"WARC/") {
            let offset = base.saturating_add(at as u64);
            if offset >= until {
                return Ok(None);
            }
            let (before, start) = bytes.split_at_checked(at).unwrap_or_default();
            let follows_empty_line = before.ends_with(b"\n\n") || before.ends_with(b"\n\r\n");
            if offset < next || !follows_empty_line || !begins_warc(start) {
                continue;
            }
            candidates = candidates.saturating_add(1);
            if candidates > max_candidates {
                let text = format!("more than {max_candidates} places look like a record");
                return Err(io::Error::new(io::ErrorKind::InvalidData, text));
            }
            if is_record(input, offset)? {
                return Ok(Some(offset));
            }
            next = offset.saturating_add(1);
        }
        // A record that begins at the end of these bytes is found in the next step.
        let kept = (EMPTY_LINE_BYTES + WARC_LINE_BYTES) as u64;
        let end = base.saturating_add(count as u64);
        if count < SEARCH_STEP || end.saturating_sub(kept) >= until {
            return Ok(None);
        }
        base = end.saturating_sub(kept);
    }
}

/// Returns whether a record begins at an offset of a plain WARC file: whether it has a type and a length, and after its block comes
/// another record or the end of the file.
fn is_record<R: ReadAt>(input: &mut R, offset: u64) -> io::Result<bool> {
    let mut text = vec![0; HEADER_LIMIT];
    let limit = offset.saturating_add(HEADER_LIMIT as u64);
    let count = ReadFrom::new(&mut *input, offset, limit).read(&mut text)?;
    let text = text.get(..count).unwrap_or_default();
    let Some(length) = end_of_header(text) else {
        return Ok(false);
    };
    let header = parse_warc(text.get(..length).unwrap_or_default());
    let Some(block) = header.length.filter(|_| !header.kind.is_empty()) else {
        return Ok(false);
    };
    let end = offset.saturating_add(length as u64).saturating_add(block);
    let mut after = [0; EMPTY_LINE_BYTES + 1 + WARC_LINE_BYTES];
    let limit = end.saturating_add(after.len() as u64);
    let count = ReadFrom::new(input, end, limit).read(&mut after)?;
    let after = after.get(..count).unwrap_or_default();
    let breaks = after
        .iter()
        .take_while(|byte| matches!(byte, b'\r' | b'\n'));
    let rest = after.get(breaks.count()..).unwrap_or_default();
    Ok(rest.is_empty() || begins_warc(rest))
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
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            io::Write::write_all(&mut gzip, &bytes).unwrap();
            packed.extend(gzip.finish().unwrap());
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
            assert!(is_divisible(&mut input).unwrap());
            let buffers = &mut Buffers::default();
            for part in [1, 7, 100, 333, 1_000, size - 1, size, size + 1] {
                let mut read = Vec::new();
                let mut from = 0;
                while from < size {
                    let until = from + part;
                    let (found, stopped) = if from == 0 {
                        urls(Reader::open(&archive[..]).unwrap(), until)
                    } else if let Some((start, format)) =
                        find_start(&mut input, from, until, buffers).unwrap()
                    {
                        let rest = ReadFrom::new(input, start, u64::MAX);
                        urls(Reader::resume_at(rest, start, format, buffers), until)
                    } else {
                        from = until;
                        continue;
                    };
                    let next = find_start(&mut input, until, u64::MAX, buffers).unwrap();
                    assert_eq!(stopped, next.map(|(offset, _)| offset), "{part} {from}");
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
        let found = find_start(&mut input, 9, u64::MAX, &mut Buffers::default()).unwrap();
        let (found, _) = found.unwrap();
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
            let found = find_plain(&mut &archive[..], 1, u64::MAX, MAX_CANDIDATES);
            assert_eq!(found.unwrap(), Some(start), "{before}");
        }
    }

    #[test]
    fn a_search_of_a_plain_archive_tests_a_limited_number_of_places() {
        let nested = "\r\n\r\nWARC/1.0\r\nWARC-Type: response\r\nContent-Length: 1\r\n\r\nabc";
        let mut archive = record("http://a.example/", &nested.repeat(10));
        let start = archive.len() as u64;
        archive.extend(record("http://b.example/", ""));
        let find = |limit| find_plain(&mut &archive[..], 1, u64::MAX, limit);
        assert_eq!(find(9).unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert!(find(10).is_err());
        assert_eq!(find(11).unwrap(), Some(start));
        assert_eq!(find(12).unwrap(), Some(start));
    }

    #[test]
    fn other_archives_are_not_divided() {
        let arc = b"http://a.example/ 1.2.3.4 20080430204825 text/html 3\nabc\n";
        let zstd = zstd::encode_all(&record("http://a.example/", "")[..], 0).unwrap();
        for archive in [&arc[..], &zstd, b"", b"\x1f"] {
            let mut input = archive;
            assert!(!is_divisible(&mut input).unwrap());
            let found = find_start(&mut input, 0, u64::MAX, &mut Buffers::default());
            assert_eq!(found.unwrap(), None);
        }
    }
}
