//! Damaged stores are set aside when the damage is read, and other files are left alone. Reads never return a wrong record.

use super::{Random, Sample, fast_directory, kind};
use robots_crawl::DiskStore;
use robots_crawl::store::{StoreErrorKind, StoreWarning};
use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

const PAGE: usize = 4_096;

/// The bytes of our header: the magic number, and the version of the format as the last byte.
const HEADER: usize = 16;

/// The offset of the first block of redb, after three headers. Each has a checksum after it.
const BLOCKS: usize = 3 * PAGE;

/// The length of the checksum of a block.
const CHECKSUM: usize = 8;

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

    /// Returns the offsets of the blocks of redb that are not empty.
    fn blocks(&self) -> Vec<usize> {
        let blocks = (BLOCKS..self.bytes.len()).step_by(PAGE + CHECKSUM);
        let is_used = |block: &usize| {
            self.bytes[*block..block + PAGE]
                .iter()
                .any(|byte| *byte != 0)
        };
        blocks.filter(is_used).collect()
    }

    /// Opens a file that may be damaged, and reads all records. Reports whether the file is still used. If it is, all records
    /// must be right. Otherwise it is set aside unchanged, and records are right, damaged or gone; or it is refused.
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
        if aside(&store).is_some() {
            assert!(store.is_empty().unwrap(), "{what}");
        }
        for sample in &self.samples {
            match store.get(&sample.origin) {
                Ok(Some(record)) => assert!(record == sample.record, "{what}"),
                Ok(None) => assert!(aside(&store).is_some(), "{what}"),
                Err(error) => {
                    let origin = Some(sample.origin.to_string());
                    let damaged = StoreErrorKind::Damaged { origin };
                    assert_eq!(*error.kind(), damaged, "{error}: {what}");
                    assert!(aside(&store).is_some(), "{what}");
                }
            }
        }
        let Some(aside) = aside(&store) else {
            return true;
        };
        assert_eq!(fs::metadata(&aside).unwrap().len(), bytes.len() as u64);
        fs::remove_file(aside).unwrap();
        // The new store works, and so it does after a restart.
        self.samples[0].put(&store).unwrap();
        drop(store);
        let store = DiskStore::open(&path).unwrap();
        assert!(store.warning().is_none(), "{what}");
        self.samples[0].check(&store);
        false
    }
}

