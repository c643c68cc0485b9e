//! The placement of elements, the end of a HEAD, and the way it was read.

use std::borrow::Cow;
use std::fmt;

/// The placement of an element: in HEAD, or after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Placement {
    /// In HEAD.
    Head,
    /// After HEAD: seen only by a [`DocumentReader`](crate::DocumentReader).
    Body,
}

impl Placement {
    /// Returns its name: `head` or `body`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Head => "head",
            Self::Body => "body",
        }
    }
}

/// The end of a HEAD.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum HeadEnd {
    /// A tag: `<body>`, or any other that only a body can have.
    Tag {
        /// Its name, in lower case.
        name: Cow<'static, str>,
        /// The offset of its `<` in the bytes of the page.
        offset: usize,
    },
    /// Text.
    Text,
    /// The end of the page.
    EndOfPage,
    /// A limit of the reader ([`HeadLimit`]): the rest of the HEAD is unknown.
    Limit(HeadLimit),
}

impl HeadEnd {
    /// Returns its name: `tag`, `text`, `end_of_page` or `limit`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Tag { .. } => "tag",
            Self::Text => "text",
            Self::EndOfPage => "end_of_page",
            Self::Limit(_) => "limit",
        }
    }
}

/// A limit of the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum HeadLimit {
    /// The HEAD, or the document that is read, has more bytes than
    /// [`HeadOptions::with_limit`](crate::HeadOptions::with_limit) allows.
    Bytes,
    /// More than [`MAX_OPEN_ELEMENTS`](crate::head::MAX_OPEN_ELEMENTS) elements are open in a HEAD, or
    /// [`MAX_OPEN_ELEMENTS_OF_DOCUMENT`](crate::head::MAX_OPEN_ELEMENTS_OF_DOCUMENT) in a document.
    OpenElements,
    /// The tags of a TEMPLATE take more than [`MAX_TEMPLATE_BYTES`](crate::head::MAX_TEMPLATE_BYTES).
    Template,
    /// A META has more than [`MAX_ATTRIBUTES`](crate::head::MAX_ATTRIBUTES) attributes.
    Attributes,
    /// A META's tag has more than [`MAX_META_BYTES`](crate::head::MAX_META_BYTES) bytes.
    MetaBytes,
    /// More than [`MAX_METAS`](crate::head::MAX_METAS) METAs are wanted.
    Metas,
    /// There are more than [`MAX_LINKS`](crate::head::MAX_LINKS) links.
    Links,
    /// There are more than [`MAX_LINKS`](crate::head::MAX_LINKS) elements with `data-nosnippet`:
    /// links and these elements have the same limit.
    NoSnippets,
    /// In a TEMPLATE or after HEAD, the tree builder has created more elements than the page has bytes
    /// up to there, plus 4,096: a tag can open many elements again.
    Work,
}

impl HeadLimit {
    /// Every limit.
    pub const ALL: &[Self] = &[
        Self::Bytes,
        Self::OpenElements,
        Self::Template,
        Self::Attributes,
        Self::MetaBytes,
        Self::Metas,
        Self::Links,
        Self::NoSnippets,
        Self::Work,
    ];

    /// Returns its name, in lower case with underscores: `open_elements`.
    pub fn name(self) -> &'static str {
        self.words().0
    }

    /// Returns its name, and its text for people.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Bytes => ("bytes", "too many bytes"),
            Self::OpenElements => ("open_elements", "too many open elements"),
            Self::Template => ("template", "a TEMPLATE too long"),
            Self::Attributes => ("attributes", "too many attributes"),
            Self::MetaBytes => ("meta_bytes", "a META too long"),
            Self::Metas => ("metas", "too many METAs"),
            Self::Links => ("links", "too many links"),
            Self::NoSnippets => ("no_snippets", "too many elements with data-nosnippet"),
            Self::Work => ("work", "too many elements for its length"),
        }
    }
}

impl fmt::Display for HeadLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words().1)
    }
}

/// The reader of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum ReadBy {
    /// The scanner alone.
    Scanner,
    /// The scanner, and from some offset on html5ever's tree builder: there is a TEMPLATE in HEAD,
    /// or all of the document was read.
    TreeBuilder {
        /// The offset in the page of the first tag or text that the tree builder took. `None` for
        /// text whose offset is not known (UTF-16, ISO-2022-JP).
        from: Option<usize>,
    },
}

/// The way the encoding of a page was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum EncodingSource {
    /// The page begins with a byte order mark.
    ByteOrderMark,
    /// The transport names it: the `charset` of the `Content-Type` header.
    Transport,
    /// A META within the first 1,024 bytes names it.
    Prescan,
    /// The page begins with an XML declaration that names it, or that is itself in UTF-16.
    XmlDeclaration,
    /// Nothing names an encoding, so the fallback is used.
    Fallback,
    /// A META after the first 1,024 bytes names it, or a META that the prescan did not find.
    LateMeta,
}

impl EncodingSource {
    /// Every source.
    pub const ALL: &[Self] = &[
        Self::ByteOrderMark,
        Self::Transport,
        Self::Prescan,
        Self::XmlDeclaration,
        Self::Fallback,
        Self::LateMeta,
    ];

    /// Returns its name, in lower case with underscores: `byte_order_mark`.
    pub fn name(self) -> &'static str {
        match self {
            Self::ByteOrderMark => "byte_order_mark",
            Self::Transport => "transport",
            Self::Prescan => "prescan",
            Self::XmlDeclaration => "xml_declaration",
            Self::Fallback => "fallback",
            Self::LateMeta => "late_meta",
        }
    }
}
