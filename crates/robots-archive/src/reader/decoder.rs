//! The decoder of an archive by its compression, and the search for a gzip member or Zstandard frame in which a record
//! begins.

use super::frames::{FRAME, Frames};
use super::window::Window;
use crate::http::GZIP;
use flate2::bufread::GzDecoder;
use std::io::{self, BufRead, Read};

/// The number of compressed bytes of a gzip member that are inflated to see whether a record begins in it: 8 KiB.
const GZIP_PROBE: usize = 8 * 1024;

/// The number of compressed bytes of a Zstandard frame that are decompressed to see whether a record begins in it: one
/// block, at most 128 KiB, and 1 KiB for the headers.
const FRAME_PROBE: usize = (128 + 1) * 1024;

/// The number of unpacked bytes of a member or frame that show whether a record begins in it: 1 KiB.
const START_BYTES: usize = 1024;

/// The compression of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Compression {
    Plain,
    Gzip,
    Zstd,
}

/// The decoder of an archive.
#[derive(Debug)]
pub(super) enum Decoder {
    /// A plain file is not decoded.
    None,
    Gzip,
    Zstd(Box<Frames>),
}

impl Decoder {
    /// Returns the decoder for the first bytes of an input. Consumes a Zstandard dictionary.
    pub(super) fn detect<R: Read>(window: &mut Window<R>) -> io::Result<Self> {
        let start = window.ahead(FRAME.len())?;
        Ok(if start.starts_with(&GZIP) {
            Self::Gzip
        } else if Frames::begin_with(start) {
            Self::Zstd(Box::new(Frames::open(window)?))
        } else {
            Self::None
        })
    }

    /// Returns the compression.
    pub(super) fn compression(&self) -> Compression {
        match self {
            Self::None => Compression::Plain,
            Self::Gzip => Compression::Gzip,
            Self::Zstd(_) => Compression::Zstd,
        }
    }

    /// Returns the number of bytes that the decoder failed to unpack in its last step: those of the checksum, if this is wrong. A
    /// gzip decoder has consumed them.
    pub(super) fn failed_step(&self) -> usize {
        match self {
            Self::Zstd(frames) => frames.step,
            Self::Gzip | Self::None => 0,
        }
    }

    /// Returns the start of a member, and the number of compressed bytes that show whether a record begins in one.
    fn magic_and_probe(&self) -> (&'static [u8], usize) {
        match self {
            Self::Zstd(_) => (&FRAME, FRAME_PROBE),
            // A plain input is searched only if it may be damaged gzip.
            Self::Gzip | Self::None => (&GZIP, GZIP_PROBE),
        }
    }

    /// Returns whether a member begins after the next `skipped` bytes, and a record in it, as `is_record` decides. Skips these
    /// bytes if so.
    pub(super) fn skip_to_record<R: Read>(
        &mut self,
        window: &mut Window<R>,
        skipped: usize,
        is_record: impl Fn(&[u8]) -> bool,
    ) -> io::Result<bool> {
        let (magic, probe) = self.magic_and_probe();
        let ahead = window.ahead(skipped + probe)?;
        let member = ahead.get(skipped..).unwrap_or_default();
        let begins = member.starts_with(magic) && is_record(&self.unpacked_start(member));
        if begins {
            window.consume(skipped);
        }
        Ok(begins)
    }

    /// Advances to the first member before the offset `until` in which a record begins, as `is_record` decides. Returns
    /// `false` if there is none, at the offset or after it, or at the end of the input.
    pub(super) fn find_record<R: Read>(
        &mut self,
        window: &mut Window<R>,
        until: u64,
        is_record: impl Fn(&[u8]) -> bool,
    ) -> io::Result<bool> {
        let (magic, probe) = self.magic_and_probe();
        loop {
            if window.offset() >= until {
                return Ok(false);
            }
            let ahead = window.ahead(probe)?;
            match memchr::memmem::find(ahead, magic) {
                Some(0) => {
                    if is_record(&self.unpacked_start(ahead)) {
                        return Ok(true);
                    }
                    window.consume(1);
                }
                Some(at) => window.consume(at),
                // Fewer bytes than asked for: the input ends after them.
                None if ahead.len() < probe => {
                    let length = ahead.len();
                    window.consume(length);
                    return Ok(false);
                }
                // The last bytes may be the start of a magic number: they are searched again with the next ones.
                None => {
                    let most = ahead.len() - magic.len();
                    window.consume(most);
                }
            }
        }
    }

    /// Returns the first unpacked bytes of a possible member.
    fn unpacked_start(&mut self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Self::Zstd(frames) => frames.unpacked_start(bytes, START_BYTES),
            Self::Gzip | Self::None => inflated_start(bytes),
        }
    }
}

/// The number of bytes in which the file name or comment of a gzip header must end. Otherwise the bytes are not taken
/// for a member. Damaged bytes may have many false headers, and the end of the name is searched in each.
const GZIP_NAME_LIMIT: usize = 512;

/// The length of a gzip header without its optional parts, in bytes (RFC 1952, 2.3).
const GZIP_HEADER_BYTES: usize = 10;

/// Returns the first inflated bytes of a possible gzip member (RFC 1952, 2.3); none if its header is not valid.
fn inflated_start(bytes: &[u8]) -> Vec<u8> {
    let bytes = bytes.get(..GZIP_PROBE).unwrap_or(bytes);
    let mut start = Vec::new();
    // Bytes that end before the flags are not a member. With all flags set, the check of the reserved flags rejects them.
    let flags = bytes.get(GZIP.len()).copied().unwrap_or(u8::MAX);
    // The upper three bits are reserved; 0x18 is FNAME and FCOMMENT (RFC 1952, 2.3.1).
    let has_reserved = flags & 0xE0 != 0;
    let has_name = flags & 0x18 != 0;
    let header = bytes.get(..GZIP_NAME_LIMIT).unwrap_or(bytes);
    let name = header.get(GZIP_HEADER_BYTES..).unwrap_or_default();
    let name_ends = memchr::memchr(0, name).is_some();
    if has_reserved || has_name && !name_ends {
        return start;
    }
    // After an error, the bytes before it are enough.
    let _ = GzDecoder::new(bytes)
        .take(START_BYTES as u64)
        .read_to_end(&mut start);
    start
}
