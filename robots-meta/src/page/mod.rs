//! What a HEAD said: its METAs in order, and what is read from them.

mod end;
mod link;
mod meta;
mod misspelling;
pub(crate) mod record;

pub use end::{EncodingSource, HeadEnd, HeadLimit, Place, ReadBy};
pub use link::{Canonical, Link};
pub use meta::{Attribute, Meta};
pub use misspelling::Misspelling;

use crate::directive::Directive;
use crate::value::RevisitAfter;
use record::{AttributeRecord, LinkRecord, MetaRecord, Span, TextRecord};
use smallvec::SmallVec;
use std::borrow::Cow;

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
    pub(crate) fn text(&self, span: Span) -> &str {
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

    /// The links of the document, in order, if they were asked for ([`Facts::LINKS`](crate::Facts::LINKS), by a
    /// [`DocumentReader`](crate::DocumentReader)).
    pub fn links(&self) -> impl ExactSizeIterator<Item = Link<'_>> + Clone {
        self.links.iter().map(|record| Link {
            offset: record.href.offset as usize,
            href: self.text(record.href.text).trim_ascii(),
            rel: record.rel,
        })
    }

    /// The offsets of the tags with `data-nosnippet`, in order, if they were asked for
    /// ([`Facts::NO_SNIPPETS`](crate::Facts::NO_SNIPPETS), with a
    /// [`DocumentReader`](crate::DocumentReader)): on `span`, `div` and `section`, where
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
