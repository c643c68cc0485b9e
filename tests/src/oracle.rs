//! The oracle for pages: a full parse into a tree, and the METAs, links and elements with `data-nosnippet` in it.

use html5ever::tendril::TendrilSink;
use html5ever::tokenizer::TokenizerOpts;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{ParseOpts, ns, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use robots_meta::page::Placement;
use robots_meta::value::Rel;
use std::collections::BTreeSet;

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

/// The elements of a whole document that concern robots.
#[derive(Debug, Default, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "compared in tests")]
pub struct Elements {
    /// The METAs in HEAD, in order.
    pub head: Vec<Attributes>,
    /// The METAs elsewhere, sorted: the parser moves misplaced content of a table to before the table.
    pub body: Vec<Attributes>,
    /// The URLs of the links with their `rel`. The tree builder may make several elements of one tag.
    pub links: BTreeSet<(String, Rel)>,
    /// The names of the elements with `data-nosnippet`, sorted.
    pub no_snippets: Vec<String>,
    /// The first canonical URL in HEAD.
    pub canonical: Option<String>,
    /// The URLs of the licences in HEAD, in order.
    pub licenses: Vec<String>,
}

/// Returns the elements that our reader found in a page, and those that a full parse finds.
#[must_use]
pub fn elements(page: &[u8], found: &robots_meta::PageFacts) -> [Elements; 2] {
    let dom = parse(page, found.encoding());
    [reported_elements(page, found), elements_of(&dom)]
}

/// Returns the elements of the document.
fn elements_of(dom: &RcDom) -> Elements {
    let mut found = Elements::default();
    for html in dom.document.children.borrow().iter() {
        for child in html.children.borrow().iter() {
            if local_name(child) == Some("head") {
                found.collect(child);
                found.head.append(&mut found.body);
                found.take_head_links(child);
            } else {
                found.take(child);
            }
        }
    }
    found.body.sort();
    found.no_snippets.sort();
    found
}

impl Elements {
    /// Takes a node and the nodes below it. The tree keeps the content of templates apart.
    fn take(&mut self, node: &Handle) {
        if let NodeData::Element { name, attrs, .. } = &node.data
            && name.ns == ns!(html)
        {
            let attributes: Attributes = attrs
                .borrow()
                .iter()
                .map(|found| (found.name.local.to_string(), found.value.to_string()))
                .collect();
            self.take_element(&name.local, attributes);
        }
        self.collect(node);
    }

    fn collect(&mut self, node: &Handle) {
        for child in node.children.borrow().iter() {
            self.take(child);
        }
    }

    /// Takes the LINKs below a node of HEAD.
    fn take_head_links(&mut self, node: &Handle) {
        for child in node.children.borrow().iter() {
            if let NodeData::Element { name, attrs, .. } = &child.data
                && name.ns == ns!(html)
                && &*name.local == "link"
            {
                let attributes = attrs.borrow();
                let value = |wanted: &str| {
                    let found = attributes.iter().find(|found| &*found.name.local == wanted);
                    found.map_or("", |found| &*found.value).trim_ascii()
                };
                let has_relation = |relation: &str| {
                    value("rel")
                        .split_ascii_whitespace()
                        .any(|token| token.eq_ignore_ascii_case(relation))
                };
                let essence = value("type").split(';').next().unwrap_or_default();
                let href = value("href");
                if !href.is_empty() && has_relation("canonical") {
                    self.canonical.get_or_insert_with(|| href.to_owned());
                }
                if !href.is_empty()
                    && has_relation("license")
                    && essence
                        .trim_ascii()
                        .eq_ignore_ascii_case("application/rsl+xml")
                {
                    self.licenses.push(href.to_owned());
                }
            }
            self.take_head_links(child);
        }
    }

    fn take_element(&mut self, name: &str, attributes: Attributes) {
        let value = |wanted: &str| {
            let found = attributes.iter().find(|(name, _)| name == wanted);
            found.map(|(_, value)| value.trim_ascii())
        };
        let address = match name {
            "meta" => return self.body.push(attributes),
            "a" | "area" => value("href"),
            "form" => value("action"),
            "span" | "div" | "section" => {
                let is_marked = value("data-nosnippet").is_some();
                self.no_snippets.extend(is_marked.then(|| name.to_owned()));
                None
            }
            _ => None,
        };
        if let Some(address) = address {
            let rel = Rel::parse(value("rel").unwrap_or_default());
            self.links.insert((address.to_owned(), rel));
        }
    }
}

/// Returns the elements that our reader found in a page, in the oracle's form.
fn reported_elements(page: &[u8], found: &robots_meta::PageFacts) -> Elements {
    let metas = |placement| -> Vec<Attributes> {
        let metas = found.metas().zip(reported(found));
        metas
            .filter(|(meta, _)| meta.placement() == placement)
            .map(|(_, attributes)| attributes)
            .collect()
    };
    let name_at = |offset: usize| -> String {
        let tag = page.get(offset..).unwrap_or_default();
        tag.iter()
            .skip(1)
            .take_while(|byte| byte.is_ascii_alphabetic())
            .map(|byte| char::from(byte.to_ascii_lowercase()))
            .collect()
    };
    let mut elements = Elements {
        head: metas(Placement::Head),
        body: metas(Placement::Body),
        links: found
            .links()
            .map(|link| (link.href().to_owned(), link.rel()))
            .collect(),
        no_snippets: found.no_snippets().map(name_at).collect(),
        canonical: found.canonical().map(|link| link.href().to_owned()),
        licenses: found
            .licenses()
            .map(|link| link.href().to_owned())
            .collect(),
    };
    elements.body.sort();
    elements.no_snippets.sort();
    elements
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
pub fn reported(page: &robots_meta::PageFacts) -> Vec<Attributes> {
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
