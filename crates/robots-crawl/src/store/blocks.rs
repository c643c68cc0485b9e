//! The file of redb, with a checksum for each of its blocks: each read compares it.
//!
//! redb compares no checksums when it reads. Without others, a damaged file could cause a panic, an endless loop or a missing
//! record, and only a check of the whole file would show the damage. With them, a store opens in constant time, and damage is an
//! error when the damaged block is read.
//!
//! | offset in the file | content |
//! | --- | --- |
//! | 0 | the header of the store ([`file`](super::file)) |
//! | 4,096 and 8,192 | two copies of redb's header, written in turn: checksum, sequence number, header |
//! | 12,288 and on | the blocks of redb's file, each followed by its checksum |
//!
//! The checksum of a block is the XXH64 of its bytes, with its number as the seed. So an exchanged block and one of zeros are
//! damage, too. It is written together with its block. redb does not change blocks that a commit has, so a block that a kill or a
//! power failure leaves half written is not part of a commit. redb's header is the only part that changes in place: the copy before
//! stays until the new one is on the disk. A write that the disk reports as done, but loses, is not noticed.

use redb::StorageBackend;
use redb::backends::FileBackend;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use twox_hash::XxHash64;

/// The number of bytes before the copies of redb's header: one page.
pub(super) const START: u64 = 4_096;

/// The size of a block in bytes: a page of redb.
const BLOCK: usize = 4_096;

/// The size of a block with its checksum in bytes.
const STORED_BLOCK: usize = BLOCK + CHECKSUM;

const CHECKSUM: usize = size_of::<u64>();

/// The offset of the first block. Block 0 has redb's header alone, and is not used.
pub(super) const FIRST_BLOCK: u64 = 3 * START;

/// The size of redb's header in bytes.
const REDB_HEADER: usize = 320;

/// The size of a copy of redb's header in bytes: a checksum, a sequence number, and the header.
const COPY: usize = 2 * CHECKSUM + REDB_HEADER;

/// The seed of the checksums of redb's header.
const COPY_SEED: u64 = u64::MAX;

/// The file of redb. Clones share it.
#[derive(Debug, Clone)]
pub(super) struct Blocks {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    file: FileBackend,
    header: Mutex<Header>,
    is_stopped: AtomicBool,
}

/// The last header of redb.
#[derive(Debug)]
struct Header {
    bytes: [u8; REDB_HEADER],
    sequence: u64,
    /// The number of its copy, 0 or 1.
    copy: u64,
    /// Whether it is on the disk, so that the other copy may be overwritten.
    is_durable: bool,
}

impl Header {
    /// The state before redb writes its first header.
    const NONE: Self = Self {
        bytes: [0; REDB_HEADER],
        sequence: 0,
        copy: 0,
        is_durable: true,
    };
}

impl Blocks {
    /// Returns an empty file of redb.
    pub(super) fn create(file: FileBackend) -> io::Result<Self> {
        file.set_len(FIRST_BLOCK)?;
        Ok(Self::new(file, Header::NONE))
    }

    /// Opens the file of redb. Returns whether its whole content must be checked: a copy of redb's header is damaged, and may have
    /// been the newest one.
    pub(super) fn open(file: FileBackend) -> io::Result<(Self, bool)> {
        let copies = [read_copy(&file, 0)?, read_copy(&file, 1)?];
        let must_check = copies.iter().any(Option::is_none);
        let newest = copies
            .into_iter()
            .flatten()
            .max_by_key(|copy| copy.sequence);
        let newest = newest.ok_or_else(|| invalid("both copies of its header are damaged"))?;
        Ok((Self::new(file, newest), must_check))
    }

    fn new(file: FileBackend, header: Header) -> Self {
        Self {
            shared: Arc::new(Shared {
                file,
                header: Mutex::new(header),
                is_stopped: AtomicBool::new(false),
            }),
        }
    }

    /// Returns the file itself.
    pub(super) fn file(&self) -> &FileBackend {
        &self.shared.file
    }

    /// Refuses all writes from now on. Earlier commits stay in the file.
    pub(super) fn stop_writing(&self) {
        self.shared.is_stopped.store(true, Ordering::Release);
    }

    fn check_writable(&self) -> io::Result<()> {
        if self.shared.is_stopped.load(Ordering::Acquire) {
            return Err(io::ErrorKind::ReadOnlyFilesystem.into());
        }
        Ok(())
    }

