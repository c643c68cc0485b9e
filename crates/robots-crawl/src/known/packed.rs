//! Files in memory, compressed: a robots.txt takes about a quarter of its bytes.

use crate::store::FileBytes;
use flate2::Compression;
use flate2::read::{DeflateDecoder, DeflateEncoder};
use std::io::Read as _;
use std::sync::Arc;

/// The length in bytes up to which a file is not compressed.
const MAX_PLAIN: usize = 64;

/// The first byte of a file that is not compressed.
const PLAIN: u8 = 0;

/// The first byte of a file that is compressed (RFC 1951).
const DEFLATED: u8 = 1;

/// A file, compressed if that makes it shorter. Equal files have equal bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PackedFile(Arc<[u8]>);

impl PackedFile {
    pub(super) fn of(file: &FileBytes) -> Self {
        let file = file.as_slice();
        let mut packed = vec![DEFLATED];
        let mut deflater = DeflateEncoder::new(file, Compression::fast());
        let is_shorter = file.len() > MAX_PLAIN
            && deflater.read_to_end(&mut packed).is_ok()
            && packed.len() <= file.len();
        if !is_shorter {
            packed = [&[PLAIN], file].concat();
        }
        Self(packed.into())
    }

    /// Returns the file.
    pub(super) fn unpack(&self) -> FileBytes {
        match self.0.split_first() {
            Some((&DEFLATED, packed)) => {
                let mut file = Vec::with_capacity(packed.len().saturating_mul(4));
                // Not expected to fail, as these bytes were compressed here.
                DeflateDecoder::new(packed).read_to_end(&mut file).ok();
                FileBytes::of_stored(&file)
            }
            Some((_, file)) => FileBytes::of_stored(file),
            None => FileBytes::default(),
        }
    }

    /// Returns the bytes in memory.
    pub(super) fn as_slice(&self) -> &[u8] {
        &self.0
    }
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
