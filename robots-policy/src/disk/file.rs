//! The file of a store, before redb reads it.
//!
//! redb locks the file, and recovers from a crash by the checksums of its pages. A file that was
//! closed it takes for whole: it asserts that the header makes sense, and follows page numbers
//! without looking at checksums. A damaged file then ends in a panic, or in a loop. So the header
//! is looked at here, and the file is passed on as one that was not closed: redb checks it all.

use super::error::{Damage, StoreError};
use super::{StoreErrorKind, Trust};
use redb::StorageBackend;
use redb::backends::FileBackend;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

// The header of redb's file format, version 3: where what is, in bytes.
const MAGIC: &[u8] = b"redb\x1A\x0A\xA9\x0D\x0A";
const FLAGS_AT: usize = 9;
const PAGE_BYTES_AT: usize = 12;
const REGION_HEADER_PAGES_AT: usize = 16;
const REGION_PAGES_AT: usize = 20;
const FULL_REGIONS_AT: usize = 24;
const LAST_REGION_PAGES_AT: usize = 28;
const HEADER_BYTES: usize = 320;

// The flags.
const IS_OPEN: u8 = 2;
const IS_TWO_PHASE: u8 = 4;

/// How many bytes a page has. No file has another size.
const PAGE_BYTES: u64 = 4_096;

/// How many pages a region can have.
const MAX_REGION_PAGES: u32 = 1 << 20;

/// How many bytes a file can have that was never finished: redb makes new ones of about 1 MiB.
const MAX_UNFINISHED_BYTES: u64 = 16 << 20;

/// An open, locked file.
#[derive(Debug)]
pub(super) struct StoreFile {
    file: FileBackend,
    /// Whether the header is still to be shown as that of a file that was not closed.
    doubts: AtomicBool,
}

impl StoreFile {
    /// Opens or makes a file.
    pub(super) fn open(path: &Path, trust: Trust) -> Result<Self, StoreError> {
        let failed = |error| StoreError::io(path, error);
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(failed)?;
        let file =
            FileBackend::new(file).map_err(|error| StoreError::of_redb(path, error.into()))?;
        let bytes = file.len().map_err(failed)?;
        let mut header = [0; HEADER_BYTES];
        let known = usize::try_from(bytes).unwrap_or(usize::MAX);
        if let Some(known) = header.get_mut(..known.min(HEADER_BYTES)) {
            file.read(0, known).map_err(failed)?;
        }
        let mut is_new = bytes == 0;
        if !is_new && !header.starts_with(MAGIC) {
            if !is_unfinished(&file, &header, bytes).map_err(failed)? {
                return Err(StoreError::new(path, StoreErrorKind::NotAStore));
            }
            file.set_len(0).map_err(failed)?;
            is_new = true;
        }
        if !is_new {
            check(&header, bytes).map_err(|damage| StoreError::damaged(path, None, damage))?;
        }
        Ok(Self {
            file,
            doubts: AtomicBool::new(!is_new && trust == Trust::Checked),
        })
    }
}

/// Makes sure that a new file is found after a power failure: its name is in the directory.
#[cfg(unix)]
pub(super) fn keep_name(path: &Path) -> io::Result<()> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    File::open(directory)?.sync_all()
}

