//! The strings of JSON (RFC 8259, section 7), as UTF-8 without escapes.
//!
//! A long string is read in blocks of 64 bytes. One comparison each tells where a block has backslashes, quotation marks and
//! control characters, as the bits of a number. The bytes between two escapes are copied as a whole block, which writes too much:
//! what follows overwrites it. So an escape costs one copy of a fixed length, and no call. Reading is linear in the bytes.

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch};
use std::borrow::Cow;

/// The number of bytes that are compared at once: those with their bits in one number.
const BLOCK: usize = 64;

/// The bytes of a string that are looked at one by one, before it counts as long. Most strings are shorter and have no escape.
const SHORT: usize = 64;

/// The least size of the space for a string with escapes, in bytes.
const MIN_SPACE: usize = 512;

/// The bytes that escapes of one letter stand for, by the letter; 0 for others.
const ESCAPES: [u8; 256] = {
    let mut escapes = [0; 256];
    escapes[b'"' as usize] = b'"';
    escapes[b'\\' as usize] = b'\\';
    escapes[b'/' as usize] = b'/';
    escapes[b'b' as usize] = 0x08;
    escapes[b'f' as usize] = 0x0C;
    escapes[b'n' as usize] = b'\n';
    escapes[b'r' as usize] = b'\r';
    escapes[b't' as usize] = b'\t';
    escapes
};

/// Reads strings, and has space for the next one.
#[derive(Debug)]
pub(super) struct TextReader {
    level: Level,
    space: Vec<u8>,
}

/// Where a block has bytes that are not copied as they are: a bit for each byte.
#[derive(Debug, Clone, Copy, Default)]
struct Marks {
    backslashes: u64,
    /// Quotation marks and control characters.
    ends: u64,
}

impl TextReader {
    pub(super) fn new() -> Self {
        Self {
            level: Level::new(),
            space: Vec::new(),
        }
    }

    /// Reads a string after its first quotation mark. Returns it, and what follows its last quotation mark; `None` if it is invalid.
    pub(super) fn read<'j>(&mut self, json: &'j [u8]) -> Option<(Cow<'j, str>, &'j [u8])> {
        let is_mark = |byte: &u8| matches!(byte, b'"' | b'\\' | ..0x20);
        let start = json.get(..SHORT).unwrap_or(json);
        if let Some(length) = start.iter().position(is_mark)
            && let (text, [b'"', rest @ ..]) = json.split_at(length)
        {
            return Some((Cow::Borrowed(std::str::from_utf8(text).ok()?), rest));
        }
        let (length, read) = self.unescape(json)?;
        let rest = json.get(read..)?;
        // A string that fills its space is not copied again.
        let text = if length >= self.space.capacity().div_euclid(2) {
            let mut text = std::mem::take(&mut self.space);
            text.truncate(length);
            String::from_utf8(text).ok()?
        } else {
            std::str::from_utf8(self.space.get(..length)?)
                .ok()?
                .to_owned()
        };
        Some((Cow::Owned(text), rest))
    }

    /// Writes a string to the space. Returns its length, and the number of bytes with the last quotation mark.
    fn unescape(&mut self, json: &[u8]) -> Option<(usize, usize)> {
        let (level, space) = (self.level, &mut self.space);
        let (mut length, mut read) = (0, 0);
        if dispatch!(level, simd => unescape_blocks(simd, json, space, &mut length, &mut read))? {
            return Some((length, read));
        }
        // What is left is shorter than two blocks.
        space.truncate(length);
        loop {
            match json.get(read..)? {
                [b'"', ..] => return Some((space.len(), read.checked_add(1)?)),
                [b'\\', b'u', digits @ ..] => {
                    let (char, taken) = unicode_escape(digits)?;
                    space.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
                    read = read.checked_add(taken)?.checked_add(2)?;
                }
                [b'\\', letter, ..] => {
                    space.push(escaped(*letter)?);
                    read = read.checked_add(2)?;
                }
                [byte, ..] if *byte >= 0x20 => {
                    space.push(*byte);
                    read = read.checked_add(1)?;
                }
                _ => return None,
            }
        }
    }
}

