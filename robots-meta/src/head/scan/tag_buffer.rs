//! The tag that is being read, and its bytes, if it is cut by the end of a chunk.

use super::tag::{Tag, ends_name, name_end};
use super::tag_name::Name;
use crate::head::text::{MAX_META_BYTES, TagText};
use encoding_rs::Encoding;
use memchr::{memchr, memchr2, memrchr};
use std::borrow::Cow;

/// The number of bytes of a tag that are kept, unless it is a META: 32 KiB. The attributes of a
/// longer tag are not read ([`PageFacts::overlong_tags`](crate::PageFacts::overlong_tags)). A name
/// that continues past this number is cut there.
pub const MAX_TAG_BYTES: usize = 32 * 1024;

/// The maximum length in bytes of a `rel` by which a LINK is recognized as not wanted without reading its other
/// attributes.
const MAX_REL_BYTES: usize = 1_024;

/// The tags, in addition to METAs, whose attributes matter.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeptTags {
    /// LINKs that may be canonical or those of licences.
    pub(crate) links: bool,
    /// All other start tags, and all LINKs.
    pub(crate) others: bool,
}

/// The kind of a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TagKind {
    Start,
    End,
    /// The end tag of a raw text element.
    EndOfRawText,
}

/// The tag that is being read.
#[derive(Debug, Default)]
pub(crate) struct TagBuffer {
    tag: Tag,
    pub(crate) is_end: bool,
    /// True if it ends a raw text element.
    pub(crate) ends_raw: bool,
    /// `None` until its name has been read.
    pub(crate) name: Option<Name>,
    /// The end of the name in the tag.
    name_end: usize,
    is_kept: bool,
    /// The offset of its `<` in the page.
    pub(crate) offset: usize,
    /// The number of its bytes in earlier chunks, or, once it has ended, in all.
    pub(crate) length: usize,
    /// Those bytes, as far as they are wanted.
    pub(crate) held: Vec<u8>,
}

impl TagBuffer {
    /// Begins at a `<`.
    #[inline]
    pub(crate) fn begin(&mut self, offset: usize, kind: TagKind) {
        self.is_end = kind != TagKind::Start;
        self.ends_raw = kind == TagKind::EndOfRawText;
        self.name = None;
        self.offset = offset;
        self.length = 0;
        self.held.clear();
    }

    /// Returns whether it began in the chunk that is being read.
    #[inline]
    pub(crate) fn is_in_chunk(&self) -> bool {
        self.length == 0
    }

    /// Continues in a chunk. Returns the offset in the chunk after the tag; `None` if the tag does not end
    /// there. The caller must [`hold`](Self::hold) the bytes of a tag that is in more than one chunk.
    #[inline]
    pub(crate) fn read(&mut self, chunk: &[u8], kept: KeptTags) -> Option<usize> {
        let mut at = 0_usize;
        if self.name.is_none() {
            at = self.read_name(chunk)?;
            // An end tag has no attributes that matter.
            self.is_kept = match self.name {
                _ if self.is_end => false,
                Some(Name::Meta) => true,
                Some(Name::Link) => kept.links && !is_other_link(chunk.get(at..)?) || kept.others,
                _ => kept.others,
            };
            self.tag.begin(self.is_kept);
            if !self.is_kept
                && let Some(end) = end_of_quoted(chunk, at)
            {
                return Some(end);
            }
        }
        self.tag.read(chunk, at, self.length)
    }

    /// Reads the name. Returns its end in the chunk.
    #[inline]
    fn read_name(&mut self, chunk: &[u8]) -> Option<usize> {
        // After `<` or `</`.
        let prefix = if self.is_end { 2_usize } else { 1 };
        let from = prefix.saturating_sub(self.length);
        let end = name_end(chunk, from, ends_name)?;
        self.name_end = self.length + end;
        self.name = Some(if self.length == 0 {
            Name::of(chunk, from, end)
        } else {
            let mut name = self.held.get(prefix..).unwrap_or_default().to_vec();
            name.extend_from_slice(chunk.get(from..end).unwrap_or_default());
            Name::of(&name, 0, name.len())
        });
        Some(end)
    }

