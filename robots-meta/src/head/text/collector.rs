//! The bytes of a page that are kept while it is read: those of the tags that are wanted.

use super::open_elements::OpenElements;
use super::references::resolved;
use super::tag_text::TagText;
use crate::page::record::{AttributeRecord, LinkRecord, MetaRecord, Records, Span, TextRecord};
use crate::page::{HeadLimit, Placement};
use crate::value::{MediaType, Rel};
use crate::wanted::{Facts, Keys, Wanted};
use memchr::{memchr, memchr3};
use smallvec::SmallVec;
use std::collections::HashSet;
use std::ops::Range;

/// The number of METAs that are kept of a page; reading stops at one more.
pub const MAX_METAS: usize = 10_000;

/// The length in bytes of a META's tag beyond which reading stops: 1 MiB.
pub const MAX_META_BYTES: usize = 1024 * 1024;

/// The number of links that are kept of a document; reading stops at one more. The same limit
/// applies to elements with `data-nosnippet`.
pub const MAX_LINKS: usize = 100_000;

/// The number of bytes of a title that are kept: 64 KiB. The rest is cut off.
pub const MAX_TITLE_BYTES: usize = 64 * 1024;

/// Returns the text with references resolved, or the raw value if it has none.
fn resolved_or_raw<'a>(text: Option<&'a String>, value: Option<&'a [u8]>) -> Option<&'a [u8]> {
    text.map(String::as_bytes).or(value)
}

/// The facts that have been found so far.
#[derive(Debug)]
pub(crate) struct Collector {
    pub(crate) wanted: Wanted,
    /// The kept bytes. Each name, value and text is followed by the byte that terminated it in the page.
    pub(crate) raw: Vec<u8>,
    pub(crate) records: Records,
    /// The elements with `data-nosnippet` that are open.
    pub(crate) open: OpenElements,
    /// True if some bytes differ from their text: they have references, CR or NUL, or a name is not ASCII.
    pub(crate) is_complex: bool,
}

impl Collector {
    pub(crate) fn new(wanted: Wanted) -> Self {
        Self {
            wanted,
            raw: Vec::new(),
            records: Records::default(),
            open: OpenElements::default(),
            is_complex: false,
        }
    }

    /// Takes a META; `keys` are its attributes as they are written.
    pub(crate) fn meta(
        &mut self,
        tag: &TagText<'_>,
        keys: &Keys<'_>,
        placement: Placement,
    ) -> Result<(), HeadLimit> {
        // Attributes past the limit may be the ones that matter.
        if tag.has_more {
            return Err(HeadLimit::Attributes);
        }
        if !self.wants(keys) {
            return Ok(());
        }
        if self.records.metas.len() >= MAX_METAS {
            return Err(HeadLimit::Metas);
        }
        let start = self.keep(tag.bytes);
        let first = self.records.attributes.len();
        // Many names are compared by a set, a few with each other.
        let mut many = (tag.attributes.len() > FEW_NAMES).then(Names::default);
        let (mut name_value, mut content) = (None, None);
        for (index, attribute) in tag.attributes.iter().enumerate() {
            let name = tag.part(attribute.name());
            let is_repeated = match &mut many {
                Some(many) => many.is_repeated(name),
                None => tag
                    .attributes
                    .iter()
                    .take(index)
                    .any(|before| tag.part(before.name()).eq_ignore_ascii_case(name)),
            };
            if is_repeated {
                continue;
            }
            // Moves a range of the tag to the kept bytes.
            let moved = |range: Range<usize>| span(range, start);
            let kept_name = moved(attribute.name());
            if name.is_ascii() {
                self.raw
                    .get_mut(kept_name.range())
                    .unwrap_or_default()
                    .make_ascii_lowercase();
            } else {
                self.is_complex = true;
            }
            let value = moved(attribute.value());
            match name.len() {
                4 if name.eq_ignore_ascii_case(b"name") => name_value = Some(value),
                7 if name.eq_ignore_ascii_case(b"content") => content = Some(value),
                _ => {}
            }
            self.records.attributes.push(AttributeRecord {
                name: kept_name,
                value,
                source: Some(span(attribute.value(), tag.source.0)),
            });
        }
        self.records.metas.push(MetaRecord {
            source: span(tag.source.0..tag.source.1, 0),
            attributes: span(first..self.records.attributes.len(), 0),
            name: name_value,
            content,
            placement,
        });
        Ok(())
    }

    /// Drops the METAs, links and elements with `data-nosnippet` in BODY.
    pub(crate) fn forget_body(&mut self) {
        self.records
            .metas
            .retain(|meta| meta.placement != Placement::Body);
        self.records.links.clear();
        self.records.no_snippets.clear();
        self.open = OpenElements::default();
        self.records.no_snippets_on_other_elements.clear();
    }

