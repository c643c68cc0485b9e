//! Damaged stores are set aside when the damage is read, and other files are left alone. Reads never return a wrong record.

use super::{Sample, fast_directory, kind};
use fastrand::Rng;
use robots_crawl::DiskStore;
use robots_crawl::store::{StoreError, StoreErrorKind};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// The length of a page.
const PAGE: usize = 4_096;

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
        let store = DiskStore::open(&path).unwrap();
        for sample in &samples {
            sample.put(&store).unwrap();
        }
        drop(store);
        Self {
            bytes: fs::read(&path).unwrap(),
            directory,
            samples,
        }
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("origins")
    }

    /// Opens a file that may be damaged, and reads all records: they are right, damaged or gone. Returns whether damage was found.
    /// A damaged file is refused or set aside, and the new store works, and so it does after a restart. A damaged record can be put
    /// again.
    fn is_damage_found(&self, bytes: &[u8], what: &str) -> bool {
        let path = self.path();
        fs::write(&path, bytes).unwrap();
        let store = match DiskStore::open(&path) {
            Ok(store) => store,
            Err(error) => {
                assert_eq!(*error.kind(), StoreErrorKind::NotAStore, "{error}: {what}");
                assert!(fs::read(&path).unwrap() == bytes, "{what}");
                return true;
            }
        };
        let mut is_damaged = false;
        for sample in &self.samples {
            match store.get(&sample.origin) {
                Ok(Some(record)) => assert!(record == sample.record, "{what}"),
                Ok(None) => {}
                Err(error) => {
                    let origin = Some(sample.origin.to_string());
                    let damaged = StoreErrorKind::Damaged { origin };
                    assert_eq!(*error.kind(), damaged, "{error}: {what}");
                    is_damaged = true;
                }
            }
        }
        // Writing may find damage that reading has not found.
        let written = self.samples.iter().try_for_each(|sample| {
            sample.put(&store)?;
            let kept = store.get(&sample.origin)?;
            assert!(kept.is_none_or(|kept| kept == sample.record), "{what}");
            Ok::<(), StoreError>(())
        });
        if let Some(warning) = store.warning() {
            written.unwrap();
            assert!(warning.path().exists(), "{what}");
            is_damaged = true;
            drop(store);
            let store = DiskStore::open(&path).unwrap();
            assert!(store.warning().is_none(), "{what}");
            for sample in &self.samples {
                let kept = store.get(&sample.origin).unwrap();
                assert!(kept.is_none_or(|kept| kept == sample.record), "{what}");
            }
            self.samples[79].check(&store);
        }
        for file in fs::read_dir(self.directory.path()).unwrap() {
            let file = file.unwrap().path();
            if file.file_name().unwrap() != "whole" {
                fs::remove_file(file).unwrap();
            }
        }
        is_damaged
    }
}

#[test]
fn flipped_bytes() {
    let whole = Whole::new();
    let mut random = Rng::with_seed(0x9E37_79B9_7F4A_7C15);
    // The header of the file, and the first bytes of pages, which describe them, with some others.
    let mut offsets: Vec<usize> = (0..108).collect();
    for page in (0..whole.bytes.len()).step_by(PAGE) {
        offsets.extend([0, 1, 3, 5, 8, 9].map(|byte| page + byte));
        offsets.extend((0..4).map(|_| page + random.usize(..PAGE)));
    }
    let found = offsets.iter().filter(|at| {
        let flip = if random.usize(..4) == 0 {
            0xFF
        } else {
            1 << random.usize(..8)
        };
        let mut bytes = whole.bytes.clone();
        bytes[**at] ^= flip;
        whole.is_damage_found(&bytes, &format!("byte {at} ^ {flip:#x}"))
    });
    let found = found.count();
    // The bytes cover both outcomes.
    assert!(found > 50 && offsets.len() - found > 50, "{found}");
}

#[test]
fn empty_and_exchanged_pages() {
    let whole = Whole::new();
    let pages = whole.bytes.len() / PAGE;
    let mut random = Rng::with_seed(0x2545_F491_4F6C_DD1D);
    let mut found = 0;
    for page in (0..pages).map(|number| number * PAGE) {
        let mut empty = whole.bytes.clone();
        empty[page..page + PAGE].fill(0);
        let other = random.usize(..pages) * PAGE;
        let mut exchanged = whole.bytes.clone();
        exchanged.copy_within(other..other + PAGE, page);
        for (bytes, what) in [(empty, "empty"), (exchanged, "another one")] {
            let what = format!("the page at {page} is {what}");
            found += usize::from(whole.is_damage_found(&bytes, &what));
        }
    }
    assert!(found > pages, "{found}");
}

#[test]
fn cut_files_are_set_aside_when_they_are_opened() {
    let whole = Whole::new();
    let mut random = Rng::with_seed(0xB5AD_4ECE_DA1C_E2A9);
    for length in [100, 512, PAGE, PAGE + 1, whole.bytes.len() - 1]
        .into_iter()
        .chain((0..20).map(|_| PAGE + random.usize(..whole.bytes.len() - PAGE)))
    {
        let bytes = &whole.bytes[..length];
        assert!(whole.is_damage_found(bytes, &format!("{length} bytes")));
    }
}

