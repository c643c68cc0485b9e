//! html5ever's tree builder over a sink that keeps no tree.
//!
//! A HEAD has few insertion modes; a TEMPLATE or a BODY may be in any. There the standard's own state
//! machine decides the place of a META. It receives the scanner's tags, and the kinds of characters of
//! each text ([`CharacterKinds`]). Elements live as long as the tree builder holds them, so memory is bounded by
//! the depth of the open elements, which has a limit.
//!
//! This is the only folder that names html5ever's tree builder.

use super::character_kinds::CharacterKinds;
use super::leaked_link::LinkInTemplate;
use super::sink::{Node, PlacementSink};
use crate::page::{HeadLimit, Placement};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{Attribute, LocalName, QualName, ns};
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::fmt;
use std::rc::{Rc, Weak};

/// The number of elements open at once in a HEAD, nested templates and their content included,
/// beyond which reading stops. It keeps the tree builder from searching a deep stack again and
/// again.
pub const MAX_OPEN_ELEMENTS: usize = 64;

/// The same limit where all of a document is read. Browsers keep documents to the same depth.
pub const MAX_OPEN_ELEMENTS_OF_DOCUMENT: usize = 512;

/// The number of elements that the tree builder may create for each byte of the page, in addition to
/// [`MAX_CREATED_BASE`]. The tag of an element takes at least three bytes of the page.
const MAX_CREATED_PER_BYTE: usize = 1;

/// The number of elements that may be created however short the page is.
const MAX_CREATED_BASE: usize = 4_096;

/// The insertion mode in which the tree builder begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    InHead,
    AfterHead,
}

/// The kind of content after a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Following {
    Markup,
    /// Text up to the end tag of the element.
    RawText,
    /// Text up to the end of the page.
    Plaintext,
}

/// The elements that remain of a TEMPLATE that was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leftover {
    Nothing,
    /// Formatting elements that will be opened again in BODY. They do not matter to HEAD.
    Something,
}

/// The tree builder, which takes the tags of a page and reports the places of their elements.
pub(crate) struct PlacementBuilder {
    tree: TreeBuilder<Rc<Node>, PlacementSink>,
    shared: Rc<Shared>,
    /// The mode in which it began.
    start: Start,
    /// The number of elements that are open in that mode, outside of any TEMPLATE.
    open_at_start: usize,
}

impl PlacementBuilder {
    /// Begins in HEAD or after it, with a limit of open elements.
    pub(crate) fn new(start: Start, scripting: bool, max_open: usize) -> Self {
        let shared = Rc::new(Shared {
            max_open,
            ..Shared::default()
        });
        let options = TreeBuilderOpts {
            scripting_enabled: scripting,
            ..TreeBuilderOpts::default()
        };
        let mut tree_builder = Self {
            tree: TreeBuilder::new(PlacementSink::new(&shared), options),
            shared,
            start,
            open_at_start: 0,
        };
        tree_builder.start_tag("html", false, Vec::new());
        tree_builder.start_tag("head", false, Vec::new());
        if start == Start::AfterHead {
            tree_builder.end_tag("head");
        }
        tree_builder.open_at_start = tree_builder.shared.open.get();
        tree_builder
    }

    /// Sets the number of bytes of the page before the next token.
    pub(crate) fn set_taken(&self, bytes: usize) {
        self.shared.taken.set(bytes);
    }

    /// Returns the number of elements created so far.
    pub(crate) fn created(&self) -> usize {
        self.shared.created.get()
    }

    /// Sets the number of elements created so far: a rebuilt tree builder continues the count of the earlier one.
    pub(crate) fn set_created(&self, elements: usize) {
        self.shared.created.set(elements);
    }

    /// Takes a start tag.
    pub(crate) fn start_tag(
        &mut self,
        name: &str,
        self_closing: bool,
        attributes: Vec<(String, String)>,
    ) -> Following {
        self.shared.placed.set(None);
        *self.shared.name.borrow_mut() = LocalName::from(name);
        let attrs = attributes
            .into_iter()
            .map(|(name, value)| html5ever::Attribute {
                name: QualName::new(None, ns!(), LocalName::from(name)),
                value: StrTendril::from(value),
            })
            .collect();
        self.tag(TagKind::StartTag, name, self_closing, attrs)
    }

    /// Takes an end tag.
    pub(crate) fn end_tag(&mut self, name: &str) {
        self.shared.placed.set(None);
        *self.shared.name.borrow_mut() = LocalName::default();
        let _ = self.tag(TagKind::EndTag, name, false, Vec::new());
    }

    fn tag(
        &mut self,
        kind: TagKind,
        name: &str,
        self_closing: bool,
        attrs: Vec<html5ever::Attribute>,
    ) -> Following {
        let token = Token::TagToken(Tag {
            kind,
            name: LocalName::from(name),
            self_closing,
            attrs,
            had_duplicate_attributes: false,
        });
        // The line number, 1 for each token, has no effect.
        match self.tree.process_token(token, 1) {
            TokenSinkResult::RawData(_) => Following::RawText,
            TokenSinkResult::Plaintext => Following::Plaintext,
            // Scripts are not run, and the reader handles encodings.
            TokenSinkResult::Continue
            | TokenSinkResult::Script(_)
            | TokenSinkResult::EncodingIndicator(_) => Following::Markup,
        }
    }

