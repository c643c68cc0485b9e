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
//! damage, too, and so is one that the disk cannot read. It is written together with its block.
//!
//! # Power failures
//!
//! redb does not change blocks that the last commit has, so a block that a kill or a power failure leaves half written is not part
//! of a commit. redb's header is the only part that changes in place. It is written only when all blocks before it are on the disk,
//! to the older copy: the other one stays until the new one is on the disk. So the newest whole header always has its blocks, in
//! whatever order the disk writes what lies between two syncs. (redb alone relies on its own checksums instead when it compacts,
//! and writes header and blocks between the same two syncs.)
//!
//! This assumes that a power failure during a write leaves the bytes next to it as they were. Blocks are not aligned to the sectors
//! of a disk: a sector has the end of one block and the start of the next. `SQLite` assumes the same
//! (<https://www.sqlite.org/psow.html>, read 2026-11-24). On a disk without this property, and on one that reports a write as done
//! but loses it, a block of a commit may be damaged, which the next read of it shows.

use redb::StorageBackend;
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
const COPY_BYTES: usize = 2 * CHECKSUM + REDB_HEADER;

/// The seed of the checksums of redb's header.
const COPY_SEED: u64 = u64::MAX;

/// The offset of the byte of redb's header that selects the last commit (redb's `docs/design.md`, "god byte"). A header that does
/// not change it does not change what is committed.
const SELECTING_BYTE: usize = 9;

/// The errors of the operating system for a part of a disk that cannot be read: `EIO`.
#[cfg(unix)]
const UNREADABLE: &[i32] = &[5];

/// The errors of the operating system for a part of a disk that cannot be read: `ERROR_CRC` and `ERROR_IO_DEVICE`.
#[cfg(not(unix))]
const UNREADABLE: &[i32] = &[23, 1117];

/// The file of redb. Clones share it.
#[derive(Debug, Clone)]
pub(super) struct Blocks {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    file: Box<dyn StorageBackend>,
    header: Mutex<Header>,
    is_stopped: AtomicBool,
    is_damaged: AtomicBool,
    has_failed: AtomicBool,
}

/// The header of redb: its copy on the disk, and the last one that redb wrote.
#[derive(Debug)]
struct Header {
    on_disk: HeaderCopy,
    /// The last header of redb, which is written to the disk after the blocks before it.
    last: [u8; REDB_HEADER],
    /// Whether blocks or the length of the file have changed since the last sync.
    has_unsynced_blocks: bool,
    /// Whether the file must be checked before a header replaces the damaged copy.
    is_held: bool,
}

/// A copy of redb's header on the disk.
#[derive(Debug)]
struct HeaderCopy {
    bytes: [u8; REDB_HEADER],
    sequence: u64,
    /// The number of the copy, 0 or 1.
    number: u64,
}

impl Header {
    fn new(on_disk: HeaderCopy, is_held: bool) -> Self {
        Self {
            last: on_disk.bytes,
            on_disk,
            has_unsynced_blocks: false,
            is_held,
        }
    }

    /// Returns whether redb's last header selects another commit than the one on the disk.
    fn selects_another_commit(&self) -> bool {
        self.last.get(SELECTING_BYTE) != self.on_disk.bytes.get(SELECTING_BYTE)
    }
}

impl HeaderCopy {
    /// The state before redb writes its first header.
    const NONE: Self = Self {
        bytes: [0; REDB_HEADER],
        sequence: 0,
        number: 0,
    };
}

impl Blocks {
    /// Returns an empty file of redb.
    pub(super) fn create(file: Box<dyn StorageBackend>) -> io::Result<Self> {
        file.set_len(FIRST_BLOCK)?;
        Ok(Self::new(file, Header::new(HeaderCopy::NONE, false)))
    }

    /// Opens the file of redb. Returns whether its whole content must be checked: a copy of redb's header is damaged, and may have
    /// been the newest one. Call [`checked`](Self::checked) after the check; until then the damaged copy stays, so that the next
    /// opening finds it, too, if the check is interrupted.
    pub(super) fn open(file: Box<dyn StorageBackend>) -> io::Result<(Self, bool)> {
        let copies = [read_copy(&*file, 0)?, read_copy(&*file, 1)?];
        let must_check = copies.iter().any(Option::is_none);
        let newest = copies
            .into_iter()
            .flatten()
            .max_by_key(|copy| copy.sequence);
        let newest = newest.ok_or_else(|| invalid("both copies of its header are damaged"))?;
        Ok((Self::new(file, Header::new(newest, must_check)), must_check))
    }

    fn new(file: Box<dyn StorageBackend>, header: Header) -> Self {
        Self {
            shared: Arc::new(Shared {
                file,
                header: Mutex::new(header),
                is_stopped: AtomicBool::new(false),
                is_damaged: AtomicBool::new(false),
                has_failed: AtomicBool::new(false),
            }),
        }
    }

