//! The peers of the head rows: other libraries, used to read the METAs of a page's HEAD.
//!
//! Each is used in the fastest way for that: nothing is kept between pages, except
//! selectors, which are constants, and each stops as early as it can. All read with scripting off, if the library has that
//! option. The documentation of each module states what the peer does not distinguish.

mod ever;
mod gum;
mod lol;
mod rcdom;
mod scrape;
mod states;
mod tl_nodes;

/// A page, in the two forms that peers need.
pub struct Page {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The decoded bytes.
    pub text: String,
    /// The number of bytes that are read for the HEAD.
    pub head: usize,
}

/// The name and the content of a META.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// The `name`, in ASCII lower case, without white space around it; empty if there is none.
    pub name: String,
    /// The `content`, as the peer decodes it; empty if there is none.
    pub content: String,
}

impl Pair {
    /// Returns a pair of borrowed values.
    fn new(name: &str, content: &str) -> Self {
        Self {
            name: name.trim_ascii().to_ascii_lowercase(),
            content: content.to_owned(),
        }
    }

    /// Returns a pair of values that the peer owns, without a copy.
    fn owned(mut name: String, content: String) -> Self {
        name.make_ascii_lowercase();
        let trimmed = name.trim_ascii();
        if trimmed.len() < name.len() {
            name = trimmed.to_owned();
        }
        Self { name, content }
    }
}

/// Another library.
pub struct Peer {
    /// The name in the results.
    pub name: &'static str,
    /// Returns the METAs of a page's HEAD, in order.
    pub read: fn(&Page) -> Vec<Pair>,
}

/// All peers.
pub const ALL: [Peer; 6] = [
    Peer {
        name: "lol_html, stopped at BODY",
        read: |page| lol::metas(&page.bytes),
    },
    Peer {
        name: "html5gum, own head states",
        read: |page| gum::metas(&page.bytes),
    },
    Peer {
        name: "html5ever tokenizer, own head states",
        read: |page| ever::metas(&page.text),
    },
    Peer {
        name: "html5ever and markup5ever_rcdom, whole page",
        read: |page| rcdom::metas(&page.text),
    },
    Peer {
        name: "scraper, whole page",
        read: |page| scrape::metas(&page.text),
    },
    Peer {
        name: "tl, whole page",
        read: |page| tl_nodes::metas(&page.text),
    },
];

#[cfg(test)]
mod tests {
    use super::{ALL, Page, Pair, ever, gum, lol, rcdom};

    fn pairs(expected: &[(&str, &str)]) -> Vec<Pair> {
        expected
            .iter()
            .map(|(name, content)| Pair::new(name, content))
            .collect()
    }

    #[test]
    fn all_read_an_ordinary_page() {
        let text = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
                    <title>A page</title>\n<meta name=\" Robots \" content=\"noindex, follow\">\n\
                    <link rel=\"stylesheet\" href=\"a.css\">\n<script>let a = 1;</script>\n\
                    <meta name=\"description\" content=\"Ein schöner Tag\">\n</head>\n\
                    <body>\n<meta name=\"late\" content=\"1\">\n</body>\n</html>\n";
        let page = Page {
            bytes: text.as_bytes().to_vec(),
            text: text.to_owned(),
            head: text.len(),
        };
        let expected = pairs(&[
            ("", ""),
            ("robots", "noindex, follow"),
            ("description", "Ein schöner Tag"),
        ]);
        for peer in ALL {
            assert_eq!((peer.read)(&page), expected, "{}", peer.name);
        }
    }

    #[test]
    fn head_ends_where_the_standard_says() {
        let cases: [(&str, &[(&str, &str)]); 16] = [
            (
                "\u{FEFF}<META NAME=A CONTENT='1 &amp; 2'>",
                &[("a", "1 & 2")],
            ),
            ("<meta name name=b content=1>", &[("", "1")]),
            ("<meta name=a>text<meta name=b>", &[("a", "")]),
            ("<meta name=a>&nbsp;<meta name=b>", &[("a", "")]),
            ("<meta name=a>&#32;<meta name=b>", &[("a", ""), ("b", "")]),
            ("<meta name=a></br><meta name=b>", &[("a", "")]),
            ("<meta name=a></p><meta name=b>", &[("a", ""), ("b", "")]),
            (
                "</head> <head><meta name=a></head><meta name=b>",
                &[("a", ""), ("b", "")],
            ),
            (
                "<noscript><meta name=a></head></noscript><meta name=b>",
                &[("a", ""), ("b", "")],
            ),
            ("<noscript></br><meta name=a>", &[]),
            ("<noscript><title>x</title><meta name=a>", &[("a", "")]),
            ("</head><noscript><meta name=a></noscript>", &[]),
            ("<title><meta name=a></TITLE ><meta name=b>", &[("b", "")]),
            (
                "<template><p>x<template></template><meta name=a></template><meta name=b>",
                &[("b", "")],
            ),
            (
                "<script><!--<script></script><meta name=a>--></script><meta name=b>",
                &[("b", "")],
            ),
            ("<noframes><meta name=a></noframes><p><meta name=b>", &[]),
        ];
        for (page, expected) in cases {
            let expected = pairs(expected);
            assert_eq!(gum::metas(page.as_bytes()), expected, "html5gum: {page}");
            assert_eq!(ever::metas(page), expected, "html5ever tokenizer: {page}");
            assert_eq!(rcdom::metas(page), expected, "markup5ever_rcdom: {page}");
        }
    }

    #[test]
    fn lol_html_leaves_templates_out_and_stops() {
        let page = "<template><p><template></template><meta name=a></template>\
                    <title><meta name=b></title><meta name=c><p><meta name=d>";
        assert_eq!(lol::metas(page.as_bytes()), pairs(&[("c", "")]));
    }
}
