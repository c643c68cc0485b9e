//! Damaged stores are set aside, and other files are left alone. Reads never return a wrong record.

use super::{Random, Sample, fast_directory, kind};
use robots_crawl::DiskStore;
use robots_crawl::store::{StoreErrorKind, StoreWarning};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

const PAGE: usize = 4_096;

/// The bytes of our header: the magic number, and the version of the format as the last byte.
const HEADER: usize = 16;

/// The bytes of a complete store, and its content.
struct Whole {
    directory: TempDir,
    bytes: Vec<u8>,
    samples: Vec<Sample>,
}

impl Whole {
    fn new() -> Self {
        let directory = fast_directory();
        let path = directory.path().join("whole");
        let samples: Vec<_> = (0..80).map(|number| Sample::new("d", number)).collect();
        let mut store = DiskStore::open(&path).unwrap().with_commit_every(8);
        for sample in &samples {
            sample.put(&store).unwrap();
        }
        store.compact().unwrap();
        drop(store);
        Self {
            bytes: fs::read(&path).unwrap(),
            directory,
            samples,
        }
    }

    fn write(&self, bytes: &[u8]) -> PathBuf {
        let path = self.directory.path().join("origins");
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Returns the offsets of the pages that are not empty.
    fn pages(&self) -> Vec<usize> {
        let pages = (0..self.bytes.len()).step_by(PAGE);
        pages
            .filter(|page| self.bytes[*page..page + PAGE].iter().any(|byte| *byte != 0))
            .collect()
    }

    /// Opens a file that may be damaged, and reports whether it is used. If it is, all records must be
    /// right; otherwise the file is set aside unchanged, or refused.
    fn is_used(&self, bytes: &[u8], what: &str) -> bool {
        let path = self.write(bytes);
        let store = match DiskStore::open(&path) {
            Ok(store) => store,
            Err(error) => {
                assert_eq!(*error.kind(), StoreErrorKind::NotAStore, "{error}: {what}");
                assert!(fs::read(&path).unwrap() == bytes, "{what}");
                return false;
            }
        };
        if let Some(aside) = aside(&store) {
            assert!(store.is_empty().unwrap(), "{what}");
            assert_eq!(fs::metadata(&aside).unwrap().len(), bytes.len() as u64);
            fs::remove_file(aside).unwrap();
            return false;
        }
        for sample in &self.samples {
            sample.check(&store);
        }
        true
    }
}

/// Returns the path of the damaged file that the store set aside when it was opened; `None` if it was not damaged.
fn aside(store: &DiskStore) -> Option<PathBuf> {
    match store.warning()? {
        StoreWarning::SetAside { path, .. } => Some(path.clone()),
        other => panic!("{other:?}"),
    }
}

/// Returns the offsets of a text in a file. redb leaves old copies of pages in it.
fn offsets(bytes: &[u8], text: &str) -> Vec<usize> {
    let windows = bytes.windows(text.len()).enumerate();
    let found: Vec<_> = windows
        .filter(|(_, window)| *window == text.as_bytes())
        .map(|(at, _)| at)
        .collect();
    assert!(!found.is_empty(), "{text}");
    found
}

#[test]
fn flipped_bytes() {
    let whole = Whole::new();
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    // The first 320 bytes of two pages. Our header, with 16 bytes, begins the first page; that of redb, with 320, begins the
    // second. In each page that is used: the type, the number of entries and the first offsets, and seven random bytes.
    let mut offsets: Vec<usize> = (0..320).chain(PAGE..PAGE + 320).collect();
    for page in whole.pages() {
        offsets.extend([page, page + 2, page + 3, page + 4, page + 8]);
        offsets.extend((0..7).map(|_| page + random.below(PAGE)));
    }
    let (mut used, mut refused) = (0, 0);
    for at in offsets {
        let flip = if random.below(4) == 0 {
            0xFF
        } else {
            1 << random.below(8)
        };
        let mut bytes = whole.bytes.clone();
        bytes[at] ^= flip;
        if whole.is_used(&bytes, &format!("byte {at} ^ {flip:#x}")) {
            used += 1;
        } else {
            refused += 1;
        }
    }
    // The bytes cover both outcomes.
    assert!(used > 50 && refused > 50, "{used} {refused}");
}

#[test]
fn empty_exchanged_and_random_pages() {
    let whole = Whole::new();
    let pages = whole.pages();
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    for page in &pages {
        let mut bytes = whole.bytes.clone();
        bytes[*page..page + PAGE].fill(0);
        whole.is_used(&bytes, &format!("page {page} is empty"));
        let other = pages[random.below(pages.len())];
        let mut bytes = whole.bytes.clone();
        bytes.copy_within(other..other + PAGE, *page);
        whole.is_used(&bytes, &format!("page {page} is page {other}"));
        // The first bytes stay: the type of the page and the number of its entries.
        let mut bytes = whole.bytes.clone();
        bytes[page + 8..page + PAGE].copy_from_slice(&random.bytes(PAGE - 8));
        whole.is_used(&bytes, &format!("page {page} is random"));
    }
}

#[test]
fn files_that_are_cut_or_too_long() {
    let whole = Whole::new();
    let end = whole.bytes.len();
    // Cuts in our header (16 bytes), in its page, in the header of redb (up to 4,416), and after one page of redb.
    for bytes in [1, 8, 15, 16, 63, 320, 4_095, 4_096, 4_097, 4_416, 8_192] {
        let cut = &whole.bytes[..bytes];
        assert!(!whole.is_used(cut, &format!("{bytes} bytes")), "{bytes}");
    }
    for less in [1, 2, 511, 512, 4_095, 4_096, 4_097, 8_192, end / 2] {
        whole.is_used(&whole.bytes[..end - less], &format!("{less} bytes less"));
    }
    for more in [1, 4_095, 4_096, 4_097, 100 * PAGE] {
        let mut bytes = whole.bytes.clone();
        bytes.resize(end + more, 0);
        whole.is_used(&bytes, &format!("{more} bytes more"));
    }
}

#[test]
fn other_files_are_left_alone() {
    let whole = Whole::new();
    let mut random = Random(0x0DDB_1A5E_5BAD_5EED);
    let sqlite = [b"SQLite format 3\0".as_slice(), &random.bytes(8_176)].concat();
    let text = b"User-agent: *\nDisallow: /\n".repeat(1_000);
    let zeros = vec![0; 50_000];
    for bytes in [sqlite, text, zeros, b"\n".to_vec(), vec![0xFF; 100_000]] {
        let path = whole.write(&bytes);
        assert_eq!(
            kind(DiskStore::open(&path)),
            Some(StoreErrorKind::NotAStore)
        );
        assert!(fs::read(&path).unwrap() == bytes);
    }
    let foreign = whole.directory.path().join("foreign");
    drop(redb::Database::create(&foreign).unwrap());
    assert_eq!(
        kind(DiskStore::open(&foreign)),
        Some(StoreErrorKind::NotAStore)
    );
}

#[test]
fn random_bytes_after_a_right_start() {
    let whole = Whole::new();
    let mut random = Random(0x0DDB_1A5E_5BAD_5EED);
    for round in 0..200 {
        let length = [random.below(40_000), whole.bytes.len()][round % 2];
        let mut bytes = random.bytes(length);
        // The first bytes stay right: up to the end of our header or of its page. Or, in the header of redb, up to the end of
        // its magic number (9 bytes), of its fields (64), or of one of its two slots for commits (128 each).
        let kept = [HEADER, 4_096, 4_105, 4_160, 4_288, 4_416][round % 6].min(length);
        bytes[..kept].copy_from_slice(&whole.bytes[..kept]);
        let what = format!("{length} bytes after {kept}");
        // A file that is cut within our header is not what this test is about.
        assert!(length < HEADER || !whole.is_used(&bytes, &what), "{what}");
    }
}

#[test]
fn damaged_files_are_numbered_and_the_store_works() {
    let whole = Whole::new();
    let mut bytes = whole.bytes.clone();
    // Both headers stay: the file is still a store, but a damaged one.
    bytes.truncate(PAGE * 2);
    for number in 1..4 {
        let path = whole.write(&bytes);
        let store = DiskStore::open(&path).unwrap();
        let Some(StoreWarning::SetAside { path: aside, cause }) = store.warning() else {
            panic!("{:?}", store.warning());
        };
        let name = whole.directory.path();
        assert_eq!(*aside, name.join(format!("origins.damaged-{number}")));
        assert_eq!(*cause.kind(), StoreErrorKind::Damaged { origin: None });
        assert!(fs::read(aside).unwrap() == bytes);
        whole.samples[0].put(&store).unwrap();
        drop(store);
        let again = DiskStore::open(&path).unwrap();
        assert!(again.warning().is_none());
        whole.samples[0].check(&again);
    }
}

#[test]
fn another_version_of_the_format_is_set_aside() {
    let whole = Whole::new();
    let mut bytes = whole.bytes.clone();
    let version = &mut bytes[HEADER - 1];
    assert_eq!(*version, 4);
    *version = 2;
    let path = whole.write(&bytes);
    let store = DiskStore::open(&path).unwrap();
    let Some(StoreWarning::SetAside { cause, .. }) = store.warning() else {
        panic!("{:?}", store.warning());
    };
    assert_eq!(*cause.kind(), StoreErrorKind::OtherVersion { found: 2 });
    assert!(fs::read(aside(&store).unwrap()).unwrap() == bytes);
    assert!(store.is_empty().unwrap());
}

#[test]
fn a_record_that_changes_under_an_open_store_is_an_error_and_can_be_replaced() {
    let whole = Whole::new();
    let path = whole.write(&whole.bytes);
    let store = DiskStore::open(&path).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    for at in offsets(&bytes, "\"etag 0 of d\"") {
        bytes[at + 1] ^= 1;
    }
    // This changes the file in place: the store has it open.
    fs::write(&path, &bytes).unwrap();
    let damaged = &whole.samples[0];
    let origin = Some(damaged.origin.to_string());
    assert_eq!(
        kind(store.get(&damaged.origin)),
        Some(StoreErrorKind::Damaged { origin })
    );
    for sample in &whole.samples[1..] {
        sample.check(&store);
    }
    damaged.put(&store).unwrap();
    damaged.check(&store);
}