    fn header(&self) -> MutexGuard<'_, Header> {
        // A panic cannot leave it half changed.
        let header = self.shared.header.lock();
        header.unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes redb's header in place of the older copy.
    fn write_header(&self, bytes: &[u8; REDB_HEADER]) -> io::Result<()> {
        let mut header = self.header();
        let next = Header {
            bytes: *bytes,
            sequence: header.sequence.saturating_add(1),
            copy: if header.is_durable {
                1_u64.saturating_sub(header.copy)
            } else {
                header.copy
            },
            is_durable: false,
        };
        let mut content = [0; COPY - CHECKSUM];
        if let Some((sequence, header)) = content.split_first_chunk_mut() {
            *sequence = next.sequence.to_le_bytes();
            header.copy_from_slice(&next.bytes);
        }
        let checksum = XxHash64::oneshot(COPY_SEED, &content).to_le_bytes();
        let written = [&checksum[..], &content].concat();
        self.shared.file.write(copy_offset(next.copy), &written)?;
        *header = next;
        Ok(())
    }

    /// Reads whole blocks, and compares their checksums.
    fn read_blocks(&self, first: u64, out: &mut [u8]) -> io::Result<()> {
        let count = out.len() / BLOCK;
        let mut stored = vec![0; count.saturating_mul(STORED_BLOCK)];
        self.shared.file.read(block_offset(first)?, &mut stored)?;
        let stored = stored.chunks_exact(STORED_BLOCK);
        for ((number, stored), out) in (first..).zip(stored).zip(out.chunks_exact_mut(BLOCK)) {
            let Some((block, checksum)) = stored.split_last_chunk() else {
                continue;
            };
            if XxHash64::oneshot(number, block).to_le_bytes() != *checksum {
                return Err(invalid(format!("block {number} is damaged")));
            }
            out.copy_from_slice(block);
        }
        Ok(())
    }
}

