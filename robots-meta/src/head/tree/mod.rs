//! The authority: html5ever's tree builder over a sink that keeps no tree.
//!
//! The standard's own machine says what is in HEAD; the sink remembers METAs, the title and the
//! canonical link as they are inserted there, and tells when BODY or FRAMESET is created, which is
//! where reading ends. Elements live as long as the tree builder holds them, so memory is bounded
//! by the depth of the open elements, which has a limit.
//!
//! This is the only folder that names html5ever. `Gate` stands between its tokenizer and its tree
//! builder and knows where tags begin; `HeadSink` receives what the tree builder builds.

mod gate;
mod sink;

use crate::page::{Canonical, HeadEnd, HeadLimit, Meta};
use gate::Gate;
use html5ever::TokenizerResult;
use html5ever::tendril::SliceExt;
use html5ever::tokenizer::{Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use sink::HeadSink;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;

/// The number of elements open at once, nested templates and what is in them, beyond which
/// reading stops: with it, no page makes the tree builder search a deep stack again and again.
pub const MAX_OPEN_ELEMENTS: usize = 64;

/// How many elements and attributes the tree builder may create for each byte of text, beyond
/// [`FREE_WORK`]: each that stands in the text takes at least two bytes there.
const WORK_PER_BYTE: usize = 1;

/// How many elements and attributes may be created without regard to the length of the text.
const FREE_WORK: usize = 4_096;

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
        let shared = Rc::new(Shared::default());
        let options = TreeBuilderOpts {
            // A crawler runs no scripts: what is in NOSCRIPT counts.
            scripting_enabled: false,
            ..TreeBuilderOpts::default()
        };
        let tree = TreeBuilder::new(HeadSink::new(&shared), options);
        let gate = Gate::new(tree, shared);
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
    /// stands at `offset` in the bytes of the page.
    pub(crate) fn feed(&mut self, text: &str, offset: usize) {
        self.tokenizer.sink.see(text, offset);
        let mut rest = text;
        while !rest.is_empty() && !self.is_done() {
            let part;
            (part, rest) = split_at_most(rest, PART_BYTES);
            let gate = &self.tokenizer.sink;
            gate.give(part.to_tendril());
            while !matches!(self.tokenizer.feed(gate.input()), TokenizerResult::Done) {}
            gate.check_unfinished();
        }
    }

    /// Whether the HEAD has ended.
    pub(crate) fn is_done(&self) -> bool {
        self.tokenizer.sink.shared().done.get()
    }

    /// Ends reading, for this reason if there was none before.
    pub(crate) fn finish(self, end: HeadEnd) -> Found {
        if end == HeadEnd::EndOfPage && !self.is_done() {
            self.tokenizer.sink.shared().at_end_of_page.set(true);
            self.tokenizer.end();
        }
        let shared = self.tokenizer.sink.shared();
        shared.end(end);
        shared.found.take()
    }
}

impl fmt::Debug for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authority")
            .field("done", &self.is_done())
            .finish_non_exhaustive()
    }
}

/// What gate and sink know together.
#[derive(Default)]
struct Shared {
    found: RefCell<Found>,
    done: Cell<bool>,
    /// The tag that is being processed: its name and the offset of its `<` in the page.
    tag: RefCell<Option<(String, usize)>>,
    at_end_of_page: Cell<bool>,
    open_elements: Cell<usize>,
    /// The bytes of text before the token that is being processed.
    taken: Cell<usize>,
    /// The elements and attributes created so far.
    work: Cell<usize>,
}

impl Shared {
    fn end(&self, end: HeadEnd) {
        if !self.done.replace(true) {
            self.found.borrow_mut().end = Some(end);
        }
    }

    /// Counts what is created; ends reading if it is out of proportion to the text.
    fn work(&self, created: usize) {
        let work = self.work.get().saturating_add(created);
        self.work.set(work);
        let most = self.taken.get().saturating_mul(WORK_PER_BYTE);
        if work > most.saturating_add(FREE_WORK) {
            self.end(HeadEnd::Limit(HeadLimit::Work));
        }
    }

    /// The offset of the tag that is being processed.
    fn offset(&self) -> usize {
        self.tag.borrow().as_ref().map_or(0, |(_, offset)| *offset)
    }
}

/// The text cut at `most` bytes, or at the next character behind them.
fn split_at_most(text: &str, most: usize) -> (&str, &str) {
    (most..text.len())
        .find_map(|at| text.split_at_checked(at))
        .unwrap_or((text, ""))
}