    /// Holds the next bytes of the tag, as far as they are wanted.
    pub(crate) fn hold(&mut self, chunk: &[u8]) {
        let limit = match self.name {
            Some(_) if self.is_meta() => MAX_META_BYTES,
            Some(_) if !self.is_kept => self.name_end.min(MAX_TAG_BYTES),
            _ => MAX_TAG_BYTES,
        };
        let room = limit.saturating_sub(self.held.len());
        self.held
            .extend_from_slice(chunk.get(..room).unwrap_or(chunk));
        self.length += chunk.len();
    }

    fn is_meta(&self) -> bool {
        self.name == Some(Name::Meta) && !self.is_end
    }

    /// Returns whether it is a META that has more bytes than are held.
    pub(crate) fn is_overlong_meta(&self) -> bool {
        self.is_meta() && self.length > MAX_META_BYTES
    }

    /// Returns whether its attributes matter.
    pub(crate) fn is_kept(&self) -> bool {
        self.is_kept
    }

    /// Returns whether a LINK, with these first bytes, may be the canonical one or that of a licence.
    pub(crate) fn may_be_wanted_link(&self, bytes: &[u8]) -> bool {
        !is_other_link(bytes.get(self.name_end..).unwrap_or_default())
    }

    /// Returns whether the attributes of a tag that has ended can be read. For METAs, which may be longer,
    /// [`is_overlong_meta`](Self::is_overlong_meta) decides instead.
    pub(crate) fn is_readable(&self) -> bool {
        self.is_kept && self.length <= MAX_TAG_BYTES
    }

    /// Returns whether a tag that has ended closes its element: `<a/>`. Only known for tags that are kept.
    pub(crate) fn is_self_closing(&self) -> bool {
        self.tag.is_self_closing()
    }

    /// Returns the tag, which has ended, with its bytes.
    #[inline]
    pub(crate) fn text<'t>(&'t self, bytes: &'t [u8]) -> TagText<'t> {
        TagText {
            bytes,
            attributes: &self.tag.attributes,
            has_more: self.tag.has_more,
            source: (self.offset, self.offset + self.length),
        }
    }

    /// Returns its name in lower case, owned. The most frequent one takes no allocation.
    pub(crate) fn owned_name(
        &self,
        bytes: &[u8],
        encoding: &'static Encoding,
    ) -> Cow<'static, str> {
        if self.name == Some(Name::Body) {
            return Cow::Borrowed("body");
        }
        Cow::Owned(self.name_text(bytes, encoding).into_owned())
    }

    /// Returns its name in lower case.
    pub(crate) fn name_text<'t>(
        &self,
        bytes: &'t [u8],
        encoding: &'static Encoding,
    ) -> Cow<'t, str> {
        let prefix = if self.is_end { 2 } else { 1 };
        let end = self.name_end.min(MAX_TAG_BYTES);
        let name = bytes.get(prefix..end).unwrap_or_default();
        let is_plain = name
            .iter()
            .all(|byte| byte.is_ascii_graphic() && !byte.is_ascii_uppercase());
        match std::str::from_utf8(name) {
            Ok(name) if is_plain => Cow::Borrowed(name),
            _ => {
                let (name, _) = encoding.decode_without_bom_handling(name);
                let name = name.replace('\0', "\u{fffd}");
                Cow::Owned(name.to_ascii_lowercase())
            }
        }
    }
}

/// Returns the end of a tag whose name ends at `at`, if its quotes show the end without reading the
/// attributes; `None` if the tag must be read.
///
/// The first `>` ends the tag unless it is in a quoted value. If no `'` is before the `>`, no value is in
/// single quotes. Then only the last `"` before the `>` matters: the `>` is quoted only if this `"`
/// begins a value. It can begin a value only after `=` and white space. So after any other byte, or
/// without a `"`, the `>` ends the tag. The same holds with the quotes exchanged.
#[inline]
pub(crate) fn end_of_quoted(part: &[u8], at: usize) -> Option<usize> {
    end_of_quoted_in(part, at, b'"', b'\'').or_else(|| end_of_quoted_in(part, at, b'\'', b'"'))
}

