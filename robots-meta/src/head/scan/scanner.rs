//! The scanner: bytes in, one part after the other; what they say about HEAD out.
//!
//! # States
//!
//! Between tags ([`State::Data`]) nothing but white space keeps a HEAD open, so what is no `<` ends
//! it. A `<` begins a tag ([`State::Tag`], read by [`Open`]), something that says nothing
//! ([`Skipped`]), or is text ([`Opening`]). An element of text ([`Content`]) is skipped to its end
//! tag. What a tag does is said by [`Modes`].
//!
//! # Where it is not sure
//!
//! What stands in a TEMPLATE can be in any mode of the standard. From its start tag to its end
//! tag the tags are given to the [`Authority`], and where all of the document is read, so are those
//! behind HEAD. Nothing is read twice: the state in which the authority begins is one of two.
//!
//! # Parts
//!
//! The answer does not depend on where parts end. A tag that is cut is held, as far as it is wanted;
//! of everything else at most a few bytes are carried on ([`Carry`]). So between two parts a scanner
//! holds, besides what it has found, one tag at the most.

use super::fast_path::{behind_space, stride};
use super::markup_start::{Carry, EMPTY_END_TAG, Opening};
use super::mode::{Mode, Modes, Step};
use super::raw_text::{Content, RawText, Until};
use super::skipped::Skipped;
use super::space_reference::{Blank, Reference};
use super::tag_buffer::{Kept, Open};
use super::tag_name::Name;
use crate::head::encoding::Confidence;
use crate::head::text::Found;
use crate::head::tree::{Authority, Text};
use crate::page::{HeadEnd, HeadLimit, PageMeta, Place, ReadBy, Scope};
use crate::wanted::Wanted;

/// What the scanner is in.
#[derive(Debug, Clone, Copy)]
pub(crate) enum State {
    Data,
    /// Behind an `&` between tags, which stands there in the page; and what is known of what it
    /// refers to.
    Reference(Blank, usize),
    Tag,
    Skipped(Skipped),
    Raw(Content),
    Plaintext,
}

/// Reads one page.
pub(crate) struct Scanner {
    pub(crate) state: State,
    carry: Carry,
    pub(crate) open: Open,
    pub(crate) modes: Modes,
    pub(crate) scope: Scope,
    pub(crate) found: Found,
    pub(crate) encoding: Confidence,
    /// What takes the tags where the modes of a HEAD do not do.
    pub(crate) authority: Option<Box<Authority>>,
    /// Whether it takes them now.
    pub(crate) in_tree: bool,
    pub(crate) handed_over: Option<usize>,
    /// Where the text stands that ended the HEAD, if text did.
    text_end: Option<usize>,
    /// What ended the HEAD.
    pub(crate) end: Option<HeadEnd>,
    is_done: bool,
    /// The bytes of the page up to what ended reading.
    consumed: usize,
    has_title: bool,
    /// The tags that were too long for their attributes to be looked at.
    pub(crate) overlong_tags: usize,
}

impl Scanner {
    pub(crate) fn new(wanted: Wanted, scope: Scope, scripting: bool, encoding: Confidence) -> Self {
        Self {
            state: State::Data,
            carry: Carry::default(),
            open: Open::default(),
            modes: Modes {
                mode: Mode::BeforeHead,
                scripting,
            },
            scope,
            found: Found::new(wanted),
            encoding,
            authority: None,
            in_tree: false,
            handed_over: None,
            text_end: None,
            end: None,
            is_done: false,
            consumed: 0,
            has_title: false,
            overlong_tags: 0,
        }
    }

    /// Whether more of the page changes nothing.
    pub(crate) fn is_done(&self) -> bool {
        self.is_done
    }

    /// Takes the next part of the page, which begins at `source` in it.
    pub(crate) fn feed(&mut self, part: &[u8], source: usize) {
        let mut taken = 0_usize;
        while !self.carry.is_empty()
            && !self.is_done
            && let Some(&byte) = part.get(taken)
        {
            self.carry.push(byte);
            taken = taken.saturating_add(1);
            if self.is_decided() {
                let carry = std::mem::take(&mut self.carry);
                self.run(carry.bytes(), carry.source);
                // What is carried on again is read in one with the part, if it is of the part.
                if let Some(before) = taken.checked_sub(self.carry.bytes().len()) {
                    self.carry = Carry::default();
                    taken = before;
                }
            }
        }
        let rest = part.get(taken..).unwrap_or_default();
        self.run(rest, source.saturating_add(taken));
    }

    /// Whether it is known by now what the bytes begin that were carried on.
    fn is_decided(&mut self) -> bool {
        let bytes = self.carry.bytes();
        self.carry.is_full()
            || match self.state {
                State::Raw(mut content) => content.read(bytes) != Until::More(0),
                _ => Opening::of(bytes, self.is_foreign()) != Opening::NeedMore,
            }
    }

    fn is_foreign(&self) -> bool {
        self.in_tree
            && self
                .authority
                .as_ref()
                .is_some_and(|authority| authority.is_in_foreign_content())
    }

