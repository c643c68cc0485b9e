//! The fast path: tags of a HEAD that are not wanted, in the forms that nearly all pages write, are
//! skipped in large steps.
//!
//! The result is always that of the scanner. Any other form is left to the scanner, from its `<` on.
//! Tests compare both: they feed a page in chunks that are too small for the fast path.

use super::raw_text::{Content, RawText, Until};
use super::skipped::Skipped;
use super::tag::{MAX_ATTRIBUTES, is_space, name_end};
use super::tag_buffer::{MAX_TAG_BYTES, end_of_quoted, is_other_link, is_other_rel};
use crate::head::text::{Collector, MAX_META_BYTES};
use crate::wanted::{Facts, Keys};
use memchr::memchr;

/// Skips the tags in HEAD from `at` on that are certainly not wanted. Returns the offset of the next
/// tag or text. `is_tentative`: true if a META may name the encoding.
#[inline]
pub(crate) fn skip_unwanted(
    bytes: &[u8],
    mut at: usize,
    collector: &Collector,
    is_tentative: bool,
) -> usize {
    let wants_links = collector.wants_link();
    let wants_all_metas = collector.wanted.facts.contains(Facts::METAS);
    loop {
        at = after_space(bytes, at);
        let rest = bytes.get(at..).unwrap_or_default();
        let Some([b'<', name @ ..]) = rest.first_chunk::<8>() else {
            return at;
        };
        // Nearly always, the first attribute of a META is name, property, content, itemprop, http-equiv or data-*.
        let length = match name {
            b"meta na" | b"meta pr" | b"meta co" | b"meta it" | b"meta ht" | b"meta da"
                if !wants_all_metas =>
            {
                meta(rest, collector, is_tentative)
            }
            [b'l', b'i', b'n', b'k', b' ', ..] if wants_links => link(rest),
            // No LINK is wanted, so its attributes are not read.
            [b'l', b'i', b'n', b'k', b' ', ..] => end_of_quoted(rest, b"<link".len()),
            b"script>" | b"script " => element(rest, RawText::Script),
            [b's', b't', b'y', b'l', b'e', b'>' | b' ', _] => element(rest, RawText::Style),
            [b'!', b'-', b'-', ..] => comment(rest),
            _ => None,
        };
        match length {
            Some(length) => at += length,
            None => return at,
        }
    }
}

/// Returns the offset of the first byte at or after `at` that is not white space, or the end.
#[inline]
pub(crate) fn after_space(bytes: &[u8], at: usize) -> usize {
    let mut at = at;
    // Indentation, in steps of eight spaces.
    while let Some(b"        ") = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        at += 8;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    let length = rest.iter().position(|&byte| !is_space(byte));
    at + length.unwrap_or(rest.len())
}

/// Returns the length of a META that is not wanted.
#[inline]
fn meta(tag: &[u8], collector: &Collector, is_tentative: bool) -> Option<usize> {
    let mut keys = Keys::default();
    let length = attributes(tag, b"<meta".len(), |name, value| keys.note(name, value))?;
    // The scanner stops reading at a META that is too long.
    if length > MAX_META_BYTES {
        return None;
    }
    if is_tentative && (keys.charset.is_some() || keys.http_equiv.is_some())
        || collector.wants(&keys)
    {
        return None;
    }
    Some(length)
}

/// Returns the length of a LINK that is neither the canonical one nor that of a licence.
#[inline]
fn link(tag: &[u8]) -> Option<usize> {
    let at = b"<link".len();
    // If `rel` is the first attribute, the others need not be read.
    if is_other_link(tag.get(at..)?) {
        return end_of_quoted(tag, at);
    }
    let mut rel = None;
    let length = attributes(tag, at, |name, value| {
        if name.eq_ignore_ascii_case(b"rel") {
            rel.get_or_insert(value);
        }
    })?;
    let is_other = rel.is_none_or(is_other_rel);
    // The scanner counts a LINK that is too long to be read.
    (is_other && length <= MAX_TAG_BYTES).then_some(length)
}

/// Reads the attributes of a tag from `at` on, if each has a value in double quotes and one space
/// before it. Returns the length of the tag.
#[inline]
fn attributes<'t>(
    tag: &'t [u8],
    mut at: usize,
    mut note: impl FnMut(&'t [u8], &'t [u8]),
) -> Option<usize> {
    let mut count = 0_usize;
    loop {
        match tag.get(at..)? {
            [b'>', ..] => break,
            [b'/', b'>', ..] => {
                at += 1;
                break;
            }
            [b' ', b'/', b'>', ..] => {
                at += 2;
                break;
            }
            [b' ', first, ..] if first.is_ascii_lowercase() => {}
            _ => return None,
        }
        let start = at + 1;
        let end = name_end(tag, start, |byte| !is_in_name(byte))?;
        let value = tag.get(end..)?.strip_prefix(b"=\"")?;
        let value = value.get(..memchr(b'"', value)?)?;
        note(tag.get(start..end)?, value);
        count += 1;
        // After the name come `="`, the value and `"`.
        at = end + value.len() + 3;
    }
    (count <= MAX_ATTRIBUTES).then(|| at + 1)
}

/// Returns whether a byte below `@` may be in a name.
///
/// [`name_end`] tests only such bytes, except near the end of a chunk. If it tests a letter there, the name seems to
/// end at the letter, not at a `=`, and the tag is left to the scanner.
fn is_in_name(byte: u8) -> bool {
    matches!(byte, b'-' | b':' | b'0'..=b'9')
}

/// Returns the length of a raw text element, with its content and an end tag without attributes.
#[inline]
fn element(tag: &[u8], element: RawText) -> Option<usize> {
    let start = end_of_quoted(tag, element.name().len() + 1)?;
    let text = tag.get(start..)?;
    // A script with a `src` is usually empty: then its content need not be searched.
    if element == RawText::Script && text.starts_with(b"</script>") {
        return Some(start + b"</script>".len());
    }
    let mut content = Content::new(element);
    let Until::EndTag(length) = content.read(text) else {
        return None;
    };
    let end = length + content.bare_end_tag_length();
    (text.get(end) == Some(&b'>')).then(|| start + end + 1)
}

/// Returns the length of a comment.
#[inline]
fn comment(markup: &[u8]) -> Option<usize> {
    let start = b"<!--".len();
    let mut comment = Skipped::COMMENT;
    let length = comment.read(markup.get(start..)?)?;
    Some(start + length)
}
