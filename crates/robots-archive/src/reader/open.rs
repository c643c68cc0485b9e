//! The start of reading: at the beginning of an archive, or in the middle of it.
//!
//! | function | starts at |
//! |---|---|
//! | [`Reader::open`], [`open_with`](Reader::open_with) | the beginning; finds the format and the compression |
//! | [`resume_at`](Reader::resume_at) | an offset at which a record begins, in a plain or gzip archive of a known format; not in Zstandard |
//! | [`open_at`](Reader::open_at) | an offset that an index lists; `None` if no record begins there |
//!
//! [`find_record`](Reader::find_record) searches for an offset at which `resume_at` can start.

use super::decoder::Compression;
use super::stream::{Buffers, Stream};
use super::{ArchiveFormat, HEADER_LIMIT, HEADER_STEP, Reader, SearchFrom};
use crate::error::Error;
use crate::record::header::{
    self, RecordFormat, WARC_LINE_BYTES, has_warc_line, may_be_cut_warc_line,
};
use std::io::{self, Read};
use std::mem;

/// The number of bytes in which the first record is searched for, at the start of a plain file, after empty members, or in a gzip
/// archive that is to be divided: 1 MiB.
pub(crate) const SEARCH_BYTES: usize = 1024 * 1024;

/// The beginning of an archive.
enum Beginning {
    /// A record.
    Record,
    /// Bytes that are not a record.
    OtherBytes,
    /// Members that do not begin with a record, from this offset on; one begins in the member to which the stream has advanced.
    OtherMembers(u64),
    /// A corrupt member at this offset; a record begins in the one to which the stream has advanced.
    CorruptMember(u64),
}

impl<R: Read> Reader<R> {
    /// Opens an archive. Returns `None` if the input is neither WARC nor ARC, plain or packed in members (gzip, Zstandard).
    ///
    /// # Errors
    ///
    /// If the input cannot be read.
    pub fn open(input: R) -> Result<Option<Self>, Error> {
        Self::open_with(input, &mut Buffers::default())
    }

    /// Opens an archive, as [`open`](Self::open) does, with the memory of another reader.
    ///
    /// # Errors
    ///
    /// If the input cannot be read.
    pub fn open_with(input: R, buffers: &mut Buffers) -> Result<Option<Self>, Error> {
        let spare = mem::take(&mut buffers.block);
        let reader = Self::open_stream(Stream::open_at(input, 0, buffers)?)?;
        Ok(reader.map(|reader| Self { spare, ..reader }))
    }

    /// Returns a reader at the first record, with a report of the damage before it.
    fn open_stream(mut stream: Stream<R>) -> Result<Option<Self>, Error> {
        let first = Self::find_first_record(&mut stream).map_err(|error| stream.error(error))?;
        let Some((format, beginning)) = first else {
            return Ok(None);
        };
        let mut reader = Self::new(stream, format);
        match beginning {
            Beginning::Record => {}
            Beginning::OtherBytes => {
                let start_of_file = (0, 0);
                let skipped = reader.skip_to_next_record(
                    start_of_file,
                    "no record begins here",
                    SearchFrom::NextLine,
                );
                skipped.map_err(|error| reader.stream.error(error))?;
            }
            Beginning::OtherMembers(offset) => {
                let member = reader.stream.member_name();
                reader.report_damage(
                    offset,
                    format!("no record begins here; reading begins at the next {member} with one"),
                );
            }
            Beginning::CorruptMember(offset) => {
                let member = reader.stream.member_name();
                reader.report_damage(
                    offset,
                    format!("corrupt {member}; reading begins at the next whole one"),
                );
            }
        }
        Ok(Some(reader))
    }

    /// Finds the first record. Returns its format and the beginning of the archive; `None` if there is no record.
    fn find_first_record(stream: &mut Stream<R>) -> io::Result<Option<(RecordFormat, Beginning)>> {
        match Self::first_format(stream) {
            Ok(Some(format)) => return Ok(Some((format, Beginning::Record))),
            // The first member can be unpacked, and does not begin with a record. A short one may come before an archive.
            Ok(None) if stream.has_members() => {
                let offset = stream.offset();
                return Ok(match Self::skip_short_members(stream) {
                    Ok(true) => Some((RecordFormat::Warc, Beginning::OtherMembers(offset))),
                    Err(error) if stream.input_failed() => return Err(error),
                    _ => None,
                });
            }
            // A plain file may begin with other bytes, or be gzip with its first bytes damaged.
            Ok(None) => {
                if has_warc_line(stream.ahead(SEARCH_BYTES)?) {
                    return Ok(Some((RecordFormat::Warc, Beginning::OtherBytes)));
                }
                stream.assume_gzip();
            }
            Err(error) if stream.input_failed() || !stream.has_members() => return Err(error),
            // A gzip file whose first member is corrupt may be sound after it.
            Err(_) => {}
        }
        let offset = stream.offset();
        if !stream.resume_after_damage(header::begins_record)? {
            return Ok(None);
        }
        let format = Self::format_of_record(stream)?;
        Ok(Some((format, Beginning::CorruptMember(offset))))
    }

