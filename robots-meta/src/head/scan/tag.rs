//! One tag, from `<` to `>`: the ranges of its attributes (HTML, 13.2.5.6 to 13.2.5.40, read
//! 2026-11-21).
//!
//! A tag can be read in parts: [`Tag`] keeps its state between them, and offsets are counted from
//! its `<`.

use crate::head::text::RawAttribute;
use memchr::memchr;
use smallvec::SmallVec;

/// The maximum number of attributes of one META, repeated ones too; reading stops at one more. (A quote
/// that is not closed can turn each word of the page after it into an attribute.)
pub const MAX_ATTRIBUTES: usize = 2_048;

/// A tag that is being read.
#[derive(Debug, Default)]
pub(crate) struct Tag {
    part: Part,
    /// True if the last byte was a `/` between attributes: with `>` it closes the element.
    slash: bool,
    /// True if attributes are recorded.
    is_kept: bool,
    /// True if there are more attributes than are recorded.
    pub(crate) has_more: bool,
    /// The recorded attributes.
    pub(crate) attributes: SmallVec<[RawAttribute; 8]>,
    /// The attribute that is being read.
    open: RawAttribute,
}

/// The position in a tag.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Part {
    /// After the tag's name, or an attribute.
    #[default]
    Between,
    Name,
    AfterName,
    BeforeValue,
    DoubleQuoted,
    SingleQuoted,
    Unquoted,
}

const SPACE: u8 = 1;
const SLASH: u8 = 2;
const END: u8 = 3;
const EQUALS: u8 = 4;

/// The meaning of each byte in a tag; 0 for all other bytes.
#[expect(
    clippy::indexing_slicing,
    reason = "evaluated by the compiler, which reports a panic"
)]
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    classes[b'\t' as usize] = SPACE;
    classes[b'\n' as usize] = SPACE;
    classes[b'\x0C' as usize] = SPACE;
    classes[b'\r' as usize] = SPACE;
    classes[b' ' as usize] = SPACE;
    classes[b'/' as usize] = SLASH;
    classes[b'>' as usize] = END;
    classes[b'=' as usize] = EQUALS;
    classes
};

#[inline]
fn class(byte: u8) -> u8 {
    CLASSES.get(usize::from(byte)).copied().unwrap_or_default()
}

/// Returns whether a byte is white space. CR is white space too: the tokenizer reads it as LF.
#[inline]
pub(crate) fn is_space(byte: u8) -> bool {
    class(byte) == SPACE
}

/// Returns whether a byte ends the name of a tag.
#[inline]
pub(crate) fn ends_name(byte: u8) -> bool {
    matches!(class(byte), SPACE | SLASH | END)
}

impl Tag {
    /// Begins after the name of a tag.
    #[inline]
    pub(crate) fn begin(&mut self, is_kept: bool) {
        self.part = Part::Between;
        self.slash = false;
        self.is_kept = is_kept;
        self.has_more = false;
        self.attributes.clear();
    }

    /// Returns whether the tag that has ended closes its element: `<a/>`.
    pub(crate) fn is_self_closing(&self) -> bool {
        self.slash
    }

    /// Continues at `at` in the bytes, which begin `before` bytes after the `<` of the tag. Returns
    /// the offset after its `>`; `None` if it does not end in the bytes.
    #[inline]
    pub(crate) fn read(&mut self, bytes: &[u8], at: usize, before: usize) -> Option<usize> {
        if self.is_kept {
            self.read_on::<true>(bytes, at, before)
        } else {
            self.read_on::<false>(bytes, at, before)
        }
    }