/// A process that was killed leaves its log. If the log is cut, the last changes are lost, and nothing else.
#[test]
fn a_cut_log_loses_the_last_changes() {
    let whole = Whole::new();
    let path = whole.path();
    let store = DiskStore::open(&path).unwrap();
    for sample in &whole.samples {
        sample.put(&store).unwrap();
    }
    // The files as a kill would leave them.
    let log_of = |path: &PathBuf| path.with_file_name("copy-wal");
    let copy = whole.directory.path().join("copy");
    let bytes = fs::read(&path).unwrap();
    let log = fs::read(path.with_file_name("origins-wal")).unwrap();
    assert!(log.len() > 50 * PAGE);
    let mut counts = Vec::new();
    for part in 0..=40 {
        fs::write(&copy, &bytes).unwrap();
        fs::write(log_of(&copy), &log[..log.len() * part / 40]).unwrap();
        let Ok(store) = DiskStore::open(&copy) else {
            panic!("a log cut to {part} parts of 40");
        };
        let kept = whole.samples.iter().map_while(|sample| {
            let kept = store.get(&sample.origin).unwrap()?;
            assert!(kept == sample.record);
            Some(())
        });
        let kept = kept.count();
        assert_eq!(store.origins().unwrap(), kept as u64);
        counts.push(kept);
        assert!(store.warning().is_none());
        drop(store);
        fs::remove_file(&copy).unwrap();
        fs::remove_file(log_of(&copy)).ok();
    }
    assert!(counts.is_sorted(), "{counts:?}");
    assert_eq!(counts.last(), Some(&whole.samples.len()));
    assert!(counts[10] < whole.samples.len());
}

#[test]
fn files_of_others_are_left_alone() {
    let directory = fast_directory();
    let path = directory.path().join("sites");
    let database = rusqlite::Connection::open(&path).unwrap();
    database.execute_batch("CREATE TABLE x (y)").unwrap();
    drop(database);
    let of_another_program = fs::read(&path).unwrap();
    for bytes in [
        b"User-agent: *\n".to_vec(),
        vec![0; 3 * PAGE],
        of_another_program,
    ] {
        fs::write(&path, &bytes).unwrap();
        for result in [DiskStore::open(&path), DiskStore::open_existing(&path)] {
            assert_eq!(kind(result), Some(StoreErrorKind::NotAStore));
        }
        assert!(fs::read(&path).unwrap() == bytes);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}

#[test]
fn a_store_of_another_version_is_set_aside() {
    let whole = Whole::new();
    let path = whole.path();
    let mut bytes = whole.bytes.clone();
    // The last byte of the version (`user_version`).
    bytes[63] += 1;
    fs::write(&path, &bytes).unwrap();
    let found = i32::from(bytes[63]);
    let error = DiskStore::open_existing(&path).unwrap_err();
    assert_eq!(*error.kind(), StoreErrorKind::OtherVersion { found });
    let store = DiskStore::open(&path).unwrap();
    let warning = store.warning().unwrap();
    assert!(warning.to_string().contains("version"), "{warning}");
    assert!(fs::read(warning.path()).unwrap() == bytes);
    assert_eq!(store.origins().unwrap(), 0);
}

#[test]
fn a_file_that_is_only_read_stays_where_it_is() {
    let whole = Whole::new();
    let path = whole.path();
    for length in [whole.bytes.len() / 2, 0] {
        let mut bytes = whole.bytes[..length].to_vec();
        if length == 0 {
            // All pages but the first are empty.
            bytes = whole.bytes.clone();
            bytes[PAGE..].fill(0);
        }
        fs::write(&path, &bytes).unwrap();
        let read = DiskStore::open_existing(&path).and_then(|store| {
            let read = store.get(&whole.samples[7].origin);
            // A second read fails, too.
            assert!(store.get(&whole.samples[7].origin).is_err());
            read
        });
        let damaged = StoreErrorKind::Damaged { origin: None };
        assert_eq!(kind(read), Some(damaged));
        assert!(fs::read(&path).unwrap() == bytes);
    }
}

/// Of two stores that share a damaged file, the first one to find the damage replaces it. The other one uses the new file.
#[test]
fn a_damaged_file_is_replaced_once() {
    let whole = Whole::new();
    let path = whole.path();
    let mut bytes = whole.bytes.clone();
    bytes[PAGE..].fill(0);
    fs::write(&path, bytes).unwrap();
    let stores = [(); 2].map(|()| DiskStore::open(&path).unwrap());
    for (store, sample) in stores.iter().zip(&whole.samples) {
        assert_eq!(store.get(&sample.origin).unwrap(), None);
        sample.put(store).unwrap();
    }
    let [one, other] = &stores;
    assert!(one.warning().is_some() && other.warning().is_none());
    for (sample, store) in whole.samples.iter().zip([other, one]) {
        sample.check(store);
    }
}
