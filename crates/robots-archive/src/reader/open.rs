//! The start of reading: at the beginning of an archive, or in the middle of it.

use super::{HEADER_LIMIT, Line, Packing, Reader};
use crate::reader::stream::{Packed, Room, Stream};
use crate::record::header::{self, FIRST_LINE, Format, has_warc_line};
use std::io::{self, Read};
use std::mem;

/// The number of bytes at the start of a file in which the first record is searched for: 1 MiB.
const SEARCH: usize = 1024 * 1024;

impl<R: Read> Reader<R> {
    /// Opens an archive. `None` if the input is neither WARC nor ARC, plain or packed in members (gzip, Zstandard).
    ///
    /// # Errors
    ///
    /// If the input cannot be read.
    pub fn open(input: R) -> io::Result<Option<Self>> {
        Self::open_in(input, &mut Room::default())
    }

    /// Opens an archive, with the memory of another reader.
    ///
    /// # Errors
    ///
    /// If the input cannot be read.
    pub fn open_in(input: R, room: &mut Room) -> io::Result<Option<Self>> {
        let spare = mem::take(&mut room.block);
        let reader = Self::open_stream(Stream::open(input, room)?)?;
        Ok(reader.map(|reader| Self { spare, ..reader }))
    }

    fn open_stream(mut stream: Stream<R>) -> io::Result<Option<Self>> {
        match Self::first_format(&mut stream) {
            Ok(Some(format)) => return Ok(Some(Self::new(stream, format))),
            Ok(None) if stream.has_members() => return Ok(None),
            // A plain file may begin with something else, or be gzip with its first bytes damaged.
            Ok(None) => {
                let mut reader = Self::new(stream, Format::Warc);
                let start = reader.stream.ahead(SEARCH)?;
                if has_warc_line(start) {
                    reader.find_next(0, "no record begins here", Line::Bad)?;
                    return Ok(Some(reader));
                }
                stream = reader.stream;
                stream.assume_gzip();
            }
            Err(error) if stream.input_failed() || !stream.has_members() => return Err(error),
            // A gzip file whose first member is corrupt may be sound after it.
            Err(_) => {}
        }
        if !stream.resume(header::begins_record)? {
            return Ok(None);
        }
        let format = Self::format_of_record(&mut stream)?;
        let member = stream.member();
        let mut reader = Self::new(stream, format);
        reader.fault(
            0,
            format!("corrupt {member}; reading begins at the next one that is whole"),
        );
        Ok(Some(reader))
    }

    /// Returns a reader that continues in an archive whose input is at this offset, from
    /// [`stopped_at`](Self::stopped_at) of another reader or from [`find`](Self::find).
    pub fn at(input: R, offset: u64, packing: Packing, room: &mut Room) -> Self {
        let spare = mem::take(&mut room.block);
        let stream = Stream::at(input, offset, packing.packed == Packed::Gzip, room);
        Self {
            spare,
            ..Self::new(stream, packing.format)
        }
    }

    /// Returns a reader that begins in an input at an offset; `None` if no record begins there.
    ///
    /// # Errors
    ///
    /// If the input cannot be read.
    pub fn begin_at(input: R, offset: u64, room: &mut Room) -> io::Result<Option<Self>> {
        let spare = mem::take(&mut room.block);
        let mut stream = Stream::open_at(input, offset, room)?;
        // Damaged bytes are not a beginning; a failure of the input is an error.
        let begun = stream
            .next_member()
            .and_then(|begun| Ok(begun && header::begins_record(stream.ahead(HEADER_LIMIT)?)));
        match begun {
            Ok(true) => {}
            Err(error) if stream.input_failed() => return Err(error),
            _ => {
                room.block = spare;
                stream.into_room(room);
                return Ok(None);
            }
        }
        let format = Self::format_of_record(&mut stream)?;
        Ok(Some(Self {
            spare,
            ..Self::new(stream, format)
        }))
    }

    /// Returns the first gzip member that seems to begin with a record, in an input at `offset` and before `until`.
    /// Bytes that only look like a member may be taken for one: reading up to here decides.
    ///
    /// # Errors
    ///
    /// If the input cannot be read.
    pub fn find(
        input: R,
        offset: u64,
        until: u64,
        room: &mut Room,
    ) -> io::Result<Option<(u64, Packing)>> {
        let mut stream = Stream::at(input, offset, true, room);
        let mut found = None;
        if stream.find(until, header::begins_record)? && stream.next_member()? {
            let packing = Packing {
                format: Self::format_of_record(&mut stream)?,
                packed: Packed::Gzip,
            };
            found = Some((stream.offset(), packing));
        }
        stream.into_room(room);
        Ok(found)
    }

    /// Returns the format of the record that begins here.
    fn format_of_record(stream: &mut Stream<R>) -> io::Result<Format> {
        Ok(if header::begins_warc(stream.ahead(FIRST_LINE)?) {
            Format::Warc
        } else {
            Format::Arc
        })
    }

    fn first_format(stream: &mut Stream<R>) -> io::Result<Option<Format>> {
        stream.next_member()?;
        while let [b'\r' | b'\n', ..] = stream.ahead(1)? {
            stream.consume(1);
        }
        let start = stream.ahead(1024)?;
        Ok(if header::begins_warc(start) {
            Some(Format::Warc)
        } else if header::begins_arc(start) {
            Some(Format::Arc)
        } else {
            None
        })
    }
}
