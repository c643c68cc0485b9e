//! The authority: html5ever's tree builder over a sink that keeps no tree.
//!
//! The standard's own machine says what is in HEAD; the sink remembers METAs, the title and the
//! canonical link as they are inserted there, and tells when BODY or FRAMESET is created, which is
//! where reading ends. Elements live as long as the tree builder holds them, so memory is bounded
//! by the depth of the open elements, which has a limit.
//!
//! This is the only file that names html5ever.

use super::attributes::TagAttributes;
use crate::page::{Attribute, Canonical, HeadEnd, HeadLimit, Meta};
use html5ever::buffer_queue::BufferQueue;
use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{SliceExt, StrTendril};
use html5ever::tokenizer::{Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{ExpandedName, QualName, TokenizerResult, local_name, ns};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt;
use std::rc::Rc;

/// The number of elements open at once, nested templates and what is in them, beyond which
/// reading stops: with it, no page makes the tree builder search a deep stack again and again.
pub const MAX_OPEN_ELEMENTS: usize = 512;

/// Text is given to the tokenizer in parts of at most this many bytes, between which limits are
/// checked.
const PART_BYTES: usize = 4_096;

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) metas: Vec<Meta>,
    pub(crate) title: Option<String>,
    pub(crate) canonical: Option<Canonical>,
    pub(crate) end: Option<HeadEnd>,
}

/// Takes the text of a page; keeps what its HEAD says.
pub(crate) struct Authority {
    tokenizer: Tokenizer<Gate>,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let found = Rc::new(Shared::default());
        let options = TreeBuilderOpts {
            // A crawler runs no scripts: what is in NOSCRIPT counts.
            scripting_enabled: false,
            ..TreeBuilderOpts::default()
        };
        let sink = HeadSink {
            shared: Rc::clone(&found),
            document: Node::other(&found),
        };
        let gate = Gate {
            tree: TreeBuilder::new(sink, options),
            shared: found,
            input: BufferQueue::default(),
            part: RefCell::new(StrTendril::new()),
            given: Cell::new(0),
            token_end: Cell::new(0),
            marks: RefCell::new(VecDeque::new()),
            attributes: RefCell::new(TagAttributes::default()),
        };
        let options = TokenizerOpts {
            // The byte order mark is taken off before; any other U+FEFF is text, here and in the
            // standard, wherever a piece begins with it.
            discard_bom: false,
            ..TokenizerOpts::default()
        };
        Self {
            tokenizer: Tokenizer::new(gate, options),
        }
    }

    /// Takes a piece of text that has `<` at its beginning or nowhere; that `<`, if there is one,
    /// stands at `offset` in the bytes of the page. Says whether reading can end.
    pub(crate) fn feed(&mut self, text: &str, offset: usize) -> bool {
        self.tokenizer.sink.mark(text, offset);
        let mut rest = text;
        while !rest.is_empty() && !self.is_done() {
            let part;
            (part, rest) = split_at_most(rest, PART_BYTES);
            let gate = &self.tokenizer.sink;
            gate.give(part.to_tendril());
            while !matches!(self.tokenizer.feed(&gate.input), TokenizerResult::Done) {}
            gate.check_attributes(gate.given.get());
        }
        self.is_done()
    }

    /// Whether the HEAD has ended.
    pub(crate) fn is_done(&self) -> bool {
        self.tokenizer.sink.shared.done.get()
    }

    /// Ends reading, for this reason if there was none before.
    pub(crate) fn finish(self, end: HeadEnd) -> Found {
        if end == HeadEnd::EndOfPage && !self.is_done() {
            let gate = &self.tokenizer.sink;
            gate.at_end_of_page();
            self.tokenizer.end();
        }
        let shared = &self.tokenizer.sink.shared;
        shared.end(end);
        shared.found.take()
    }
}

impl fmt::Debug for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authority")
            .field("text", &self.tokenizer.sink.given.get())
            .finish_non_exhaustive()
    }
}

/// Where a `<` stands: in the text and in the bytes that it was decoded from.
struct Mark {
    text: usize,
    source: usize,
    /// The `<` and what follows it, as far as it takes to know `</>`.
    opening: Opening,
}