/// Returns [`end_of_quoted`] if no `other` quote is before the first `>`.
#[inline]
fn end_of_quoted_in(part: &[u8], at: usize, quote: u8, other: u8) -> Option<usize> {
    let rest = part.get(at..)?;
    let length = memchr2(b'>', other, rest)?;
    let (attributes, after) = rest.split_at_checked(length)?;
    if after.first() != Some(&b'>') {
        return None;
    }
    let last = match attributes {
        [.., last] if *last == quote => Some(length - 1),
        _ => memrchr(quote, attributes),
    };
    let before = match last {
        None => None,
        Some(last) => attributes.get(..last)?.last(),
    };
    match before {
        Some(b'=' | b' ' | b'\t' | b'\n' | b'\r' | b'\x0C') => None,
        _ => Some(at + length + 1),
    }
}

/// Returns whether a LINK, with this text after its name, is certainly neither the canonical one nor that of a licence: its
/// first attribute is a `rel` without these words.
#[inline]
pub(crate) fn is_other_link(attributes: &[u8]) -> bool {
    let Some(value) = attributes.strip_prefix(b" rel=\"") else {
        return false;
    };
    // `MAX_TAG_BYTES`, the number of bytes that are held of a tag in several chunks, is greater. So the result does not
    // depend on the chunks.
    let value = value.get(..MAX_REL_BYTES).unwrap_or(value);
    let value = memchr(b'"', value).and_then(|end| value.get(..end));
    value.is_some_and(is_other_rel)
}

/// Returns whether the value of a `rel`, as written, is certainly neither that of the canonical link nor that of a licence.
#[inline]
pub(crate) fn is_other_rel(value: &[u8]) -> bool {
    let (canonical, license) = (b"canonical", b"license");
    // A character reference may hide a word.
    memchr(b'&', value).is_none()
        && (value.len() < license.len()
            || !value.split(u8::is_ascii_whitespace).any(|part| {
                part.eq_ignore_ascii_case(canonical) || part.eq_ignore_ascii_case(license)
            }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the end of a tag, read from after its name.
    fn end(text: &[u8]) -> Option<usize> {
        let mut tag = Tag::default();
        tag.begin(false);
        tag.read(text, 0, 0)
    }

    #[test]
    fn ends_of_quoted_attributes_are_found() {
        for text in [
            ">",
            " a>",
            " a=b>",
            " a=\"b\">",
            " a=\"b\"/>",
            " a=\"b\" c>",
            " a=\"\">",
            " a\"b\">",
            " a='b'>",
            " a='b' c>",
        ] {
            assert_eq!(
                end_of_quoted(text.as_bytes(), 0),
                Some(text.len()),
                "{text}"
            );
            assert_eq!(end(text.as_bytes()), Some(text.len()), "{text}");
        }
        for text in [" a=\">\">", " a='>'>", " a= \">\"", " a=\"b", " a=\"'>"] {
            assert_eq!(end_of_quoted(text.as_bytes(), 0), None, "{text}");
        }
    }

    #[test]
    fn links_that_are_not_wanted() {
        assert!(is_other_link(b" rel=\"stylesheet\" href=x>"));
        for text in [
            &b" rel=\"Canonical\">"[..],
            b" rel=\"x canonical\">",
            b" rel=\"LICENSE\">",
            b" rel=\"c&#97;nonical\">",
            b" rel=\"style",
            b" href=x rel=\"a\">",
            b" rel='a'>",
        ] {
            assert!(!is_other_link(text));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn an_end_found_early_is_the_end(text in "[ =\"'/>ab]{0,24}") {
            if let Some(quoted) = end_of_quoted(text.as_bytes(), 0) {
                prop_assert_eq!(end(text.as_bytes()), Some(quoted));
            }
        }
    }
}
