//! What a HEAD said: its METAs in order, and what is read from them.

use crate::directives::Directive;
use crate::grammar::{AgentPrefix, items};
use crate::head::EncodingSource;
use crate::link::Link;
use crate::record::{AttributeRecord, LinkRecord, MetaRecord, Span, TextRecord};
use crate::revisit::RevisitAfter;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// Where an element stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Place {
    /// In HEAD.
    Head,
    /// Behind HEAD: seen only by who asks for the whole document ([`Scope::Document`]).
    Body,
}

/// An attribute of a META.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attribute<'p> {
    name: &'p str,
    value: &'p str,
    source: Option<Span>,
}

impl<'p> Attribute<'p> {
    /// The name, in lower case.
    pub fn name(&self) -> &'p str {
        self.name
    }

    /// The value, with its character references resolved.
    pub fn value(&self) -> &'p str {
        self.value
    }

    /// Where the value stands in the bytes of the page, without quotes. `None` where bytes and text
    /// do not go together: in UTF-16 and ISO-2022-JP.
    pub fn value_span(&self) -> Option<Range<usize>> {
        self.source.map(Span::range)
    }
}

/// A META element.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Meta<'p> {
    page: &'p PageMeta,
    record: &'p MetaRecord,
}

impl<'p> Meta<'p> {
    /// The offset of its `<` in the bytes of the page.
    pub fn offset(&self) -> usize {
        self.record.source.start as usize
    }

    /// Where its tag stands in the bytes of the page, from `<` to behind `>`; empty where bytes and
    /// text do not go together (UTF-16, ISO-2022-JP).
    pub fn span(&self) -> Range<usize> {
        self.record.source.range()
    }

    /// Whether it stands in HEAD.
    pub fn place(&self) -> Place {
        self.record.place
    }

    /// Its attributes in order; of several with one name, the first (the standard drops the
    /// others).
    pub fn attributes(&self) -> impl ExactSizeIterator<Item = Attribute<'p>> + Clone + use<'p> {
        let page = self.page;
        page.attributes
            .get(self.record.attributes.range())
            .unwrap_or_default()
            .iter()
            .map(|record| Attribute {
                name: page.text(record.name),
                value: page.text(record.value),
                source: record.source,
            })
    }

    /// An attribute; `name` in lower case.
    pub fn attribute(&self, name: &str) -> Option<Attribute<'p>> {
        self.attributes().find(|attribute| attribute.name == name)
    }

    /// The value of `name`.
    pub fn name(&self) -> Option<&'p str> {
        self.record.name.map(|name| self.page.text(name))
    }

    /// The value of `content`; empty if there is none.
    pub fn content(&self) -> &'p str {
        self.record
            .content
            .map(|content| self.page.text(content))
            .unwrap_or_default()
    }

    /// Whether its `name` is this one; ASCII case and white space around it are ignored.
    pub fn is_named(&self, name: &str) -> bool {
        self.name()
            .is_some_and(|found| found.trim_ascii().eq_ignore_ascii_case(name))
    }

    /// Its content as a list of directives.
    pub fn directives(&self) -> impl Iterator<Item = Directive<'p>> + use<'p> {
        items(self.content(), AgentPrefix::None).map(|item| item.directive)
    }
}

impl fmt::Debug for Meta<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Meta")
            .field("offset", &self.offset())
            .field("attributes", &self.attributes().collect::<Vec<_>>())
            .finish()
    }
}

/// The link of a HEAD that names the page's canonical URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Canonical<'p> {
    offset: usize,
    href: &'p str,
}

impl<'p> Canonical<'p> {
    /// The offset of its `<` in the bytes of the page.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The URL as written, without white space around it; it may be relative.
    pub fn href(&self) -> &'p str {
        self.href
    }
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
    /// The head has more bytes than [`HeadReader::with_limit`](crate::HeadReader::with_limit)
    /// says.
    Bytes,
    /// More than [`MAX_OPEN_ELEMENTS`](crate::MAX_OPEN_ELEMENTS) elements are open.
    OpenElements,
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
            Self::Attributes => "too many attributes",
            Self::MetaBytes => "a META too long",
            Self::Metas => "too many METAs",
            Self::Links => "too many links",
            Self::Work => "too many elements for its length",
        })
    }
}

/// What of a page is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Scope {
    /// Its HEAD, and no byte behind it.
    #[default]
    Head,
    /// All of it: Google obeys METAs for robots in BODY too (SEMANTICS 5.1).
    Document,
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

/// What the HEAD of a page said, as far as it was wanted ([`Wanted`](crate::Wanted)).
///
/// Everything is kept as the page has it; nothing is judged. Look-ups are linear in the number of
/// METAs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageMeta {
    /// Names and values, and what stands between them.
    pub(crate) text: String,
    pub(crate) metas: SmallVec<[MetaRecord; 2]>,
    pub(crate) attributes: SmallVec<[AttributeRecord; 4]>,
    pub(crate) title: Option<TextRecord>,
    pub(crate) title_is_cut: bool,
    pub(crate) canonical: Option<TextRecord>,
    pub(crate) links: Vec<LinkRecord>,
    pub(crate) no_snippets: Vec<u32>,
    pub(crate) encoding: &'static str,
    pub(crate) encoding_source: EncodingSource,
    pub(crate) end: HeadEnd,
    pub(crate) consumed: Option<usize>,
    pub(crate) read_by: ReadBy,
    pub(crate) overlong_tags: usize,
}

