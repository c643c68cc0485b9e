//! What the tree builder builds: remembered if it is in HEAD, and else forgotten.

use super::{MAX_OPEN_ELEMENTS, Shared};
use crate::page::{Attribute, Canonical, HeadEnd, HeadLimit, Meta};
use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{ExpandedName, QualName, local_name, ns};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A node of the tree that is not kept: what the tree builder asks about it.
pub(super) struct Node {
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
    /// A node that is no element: the document, the content of a template, a comment.
    fn other(shared: &Rc<Shared>) -> Rc<Self> {
        Self::new(None, Content::Nothing, shared)
    }

    fn element(name: QualName, content: Content, shared: &Rc<Shared>) -> Rc<Self> {
        let open = shared.open_elements.get().saturating_add(1);
        shared.open_elements.set(open);
        if open > MAX_OPEN_ELEMENTS {
            shared.end(HeadEnd::Limit(HeadLimit::OpenElements));
        }
        Self::new(Some(name), content, shared)
    }

    fn new(name: Option<QualName>, content: Content, shared: &Rc<Shared>) -> Rc<Self> {
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
        if self.name.is_some() {
            let open = self.shared.open_elements.get();
            self.shared.open_elements.set(open.saturating_sub(1));
        }
    }
}

/// Receives what the tree builder builds, and remembers what is in HEAD.
pub(super) struct HeadSink {
    shared: Rc<Shared>,
    document: Rc<Node>,
}

/// The name of what is no element, for a question that is never asked.
const NO_NAME: ExpandedName<'static> = ExpandedName {
    ns: &ns!(),
    local: &local_name!(""),
};

impl HeadSink {
    pub(super) fn new(shared: &Rc<Shared>) -> Self {
        Self {
            shared: Rc::clone(shared),
            document: Node::other(shared),
        }
    }
}

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
        self.shared.work(attributes.len().saturating_add(1));
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
        let node = Node::element(name, content, &self.shared);
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
