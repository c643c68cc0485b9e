//! The records of a whole archive, of a part of it, or of ranges of bytes that an index lists.
//!
//! The parts of an archive are read apart from each other, such as by the tasks of a cluster. Each has the records that begin in
//! it, and checks that the next one begins where it ends. So either the parts have the records of the archive, or one of them
//! ends with an error ([`robots_archive::find_start`]).

use crate::error::Error;
use crate::input::stream::StartBytes;
use crate::input::{ItemSource, open_file};
use crate::reader::{FileAt, not_archive};
use robots_archive::{
    ArchiveFormat, Buffers, Damage, Item, ReadAt, ReadFrom, Reader, divisible_format, find_start,
};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The bytes of an archive whose records are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Extent {
    /// All.
    Whole,
    /// The records that begin at offsets from `from` up to `until`. The last one may end after `until`.
    #[non_exhaustive]
    Part {
        /// The first offset.
        from: u64,
        /// The offset after the last.
        until: u64,
    },
    /// The records at some offsets, in this order. Bytes outside of the ranges are not read.
    Ranges(Vec<RecordRange>),
}

impl Extent {
    /// Returns the part of an archive from one offset up to another.
    pub fn part(from: u64, until: u64) -> Self {
        Self::Part { from, until }
    }
}

/// The place of a record, as an index lists it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(
    clippy::exhaustive_structs,
    reason = "an offset and a length: a range has no more"
)]
pub struct RecordRange {
    /// The offset of the record in bytes; in gzip, that of its member.
    pub offset: u64,
    /// The number of bytes of the record, or of its member. Without it, the record is read to its end, and some bytes more.
    pub length: Option<u64>,
}

/// A file as an input that is read at any offset.
#[derive(Debug)]
pub struct FileInput(File);

impl FileInput {
    /// Opens a file; `-` is standard input, of which a temporary copy is made.
    ///
    /// # Errors
    ///
    /// If it cannot be opened, or is a folder.
    pub fn open(path: &Path) -> Result<Self, Error> {
        open_file(path).map(Self)
    }
}

impl ReadAt for FileInput {
    fn read_at(&mut self, into: &mut [u8], offset: u64, _: u64) -> io::Result<usize> {
        FileAt::new(&self.0, offset).read(into)
    }

    fn can_go_back(&self) -> bool {
        true
    }
}

/// An input that several readers use in turn.
#[derive(Debug)]
struct SharedInput<R>(Arc<Mutex<InputState<R>>>);

#[derive(Debug)]
struct InputState<R> {
    input: R,
    /// The first bytes, as an input may not be able to read them again.
    start: StartBytes,
}

impl<R> SharedInput<R> {
    fn new(input: R) -> Self {
        let start = StartBytes::default();
        Self(Arc::new(Mutex::new(InputState { input, start })))
    }

    fn lock(&self) -> MutexGuard<'_, InputState<R>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R> Clone for SharedInput<R> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<R: ReadAt> ReadAt for SharedInput<R> {
    fn read_at(&mut self, into: &mut [u8], offset: u64, end: u64) -> io::Result<usize> {
        let mut state = self.lock();
        let count = state.input.read_at(into, offset, end)?;
        state
            .start
            .keep(offset, into.get(..count).unwrap_or_default());
        Ok(count)
    }

    fn can_go_back(&self) -> bool {
        self.lock().input.can_go_back()
    }
}

type ExtentReader<R> = Reader<ReadFrom<SharedInput<R>>>;

/// The records and damaged places of an extent of an archive, in order.
#[derive(Debug)]
pub struct ArchiveItems<R> {
    name: String,
    input: SharedInput<R>,
    extent: Extent,
    /// The format of the archive, if a part is read.
    format: Option<ArchiveFormat>,
    /// The number of ranges that were opened, or 1 if the part or the whole was.
    opened: usize,
    reader: Option<ExtentReader<R>>,
    buffers: Buffers,
    /// An item that was read after the one that [`next_with_length`](Self::next_with_length) returned.
    ahead: Option<Result<Item, Error>>,
    /// The offset at which a reader ended during the last call.
    end: Option<u64>,
}

impl<R: ReadAt> ArchiveItems<R> {
    /// Returns the items of an extent of this input. `name` is that of the archive, for errors.
    pub fn new(name: impl Into<String>, input: R, extent: Extent) -> Self {
        Self {
            name: name.into(),
            input: SharedInput::new(input),
            extent,
            format: None,
            opened: 0,
            reader: None,
            buffers: Buffers::default(),
            ahead: None,
            end: None,
        }
    }

    /// Returns the name of the archive.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the next item, and the number of bytes from it to the next one or to the end: for a record in a gzip member of its
    /// own, the length of the member. `None` if that is not known, as the member has more than one record.
    ///
    /// # Errors
    ///
    /// If the archive cannot be read, or not any further.
    pub fn next_with_length(&mut self) -> Result<Option<(Item, Option<u64>)>, Error> {
        let item = match self.ahead.take() {
            Some(item) => item?,
            None => match self.next_item()? {
                Some(item) => item,
                None => return Ok(None),
            },
        };
        self.end = None;
        self.ahead = self.next_item().transpose();
        let end = match (self.end, &self.ahead) {
            (Some(end), _) => Some(end),
            (None, Some(Ok(next))) => Some(item_offset(next)),
            (None, _) => None,
        };
        let length = end.and_then(|end| end.checked_sub(item_offset(&item)));
        Ok(Some((item, length.filter(|&length| length > 0))))
    }

