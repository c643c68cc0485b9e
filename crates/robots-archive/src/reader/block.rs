//! The reading of a record's block, to its end or as far as needed.

use super::stream::{Place, UNPACK_STEP};
use super::{HEADER_LIMIT, Reader};
use crate::record::header::{
    MARK_BYTES, RecordFormat, begins, marked_record_in, may_be_cut_warc_line,
};
use crate::record::{BLOCK_LIMIT, Block, Cut};
use std::io::{self, Read};

/// The maximum number of bytes of a block that are read at once: 64 KiB. If a step ends in corrupt bytes, all bytes of
/// the step are lost.
const READ_STEP: usize = 64 * 1024;

/// The bytes that are examined again at each side of a border between steps: one fewer than show that a record begins.
const OVERLAP: usize = MARK_BYTES - 1;

/// What is known about a block that was read.
#[derive(Debug)]
pub(super) struct ReadBlock {
    /// The place of its first byte.
    pub(super) start: Place,
    /// The number of bytes that were read.
    pub(super) read: u64,
    /// The reason if the block is not whole.
    pub(super) cut: Option<Cut>,
    /// Whether the bytes that are kept are in one member, if the block has others.
    is_kept_in_one_member: bool,
    /// The place of the first WARC record that seems to begin in the bytes past [`BLOCK_LIMIT`], which are not kept.
    pub(super) dropped_record: Option<Place>,
}

impl ReadBlock {
    /// Returns the place of the first record that seems to begin in the block, if bytes from there on were dropped. `kept` is its
    /// offset if it begins in the bytes that are kept. In a later member than the first, its place is not known.
    pub(super) fn place_of_record(&self, kept: Option<usize>) -> Option<Place> {
        if self.read <= BLOCK_LIMIT as u64 {
            return None;
        }
        match kept {
            Some(at) => self
                .is_kept_in_one_member
                .then(|| self.start.after(at as u64)),
            None => self.dropped_record,
        }
    }
}

impl<R: Read> Reader<R> {
    /// Returns whether the bytes after a block show that its length is right: empty lines, and then a record, the end of
    /// the member or the end of the input. The end of the member may cut the first line of the record. An error counts as an
    /// end: it is reported when the next record is read.
    pub(super) fn has_valid_end(&mut self) -> bool {
        let format = self.format;
        let has_members = self.stream.has_members();
        let ahead = self.stream.peek(HEADER_LIMIT);
        let skip = ahead
            .iter()
            .take_while(|byte| matches!(byte, b'\r' | b'\n'))
            .count();
        let rest = ahead.get(skip..).unwrap_or_default();
        rest.is_empty() || begins(format, rest) || has_members && may_be_cut_warc_line(rest)
    }

    /// Reads a record's block. Continues in the next member, unless a record begins there. At most [`BLOCK_LIMIT`] bytes are
    /// kept.
    pub(super) fn read_block(&mut self, length: u64, into: &mut Block) -> io::Result<ReadBlock> {
        let mut block = ReadBlock {
            start: self.stream.place(),
            read: 0,
            cut: None,
            is_kept_in_one_member: true,
            dropped_record: None,
        };
        // If the member was unpacked in one call, its bytes may become the block without a copy.
        if length <= BLOCK_LIMIT as u64 && self.stream.move_to_block(length, into) {
            block.read = length;
            return Ok(block);
        }
        while block.read < length {
            let left = length - block.read;
            if block.read == BLOCK_LIMIT as u64 {
                block.is_kept_in_one_member = block.start.is_in_member_of(self.stream.place());
                block.dropped_record = self.record_at_border(into);
            }
            match self.read_step(left, into, &mut block.dropped_record) {
                Ok(Some(count)) => block.read += count as u64,
                Ok(None) => {
                    block.cut = Some(Cut::Short);
                    return Ok(block);
                }
                Err(error) => {
                    self.report_member_damage(error)?;
                    block.cut = Some(Cut::Corrupt);
                    return Ok(block);
                }
            }
        }
        // A block that is longer than the limit is not damaged: its start may be enough for a decision.
        block.cut = (length > BLOCK_LIMIT as u64).then_some(Cut::Limit);
        Ok(block)
    }

    /// Returns the place of the WARC record that begins at the end of the kept bytes of a block, and continues in the next bytes,
    /// which are dropped. Its empty line may be before the end.
    fn record_at_border(&mut self, kept: &[u8]) -> Option<Place> {
        if self.format != RecordFormat::Warc {
            return None;
        }
        let before = kept.get(kept.len().saturating_sub(OVERLAP)..)?;
        let here = self.stream.place();
        let ahead = self.stream.peek(OVERLAP);
        let after = ahead.get(..OVERLAP).unwrap_or(ahead);
        let start = marked_record_in(&[before, after].concat())? as u64;
        let border = before.len() as u64;
        match border.checked_sub(start) {
            Some(back) => here.before(back),
            None => Some(here.after(start - border)),
        }
    }

    /// Drops bytes of a block, up to `most`, and finds the first WARC record that seems to begin in them. Returns their number.
    fn drop_step(&mut self, most: usize, record: &mut Option<Place>) -> io::Result<usize> {
        let searches = self.format == RecordFormat::Warc && record.is_none();
        let here = self.stream.place();
        let ahead = self.stream.ahead(if searches { MARK_BYTES } else { 1 })?;
        let mut dropped = ahead.len().min(most);
        if searches {
            *record = marked_record_in(ahead)
                .filter(|&start| start < most)
                .map(|start| here.after(start as u64));
            // A record that begins at the end of these bytes is found in the next step.
            if ahead.len() > OVERLAP {
                dropped = (ahead.len() - OVERLAP).min(most);
            }
        }
        self.stream.consume(dropped);
        Ok(dropped)
    }

    /// Reads up to [`READ_STEP`] of the remaining `left` bytes of a block. Drops bytes past [`BLOCK_LIMIT`]; `dropped_record` is
    /// the first record in these.
    ///
    /// Returns the number of bytes: 0 if the member was at its end, and the block continues in the next one. Returns `None`
    /// if the block does not continue.
    fn read_step(
        &mut self,
        left: u64,
        block: &mut Block,
        dropped_record: &mut Option<Place>,
    ) -> io::Result<Option<usize>> {
        // A step is not longer than the block so far, unless that is short. So corrupt bytes cost at most as many bytes as were
        // read before them.
        let step = block.len().clamp(UNPACK_STEP, READ_STEP);
        let step = usize::try_from(left).map_or(step, |left| left.min(step));
        let space = (BLOCK_LIMIT - block.len()).min(step);
        let count = if space > 0 {
            block.fill(space, |into| self.stream.read(into))?
        } else {
            self.drop_step(step, dropped_record)?
        };
        let continues = count > 0 || self.continue_in_next_member()?;
        Ok(continues.then_some(count))
    }

    /// Begins the next member inside a record. Returns `false` if there is none, or if a record begins in it.
    pub(super) fn continue_in_next_member(&mut self) -> io::Result<bool> {
        let format = self.format;
        Ok(self.stream.next_member()? && !begins(format, self.stream.ahead(HEADER_LIMIT)?))
    }
}
