//! Tags and text inside a TEMPLATE, and after HEAD: passed to the tree builder.

use super::mode::Mode;
use super::raw_text::{Content, RawText};
use super::scanner::{Scanner, State};
use super::tag::is_space;
use super::tag_name::Name;
use crate::head::text::resolved;
use crate::head::tree::{Builder, Following, Start, Text};
use crate::page::{HeadEnd, HeadLimit, Placement};
use memchr::{memchr, memchr2};

impl Scanner {
    /// Switches to the tree builder, from `from` on.
    pub(super) fn enter_tree(&mut self, mode: Mode, from: usize, builder: &mut Builder) {
        let start = match mode {
            Mode::AfterHead => Start::AfterHead,
            Mode::BeforeHead | Mode::InHead | Mode::InNoscript => Start::InHead,
        };
        let is_past_template = self.handed_over.is_some();
        self.handed_over.get_or_insert(from);
        self.in_tree = true;
        self.tree.enter(start, is_past_template, builder);
    }

    /// Passes a tag to the tree builder.
    pub(super) fn tag_in_tree(&mut self, name: Name, bytes: &[u8], builder: &mut Builder) {
        let source = self.tag.offset;
        let text = self.tag.name_text(bytes, self.encoding.encoding());
        if self.tag.is_end {
            self.tree.end_tag(&text, source, builder);
        } else {
            let attributes = self.attributes_for_tree(&text, bytes);
            let self_closing = self.tag.is_self_closing();
            let placed = self
                .tree
                .start_tag(&text, self_closing, attributes, source, builder);
            self.state = match placed.following {
                Following::Markup => State::Data,
                Following::RawText => RawText::of(&text)
                    .map_or(State::Data, |element| State::Raw(Content::new(element))),
                Following::Plaintext => State::Plaintext,
            };
            if placed.body_is_gone {
                self.collector.forget_body();
            }
            if self.tag.is_overlong_meta() {
                // Its offset does not matter: it may not have been held.
                self.stop(HeadEnd::Limit(HeadLimit::MetaBytes), source);
            } else if let Some(placement) = placed.placement {
                self.element(name, &text, bytes, placement);
            }
        }
        self.check_limits(builder);
        if self.end.is_none() && self.tree.leave(builder) {
            self.in_tree = false;
        }
    }

    /// Takes an element that is in the document.
    fn element(&mut self, name: Name, text: &str, bytes: &[u8], placement: Placement) {
        if name == Name::Meta {
            self.meta(bytes, placement);
        } else if !self.tag.is_readable() {
            let is_overlong = usize::from(self.tag.is_kept());
            self.overlong_tags = self.overlong_tags.saturating_add(is_overlong);
        } else {
            let taken = self.collector.element(text, &self.tag.text(bytes));
            if let Err(limit) = taken {
                self.stop(HeadEnd::Limit(limit), self.tag.offset);
            }
        }
    }

    /// Returns the attributes by which the tree builder decides.
    fn attributes_for_tree(&self, name: &str, bytes: &[u8]) -> Vec<(String, String)> {
        let names: &[&str] = match name {
            "input" => &["type"],
            "annotation-xml" => &["encoding"],
            "font" => &["color", "face", "size"],
            _ => return Vec::new(),
        };
        if !self.tag.is_readable() {
            return Vec::new();
        }
        let text = self.tag.text(bytes);
        names
            .iter()
            .filter_map(|name| {
                let value = text.value(name.as_bytes())?;
                let value =
                    resolved(value).unwrap_or_else(|| String::from_utf8_lossy(value).into_owned());
                Some(((*name).to_owned(), value))
            })
            .collect()
    }

    fn check_limits(&mut self, builder: &Builder) {
        if let Some(limit) = self.tree.limit(builder) {
            self.stop(HeadEnd::Limit(limit), self.tag.offset);
        }
    }

    /// Passes text to the tree builder, if it takes the tags.
    pub(super) fn give_text(&mut self, text: Text, builder: &mut Builder) {
        if self.in_tree {
            self.tree.text(text, builder);
            self.check_limits(builder);
        }
    }

    /// Passes the text before the next `<` or `&` to the tree builder. Returns its length in bytes.
    pub(super) fn text_in_tree(&mut self, rest: &[u8], builder: &mut Builder) -> usize {
        let length = memchr2(b'<', b'&', rest).unwrap_or(rest.len());
        let text = rest.get(..length).unwrap_or_default();
        let text = Text {
            has_space: text.iter().any(|&byte| is_space(byte)),
            has_other: text.iter().any(|&byte| byte != 0 && !is_space(byte)),
            has_nul: memchr(0, text).is_some(),
        };
        self.give_text(text, builder);
        length
    }
}