    /// Returns whether to keep a META with these attributes, as they are written.
    pub(crate) fn wants(&self, keys: &Keys<'_>) -> bool {
        if !self.wanted.may_want(keys) {
            return false;
        }
        if self.wanted.wants(keys) {
            return true;
        }
        // Character references may hide a name, unless its first byte shows that it is not wanted.
        let is_plain = |value: Option<&[u8]>| {
            value
                .and_then(|value| value.first())
                .is_none_or(|&first| !self.wanted.may_begin(first))
                || value.is_some_and(|value| memchr(b'&', value).is_none())
        };
        // `http-equiv` matters if it is `content-type`, for the encoding, or `X-Robots-Tag`.
        let is_http_equiv_plain = !self.wanted.facts.intersects(Facts::CHARSET | Facts::ROBOTS)
            || keys
                .http_equiv
                .is_none_or(|value| memchr(b'&', value).is_none());
        if is_plain(keys.name) && is_plain(keys.property) && is_http_equiv_plain {
            return false;
        }
        let text = |value: Option<&[u8]>| value.and_then(resolved);
        let (name, property, http_equiv) =
            (text(keys.name), text(keys.property), text(keys.http_equiv));
        self.wanted.wants(&Keys {
            name: resolved_or_raw(name.as_ref(), keys.name),
            property: resolved_or_raw(property.as_ref(), keys.property),
            http_equiv: resolved_or_raw(http_equiv.as_ref(), keys.http_equiv),
            ..*keys
        })
    }

    /// Returns whether the next LINK could be wanted.
    pub(crate) fn wants_link(&self) -> bool {
        self.wants_canonical() || self.wants_licenses()
    }

    fn wants_canonical(&self) -> bool {
        self.wanted.facts.contains(Facts::CANONICAL) && self.records.canonical.is_none()
    }

    fn wants_licenses(&self) -> bool {
        self.wanted.facts.contains(Facts::LICENSES)
    }

    /// Takes a LINK: its URL, if it is the first canonical one, or that of a licence.
    pub(crate) fn link(&mut self, tag: &TagText<'_>) {
        if !self.wants_link() {
            return;
        }
        let Some(rel) = tag.value(b"rel") else {
            return;
        };
        let resolved_rel = resolved(rel);
        let rel = resolved_or_raw(resolved_rel.as_ref(), Some(rel)).unwrap_or_default();
        let has_relation = |relation: &[u8]| {
            rel.split(u8::is_ascii_whitespace)
                .any(|token| token.eq_ignore_ascii_case(relation))
        };
        let is_canonical = self.wants_canonical() && has_relation(b"canonical");
        let is_license = self.wants_licenses()
            && has_relation(b"license")
            && tag.value(b"type").is_some_and(|value| {
                let resolved = resolved(value);
                let value = resolved_or_raw(resolved.as_ref(), Some(value));
                value.is_some_and(|value| MediaType::parse(value).is_rsl())
            });
        let Some(href) = tag
            .attribute(b"href")
            .filter(|_| is_canonical || is_license)
        else {
            return;
        };
        let written = tag.part(href.value());
        let is_empty = match resolved(written) {
            Some(text) => text.trim_ascii().is_empty(),
            None => written.trim_ascii().is_empty(),
        };
        // A link without a URL does not count: a later canonical one may.
        if is_empty {
            return;
        }
        let link = self.keep_value(tag.source.0, tag.part_and_end(href.value()));
        if is_canonical {
            self.records.canonical = Some(link);
        }
        if is_license {
            self.records.licenses.push(link);
        }
    }

    /// Takes an element of BODY: a link, or an element with `data-nosnippet`.
    pub(crate) fn element(&mut self, name: &str, tag: &TagText<'_>) -> Result<(), HeadLimit> {
        let address = match name {
            "a" | "area" => Some(&b"href"[..]),
            "form" => Some(&b"action"[..]),
            _ => None,
        };
        if let Some(address) = address
            && self.wanted.facts.contains(Facts::LINKS)
            && let Some(address) = tag.attribute(address)
        {
            let rel = tag.value(b"rel").unwrap_or_default();
            self.link_of_body(tag.source.0, tag.part_and_end(address.value()), rel)?;
        }
        if self.wanted.facts.contains(Facts::NO_SNIPPETS)
            && tag.attribute(b"data-nosnippet").is_some()
        {
            let known = self.records.no_snippets.len();
            if known + self.records.no_snippets_on_other_elements.len() >= MAX_LINKS {
                return Err(HeadLimit::NoSnippets);
            }
            let offsets = match name {
                "span" | "div" | "section" => &mut self.records.no_snippets,
                _ => &mut self.records.no_snippets_on_other_elements,
            };
            offsets.push(number(tag.source.0));
            self.open.mark(name, number(tag.source.0));
        }
        Ok(())
    }

    /// Takes a link of BODY, whose tag is at this offset: its URL, with the byte that ends it, and its
    /// `rel`, as they are written.
    pub(crate) fn link_of_body(
        &mut self,
        offset: usize,
        href_and_end: &[u8],
        rel: &[u8],
    ) -> Result<(), HeadLimit> {
        if self.records.links.len() >= MAX_LINKS {
            return Err(HeadLimit::Links);
        }
        let rel = resolved(rel).map_or_else(
            || Rel::parse(&String::from_utf8_lossy(rel)),
            |rel| Rel::parse(&rel),
        );
        let href = self.keep_value(offset, href_and_end);
        self.records.links.push(LinkRecord { href, rel });
        Ok(())
    }

