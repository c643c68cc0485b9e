//! Files that are no stores, and stores that were damaged: an error or the right answer, and never
//! a panic.

use super::{Random, Sample, corrupt, fast_directory, kind};
use robots_policy::{BodyKey, DiskStore, Integrity, StoreErrorKind};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const PAGE: usize = 4_096;

/// A store that was closed, as bytes, and what is in it.
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
        store.tidy().unwrap();
        drop(store);
        Self {
            bytes: fs::read(&path).unwrap(),
            directory,
            samples,
        }
    }

    fn write(&self, bytes: &[u8]) -> PathBuf {
        let path = self.directory.path().join("damaged");
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Where pages begin that are not empty.
    fn pages(&self) -> Vec<usize> {
        let pages = (0..self.bytes.len()).step_by(PAGE);
        pages
            .filter(|page| self.bytes[*page..page + PAGE].iter().any(|byte| *byte != 0))
            .collect()
    }

    /// Opens a damaged store; whether it can be read. What is read is right.
    fn is_read(&self, path: &Path, what: &str) -> bool {
        let store = match DiskStore::open(path) {
            Ok(store) => store,
            Err(error) => {
                let is_damage = matches!(
                    error.kind(),
                    StoreErrorKind::Corrupt { .. }
                        | StoreErrorKind::NotAStore
                        | StoreErrorKind::OtherVersion { .. }
                );
                assert!(is_damage, "{error}: {what}");
                return false;
            }
        };
        for sample in &self.samples {
            match store.get(&sample.origin) {
                Ok(kept) => assert_eq!(kept.as_ref(), Some(&sample.site), "{what}"),
                Err(error) => assert!(is_corrupt(error.kind()), "{error}: {what}"),
            }
            if let Some(body) = &sample.body {
                match store.body(&BodyKey::of(body)) {
                    Ok(kept) => assert_eq!(kept.as_ref(), Some(body), "{what}"),
                    Err(error) => assert!(is_corrupt(error.kind()), "{error}: {what}"),
                }
            }
        }
        true
    }
}

fn is_corrupt(kind: &StoreErrorKind) -> bool {
    matches!(kind, StoreErrorKind::Corrupt { .. })
}

/// Where a text is in a file: redb leaves old copies of pages behind.
fn places(bytes: &[u8], text: &str) -> Vec<usize> {
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
    // The header, byte by byte, and many places of each page that is used.
    let mut places: Vec<usize> = (0..320).collect();
    for page in whole.pages() {
        places.extend([page, page + 2, page + 3, page + 4, page + 8]);
        places.extend((0..7).map(|_| page + random.below(PAGE)));
    }
    let (mut read, mut refused) = (0, 0);
    for at in places {
        let flip = if random.below(4) == 0 {
            0xFF
        } else {
            1 << random.below(8)
        };
        let mut bytes = whole.bytes.clone();
        bytes[at] ^= flip;
        let path = whole.write(&bytes);
        if whole.is_read(&path, &format!("byte {at} ^ {flip:#x}")) {
            read += 1;
        } else {
            refused += 1;
        }
    }
    assert!(read > 50 && refused > 50, "{read} {refused}");
}

#[test]
fn pages_that_are_empty_or_others() {
    let whole = Whole::new();
    let pages = whole.pages();
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    for page in &pages {
        let mut bytes = whole.bytes.clone();
        bytes[*page..page + PAGE].fill(0);
        whole.is_read(&whole.write(&bytes), &format!("page {page} is empty"));
        let other = pages[random.below(pages.len())];
        let mut bytes = whole.bytes.clone();
        bytes.copy_within(other..other + PAGE, *page);
        let what = format!("page {page} is page {other}");
        whole.is_read(&whole.write(&bytes), &what);
        let mut bytes = whole.bytes.clone();
        bytes[page + 8..page + PAGE].copy_from_slice(&random.bytes(PAGE - 8));
        whole.is_read(&whole.write(&bytes), &format!("page {page} is random"));
    }
}