    /// Returns the file itself.
    pub(super) fn file(&self) -> &dyn StorageBackend {
        &*self.shared.file
    }

    /// Ends the check of a file whose header has a damaged copy: writes redb's header in its place.
    pub(super) fn checked(&self) -> io::Result<()> {
        self.header().is_held = false;
        self.sync_data()
    }

    /// Returns whether a read has found damage. redb reports that to one caller, and refuses the work of all others with a general
    /// error.
    pub(super) fn is_damaged(&self) -> bool {
        self.shared.is_damaged.load(Ordering::Acquire)
    }

    /// Returns whether the operating system has refused an operation. As after damage, redb refuses all further work.
    pub(super) fn has_failed(&self) -> bool {
        self.shared.has_failed.load(Ordering::Acquire)
    }

    /// Notes the failure of an operation.
    fn note<T>(&self, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result {
            let noted = if is_damage(error) {
                &self.shared.is_damaged
            } else {
                &self.shared.has_failed
            };
            noted.store(true, Ordering::Release);
        }
        result
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

    /// Writes redb's last header in place of the older copy. All blocks before it are on the disk.
    fn write_header(&self, header: &mut Header) -> io::Result<()> {
        let next = HeaderCopy {
            bytes: header.last,
            sequence: header.on_disk.sequence.saturating_add(1),
            number: 1_u64.saturating_sub(header.on_disk.number),
        };
        let mut content = [0; COPY_BYTES - CHECKSUM];
        if let Some((sequence, header)) = content.split_first_chunk_mut() {
            *sequence = next.sequence.to_le_bytes();
            header.copy_from_slice(&next.bytes);
        }
        let checksum = XxHash64::oneshot(COPY_SEED, &content).to_le_bytes();
        let written = [&checksum[..], &content].concat();
        self.shared.file.write(copy_offset(next.number), &written)?;
        self.shared.file.sync_data()?;
        header.on_disk = next;
        Ok(())
    }

    /// Writes changed blocks to the disk, and then redb's header.
    ///
    /// A commit of redb in two phases changes the header twice: together with its blocks, which selects nothing new, and again
    /// when they are on the disk. The first of these headers is not written.
    fn sync(&self) -> io::Result<()> {
        // Held, so that no header is taken for one on the disk that is written meanwhile.
        let mut header = self.header();
        if header.has_unsynced_blocks {
            self.shared.file.sync_data()?;
            header.has_unsynced_blocks = false;
            if !header.selects_another_commit() {
                return Ok(());
            }
        }
        if header.is_held || header.last == header.on_disk.bytes {
            return Ok(());
        }
        self.write_header(&mut header)
    }

    /// Reads whole blocks, and compares their checksums.
    fn read_blocks(&self, first: u64, out: &mut [u8]) -> io::Result<()> {
        let count = out.len() / BLOCK;
        let mut stored = vec![0; count.saturating_mul(STORED_BLOCK)];
        let read = self.shared.file.read(block_offset(first)?, &mut stored);
        read.map_err(|error| unreadable(first, error))?;
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
        let bytes = self.note(self.shared.file.len())?;
        let bytes = bytes.saturating_sub(FIRST_BLOCK);
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
            out.copy_from_slice(self.header().last.get(start..end).unwrap_or_default());
            return Ok(());
        }
        let first = whole_blocks(offset, out.len())?;
        self.note(self.read_blocks(first, out))
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.check_writable()?;
        let blocks = len.div_ceil(BLOCK as u64);
        self.header().has_unsynced_blocks = true;
        self.note(self.shared.file.set_len(block_offset(blocks)?))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.check_writable()?;
        self.note(self.sync())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.check_writable()?;
        if let (0, Ok(header)) = (offset, data.try_into()) {
            self.header().last = header;
            return Ok(());
        }
        let first = whole_blocks(offset, data.len())?;
        let count = data.len() / BLOCK;
        let mut stored = Vec::with_capacity(count.saturating_mul(STORED_BLOCK));
        for (number, block) in (first..).zip(data.chunks_exact(BLOCK)) {
            stored.extend_from_slice(block);
            stored.extend_from_slice(&XxHash64::oneshot(number, block).to_le_bytes());
        }
        self.header().has_unsynced_blocks = true;
        self.note(self.shared.file.write(block_offset(first)?, &stored))
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
fn copy_offset(number: u64) -> u64 {
    if number == 0 { START } else { 2 * START }
}

/// Reads a copy of redb's header; `None` if it is damaged.
fn read_copy(file: &dyn StorageBackend, number: u64) -> io::Result<Option<HeaderCopy>> {
    let offset = copy_offset(number);
    let mut stored = [0; COPY_BYTES];
    if file.len()? < offset.saturating_add(COPY_BYTES as u64) {
        return Ok(None);
    }
    match file.read(offset, &mut stored) {
        Err(error) if is_unreadable(&error) => return Ok(None),
        read => read?,
    }
    let parts = stored
        .split_first_chunk()
        .and_then(|(checksum, content)| Some((checksum, content, content.split_first_chunk()?)));
    let Some((checksum, content, (sequence, bytes))) = parts else {
        return Ok(None);
    };
    let is_whole = XxHash64::oneshot(COPY_SEED, content).to_le_bytes() == *checksum;
    let bytes = bytes.try_into().ok().filter(|_| is_whole);
    Ok(bytes.map(|bytes| HeaderCopy {
        bytes,
        sequence: u64::from_le_bytes(*sequence),
        number,
    }))
}

/// Returns whether an error means that the file is damaged: data past its end, data that was not written so, or none at all.
pub(super) fn is_damage(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData
    )
}

/// Returns whether the disk cannot read a part of the file. The operating system has tried it again before it says so.
fn is_unreadable(error: &io::Error) -> bool {
    let code = error.raw_os_error();
    code.is_some_and(|code| UNREADABLE.contains(&code))
}

/// Returns the error of a failed read: a block that the disk cannot read is damaged.
fn unreadable(number: u64, error: io::Error) -> io::Error {
    if is_unreadable(&error) {
        return invalid(format!("block {number} cannot be read: {error}"));
    }
    error
}

fn invalid(reason: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use redb::backends::FileBackend;
    use std::fs::File;
    use std::path::Path;

    fn file(path: &Path) -> Box<dyn StorageBackend> {
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .unwrap();
        Box::new(FileBackend::new(file).unwrap())
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
        // A header is written by the sync after it.
        blocks.write(0, &header(5)).unwrap();
        assert_eq!(newest(&blocks), 5);
        drop(blocks);
        let (blocks, must_check) = Blocks::open(file(&path)).unwrap();
        assert_eq!((newest(&blocks), must_check), (4, false));
        blocks.write(0, &header(5)).unwrap();
        blocks.write(0, &header(6)).unwrap();
        blocks.sync_data().unwrap();
        drop(blocks);
        let places = [copy_offset(0), copy_offset(1)].map(|at| usize::try_from(at).unwrap());
        let bytes = std::fs::read(&path).unwrap();
        let place = *places.iter().find(|at| bytes[**at + 100] == 6).unwrap();
        flip(&path, place + 20);
        let (blocks, must_check) = Blocks::open(file(&path)).unwrap();
        assert_eq!((newest(&blocks), must_check), (4, true));
        // An interrupted check leaves the damaged copy.
        blocks.write(0, &header(7)).unwrap();
        blocks.sync_data().unwrap();
        drop(blocks);
        let (blocks, must_check) = Blocks::open(file(&path)).unwrap();
        assert_eq!((newest(&blocks), must_check), (4, true));
        blocks.write(0, &header(7)).unwrap();
        blocks.checked().unwrap();
        drop(blocks);
        let (blocks, must_check) = Blocks::open(file(&path)).unwrap();
        assert_eq!((newest(&blocks), must_check), (7, false));
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

    /// A file with a part that the disk cannot read.
    #[derive(Debug)]
    struct Unreadable {
        file: Box<dyn StorageBackend>,
        offset: u64,
    }

    impl StorageBackend for Unreadable {
        fn len(&self) -> io::Result<u64> {
            self.file.len()
        }

        fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
            if (offset..offset + out.len() as u64).contains(&self.offset) {
                return Err(io::Error::from_raw_os_error(UNREADABLE[0]));
            }
            self.file.read(offset, out)
        }

        fn set_len(&self, len: u64) -> io::Result<()> {
            self.file.set_len(len)
        }

        fn sync_data(&self) -> io::Result<()> {
            self.file.sync_data()
        }

        fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
            self.file.write(offset, data)
        }
    }

    #[test]
    fn a_part_that_the_disk_cannot_read_is_damaged() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("blocks");
        let blocks = Blocks::create(file(&path)).unwrap();
        blocks.set_len(3 * BLOCK as u64).unwrap();
        for number in 1..=2 {
            blocks.write(0, &[number; REDB_HEADER]).unwrap();
            blocks.sync_data().unwrap();
            let block = [number; BLOCK];
            blocks
                .write(u64::from(number) * BLOCK as u64, &block)
                .unwrap();
        }
        drop(blocks);
        let open = |offset| {
            let file = file(&path);
            Blocks::open(Box::new(Unreadable { file, offset })).unwrap()
        };
        let mut found = [0; BLOCK];
        let (blocks, must_check) = open(block_offset(2).unwrap() + 100);
        assert!(!must_check);
        blocks.read(BLOCK as u64, &mut found).unwrap();
        assert!(!blocks.is_damaged());
        let unread = blocks.read(2 * BLOCK as u64, &mut found);
        assert_eq!(kind(unread), Some(io::ErrorKind::InvalidData));
        assert!(blocks.is_damaged() && !blocks.has_failed());
        drop(blocks);
        let (_, must_check) = open(copy_offset(0) + 100);
        assert!(must_check);
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