/// Returns the path of the damaged file that the store set aside; `None` if it found no damage.
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
    // The first bytes of three pages: our header, with 16 bytes, and the two copies of redb's, with 336. In each block: the type,
    // the number of entries and the first offsets, five random bytes, and a byte of its checksum.
    let headers = (0..3).flat_map(|page| (0..340).map(move |byte| page * PAGE + byte));
    let mut offsets: Vec<usize> = headers.collect();
    for block in whole.blocks() {
        offsets.extend([0, 2, 3, 4, 8, PAGE + 3].map(|byte| block + byte));
        offsets.extend((0..5).map(|_| block + random.below(PAGE)));
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
fn empty_exchanged_and_random_blocks() {
    let whole = Whole::new();
    let blocks = whole.blocks();
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let mut refused = 0;
    for block in &blocks {
        let end = block + PAGE + CHECKSUM;
        let mut empty = whole.bytes.clone();
        empty[*block..end].fill(0);
        let other = blocks[random.below(blocks.len())];
        let mut exchanged = whole.bytes.clone();
        exchanged.copy_within(other..other + PAGE + CHECKSUM, *block);
        // The first bytes stay: the type of the page and the number of its entries.
        let mut other_bytes = whole.bytes.clone();
        other_bytes[block + 8..end].copy_from_slice(&random.bytes(PAGE + CHECKSUM - 8));
        for (bytes, what) in [
            (empty, "is empty"),
            (exchanged, "is another one"),
            (other_bytes, "is random"),
        ] {
            let is_used = whole.is_used(&bytes, &format!("the block at {block} {what}"));
            refused += usize::from(!is_used);
        }
    }
    assert!(refused > 20, "{refused}");
}

/// Blocks of an earlier commit, whole with their checksums, as a disk leaves them that loses writes: no panic, and no record that was
/// never stored.
#[test]
fn blocks_of_an_earlier_commit() {
    let whole = Whole::new();
    let path = whole.write(&whole.bytes);
    let store = DiskStore::open(&path).unwrap().with_commit_every(7);
    let later: Vec<_> = (80..160).map(|number| Sample::new("d", number)).collect();
    for (sample, later) in whole.samples.iter().zip(&later) {
        let (origin, record) = (sample.origin.clone(), later.record.clone());
        Sample { origin, record }.put(&store).unwrap();
    }
    drop(store);
    let bytes = fs::read(&path).unwrap();
    let end = whole.bytes.len().min(bytes.len());
    for block in (BLOCKS..end).step_by(PAGE + CHECKSUM) {
        let range = block..(block + PAGE + CHECKSUM).min(end);
        if whole.bytes[range.clone()] == bytes[range.clone()] {
            continue;
        }
        let mut lost = bytes.clone();
        lost[range.clone()].copy_from_slice(&whole.bytes[range]);
        let path = whole.write(&lost);
        let store = DiskStore::open(&path).unwrap();
        for (sample, later) in whole.samples.iter().zip(&later) {
            if let Ok(Some(record)) = store.get(&sample.origin) {
                assert!(record == sample.record || record == later.record);
            }
        }
        if let Some(aside) = aside(&store) {
            fs::remove_file(aside).unwrap();
        }
    }
}

#[test]
fn files_that_are_cut_or_too_long() {
    let whole = Whole::new();
    let end = whole.bytes.len();
    // Cuts in our header (16 bytes), in its page, in the copies of redb's header, and in its first blocks.
    for bytes in [
        1, 8, 15, 16, 63, 320, 4_095, 4_096, 4_097, 4_432, 8_192, 8_528, 12_288, 12_289, 16_392,
        20_496,
    ] {
        let cut = &whole.bytes[..bytes];
        assert!(!whole.is_used(cut, &format!("{bytes} bytes")), "{bytes}");
    }
    for less in [1, 2, 511, 512, 4_095, 4_104, 4_105, 8_208, end / 2] {
        whole.is_used(&whole.bytes[..end - less], &format!("{less} bytes less"));
    }
    for more in [1, 4_095, 4_104, 4_105, 100 * PAGE] {
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
        // The first bytes stay right: up to the end of our header or of its page, or in and after the copies of redb's header.
        let kept = [HEADER, 4_096, 4_112, 4_432, 8_528, 12_288][round % 6].min(length);
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
    // The headers stay: the file is still a store, but a damaged one.
    bytes.truncate(PAGE * 4);
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
    assert_eq!(*version, 5);
    *version = 4;
    let path = whole.write(&bytes);
    let store = DiskStore::open(&path).unwrap();
    let Some(StoreWarning::SetAside { cause, .. }) = store.warning() else {
        panic!("{:?}", store.warning());
    };
    assert_eq!(*cause.kind(), StoreErrorKind::OtherVersion { found: 4 });
    assert!(fs::read(aside(&store).unwrap()).unwrap() == bytes);
    assert!(store.is_empty().unwrap());
}

#[test]
fn a_file_that_is_damaged_under_an_open_store_is_set_aside_and_the_store_continues() {
    let whole = Whole::new();
    let path = whole.write(&whole.bytes);
    let store = DiskStore::open(&path).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    for at in offsets(&bytes, "\"etag 0 of d\"") {
        bytes[at + 1] ^= 1;
    }
    // This changes the file in place: the store has it open.
    fs::write(&path, &bytes).unwrap();
    assert!(store.warning().is_none());
    let damaged = &whole.samples[0];
    let origin = Some(damaged.origin.to_string());
    assert_eq!(
        kind(store.get(&damaged.origin)),
        Some(StoreErrorKind::Damaged { origin })
    );
    let aside = aside(&store).unwrap();
    assert_eq!(fs::metadata(&aside).unwrap().len(), bytes.len() as u64);
    // It is empty now, and takes records.
    assert!(store.is_empty().unwrap());
    for sample in &whole.samples {
        assert_eq!(store.get(&sample.origin).unwrap(), None);
        sample.put(&store).unwrap();
    }
    drop(store);
    let store = DiskStore::open(&path).unwrap();
    for sample in &whole.samples {
        sample.check(&store);
    }
}

#[test]
fn a_file_that_is_damaged_before_a_commit_is_set_aside_and_the_commit_is_not_lost() {
    let whole = Whole::new();
    let mut bytes = whole.bytes.clone();
    for block in whole.blocks() {
        let page = &bytes[block..block + PAGE];
        if page.windows(4).any(|text| text == b"etag") {
            bytes[block + 2] ^= 1;
        }
    }
    let store = DiskStore::open(whole.write(&bytes)).unwrap();
    assert!(store.warning().is_none());
    whole.samples[0].put(&store).unwrap();
    assert!(aside(&store).is_some());
    whole.samples[0].check(&store);
    assert_eq!(store.len().unwrap(), 1);
}

/// A reader finds damage while another thread commits: the commits continue, in a new file from then on.
#[test]
fn a_reader_that_finds_damage_does_not_stop_a_writer() {
    let whole = Whole::new();
    let mut bytes = whole.bytes.clone();
    for at in offsets(&bytes, "\"etag 0 of d\"") {
        bytes[at + 1] ^= 1;
    }
    let later: Vec<_> = (0..60).map(|number| Sample::new("e", number)).collect();
    for round in 0..10 {
        let store = DiskStore::open(whole.write(&bytes)).unwrap();
        thread::scope(|scope| {
            scope.spawn(|| {
                for sample in &later {
                    sample.put(&store).unwrap();
                }
            });
            thread::sleep(Duration::from_micros(300 * round));
            let read = store.get(&whole.samples[0].origin);
            assert!(!matches!(read, Ok(Some(_))));
        });
        whole.samples[1].put(&store).unwrap();
        whole.samples[1].check(&store);
        fs::remove_file(aside(&store).unwrap()).unwrap();
    }
}