impl PageMeta {
    fn text(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// Every META that was wanted, in order.
    pub fn metas(&self) -> impl ExactSizeIterator<Item = Meta<'_>> + DoubleEndedIterator + Clone {
        self.metas.iter().map(|record| Meta { page: self, record })
    }

    /// The METAs that speak to a robot that goes by one of these names (`robots`, `googlebot`),
    /// in order.
    pub fn robots_metas<'a>(
        &'a self,
        names: &'a [impl AsRef<str>],
    ) -> impl Iterator<Item = Meta<'a>> {
        self.metas()
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
        self.robots_metas(names).flat_map(|meta| meta.directives())
    }

    /// The METAs that stand in HEAD.
    fn in_head(&self) -> impl Iterator<Item = Meta<'_>> {
        self.metas().filter(|meta| meta.place() == Place::Head)
    }

    /// The content of the first META of this name in HEAD; ASCII case is ignored.
    pub fn content_of(&self, name: &str) -> Option<&str> {
        self.in_head()
            .find(|meta| meta.is_named(name))
            .map(|meta| meta.content())
    }

    /// The page's description, with runs of white space folded into one space.
    pub fn description(&self) -> Option<Cow<'_, str>> {
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
    pub fn revisit_after(&self) -> Option<(RevisitAfter, Meta<'_>)> {
        self.in_head()
            .filter(|meta| meta.is_named("revisit-after") || meta.is_named("revisit"))
            .find_map(|meta| Some((RevisitAfter::parse(meta.content())?, meta)))
    }

    /// The text of the first TITLE of the HEAD, with runs of white space folded into one space.
    pub fn title(&self) -> Option<Cow<'_, str>> {
        self.title.map(|title| folded(self.text(title.text)))
    }

    /// Whether that text went on behind [`MAX_TITLE_BYTES`](crate::MAX_TITLE_BYTES).
    pub fn title_is_cut(&self) -> bool {
        self.title_is_cut
    }

    /// The offset of the `<` of that TITLE in the bytes of the page.
    pub fn title_offset(&self) -> Option<usize> {
        self.title.map(|title| title.offset as usize)
    }

    /// The first link with `rel=canonical` and a URL.
    pub fn canonical(&self) -> Option<Canonical<'_>> {
        self.canonical.map(|found| Canonical {
            offset: found.offset as usize,
            href: self.text(found.text),
        })
    }

    /// The links of the document, in order, if they were asked for ([`Facts::LINKS`](crate::Facts::LINKS), with
    /// [`Scope::Document`]).
    pub fn links(&self) -> impl ExactSizeIterator<Item = Link<'_>> + Clone {
        self.links.iter().map(|record| Link {
            offset: record.href.offset as usize,
            href: self.text(record.href.text).trim_ascii(),
            rel: record.rel,
        })
    }

    /// The offsets of the tags with `data-nosnippet`, in order, if they were asked for
    /// ([`Facts::NO_SNIPPETS`](crate::Facts::NO_SNIPPETS), with [`Scope::Document`]): on `span`, `div` and `section`, where
    /// Google heeds it (SEMANTICS 5.1).
    pub fn no_snippets(&self) -> impl ExactSizeIterator<Item = usize> + Clone {
        self.no_snippets.iter().map(|&offset| offset as usize)
    }

    /// The name of the encoding that the page was read in, as the Encoding Standard has it:
    /// `UTF-8`, `windows-1252`.
    pub fn encoding(&self) -> &'static str {
        self.encoding
    }

    /// How the encoding was found.
    pub fn encoding_source(&self) -> EncodingSource {
        self.encoding_source
    }

    /// What ended the HEAD.
    pub fn end(&self) -> &HeadEnd {
        &self.end
    }

    /// How many bytes of the page were read: up to behind what ended the HEAD. `None` if it ended
    /// where bytes and text do not go together (UTF-16, ISO-2022-JP).
    pub fn consumed(&self) -> Option<usize> {
        self.consumed
    }

    /// How many tags had more than [`MAX_TAG_BYTES`](crate::MAX_TAG_BYTES) bytes, so that their
    /// attributes were not looked at: LINKs while the canonical one is looked for, and in a whole
    /// document other elements. METAs have a limit of their own.
    pub fn overlong_tags(&self) -> usize {
        self.overlong_tags
    }

    /// Who read it.
    pub fn read_by(&self) -> ReadBy {
        self.read_by
    }
}

/// The text without white space around it, and with runs of white space in it folded into one space.
fn folded(text: &str) -> Cow<'_, str> {
    let text = text.trim_ascii();
    let is_folded = !text
        .as_bytes()
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if is_space(*b) && (*b != b' ' || is_space(*a))));
    if is_folded {
        return Cow::Borrowed(text);
    }
    let mut folded = String::with_capacity(text.len());
    for word in text.split_ascii_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    Cow::Owned(folded)
}

fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace()
}
