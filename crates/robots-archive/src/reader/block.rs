//! The reading of a record's block, to its end or as far as needed.

use super::stream::UNPACK_STEP;
use super::{HEADER_LIMIT, Next, Reader};
use crate::record::header::{begins, may_be_cut_warc_line};
use crate::record::{BLOCK_LIMIT, Block, Cut, Record};
use std::io::{self, Read};

/// The maximum number of bytes of a block that are read at once: 64 KiB. If a step ends in corrupt bytes, all bytes of
/// the step are lost.
const READ_STEP: usize = 64 * 1024;

/// The number of bytes of a block after which the caller is first asked whether they are enough: 16 KiB. The number is
/// multiplied by four for each further question.
const FIRST_SKIM_CHECK: usize = 16 * 1024;

/// The minimum number of remaining bytes of a block that are skipped: 16 KiB. To unpack fewer is faster than to search for the
/// next member.
const MIN_SKIPPED: u64 = 16 * 1024;

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

    /// Reads a record's block, as far as `enough` demands. Continues in the next member, unless a record begins there. At
    /// most [`BLOCK_LIMIT`] bytes are kept. Returns the number of bytes that were read, and the reason if the block is not
    /// whole.
    ///
    /// `enough` returns whether the bytes read so far are enough. It is called only if the rest may be skipped.
    pub(super) fn read_block(
        &mut self,
        length: u64,
        record: &mut Record,
        enough: &mut dyn FnMut(&Record) -> bool,
    ) -> io::Result<(u64, Option<Cut>)> {
        // If the member was unpacked in one call, its bytes may become the block without a copy.
        if length <= BLOCK_LIMIT as u64 && self.stream.move_to_block(length, &mut record.block) {
            return Ok((length, None));
        }
        // The rest of a member with several records may have the next one, so it is not skipped.
        let may_skip = self.one_record_per_member == Some(true);
        let mut read = 0_u64;
        let mut check_at = FIRST_SKIM_CHECK;
        while read < length {
            let left = length.saturating_sub(read);
            if may_skip && record.block.len() >= check_at && left >= MIN_SKIPPED {
                if enough(record) {
                    self.next = Next::AfterSkimmed;
                    return Ok((read, Some(Cut::Skimmed)));
                }
                check_at = check_at.saturating_mul(4);
            }
            match self.read_step(left, &mut record.block) {
                Ok(Some(count)) => read = read.saturating_add(count as u64),
                Ok(None) => return Ok((read, Some(Cut::Short))),
                Err(error) => {
                    self.report_member_damage(error)?;
                    return Ok((read, Some(Cut::Corrupt)));
                }
            }
        }
        // A block that is longer than the limit is not damaged: its start may be enough for a decision.
        Ok((read, (length > BLOCK_LIMIT as u64).then_some(Cut::Limit)))
    }

    /// Reads up to [`READ_STEP`] of the remaining `left` bytes of a block. Drops bytes past [`BLOCK_LIMIT`].
    ///
    /// Returns the number of bytes: 0 if the member was at its end, and the block continues in the next one. Returns `None`
    /// if the block does not continue.
    fn read_step(&mut self, left: u64, block: &mut Block) -> io::Result<Option<usize>> {
        // A step is not longer than the block so far, unless that is short. So corrupt bytes cost at most as many bytes as were
        // read before them.
        let step = block.len().clamp(UNPACK_STEP, READ_STEP);
        let step = usize::try_from(left).map_or(step, |left| left.min(step));
        let space = BLOCK_LIMIT.saturating_sub(block.len()).min(step);
        let count = if space > 0 {
            block.fill(space, |into| self.stream.read(into))?
        } else {
            let dropped = self.stream.ahead(1)?.len().min(step);
            self.stream.consume(dropped);
            dropped
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
