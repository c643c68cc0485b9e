//! The facts of a page: its METAs in order, its title and links.

mod end;
mod link;
mod meta;
pub(crate) mod record;

pub use end::{EncodingSource, HeadEnd, HeadLimit, Placement, ReadBy};
pub use link::{HeadLink, Link};
pub use meta::{Attribute, Departure, Meta};

use crate::directive::Directive;
use crate::value::RevisitAfter;
use encoding_rs::Encoding;
use record::{Records, Span, TextRecord};
use std::borrow::Cow;
use std::collections::HashSet;

/// The facts of a page, as far as they were wanted ([`Wanted`](crate::Wanted)): those of its HEAD, and
/// from a [`DocumentReader`](crate::DocumentReader) those of its BODY too.
///
/// METAs are stored as text, from which each call reads the directives. Look-ups are linear in the number of
/// METAs.
///
/// With the feature `serde`, facts can be sent to another process or kept for a later step, instead of the
/// page. Only the same version of this crate reads them back.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PageFacts {
    /// The text that the records' ranges refer to: names and values of attributes, the title, URLs.
    /// There may be other text of the page between them.
    pub(crate) text: String,
    pub(crate) records: Records,
    pub(crate) encoding: &'static Encoding,
    pub(crate) encoding_source: EncodingSource,
    pub(crate) end: HeadEnd,
    /// The offset of the text that ended the HEAD, if text did and its offset is known.
    pub(crate) text_end: Option<usize>,
    pub(crate) consumed: Option<usize>,
    pub(crate) read_by: ReadBy,
    pub(crate) overlong_tags: usize,
}

impl PageFacts {
    pub(crate) fn text(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// Returns every META that was wanted, in order.
    pub fn metas(&self) -> impl ExactSizeIterator<Item = Meta<'_>> + DoubleEndedIterator + Clone {
        self.records
            .metas
            .iter()
            .map(|record| Meta { page: self, record })
    }

