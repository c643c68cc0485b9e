//! tl: the whole page into a list of nodes, then those that are METAs, up to BODY.
//!
//! tl follows no standard: it takes all up to a written `<body>` for HEAD, and tags within scripts,
//! titles and templates for tags; it knows no white space but spaces and line feeds, tells names of
//! attributes apart by case, and leaves character references as they are. The nodes are in the
//! order of the page, and walking them is what its query selector does too; it could not stop at
//! BODY, and would miss METAs in upper case.

use super::Pair;
use tl::{Bytes, HTMLTag, Node, ParserOptions};

/// The METAs before BODY. tl reads text that is decoded already.
pub fn metas(page: &str) -> Vec<Pair> {
    let Ok(dom) = tl::parse(page, ParserOptions::default()) else {
        return Vec::new();
    };
    dom.nodes()
        .iter()
        .filter_map(Node::as_tag)
        .take_while(|tag| !is_named(tag, b"body"))
        .filter(|tag| is_named(tag, b"meta"))
        .map(pair)
        .collect()
}

fn is_named(tag: &HTMLTag<'_>, name: &[u8]) -> bool {
    tag.name().as_bytes().eq_ignore_ascii_case(name)
}

/// What a META says.
fn pair(meta: &HTMLTag<'_>) -> Pair {
    let attributes = meta.attributes();
    let value = |name: &'static str| {
        attributes
            .get(name)
            .flatten()
            .map(Bytes::as_utf8_str)
            .unwrap_or_default()
    };
    Pair::new(&value("name"), &value("content"))
}