/// Elsewhere a directory is no file.
#[cfg(not(unix))]
pub(super) fn keep_name(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Whether a process died while it made this file: redb writes the magic number last. Nothing was
/// kept in it then, and it is made anew. Of the file nothing but the header may be set.
fn is_unfinished(file: &FileBackend, header: &[u8], bytes: u64) -> io::Result<bool> {
    let (magic, rest) = header.split_at_checked(MAGIC.len()).unwrap_or_default();
    let is_zero = |bytes: &[u8]| bytes.iter().all(|byte| *byte == 0);
    let is_header = is_zero(rest) || u64::from(number(header, PAGE_BYTES_AT)) == PAGE_BYTES;
    if bytes > MAX_UNFINISHED_BYTES || !is_zero(magic) || !is_header {
        return Ok(false);
    }
    let mut at = u64::try_from(HEADER_BYTES).unwrap_or(u64::MAX);
    let mut buffer = vec![0; 1 << 16];
    while at < bytes {
        let left = usize::try_from(bytes.saturating_sub(at)).unwrap_or(usize::MAX);
        buffer.truncate(left);
        file.read(at, &mut buffer)?;
        if !is_zero(&buffer) {
            return Ok(false);
        }
        at = at.saturating_add(u64::try_from(buffer.len()).unwrap_or(u64::MAX));
    }
    Ok(true)
}

/// Whether a header is one that redb reads without a panic. All but these numbers it checks itself.
fn check(header: &[u8], bytes: u64) -> Result<(), Damage> {
    let region_pages = number(header, REGION_PAGES_AT);
    let region_header_pages = number(header, REGION_HEADER_PAGES_AT);
    let full_regions = number(header, FULL_REGIONS_AT);
    let last_region_pages = number(header, LAST_REGION_PAGES_AT);
    let are_numbers_possible = u64::from(number(header, PAGE_BYTES_AT)) == PAGE_BYTES
        && (1..=MAX_REGION_PAGES).contains(&region_pages)
        && region_header_pages <= region_pages
        && last_region_pages <= region_pages
        && (full_regions > 0 || last_region_pages > 0);
    if !are_numbers_possible {
        return Err(Damage::Header);
    }
    let pages_of = |pages: u32| u64::from(region_header_pages).saturating_add(pages.into());
    let last = if last_region_pages > 0 {
        pages_of(last_region_pages)
    } else {
        0
    };
    let pages = pages_of(region_pages)
        .saturating_mul(full_regions.into())
        .saturating_add(last)
        // The header's own.
        .saturating_add(1);
    // A file that grew when its process died is longer.
    if bytes < pages.saturating_mul(PAGE_BYTES) || !bytes.is_multiple_of(PAGE_BYTES) {
        return Err(Damage::Length);
    }
    Ok(())
}

/// Four bytes of a header, the low one first.
fn number(header: &[u8], at: usize) -> u32 {
    header
        .get(at..)
        .and_then(<[u8]>::first_chunk::<4>)
        .map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

impl StorageBackend for StoreFile {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.file.read(offset, out)?;
        // redb reads the magic number alone first, and then the header; it writes the header back
        // before it reads it again.
        if offset == 0
            && let Some(flags) = out.get_mut(FLAGS_AT)
            && self.doubts.swap(false, Ordering::Relaxed)
        {
            // As if the process that wrote the last commit had died, and the commit was of the kind
            // whose pages are checked.
            *flags = (*flags | IS_OPEN) & !IS_TWO_PHASE;
        }
        Ok(())
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

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::PathBuf;

    /// The header of a file of so many pages, the header's among them.
    fn header(pages: u32) -> [u8; HEADER_BYTES] {
        let mut header = [0; HEADER_BYTES];
        header[..MAGIC.len()].copy_from_slice(MAGIC);
        set(&mut header, PAGE_BYTES_AT, 4_096);
        set(&mut header, REGION_PAGES_AT, MAX_REGION_PAGES);
        set(&mut header, LAST_REGION_PAGES_AT, pages - 1);
        header
    }

    fn set(header: &mut [u8], at: usize, number: u32) {
        header[at..at + 4].copy_from_slice(&number.to_le_bytes());
    }

    #[test]
    fn headers_that_can_be() {
        let bytes = 9 * PAGE_BYTES;
        assert_eq!(check(&header(9), bytes), Ok(()));
        assert_eq!(check(&header(9), bytes + PAGE_BYTES), Ok(()));
        for wrong in [0, bytes - PAGE_BYTES, bytes - 1, bytes + 1] {
            assert_eq!(check(&header(9), wrong), Err(Damage::Length), "{wrong}");
        }
        for (at, number) in [
            (PAGE_BYTES_AT, 0),
            (PAGE_BYTES_AT, 8_192),
            (REGION_PAGES_AT, 0),
            (REGION_PAGES_AT, 7),
            (REGION_PAGES_AT, MAX_REGION_PAGES + 1),
            (REGION_HEADER_PAGES_AT, u32::MAX),
            (LAST_REGION_PAGES_AT, 0),
            (LAST_REGION_PAGES_AT, u32::MAX),
        ] {
            let mut header = header(9);
            set(&mut header, at, number);
            assert_eq!(check(&header, bytes), Err(Damage::Header), "{at} {number}");
        }
        for (at, number) in [
            (REGION_HEADER_PAGES_AT, 1),
            (FULL_REGIONS_AT, 1),
            (FULL_REGIONS_AT, u32::MAX),
            (LAST_REGION_PAGES_AT, 9),
        ] {
            let mut header = header(9);
            set(&mut header, at, number);
            assert_eq!(check(&header, bytes), Err(Damage::Length), "{at} {number}");
        }
    }

    #[test]
    fn full_regions_count() {
        let mut header = header(1);
        set(&mut header, FULL_REGIONS_AT, 3);
        let bytes = (1 + 3 * u64::from(MAX_REGION_PAGES)) * PAGE_BYTES;
        assert_eq!(check(&header, bytes), Ok(()));
        assert_eq!(check(&header, bytes - PAGE_BYTES), Err(Damage::Length));
    }

    fn write(directory: &Path, bytes: &[u8]) -> PathBuf {
        let path = directory.join("sites");
        fs::write(&path, bytes).unwrap();
        path
    }

    #[test]
    fn a_file_that_was_never_finished_is_made_anew() {
        let directory = tempfile::tempdir().unwrap();
        let mut bytes = vec![0; 100_000];
        let path = write(directory.path(), &bytes);
        assert_eq!(
            StoreFile::open(&path, Trust::Checked)
                .unwrap()
                .len()
                .unwrap(),
            0
        );
        // All but the magic number was written.
        bytes[..HEADER_BYTES].copy_from_slice(&header(9));
        bytes[..MAGIC.len()].fill(0);
        let path = write(directory.path(), &bytes);
        assert_eq!(
            StoreFile::open(&path, Trust::Checked)
                .unwrap()
                .len()
                .unwrap(),
            0
        );
    }

    #[test]
    fn what_is_no_store_is_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        let zeros = |count| vec![0; count];
        let mut late = zeros(100_000);
        late[99_999] = 1;
        let mut behind = zeros(HEADER_BYTES + 1);
        behind[HEADER_BYTES] = 1;
        let mut early = zeros(100);
        early[30] = 1;
        let long = zeros(usize::try_from(MAX_UNFINISHED_BYTES).unwrap() + 1);
        let text = b"User-agent: *\nDisallow: /".to_vec();
        let short = b"redb".to_vec();
        for bytes in [late, behind, early, long, text, short] {
            let path = write(directory.path(), &bytes);
            let error = StoreFile::open(&path, Trust::Checked).unwrap_err();
            assert_eq!(*error.kind(), StoreErrorKind::NotAStore);
            assert!(fs::read(&path).unwrap() == bytes);
        }
    }

    #[test]
    fn a_file_is_locked() {
        let directory = tempfile::tempdir().unwrap();
        let path = write(directory.path(), b"");
        let first = StoreFile::open(&path, Trust::Checked).unwrap();
        let error = StoreFile::open(&path, Trust::Unchecked).unwrap_err();
        assert_eq!(*error.kind(), StoreErrorKind::InUse);
        drop(first);
        StoreFile::open(&path, Trust::Unchecked).unwrap();
    }

    #[test]
    fn a_header_is_doubted_once() {
        let directory = tempfile::tempdir().unwrap();
        let mut bytes = vec![0; usize::try_from(9 * PAGE_BYTES).unwrap()];
        bytes[..HEADER_BYTES].copy_from_slice(&header(9));
        bytes[FLAGS_AT] = 1 | IS_TWO_PHASE;
        let path = write(directory.path(), &bytes);
        let flags = |file: &StoreFile| {
            let mut magic = [0; MAGIC.len()];
            file.read(0, &mut magic).unwrap();
            let mut header = [0; HEADER_BYTES];
            file.read(0, &mut header).unwrap();
            header[FLAGS_AT]
        };
        let checked = StoreFile::open(&path, Trust::Checked).unwrap();
        assert_eq!(flags(&checked), 1 | IS_OPEN);
        assert_eq!(flags(&checked), 1 | IS_TWO_PHASE);
        drop(checked);
        let unchecked = StoreFile::open(&path, Trust::Unchecked).unwrap();
        assert_eq!(flags(&unchecked), 1 | IS_TWO_PHASE);
    }
}