    /// Does the work of [`read`](Self::read). `KEPT` is `is_kept`, a constant so that it is not tested for each attribute.
    fn read_on<const KEPT: bool>(
        &mut self,
        bytes: &[u8],
        mut at: usize,
        before: usize,
    ) -> Option<usize> {
        let offset_in_tag = |at: usize| u32::try_from(before + at).unwrap_or(u32::MAX);
        // The state between two parts is copied while a part is read, so that it stays in registers.
        let (mut part, mut open) = (self.part, self.open);
        let end = loop {
            match part {
                Part::Between => {
                    let Some((first, slash)) = after_separators(bytes, at, self.slash) else {
                        // Only separators are left in these bytes: the last one counts.
                        self.slash = bytes.last().map_or(self.slash, |&last| last == b'/');
                        break None;
                    };
                    at = first + 1;
                    self.slash = slash;
                    if bytes.get(first) == Some(&b'>') {
                        break Some(at);
                    }
                    self.slash = false;
                    // The first byte belongs to the name, even if it is `=`.
                    open.name.0 = offset_in_tag(first);
                    part = Part::Name;
                }
                Part::Name => {
                    let Some(end) = name_end(bytes, at, |byte| class(byte) != 0) else {
                        break None;
                    };
                    at = end;
                    open.name.1 = offset_in_tag(at);
                    open.value = (open.name.1, open.name.1);
                    part = match bytes.get(at) {
                        Some(b'=') => {
                            at += 1;
                            Part::BeforeValue
                        }
                        Some(b'/' | b'>') => {
                            self.close::<KEPT>(open);
                            Part::Between
                        }
                        _ => Part::AfterName,
                    };
                }
                Part::AfterName => {
                    let Some(byte) = skip_space(bytes, &mut at) else {
                        break None;
                    };
                    part = if byte == b'=' {
                        at += 1;
                        Part::BeforeValue
                    } else {
                        self.close::<KEPT>(open);
                        Part::Between
                    };
                }
                Part::BeforeValue => {
                    let Some(byte) = skip_space(bytes, &mut at) else {
                        break None;
                    };
                    part = match byte {
                        b'"' => Part::DoubleQuoted,
                        b'\'' => Part::SingleQuoted,
                        b'>' => {
                            self.close::<KEPT>(open);
                            Part::Between
                        }
                        _ => Part::Unquoted,
                    };
                    if matches!(part, Part::DoubleQuoted | Part::SingleQuoted) {
                        at += 1;
                    }
                    if part != Part::Between {
                        open.value.0 = offset_in_tag(at);
                    }
                }
                Part::DoubleQuoted | Part::SingleQuoted => {
                    let quote = match part {
                        Part::DoubleQuoted => b'"',
                        _ => b'\'',
                    };
                    let rest = bytes.get(at..).unwrap_or_default();
                    let Some(length) = memchr(quote, rest) else {
                        break None;
                    };
                    at += length;
                    open.value.1 = offset_in_tag(at);
                    at += 1;
                    self.close::<KEPT>(open);
                    part = Part::Between;
                }
                Part::Unquoted => {
                    let rest = bytes.get(at..).unwrap_or_default();
                    let ends = |&byte: &u8| matches!(class(byte), SPACE | END);
                    let Some(length) = rest.iter().position(ends) else {
                        break None;
                    };
                    at += length;
                    open.value.1 = offset_in_tag(at);
                    self.close::<KEPT>(open);
                    part = Part::Between;
                }
            }
        };
        (self.part, self.open) = (part, open);
        end
    }

    /// Ends an attribute.
    #[inline]
    fn close<const KEPT: bool>(&mut self, open: RawAttribute) {
        if KEPT {
            if self.attributes.len() < MAX_ATTRIBUTES {
                self.attributes.push(open);
            } else {
                self.has_more = true;
            }
        }
    }
}

/// Returns the first byte at or after `at` that is neither white space nor `/`, and whether a `/`
/// is directly before it. `slash`: true if a `/` is directly before `at`.
#[inline]
fn after_separators(bytes: &[u8], at: usize, slash: bool) -> Option<(usize, bool)> {
    let mut at = at;
    let mut slash = slash;
    loop {
        match class(*bytes.get(at)?) {
            SPACE => slash = false,
            SLASH => slash = true,
            _ => return Some((at, slash)),
        }
        at += 1;
    }
}

