//! Between tokenizer and tree builder.

use super::Shared;
use super::sink::{HeadSink, Node};
use crate::head::attributes::TagAttributes;
use crate::head::marks::Marks;
use crate::page::{HeadEnd, HeadLimit};
use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::TreeBuilder;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Stands between tokenizer and tree builder: knows where each tag began, and lets nothing pass
/// when the HEAD has ended.
pub(super) struct Gate {
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
    marks: RefCell<Marks>,
    attributes: RefCell<TagAttributes>,
}

impl Gate {
    pub(super) fn new(tree: TreeBuilder<Rc<Node>, HeadSink>, shared: Rc<Shared>) -> Self {
        Self {
            tree,
            shared,
            input: BufferQueue::default(),
            part: RefCell::new(StrTendril::new()),
            given: Cell::new(0),
            token_end: Cell::new(0),
            marks: RefCell::new(Marks::default()),
            attributes: RefCell::new(TagAttributes::default()),
        }
    }

    pub(super) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// What was given and not taken yet: what the tokenizer is to be run on.
    pub(super) fn input(&self) -> &BufferQueue {
        &self.input
    }

    /// Learns where the `<` of a piece stands that is about to be given; the piece begins at
    /// `offset` in the page.
    pub(super) fn see(&self, piece: &str, offset: usize) {
        self.marks.borrow_mut().see(piece, self.given.get(), offset);
    }

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

    /// Takes the next part of the text, for the tokenizer to be run on.
    pub(super) fn give(&self, part: StrTendril) {
        self.given.set(self.given.get().saturating_add(part.len()));
        *self.part.borrow_mut() = part.clone();
        self.input.push_back(part);
    }

    /// Looks at the tag that the tokenizer has not finished, if there is one.
    pub(super) fn check_unfinished(&self) {
        self.check_attributes(self.given.get());
    }

    /// Looks at what the tokenizer has taken since the last token, up to `end` in the text: ends
    /// reading if it is a tag of too many attributes. Each part must be looked at before the next
    /// is given.
    fn check_attributes(&self, end: usize) {
        let Some(start) = self.marks.borrow().first() else {
            return;
        };
        let part = self.part.borrow();
        let part_start = self.given.get().saturating_sub(part.len());
        let mut attributes = self.attributes.borrow_mut();
        if attributes.exceed(start, part.as_bytes(), part_start, end) {
            self.shared.end(HeadEnd::Limit(HeadLimit::Attributes));
        }
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
            let from = self.token_end.get().saturating_sub(1);
            let offset = self.marks.borrow_mut().first_from(from).unwrap_or(0);
            *self.shared.tag.borrow_mut() = Some((tag.name.to_string(), offset));
            self.check_attributes(self.taken());
            if self.shared.done.get() {
                return TokenSinkResult::Continue;
            }
        } else {
            *self.shared.tag.borrow_mut() = None;
        }
        self.shared.taken.set(self.token_end.get());
        let result = self.tree.process_token(token, line);
        let taken = self.taken();
        self.token_end.set(taken);
        self.marks
            .borrow_mut()
            .forget_before(taken.saturating_sub(1));
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
