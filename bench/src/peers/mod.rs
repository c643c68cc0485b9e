//! The peers of the head rows: other libraries, made to give the METAs of a page's HEAD.
//!
//! Each is used as one would who knows it and wants only that: nothing is kept between pages (but
//! selectors, which are constants of the program), and each stops as early as it can. All read as
//! with scripting off, where the library lets one choose. What a peer cannot tell is said at the
//! head of its module.

mod ever;
mod gum;
mod lol;
mod rcdom;
mod scrape;
mod states;
mod tl_nodes;

/// A page, in the two forms that peers take.
pub struct Page {
    /// The bytes as they came.
    pub bytes: Vec<u8>,
    /// The same, decoded.
    pub text: String,
    /// How many of the bytes are read for the HEAD.
    pub head: usize,
}

/// What a META says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// Its `name`, in ASCII lower case, without white space around it; empty if it has none.
    pub name: String,
    /// Its `content`, as the peer decodes it; empty if it has none.
    pub content: String,
}

impl Pair {
    /// From values that are borrowed.
    fn new(name: &str, content: &str) -> Self {
        Self {
            name: name.trim_ascii().to_ascii_lowercase(),
            content: content.to_owned(),
        }
    }

    /// From values that the peer has made, which are not copied.
    fn owned(mut name: String, content: String) -> Self {
        name.make_ascii_lowercase();
        let trimmed = name.trim_ascii();
        if trimmed.len() < name.len() {
            name = trimmed.to_owned();
        }
        Self { name, content }
    }
}

/// A library that is compared with.
pub struct Peer {
    /// What it is called in the results.
    pub name: &'static str,
    /// Gives the METAs of a page's HEAD, in order.
    pub read: fn(&Page) -> Vec<Pair>,
}

/// All of them.
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