/// Writes the start of a string to the space, up to its end or to the last two blocks. Adds to the length of the string and to the
/// number of bytes that were read. Returns whether the string has ended; `None` if it is invalid.
#[inline(always)]
#[allow(
    clippy::inline_always,
    reason = "the instructions of the processor are enabled in the caller"
)]
fn unescape_blocks<S: Simd>(
    simd: S,
    json: &[u8],
    space: &mut Vec<u8>,
    length: &mut usize,
    read: &mut usize,
) -> Option<bool> {
    let (mut to, mut from) = (0_usize, 0_usize);
    loop {
        let rest = json.get(from..)?;
        // Copies of a block may begin anywhere in the first block.
        let Some(blocks) = rest.first_chunk::<{ 2 * BLOCK }>() else {
            (*length, *read) = (to, from);
            return Some(false);
        };
        make_room(space, to, rest.len());
        let out = space.get_mut(to..)?.first_chunk_mut::<{ 2 * BLOCK }>()?;
        let block = blocks.first_chunk::<BLOCK>()?;
        let marks = marks(simd, block);
        if marks.backslashes | marks.ends == 0 {
            *out.first_chunk_mut()? = *block;
            (to, from) = (to.wrapping_add(BLOCK), from.wrapping_add(BLOCK));
            continue;
        }
        let mut escapes = escape_starts(marks.backslashes);
        let end = (marks.ends & !(escapes << 1)).trailing_zeros() as usize;
        escapes &= 1_u64
            .checked_shl(u32::try_from(end).ok()?)
            .unwrap_or(0)
            .wrapping_sub(1);
        // The places in the block and in the output.
        let (mut at, mut written) = (0_usize, 0_usize);
        let mut next_block = BLOCK;
        while escapes != 0 {
            let escape = escapes.trailing_zeros() as usize;
            escapes &= escapes.wrapping_sub(1);
            copy_block(blocks, at, out, written)?;
            written = written.wrapping_add(escape.wrapping_sub(at));
            at = escape;
            if escape == BLOCK - 1 {
                // Its letter is in the next block, which begins with the backslash.
                next_block = escape;
                break;
            }
            match *blocks.get(escape.wrapping_add(1))? {
                b'u' => {
                    let digits = rest.get(escape.wrapping_add(2)..)?;
                    let (char, taken) = unicode_escape(digits)?;
                    let bytes = out.get_mut(written..)?.first_chunk_mut::<4>()?;
                    written = written.wrapping_add(char.encode_utf8(bytes).len());
                    next_block = escape.wrapping_add(2).wrapping_add(taken);
                    at = next_block;
                    break;
                }
                letter => *out.get_mut(written)? = escaped(letter)?,
            }
            written = written.wrapping_add(1);
            at = escape.wrapping_add(2);
        }
        if next_block == BLOCK {
            copy_block(blocks, at, out, written)?;
            written = written.wrapping_add(end.wrapping_sub(at));
            if end < BLOCK {
                if blocks.get(end) != Some(&b'"') {
                    return None;
                }
                *length = to.wrapping_add(written);
                *read = from.wrapping_add(end).wrapping_add(1);
                return Some(true);
            }
        }
        (to, from) = (to.wrapping_add(written), from.wrapping_add(next_block));
    }
}

/// Copies a block, of which the caller needs the start.
#[inline(always)]
#[allow(
    clippy::inline_always,
    reason = "a copy of a fixed length with the instructions of the caller"
)]
fn copy_block(
    from: &[u8; 2 * BLOCK],
    at: usize,
    out: &mut [u8; 2 * BLOCK],
    written: usize,
) -> Option<()> {
    let block = from.get(at..)?.first_chunk::<BLOCK>()?;
    *out.get_mut(written..)?.first_chunk_mut::<BLOCK>()? = *block;
    Some(())
}

/// Returns the marks of a block.
#[inline(always)]
#[allow(
    clippy::inline_always,
    reason = "the instructions of the processor are enabled in the caller"
)]
fn marks<S: Simd>(simd: S, block: &[u8; BLOCK]) -> Marks {
    let mut marks = Marks::default();
    // A vector as long as a block is its only one.
    let length = u32::try_from(S::u8s::LEN).unwrap_or_default();
    let shifted = |bits: u64| bits.checked_shl(length).unwrap_or_default();
    // From the last vector to the first, so that the bits of the first are the lowest.
    for bytes in block.chunks_exact(S::u8s::LEN).rev() {
        let bytes = S::u8s::from_slice(simd, bytes);
        let backslashes = bytes.simd_eq(S::u8s::splat(simd, b'\\'));
        let quotes = bytes.simd_eq(S::u8s::splat(simd, b'"'));
        let controls = bytes.min(S::u8s::splat(simd, 0x1F)).simd_eq(bytes);
        marks.backslashes = shifted(marks.backslashes) | backslashes.to_bitmask();
        marks.ends = shifted(marks.ends) | quotes.to_bitmask() | controls.to_bitmask();
    }
    marks
}

/// Returns the backslashes that begin an escape: of those next to each other, each second one is the letter of an escape.
#[inline]
fn escape_starts(backslashes: u64) -> u64 {
    if backslashes & (backslashes << 1) == 0 {
        return backslashes;
    }
    let (mut rest, mut starts) = (backslashes, 0);
    while rest != 0 {
        let start = rest & rest.wrapping_neg();
        starts |= start;
        rest &= !(start | start << 1);
    }
    starts
}

/// Makes room for two blocks after a length. `rest` is the most bytes that are left to write.
#[inline]
fn make_room(space: &mut Vec<u8>, length: usize, rest: usize) {
    if space.len().saturating_sub(length) < 2 * BLOCK {
        let most = length.saturating_add(rest.max(2 * BLOCK));
        let wanted = space.len().saturating_mul(4).max(MIN_SPACE);
        space.resize(wanted.min(most), 0);
    }
}

