//! Reading all of a document, METAs in BODY included.

use super::options::HeadOptions;
use super::reader::Progress;
use super::reading::{Reading, read_page};
use super::scan::{Scope, WantedPart};
use super::tree::LazyTreeBuilder;
use crate::page::{HeadEnd, PageFacts};

/// A reader of all of one page, chunk by chunk. METAs after HEAD have
/// [`Placement::Body`](crate::page::Placement).
///
/// It is far slower than [`HeadReader`](crate::HeadReader), because html5ever's tree builder must follow
/// the tags after HEAD. It is not `Send`: keep it on one thread, or read the page at once with
/// [`HeadOptions::read_document`].
///
/// ```
/// use robots_meta::HeadOptions;
/// use robots_meta::page::Placement;
///
/// let mut reader = HeadOptions::new().document_reader();
/// let _ = reader.feed(b"<title>a</title><p>b<meta name=robots content=noindex>");
/// let page = reader.finish();
/// assert_eq!(page.metas().next().map(|meta| meta.placement()), Some(Placement::Body));
/// ```
#[derive(Debug)]
pub struct DocumentReader {
    reading: Reading,
    builder: LazyTreeBuilder,
}

impl DocumentReader {
    /// Reads the next bytes of the page. Feeding a reader that is done changes nothing.
    pub fn feed(&mut self, chunk: &[u8]) -> Progress {
        self.reading.feed(chunk, &mut self.builder);
        Progress::of(self.reading.is_done())
    }

    /// Ends the page, and returns its facts.
    pub fn finish(mut self) -> PageFacts {
        self.reading.finish(&mut self.builder)
    }
}

impl HeadOptions {
    /// Reads all of a page that is in memory, as [`DocumentReader`] does.
    pub fn read_document(&self, page: impl AsRef<[u8]>) -> PageFacts {
        read_page(self, Scope::Document, page.as_ref(), None)
    }

    /// Reads the document of a page if a tag after its HEAD may be wanted. `head` is the result of
    /// [`read`](Self::read) with the same options and page.
    ///
    /// Returns `None` if no such tag is there: the METAs, links and elements with `data-nosnippet` of the
    /// document are then those of `head`. Few pages have such a tag, and the search is far faster than
    /// reading the document.
    ///
    /// Reading stops after the last tag that may be wanted, so a limit that is exceeded only after it is
    /// not reported. METAs, links and elements with `data-nosnippet` are those of
    /// [`read_document`](Self::read_document).
    ///
    /// ```
    /// use robots_meta::{Facts, HeadOptions, Wanted};
    ///
    /// let options = HeadOptions::new().with_wanted(Wanted::facts(Facts::ROBOTS));
    /// let metas_of_document = |page: &str| {
    ///     let head = options.read(page);
    ///     let document = options.read_document_if_needed(page, &head);
    ///     document.map(|document| document.metas().len())
    /// };
    /// assert_eq!(metas_of_document("<body><meta itemprop=name content=a>"), None);
    /// assert_eq!(metas_of_document("<body><meta name=robots content=noindex>"), Some(1));
    /// assert_eq!(metas_of_document("<body><!-- <meta name=robots> -->"), Some(0));
    /// ```
    pub fn read_document_if_needed(
        &self,
        page: impl AsRef<[u8]>,
        head: &PageFacts,
    ) -> Option<PageFacts> {
        let page = page.as_ref();
        let consumed = match head.end() {
            // A limit ended reading, so the rest of the HEAD is unknown. A document has higher limits.
            HeadEnd::Limit(_) => None,
            // `None` in UTF-16 and ISO-2022-JP, where the offset of the end of HEAD is unknown.
            _ => head.consumed(),
        };
        let Some(consumed) = consumed else {
            return Some(self.read_document(page));
        };
        let last = match WantedPart::of(page, consumed, &self.wanted) {
            WantedPart::Nothing => return None,
            WantedPart::UpToTag(last) => Some(last),
            WantedPart::Everything => None,
        };
        Some(read_page(self, Scope::Document, page, last))
    }

