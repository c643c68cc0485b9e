//! Where the modes of a HEAD do not do: tags and text are given to the authority.

use super::mode::Mode;
use super::raw_text::{Content, RawText};
use super::scanner::{Scanner, State};
use super::tag::is_space;
use super::tag_name::Name;
use crate::head::text::resolved;
use crate::head::tree::{
    Authority, Following, Left, MAX_OPEN_ELEMENTS, MAX_OPEN_ELEMENTS_OF_DOCUMENT, Start, Text,
};
use crate::page::{HeadEnd, HeadLimit, Place, Scope};
use memchr::{memchr, memchr2};

impl Scanner {
    /// Hands over to the authority, from `from` on.
    pub(crate) fn enter_tree(&mut self, mode: Mode, from: usize) {
        let start = match mode {
            _ if self.end.is_some() => Start::AfterHead,
            Mode::AfterHead => Start::AfterHead,
            _ => Start::InHead,
        };
        let most = match self.scope {
            Scope::Document => MAX_OPEN_ELEMENTS_OF_DOCUMENT,
            Scope::Head => MAX_OPEN_ELEMENTS,
        };
        let had_template = self.handed_over.is_some();
        self.handed_over.get_or_insert(from);
        self.in_tree = true;
        let known = self.authority.take().filter(|known| known.start() == start);
        self.authority = Some(known.unwrap_or_else(|| {
            let mut new = Authority::new(start, self.modes.scripting, most);
            if had_template {
                // Behind one, a FRAMESET does not replace a BODY.
                new.start_tag("template", false, Vec::new());
                new.end_tag("template");
            }
            Box::new(new)
        }));
    }

    /// Gives the authority a tag.
    pub(crate) fn tag_in_tree(&mut self, name: Name, bytes: &[u8]) {
        let Some(mut authority) = self.authority.take() else {
            return;
        };
        let text = self.open.name_text(bytes, self.encoding.encoding());
        authority.set_taken(self.open.source);
        if self.open.is_end {
            authority.end_tag(&text);
        } else {
            let attributes = self.attributes_for_tree(&text, bytes);
            let self_closing = self.open.is_self_closing();
            self.state = match authority.start_tag(&text, self_closing, attributes) {
                Following::Markup => State::Data,
                Following::RawText => RawText::of(&text)
                    .map_or(State::Data, |element| State::Raw(Content::new(element))),
                Following::Plaintext => State::Plaintext,
            };
            if authority.body_is_gone() {
                self.found.forget_body();
            }
            if self.open.is_overlong_meta() {
                // Where it is does not matter: it may not have been held.
                self.stop(HeadEnd::Limit(HeadLimit::MetaBytes), self.open.source);
            } else if let Some(place) = authority.placed() {
                self.element(name, &text, bytes, place);
            }
        }
        self.authority = Some(authority);
        self.check_limits();
        let left = self.authority.as_ref().and_then(|known| known.left());
        if self.end.is_none()
            && let Some(left) = left
        {
            self.in_tree = false;
            if left == Left::Something {
                self.authority = None;
            }
        }
    }

    /// Takes an element that is in the document.
    fn element(&mut self, name: Name, text: &str, bytes: &[u8], place: Place) {
        if name == Name::Meta {
            self.meta(bytes, place);
        } else if !self.open.is_readable() {
            let is_overlong = usize::from(self.open.is_kept());
            self.overlong_tags = self.overlong_tags.saturating_add(is_overlong);
        } else {
            let taken = self.found.element(text, &self.open.text(bytes));
            if let Err(limit) = taken {
                self.stop(HeadEnd::Limit(limit), self.open.source);
            }
        }
    }

    /// The attributes by which the tree builder decides.
    fn attributes_for_tree(&self, name: &str, bytes: &[u8]) -> Vec<(String, String)> {
        let names: &[&str] = match name {
            "input" => &["type"],
            "annotation-xml" => &["encoding"],
            "font" => &["color", "face", "size"],
            _ => return Vec::new(),
        };
        if !self.open.is_readable() {
            return Vec::new();
        }
        let text = self.open.text(bytes);
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

    fn check_limits(&mut self) {
        let limit = self.authority.as_ref().and_then(|known| known.limit());
        if let Some(limit) = limit {
            self.stop(HeadEnd::Limit(limit), self.open.source);
        }
    }

    /// Gives the authority some text, if it is asked. Its work is measured by the bytes before the last
    /// tag: where text is cut depends on the parts.
    pub(crate) fn give_text(&mut self, text: Text) {
        if let Some(authority) = &mut self.authority
            && self.in_tree
        {
            authority.text(text);
            self.check_limits();
        }
    }

    /// Gives the authority the text that is before the next `<` or `&`.
    pub(crate) fn text_in_tree(&mut self, rest: &[u8]) -> usize {
        let length = memchr2(b'<', b'&', rest).unwrap_or(rest.len());
        let text = rest.get(..length).unwrap_or_default();
        self.give_text(Text {
            has_space: text.iter().any(|&byte| is_space(byte)),
            has_other: text.iter().any(|&byte| byte != 0 && !is_space(byte)),
            has_nul: memchr(0, text).is_some(),
        });
        length
    }
}
