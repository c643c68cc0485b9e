//! Records in memory: the facts in few bytes, and the files compressed to about a fifth.

use crate::next_request::NextRequest;
use crate::store::{FileBytes, OriginRecord, SuccessUrl};
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use robots_policy::robots::OutcomeLog;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::LazyLock;

/// The first byte of a file that is not compressed.
const PLAIN: u8 = 0;

/// The first byte of a file that is compressed (RFC 1951). Its length in four bytes follows.
const DEFLATED: u8 = 1;

/// Lines that many files have, as the text before each file to the compressor. The last ones are nearest, and take the fewest bits.
const COMMON_LINES: &[u8] = include_bytes!("common_lines.txt");

thread_local! {
    // They are used again and again: each has more than 64 KiB, and between the files that stay, memory of this size would
    // not be found again.
    static DEFLATER: RefCell<Compress> = RefCell::new(Compress::new(Compression::default(), false));
    static INFLATER: RefCell<Decompress> = RefCell::new(Decompress::new(false));
}

/// A record with compressed files, in one piece of memory: an [`Outline`] in the postcard format, and then the files.
#[derive(Debug, Clone, Default)]
pub(super) struct PackedRecord(Box<[u8]>);

/// The record without its files.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Outline {
    pub(super) outcomes: OutcomeLog<PackedFile>,
    pub(super) tdmrep: Option<PackedFile>,
    pub(super) next: NextRequest,
    pub(super) success_url: SuccessUrl,
}

/// The place of a file: the number of bytes from its start to the end of the last file, and its length.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct PackedFile {
    from_end: u32,
    length: u32,
    digest: FileDigest,
}

/// The digest of a compressed file, by which compiled rules are found. It is computed once, when the file is learned: that of a long
/// file takes longer than a verdict by its rules.
///
/// It has two hashes with secrets of this process, so that no site can make a file with the digest of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileDigest([u8; 16]);

impl FileDigest {
    /// The digest of no file.
    pub(super) const EMPTY: Self = Self([0; 16]);

    fn of(packed: &[u8]) -> Self {
        static SECRETS: LazyLock<[RandomState; 2]> =
            LazyLock::new(|| [RandomState::new(), RandomState::new()]);
        let [high, low] = SECRETS.each_ref().map(|secret| secret.hash_one(packed));
        Self((u128::from(high) << 64 | u128::from(low)).to_ne_bytes())
    }

    /// Returns the digest as bytes.
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl PackedFile {
    /// Returns the digest of the file.
    pub(super) fn digest(&self) -> &FileDigest {
        &self.digest
    }
}

impl PackedRecord {
    pub(super) fn of(record: &OriginRecord) -> Self {
        let files = record.outcomes.bodies().chain(&record.tdmrep);
        let files: Vec<_> = files.map(|file| pack(file.as_slice())).collect();
        // A record has up to 27 files of up to 1 MiB.
        let number = |bytes| u32::try_from(bytes).unwrap_or(u32::MAX);
        let mut rest = files.iter().map(Vec::len).fold(0, usize::saturating_add);
        let mut packed = files.iter();
        let mut place = |_: &FileBytes| {
            let file = packed.next().map_or(&[][..], Vec::as_slice);
            let from_end = rest;
            rest = rest.saturating_sub(file.len());
            PackedFile {
                from_end: number(from_end),
                length: number(file.len()),
                digest: FileDigest::of(file),
            }
        };
        let outline = Outline {
            outcomes: record.outcomes.map_bodies(&mut place),
            tdmrep: record.tdmrep.as_ref().map(place),
            next: record.next.clone(),
            success_url: record.success_url.clone(),
        };
        let encoded = postcard::to_extend(&outline, Vec::new());
        assert!(encoded.is_ok(), "every record can be encoded: {encoded:?}");
        let mut all = encoded.unwrap_or_default();
        all.extend(files.into_iter().flatten());
        Self(all.into())
    }

