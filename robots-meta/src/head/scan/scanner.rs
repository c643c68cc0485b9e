//! The scanner: reads a page chunk by chunk, and collects the facts of its HEAD.
//!
//! # States
//!
//! Between tags ([`State::Data`]) only white space keeps a HEAD open, so any other text ends it. A
//! `<` begins a tag ([`State::Tag`], read by [`TagBuffer`]), a comment, doctype or other markup that is
//! skipped ([`Skipped`]), or text ([`MarkupStart`]). A raw text element ([`Content`]) is skipped to its
//! end tag. [`InsertionMode`] determines the effect of a tag; while `in_tree` is true, the tree builder
//! does.
//!
//! # TEMPLATE and BODY
//!
//! The content of a TEMPLATE can be in any mode of the standard. From its start tag to its end tag
//! the tags go to the tree builder ([`Tree`]); where all of the document is read, so do those after
//! HEAD. The tree builder begins in the mode "in head" or "after head", so that no byte is read twice.
//!
//! # Chunks
//!
//! The result does not depend on where chunks end. Between two chunks a scanner holds:
//!
//! * the facts that it has found;
//! * the wanted parts of a tag that the chunk cuts, or the first few bytes of other markup ([`Carry`]);
//! * in the reader of a HEAD, a record of the TEMPLATE that is open: the tree builder cannot move between
//!   threads, so the reader drops it at the end of a chunk and rebuilds it from the record.

use super::fast_path::{after_space, skip_unwanted};
use super::markup_start::{Carry, EMPTY_END_TAG_LENGTH, MarkupStart};
use super::mode::{InsertionMode, Mode};
use super::raw_text::{Content, Until};
use super::skipped::Skipped;
use super::space_reference::{Reference, SpaceReference};
use super::tag_buffer::{KeptTags, TagBuffer, TagKind};
use crate::head::encoding::PageEncoding;
use crate::head::text::Collector;
use crate::head::tree::{CharacterKinds, LazyTreeBuilder, Tree};
use crate::page::{HeadEnd, HeadLimit, PageFacts, ReadBy};
use crate::wanted::Wanted;
use encoding_rs::Encoding;
use std::mem;

/// The part of a page that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Its HEAD, and no byte after it.
    Head,
    /// All of it.
    Document,
}

/// The markup that is being read.
#[derive(Debug, Clone, Copy)]
pub(super) enum State {
    Data,
    /// After an `&` between tags, which is at this offset of the page.
    Reference(SpaceReference, usize),
    Tag,
    Skipped(Skipped),
    Raw(Content),
    Plaintext,
}

/// A scanner of one page.
pub(crate) struct Scanner {
    pub(super) state: State,
    carry: Carry,
    pub(super) tag: TagBuffer,
    pub(super) insertion: InsertionMode,
    pub(super) scope: Scope,
    pub(super) collector: Collector,
    pub(super) encoding: PageEncoding,
    pub(super) tree: Tree,
    /// True while the tree builder takes the tags.
    pub(super) in_tree: bool,
    /// The offset of the first tag or text that the tree builder took.
    pub(super) handed_over: Option<usize>,
    /// The offset of the text that ended the HEAD, if text did.
    pub(super) text_end: Option<usize>,
    /// The cause of the end of the HEAD, once it has ended.
    pub(super) end: Option<HeadEnd>,
    pub(super) is_done: bool,
    /// The offset of the last tag that can be wanted in a document, if it is known.
    last_wanted: Option<usize>,
    /// The number of bytes of the page up to the end of reading.
    pub(super) consumed: usize,
    /// True inside the TITLE whose text is kept.
    pub(super) in_title: bool,
    /// The number of tags that were too long for their attributes to be read.
    pub(super) overlong_tags: usize,
}

impl Scanner {
    pub(crate) fn new(
        wanted: Wanted,
        scope: Scope,
        scripting: bool,
        encoding: PageEncoding,
    ) -> Self {
        Self {
            state: State::Data,
            carry: Carry::default(),
            tag: TagBuffer::default(),
            insertion: InsertionMode {
                mode: Mode::BeforeHead,
                scripting,
            },
            scope,
            collector: Collector::new(wanted),
            encoding,
            tree: match scope {
                Scope::Head => Tree::of_head(scripting),
                Scope::Document => Tree::of_document(scripting),
            },
            in_tree: false,
            handed_over: None,
            text_end: None,
            end: None,
            is_done: false,
            last_wanted: None,
            consumed: 0,
            in_title: false,
            overlong_tags: 0,
        }
    }

