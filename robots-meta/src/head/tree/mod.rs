//! The standard's tree builder, where the modes of a HEAD do not suffice.
//!
//! Every reader keeps a [`Tree`] between chunks. The tree builder itself is in a [`LazyTreeBuilder`]. A
//! [`DocumentReader`](crate::DocumentReader) keeps the tree builder too. A reader of a HEAD drops it
//! at the end of each chunk, and rebuilds it from the record of the open TEMPLATE.

mod character_kinds;
mod leaked_link;
mod record;
mod sink;
mod tree_builder;

pub(super) use character_kinds::CharacterKinds;
pub(super) use leaked_link::LinkInTemplate;
pub use record::MAX_TEMPLATE_BYTES;
use record::TemplateRecord;
use tree_builder::PlacementBuilder;
pub(super) use tree_builder::{Following, Leftover, Start};
pub use tree_builder::{MAX_OPEN_ELEMENTS, MAX_OPEN_ELEMENTS_OF_DOCUMENT};

use crate::page::{HeadLimit, Placement};

/// A tree builder, once one is needed.
#[derive(Debug, Default)]
pub(super) struct LazyTreeBuilder(Option<Box<PlacementBuilder>>);

impl LazyTreeBuilder {
    /// Returns whether a TEMPLATE is open.
    pub(super) fn is_in_template(&self) -> bool {
        let tree_builder = self.0.as_ref();
        tree_builder.is_some_and(|tree_builder| tree_builder.is_in_template())
    }

    /// Returns the links of TEMPLATEs that have become part of the document since the last call, each
    /// once.
    pub(super) fn take_reopened(&self) -> Vec<LinkInTemplate> {
        let tree_builder = self.0.as_ref();
        tree_builder.map_or_else(Vec::new, |tree_builder| tree_builder.take_reopened())
    }
}

/// The initial state of a tree builder.
#[derive(Debug, Clone, Copy)]
struct Beginning {
    start: Start,
    /// True if a TEMPLATE ended earlier in the page: a FRAMESET does not replace a BODY then.
    is_past_template: bool,
    /// The number of elements that earlier TEMPLATEs created, which the limit on work counts; `None` if
    /// there were none.
    created: Option<usize>,
}

/// The state of the tree between two chunks.
#[derive(Debug)]
pub(super) struct Tree {
    scripting: bool,
    max_open: usize,
    /// True if tags are recorded, so that the tree builder can be rebuilt.
    is_recorded: bool,
    beginning: Option<Beginning>,
    record: TemplateRecord,
    /// The number of bytes of the page before the last tag. The limit on work grows with it.
    taken: usize,
    /// True if a chunk has ended with a CR in a text.
    pub(super) ends_with_cr: bool,
}

impl Tree {
    /// Returns the tree of a HEAD, whose tree builder is rebuilt for each chunk.
    pub(super) fn of_head(scripting: bool) -> Self {
        Self {
            scripting,
            max_open: MAX_OPEN_ELEMENTS,
            is_recorded: true,
            beginning: None,
            record: TemplateRecord::default(),
            taken: 0,
            ends_with_cr: false,
        }
    }

    /// Returns the tree of a document, whose tree builder is kept by its reader.
    pub(super) fn of_document(scripting: bool) -> Self {
        Self {
            max_open: MAX_OPEN_ELEMENTS_OF_DOCUMENT,
            is_recorded: false,
            ..Self::of_head(scripting)
        }
    }

    /// Begins a tree in the mode `start`, or continues the last tree if it began in the same mode.
    ///
    /// In a reader of a HEAD, [`leave`](Self::leave) has dropped a tree in which a TEMPLATE left elements
    /// ([`Leftover`]), so a new one begins.
    pub(super) fn enter(
        &mut self,
        start: Start,
        is_past_template: bool,
        builder: &mut LazyTreeBuilder,
    ) {
        if self.beginning.is_none_or(|known| known.start != start) {
            // The tree builder of a document is kept at the end of HEAD. In BODY, it opens the elements again that a
            // TEMPLATE of HEAD left.
            match &mut builder.0 {
                Some(tree_builder) if !self.is_recorded => tree_builder.end_head(),
                _ => builder.0 = None,
            }
            self.beginning = Some(Beginning {
                start,
                is_past_template,
                created: None,
            });
        }
    }