    /// Returns the record without its files.
    pub(super) fn outline(&self) -> Outline {
        if self.0.is_empty() {
            // Nothing is known.
            return Outline::default();
        }
        let outline = postcard::take_from_bytes(&self.0);
        assert!(outline.is_ok(), "a packed record is damaged: {outline:?}");
        outline.map(|(outline, _)| outline).unwrap_or_default()
    }

    /// Returns the bytes of a compressed file. Equal files have equal bytes.
    pub(super) fn file(&self, file: PackedFile) -> &[u8] {
        let size = |bytes| usize::try_from(bytes).unwrap_or(usize::MAX);
        let start = self.0.len().saturating_sub(size(file.from_end));
        let end = start.saturating_add(size(file.length));
        let file = self.0.get(start..end);
        assert!(
            file.is_some(),
            "a packed record lacks a file: {start}..{end}"
        );
        file.unwrap_or_default()
    }

    /// Returns the record.
    pub(super) fn unpack(&self, outline: &Outline) -> OriginRecord {
        OriginRecord {
            outcomes: outline.outcomes.map_bodies(|file| unpack(self.file(*file))),
            tdmrep: outline.tdmrep.map(|file| unpack(self.file(file))),
            next: outline.next.clone(),
            success_url: outline.success_url.clone(),
        }
    }

    /// Returns its size in memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.0.len()
    }
}

/// Compresses a file, if that makes it shorter.
fn pack(file: &[u8]) -> Vec<u8> {
    deflated(file).unwrap_or_else(|| [&[PLAIN], file].concat())
}

/// Returns the file of these bytes.
///
/// # Panics
///
/// If the bytes are not those of [`pack`]: a part of a file would be a file with other rules.
pub(super) fn unpack(packed: &[u8]) -> FileBytes {
    match packed {
        [DEFLATED, _, _, _, _, deflated @ ..] => {
            let length = unpacked_len(packed);
            let mut file = Vec::with_capacity(length);
            let status = INFLATER.with_borrow_mut(|inflater| {
                inflater.reset(false);
                inflater.set_dictionary(COMMON_LINES)?;
                inflater.decompress_vec(deflated, &mut file, FlushDecompress::Finish)
            });
            let is_whole = matches!(status, Ok(Status::StreamEnd)) && file.len() == length;
            assert!(is_whole, "a packed file is damaged: {status:?}");
            FileBytes::of_stored(&file)
        }
        [_, file @ ..] => FileBytes::of_stored(file),
        [] => FileBytes::default(),
    }
}

/// Returns the length in bytes of the file of these bytes.
pub(super) fn unpacked_len(packed: &[u8]) -> usize {
    match packed {
        [DEFLATED, a, b, c, d, ..] => {
            usize::try_from(u32::from_le_bytes([*a, *b, *c, *d])).unwrap_or(usize::MAX)
        }
        [_, file @ ..] => file.len(),
        [] => 0,
    }
}