    /// Opens the part or the whole, or the next range. Returns damage if no record begins there.
    fn open_next(&mut self) -> Result<Opened, Error> {
        let number = self.opened;
        self.opened += 1;
        match &self.extent {
            Extent::Whole if number == 0 => self.open_first(u64::MAX),
            &Extent::Part { from, until } if number == 0 => self.open_part(from, until),
            Extent::Ranges(ranges) => match ranges.get(number) {
                Some(&range) => self.open_range(range),
                None => Ok(Opened::Nothing),
            },
            _ => Ok(Opened::Nothing),
        }
    }

    fn open_first(&mut self, until: u64) -> Result<Opened, Error> {
        let input = ReadFrom::new(self.input.clone(), 0, u64::MAX);
        let reader = Reader::open_with(input, &mut self.buffers);
        let Some(reader) = reader.map_err(Error::io("read", &self.name))? else {
            let state = self.input.lock();
            let start = state.start.as_slice();
            return Err(not_archive(self.name.clone(), start.is_empty(), start));
        };
        self.reader = Some(reader.seekable().until(until));
        Ok(Opened::Reader)
    }

    fn open_part(&mut self, from: u64, until: u64) -> Result<Opened, Error> {
        if from >= until {
            return Ok(Opened::Nothing);
        }
        let format = divisible_format(&mut self.input, &mut self.buffers);
        self.format = format.map_err(Error::io("read", &self.name))?;
        let Some(format) = self.format else {
            // Its first part has all records.
            return if from == 0 {
                self.extent = Extent::Whole;
                self.open_first(u64::MAX)
            } else {
                Ok(Opened::Nothing)
            };
        };
        if from == 0 {
            return self.open_first(until);
        }
        let found = find_start(&mut self.input, format, from, until, &mut self.buffers);
        let Some(offset) = found.map_err(Error::io("read", &self.name))? else {
            return Ok(Opened::Nothing);
        };
        let input = ReadFrom::new(self.input.clone(), offset, u64::MAX);
        let reader = Reader::resume_at(input, offset, format, &mut self.buffers);
        self.reader = reader.map(|reader| reader.seekable().until(until));
        Ok(Opened::Reader)
    }

    fn open_range(&mut self, range: RecordRange) -> Result<Opened, Error> {
        let RecordRange { offset, length } = range;
        let end = length.map_or(u64::MAX, |length| offset.saturating_add(length));
        let input = ReadFrom::new(self.input.clone(), offset, end);
        let reader = Reader::open_at(input, offset, &mut self.buffers);
        let Some(reader) = reader.map_err(Error::io("read", &self.name))? else {
            let text = "no record begins here, although the index lists one";
            return Ok(Opened::Damage(Damage::of_record(offset, text)));
        };
        // Reads the record at this offset, and no later one.
        self.reader = Some(reader.seekable().until(offset.saturating_add(1)));
        Ok(Opened::Reader)
    }

    /// Closes the reader at its end.
    ///
    /// # Errors
    ///
    /// If the next part does not begin there.
    fn close(&mut self, reader: ExtentReader<R>) -> Result<(), Error> {
        let (stopped, format_read) = (reader.stopped_at(), reader.archive_format());
        self.end = self.end.or(Some(stopped.unwrap_or(reader.offset())));
        reader.into_buffers(&mut self.buffers);
        let (&Extent::Part { until, .. }, Some(format)) = (&self.extent, self.format) else {
            return Ok(());
        };
        let next = find_start(&mut self.input, format, until, u64::MAX, &mut self.buffers);
        let next = next.map_err(Error::io("read", &self.name))?;
        if next == stopped && (next.is_none() || format_read == format) {
            return Ok(());
        }
        Err(Error::PartsDisagree {
            file: self.name.clone(),
            until,
            record: stopped,
            part: next,
        })
    }
}

/// The result of opening an extent.
enum Opened {
    Reader,
    Damage(Damage),
    /// There is nothing more to read.
    Nothing,
}

impl<R: ReadAt> ItemSource for ArchiveItems<R> {
    fn next_item(&mut self) -> Result<Option<Item>, Error> {
        if let Some(ahead) = self.ahead.take() {
            return ahead.map(Some);
        }
        loop {
            let Some(mut reader) = self.reader.take() else {
                match self.open_next()? {
                    Opened::Reader => continue,
                    Opened::Damage(damage) => return Ok(Some(Item::Damage(damage))),
                    Opened::Nothing => return Ok(None),
                }
            };
            let next = reader.next_item();
            match next.map_err(Error::io("continue reading", &self.name))? {
                Some(item) => {
                    self.reader = Some(reader);
                    return Ok(Some(item));
                }
                None => self.close(reader)?,
            }
        }
    }

    fn recycle(&mut self, item: Item) {
        if let (Item::Record(record), Some(reader)) = (item, &mut self.reader) {
            reader.recycle(record);
        }
    }
}

fn item_offset(item: &Item) -> u64 {
    match item {
        Item::Record(record) => record.offset,
        Item::Damage(damage) => damage.offset,
    }
}
