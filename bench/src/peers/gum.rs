//! html5gum, with an emitter that has the states of HEAD and keeps nothing but METAs.
//!
//! A custom emitter is its fastest interface. This one emits a single token, the end of
//! HEAD, after which the tokenizer is not called again.

use super::Pair;
use super::states::{HeadStates, Kind, Next, Text};
use html5gum::{Emitter, Error, State, Tokenizer};
use std::mem;

/// The byte order mark, which html5gum reads as text.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// Returns the METAs in HEAD. html5gum reads bytes, as UTF-8.
pub fn metas(page: &[u8]) -> Vec<Pair> {
    let page = page.strip_prefix(MARK).unwrap_or(page);
    let mut metas = Vec::new();
    let _ = Tokenizer::new_with_emitter(page, HeadEmitter::new(&mut metas)).next();
    metas
}

/// A receiver of the parts of tokens.
struct HeadEmitter<'p> {
    metas: &'p mut Vec<Pair>,
    states: HeadStates,
    ended: bool,
    is_end_tag: bool,
    /// Whether the tag whose attributes are read is the start of a META.
    in_meta: bool,
    tag_name: Vec<u8>,
    /// The name of the tag whose text is read.
    text_name: Vec<u8>,
    attribute_name: Vec<u8>,
    attribute_value: Vec<u8>,
    /// The first `name` of the META.
    name: Option<Vec<u8>>,
    /// The first `content` of the META.
    content: Option<Vec<u8>>,
}

impl<'p> HeadEmitter<'p> {
    fn new(metas: &'p mut Vec<Pair>) -> Self {
        Self {
            metas,
            states: HeadStates::new(),
            ended: false,
            is_end_tag: false,
            in_meta: false,
            tag_name: Vec::new(),
            text_name: Vec::new(),
            attribute_name: Vec::new(),
            attribute_value: Vec::new(),
            name: None,
            content: None,
        }
    }

    fn init_tag(&mut self, is_end_tag: bool) {
        self.is_end_tag = is_end_tag;
        self.in_meta = false;
        self.tag_name.clear();
        self.attribute_name.clear();
    }

    /// Keeps the attribute that was read last, if it is wanted.
    fn finish_attribute(&mut self) {
        let known = match self.attribute_name.as_slice() {
            b"name" => &mut self.name,
            b"content" => &mut self.content,
            _ => return,
        };
        if known.is_none() {
            *known = Some(mem::take(&mut self.attribute_value));
        }
    }

    fn emit_start_tag(&mut self) -> Option<State> {
        match self.states.start(kind(&self.tag_name)) {
            Next::Go => None,
            Next::Meta => {
                self.finish_attribute();
                let name = text(self.name.take());
                let content = text(self.content.take());
                self.metas.push(Pair::owned(name, content));
                None
            }
            Next::Text(text) => {
                mem::swap(&mut self.text_name, &mut self.tag_name);
                Some(match text {
                    Text::Rcdata => State::RcData,
                    Text::Rawtext => State::RawText,
                    Text::Script => State::ScriptData,
                    Text::Plaintext => State::PlainText,
                })
            }
            Next::End => {
                self.ended = true;
                None
            }
        }
    }
}

impl Emitter for HeadEmitter<'_> {
    /// The end of the HEAD.
    type Token = ();

    fn pop_token(&mut self) -> Option<()> {
        self.ended.then_some(())
    }

    fn should_emit_errors(&mut self) -> bool {
        false
    }

    fn emit_error(&mut self, _: Error) {}

    fn emit_eof(&mut self) {}

    fn emit_string(&mut self, text: &[u8]) {
        if self.states.characters(text) {
            self.ended = true;
        }
    }

    fn init_start_tag(&mut self) {
        self.init_tag(false);
        self.name = None;
        self.content = None;
    }

    fn init_end_tag(&mut self) {
        self.init_tag(true);
    }

    fn push_tag_name(&mut self, part: &[u8]) {
        self.tag_name.extend_from_slice(part);
    }

    fn init_attribute(&mut self) {
        if self.in_meta {
            self.finish_attribute();
        } else {
            self.in_meta = !self.is_end_tag && self.tag_name == b"meta";
        }
        self.attribute_name.clear();
        self.attribute_value.clear();
    }

    fn push_attribute_name(&mut self, part: &[u8]) {
        if self.in_meta {
            self.attribute_name.extend_from_slice(part);
        }
    }

    fn push_attribute_value(&mut self, part: &[u8]) {
        if self.in_meta {
            self.attribute_value.extend_from_slice(part);
        }
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        if self.ended {
            return None;
        }
        if self.is_end_tag {
            self.ended = self.states.end(kind(&self.tag_name));
            return None;
        }
        self.emit_start_tag()
    }

    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        self.is_end_tag && self.tag_name == self.text_name
    }

    fn set_last_start_tag(&mut self, name: Option<&[u8]>) {
        self.text_name.clear();
        self.text_name.extend_from_slice(name.unwrap_or_default());
    }

    fn set_self_closing(&mut self) {}

    fn init_comment(&mut self) {}

    fn push_comment(&mut self, _: &[u8]) {}

    fn emit_current_comment(&mut self) {}

    fn init_doctype(&mut self) {}

    fn push_doctype_name(&mut self, _: &[u8]) {}

    fn set_force_quirks(&mut self) {}

    fn set_doctype_public_identifier(&mut self, _: &[u8]) {}

    fn set_doctype_system_identifier(&mut self, _: &[u8]) {}

    fn push_doctype_public_identifier(&mut self, _: &[u8]) {}

    fn push_doctype_system_identifier(&mut self, _: &[u8]) {}

    fn emit_current_doctype(&mut self) {}
}

/// Returns a value as text.
fn text(value: Option<Vec<u8>>) -> String {
    String::from_utf8(value.unwrap_or_default())
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn kind(name: &[u8]) -> Kind {
    match name {
        b"html" => Kind::Html,
        b"head" => Kind::Head,
        b"body" => Kind::Body,
        b"br" => Kind::Br,
        b"base" => Kind::Base,
        b"basefont" | b"bgsound" | b"link" => Kind::Link,
        b"meta" => Kind::Meta,
        b"title" => Kind::Title,
        b"noscript" => Kind::Noscript,
        b"noframes" => Kind::Noframes,
        b"style" => Kind::Style,
        b"script" => Kind::Script,
        b"template" => Kind::Template,
        b"textarea" => Kind::Textarea,
        b"iframe" | b"noembed" | b"xmp" => Kind::Xmp,
        b"plaintext" => Kind::Plaintext,
        _ => Kind::Other,
    }
}