impl StorageBackend for Blocks {
    fn len(&self) -> io::Result<u64> {
        let bytes = self.shared.file.len()?.saturating_sub(FIRST_BLOCK);
        let stored = u64::try_from(STORED_BLOCK).unwrap_or(u64::MAX);
        // A block that is cut is missing.
        Ok(bytes.div_euclid(stored).saturating_mul(BLOCK as u64))
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let end = usize::try_from(offset)
            .ok()
            .and_then(|start| start.checked_add(out.len()));
        if let Some(end) = end.filter(|end| *end <= REDB_HEADER) {
            let start = end.saturating_sub(out.len());
            out.copy_from_slice(self.header().bytes.get(start..end).unwrap_or_default());
            return Ok(());
        }
        let first = whole_blocks(offset, out.len())?;
        self.read_blocks(first, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.check_writable()?;
        let blocks = len.div_ceil(BLOCK as u64);
        self.shared.file.set_len(block_offset(blocks)?)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.check_writable()?;
        // Held, so that no header is taken for durable that is written meanwhile.
        let mut header = self.header();
        self.shared.file.sync_data()?;
        header.is_durable = true;
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.check_writable()?;
        if let (0, Ok(header)) = (offset, data.try_into()) {
            return self.write_header(header);
        }
        let first = whole_blocks(offset, data.len())?;
        let count = data.len() / BLOCK;
        let mut stored = Vec::with_capacity(count.saturating_mul(STORED_BLOCK));
        for (number, block) in (first..).zip(data.chunks_exact(BLOCK)) {
            stored.extend_from_slice(block);
            stored.extend_from_slice(&XxHash64::oneshot(number, block).to_le_bytes());
        }
        self.shared.file.write(block_offset(first)?, &stored)
    }

    fn close(&self) -> io::Result<()> {
        self.shared.file.close()
    }
}

/// Returns the number of the first of these blocks. redb reads and writes whole pages, apart from its header.
fn whole_blocks(offset: u64, length: usize) -> io::Result<u64> {
    if !offset.is_multiple_of(BLOCK as u64) || !length.is_multiple_of(BLOCK) || offset == 0 {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    Ok(offset.div_euclid(BLOCK as u64))
}

/// Returns the offset of a block in the file.
fn block_offset(number: u64) -> io::Result<u64> {
    let offset = number
        .checked_mul(STORED_BLOCK as u64)
        .and_then(|offset| offset.checked_add(FIRST_BLOCK));
    offset.ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

/// Returns the offset of a copy of redb's header.
fn copy_offset(copy: u64) -> u64 {
    if copy == 0 { START } else { 2 * START }
}

/// Reads a copy of redb's header; `None` if it is damaged.
fn read_copy(file: &FileBackend, copy: u64) -> io::Result<Option<Header>> {
    let offset = copy_offset(copy);
    let mut stored = [0; COPY];
    if file.len()? < offset.saturating_add(COPY as u64) {
        return Ok(None);
    }
    file.read(offset, &mut stored)?;
    let parts = stored
        .split_first_chunk()
        .and_then(|(checksum, content)| Some((checksum, content, content.split_first_chunk()?)));
    let Some((checksum, content, (sequence, bytes))) = parts else {
        return Ok(None);
    };
    let is_whole = XxHash64::oneshot(COPY_SEED, content).to_le_bytes() == *checksum;
    let bytes = bytes.try_into().ok().filter(|_| is_whole);
    Ok(bytes.map(|bytes| Header {
        bytes,
        sequence: u64::from_le_bytes(*sequence),
        copy,
        is_durable: true,
    }))
}

fn invalid(reason: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::path::Path;

    fn file(path: &Path) -> FileBackend {
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .unwrap();
        FileBackend::new(file).unwrap()
    }

    fn flip(path: &Path, at: usize) {
        let mut bytes = std::fs::read(path).unwrap();
        bytes[at] ^= 1;
        std::fs::write(path, bytes).unwrap();
    }

    fn kind<T>(result: io::Result<T>) -> Option<io::ErrorKind> {
        result.err().map(|error| error.kind())
    }

    #[test]
    fn a_block_with_another_byte_or_number_is_damaged() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("blocks");
        let blocks = Blocks::create(file(&path)).unwrap();
        blocks.set_len(4 * BLOCK as u64).unwrap();
        assert_eq!(blocks.len().unwrap(), 4 * BLOCK as u64);
        let two = [[1; BLOCK], [2; BLOCK]].concat();
        blocks.write(BLOCK as u64, &two).unwrap();
        let mut found = vec![0; 2 * BLOCK];
        blocks.read(BLOCK as u64, &mut found).unwrap();
        assert!(found == two);
        // A block that was never written is one of zeros.
        let invalid = Some(io::ErrorKind::InvalidData);
        let third = 3 * BLOCK as u64;
        assert_eq!(kind(blocks.read(third, &mut found[..BLOCK])), invalid);
        // The first block in place of the third.
        let bytes = std::fs::read(&path).unwrap();
        let at = |number: usize| usize::try_from(block_offset(number as u64).unwrap()).unwrap();
        let mut exchanged = bytes.clone();
        exchanged.copy_within(at(1)..at(2), at(3));
        std::fs::write(&path, exchanged).unwrap();
        assert_eq!(kind(blocks.read(third, &mut found[..BLOCK])), invalid);
        for byte in [0, BLOCK - 1, BLOCK, STORED_BLOCK - 1] {
            std::fs::write(&path, &bytes).unwrap();
            flip(&path, at(1) + byte);
            assert_eq!(kind(blocks.read(BLOCK as u64, &mut found)), invalid);
            blocks.read(2 * BLOCK as u64, &mut found[..BLOCK]).unwrap();
        }
    }

    #[test]
    fn a_header_that_is_not_on_the_disk_leaves_the_one_before() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("blocks");
        let blocks = Blocks::create(file(&path)).unwrap();
        let header = |byte| [byte; REDB_HEADER];
        let newest = |blocks: &Blocks| {
            let mut found = header(0);
            blocks.read(0, &mut found).unwrap();
            found[0]
        };
        for byte in 1..=4 {
            blocks.write(0, &header(byte)).unwrap();
            blocks.sync_data().unwrap();
            assert_eq!(newest(&blocks), byte);
        }
        drop(blocks);
        let (blocks, must_check) = Blocks::open(file(&path)).unwrap();
        assert_eq!((newest(&blocks), must_check), (4, false));
        // Two headers without a sync between them share a copy.
        blocks.write(0, &header(5)).unwrap();
        blocks.write(0, &header(6)).unwrap();
        drop(blocks);
        let places = [copy_offset(0), copy_offset(1)].map(|at| usize::try_from(at).unwrap());
        let bytes = std::fs::read(&path).unwrap();
        let place = *places.iter().find(|at| bytes[**at + 100] == 6).unwrap();
        flip(&path, place + 20);
        let (blocks, must_check) = Blocks::open(file(&path)).unwrap();
        assert_eq!((newest(&blocks), must_check), (4, true));
        drop(blocks);
        for place in places {
            std::fs::write(&path, &bytes).unwrap();
            flip(&path, place);
            let (_, must_check) = Blocks::open(file(&path)).unwrap();
            assert!(must_check);
        }
        flip(&path, places[0] + 30);
        assert_eq!(
            kind(Blocks::open(file(&path))),
            Some(io::ErrorKind::InvalidData)
        );
    }

    #[test]
    fn a_stopped_file_can_be_read_and_not_written() {
        let directory = tempfile::tempdir().unwrap();
        let blocks = Blocks::create(file(&directory.path().join("blocks"))).unwrap();
        blocks.set_len(2 * BLOCK as u64).unwrap();
        blocks.write(BLOCK as u64, &[7; BLOCK]).unwrap();
        blocks.stop_writing();
        let mut found = [0; BLOCK];
        blocks.read(BLOCK as u64, &mut found).unwrap();
        assert_eq!(found, [7; BLOCK]);
        assert!(blocks.write(BLOCK as u64, &[8; BLOCK]).is_err());
        assert!(blocks.write(0, &[8; REDB_HEADER]).is_err());
        assert!(blocks.set_len(0).is_err());
        assert!(blocks.sync_data().is_err());
    }
}