    /// Reads some bytes, which begin at `source` in the page.
    fn run(&mut self, bytes: &[u8], source: usize) {
        let place = |at: usize| source.saturating_add(at);
        let mut at = 0_usize;
        while at < bytes.len() && !self.is_done {
            let rest = bytes.get(at..).unwrap_or_default();
            let read = match self.state {
                State::Data => {
                    if self.in_tree {
                        at = at.saturating_add(self.text_in_tree(rest));
                    } else if self.modes.mode == Mode::InHead {
                        at = stride(bytes, at, &self.found, self.encoding.hears());
                    } else {
                        at = behind_space(bytes, at);
                    }
                    match bytes.get(at..) {
                        Some(rest @ [_, ..]) if !self.is_done => self.markup(rest, place(at)),
                        _ => 0,
                    }
                }
                State::Reference(blank, start) => self.reference(blank, rest, start),
                State::Tag => self.go_on(rest),
                State::Skipped(mut skipped) => {
                    let end = skipped.read(rest);
                    if end.is_some() && skipped.has_text() {
                        self.give_text(Text::OTHER);
                    }
                    self.state = match end {
                        Some(_) => State::Data,
                        None => State::Skipped(skipped),
                    };
                    end.unwrap_or(rest.len())
                }
                State::Raw(content) => self.raw(content, rest, place(at)),
                State::Plaintext => rest.len(),
            };
            at = at.saturating_add(read);
        }
    }

    /// Reads what begins with a `<`, or text that ends the HEAD; gives how many bytes.
    #[inline]
    fn markup(&mut self, rest: &[u8], source: usize) -> usize {
        let opening = match rest.first() {
            Some(b'<') => Opening::of(rest, self.is_foreign()),
            Some(b'&') => {
                self.state = State::Reference(Blank::default(), source);
                return 1;
            }
            _ => Opening::Text,
        };
        match opening {
            Opening::StartTag => self.begin_tag(rest, source, false, false),
            Opening::EndTag => self.begin_tag(rest, source, true, false),
            Opening::Skipped(length, skipped) => {
                self.state = State::Skipped(skipped);
                length
            }
            Opening::Nothing => EMPTY_END_TAG,
            Opening::NeedMore => {
                self.carry = Carry::new(rest, source);
                rest.len()
            }
            Opening::Text => self.text(source),
        }
    }

    /// Reads on in a reference between tags, whose `&` stands at `source` in the page.
    fn reference(&mut self, blank: Blank, rest: &[u8], source: usize) -> usize {
        match blank.read(rest) {
            Reference::Blank(length) => {
                self.state = State::Data;
                self.give_text(Text::SPACE);
                length
            }
            Reference::Text => {
                self.state = State::Data;
                if !self.in_tree {
                    self.end_head(HeadEnd::Text, source, source);
                }
                // The `&` is behind us, and text.
                self.give_text(Text::OTHER);
                0
            }
            Reference::NeedMore(blank) => {
                self.state = State::Reference(blank, source);
                rest.len()
            }
        }
    }

    /// Takes the first byte of text that is no white space.
    fn text(&mut self, source: usize) -> usize {
        if self.in_tree {
            self.give_text(Text::OTHER);
            return 1;
        }
        self.end_head(HeadEnd::Text, source, source);
        // Read again, behind HEAD, if that is asked for.
        0
    }

    /// Reads the content of an element of text.
    fn raw(&mut self, mut content: Content, rest: &[u8], source: usize) -> usize {
        let until = content.read(rest);
        let (Until::EndTag(length) | Until::More(length)) = until;
        if self.has_title {
            self.found
                .title_text(rest.get(..length).unwrap_or_default());
        }
        self.state = State::Raw(content);
        let behind = rest.get(length..).unwrap_or_default();
        let source = source.saturating_add(length);
        match until {
            Until::EndTag(_) => {
                if std::mem::take(&mut self.has_title) {
                    self.found.end_title();
                }
                // Nearly every end tag is nothing but its name.
                let bare = content.bare_end_tag();
                if behind.get(bare) == Some(&b'>') && !self.in_tree {
                    self.state = State::Data;
                    return length.saturating_add(bare).saturating_add(1);
                }
                length.saturating_add(self.begin_tag(behind, source, true, true))
            }
            Until::More(_) => {
                if !behind.is_empty() {
                    self.carry = Carry::new(behind, source);
                }
                rest.len()
            }
        }
    }

    /// Reads a tag from its `<`; gives how many bytes of it.
    #[inline]
    fn begin_tag(&mut self, rest: &[u8], source: usize, is_end: bool, ends_raw: bool) -> usize {
        self.state = State::Tag;
        self.open.begin(source, is_end, ends_raw);
        self.go_on(rest)
    }