    /// Stops reading a document after the tag at this offset of the page, or the first after it.
    pub(crate) fn stop_after(&mut self, tag: usize) {
        self.last_wanted = Some(tag);
    }

    /// Ends reading after the tag that has been taken, if no other can be wanted.
    pub(super) fn stop_if_last_wanted(&mut self) {
        if !self.is_done && self.last_wanted.is_some_and(|last| self.tag.offset >= last) {
            self.is_done = true;
            self.consumed = self.tag.offset + self.tag.length;
        }
    }

    /// Returns whether the result is final.
    pub(crate) fn is_done(&self) -> bool {
        self.is_done
    }

    /// Returns the number of bytes that are kept to rebuild the tree builder at the next chunk. It is 0
    /// outside of a TEMPLATE.
    pub(crate) fn recorded_bytes(&self) -> usize {
        self.tree.recorded_bytes()
    }

    /// Reads the next chunk of the page, which begins at this offset.
    pub(crate) fn feed(&mut self, chunk: &[u8], offset: usize, builder: &mut LazyTreeBuilder) {
        let mut taken = 0_usize;
        while !self.carry.is_empty()
            && !self.is_done
            && let Some(&byte) = chunk.get(taken)
        {
            self.carry.push(byte);
            taken += 1;
            if self.is_decided(builder) {
                let carry = std::mem::take(&mut self.carry);
                self.run(carry.bytes(), carry.offset, builder);
                // If the last of these bytes begins other markup (`<<`), `run` has put it into the carry again. It
                // is in this chunk, so it is read with the rest of the chunk instead.
                if let Some(before) = taken.checked_sub(self.carry.bytes().len()) {
                    self.carry = Carry::default();
                    taken = before;
                }
            }
        }
        let rest = chunk.get(taken..).unwrap_or_default();
        self.run(rest, offset + taken, builder);
    }

    /// Returns whether the carried bytes are enough to know the kind of markup.
    fn is_decided(&self, builder: &mut LazyTreeBuilder) -> bool {
        let bytes = self.carry.bytes();
        self.carry.is_full()
            || match self.state {
                // With `More(0)`, no byte is read: the kind of the `<` still depends on the bytes after it.
                State::Raw(mut content) => content.read(bytes) != Until::More(0),
                _ => MarkupStart::of(bytes, self.is_foreign(builder)) != MarkupStart::NeedMore,
            }
    }

    fn is_foreign(&self, builder: &mut LazyTreeBuilder) -> bool {
        self.in_tree && self.tree.is_in_foreign_content(builder)
    }

    /// Reads some bytes, which begin at `start` in the page.
    fn run(&mut self, bytes: &[u8], start: usize, builder: &mut LazyTreeBuilder) {
        let offset = |at: usize| start + at;
        let mut at = 0_usize;
        while at < bytes.len() && !self.is_done {
            let rest = bytes.get(at..).unwrap_or_default();
            let read = match self.state {
                State::Data => {
                    if self.in_tree {
                        at += self.text_in_tree(rest, builder);
                    } else if self.insertion.mode == Mode::InHead {
                        let is_tentative = self.encoding.is_tentative();
                        at = skip_unwanted(bytes, at, &self.collector, is_tentative);
                    } else {
                        at = after_space(bytes, at);
                    }
                    match bytes.get(at..) {
                        Some(rest @ [_, ..]) if !self.is_done => {
                            self.markup(rest, offset(at), builder)
                        }
                        _ => 0,
                    }
                }
                State::Reference(known, ampersand) => {
                    self.reference(known, rest, ampersand, builder)
                }
                State::Tag => self.continue_tag(rest, builder),
                State::Skipped(mut skipped) => {
                    let end = skipped.read(rest);
                    if end.is_some() && skipped.has_text() {
                        self.pass_text(CharacterKinds::OTHER, builder);
                    }
                    self.state = match end {
                        Some(_) => State::Data,
                        None => State::Skipped(skipped),
                    };
                    end.unwrap_or(rest.len())
                }
                State::Raw(content) => self.raw(content, rest, offset(at), builder),
                State::Plaintext => self.plaintext(rest, builder),
            };
            at += read;
        }
    }