/// How what begins with `<` goes on.
#[derive(Default)]
struct Opening {
    bytes: [u8; EMPTY_END_TAG.len()],
    length: usize,
}

impl Opening {
    /// Takes as much of the text as there is room for.
    fn extend(&mut self, text: &str) {
        for (to, from) in self.bytes.iter_mut().skip(self.length).zip(text.bytes()) {
            *to = from;
            self.length = self.length.saturating_add(1);
        }
    }
}

/// An end tag without a name, which is nothing at all: the tokenizer gives no token for it.
const EMPTY_END_TAG: [u8; 3] = *b"</>";

/// What gate and sink know together.
#[derive(Default)]
struct Shared {
    found: RefCell<Found>,
    done: Cell<bool>,
    /// The tag that is being processed: its name and the offset of its `<` in the page.
    tag: RefCell<Option<(String, usize)>>,
    at_end_of_page: Cell<bool>,
    open_elements: Cell<usize>,
}

impl Shared {
    fn end(&self, end: HeadEnd) {
        if !self.done.replace(true) {
            self.found.borrow_mut().end = Some(end);
        }
    }

    /// The offset of the tag that is being processed.
    fn offset(&self) -> usize {
        self.tag.borrow().as_ref().map_or(0, |(_, offset)| *offset)
    }
}

/// Stands between tokenizer and tree builder: knows where each tag began, and lets nothing pass
/// when the HEAD has ended.
struct Gate {
    tree: TreeBuilder<Rc<Node>, HeadSink>,
    shared: Rc<Shared>,
    input: BufferQueue,
    /// The part of the text that was given last.
    part: RefCell<StrTendril>,
    /// The bytes of text given so far.
    given: Cell<usize>,
    /// The bytes of text that the tokenizer had taken at the last token. It may have taken one
    /// character more than the token has, to see that the token had ended.
    token_end: Cell<usize>,
    /// Where each `<` stands, from the last token on.
    marks: RefCell<VecDeque<Mark>>,
    attributes: RefCell<TagAttributes>,
}

impl Gate {
    /// The bytes of text that the tokenizer has taken.
    fn taken(&self) -> usize {
        // The queue tells no length: it is emptied and filled again. It holds the rest of one
        // part, and in front of it at most a few characters that were put back.
        let mut left = 0_usize;
        let mut buffers = Vec::with_capacity(2);
        while let Some(buffer) = self.input.pop_front() {
            left = left.saturating_add(buffer.len());
            buffers.push(buffer);
        }
        for buffer in buffers {
            self.input.push_back(buffer);
        }
        self.given.get().saturating_sub(left)
    }

    /// Remembers where the `<` of a piece stands, if it has one, and what follows the last.
    fn mark(&self, text: &str, offset: usize) {
        let mut marks = self.marks.borrow_mut();
        let mut following = text;
        if let Some(at) = memchr::memchr(b'<', text.as_bytes()) {
            following = text.get(at..).unwrap_or_default();
            marks.push_back(Mark {
                text: self.given.get().saturating_add(at),
                source: offset,
                opening: Opening::default(),
            });
        }
        if let Some(mark) = marks.back_mut() {
            mark.opening.extend(following);
            if mark.opening.bytes == EMPTY_END_TAG {
                marks.pop_back();
            }
        }
    }

    /// Takes the next part of the text, for the tokenizer to be run on.
    fn give(&self, part: StrTendril) {
        self.given.set(self.given.get().saturating_add(part.len()));
        *self.part.borrow_mut() = part.clone();
        self.input.push_back(part);
    }

    /// Looks at what the tokenizer has taken since the last token, up to `end` in the text: ends
    /// reading if it is a tag of too many attributes. Each part must be looked at before the next
    /// is given.
    fn check_attributes(&self, end: usize) {
        if let Some(mark) = self.marks.borrow().front() {
            let part = self.part.borrow();
            let part_start = self.given.get().saturating_sub(part.len());
            let too_many =
                self.attributes
                    .borrow_mut()
                    .exceed(mark.text, part.as_bytes(), part_start, end);
            if too_many {
                self.shared.end(HeadEnd::Limit(HeadLimit::Attributes));
            }
        }
    }

