//! html5ever and markup5ever_rcdom: the whole page into a tree, then the METAs below HEAD.

use super::Pair;
use html5ever::tendril::TendrilSink;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{Attribute, LocalName, ParseOpts, local_name, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

/// Returns the METAs in HEAD. html5ever reads decoded text.
pub fn metas(page: &str) -> Vec<Pair> {
    let options = ParseOpts {
        tree_builder: TreeBuilderOpts {
            scripting_enabled: false,
            ..TreeBuilderOpts::default()
        },
        ..ParseOpts::default()
    };
    let dom = parse_document(RcDom::default(), options).one(page);
    let mut metas = Vec::new();
    let head = child(&dom.document, &local_name!("html"))
        .and_then(|html| child(&html, &local_name!("head")));
    if let Some(head) = head {
        collect(&head, &mut metas);
    }
    metas
}

/// Returns the first child with a name.
fn child(node: &Handle, wanted: &LocalName) -> Option<Handle> {
    let children = node.children.borrow();
    children
        .iter()
        .find(
            |child| matches!(&child.data, NodeData::Element { name, .. } if name.local == *wanted),
        )
        .cloned()
}

/// Collects the METAs below a node. The tree keeps the content of templates apart.
fn collect(node: &Handle, metas: &mut Vec<Pair>) {
    for child in node.children.borrow().iter() {
        if let NodeData::Element { name, attrs, .. } = &child.data
            && name.local == local_name!("meta")
        {
            metas.push(pair(&attrs.borrow()));
        } else {
            collect(child, metas);
        }
    }
}

/// Returns the name and the content of a META.
fn pair(attributes: &[Attribute]) -> Pair {
    let (mut name, mut content) = ("", "");
    for attribute in attributes {
        match attribute.name.local {
            local_name!("name") => name = &attribute.value,
            local_name!("content") => content = &attribute.value,
            _ => {}
        }
    }
    Pair::new(name, content)
}