    /// Reads markup, which begins with a `<`, or text that ends the HEAD. Returns the number of bytes
    /// read.
    #[inline]
    fn markup(&mut self, rest: &[u8], offset: usize, builder: &mut LazyTreeBuilder) -> usize {
        let start = match rest.first() {
            Some(b'<') => MarkupStart::of(rest, self.is_foreign(builder)),
            Some(b'&') => {
                self.state = State::Reference(SpaceReference::default(), offset);
                return 1;
            }
            _ => MarkupStart::Text,
        };
        match start {
            MarkupStart::StartTag => self.begin_tag(rest, offset, TagKind::Start, builder),
            MarkupStart::EndTag => self.begin_tag(rest, offset, TagKind::End, builder),
            MarkupStart::Skipped(length, skipped) => {
                self.state = State::Skipped(skipped);
                length
            }
            MarkupStart::Nothing => EMPTY_END_TAG_LENGTH,
            MarkupStart::NeedMore => {
                self.carry = Carry::new(rest, offset);
                rest.len()
            }
            MarkupStart::Text => self.text(offset, builder),
        }
    }

    /// Continues a reference between tags, whose `&` is at this offset of the page. `known` is the part
    /// of it that has been read. Returns the number of bytes read.
    fn reference(
        &mut self,
        known: SpaceReference,
        rest: &[u8],
        offset: usize,
        builder: &mut LazyTreeBuilder,
    ) -> usize {
        match known.read(rest) {
            Reference::Space(length, text) => {
                self.state = State::Data;
                self.pass_text(text, builder);
                length
            }
            Reference::Text => {
                self.state = State::Data;
                if !self.in_tree {
                    self.end_head(HeadEnd::Text, offset, offset, builder);
                }
                // The `&` has been passed, and is text.
                self.pass_text(CharacterKinds::OTHER, builder);
                0
            }
            Reference::NeedMore(known) => {
                self.state = State::Reference(known, offset);
                rest.len()
            }
        }
    }

    /// Reads the first byte of text that is not white space. Returns the number of bytes read.
    fn text(&mut self, offset: usize, builder: &mut LazyTreeBuilder) -> usize {
        if self.in_tree {
            self.pass_text(CharacterKinds::OTHER, builder);
            return 1;
        }
        self.end_head(HeadEnd::Text, offset, offset, builder);
        // If all of the document is read, the byte is read again, in the state after HEAD.
        0
    }

    /// Reads the content of a raw text element, up to its end tag. Returns the number of bytes read.
    fn raw(
        &mut self,
        mut content: Content,
        rest: &[u8],
        offset: usize,
        builder: &mut LazyTreeBuilder,
    ) -> usize {
        let until = content.read(rest);
        let (Until::EndTag(length) | Until::More(length)) = until;
        if self.in_title {
            self.collector
                .title_text(rest.get(..length).unwrap_or_default());
        }
        self.state = State::Raw(content);
        let after = rest.get(length..).unwrap_or_default();
        let offset = offset + length;
        match until {
            Until::EndTag(_) => {
                if std::mem::take(&mut self.in_title) {
                    self.collector.end_title();
                }
                // Nearly every end tag has no attributes, so it need not be read as a tag, unless the tree builder
                // takes it.
                let bare = content.bare_end_tag_length();
                if after.get(bare) == Some(&b'>') && !self.in_tree {
                    self.state = State::Data;
                    return length + bare + 1;
                }
                length + self.begin_tag(after, offset, TagKind::EndOfRawText, builder)
            }
            Until::More(_) => {
                if !after.is_empty() {
                    self.carry = Carry::new(after, offset);
                }
                rest.len()
            }
        }
    }

    /// Begins a tag at its `<`. Returns the number of bytes read.
    #[inline]
    fn begin_tag(
        &mut self,
        rest: &[u8],
        offset: usize,
        kind: TagKind,
        builder: &mut LazyTreeBuilder,
    ) -> usize {
        self.state = State::Tag;
        self.tag.begin(offset, kind);
        self.continue_tag(rest, builder)
    }