/// Returns the byte for the letter of an escape.
#[inline]
fn escaped(letter: u8) -> Option<u8> {
    match ESCAPES.get(usize::from(letter)) {
        None | Some(0) => None,
        byte => byte.copied(),
    }
}

/// Returns the character of the digits of an escape, with those of a second one after a surrogate, and the number of bytes.
fn unicode_escape(digits: &[u8]) -> Option<(char, usize)> {
    let (first, rest) = hex_digits(digits)?;
    if let Some(char) = char::from_u32(first) {
        return Some((char, 4));
    }
    let [b'\\', b'u', rest @ ..] = rest else {
        return None;
    };
    let (second, _) = hex_digits(rest)?;
    let high = first.checked_sub(0xD800).filter(|high| *high < 0x400)?;
    let low = second.checked_sub(0xDC00).filter(|low| *low < 0x400)?;
    let char = char::from_u32((high << 10 | low).checked_add(0x1_0000)?)?;
    Some((char, 10))
}

/// Returns the number of four hexadecimal digits, and what follows.
fn hex_digits(text: &[u8]) -> Option<(u32, &[u8])> {
    let (digits, rest) = text.split_first_chunk::<4>()?;
    let number = digits.iter().try_fold(0_u32, |number, digit| {
        Some(number << 4 | char::from(*digit).to_digit(16)?)
    });
    Some((number?, rest))
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, TextReader};
    use fearless_simd::Level;

    /// Checks that a string is read as `serde_json` reads it.
    fn check(json: &[u8]) {
        let document = [b"\"", json].concat();
        let mut values = serde_json::Deserializer::from_slice(&document).into_iter::<String>();
        let expected = values.next().and_then(Result::ok);
        let rest = document.get(values.byte_offset()..).unwrap();
        // The vectors of this processor, and the shortest that all have.
        for level in [Level::new(), Level::baseline()] {
            let mut reader = TextReader {
                level,
                space: Vec::new(),
            };
            let found = reader.read(json);
            let shown = String::from_utf8_lossy(json);
            match (&found, &expected) {
                (Some((text, after)), Some(expected)) => {
                    assert_eq!(text, expected, "{shown}");
                    assert_eq!(*after, rest, "{shown}");
                }
                _ => assert_eq!(found.is_some(), expected.is_some(), "{shown}"),
            }
        }
    }

    #[test]
    fn an_escape_is_read_at_each_place() {
        for part in [
            "\\n",
            "\\\"",
            "\\\\",
            "\\\\\\n",
            "\\\\\"",
            "\\u00e9",
            "\\ud83d\\ude00",
            "\\uD800\\uDC00",
            "\\uDBFF\\uDFFF",
            "\\ud800",
            "\\ud800x",
            "\\ud800\\n",
            "\\udc00",
            "\\ud800\\ud800",
            "\\u00",
            "\\u00g0",
            "\\u+123",
            "\\u0000",
            "\\x",
            "\\\u{1}",
            "\u{0}",
            "\u{1f}",
            "\u{7f}",
            "\"",
            "é",
            "😀",
            "\\/\\b\\f\\r\\t",
            "",
        ] {
            for before in 0..3 * BLOCK {
                for after in [0, 1, 2, BLOCK, 2 * BLOCK, 3 * BLOCK + 5] {
                    for end in ["\"", "\", 7]", ""] {
                        let json =
                            ["x".repeat(before).as_str(), part, &"y".repeat(after), end].concat();
                        check(json.as_bytes());
                    }
                }
            }
        }
    }

    #[test]
    fn strings_of_any_bytes_are_read() {
        let mut state = 1_u32;
        for _ in 0..20_000 {
            let mut next = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as usize
            };
            // Marks are rare in some, and frequent in others.
            let kinds = next() % 40 + 12;
            let length = next() * 2;
            let json: Vec<u8> = (0..length)
                .map(|_| {
                    let kind = next() % kinds;
                    *b"\\\\n\\tu00e9/".get(kind).unwrap_or(&b'x')
                })
                .collect();
            // The end is in a block, or after the last one.
            for rest in [0, 3 * BLOCK] {
                check(&[&json[..], b"\"", &b" ".repeat(rest)].concat());
            }
            let mut damaged = json;
            if let Some(byte) = damaged.get_mut(next()) {
                *byte = b"\x00\x1f\xff\xc3\""[next() % 5];
            }
            check(&[&damaged[..], b"\""].concat());
        }
    }

    #[test]
    fn the_space_of_a_string_is_at_most_twice_its_length() {
        let mut reader = TextReader::new();
        let mut kept = 0;
        let mut all = 0;
        for number in 0..200 {
            let json = [
                "\\n".repeat(number * 7),
                "\"".to_owned(),
                " ".repeat(100_000),
            ]
            .concat();
            let (text, _) = reader.read(json.as_bytes()).unwrap();
            if let std::borrow::Cow::Owned(text) = text {
                kept += text.capacity();
                all += text.len();
            }
        }
        assert!(kept <= all * 2, "{kept} {all}");
    }
}