    /// Advances past members of fewer than [`SEARCH_BYTES`], up to one that begins with a WARC record. Returns `false` if there
    /// is none in the first [`SEARCH_BYTES`].
    fn skip_short_members(stream: &mut Stream<R>) -> io::Result<bool> {
        while stream.offset() < SEARCH_BYTES as u64
            && stream.ahead(SEARCH_BYTES)?.len() < SEARCH_BYTES
        {
            if !stream.next_member()? {
                return Ok(false);
            }
            if header::begins_warc(stream.ahead(WARC_LINE_BYTES)?) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns a reader that resumes at an offset of an archive of this format. The first byte of `input` is the one at the
    /// offset. A record begins there, as [`stopped_at`](Self::stopped_at) of another reader or
    /// [`find_record`](Self::find_record) returned.
    ///
    /// Returns `None` for a Zstandard archive: its frames may need the dictionary at its beginning.
    pub fn resume_at(
        input: R,
        offset: u64,
        format: ArchiveFormat,
        buffers: &mut Buffers,
    ) -> Option<Self> {
        let is_gzip = match format.compression {
            Compression::Plain => false,
            Compression::Gzip => true,
            Compression::Zstd => return None,
        };
        let spare = mem::take(&mut buffers.block);
        let stream = Stream::at(input, offset, is_gzip, buffers);
        Some(Self {
            spare,
            ..Self::new(stream, format.records)
        })
    }

    /// Returns a reader that begins at an offset of an archive; `None` if no record begins there. The first byte of `input`
    /// is the one at the offset. Zstandard frames that need the dictionary at the beginning of their archive cannot be read.
    ///
    /// # Errors
    ///
    /// If the input cannot be read.
    pub fn open_at(input: R, offset: u64, buffers: &mut Buffers) -> Result<Option<Self>, Error> {
        let spare = mem::take(&mut buffers.block);
        let mut stream = Stream::open_at(input, offset, buffers)?;
        // No record begins in a corrupt member; only a failure of the input is an error.
        let record_begins = stream.next_member().and_then(|has_member| {
            Ok(has_member && header::begins_record(stream.ahead(HEADER_LIMIT)?))
        });
        match record_begins {
            Ok(true) => {}
            Err(error) if stream.input_failed() => return Err(stream.error(error)),
            _ => {
                buffers.block = spare;
                stream.into_buffers(buffers);
                return Ok(None);
            }
        }
        let format = Self::format_of_record(&mut stream).map_err(|error| stream.error(error))?;
        Ok(Some(Self {
            spare,
            ..Self::new(stream, format)
        }))
    }

    /// Searches an archive from `offset` to `until` for a gzip member in which a record begins. Returns the offset of the
    /// first, and its format. The first byte of `input` is the one at `offset`.
    ///
    /// Compressed bytes inside another member may look like a member. Whether it is one is certain only once a reader that
    /// began at an earlier record stops there ([`stopped_at`](Self::stopped_at)).
    ///
    /// # Errors
    ///
    /// If the input cannot be read.
    pub fn find_record(
        input: R,
        offset: u64,
        until: u64,
        buffers: &mut Buffers,
    ) -> Result<Option<(u64, ArchiveFormat)>, Error> {
        let mut stream = Stream::at(input, offset, true, buffers);
        let found =
            Self::find_record_in(&mut stream, until).map_err(|error| stream.error(error))?;
        stream.into_buffers(buffers);
        Ok(found)
    }

    fn find_record_in(
        stream: &mut Stream<R>,
        until: u64,
    ) -> io::Result<Option<(u64, ArchiveFormat)>> {
        if !(stream.find_member(until, header::begins_record)? && stream.next_member()?) {
            return Ok(None);
        }
        let format = ArchiveFormat {
            records: Self::format_of_record(stream)?,
            compression: Compression::Gzip,
        };
        Ok(Some((stream.offset(), format)))
    }

    /// Returns the format of the record that begins here.
    fn format_of_record(stream: &mut Stream<R>) -> io::Result<RecordFormat> {
        Ok(if header::begins_warc(stream.ahead(WARC_LINE_BYTES)?) {
            RecordFormat::Warc
        } else {
            RecordFormat::Arc
        })
    }

    /// Returns the format of the record at the start of an archive; `None` if no record begins there. Line ends and empty members
    /// may come before it, up to the last member that begins in the first [`SEARCH_BYTES`].
    fn first_format(stream: &mut Stream<R>) -> io::Result<Option<RecordFormat>> {
        stream.next_member()?;
        loop {
            let ahead = stream.ahead(1)?;
            let has_ended = ahead.is_empty();
            if let [b'\r' | b'\n', ..] = ahead {
                stream.consume(1);
                continue;
            }
            let is_empty_member =
                has_ended && stream.has_members() && stream.offset() < SEARCH_BYTES as u64;
            if !is_empty_member || !stream.next_member()? {
                break;
            }
        }
        let has_members = stream.has_members();
        let start = stream.ahead(HEADER_STEP)?;
        // The first line of a record may continue in the next member.
        let is_cut_line = has_members && !start.is_empty() && may_be_cut_warc_line(start);
        Ok(if header::begins_warc(start) || is_cut_line {
            Some(RecordFormat::Warc)
        } else if header::begins_arc(start) {
            Some(RecordFormat::Arc)
        } else {
            None
        })
    }
}
