//! The oracle for HEADs: a full parse into a tree, and the METAs in its HEAD.

use html5ever::tendril::TendrilSink;
use html5ever::tokenizer::TokenizerOpts;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

/// The attributes of a META: names and values, in order.
pub type Attributes = Vec<(String, String)>;

/// Returns the METAs in HEAD after a full parse of a page, in order.
#[must_use]
pub fn metas(page: &[u8], encoding: &str) -> Vec<Attributes> {
    let dom = parse(page, encoding);
    let mut found = Vec::new();
    if let Some(head) = child(&dom.document, "html").and_then(|html| child(&html, "head")) {
        collect(&head, &mut found);
    }
    found
}

/// Returns all METAs of the document after a full parse, in order.
#[must_use]
pub fn metas_of_document(page: &[u8], encoding: &str) -> Vec<Attributes> {
    let dom = parse(page, encoding);
    let mut found = Vec::new();
    collect(&dom.document, &mut found);
    found
}

/// Parses a page fully, with scripting off.
fn parse(page: &[u8], encoding: &str) -> RcDom {
    let text = decode(page, encoding);
    let options = ParseOpts {
        tokenizer: TokenizerOpts {
            discard_bom: false,
            ..TokenizerOpts::default()
        },
        tree_builder: TreeBuilderOpts {
            scripting_enabled: false,
            ..TreeBuilderOpts::default()
        },
    };
    parse_document(RcDom::default(), options).one(text)
}

/// Returns the METAs of our reader in the oracle's form.
#[must_use]
pub fn reported(page: &robots_meta::PageMeta) -> Vec<Attributes> {
    page.metas()
        .map(|meta| {
            meta.attributes()
                .map(|attribute| (attribute.name().to_owned(), attribute.value().to_owned()))
                .collect()
        })
        .collect()
}

/// Decodes a page without its byte order mark.
fn decode(page: &[u8], encoding: &str) -> String {
    let encoding = encoding_rs::Encoding::for_label_no_replacement(encoding.as_bytes())
        .unwrap_or(encoding_rs::REPLACEMENT);
    let mark = encoding_rs::Encoding::for_bom(page).map_or(0, |(_, length)| length);
    let page = page.get(mark..).unwrap_or_default();
    encoding.decode_without_bom_handling(page).0.into_owned()
}

fn child(node: &Handle, name: &str) -> Option<Handle> {
    node.children
        .borrow()
        .iter()
        .find(|child| local_name(child) == Some(name))
        .cloned()
}

fn local_name(node: &Handle) -> Option<&str> {
    match &node.data {
        NodeData::Element { name, .. } => Some(&name.local),
        _ => None,
    }
}

/// Collects the METAs below a node. The tree keeps the content of templates apart.
fn collect(node: &Handle, found: &mut Vec<Attributes>) {
    for child in node.children.borrow().iter() {
        if let NodeData::Element { name, attrs, .. } = &child.data
            && &*name.local == "meta"
        {
            found.push(
                attrs
                    .borrow()
                    .iter()
                    .map(|attribute| {
                        (
                            attribute.name.local.to_string(),
                            attribute.value.to_string(),
                        )
                    })
                    .collect(),
            );
        }
        collect(child, found);
    }
}
