//! What a HEAD said: its METAs in order, and what is read from them.

use crate::directives::Directive;
use crate::grammar::{AgentPrefix, items};
use crate::revisit::RevisitAfter;
use std::fmt;

/// An attribute of a tag.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Attribute {
    pub(crate) name: String,
    pub(crate) value: String,
}

impl Attribute {
    /// The name, in lower case.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The value, with its character references resolved.
    pub fn value(&self) -> &str {
        &self.value
    }
}

/// A META element of the HEAD.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Meta {
    pub(crate) offset: usize,
    pub(crate) attributes: Vec<Attribute>,
}

impl Meta {
    /// The offset of its `<` in the bytes of the page.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Its attributes in order; of several with one name, the first (the standard drops the
    /// others).
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// The value of an attribute; `name` in lower case.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name == name)
            .map(|attribute| attribute.value.as_str())
    }

    /// The value of `name`.
    pub fn name(&self) -> Option<&str> {
        self.attribute("name")
    }

    /// The value of `content`; empty if there is none.
    pub fn content(&self) -> &str {
        self.attribute("content").unwrap_or_default()
    }

    /// Whether its `name` is this one; ASCII case and white space around it are ignored.
    pub fn is_named(&self, name: &str) -> bool {
        self.name()
            .is_some_and(|found| found.trim_ascii().eq_ignore_ascii_case(name))
    }

    /// Its content as a list of directives.
    pub fn directives(&self) -> impl Iterator<Item = Directive<'_>> {
        items(self.content(), AgentPrefix::None).map(|item| item.directive)
    }
}

/// The link of a HEAD that names the page's canonical URL.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Canonical {
    pub(crate) offset: usize,
    pub(crate) href: String,
}

impl Canonical {
    /// The offset of its `<` in the bytes of the page.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The URL as written, without white space around it; it may be relative.
    pub fn href(&self) -> &str {
        &self.href
    }
}

/// What ended a HEAD.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HeadEnd {
    /// A tag: `<body>`, or any that only a body can have.
    Tag {
        /// Its name, in lower case.
        name: String,
        /// The offset of its `<` in the bytes of the page.
        offset: usize,
    },
    /// Text.
    Text,
    /// The page ended first.
    EndOfPage,
    /// One of the reader's limits ([`HeadLimit`]): what the rest of the head says is not known.
    Limit(HeadLimit),
}

/// A limit of the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HeadLimit {
    /// The head has more bytes than [`HeadReader::with_limit`](crate::HeadReader::with_limit)
    /// says.
    Bytes,
    /// More than [`MAX_OPEN_ELEMENTS`](crate::MAX_OPEN_ELEMENTS) elements are open.
    OpenElements,
    /// A tag has more than [`MAX_ATTRIBUTES`](crate::MAX_ATTRIBUTES) attributes.
    Attributes,
    /// The page makes the tree builder create elements out of proportion to its length, by what is
    /// in a template.
    Work,
}

impl fmt::Display for HeadLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bytes => "too many bytes",
            Self::OpenElements => "too many open elements",
            Self::Attributes => "too many attributes",
            Self::Work => "too many elements for its length",
        })
    }
}

/// What the HEAD of a page said.
///
/// Everything is kept as the page has it; nothing is judged. Look-ups are linear in the number of
/// METAs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageMeta {
    pub(crate) metas: Vec<Meta>,
    pub(crate) title: Option<String>,
    pub(crate) canonical: Option<Canonical>,
    pub(crate) encoding: &'static str,
    pub(crate) end: HeadEnd,
}

impl PageMeta {
    /// Every META of the HEAD, in order.
    pub fn metas(&self) -> &[Meta] {
        &self.metas
    }

    /// The METAs that speak to a robot that goes by one of these names (`robots`, `googlebot`),
    /// in order.
    pub fn robots_metas<'a>(
        &'a self,
        names: &'a [impl AsRef<str>],
    ) -> impl Iterator<Item = &'a Meta> {
        self.metas
            .iter()
            .filter(|meta| names.iter().any(|name| meta.is_named(name.as_ref())))
    }

    /// What those METAs say, in order.
    ///
    /// ```
    /// use robots_meta::{Directives, HeadReader};
    ///
    /// let page = HeadReader::read(b"<meta name=robots content='noindex, noarchive'>");
    /// let flags: Directives = page
    ///     .directives(&["robots", "googlebot"])
    ///     .map(|directive| directive.flags())
    ///     .collect();
    /// assert_eq!(flags, Directives::NOINDEX | Directives::NOARCHIVE);
    /// ```
    pub fn directives<'a>(
        &'a self,
        names: &'a [impl AsRef<str>],
    ) -> impl Iterator<Item = Directive<'a>> {
        self.robots_metas(names).flat_map(Meta::directives)
    }

    /// The content of the first META of this name; ASCII case is ignored.
    pub fn content_of(&self, name: &str) -> Option<&str> {
        self.metas
            .iter()
            .find(|meta| meta.is_named(name))
            .map(Meta::content)
    }

    /// The page's description, with runs of white space folded into one space.
    pub fn description(&self) -> Option<String> {
        self.content_of("description").map(folded)
    }

    /// The page's keywords: what stands between commas, without white space around it; empty ones
    /// are left out. Commas are U+002C, U+3001 and U+FF0C.
    pub fn keywords(&self) -> Vec<&str> {
        self.content_of("keywords")
            .unwrap_or_default()
            .split([',', '\u{3001}', '\u{FF0C}'])
            .map(str::trim)
            .filter(|keyword| !keyword.is_empty())
            .collect()
    }

    /// When the author would like a robot to come back: the first META named `revisit-after` or
    /// `revisit` that can be read (SEMANTICS 5.8), with it.
    pub fn revisit_after(&self) -> Option<(RevisitAfter, &Meta)> {
        self.metas
            .iter()
            .filter(|meta| meta.is_named("revisit-after") || meta.is_named("revisit"))
            .find_map(|meta| Some((RevisitAfter::parse(meta.content())?, meta)))
    }

    /// The text of the first TITLE of the HEAD, with runs of white space folded into one space.
    pub fn title(&self) -> Option<String> {
        self.title.as_deref().map(folded)
    }

    /// The first link with `rel=canonical` and a URL.
    pub fn canonical(&self) -> Option<&Canonical> {
        self.canonical.as_ref()
    }

    /// The name of the encoding that the page was read in, as the Encoding Standard has it:
    /// `UTF-8`, `windows-1252`.
    pub fn encoding(&self) -> &'static str {
        self.encoding
    }

    /// What ended the HEAD.
    pub fn end(&self) -> &HeadEnd {
        &self.end
    }
}

fn folded(text: &str) -> String {
    text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}