/// Returns a file as it is kept compressed; `None` if that is not shorter.
fn deflated(file: &[u8]) -> Option<Vec<u8>> {
    let length = u32::try_from(file.len()).ok()?;
    // The compressor writes up to this capacity.
    let mut packed = Vec::with_capacity(file.len());
    packed.push(DEFLATED);
    packed.extend_from_slice(&length.to_le_bytes());
    if packed.len() >= file.len() {
        return None;
    }
    let status = DEFLATER.with_borrow_mut(|deflater| {
        deflater.reset();
        deflater.set_dictionary(COMMON_LINES)?;
        deflater.compress_vec(file, &mut packed, FlushCompress::Finish)
    });
    matches!(status, Ok(Status::StreamEnd)).then_some(packed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::next_request::{Retry, Validators};
    use robots_meta::Timestamp;
    use robots_policy::RobotsFetch;
    use robots_policy::origins::OriginChange;
    use robots_policy::robots::RobotsResponse;
    use robots_policy::site::Tdmrep;
    use std::time::Duration;

    #[test]
    fn files_of_all_lengths_are_unpacked() {
        let text = b"User-agent: *\nDisallow: /x\n".repeat(100);
        // Bytes that cannot be compressed.
        let mut state = 7_u32;
        let noise: Vec<u8> = (0..2_700)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                state.to_be_bytes()[0]
            })
            .collect();
        for file in [&text, &noise, &COMMON_LINES.repeat(2)] {
            for length in (0..200).chain([1_000, 2_700]) {
                let file = &file[..length.min(file.len())];
                let packed = pack(file);
                assert_eq!(unpack(&packed).as_slice(), file, "{length}");
                assert_eq!(unpacked_len(&packed), file.len());
                assert_eq!(packed, pack(file));
                assert!(packed.len() <= length + 1);
            }
        }
        assert!(pack(&text).len() < 60);
        assert!(pack(b"User-agent: *\nDisallow: /wp-admin/\n").len() < 20);
    }

    #[test]
    fn a_damaged_file_is_not_taken_for_another_one() {
        let packed = pack(&b"User-agent: *\nDisallow: /x\n".repeat(100));
        let mut longer = packed.clone();
        longer[1] += 1;
        let mut other = packed.clone();
        other[6] ^= 0xFF;
        for damaged in [&packed[..packed.len() - 1], &packed[..6], &longer, &other] {
            let unpacked = std::panic::catch_unwind(|| unpack(damaged));
            assert!(unpacked.is_err(), "{unpacked:?}");
        }
        unpack(&packed);
    }

    #[test]
    fn records_are_unpacked() {
        let mut records = vec![OriginRecord::default()];
        let at = |seconds| Some(Timestamp::from_seconds(seconds));
        let long = b"Disallow: /a-folder\n".repeat(500);
        for first in [&b""[..], b"x", &long] {
            let mut record = OriginRecord::default();
            let other = RobotsResponse::new(203, b"User-agent: *\nDisallow: /");
            for (fetch, seconds) in [
                (RobotsFetch::Body(first), 1_763_000_000),
                (
                    RobotsFetch::Response(other.fresh_for(Duration::from_secs(7))),
                    i64::MAX,
                ),
                (RobotsFetch::Status(503), i64::MAX),
            ] {
                let at = at(seconds);
                record.apply(&OriginChange::Robots { fetch, at });
                records.push(record.clone());
            }
            record.apply(&OriginChange::Tdmrep(Tdmrep::parse(b"[]").unwrap()));
            record.next.validators = Validators::new(Some("\"5f3e\"".to_owned()), None);
            record.next.retry = Some(Retry::new(Timestamp::from_seconds(5), Duration::MAX));
            record.success_url = SuccessUrl::Redirected("https://b.example/x".into());
            records.push(record);
        }
        for record in records {
            let packed = PackedRecord::of(&record);
            assert_eq!(packed.unpack(&packed.outline()), record);
        }
        let nothing = PackedRecord::default();
        let record = nothing.unpack(&nothing.outline());
        assert_eq!(record, OriginRecord::default());
    }

    #[test]
    fn equal_files_of_different_records_have_equal_bytes() {
        let file = b"User-agent: *\nDisallow: /some/folder\n".repeat(3);
        let bytes_of = |etag: &str| {
            let mut record = OriginRecord::default();
            let fetch = RobotsFetch::Body(&file);
            record.apply(&OriginChange::Robots { fetch, at: None });
            record.next.validators = Validators::new(Some(etag.to_owned()), None);
            let packed = PackedRecord::of(&record);
            let body = *packed.outline().outcomes.bodies().next().unwrap();
            (packed.file(body).to_vec(), *body.digest())
        };
        assert_eq!(bytes_of("a"), bytes_of("another"));
        let other = FileDigest::of(&pack(b"User-agent: *\n"));
        assert_ne!(bytes_of("a").1, other);
        assert_ne!(other, FileDigest::EMPTY);
    }
}
