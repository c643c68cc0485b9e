//! tl: the whole page into a list of nodes, then those that are METAs, up to BODY.
//!
//! tl does not follow the standard. HEAD ends only at a written `<body>`, and tags within scripts,
//! titles and templates count. White space is only spaces and line feeds, names of attributes are
//! case-sensitive, and character references are not decoded. The nodes are in the
//! order of the page. Its query selector walks them, too, but cannot stop at
//! BODY, and misses METAs in upper case.

use super::Pair;
use tl::{Bytes, HTMLTag, Node, ParserOptions};

/// Returns the METAs before BODY. tl reads decoded text.
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

/// Returns the name and the content of a META.
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
