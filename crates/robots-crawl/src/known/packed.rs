//! Files in memory, compressed: a robots.txt takes about a quarter of its bytes.

use crate::store::FileBytes;
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use std::cell::RefCell;
use std::sync::Arc;

/// The length in bytes up to which a file is not compressed.
const MAX_PLAIN: usize = 64;

/// The first byte of a file that is not compressed.
const PLAIN: u8 = 0;

/// The first byte of a file that is compressed (RFC 1951). Its length in four bytes follows.
const DEFLATED: u8 = 1;

thread_local! {
    // They are used again and again: each has more than 64 KiB, and between the files that stay, memory of this size would
    // not be found again.
    static DEFLATER: RefCell<Compress> = RefCell::new(Compress::new(Compression::fast(), false));
    static INFLATER: RefCell<Decompress> = RefCell::new(Decompress::new(false));
}

/// A file, compressed if that makes it shorter. Equal files have equal bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PackedFile(Arc<[u8]>);

impl PackedFile {
    pub(super) fn of(file: &FileBytes) -> Self {
        let file = file.as_slice();
        let packed = deflated(file).unwrap_or_else(|| [&[PLAIN], file].concat());
        Self(packed.into())
    }

    /// Returns the file.
    pub(super) fn unpack(&self) -> FileBytes {
        match &*self.0 {
            [DEFLATED, a, b, c, d, packed @ ..] => {
                let length = u32::from_le_bytes([*a, *b, *c, *d]);
                let mut file = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
                INFLATER.with_borrow_mut(|inflater| {
                    inflater.reset(false);
                    // Not expected to fail, as these bytes were compressed here.
                    inflater
                        .decompress_vec(packed, &mut file, FlushDecompress::Finish)
                        .ok();
                });
                FileBytes::of_stored(&file)
            }
            [_, file @ ..] => FileBytes::of_stored(file),
            [] => FileBytes::default(),
        }
    }

    /// Returns the bytes in memory.
    pub(super) fn as_slice(&self) -> &[u8] {
        &self.0
    }
}

/// Returns a file as it is kept compressed; `None` if that is not shorter.
fn deflated(file: &[u8]) -> Option<Vec<u8>> {
    if file.len() <= MAX_PLAIN {
        return None;
    }
    let length = u32::try_from(file.len()).ok()?;
    // The compressor writes up to this capacity.
    let mut packed = Vec::with_capacity(file.len());
    packed.push(DEFLATED);
    packed.extend_from_slice(&length.to_le_bytes());
    let status = DEFLATER.with_borrow_mut(|deflater| {
        deflater.reset();
        deflater.compress_vec(file, &mut packed, FlushCompress::Finish)
    });
    matches!(status, Ok(Status::StreamEnd)).then_some(packed)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        for file in [&text, &noise] {
            for length in (0..200).chain([1_000, 2_700]) {
                let file = FileBytes::of_stored(&file[..length]);
                let packed = PackedFile::of(&file);
                assert_eq!(packed.unpack(), file, "{length}");
                assert_eq!(packed, PackedFile::of(&file));
                assert!(packed.as_slice().len() <= length + 1);
            }
        }
        assert!(
            PackedFile::of(&FileBytes::of_stored(&text))
                .as_slice()
                .len()
                < 100
        );
    }
}
