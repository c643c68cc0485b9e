//! html5ever's tokenizer, with a sink that has the states of HEAD and keeps nothing but METAs.
//!
//! A sink can stop the tokenizer only at a tag, by the answer of a tree builder to `</script>`.
//! If text ends the HEAD, the tokenizer stops at the next tag.

use super::Pair;
use super::states::{HeadStates, Kind, Next, Text};
use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::{LocalName, TokenizerResult, local_name};
use std::cell::RefCell;

/// The approximate size of a part of the page in bytes. The tokenizer owns its text, so the page is copied in parts: little
/// of it is copied after the end of HEAD.
const PART_BYTES: usize = 16 * 1024;

/// Returns the METAs in HEAD. html5ever reads decoded text.
pub fn metas(page: &str) -> Vec<Pair> {
    // The tokenizer's own option would drop the mark at the beginning of every part.
    let mut rest = page.strip_prefix('\u{FEFF}').unwrap_or(page);
    let options = TokenizerOpts {
        discard_bom: false,
        ..TokenizerOpts::default()
    };
    let tokenizer = Tokenizer::new(HeadSink::default(), options);
    let input = BufferQueue::default();
    while !rest.is_empty() {
        let part;
        (part, rest) = rest.split_at(part_length(rest));
        input.push_back(StrTendril::from_slice(part));
        if !matches!(tokenizer.feed(&input), TokenizerResult::Done) {
            break;
        }
    }
    tokenizer.sink.reading.into_inner().metas
}

/// Returns the length of the next part, which ends with a whole character.
fn part_length(rest: &str) -> usize {
    let mut length = PART_BYTES.min(rest.len());
    while !rest.is_char_boundary(length) {
        length += 1;
    }
    length
}

/// A receiver of tokens.
#[derive(Default)]
struct HeadSink {
    reading: RefCell<Reading>,
}

struct Reading {
    states: HeadStates,
    ended: bool,
    metas: Vec<Pair>,
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            states: HeadStates::new(),
            ended: false,
            metas: Vec::new(),
        }
    }
}

impl TokenSink for HeadSink {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let mut reading = self.reading.borrow_mut();
        match token {
            Token::TagToken(tag) => reading.tag(&tag),
            Token::CharacterTokens(text) => {
                let text: &str = &text;
                reading.characters(text.as_bytes());
                TokenSinkResult::Continue
            }
            Token::NullCharacterToken => {
                reading.characters(b"\0");
                TokenSinkResult::Continue
            }
            Token::DoctypeToken(_)
            | Token::CommentToken(_)
            | Token::EOFToken
            | Token::ParseError(_) => TokenSinkResult::Continue,
        }
    }
}

impl Reading {
    fn characters(&mut self, text: &[u8]) {
        if self.states.characters(text) {
            self.ended = true;
        }
    }

    fn tag(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        if self.ended {
            return TokenSinkResult::Script(());
        }
        let kind = kind(&tag.name);
        if tag.kind == TagKind::EndTag {
            return if self.states.end(kind) {
                TokenSinkResult::Script(())
            } else {
                TokenSinkResult::Continue
            };
        }
        match self.states.start(kind) {
            Next::Go => TokenSinkResult::Continue,
            Next::Meta => {
                self.metas.push(pair(tag));
                TokenSinkResult::Continue
            }
            Next::Text(Text::Rcdata) => TokenSinkResult::RawData(RawKind::Rcdata),
            Next::Text(Text::Rawtext) => TokenSinkResult::RawData(RawKind::Rawtext),
            Next::Text(Text::Script) => TokenSinkResult::RawData(RawKind::ScriptData),
            Next::Text(Text::Plaintext) => TokenSinkResult::Plaintext,
            Next::End => TokenSinkResult::Script(()),
        }
    }
}

/// Returns the name and the content of a META.
fn pair(meta: &Tag) -> Pair {
    let (mut name, mut content) = ("", "");
    for attribute in &meta.attrs {
        match attribute.name.local {
            local_name!("name") => name = &attribute.value,
            local_name!("content") => content = &attribute.value,
            _ => {}
        }
    }
    Pair::new(name, content)
}

fn kind(name: &LocalName) -> Kind {
    match *name {
        local_name!("html") => Kind::Html,
        local_name!("head") => Kind::Head,
        local_name!("body") => Kind::Body,
        local_name!("br") => Kind::Br,
        local_name!("base") => Kind::Base,
        local_name!("basefont") | local_name!("bgsound") | local_name!("link") => Kind::Link,
        local_name!("meta") => Kind::Meta,
        local_name!("title") => Kind::Title,
        local_name!("noscript") => Kind::Noscript,
        local_name!("noframes") => Kind::Noframes,
        local_name!("style") => Kind::Style,
        local_name!("script") => Kind::Script,
        local_name!("template") => Kind::Template,
        local_name!("textarea") => Kind::Textarea,
        local_name!("iframe") | local_name!("noembed") | local_name!("xmp") => Kind::Xmp,
        local_name!("plaintext") => Kind::Plaintext,
        _ => Kind::Other,
    }
}
