//! The frames of a Zstandard file (RFC 8878), and the dictionary that they may share.
//!
//! Archives in Zstandard (`.warc.zst`) have a frame for each record. A skippable frame at the beginning may hold a
//! dictionary, plain or compressed itself, for all others (IIPC, "WARC Zstandard compression",
//! draft 0.1; read 2026-11-22).

use super::window::Window;
use std::fmt;
use std::io::{self, BufRead, Read};
use zstd::stream::raw::{DParameter, Decoder, Operation, Status};

/// The start of a frame.
pub(super) const FRAME: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// The start of the skippable frame that holds a dictionary.
const DICTIONARY: [u8; 4] = [0x5D, 0x2A, 0x4D, 0x18];

/// The maximum window of a frame, as a power of two: 32 MiB, the window of `zstd --ultra -20`.
const WINDOW_LOG: u32 = 25;

/// The maximum length of a dictionary: 16 MiB. A longer one in the file is an error. A compressed one is unpacked up to this
/// length.
const DICTIONARY_LIMIT: usize = 16 << 20;

/// The number of bytes that the decoder takes first: the minimum length of a frame's header.
const FIRST_STEP: usize = 5;

/// The length of a skippable frame's header, in bytes: the magic number and the length of the content, of four bytes each.
const SKIPPABLE_HEADER: usize = 8;

/// A decoder of frames.
pub(super) struct Frames {
    decoder: Decoder<'static>,
    /// The number of bytes that the decoder needs for its next step; 0 at the end of the frame.
    pub(super) step: usize,
}

impl fmt::Debug for Frames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frames")
            .field("step", &self.step)
            .finish_non_exhaustive()
    }
}

impl Frames {
    fn with_dictionary(dictionary: &[u8]) -> io::Result<Self> {
        let mut decoder = Decoder::with_dictionary(dictionary)?;
        decoder.set_parameter(DParameter::WindowLogMax(WINDOW_LOG))?;
        Ok(Self { decoder, step: 0 })
    }

    /// Returns whether an input begins as frames do.
    pub(super) fn begin_with(start: &[u8]) -> bool {
        start.starts_with(&FRAME) || is_skippable(start)
    }

    /// Returns a decoder for an input at its beginning, where a dictionary may be.
    pub(super) fn open<R: Read>(window: &mut Window<R>) -> io::Result<Self> {
        if !window.ahead(DICTIONARY.len())?.starts_with(&DICTIONARY) {
            return Self::with_dictionary(&[]);
        }
        let cut = || invalid("a dictionary that is cut");
        let length = content_length(window.ahead(SKIPPABLE_HEADER)?).ok_or_else(cut)?;
        if length > DICTIONARY_LIMIT {
            return Err(invalid("a dictionary that is longer than 16 MiB"));
        }
        let end = length.saturating_add(SKIPPABLE_HEADER);
        let frame = window.ahead(end)?;
        let dictionary = frame.get(SKIPPABLE_HEADER..end).ok_or_else(cut)?;
        let frames = if dictionary.starts_with(&FRAME) {
            let mut plain = Vec::new();
            let mut decoder = zstd::stream::read::Decoder::with_buffer(dictionary)?;
            decoder.window_log_max(WINDOW_LOG)?;
            decoder
                .take(DICTIONARY_LIMIT as u64)
                .read_to_end(&mut plain)?;
            Self::with_dictionary(&plain)
        } else {
            Self::with_dictionary(dictionary)
        };
        window.consume(end);
        frames
    }

    /// Returns the length of the skippable frame that begins at the window's next byte, with its header; `None` if none does.
    pub(super) fn skippable_length<R: Read>(window: &mut Window<R>) -> io::Result<Option<u64>> {
        let start = window.ahead(SKIPPABLE_HEADER)?;
        let length = content_length(start).filter(|_| is_skippable(start));
        Ok(length.map(|length| length as u64 + SKIPPABLE_HEADER as u64))
    }

    /// Begins a frame.
    pub(super) fn begin(&mut self) -> io::Result<()> {
        self.step = FIRST_STEP;
        self.decoder.reinit()
    }

    /// Unpacks the next step of the input: a block, or the checksum after the last block. The decoder gets no more than one
    /// step, because an error loses all bytes that were unpacked in the same call.
    fn unpack(&mut self, input: &[u8], into: &mut [u8]) -> io::Result<Status> {
        let input = input.get(..self.step).unwrap_or(input);
        let status = self.decoder.run_on_buffers(input, into)?;
        self.step = status.remaining;
        Ok(status)
    }

    /// Reads the next bytes of the frame; none at its end.
    pub(super) fn read<R: Read>(
        &mut self,
        window: &mut Window<R>,
        into: &mut [u8],
    ) -> io::Result<usize> {
        while self.step > 0 {
            let input = window.fill_buf()?;
            if input.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let status = self.unpack(input, into)?;
            window.consume(status.bytes_read);
            if status.bytes_written > 0 {
                return Ok(status.bytes_written);
            }
        }
        Ok(0)
    }

    /// Returns the first unpacked bytes of a possible frame, up to `most`.
    pub(super) fn unpacked_start(&mut self, bytes: &[u8], most: usize) -> Vec<u8> {
        let mut start = vec![0; most];
        let mut input = bytes;
        let mut written = 0_usize;
        // After an error, the bytes before it are enough.
        let mut result = self.begin();
        while result.is_ok() && self.step > 0 && !input.is_empty() && written < most {
            let into = start.get_mut(written..).unwrap_or_default();
            result = self.unpack(input, into).map(|status| {
                input = input.get(status.bytes_read..).unwrap_or_default();
                written += status.bytes_written;
            });
        }
        start.truncate(written);
        start
    }
}

/// Returns whether these bytes begin a skippable frame, which has no compressed content (RFC 8878, 3.1.2).
fn is_skippable(start: &[u8]) -> bool {
    matches!(start, [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..])
}

/// Returns the stated length of a skippable frame's content.
fn content_length(start: &[u8]) -> Option<usize> {
    let length = start.get(4..SKIPPABLE_HEADER)?.try_into().ok()?;
    usize::try_from(u32::from_le_bytes(length)).ok()
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