    /// Returns the tree builder; rebuilds it if it was not kept.
    fn tree_builder<'b>(&self, builder: &'b mut LazyTreeBuilder) -> &'b mut PlacementBuilder {
        builder.0.get_or_insert_with(|| Box::new(self.rebuild()))
    }

    /// Builds a tree builder in the state that the record describes.
    fn rebuild(&self) -> PlacementBuilder {
        let start = self.beginning.map_or(Start::InHead, |known| known.start);
        let mut tree_builder = PlacementBuilder::new(start, self.scripting, self.max_open);
        if let Some(beginning) = self.beginning {
            if beginning.is_past_template {
                tree_builder.start_tag("template", false, Vec::new());
                tree_builder.end_tag("template");
            }
            if let Some(created) = beginning.created {
                tree_builder.set_created(created);
            }
        }
        // The recorded tags exceeded no limit the first time: replaying them must not either.
        tree_builder.set_taken(usize::MAX);
        self.record.replay(&mut tree_builder);
        tree_builder.set_taken(self.taken);
        tree_builder
    }

    /// Takes a start tag. `taken` is the number of bytes of the page before the tag.
    pub(super) fn start_tag(
        &mut self,
        name: &str,
        self_closing: bool,
        attributes: Vec<(String, String)>,
        taken: usize,
        builder: &mut LazyTreeBuilder,
    ) -> Placed {
        let tree_builder = self.tree_builder(builder);
        if self.is_recorded {
            self.record.start_tag(name, self_closing, &attributes);
        }
        self.taken = taken;
        tree_builder.set_taken(taken);
        Placed {
            following: tree_builder.start_tag(name, self_closing, attributes),
            placement: tree_builder.placed(),
            body_is_gone: tree_builder.body_is_gone(),
        }
    }

    /// Takes an end tag. `taken` is the number of bytes of the page before the tag.
    pub(super) fn end_tag(&mut self, name: &str, taken: usize, builder: &mut LazyTreeBuilder) {
        let tree_builder = self.tree_builder(builder);
        if self.is_recorded {
            self.record.end_tag(name);
        }
        self.taken = taken;
        tree_builder.set_taken(taken);
        tree_builder.end_tag(name);
    }

    /// Takes text. The limit on work counts only the bytes before the last tag, because the cuts of a
    /// text depend on the chunks.
    pub(super) fn text(&mut self, text: CharacterKinds, builder: &mut LazyTreeBuilder) {
        if text.is_empty() {
            return;
        }
        let tree_builder = self.tree_builder(builder);
        if self.is_recorded {
            self.record.text(text);
        }
        tree_builder.text(text);
    }

    /// Ends the page.
    pub(super) fn end_of_page(&mut self, builder: &mut LazyTreeBuilder) {
        self.tree_builder(builder).end_of_page();
    }

    /// Returns whether the next tag is in SVG or `MathML`, where CDATA is text.
    pub(super) fn is_in_foreign_content(&self, builder: &mut LazyTreeBuilder) -> bool {
        self.tree_builder(builder).is_in_foreign_content()
    }

    /// Returns the limit that was exceeded.
    pub(super) fn limit(&self, builder: &LazyTreeBuilder) -> Option<HeadLimit> {
        let limit = builder
            .0
            .as_ref()
            .and_then(|tree_builder| tree_builder.limit());
        limit.or_else(|| (self.record.size() > MAX_TEMPLATE_BYTES).then_some(HeadLimit::Template))
    }

    /// Leaves the tree if no TEMPLATE is open, and returns whether it did.
    pub(super) fn leave(&mut self, builder: &mut LazyTreeBuilder) -> bool {
        let Some(tree_builder) = &builder.0 else {
            return false;
        };
        match tree_builder.leftover() {
            None => return false,
            Some(Leftover::Nothing) => {
                let created = Some(tree_builder.created());
                self.beginning = self.beginning.map(|beginning| Beginning {
                    is_past_template: true,
                    created,
                    ..beginning
                });
            }
            // The tree builder of a document is kept, as it opens these elements again in BODY.
            Some(Leftover::Something) if !self.is_recorded => {}
            // A reader of a HEAD does not reach BODY, so it drops these elements.
            Some(Leftover::Something) => {
                self.beginning = None;
                builder.0 = None;
            }
        }
        self.record.clear();
        true
    }

    /// Returns the bytes of the record from which the tree builder would be rebuilt.
    pub(super) fn recorded_bytes(&self) -> usize {
        self.record.size()
    }
}

/// The effect of a start tag.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    pub(super) following: Following,
    /// The placement of its element; `None` if there is none, or it is in a TEMPLATE, SVG or `MathML`.
    pub(super) placement: Option<Placement>,
    /// True if BODY has been taken out of the document, with everything in it.
    pub(super) body_is_gone: bool,
}
