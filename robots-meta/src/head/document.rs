//! Reading all of a document, METAs in BODY included.

use super::options::HeadOptions;
use super::reader::Progress;
use super::reading::{Reading, read_whole};
use super::scan::Scope;
use super::tree::Builder;
use crate::page::PageMeta;
use std::fmt;

/// A reader of all of one page, chunk by chunk. METAs after HEAD have
/// [`Placement::Body`](crate::page::Placement).
///
/// Far slower than [`HeadReader`](crate::HeadReader): html5ever's tree builder identifies the METAs
/// there. A reader is not `Send`: keep it on one thread, or read the page at once with
/// [`HeadOptions::read_document`].
///
/// One link is missing: an `a` in a TEMPLATE that leaves an `object`, `applet` or `marquee` open, which
/// the HTML standard opens again after the TEMPLATE.
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
pub struct DocumentReader {
    reading: Reading,
    builder: Builder,
}

impl DocumentReader {
    /// Begins a page.
    pub fn new(options: &HeadOptions) -> Self {
        Self {
            reading: Reading::new(options, Scope::Document),
            builder: Builder::default(),
        }
    }

    /// Reads the next bytes of the page. Feeding a reader that is done changes nothing.
    pub fn feed(&mut self, chunk: &[u8]) -> Progress {
        self.reading.feed(chunk, &mut self.builder);
        Progress::of(self.reading.is_done())
    }

    /// Ends the page, and returns its facts.
    pub fn finish(mut self) -> PageMeta {
        self.reading.finish(&mut self.builder)
    }
}

impl fmt::Debug for DocumentReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DocumentReader")
            .field("taken", &self.reading.taken())
            .field("done", &self.reading.is_done())
            .finish_non_exhaustive()
    }
}

impl HeadOptions {
    /// Reads all of a page that is in memory, as [`DocumentReader`] does.
    pub fn read_document(&self, page: impl AsRef<[u8]>) -> PageMeta {
        read_whole(self, Scope::Document, page.as_ref())
    }

    /// Returns a reader of all of one page, chunk by chunk.
    pub fn document_reader(&self) -> DocumentReader {
        DocumentReader::new(self)
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

    #[test]
    fn links_and_elements_without_snippets_have_limits_of_their_own() {
        use crate::head::MAX_LINKS;
        use crate::page::{HeadEnd, HeadLimit};
        for (tag, limit) in [
            ("<area href=a>", HeadLimit::Links),
            ("<div data-nosnippet></div>", HeadLimit::NoSnippets),
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
