//! Tags and text inside a TEMPLATE, and after HEAD: passed to the tree builder.

use super::mode::Mode;
use super::raw_text::{Content, RawText};
use super::scanner::{Scanner, Scope, State};
use super::tag_name::Name;
use crate::head::text::resolved;
use crate::head::tree::{CharacterKinds, Following, LazyTreeBuilder, LinkInTemplate, Start};
use crate::page::{HeadEnd, HeadLimit, Placement};
use crate::wanted::Facts;
use memchr::memchr2;

impl Scanner {
    /// Switches to the tree builder, from `from` on.
    pub(super) fn enter_tree(&mut self, mode: Mode, from: usize, builder: &mut LazyTreeBuilder) {
        let start = match mode {
            Mode::AfterHead => Start::AfterHead,
            Mode::BeforeHead | Mode::InHead | Mode::InNoscript => Start::InHead,
        };
        // The tree builder is left only at the end of a TEMPLATE. So if it took tags before, a TEMPLATE has ended.
        let is_past_template = self.handed_over.is_some();
        self.handed_over.get_or_insert(from);
        self.in_tree = true;
        self.tree.enter(start, is_past_template, builder);
    }

    /// Passes a tag to the tree builder.
    pub(super) fn tag_in_tree(&mut self, name: Name, bytes: &[u8], builder: &mut LazyTreeBuilder) {
        let offset = self.tag.offset;
        let text = self.tag.name_text(bytes, self.encoding.encoding());
        if self.tag.is_end {
            self.collector.open.end_tag(&text);
            self.tree.end_tag(&text, offset, builder);
        } else {
            self.collector.open.start_tag(&text);
            let attributes = self.attributes_for_tree(&text, bytes, builder);
            let self_closing = self.tag.is_self_closing();
            let placed = self
                .tree
                .start_tag(&text, self_closing, attributes, offset, builder);
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
                // This META ends reading wherever it is placed, even outside of the document.
                self.stop(HeadEnd::Limit(HeadLimit::MetaBytes), offset);
            } else if let Some(placement) = placed.placement {
                self.element(name, &text, bytes, placement);
            }
        }
        self.take_reopened(builder);
        self.check_limits(builder);
        // In HEAD, the tree builder is left at the end of a TEMPLATE; after HEAD it is not left.
        if self.end.is_none() && self.tree.leave(builder) {
            self.in_tree = false;
        }
        self.stop_if_last_wanted();
    }

    /// Takes an element that is in the document.
    fn element(&mut self, name: Name, text: &str, bytes: &[u8], placement: Placement) {
        if name == Name::Meta {
            self.meta(bytes, placement);
        } else if !self.tag.is_readable() {
            // A tag whose attributes matter is unreadable only if it is too long.
            let overlong = usize::from(self.tag.is_kept());
            self.overlong_tags += overlong;
        } else {
            let taken = self.collector.element(text, &self.tag.text(bytes));
            if let Err(limit) = taken {
                self.stop(HeadEnd::Limit(limit), self.tag.offset);
            }
        }
    }

    /// Returns the attributes of a start tag for the tree builder. They are those that affect where it places elements,
    /// or, for an `a` in a TEMPLATE of a document, attributes that carry its link.
    fn attributes_for_tree(
        &self,
        name: &str,
        bytes: &[u8],
        builder: &LazyTreeBuilder,
    ) -> Vec<(String, String)> {
        let names: &[&str] = match name {
            "a" if self.scope == Scope::Document && builder.is_in_template() => {
                let link = self.link_in_template(bytes);
                return link.map_or_else(Vec::new, |link| link.to_attributes());
            }
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

    /// Returns the link of an `a` in a TEMPLATE, which may become part of the document later.
    fn link_in_template(&self, bytes: &[u8]) -> Option<LinkInTemplate> {
        let offset = self.tag.offset;
        if !self.tag.is_readable() {
            // If its attributes matter, the tag is too long. It is counted as such if the link leaves its TEMPLATE.
            return self.tag.is_kept().then_some(LinkInTemplate {
                offset,
                href: None,
                rel: Vec::new(),
            });
        }
        let tag = self.tag.text(bytes);
        let href = tag.attribute(b"href")?;
        Some(LinkInTemplate {
            offset,
            href: Some(tag.part_and_end(href.value()).to_vec()),
            rel: tag.value(b"rel").unwrap_or_default().to_vec(),
        })
    }

    /// Takes the links of TEMPLATEs that have become part of the document.
    fn take_reopened(&mut self, builder: &LazyTreeBuilder) {
        let has_links = self.collector.wanted.facts.contains(Facts::LINKS);
        if self.scope != Scope::Document || !has_links {
            return;
        }
        for link in builder.take_reopened() {
            let Some(href) = &link.href else {
                self.overlong_tags += 1;
                continue;
            };
            if let Err(limit) = self.collector.link_of_body(link.offset, href, &link.rel) {
                self.stop(HeadEnd::Limit(limit), self.tag.offset);
                return;
            }
        }
    }

    fn check_limits(&mut self, builder: &LazyTreeBuilder) {
        if let Some(limit) = self.tree.limit(builder) {
            self.stop(HeadEnd::Limit(limit), self.tag.offset);
        }
    }

    /// Passes text to the tree builder, if tags are passed to it now.
    pub(super) fn pass_text(&mut self, text: CharacterKinds, builder: &mut LazyTreeBuilder) {
        if self.in_tree {
            self.tree.text(text, builder);
            self.take_reopened(builder);
            self.check_limits(builder);
        }
    }

    /// Ends the page for the tree builder, which may have held back the text of a table.
    pub(super) fn end_tree(&mut self, builder: &mut LazyTreeBuilder) {
        if self.in_tree && self.scope == Scope::Document {
            self.tree.end_of_page(builder);
            self.take_reopened(builder);
        }
    }

    /// Passes the text before the next `<` or `&` to the tree builder. Returns its length in bytes.
    pub(super) fn text_in_tree(&mut self, rest: &[u8], builder: &mut LazyTreeBuilder) -> usize {
        let length = memchr2(b'<', b'&', rest).unwrap_or(rest.len());
        let text = rest.get(..length).unwrap_or_default();
        // A CRLF is one line end, even if a chunk ends between its two bytes.
        let follows_cr = std::mem::take(&mut self.tree.ends_with_cr);
        self.tree.ends_with_cr = text.last() == Some(&b'\r') && length == rest.len();
        let text = match text.split_first() {
            Some((b'\n', after)) if follows_cr => after,
            _ => text,
        };
        self.pass_text(CharacterKinds::of(text), builder);
        length
    }

    /// Passes text after `<plaintext>` to the tree builder. Returns its length in bytes.
    pub(super) fn plaintext(&mut self, rest: &[u8], builder: &mut LazyTreeBuilder) -> usize {
        let mut text = CharacterKinds::of(rest);
        // In plaintext, a NUL becomes U+FFFD, which is text (HTML, 13.2.5.5).
        if text.contains(CharacterKinds::NUL) {
            text = text.difference(CharacterKinds::NUL) | CharacterKinds::OTHER;
        }
        self.pass_text(text, builder);
        rest.len()
    }
}
