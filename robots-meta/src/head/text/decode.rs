//! The bytes of a page that were kept, decoded when the encoding is certain.
//!
//! Most tags are UTF-8 without character references: then the bytes that were kept are the text,
//! and decoding is a check.

use super::collector::{Collector, Names, span};
use super::references::{self, resolve};
use crate::page::record::{AttributeRecord, Span};
use encoding_rs::{Encoding, UTF_8};
use smallvec::SmallVec;
use std::mem;

impl Collector {
    /// Takes and decodes the kept bytes: returns their text, and updates the ranges of its parts.
    /// `offsets_are_exact` is true if all offsets refer to the original bytes of the page.
    pub(crate) fn decode(
        &mut self,
        encoding: &'static Encoding,
        offsets_are_exact: bool,
    ) -> String {
        if !offsets_are_exact {
            // The page was decoded before the scan: only the offset of each tag's `<` is exact.
            for attribute in &mut self.records.attributes {
                attribute.source = None;
            }
            for meta in &mut self.records.metas {
                meta.source.end = meta.source.start;
            }
        }
        let is_text = !self.is_complex && (encoding == UTF_8 || self.raw.is_ascii());
        match String::from_utf8(mem::take(&mut self.raw)) {
            Ok(text) if is_text => text,
            Ok(text) => self.decode_parts(text.as_bytes(), encoding),
            Err(error) => self.decode_parts(error.as_bytes(), encoding),
        }
    }

    /// Decodes every name, value and text that is kept as bytes, and updates their ranges.
    fn decode_parts(&mut self, raw: &[u8], encoding: &'static Encoding) -> String {
        let mut text = String::with_capacity(raw.len());
        let mut attributes = SmallVec::with_capacity(self.records.attributes.len());
        for meta in &mut self.records.metas {
            let first = attributes.len();
            let mut seen = Names::default();
            for record in self
                .records
                .attributes
                .get(meta.attributes.range())
                .unwrap_or_default()
            {
                let start = text.len();
                let name = decode_part(raw, record.name, encoding, |name| {
                    text.extend(name.chars().map(|c| match c {
                        '\0' => char::REPLACEMENT_CHARACTER,
                        c => c.to_ascii_lowercase(),
                    }));
                });
                let name = name.map_or_else(Span::default, |()| span(start..text.len(), 0));
                // Names that differ in bytes may not differ in characters.
                let written = text.get(name.range()).unwrap_or_default();
                if seen.is_repeated(written.as_bytes()) {
                    text.truncate(start);
                    continue;
                }
                let start = text.len();
                decode_part(raw, record.value, encoding, |value| {
                    resolve(value, references::Context::Attribute, &mut text);
                });
                let value = span(start..text.len(), 0);
                match text.get(name.range()) {
                    Some("name") => meta.name = Some(value),
                    Some("content") => meta.content = Some(value),
                    _ => {}
                }
                attributes.push(AttributeRecord {
                    name,
                    value,
                    source: record.source,
                });
            }
            meta.attributes = span(first..attributes.len(), 0);
        }
        self.records.attributes = attributes;
        let links = self.records.links.iter_mut().map(|link| &mut link.href);
        let records = self.records.canonical.iter_mut();
        let records = records.chain(&mut self.records.licenses).chain(links);
        let records = records.map(|record| (record, references::Context::Attribute));
        let title = self.records.title.as_mut();
        for (record, context) in title
            .map(|title| (title, references::Context::Text))
            .into_iter()
            .chain(records)
        {
            let start = text.len();
            decode_part(raw, record.text, encoding, |found| {
                resolve(found, context, &mut text);
            });
            record.text = span(start..text.len(), 0);
        }
        text
    }
}

/// Decodes a part of the kept bytes and passes its text to `then`. `None` if there is no such part.
///
/// The byte that terminates the part is decoded too, and its character is dropped. So a multi-byte
/// character that this byte cuts short is decoded as it would be in the whole page.
fn decode_part(
    raw: &[u8],
    part: Span,
    encoding: &'static Encoding,
    then: impl FnOnce(&str),
) -> Option<()> {
    let range = part.range();
    let (bytes, has_end) = match raw.get(range.start..range.end + 1) {
        Some(bytes) => (bytes, true),
        None => (raw.get(range)?, false),
    };
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    let mut chars = text.chars();
    if has_end {
        chars.next_back();
    }
    then(chars.as_str());
    Some(())
}
