//! The common case in big steps: tags of a HEAD that say nothing that is wanted, written as nearly all
//! of them are.
//!
//! Nothing is decided here that the scanner would not decide by reading on: what is not known at a
//! glance is left to it, from its `<` on. That both do the same is tested: in small parts of a page
//! no stride is made.

use super::found::Found;
use super::open::{end_of_quoted, is_not_canonical};
use super::raw_text::{Content, RawText, Until};
use super::tag::is_space;
use crate::wanted::{Facts, Keys};
use memchr::memchr;

/// Steps over tags in HEAD from `at` on, as long as they are known at a glance; gives where the next
/// one begins, or text.
#[inline]
pub(super) fn stride(bytes: &[u8], mut at: usize, found: &Found) -> usize {
    let wants_links = found.wants_link();
    let wants_all_metas = found.wanted.facts.contains(Facts::METAS);
    loop {
        at = behind_space(bytes, at);
        let rest = bytes.get(at..).unwrap_or_default();
        let Some([b'<', name @ ..]) = rest.first_chunk::<8>() else {
            return at;
        };
        let length = match name {
            b"meta na" | b"meta pr" if !wants_all_metas => meta(rest, found),
            b"link re" if wants_links => match rest.get(b"<link".len()..) {
                Some(attributes) if is_not_canonical(attributes) => {
                    end_of_quoted(rest, b"<link".len())
                }
                _ => None,
            },
            [b'l', b'i', b'n', b'k', b' ', ..] if !wants_links => {
                end_of_quoted(rest, b"<link".len())
            }
            b"script>" | b"script " => script(rest),
            _ => None,
        };
        match length {
            Some(length) => at = at.saturating_add(length),
            None => return at,
        }
    }
}

/// The first byte at or behind `at` that is no white space, or the end.
#[inline]
pub(super) fn behind_space(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let length = rest.iter().position(|&byte| !is_space(byte));
    at.saturating_add(length.unwrap_or(rest.len()))
}

/// The length of a META of two attributes that is not wanted.
#[inline]
fn meta(tag: &[u8], found: &Found) -> Option<usize> {
    let attributes = tag.get(b"<meta ".len()..)?;
    let (is_name, rest) = match attributes.strip_prefix(b"name=\"") {
        Some(rest) => (true, rest),
        None => (false, attributes.strip_prefix(b"property=\"")?),
    };
    let (value, rest) = rest.split_at_checked(memchr(b'"', rest)?)?;
    let rest = rest.strip_prefix(b"\" content=\"")?;
    let rest = rest.get(memchr(b'"', rest)?..)?;
    let ([_, b'>', rest @ ..] | [_, b'/', b'>', rest @ ..] | [_, b' ', b'/', b'>', rest @ ..]) =
        rest
    else {
        return None;
    };
    let keys = if is_name {
        Keys {
            name: Some(value),
            ..Keys::default()
        }
    } else {
        Keys {
            property: Some(value),
            ..Keys::default()
        }
    };
    (!found.wants(&keys)).then(|| tag.len().saturating_sub(rest.len()))
}

/// The length of a SCRIPT with its content and a bare end tag.
#[inline]
fn script(tag: &[u8]) -> Option<usize> {
    let start = end_of_quoted(tag, b"<script".len())?;
    let text = tag.get(start..)?;
    let mut content = Content::new(RawText::Script);
    let Until::EndTag(length) = content.read(text) else {
        return None;
    };
    let end = length.saturating_add(content.bare_end_tag());
    (text.get(end) == Some(&b'>')).then(|| start.saturating_add(end).saturating_add(1))
}