    fn at_end_of_page(&self) {
        self.shared.at_end_of_page.set(true);
    }
}

impl TokenSink for Gate {
    type Handle = Rc<Node>;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Rc<Node>> {
        if self.shared.done.get() || matches!(token, Token::ParseError(_)) {
            return TokenSinkResult::Continue;
        }
        // A tag begins at the first `<` behind the token before it. The character before that
        // may be a `<` which the tokenizer took to see that text had ended, as in `<<meta>`.
        if let Token::TagToken(tag) = &token {
            let mut marks = self.marks.borrow_mut();
            let from = self.token_end.get().saturating_sub(1);
            while marks.front().is_some_and(|mark| mark.text < from) {
                marks.pop_front();
            }
            let offset = marks.front().map_or(0, |mark| mark.source);
            drop(marks);
            *self.shared.tag.borrow_mut() = Some((tag.name.to_string(), offset));
            self.check_attributes(self.taken());
            if self.shared.done.get() {
                return TokenSinkResult::Continue;
            }
        } else {
            *self.shared.tag.borrow_mut() = None;
        }
        let result = self.tree.process_token(token, line);
        let taken = self.taken();
        self.token_end.set(taken);
        let mut marks = self.marks.borrow_mut();
        while marks
            .front()
            .is_some_and(|mark| mark.text < taken.saturating_sub(1))
        {
            marks.pop_front();
        }
        match result {
            // Scripts are not run, and the encoding has been chosen.
            TokenSinkResult::Script(_) | TokenSinkResult::EncodingIndicator(_) => {
                TokenSinkResult::Continue
            }
            result => result,
        }
    }

    fn end(&self) {
        self.tree.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.tree
            .adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// A node of the tree that is not kept: what the tree builder asks about it.
struct Node {
    name: Option<QualName>,
    in_head: Cell<bool>,
    /// What is to be remembered if the node turns out to be in HEAD.
    content: RefCell<Content>,
    shared: Rc<Shared>,
}

enum Content {
    Nothing,
    Meta(Meta),
    Canonical(Canonical),
    /// The title's text, given to it piece by piece.
    Title,
}

impl Node {
    fn other(shared: &Rc<Shared>) -> Rc<Self> {
        Self::new(None, Content::Nothing, shared)
    }

    fn new(name: Option<QualName>, content: Content, shared: &Rc<Shared>) -> Rc<Self> {
        let open = shared.open_elements.get().saturating_add(1);
        shared.open_elements.set(open);
        if open > MAX_OPEN_ELEMENTS {
            shared.end(HeadEnd::Limit(HeadLimit::OpenElements));
        }
        Rc::new(Self {
            in_head: Cell::new(false),
            name,
            content: RefCell::new(content),
            shared: Rc::clone(shared),
        })
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let open = self.shared.open_elements.get();
        self.shared.open_elements.set(open.saturating_sub(1));
    }
}

/// Receives what the tree builder builds, and remembers what is in HEAD.
struct HeadSink {
    shared: Rc<Shared>,
    document: Rc<Node>,
}

/// The name of what is no element, for a question that is never asked.
const NO_NAME: ExpandedName<'static> = ExpandedName {
    ns: &ns!(),
    local: &local_name!(""),
};

impl TreeSink for HeadSink {
    type Handle = Rc<Node>;
    type Output = ();
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) {}

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Rc<Node> {
        Rc::clone(&self.document)
    }

