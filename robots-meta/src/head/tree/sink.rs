//! The sink of the tree builder, which keeps no tree, only the places of elements.

use super::tree_builder::Shared;
use crate::page::Placement;
use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, ExpandedName, QualName, expanded_name, local_name, ns};
use std::borrow::Cow;
use std::cell::Cell;
use std::rc::Rc;

/// The place of a node: that of the node into which it is put. HEAD and the content of a TEMPLATE have places of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Where {
    /// Nowhere yet.
    Detached,
    /// In the document.
    In(Placement),
    /// In the content of a TEMPLATE, which is not part of the document.
    Apart,
}

/// A node, with the properties that the tree builder needs.
pub(crate) struct Node {
    name: Option<QualName>,
    at: Cell<Where>,
    is_integration_point: bool,
    /// The attributes of an `a`; else empty. They carry a link in a TEMPLATE to the sink
    /// ([`LinkInTemplate`](super::leaked_link::LinkInTemplate)), and are decoded at most once for a
    /// tag, whatever the number of its elements.
    link: Vec<Attribute>,
    shared: Rc<Shared>,
}

impl Node {
    /// Returns a node that is not an element: the document, the content of a template, a comment.
    fn other(at: Where, shared: &Rc<Shared>) -> Rc<Self> {
        Rc::new(Self {
            name: None,
            at: Cell::new(at),
            is_integration_point: false,
            link: Vec::new(),
            shared: Rc::clone(shared),
        })
    }

    fn is(&self, wanted: &ExpandedName<'_>) -> bool {
        self.name.as_ref().map(QualName::expanded) == Some(*wanted)
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        if self.name.is_some() {
            self.shared.count_dropped();
        }
    }
}

const A: ExpandedName<'static> = expanded_name!(html "a");
const BODY: ExpandedName<'static> = expanded_name!(html "body");
const HEAD: ExpandedName<'static> = expanded_name!(html "head");

/// The name of a node that is not an element. The tree builder never reads it.
const NO_NAME: ExpandedName<'static> = expanded_name!("", "");

/// The sink of the tree builder.
pub(crate) struct PlacementSink {
    shared: Rc<Shared>,
    document: Rc<Node>,
}

impl PlacementSink {
    pub(crate) fn new(shared: &Rc<Shared>) -> Self {
        Self {
            shared: Rc::clone(shared),
            // All that is not in HEAD counts as in BODY.
            document: Node::other(Where::In(Placement::Body), shared),
        }
    }

    /// Records that a node is now at a place. Reports the place if the node is the element of the last
    /// start tag, and the link of a TEMPLATE if the node brings one into the document.
    fn put(&self, child: NodeOrText<Rc<Node>>, at: Where) {
        let NodeOrText::AppendNode(node) = child else {
            return;
        };
        let at = match at {
            Where::In(_) if node.is(&HEAD) => Where::In(Placement::Head),
            at => at,
        };
        node.at.set(at);
        let name = self.shared.name.borrow();
        let name_of_tag = ExpandedName {
            ns: &ns!(html),
            local: &name,
        };
        if let Where::In(place) = at
            && node.is(&name_of_tag)
        {
            self.shared.placed.set(Some(place));
        }
        if matches!(at, Where::In(_)) && !node.link.is_empty() {
            self.shared.reopen(&node.link);
        }
    }
}

impl TreeSink for PlacementSink {
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
        attributes: Vec<Attribute>,
        flags: ElementFlags,
    ) -> Rc<Node> {
        self.shared.count_created();
        let link = if name.expanded() == A {
            attributes
        } else {
            Vec::new()
        };
        let node = Rc::new(Node {
            name: Some(name),
            at: Cell::new(Where::Detached),
            is_integration_point: flags.mathml_annotation_xml_integration_point,
            link,
            shared: Rc::clone(&self.shared),
        });
        // Only the tree builder has strong references to elements, and only while they are open. So if
        // the last outermost TEMPLATE has none, it has been closed, and this TEMPLATE is the new outermost one.
        let mut template = self.shared.template.borrow_mut();
        if flags.template && template.strong_count() == 0 {
            *template = Rc::downgrade(&node);
        }
        drop(template);
        node
    }

    fn create_comment(&self, _: StrTendril) -> Rc<Node> {
        Node::other(Where::Detached, &self.shared)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Rc<Node> {
        Node::other(Where::Detached, &self.shared)
    }

    /// Appends to a parent. The adoption agency (HTML, 13.2.6.4.7, step 4.13) gives content to a
    /// clone before it inserts the clone. It moves nothing into or out of a TEMPLATE: a clone goes
    /// where its content was.
    fn append(&self, parent: &Rc<Node>, child: NodeOrText<Rc<Node>>) {
        if let (Where::Detached, NodeOrText::AppendNode(child)) = (parent.at.get(), &child) {
            parent.at.set(child.at.get());
        }
        self.put(child, parent.at.get());
    }

    /// Puts a child of a table outside of it (foster parenting): before the table if the table has a
    /// parent, else into the element that was open before the table.
    fn append_based_on_parent_node(
        &self,
        table: &Rc<Node>,
        open_before_table: &Rc<Node>,
        child: NodeOrText<Rc<Node>>,
    ) {
        let at = match table.at.get() {
            Where::Detached => open_before_table.at.get(),
            at => at,
        };
        self.put(child, at);
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, _: &Rc<Node>) -> Rc<Node> {
        Node::other(Where::Apart, &self.shared)
    }

    fn same_node(&self, one: &Rc<Node>, other: &Rc<Node>) -> bool {
        Rc::ptr_eq(one, other)
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Rc<Node>, child: NodeOrText<Rc<Node>>) {
        self.put(child, sibling.at.get());
    }

    fn add_attrs_if_missing(&self, _: &Rc<Node>, _: Vec<Attribute>) {}

    /// Notes that a FRAMESET replaces a BODY without visible content.
    fn remove_from_parent(&self, node: &Rc<Node>) {
        if node.is(&BODY) {
            self.shared.body_is_gone.set(true);
        }
    }

    fn reparent_children(&self, _: &Rc<Node>, _: &Rc<Node>) {}

    fn is_mathml_annotation_xml_integration_point(&self, node: &Rc<Node>) -> bool {
        node.is_integration_point
    }

    fn allow_declarative_shadow_roots(&self, _: &Rc<Node>) -> bool {
        false
    }
}
