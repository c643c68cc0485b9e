//! What pages and headers say to robots.
//!
//! A [`Page`] is HTML with its header lines. [`page_answer`] returns what both say, and [`response_answer`] what the headers alone say:
//! lists of directives, facts in headers ([`header_facts`]) and, on request, the [`decisions`] of all robots. [`words`] has the
//! meanings of statements, for people.

mod answer;
pub mod decisions;
pub mod header_facts;
mod headers;
mod lists;
mod quota;
pub mod words;

pub use answer::{page_answer, response_answer};
pub use quota::MAX_LISTED;

use encoding_rs::Encoding;
use robots_lint::page::header_text;
use robots_lint::report::lines::encoding_of;
use robots_meta::page::Meta;
use robots_meta::{HeadOptions, HeadReader, PageFacts};
use robots_policy::Decision;
use robots_policy::profile::AgentTable;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Returns the names of METAs for robots that vendors document.
pub fn robots_metas() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| AgentTable::built_in().meta_names());
    &NAMES
}

/// How a page is read, and what its answer has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(
    clippy::exhaustive_structs,
    clippy::struct_excessive_bools,
    reason = "one for each option"
)]
pub struct PageOptions {
    /// Whether the answer lists every META.
    pub all_metas: bool,
    /// Whether the whole document is read: METAs in BODY too, and links.
    pub document: bool,
    /// Whether the page is read as by a browser that runs scripts: NOSCRIPT is text.
    pub scripting: bool,
    /// Whether the answer has the decision of every robot of every profile, without robots.txt.
    pub decisions: bool,
}

/// The status of a page that is known without its response.
pub const OK: u16 = 200;

/// A page with its headers, and the contents of its HEAD.
#[derive(Debug)]
#[non_exhaustive]
pub struct Page<'a> {
    /// The name of its file, or its URL.
    pub name: &'a str,
    /// The name of its file, or of the archive that has it, if the answer names it.
    pub input: Option<&'a str>,
    /// The status of its response: 200 for a page without one.
    pub status: u16,
    /// The body, as it was received.
    pub html: &'a [u8],
    /// All header lines of its response, in order.
    pub headers: &'a [HeaderLine<'a>],
    /// The contents of its HEAD.
    pub facts: PageFacts,
    /// Whether it was read as by a browser that runs scripts.
    pub scripting: bool,
}

/// A header line.
#[derive(Debug)]
#[non_exhaustive]
pub struct HeaderLine<'a> {
    /// The name.
    pub name: &'a str,
    /// The value as it was received.
    pub value: &'a [u8],
    /// The value as text with the same offsets.
    pub text: Cow<'a, str>,
}

impl<'a> HeaderLine<'a> {
    /// Returns a line with a name and a value.
    pub fn new(name: &'a str, value: &'a [u8]) -> Self {
        Self {
            name,
            value,
            text: header_text(value),
        }
    }

    /// Returns the name and the value, as libraries read them.
    pub fn bytes(&self) -> (&'a str, &'a [u8]) {
        (self.name, self.value)
    }
}

impl<'a> Page<'a> {
    /// Reads a page as the options say, in the encoding that its server or the user names.
    pub fn read(
        name: &'a str,
        html: &'a [u8],
        charset: Option<&str>,
        options: PageOptions,
    ) -> Self {
        let read = HeadOptions::new()
            .with_scripting(options.scripting)
            .with_charset(charset.unwrap_or_default());
        Self {
            name,
            input: None,
            status: OK,
            html,
            headers: &[],
            facts: if options.document {
                read.read_document(html)
            } else {
                read.read(html)
            },
            scripting: options.scripting,
        }
    }

    /// Returns a response of which only the headers are known.
    pub fn of_headers(name: &'a str, headers: &'a [HeaderLine<'a>]) -> Self {
        Self {
            name,
            input: None,
            status: OK,
            html: b"",
            headers,
            facts: HeadReader::read(b""),
            scripting: false,
        }
    }

    /// Returns the decision of every robot of every profile, without robots.txt.
    pub fn decisions(&self) -> Vec<Decision> {
        let page = decisions::response(self.status, self.headers)
            .with_charset(self.facts.encoding())
            .with_html(self.html);
        decisions::decide(&page, self.scripting)
    }

    /// Returns the encoding; UTF-8 if it is not known.
    pub fn encoding(&self) -> &'static Encoding {
        encoding_of(self.facts.encoding())
    }

    /// Returns the end of the tag of a META, in bytes. In encodings such as UTF-16 it is not known.
    pub fn tag_end(&self, meta: Meta<'_>) -> Option<usize> {
        self.encoding()
            .is_ascii_compatible()
            .then_some(meta.span().end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns header lines of text.
    pub(super) fn header_lines<'a>(lines: &[(&'a str, &'a str)]) -> Vec<HeaderLine<'a>> {
        lines
            .iter()
            .map(|(name, value)| HeaderLine::new(name, value.as_bytes()))
            .collect()
    }

    #[test]
    fn content_has_an_offset_if_its_bytes_are_its_text() {
        let start = |html: &[u8]| {
            let page = Page::read("", html, None, PageOptions::default());
            page.facts
                .metas()
                .next()
                .and_then(|meta| meta.content_start_in(page.html))
        };
        assert_eq!(start(b"<meta name=robots content=noai>"), Some(26));
        assert_eq!(start(b"<meta name=robots content='&amp;'>"), None);
        assert_eq!(start(b"<meta name=robots content='\xe9'>"), None);
        assert_eq!(start(b"<meta name=robots>"), None);
    }
}