    /// Reads on in a tag; gives how many bytes of it.
    #[inline]
    fn go_on(&mut self, rest: &[u8]) -> usize {
        let kept = Kept {
            links: self.found.wants_link(),
            others: self.in_tree || self.scope == Scope::Document,
        };
        let Some(end) = self.open.read(rest, kept) else {
            self.open.hold(rest);
            if self.open.is_overlong_meta() {
                self.stop(HeadEnd::Limit(HeadLimit::MetaBytes), self.open.source);
            }
            return rest.len();
        };
        let part = rest.get(..end).unwrap_or_default();
        if self.open.is_in_part() {
            self.open.length = end;
            self.complete(part);
        } else {
            self.open.hold(part);
            let held = std::mem::take(&mut self.open.held);
            self.complete(&held);
            self.open.held = held;
        }
        end
    }

    /// Takes a tag that has ended: its bytes, as far as they are wanted.
    #[inline]
    fn complete(&mut self, bytes: &[u8]) {
        self.state = State::Data;
        let name = self.open.name.unwrap_or(Name::Other);
        let is_raw_end = std::mem::take(&mut self.open.ends_raw);
        if self.in_tree {
            self.tag_in_tree(name, bytes);
            return;
        }
        if is_raw_end {
            return;
        }
        let step = if self.open.is_end {
            self.modes.end(name)
        } else {
            self.modes.start(name)
        };
        match step {
            Step::Void if name == Name::Meta => self.meta(bytes, Place::Head),
            Step::Void if name == Name::Link && self.found.wants_link() && self.open.is_kept() => {
                if self.open.is_readable() {
                    self.found.link(&self.open.text(bytes));
                } else if self.open.may_be_canonical(bytes) {
                    self.overlong_tags = self.overlong_tags.saturating_add(1);
                }
            }
            Step::Nothing | Step::Void => {}
            Step::Raw(element) => {
                self.state = State::Raw(Content::new(element));
                self.has_title =
                    element == RawText::Title && self.found.begin_title(self.open.source);
            }
            Step::Template => {
                self.enter_tree(self.modes.mode, self.open.source);
                self.tag_in_tree(name, bytes);
            }
            Step::End => {
                let end = HeadEnd::Tag {
                    name: self.open.kept_name(bytes, self.encoding.encoding()),
                    offset: self.open.source,
                };
                let consumed = self.open.source.saturating_add(self.open.length);
                self.end_head(end, self.open.source, consumed);
                if !self.is_done {
                    self.tag_in_tree(name, bytes);
                }
            }
        }
    }

    /// Takes a META that is at this place of the document.
    pub(crate) fn meta(&mut self, bytes: &[u8], place: Place) {
        let text = self.open.text(bytes);
        let taken = if self.open.is_overlong_meta() {
            Err(HeadLimit::MetaBytes)
        } else {
            let keys = text.keys();
            if place == Place::Head {
                self.encoding.hear(&keys);
            }
            self.found.meta(&text, &keys, place)
        };
        if let Err(limit) = taken {
            self.stop(HeadEnd::Limit(limit), self.open.source);
        }
    }

    /// The HEAD ends by what stands at `from`, and with it reading, unless all of the document is
    /// asked for.
    fn end_head(&mut self, end: HeadEnd, from: usize, consumed: usize) {
        if self.scope == Scope::Document {
            self.text_end = (end == HeadEnd::Text).then_some(from);
            self.end = Some(end);
            self.enter_tree(Mode::AfterHead, from);
        } else {
            self.stop(end, consumed);
        }
    }

    /// Ends reading.
    pub(crate) fn stop(&mut self, end: HeadEnd, consumed: usize) {
        if !self.is_done {
            self.is_done = true;
            self.consumed = consumed;
            // A limit that is struck behind HEAD says more than what ended HEAD.
            self.end = Some(end);
        }
    }

    /// Ends the page, or what is read of it.
    pub(crate) fn finish(mut self, end: HeadEnd, taken: usize, has_places: bool) -> PageMeta {
        if !self.is_done {
            match (self.state, self.carry.bytes()) {
                (State::Data, b"<" | b"</") if !self.in_tree && end == HeadEnd::EndOfPage => {
                    self.end = Some(HeadEnd::Text);
                }
                (State::Reference(blank, _), _)
                    if !blank.is_blank_at_end() && !self.in_tree && end == HeadEnd::EndOfPage =>
                {
                    self.end = Some(HeadEnd::Text);
                }
                (State::Raw(_), rest) if self.has_title => self.found.title_text(rest),
                _ => {}
            }
            self.consumed = taken;
        }
        let is_known = has_places || !self.is_done;
        let is_limit = matches!(end, HeadEnd::Limit(_)) && !self.is_done;
        let mut page = self.found.finish(self.encoding.encoding(), has_places);
        page.end = match self.end {
            Some(found) if !is_limit => found,
            _ => end,
        };
        page.encoding_source = self.encoding.source();
        page.consumed = is_known.then_some(self.consumed);
        page.overlong_tags = self.overlong_tags;
        // Of the text of such a page only the places of tags are known.
        let is_tag = self.handed_over != self.text_end;
        page.read_by = match self.handed_over {
            Some(from) => ReadBy::Authority {
                from: (has_places || is_tag).then_some(from),
            },
            None => ReadBy::Scanner,
        };
        page
    }
}