    /// Returns the METAs for a robot with one of these names (`robots`, `googlebot`), in order.
    pub fn robots_metas<'a>(
        &'a self,
        names: &'a [impl AsRef<str>],
    ) -> impl Iterator<Item = Meta<'a>> {
        self.metas()
            .filter(|meta| names.iter().any(|name| meta.is_named(name.as_ref())))
    }

    /// Returns the directives of the METAs for a robot with one of these names, in order.
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

    /// Returns the METAs in HEAD.
    fn in_head(&self) -> impl Iterator<Item = Meta<'_>> {
        self.metas()
            .filter(|meta| meta.placement() == Placement::Head)
    }

    /// Returns the content of the first META of this name in HEAD; ASCII case is ignored.
    pub fn content_of(&self, name: &str) -> Option<&str> {
        self.in_head()
            .find(|meta| meta.is_named(name))
            .map(|meta| meta.content())
    }

    /// Returns the page's description, with each run of white space as one space.
    pub fn description(&self) -> Option<Cow<'_, str>> {
        self.content_of("description").map(folded)
    }

    /// Returns the keywords of all METAs of this name in HEAD, in order and without duplicates (HTML, 4.2.5.1): the
    /// texts between commas (U+002C, U+3001 and U+FF0C), without white space around them. Empty ones are left out.
    pub fn keywords(&self) -> Vec<&str> {
        let mut seen = HashSet::new();
        self.in_head()
            .filter(|meta| meta.is_named("keywords"))
            .flat_map(|meta| meta.content().split([',', '\u{3001}', '\u{FF0C}']))
            .map(str::trim)
            .filter(|keyword| !keyword.is_empty() && seen.insert(*keyword))
            .collect()
    }

    /// Returns the time after which the author asks a robot to return, and its META: the first
    /// readable one named `revisit-after` or `revisit` (docs/semantics.md, section 5.8).
    pub fn revisit_after(&self) -> Option<(RevisitAfter, Meta<'_>)> {
        self.in_head()
            .filter(|meta| meta.is_named("revisit-after") || meta.is_named("revisit"))
            .find_map(|meta| Some((RevisitAfter::parse(meta.content())?, meta)))
    }

    /// Returns the text of the first TITLE of the HEAD, with each run of white space as one space.
    pub fn title(&self) -> Option<Cow<'_, str>> {
        self.records
            .title
            .map(|title| folded(self.text(title.text)))
    }

    /// Returns whether the text of TITLE was cut, as it has more than
    /// [`MAX_TITLE_BYTES`](crate::head::MAX_TITLE_BYTES).
    pub fn title_is_cut(&self) -> bool {
        self.records.title_is_cut
    }

    /// Returns the offset of the `<` of the first TITLE of the HEAD, in the bytes of the page.
    pub fn title_offset(&self) -> Option<usize> {
        self.records.title.map(|title| title.offset as usize)
    }

    /// Returns the first link with `rel=canonical` and a URL.
    pub fn canonical(&self) -> Option<HeadLink<'_>> {
        self.records.canonical.map(|found| self.head_link(found))
    }

    /// Returns the links to licences of Really Simple Licensing, in order: those with `rel=license`,
    /// `type=application/rsl+xml` and a URL (docs/semantics.md, section 4.7).
    pub fn licenses(&self) -> impl ExactSizeIterator<Item = HeadLink<'_>> + Clone {
        let licenses = self.records.licenses.iter();
        licenses.map(|&found| self.head_link(found))
    }

    fn head_link(&self, found: TextRecord) -> HeadLink<'_> {
        HeadLink {
            offset: found.offset as usize,
            href: self.text(found.text).trim_ascii(),
        }
    }

    /// Returns the links of the document, in order. Only a
    /// [`DocumentReader`](crate::DocumentReader) that wants [`Facts::LINKS`](crate::Facts::LINKS)
    /// finds them.
    pub fn links(&self) -> impl ExactSizeIterator<Item = Link<'_>> + Clone {
        self.records.links.iter().map(|record| Link {
            offset: record.href.offset as usize,
            href: self.text(record.href.text).trim_ascii(),
            rel: record.rel,
        })
    }

    /// Returns the offsets of the tags with `data-nosnippet`, in order: on `span`, `div` and
    /// `section`, where Google honours it (docs/semantics.md, section 5.1). Only a
    /// [`DocumentReader`](crate::DocumentReader) that wants
    /// [`Facts::NO_SNIPPETS`](crate::Facts::NO_SNIPPETS) finds them.
    pub fn no_snippets(&self) -> impl ExactSizeIterator<Item = usize> + Clone {
        self.records
            .no_snippets
            .iter()
            .map(|&offset| offset as usize)
    }

    /// Returns the offsets of the other tags of BODY with `data-nosnippet`, in order. Google ignores
    /// them; Bing documents that it honours them (docs/semantics.md, section 2.4). An element is not
    /// listed if its tag is in a TEMPLATE and the HTML parser opens it again after the TEMPLATE.
    pub fn no_snippets_on_other_elements(&self) -> impl ExactSizeIterator<Item = usize> + Clone {
        let offsets = self.records.no_snippets_on_other_elements.iter();
        offsets.map(|&offset| offset as usize)
    }

    /// Returns the offsets of those of [`no_snippets`](Self::no_snippets) that no end tag closes: neither theirs, nor that of an
    /// element of the same name in them. None if a limit ended the reading.
    pub fn unclosed_no_snippets(&self) -> impl ExactSizeIterator<Item = usize> + Clone {
        let offsets = self.records.unclosed_no_snippets.iter();
        offsets.map(|&offset| offset as usize)
    }

    /// Returns the name of the encoding in which the page was read, as in the Encoding Standard:
    /// `UTF-8`, `windows-1252`.
    pub fn encoding(&self) -> &'static str {
        self.encoding.name()
    }

    /// Returns the source of the encoding.
    pub fn encoding_source(&self) -> EncodingSource {
        self.encoding_source
    }

    /// Returns the end of the HEAD.
    pub fn end(&self) -> &HeadEnd {
        &self.end
    }

    /// Returns the offset in the page of the tag or text that ended the HEAD. `None` if the page or a limit ended it, or if
    /// the offset is not known (text in UTF-16 or ISO-2022-JP).
    pub fn end_offset(&self) -> Option<usize> {
        match self.end {
            HeadEnd::Tag { offset, .. } => Some(offset),
            _ => self.text_end,
        }
    }

    /// Returns the place where the HEAD ended, for people: `at byte 6, at <img>`.
    pub fn end_place(&self) -> String {
        let what = match &self.end {
            HeadEnd::Tag { name, .. } => format!("at <{name}>"),
            HeadEnd::Text => "at text".to_owned(),
            HeadEnd::EndOfPage => "with the page".to_owned(),
            HeadEnd::Limit(limit) => format!("at a limit: {limit}"),
        };
        match self.end_offset() {
            Some(offset) => format!("at byte {offset}, {what}"),
            None => what,
        }
    }

    /// Returns the number of bytes of the page that were read, up to the end of the tag that ended
    /// the HEAD. `None` if it is not known (UTF-16, ISO-2022-JP).
    pub fn consumed(&self) -> Option<usize> {
        self.consumed
    }

    /// Returns the number of tags with more than [`MAX_TAG_BYTES`](crate::head::MAX_TAG_BYTES) bytes,
    /// whose attributes were not read: LINKs that may be wanted, and in a whole document
    /// other elements. METAs have a limit of their own.
    pub fn overlong_tags(&self) -> usize {
        self.overlong_tags
    }

    /// Returns the reader of the page: the scanner alone, or a tree builder too.
    pub fn read_by(&self) -> ReadBy {
        self.read_by
    }
}

/// Returns the text without white space around it, and with each run of white space as one space.
fn folded(text: &str) -> Cow<'_, str> {
    let text = text.trim_ascii();
    // Folded text has no white space except single spaces.
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

#[cfg(test)]
mod tests {
    use crate::page::Departure;
    use crate::value::Rel;
    use crate::{Facts, HeadOptions, HeadReader, Wanted};