    /// Returns a reader of all of one page, chunk by chunk.
    pub fn document_reader(&self) -> DocumentReader {
        DocumentReader {
            reading: Reading::new(self, Scope::Document),
            builder: LazyTreeBuilder::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The adoption agency algorithm (HTML, 13.2.6.4.7) moves a block into a clone that is not in the document yet.
    #[test]
    fn content_of_a_moved_block_is_in_the_document() {
        for before in [
            "<font><b><p>x</font>",
            "<font><b><i><p>x</font></p>",
            "<a><nobr><em><div>x</a></div>",
            "<table><b><i><p>x</b>",
        ] {
            let html = format!(
                "{before}<meta name=robots content=noindex><area href=/a><div data-nosnippet>"
            );
            let page = HeadOptions::new().read_document(&html);
            assert_eq!(page.metas().len(), 1, "{before}");
            assert_eq!(page.links().len(), 1, "{before}");
            assert_eq!(page.no_snippets().len(), 1, "{before}");
            let in_template = format!("<template>{html}</template>");
            let page = HeadOptions::new().read_document(&in_template);
            assert_eq!(page.metas().len(), 0, "{before}");
            assert_eq!(page.links().len(), 0, "{before}");
        }
    }

    /// If an `object` is still open at the end of a TEMPLATE, formatting elements before it in the TEMPLATE, such as an
    /// `a`, stay in the list of active formatting elements (HTML, 13.2.4.3). So the next text opens them again, outside
    /// of the TEMPLATE.
    #[test]
    fn a_link_that_leaves_its_template_is_in_the_document() {
        let links = |html: &str| -> Vec<(String, usize)> {
            let page = HeadOptions::new().read_document(html);
            let links = page.links();
            links
                .map(|link| (link.href().to_owned(), link.offset()))
                .collect()
        };
        let leaks = |element: &str, before: &str| {
            let html = format!("{before}<template><a href='&#x2F;&eacute;'>{element}</template>");
            assert_eq!(links(&html), [], "{html}");
            let offset = before.len() + "<template>".len();
            let link = [("/é".to_owned(), offset)];
            // The parser may open the `a` again several times. All of these elements are the same link.
            for after in [
                "x",
                "<p>x",
                "<b>",
                "x<p>y</a><p>z",
                "<",
                "</",
                "&",
                "&#",
                "<p> ",
                "<p>&#32",
                "<plaintext> ",
                "<plaintext>\0",
                "<table>x",
                "<pre>\n ",
                "<pre>\n\n",
                "<pre>\r\r",
                "<pre>&#13;",
            ] {
                assert_eq!(links(&format!("{html}{after}")), link, "{html}{after}");
            }
            // Nothing here opens the link again. A new `a` or an `</a>` closes it first. A comment, text in a TEMPLATE
            // and a line end directly after `<pre>` do not open it.
            for after in [
                "<a>x",
                "<p></a>x",
                "<p><!--x--></p>",
                "<p><template>x",
                "<pre>\n",
                "<pre>\r\n</pre>",
                "<pre>&#10;",
                "<pre>&NewLine;",
            ] {
                assert_eq!(links(&format!("{html}{after}")), [], "{html}{after}");
            }
        };
        for element in [
            "<object>",
            "<applet>",
            "<marquee>",
            "<table><td><object></td>",
        ] {
            leaks(element, "<body>");
            leaks(element, "<head>");
            leaks(element, "<head></head>");
            leaks(element, "<head><template></template>");
        }
        // Without an open `object`, the link does not leave its TEMPLATE.
        assert_eq!(links("<template><a href=/a></template><body>x"), []);
        assert_eq!(
            links("<template><a href=/a><object></object></template><body>x"),
            []
        );
        // In the `object`, an `</a>` does not close the link.
        assert_eq!(
            links("<template><a href=/a><object></a></template><body>x").len(),
            1
        );
    }

    /// Each `<p>` opens the `a` again. Reading its URL each time would take minutes.
    #[test]
    fn a_long_link_that_leaves_its_template_is_read_once() {
        let start = format!(
            "<body><template><a href={}><object></template>",
            "x".repeat(30_000)
        );
        let html = start + &"<p>x</p>".repeat(500_000);
        let page = HeadOptions::new().read_document(&html);
        assert_eq!(page.links().len(), 1);
        // Reading the document reached no limit: it ended as reading the HEAD did.
        assert_eq!(
            page.end().clone(),
            HeadOptions::new().read(&html).end().clone()
        );
    }

    /// Returns the document if it needs to be read.
    fn if_needed(options: &HeadOptions, page: impl AsRef<[u8]>) -> Option<PageFacts> {
        let head = options.read(&page);
        options.read_document_if_needed(page, &head)
    }

    fn robots_only() -> HeadOptions {
        use crate::{Facts, Wanted};
        HeadOptions::new().with_wanted(Wanted::facts(Facts::ROBOTS))
    }

    #[test]
    fn a_document_is_read_if_a_tag_after_head_may_be_wanted() {
        let options = robots_only();
        let metas = |page: &str| if_needed(&options, page).map(|document| document.metas().len());
        let meta = "<meta name=robots content=noindex>";
        assert_eq!(metas(&format!("{meta}<body><meta name=x>")), None);
        assert_eq!(metas(&format!("{meta}<body>{meta}")), Some(2));
        // A FRAMESET takes the place of a BODY that has no text yet.
        assert_eq!(metas(&format!("<p>{meta}<frameset>")), Some(0));
        assert_eq!(metas(&format!("<p>{meta}x<frameset>")), Some(1));
        // A hidden INPUT does not count as content.
        let input = |kind: &str| metas(&format!("<p>{meta}<input type={kind}><frameset>"));
        assert_eq!((input("hidden"), input("text")), (Some(0), Some(1)));
        assert_eq!(metas(&format!("<template></template><p>{meta}")), Some(1));
        // The bytes of UTF-16 are not searched.
        let wide: Vec<u8> = "\u{feff}<body>"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert!(if_needed(&options, wide).is_some());
        // By default links are wanted, so every document is read.
        assert!(if_needed(&HeadOptions::new(), "<body>").is_some());
    }

    #[test]
    fn a_limit_counts_only_before_the_last_tag_that_may_be_wanted() {
        use crate::head::{MAX_OPEN_ELEMENTS, MAX_OPEN_ELEMENTS_OF_DOCUMENT};
        use crate::page::HeadLimit;
        let options = robots_only();
        let meta = "<meta name=robots content=noindex>";
        let deep = "<b>".repeat(MAX_OPEN_ELEMENTS_OF_DOCUMENT);
        let limit = HeadEnd::Limit(HeadLimit::OpenElements);
        assert_eq!(*options.read_document(&deep).end(), limit);
        assert_eq!(if_needed(&options, &deep), None);
        let after = if_needed(&options, format!("{deep}{meta}")).unwrap();
        assert_eq!((after.end(), after.metas().len()), (&limit, 0));
        let before = format!("<p>{meta}{deep}");
        let read = if_needed(&options, &before).unwrap();
        assert_ne!(*read.end(), limit);
        assert_eq!(read.metas().len(), 1);
        assert_eq!(read.consumed(), Some("<p>".len() + meta.len()));
        // The limit of a HEAD does not count for a document.
        let template = "<template>".repeat(MAX_OPEN_ELEMENTS);
        assert_eq!(*options.read(&template).end(), limit);
        assert_ne!(*if_needed(&options, &template).unwrap().end(), limit);
        // Bytes past the limit are searched, too.
        let short = options.with_limit(10);
        let html = |tag: &str| format!("<p>{:20}{tag}", "");
        assert_eq!(if_needed(&short, html("<meta name=x>")), None);
        let bytes = HeadEnd::Limit(HeadLimit::Bytes);
        assert_eq!(*if_needed(&short, html(meta)).unwrap().end(), bytes);
    }

    #[test]
    fn links_and_elements_without_snippets_have_limits_of_their_own() {
        use crate::head::MAX_LINKS;
        use crate::page::{HeadEnd, HeadLimit};
        for (tag, limit) in [
            ("<area href=a>", HeadLimit::Links),
            ("<div data-nosnippet></div>", HeadLimit::NoSnippets),
            ("<b data-nosnippet></b>", HeadLimit::NoSnippets),
        ] {
            let end = |count| {
                let html = format!("<body>{}", tag.repeat(count));
                HeadOptions::new().read_document(&html).end().clone()
            };
            assert_ne!(end(MAX_LINKS), HeadEnd::Limit(limit), "{tag}");
            assert_eq!(end(MAX_LINKS + 1), HeadEnd::Limit(limit), "{tag}");
        }
    }
}