    /// Continues a tag. Returns the number of bytes read.
    #[inline]
    fn continue_tag(&mut self, rest: &[u8], builder: &mut LazyTreeBuilder) -> usize {
        let kept = KeptTags {
            links: self.collector.wants_link(),
            others: self.in_tree || self.scope == Scope::Document,
        };
        let Some(end) = self.tag.read(rest, kept) else {
            self.tag.hold(rest);
            if self.tag.is_overlong_meta() {
                self.stop(HeadEnd::Limit(HeadLimit::MetaBytes), self.tag.offset);
            }
            return rest.len();
        };
        let tag = rest.get(..end).unwrap_or_default();
        if self.tag.is_in_chunk() {
            self.tag.length = end;
            self.complete(tag, builder);
        } else {
            self.tag.hold(tag);
            let held = std::mem::take(&mut self.tag.held);
            self.complete(&held, builder);
            self.tag.held = held;
        }
        end
    }

    /// Reads the end of a page of this length. Markup that has begun with a `<` or `&` may be text.
    fn end_of_page(&mut self, page_length: usize, builder: &mut LazyTreeBuilder) {
        let text = match (self.state, self.carry.bytes()) {
            (State::Data, b"<" | b"</") => CharacterKinds::OTHER,
            (State::Reference(known, _), _) => known.text_at_end(),
            _ => CharacterKinds::empty(),
        };
        if !self.in_tree && text.contains(CharacterKinds::OTHER) {
            // Text of BODY matters only if a TEMPLATE left formatting elements to open again.
            if self.scope == Scope::Document && self.handed_over.is_some() {
                self.enter_tree(Mode::AfterHead, page_length, builder);
            }
            self.end = Some(HeadEnd::Text);
        }
        self.pass_text(text, builder);
        self.end_tree(builder);
    }

    /// Ends reading, and takes the facts of the page. The scanner is not moved, as it is large.
    ///
    /// `end_of_input` is the end of the page or the limit of its bytes: it ends the HEAD if nothing else
    /// has. `taken` is the number of bytes before it. `transcoded` is the encoding of a page that was
    /// decoded before the scan: then only the offsets of tags refer to its original bytes.
    pub(crate) fn finish(
        &mut self,
        end_of_input: HeadEnd,
        taken: usize,
        transcoded: Option<&'static Encoding>,
        builder: &mut LazyTreeBuilder,
    ) -> PageFacts {
        if !self.is_done {
            if end_of_input == HeadEnd::EndOfPage {
                self.end_of_page(taken, builder);
            }
            // The title has no end tag, so bytes that could have begun one are text.
            if self.in_title && matches!(self.state, State::Raw(_)) {
                self.collector.title_text(self.carry.bytes());
            }
            self.consumed = taken;
        }
        let offsets_are_exact = transcoded.is_none();
        // If nothing ended reading before the end of the input, `consumed` is `taken`, which counts original bytes.
        let consumed_is_exact = offsets_are_exact || !self.is_done;
        // A limit on bytes that is exceeded after HEAD replaces the end of HEAD, as in `stop`.
        let is_limit = matches!(end_of_input, HeadEnd::Limit(_)) && !self.is_done;
        // In a page that was decoded first, offsets of tags are exact, and those of text are not.
        let began_at_tag = self.handed_over != self.text_end;
        let read_by = match self.handed_over {
            Some(from) => ReadBy::TreeBuilder {
                from: (offsets_are_exact || began_at_tag).then_some(from),
            },
            None => ReadBy::Scanner,
        };
        let encoding = self.encoding.encoding();
        let end = match self.end.take() {
            Some(found) if !is_limit => found,
            _ => end_of_input,
        };
        // A reader of the HEAD has stopped at the text.
        let text_end = match self.scope {
            Scope::Document => self.text_end,
            Scope::Head => self.is_done.then_some(self.consumed),
        };
        let text_end = text_end.filter(|_| end == HeadEnd::Text && offsets_are_exact);
        let collector = &mut self.collector;
        // Past a limit, end tags may be missing.
        if !matches!(end, HeadEnd::Limit(_)) {
            collector.records.unclosed_no_snippets = collector.open.offsets();
        }
        PageFacts {
            text: collector.decode(encoding, offsets_are_exact),
            records: mem::take(&mut collector.records),
            encoding: transcoded.unwrap_or(encoding),
            encoding_source: self.encoding.source(),
            end,
            text_end,
            consumed: consumed_is_exact.then_some(self.consumed),
            overlong_tags: self.overlong_tags,
            read_by,
        }
    }
}