    fn elem_name<'a>(&'a self, target: &'a Rc<Node>) -> ExpandedName<'a> {
        target.name.as_ref().map_or(NO_NAME, QualName::expanded)
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<html5ever::Attribute>,
        _: ElementFlags,
    ) -> Rc<Node> {
        let mut content = Content::Nothing;
        let mut is_head = false;
        if name.ns == ns!(html) {
            match name.local {
                local_name!("body") | local_name!("frameset") => {
                    self.shared.end(self.head_end());
                }
                local_name!("head") => is_head = true,
                local_name!("title") => content = Content::Title,
                local_name!("meta") => {
                    content = Content::Meta(Meta {
                        offset: self.shared.offset(),
                        attributes: attributes.iter().map(kept).collect(),
                    });
                }
                local_name!("link") => {
                    if let Some(href) = canonical_href(&attributes) {
                        content = Content::Canonical(Canonical {
                            offset: self.shared.offset(),
                            href,
                        });
                    }
                }
                _ => {}
            }
        }
        let node = Node::new(Some(name), content, &self.shared);
        node.in_head.set(is_head);
        node
    }

    fn create_comment(&self, _: StrTendril) -> Rc<Node> {
        Node::other(&self.shared)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Rc<Node> {
        Node::other(&self.shared)
    }

    fn append(&self, parent: &Rc<Node>, child: NodeOrText<Rc<Node>>) {
        if !parent.in_head.get() {
            return;
        }
        let mut found = self.shared.found.borrow_mut();
        match child {
            NodeOrText::AppendNode(node) => {
                node.in_head.set(true);
                match node.content.replace(Content::Nothing) {
                    Content::Meta(meta) => found.metas.push(meta),
                    Content::Canonical(canonical) => {
                        found.canonical.get_or_insert(canonical);
                    }
                    // Only the first title's text is kept.
                    Content::Title if found.title.is_none() => {
                        found.title = Some(String::new());
                        node.content.replace(Content::Title);
                    }
                    Content::Title | Content::Nothing => {}
                }
            }
            NodeOrText::AppendText(text) => {
                if let (Content::Title, Some(title)) = (&*parent.content.borrow(), &mut found.title)
                {
                    title.push_str(&text);
                }
            }
        }
    }

    fn append_based_on_parent_node(&self, _: &Rc<Node>, _: &Rc<Node>, _: NodeOrText<Rc<Node>>) {}

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, _: &Rc<Node>) -> Rc<Node> {
        // A fragment of its own: what is in a template is not in HEAD.
        Node::other(&self.shared)
    }

    fn same_node(&self, one: &Rc<Node>, other: &Rc<Node>) -> bool {
        Rc::ptr_eq(one, other)
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, _: &Rc<Node>, _: NodeOrText<Rc<Node>>) {}

    fn add_attrs_if_missing(&self, _: &Rc<Node>, _: Vec<html5ever::Attribute>) {}

    fn remove_from_parent(&self, _: &Rc<Node>) {}

    fn reparent_children(&self, _: &Rc<Node>, _: &Rc<Node>) {}

    fn allow_declarative_shadow_roots(&self, _: &Rc<Node>) -> bool {
        false
    }
}

impl HeadSink {
    /// What is being processed when a BODY is created.
    fn head_end(&self) -> HeadEnd {
        if self.shared.at_end_of_page.get() {
            return HeadEnd::EndOfPage;
        }
        match &*self.shared.tag.borrow() {
            Some((name, offset)) => HeadEnd::Tag {
                name: name.clone(),
                offset: *offset,
            },
            None => HeadEnd::Text,
        }
    }
}

/// The text cut at `most` bytes, or at the next character behind them.
fn split_at_most(text: &str, most: usize) -> (&str, &str) {
    (most..text.len())
        .find_map(|at| text.split_at_checked(at))
        .unwrap_or((text, ""))
}

fn kept(attribute: &html5ever::Attribute) -> Attribute {
    Attribute {
        name: attribute.name.local.to_string(),
        value: attribute.value.to_string(),
    }
}

/// The URL of a link with `rel=canonical`, if it has one.
fn canonical_href(attributes: &[html5ever::Attribute]) -> Option<String> {
    let value = |name: &str| {
        attributes
            .iter()
            .find(|attribute| &*attribute.name.local == name)
            .map(|attribute| &*attribute.value)
    };
    let is_canonical = value("rel")?
        .split_ascii_whitespace()
        .any(|token| token.eq_ignore_ascii_case("canonical"));
    let href = value("href")?.trim_ascii();
    (is_canonical && !href.is_empty()).then(|| href.to_owned())
}