/// Returns the end of a name that continues at `at`: the offset of the first byte for which `ends` returns true.
///
/// Only bytes below `@` can end a name. Other bytes are passed over without a call of `ends`, except the last bytes,
/// up to seven, which are tested one by one.
#[inline]
pub(crate) fn name_end(bytes: &[u8], at: usize, ends: impl Fn(u8) -> bool) -> Option<usize> {
    const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
    let mut at = at;
    // Names are short and of many lengths: eight bytes are looked at in one step.
    while let Some(word) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let number = u64::from_le_bytes(*word);
        // Has the high bit of each byte below `@`: its two high bits are not set.
        let mut low = !(number | number << 1) & HIGH_BITS;
        while low != 0 {
            let index = (low.trailing_zeros() / u8::BITS) as usize;
            if word.get(index).is_some_and(|&byte| ends(byte)) {
                return Some(at + index);
            }
            // Clears the lowest bit that is set, so that the next byte below `@` follows.
            low &= low.wrapping_sub(1);
        }
        at += word.len();
    }
    let rest = bytes.get(at..)?;
    let length = rest.iter().position(|&byte| ends(byte))?;
    Some(at + length)
}

/// Skips white space. Returns the first other byte.
#[inline]
fn skip_space(bytes: &[u8], at: &mut usize) -> Option<u8> {
    loop {
        let byte = *bytes.get(*at)?;
        if !is_space(byte) {
            return Some(byte);
        }
        *at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the attributes in the text after a tag's name, and whether it closes itself; read
    /// whole and byte by byte. `None` if it does not end.
    fn read(text: &str) -> Option<(Vec<(&str, &str)>, bool)> {
        let mut whole = Tag::default();
        whole.begin(true);
        let end = whole.read(text.as_bytes(), 0, 0);
        let mut parts = Tag::default();
        parts.begin(true);
        let ended =
            (0..text.len()).find(|&at| parts.read(&text.as_bytes()[at..=at], 0, at).is_some());
        assert_eq!(ended.map(|at| at + 1), end, "{text}");
        assert_eq!(parts.attributes, whole.attributes, "{text}");
        assert_eq!(parts.slash, whole.slash, "{text}");
        end?;
        let found = whole.attributes.iter();
        Some((
            found
                .map(|found| (&text[found.name()], &text[found.value()]))
                .collect(),
            whole.is_self_closing(),
        ))
    }

    #[test]
    fn attributes_in_every_form() {
        let is = |text, expected: &[(&str, &str)], closing| {
            assert_eq!(read(text), Some((expected.to_vec(), closing)), "{text}");
        };
        is(">", &[], false);
        is(" />", &[], true);
        is("/ >", &[], false);
        is(" a>", &[("a", "")], false);
        is(" a/>", &[("a", "")], true);
        is(" a=b/>", &[("a", "b/")], false);
        is(
            " a = 'b>' c=\"\"d>",
            &[("a", "b>"), ("c", ""), ("d", "")],
            false,
        );
        is(" =a=b =>", &[("=a", "b"), ("=", "")], false);
        is(" a==b>", &[("a", "=b")], false);
        is(" a= >", &[("a", "")], false);
        is(
            " a\"b='c'd/e>",
            &[("a\"b", "c"), ("d", ""), ("e", "")],
            false,
        );
        is(" a=b\"c'd<e f>", &[("a", "b\"c'd<e"), ("f", "")], false);
        is(" a b=c>", &[("a", ""), ("b", "c")], false);
        is("\ta\r\n=\x0Cb\n>", &[("a", "b")], false);
        assert_eq!(read(" a='b>"), None);
        assert_eq!(read(" a"), None);
    }

    #[test]
    fn attributes_are_noted_up_to_the_limit() {
        let count = |attributes: usize| {
            let text = format!("{}>", " a".repeat(attributes));
            let mut tag = Tag::default();
            tag.begin(true);
            assert_eq!(tag.read(text.as_bytes(), 0, 0), Some(text.len()));
            (tag.attributes.len(), tag.has_more)
        };
        assert_eq!(count(MAX_ATTRIBUTES - 1), (MAX_ATTRIBUTES - 1, false));
        assert_eq!(count(MAX_ATTRIBUTES), (MAX_ATTRIBUTES, false));
        assert_eq!(count(MAX_ATTRIBUTES + 1), (MAX_ATTRIBUTES, true));
    }
}