#[test]
fn files_that_are_cut_or_go_on() {
    let whole = Whole::new();
    let end = whole.bytes.len();
    // A file without a byte is a new one.
    for bytes in [1, 8, 9, 10, 63, 64, 319, 320, 321, 4_095, 4_096, 4_097] {
        let path = whole.write(&whole.bytes[..bytes]);
        assert!(!whole.is_read(&path, &format!("{bytes} bytes")), "{bytes}");
    }
    for less in [1, 2, 511, 512, 4_095, 4_096, 4_097, 8_192, end / 2] {
        let path = whole.write(&whole.bytes[..end - less]);
        assert!(
            !whole.is_read(&path, &format!("{less} bytes less")),
            "{less}"
        );
    }
    for more in [1, 4_095, 4_097] {
        let mut bytes = whole.bytes.clone();
        bytes.resize(end + more, 0);
        let path = whole.write(&bytes);
        assert!(
            !whole.is_read(&path, &format!("{more} bytes more")),
            "{more}"
        );
    }
    // Whole pages more are what a process leaves behind that died when the file had grown.
    for pages in [1, 2, 100] {
        let mut bytes = whole.bytes.clone();
        bytes.resize(end + pages * PAGE, 0);
        let path = whole.write(&bytes);
        assert!(
            whole.is_read(&path, &format!("{pages} pages more")),
            "{pages}"
        );
    }
}

#[test]
fn files_that_are_no_stores() {
    let whole = Whole::new();
    let mut random = Random(0x0DDB_1A5E_5BAD_5EED);
    let sqlite = [b"SQLite format 3\0".as_slice(), &random.bytes(8_176)].concat();
    let text = b"User-agent: *\nDisallow: /\n".repeat(1_000);
    for bytes in [sqlite, text, b"\n".to_vec(), vec![0xFF; 100_000]] {
        let path = whole.write(&bytes);
        let error = DiskStore::open(&path).unwrap_err();
        assert_eq!(*error.kind(), StoreErrorKind::NotAStore);
        assert!(fs::read(&path).unwrap() == bytes);
    }
    for round in 0..200 {
        let count = random.below(40_000);
        let mut bytes = random.bytes(count);
        // From no magic number to a header that is whole.
        let kept = [0, 9, 64, 192, 320][round % 5].min(count);
        bytes[..kept].copy_from_slice(&whole.bytes[..kept]);
        if bytes.is_empty() {
            continue;
        }
        let path = whole.write(&bytes);
        assert!(!whole.is_read(&path, &format!("{count} random bytes")));
        // And as long as a store is.
        let mut bytes = random.bytes(whole.bytes.len());
        bytes[..kept].copy_from_slice(&whole.bytes[..kept]);
        let path = whole.write(&bytes);
        assert!(!whole.is_read(&path, "random bytes"));
    }
}

#[test]
fn a_record_or_a_body_that_changed_is_told_without_checksums_of_pages() {
    let whole = Whole::new();
    let damaged = &whole.samples[0];
    let mut bytes = whole.bytes.clone();
    for text in ["\"etag 0 of d\"", "# body 4 of d\n"] {
        for at in places(&whole.bytes, text) {
            bytes[at + 1] ^= 1;
        }
    }
    let path = whole.write(&bytes);
    assert_eq!(kind(DiskStore::open(&path)), Some(corrupt()));
    let path = whole.write(&bytes);
    let store = DiskStore::open_unverified(&path).unwrap();
    let error = store.get(&damaged.origin).unwrap_err();
    let origin = Some(damaged.origin.to_string());
    assert_eq!(*error.kind(), StoreErrorKind::Corrupt { origin });
    assert!(error.to_string().contains("https://d-0.example"));
    let body = whole.samples[4].body.as_ref().unwrap();
    assert_eq!(kind(store.body(&BodyKey::of(body))), Some(corrupt()));
    for sample in &whole.samples[1..] {
        assert_eq!(
            store.get(&sample.origin).unwrap().as_ref(),
            Some(&sample.site)
        );
    }
}

#[test]
fn verifying_finds_damage_under_an_open_store() {
    let whole = Whole::new();
    let path = whole.write(&whole.bytes);
    let mut store = DiskStore::open(&path).unwrap();
    assert_eq!(store.verify().unwrap(), Integrity::Whole);
    // Both slots of the header name the page: nothing can be taken back.
    let mut bytes = fs::read(&path).unwrap();
    for at in places(&bytes, "\"etag 0 of d\"") {
        bytes[at + 1] ^= 1;
    }
    // In place: the store has this file open.
    fs::write(&path, &bytes).unwrap();
    assert!(store.verify().is_err_and(|error| is_corrupt(error.kind())));
    // It is closed, and says so.
    let sample = &whole.samples[1];
    assert_eq!(kind(sample.put(&store)), Some(StoreErrorKind::Closed));
    assert_eq!(
        kind(store.get(&sample.origin)),
        Some(StoreErrorKind::Closed)
    );
    assert_eq!(kind(store.verify()), Some(StoreErrorKind::Closed));
}