    /// Keeps the value of an attribute, with the byte that ends it, which decoding needs.
    fn keep_value(&mut self, offset: usize, value_and_end: &[u8]) -> TextRecord {
        let start = self.keep(value_and_end);
        let length = value_and_end.len() - 1;
        TextRecord {
            offset: number(offset),
            text: span(0..length, start),
        }
    }

    /// Begins a title, if it is the first, and wanted.
    pub(crate) fn begin_title(&mut self, offset: usize) -> bool {
        let is_first = self.records.title.is_none() && self.wanted.facts.contains(Facts::TITLE);
        if is_first {
            let start = self.keep(b"");
            self.records.title = Some(TextRecord {
                offset: number(offset),
                text: span(0..0, start),
            });
        }
        is_first
    }

    /// Takes more text of the title that has begun.
    pub(crate) fn title_text(&mut self, text: &[u8]) {
        let Some(title) = &mut self.records.title else {
            return;
        };
        let room = MAX_TITLE_BYTES - title.text.range().len();
        self.records.title_is_cut |= text.len() > room;
        let text = text.get(..room).unwrap_or(text);
        title.text.end = title.text.end.saturating_add(number(text.len()));
        self.keep(text);
    }

    /// Ends the title that has begun.
    pub(crate) fn end_title(&mut self) {
        self.keep(b"<");
    }

    /// Appends bytes to the kept ones. Returns their offset there.
    fn keep(&mut self, bytes: &[u8]) -> usize {
        let start = self.raw.len();
        if start == 0 {
            // Few HEADs need more.
            self.raw.reserve(1024.max(bytes.len()));
        }
        self.is_complex = self.is_complex || memchr3(b'&', b'\r', 0, bytes).is_some();
        self.raw.extend_from_slice(bytes);
        start
    }
}

/// The number of names up to which they are compared with each other one by one.
const FEW_NAMES: usize = 8;

/// The names of a tag's attributes so far, where there are many.
#[derive(Default)]
pub(crate) struct Names {
    seen: HashSet<SmallVec<[u8; 16]>>,
}

impl Names {
    /// Adds a name. Returns whether it occurred before, in any case.
    pub(crate) fn is_repeated(&mut self, name: &[u8]) -> bool {
        let mut small = SmallVec::from_slice(name);
        small.make_ascii_lowercase();
        !self.seen.insert(small)
    }
}

/// Returns a number in 32 bits, as offsets are kept; [`u32::MAX`] for a greater one.
pub(crate) fn number(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Returns a range, moved by a number of bytes.
pub(crate) fn span(range: Range<usize>, by: usize) -> Span {
    Span {
        start: number(range.start + by),
        end: number(range.end + by),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::option;
    use proptest::prelude::*;

    /// Returns what [`Collector::wants`] returns, without its short cuts.
    fn wants_by_definition(wanted: &Wanted, keys: &Keys<'_>) -> bool {
        let resolved =
            [keys.name, keys.property, keys.http_equiv].map(|value| value.and_then(resolved));
        let [name, property, http_equiv] = resolved.each_ref().map(Option::as_ref);
        wanted.wants(keys)
            || wanted.wants(&Keys {
                name: resolved_or_raw(name, keys.name),
                property: resolved_or_raw(property, keys.property),
                http_equiv: resolved_or_raw(http_equiv, keys.http_equiv),
                ..*keys
            })
    }

    /// Returns a value: a name or another text, whole or in part, with bytes around it that may not count.
    fn value() -> impl Strategy<Value = Option<Vec<u8>>> {
        let text = "(|robots|Googlebot|description|keyword|revisit|og:a|twitter:b|tdm-policy|content-type|x-robots-tag|viewport|&#114;obots|o&#x67;:a|&#32;robots)";
        option::of(
            ("[ \t\r\u{b}\0]?", text, "[ \r\0&;s]?")
                .prop_map(|(before, text, after)| [before, text, after].concat().into_bytes()),
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 8192, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn short_cuts_lose_no_wanted_meta(
            bits in 0..=Facts::all().bits(),
            values in [value(), value(), value()],
            has_charset in any::<bool>(),
        ) {
            let wanted = Wanted::facts(Facts::from_bits_truncate(bits));
            let wanted = wanted.for_robots(["robots", "googlebot"]);
            let [name, property, http_equiv] = values.each_ref().map(Option::as_deref);
            let keys = Keys {
                name,
                property,
                http_equiv,
                charset: has_charset.then_some(b"utf-8"),
                content: None,
            };
            let expected = wants_by_definition(&wanted, &keys);
            prop_assert_eq!(Collector::new(wanted).wants(&keys), expected);
        }
    }
}
