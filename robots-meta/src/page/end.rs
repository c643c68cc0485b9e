//! Where an element is, what ended a HEAD, and how it was read.

use std::borrow::Cow;
use std::fmt;

/// Where an element stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Place {
    /// In HEAD.
    Head,
    /// Behind HEAD: seen only by a [`DocumentReader`](crate::DocumentReader).
    Body,
}

/// What ended a HEAD.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HeadEnd {
    /// A tag: `<body>`, or any that only a body can have.
    Tag {
        /// Its name, in lower case.
        name: Cow<'static, str>,
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
    /// The HEAD has more bytes than [`HeadOptions::with_limit`](crate::HeadOptions::with_limit)
    /// allows.
    Bytes,
    /// More than [`MAX_OPEN_ELEMENTS`](crate::MAX_OPEN_ELEMENTS) elements are open.
    OpenElements,
    /// The tags of a TEMPLATE take more than [`MAX_TEMPLATE_BYTES`](crate::MAX_TEMPLATE_BYTES).
    Template,
    /// A META has more than [`MAX_ATTRIBUTES`](crate::MAX_ATTRIBUTES) attributes.
    Attributes,
    /// A META's tag has more than [`MAX_META_BYTES`](crate::MAX_META_BYTES) bytes.
    MetaBytes,
    /// More than [`MAX_METAS`](crate::MAX_METAS) METAs are wanted.
    Metas,
    /// There are more than [`MAX_LINKS`](crate::MAX_LINKS) links, or elements that are not to be
    /// shown.
    Links,
    /// The page makes the tree builder create elements out of proportion to its length, by what is
    /// in a template.
    Work,
}

impl fmt::Display for HeadLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bytes => "too many bytes",
            Self::OpenElements => "too many open elements",
            Self::Template => "a TEMPLATE too long",
            Self::Attributes => "too many attributes",
            Self::MetaBytes => "a META too long",
            Self::Metas => "too many METAs",
            Self::Links => "too many links",
            Self::Work => "too many elements for its length",
        })
    }
}

/// Who read a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReadBy {
    /// The scanner alone.
    Scanner,
    /// The scanner, and for some of it, from this offset on, html5ever's tree builder: there is a
    /// TEMPLATE in HEAD, or all of the document was asked for.
    Authority {
        /// The offset in the page of what it was given first. `None` for text where bytes and text
        /// do not go together (UTF-16, ISO-2022-JP).
        from: Option<usize>,
    },
}

/// How the encoding of a page was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
    /// Nothing names it: it is the one for pages that do not tell theirs.
    Fallback,
    /// A META names it that is behind the bytes which are searched beforehand, or was not found
    /// there.
    LateMeta,
}
