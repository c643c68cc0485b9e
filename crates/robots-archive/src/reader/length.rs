//! Wrong record lengths, and what is read again after them.

use super::block::ReadBlock;
use super::stream::Place;
use super::{Reader, bytes};
use crate::record::header::{CUT_LINE_LIMIT, next_record_in};
use crate::record::{BLOCK_LIMIT, Block, Cut, Record};
use std::io::{self, Read};

/// The number of bytes of an archive that may be read again after wrong record lengths, however short the archive is: 64 MiB. See
/// [`REREADS_PER_BYTE`].
const REREAD_LIMIT: u64 = 64 * 1024 * 1024;

/// The number of times that each byte so far may be read again, on average, after wrong record lengths. Without a limit, reading
/// would not be linear.
const REREADS_PER_BYTE: u64 = 4;

impl<R: Read> Reader<R> {
    /// Compares the `stated` length of a record's block with the bytes. If the length is wrong, sets the record's cut to
    /// [`Cut::Short`]. A block over the limit keeps [`Cut::Limit`], unless a record begins in its kept bytes.
    ///
    /// If the length is too large, the next records are in the block: they are read again. If it is too small, the bytes
    /// after the block are reported when they are skipped.
    pub(super) fn check_length(
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
        self.reread += cost;
        Ok(true)
    }

    /// Returns whether this number of bytes may be read again.
    fn may_reread(&self, count: u64) -> bool {
        let consumed = self.stream.total_consumed();
        let limit = consumed * REREADS_PER_BYTE;
        self.reread + count <= limit + REREAD_LIMIT
    }

    /// Puts consumed bytes back, to be read again. Returns `false`, and does nothing, if too many bytes were read again.
    pub(super) fn put_back(&mut self, records: &[u8]) -> bool {
        let count = records.len() as u64;
        let may_reread = self.may_reread(count);
        if may_reread {
            self.reread += count;
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
        let mut lost = read - block.len() as u64;
        let mut why = "";
        if !self.put_back(records) {
            lost += records.len() as u64;
            why = ": too many bytes would be read again";
        }
        block.truncate(next);
        match lost {
            0 => "the next record begins earlier".to_owned(),
            _ => format!("the next record begins earlier; {} lost{why}", bytes(lost)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{REREAD_LIMIT, REREADS_PER_BYTE};
    use crate::Reader;
    use crate::record::Item;

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
}