    #[test]
    fn white_space_in_a_title_is_folded() {
        for (title, folded) in [
            (" a b ", "a b"),
            ("a  b", "a b"),
            ("a\tb", "a b"),
            ("a\n \tb&nbsp; c", "a b\u{a0} c"),
        ] {
            let page = HeadReader::read(format!("<title>{title}</title>"));
            assert_eq!(page.title().as_deref(), Some(folded), "{title:?}");
        }
    }

    #[test]
    fn names_of_attributes_are_read_in_any_case() {
        let options = HeadOptions::new().with_wanted(Wanted::facts(Facts::ROBOTS));
        for html in [
            "<meta PROPERTY=robots content=noindex>",
            "<meta Property=robots Content=noindex>",
            "<meta Property=robots Content=noindex Charset=utf-8>",
        ] {
            let page = options.read(html);
            let departures: Vec<_> = page
                .metas()
                .map(|meta| (meta.content(), meta.departure(&["robots"])))
                .collect();
            assert_eq!(departures, [("noindex", Some(Departure::PROPERTY))]);
        }
    }

    #[test]
    fn keywords_are_those_of_all_metas_in_head() {
        let keywords = |html: &str| {
            let page = HeadReader::read(format!("<meta charset=utf-8>{html}"));
            page.keywords().join("|")
        };
        let meta = |content: &str| format!("<meta name=Keywords content='{content}'>");
        let one = meta(" b, a,, b ,A,a b");
        assert_eq!(keywords(&one), "b|a|A|a b");
        let html = [one, meta("c\u{3001}a\u{FF0C}d"), meta(""), meta("b")].concat();
        assert_eq!(keywords(&html), "b|a|A|a b|c|d");
        assert_eq!(keywords(&format!("{}<p>{}", meta("a"), meta("b"))), "a");
        assert_eq!(keywords("<meta name=keywords>"), "");
    }

    #[test]
    fn the_content_of_a_meta_has_a_place_unless_it_is_written_in_another_way() {
        let start = |html: &[u8]| {
            let page = HeadReader::read(html);
            page.metas().next().unwrap().content_start_in(html)
        };
        let html = b"<meta name=robots content='noindex'>";
        assert_eq!(start(html), memchr::memmem::find(html, b"noindex"));
        assert_eq!(start(b"<meta name=robots content='no&#105;ndex'>"), None);
        assert_eq!(start(b"<meta name=robots>"), None);
    }

    #[test]
    fn links_and_no_snippet_elements_are_listed() {
        let html = b"<title>x</title><a href='/a' rel='UGC nofollow'>a</a><a>b</a>\
            <template><a href=c></a></template><svg><a href=d></a></svg>\
            <p data-nosnippet>x<div data-nosnippet=false><area href=' e&amp;f '></div>";
        let at = |tag: &[u8]| memchr::memmem::find(html, tag).unwrap();
        let page = HeadOptions::new().read_document(html);
        let links: Vec<_> = page
            .links()
            .map(|link| (link.offset(), link.href(), link.rel()))
            .collect();
        // An `<a>` without `href`, in a TEMPLATE or in SVG is not a link of the document.
        assert_eq!(
            links,
            [
                (at(b"<a "), "/a", Rel::UGC | Rel::NOFOLLOW),
                (at(b"<area"), "e&f", Rel::empty()),
            ]
        );
        assert_eq!(page.no_snippets().collect::<Vec<_>>(), [at(b"<div")]);
        let elsewhere: Vec<_> = page.no_snippets_on_other_elements().collect();
        assert_eq!(elsewhere, [at(b"<p ")]);
        assert_eq!(HeadReader::read(b"<a href=x>").links().len(), 0);
        // An annotation in HTML has HTML elements, although it is in MathML.
        let in_math = |encoding: &str| {
            let html = format!("<math><annotation-xml encoding={encoding}><a href=x>");
            HeadOptions::new().read_document(html).links().len()
        };
        assert_eq!((in_math("text/html"), in_math("text/x")), (1, 0));
    }

    #[test]
    fn elements_without_an_end_tag_are_listed() {
        let unclosed = |html: &str| -> Vec<usize> {
            let page = HeadOptions::new().read_document(html);
            page.unclosed_no_snippets().collect()
        };
        for html in [
            "<div data-nosnippet>a</div>",
            "<div data-nosnippet><div>a</div><p>b</div>",
            "<div><div data-nosnippet>a</div>",
            "<span data-nosnippet>a<!-- <span> --></span><span>",
            "<div data-nosnippet><div data-nosnippet></div></div>",
            "<p data-nosnippet>a",
        ] {
            assert_eq!(unclosed(html), [], "{html}");
        }
        for (html, expected) in [
            ("<div data-nosnippet>a", &[0][..]),
            ("<p><span data-nosnippet>a</p><p><span>b</span>", &[3]),
            ("<div data-nosnippet><div>a</div>", &[0]),
            ("<div data-nosnippet><div data-nosnippet></div>", &[0]),
            (
                "<section data-nosnippet/><span data-nosnippet></section>",
                &[25],
            ),
        ] {
            assert_eq!(unclosed(html), expected, "{html}");
        }
    }
}
