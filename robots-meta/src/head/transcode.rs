//! Encodings in which an ASCII byte may be part of another character: decoded before the scan.
//!
//! These are UTF-16, ISO-2022-JP and "replacement". In all other encodings of the Encoding Standard a
//! byte that delimits tags, such as `<`, always is that character, also after a truncated character.
//! (A `]` can be the second half of a character, which matters only to the end of CDATA.)

use super::scan::Scanner;
use super::tree::LazyTreeBuilder;
use encoding_rs::{CoderResult, Decoder, Encoding, UTF_16BE, UTF_16LE};
use memchr::memchr;

/// The maximum length of a piece, which is decoded at once. It is even, so that it does not cut a
/// UTF-16 code unit.
const PIECE_BYTES: usize = 16 * 1024;

/// A decoder of a page in pieces that begin at each `<`, so that the offset of every tag is known.
pub(super) struct Transcoder {
    encoding: &'static Encoding,
    decoder: Decoder,
    /// The first byte of a UTF-16 code unit whose second byte has not arrived.
    half_unit: Option<u8>,
    /// The offset in the page of the next byte.
    offset: usize,
    text: String,
}

impl Transcoder {
    /// Returns a transcoder for a page in this encoding, from `offset` on; `None` if the page is
    /// scanned as it is.
    pub(super) fn of(encoding: &'static Encoding, offset: usize) -> Option<Box<Self>> {
        (!encoding.is_ascii_compatible()).then(|| {
            Box::new(Self {
                encoding,
                decoder: encoding.new_decoder_without_bom_handling(),
                half_unit: None,
                offset,
                text: String::new(),
            })
        })
    }

    /// Decodes some bytes for the scanner.
    pub(super) fn feed(
        &mut self,
        bytes: &[u8],
        scanner: &mut Scanner,
        builder: &mut LazyTreeBuilder,
    ) {
        if self.encoding == UTF_16LE || self.encoding == UTF_16BE {
            self.feed_utf_16(bytes, scanner, builder);
        } else {
            self.feed_pieces(bytes, scanner, builder, |rest| {
                memchr(b'<', rest.get(1..)?).map(|at| at + 1)
            });
        }
    }

    /// Decodes UTF-16: two bytes are a code unit; one that the end of a chunk cuts waits for its
    /// other half.
    fn feed_utf_16(&mut self, bytes: &[u8], scanner: &mut Scanner, builder: &mut LazyTreeBuilder) {
        let mut bytes = bytes;
        if let Some(first) = self.half_unit {
            let [second, rest @ ..] = bytes else {
                return;
            };
            self.half_unit = None;
            self.decode_piece(&[first, *second], false, scanner, builder);
            bytes = rest;
        }
        let (units, half) = bytes.as_chunks::<2>();
        self.half_unit = half.first().copied();
        let less_than = if self.encoding == UTF_16LE {
            [b'<', 0]
        } else {
            [0, b'<']
        };
        self.feed_pieces(units.as_flattened(), scanner, builder, |rest| {
            rest.as_chunks::<2>()
                .0
                .iter()
                .skip(1)
                .position(|unit| *unit == less_than)
                .map(|at| 2 * (at + 1))
        });
    }

    /// Decodes piece after piece; `next` finds the start of the next piece.
    fn feed_pieces(
        &mut self,
        bytes: &[u8],
        scanner: &mut Scanner,
        builder: &mut LazyTreeBuilder,
        next: impl Fn(&[u8]) -> Option<usize>,
    ) {
        let mut rest = bytes;
        while !rest.is_empty() && !scanner.is_done() {
            let window = rest.get(..PIECE_BYTES).unwrap_or(rest);
            let length = next(window).unwrap_or(window.len());
            let (piece, after) = rest.split_at_checked(length).unwrap_or((rest, &[]));
            self.decode_piece(piece, false, scanner, builder);
            rest = after;
        }
    }

    /// Decodes a piece for the scanner. All of its text has the offset of the piece. For tags the offset
    /// is exact, because a piece begins at each `<`.
    fn decode_piece(
        &mut self,
        piece: &[u8],
        is_last: bool,
        scanner: &mut Scanner,
        builder: &mut LazyTreeBuilder,
    ) {
        self.text.clear();
        let mut rest = piece;
        loop {
            // With room for some characters more, each step makes progress.
            self.text.reserve(rest.len() + 16);
            let (result, read, _) = self.decoder.decode_to_string(rest, &mut self.text, is_last);
            rest = rest.get(read..).unwrap_or_default();
            if result == CoderResult::InputEmpty {
                break;
            }
        }
        // The piece before may end with a truncated character: then the decoder writes its replacement
        // before the `<`. That text is fed before the tag and apart from it, so that the tag is at the offset of the piece.
        let before = memchr(b'<', self.text.as_bytes()).unwrap_or_default();
        let (text, tag) = self.text.split_at_checked(before).unwrap_or(("", ""));
        scanner.feed(text.as_bytes(), self.offset, builder);
        scanner.feed(tag.as_bytes(), self.offset, builder);
        self.offset += piece.len();
    }

    /// Ends the page.
    pub(super) fn finish(&mut self, scanner: &mut Scanner, builder: &mut LazyTreeBuilder) {
        if !scanner.is_done() {
            let half = self.half_unit.take();
            self.decode_piece(half.as_slice(), true, scanner, builder);
        }
    }
}