    /// Takes text with these kinds of characters: one character of each kind stands for it.
    pub(crate) fn text(&mut self, kinds: CharacterKinds) {
        for (kind, token) in [
            (CharacterKinds::NEWLINE, Token::CharacterTokens("\n".into())),
            (CharacterKinds::SPACE, Token::CharacterTokens(" ".into())),
            (CharacterKinds::OTHER, Token::CharacterTokens("x".into())),
            (CharacterKinds::NUL, Token::NullCharacterToken),
        ] {
            if kinds.contains(kind) {
                let _ = self.tree.process_token(token, 1);
            }
        }
    }

    /// Ends the page.
    pub(crate) fn end_of_page(&mut self) {
        let _ = self.tree.process_token(Token::EOFToken, 1);
    }

    /// Returns whether the next tag is in SVG or `MathML`, where CDATA is text.
    pub(crate) fn is_in_foreign_content(&self) -> bool {
        self.tree
            .adjusted_current_node_present_but_not_in_html_namespace()
    }

    /// Returns the elements that remain, if no TEMPLATE is open.
    pub(crate) fn leftover(&self) -> Option<Leftover> {
        if self.is_in_template() {
            return None;
        }
        Some(if self.shared.open.get() > self.open_at_start {
            Leftover::Something
        } else {
            Leftover::Nothing
        })
    }

    /// Returns the place of the element of the last start tag; `None` if there is none, or it is in
    /// a TEMPLATE, SVG or `MathML`.
    pub(crate) fn placed(&self) -> Option<Placement> {
        self.shared.placed.get()
    }

    /// Returns whether a TEMPLATE is open.
    pub(crate) fn is_in_template(&self) -> bool {
        self.shared.template.borrow().strong_count() > 0
    }

    /// Returns the links of TEMPLATEs that have become part of the document since the last call, each
    /// once.
    pub(crate) fn take_reopened(&self) -> Vec<LinkInTemplate> {
        self.shared.reopened.take()
    }

    /// Ends HEAD in a tree builder that began in it, with the elements that a TEMPLATE left.
    pub(crate) fn end_head(&mut self) {
        self.end_tag("head");
        self.start = Start::AfterHead;
    }

    /// Returns whether BODY has been removed from the document since the last call, with its
    /// content.
    pub(crate) fn body_is_gone(&self) -> bool {
        self.shared.body_is_gone.take()
    }

    /// Returns the first limit that was exceeded.
    pub(crate) fn limit(&self) -> Option<HeadLimit> {
        self.shared.limit.get()
    }
}

impl fmt::Debug for PlacementBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlacementBuilder")
            .field("start", &self.start)
            .finish_non_exhaustive()
    }
}

/// The state that tree builder and sink share.
#[derive(Default)]
pub(crate) struct Shared {
    /// The name of the last start tag.
    pub(crate) name: RefCell<LocalName>,
    /// The place of the element of the last start tag.
    pub(crate) placed: Cell<Option<Placement>>,
    pub(crate) body_is_gone: Cell<bool>,
    /// The links of TEMPLATEs that have become part of the document, until they are taken.
    reopened: RefCell<Vec<LinkInTemplate>>,
    /// The offsets of all links that were ever in `reopened`.
    reopened_offsets: RefCell<HashSet<usize>>,
    /// The outermost TEMPLATE that is open.
    pub(crate) template: RefCell<Weak<Node>>,
    limit: Cell<Option<HeadLimit>>,
    /// The number of elements that are open.
    open: Cell<usize>,
    max_open: usize,
    /// The number of bytes of the page before the token that is being processed.
    taken: Cell<usize>,
    /// The number of elements created so far.
    created: Cell<usize>,
}

impl Shared {
    /// Reports the link of a TEMPLATE once, when an element of it is in the document.
    pub(super) fn reopen(&self, attributes: &[Attribute]) {
        let offset = LinkInTemplate::offset_in(attributes);
        if offset.is_some_and(|offset| self.reopened_offsets.borrow_mut().insert(offset)) {
            let link = LinkInTemplate::of_attributes(attributes);
            self.reopened.borrow_mut().extend(link);
        }
    }

    /// Records the first limit that is exceeded.
    fn exceed(&self, limit: HeadLimit) {
        if self.limit.get().is_none() {
            self.limit.set(Some(limit));
        }
    }

    /// Counts an element that is created, which is open then.
    pub(crate) fn count_created(&self) {
        let open = self.open.get() + 1;
        self.open.set(open);
        if open > self.max_open {
            self.exceed(HeadLimit::OpenElements);
        }
        let created = self.created.get() + 1;
        self.created.set(created);
        // Saturating: while recorded tags are replayed, the length is the greatest number, which means no limit.
        let by_length = self.taken.get().saturating_mul(MAX_CREATED_PER_BYTE);
        if created > by_length.saturating_add(MAX_CREATED_BASE) {
            self.exceed(HeadLimit::Work);
        }
    }

    /// Counts an element that the tree builder has dropped, which is no longer open.
    pub(crate) fn count_dropped(&self) {
        self.open.set(self.open.get() - 1);
    }
}
