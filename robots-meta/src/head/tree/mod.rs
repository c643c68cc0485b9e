//! The authority: html5ever's tree builder over a sink that keeps no tree.
//!
//! Where a page is in more modes than a HEAD has - in a TEMPLATE, or behind HEAD if all of a document
//! is asked for - the standard's own machine says where a META ends up. It is given the scanner's
//! tags, and of text only whether it is white space. Elements live as long as the tree builder
//! holds them, so memory is bounded by the depth of the open elements, which has a limit.
//!
//! This is the only folder that names html5ever's tree builder.

mod sink;

use super::modes::Mode;
use super::raw_text::RawText;
use crate::page::{HeadLimit, Place};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{LocalName, QualName, ns};
use sink::{Node, PlaceSink};
use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::{Rc, Weak};

/// The number of elements open at once in a HEAD, nested templates and what is in them, beyond which
/// reading stops: with it, no page makes the tree builder search a deep stack again and again.
pub const MAX_OPEN_ELEMENTS: usize = 64;

/// The same limit where all of a document is read. Browsers keep documents to the same depth.
pub const MAX_OPEN_ELEMENTS_OF_DOCUMENT: usize = 512;

/// How many elements the tree builder may create for each byte of text, beyond [`FREE_WORK`]: each
/// that stands in the text takes at least three bytes there.
const WORK_PER_BYTE: usize = 1;

/// How many elements may be created without regard to the length of the text.
const FREE_WORK: usize = 4_096;

/// What follows a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Following {
    Markup,
    /// Text up to the end tag of this element.
    Raw(RawText),
    /// Text up to the end of the page.
    Plaintext,
}

/// What the tree builder still holds of a TEMPLATE that was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    Nothing,
    /// Formatting elements that would be opened anew in BODY: nothing to HEAD.
    Something,
}

/// What a text has. The order does not matter to where elements end up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) has_space: bool,
    pub(super) has_other: bool,
    pub(super) has_nul: bool,
}

impl Text {
    pub(super) const SPACE: Self = Self {
        has_space: true,
        has_other: false,
        has_nul: false,
    };
    pub(super) const OTHER: Self = Self {
        has_space: false,
        has_other: true,
        has_nul: false,
    };
}

/// Takes the tags of a page, and says where their elements end up.
pub(super) struct Authority {
    tree: TreeBuilder<Rc<Node>, PlaceSink>,
    shared: Rc<Shared>,
    /// Where it began.
    mode: Mode,
    /// The elements that are open in that mode.
    outside: usize,
}

impl Authority {
    /// Begins in HEAD, or behind it; with room for so many open elements.
    pub(super) fn new(mode: Mode, scripting: bool, max_open: usize) -> Self {
        let shared = Rc::new(Shared {
            max_open,
            ..Shared::default()
        });
        let options = TreeBuilderOpts {
            scripting_enabled: scripting,
            ..TreeBuilderOpts::default()
        };
        let mut authority = Self {
            tree: TreeBuilder::new(PlaceSink::new(&shared), options),
            shared,
            mode,
            outside: 0,
        };
        authority.start_tag("html", false, Vec::new());
        authority.start_tag("head", false, Vec::new());
        if mode == Mode::AfterHead {
            authority.end_tag("head");
        }
        authority.outside = authority.shared.open.get();
        authority
    }

    /// The mode in which it began.
    pub(super) fn mode(&self) -> Mode {
        self.mode
    }

    /// Says how many bytes of the page are before the next token.
    pub(super) fn set_taken(&self, bytes: usize) {
        self.shared.taken.set(bytes);
    }

    /// Takes a start tag.
    pub(super) fn start_tag(
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
    pub(super) fn end_tag(&mut self, name: &str) {
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
        match self.tree.process_token(token, 1) {
            TokenSinkResult::RawData(_) => {
                RawText::of(name).map_or(Following::Markup, Following::Raw)
            }
            TokenSinkResult::Plaintext => Following::Plaintext,
            // Scripts are not run, and encodings are the reader's affair.
            TokenSinkResult::Continue
            | TokenSinkResult::Script(_)
            | TokenSinkResult::EncodingIndicator(_) => Following::Markup,
        }
    }

    /// Takes text.
    pub(super) fn text(&mut self, text: Text) {
        let tokens = [
            text.has_space.then(|| Token::CharacterTokens(" ".into())),
            text.has_other.then(|| Token::CharacterTokens("x".into())),
            text.has_nul.then_some(Token::NullCharacterToken),
        ];
        for token in tokens.into_iter().flatten() {
            let _ = self.tree.process_token(token, 1);
        }
    }

    /// Whether what stands here is in SVG or `MathML`, where CDATA is text.
    pub(super) fn is_in_foreign_content(&self) -> bool {
        self.tree
            .adjusted_current_node_present_but_not_in_html_namespace()
    }

    /// What has been left behind, if no TEMPLATE is open.
    pub(super) fn left(&self) -> Option<Left> {
        if self.shared.template.borrow().strong_count() > 0 {
            return None;
        }
        Some(if self.shared.open.get() > self.outside {
            Left::Something
        } else {
            Left::Nothing
        })
    }

    /// Where the element of the last start tag ended up; `None` if there is none, or it is in a
    /// TEMPLATE, or in SVG or `MathML`.
    pub(super) fn placed(&self) -> Option<Place> {
        self.shared.placed.get()
    }

    /// Whether BODY has been taken out of the document since this was asked last, and with it all
    /// that was in it.
    pub(super) fn body_is_gone(&self) -> bool {
        self.shared.body_is_gone.take()
    }

    /// The limit that was struck.
    pub(super) fn limit(&self) -> Option<HeadLimit> {
        self.shared.limit.get()
    }
}

impl fmt::Debug for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authority")
            .field("mode", &self.mode)
            .finish_non_exhaustive()
    }
}

/// What authority and sink know together.
#[derive(Default)]
struct Shared {
    /// The name of the last start tag, and where its element ended up.
    name: RefCell<LocalName>,
    placed: Cell<Option<Place>>,
    body_is_gone: Cell<bool>,
    /// The outermost TEMPLATE that is open.
    template: RefCell<Weak<Node>>,
    limit: Cell<Option<HeadLimit>>,
    open: Cell<usize>,
    max_open: usize,
    /// The bytes of the page before the token that is being processed.
    taken: Cell<usize>,
    /// The elements created so far.
    work: Cell<usize>,
}

impl Shared {
    fn strike(&self, limit: HeadLimit) {
        if self.limit.get().is_none() {
            self.limit.set(Some(limit));
        }
    }

    /// Counts an element that is created.
    fn create(&self) {
        let open = self.open.get().saturating_add(1);
        self.open.set(open);
        if open > self.max_open {
            self.strike(HeadLimit::OpenElements);
        }
        let work = self.work.get().saturating_add(1);
        self.work.set(work);
        let most = self.taken.get().saturating_mul(WORK_PER_BYTE);
        if work > most.saturating_add(FREE_WORK) {
            self.strike(HeadLimit::Work);
        }
    }

    fn forget(&self) {
        self.open.set(self.open.get().saturating_sub(1));
    }
}
