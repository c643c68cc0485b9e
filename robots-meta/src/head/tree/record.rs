//! The tags and texts of one TEMPLATE, recorded so that a tree builder can be made again from them.
//!
//! A tree builder of html5ever cannot move between threads; a record can. Recording is linear in
//! the tags. Adjacent texts are one entry, so a record does not depend on how a page is cut.

use super::character_kinds::CharacterKinds;
use super::tree_builder::PlacementBuilder;

/// The size in bytes beyond which a record is not kept, and reading stops
/// ([`HeadLimit::Template`](crate::page::HeadLimit::Template)): 1 MiB. A text takes 8 bytes. The
/// name of a tag, and the name and the value of an attribute, take 8 bytes each and their own.
pub const MAX_TEMPLATE_BYTES: usize = 1024 * 1024;

/// An entry of a record. Its name or value is in [`TemplateRecord::names_and_values`].
#[derive(Debug, Clone, Copy)]
struct Entry {
    kind: Kind,
    /// The length of its name or value, in bytes.
    length: u32,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    StartTag,
    SelfClosingTag,
    EndTag,
    /// The name of an attribute of the start tag that follows; its value is the next entry.
    AttributeName,
    AttributeValue,
    /// Adjacent texts, as one. Nothing but the kinds of their characters is recorded.
    Text(CharacterKinds),
}

/// The tags and texts since a TEMPLATE began.
#[derive(Debug, Default)]
pub(super) struct TemplateRecord {
    entries: Vec<Entry>,
    /// The names and values of all entries, in order.
    names_and_values: String,
}

impl TemplateRecord {
    /// Returns its size in bytes.
    pub(super) fn size(&self) -> usize {
        self.entries.len() * size_of::<Entry>() + self.names_and_values.len()
    }

    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.names_and_values.clear();
    }

    pub(super) fn start_tag(
        &mut self,
        name: &str,
        self_closing: bool,
        attributes: &[(String, String)],
    ) {
        for (name, value) in attributes {
            self.push(Kind::AttributeName, name);
            self.push(Kind::AttributeValue, value);
        }
        let kind = if self_closing {
            Kind::SelfClosingTag
        } else {
            Kind::StartTag
        };
        self.push(kind, name);
    }

    pub(super) fn end_tag(&mut self, name: &str) {
        self.push(Kind::EndTag, name);
    }

    pub(super) fn text(&mut self, kinds: CharacterKinds) {
        match self.entries.last_mut() {
            Some(Entry {
                kind: Kind::Text(last),
                ..
            }) => *last = last.with(kinds),
            _ => self.push(Kind::Text(kinds), ""),
        }
    }

    fn push(&mut self, kind: Kind, name_or_value: &str) {
        self.names_and_values.push_str(name_or_value);
        self.entries.push(Entry {
            kind,
            length: u32::try_from(name_or_value.len()).unwrap_or(u32::MAX),
        });
    }

    /// Passes all entries to a tree builder, in order.
    pub(super) fn replay(&self, tree_builder: &mut PlacementBuilder) {
        let mut rest = self.names_and_values.as_str();
        let mut attributes = Vec::new();
        for entry in &self.entries {
            let (text, after) = rest
                .split_at_checked(entry.length as usize)
                .unwrap_or((rest, ""));
            rest = after;
            match entry.kind {
                Kind::AttributeName => attributes.push((text.to_owned(), String::new())),
                Kind::AttributeValue => {
                    if let Some((_, value)) = attributes.last_mut() {
                        text.clone_into(value);
                    }
                }
                Kind::StartTag | Kind::SelfClosingTag => {
                    let self_closing = matches!(entry.kind, Kind::SelfClosingTag);
                    let attributes = std::mem::take(&mut attributes);
                    // The content after the tag has been read: it is in the record.
                    let _ = tree_builder.start_tag(text, self_closing, attributes);
                }
                Kind::EndTag => tree_builder.end_tag(text),
                Kind::Text(kinds) => tree_builder.text(kinds),
            }
        }
    }
}
