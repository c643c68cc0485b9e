//! The reading of a page: its HEAD, and the document where METAs after HEAD matter.

use robots_meta::page::HeadEnd;
use robots_meta::{HeadOptions, PageFacts};

/// The facts of one page.
pub(crate) struct Reading {
    /// The facts of its HEAD.
    pub(crate) head: PageFacts,
    /// The facts of the document, if METAs after HEAD matter and there may be a wanted one.
    pub(crate) document: Option<PageFacts>,
}

/// What METAs after HEAD are read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AfterHead {
    /// Nothing.
    Ignored,
    /// A warning, which is left out where the page exceeds a limit of the reader.
    Reported,
    /// The decision.
    Counts,
}

/// Reads the HEAD of a page, and the document if METAs after HEAD matter and there may be a wanted one. Returns both, for
/// policies of which some need the document and others only the HEAD.
pub(crate) fn read(
    html: &[u8],
    charset: Option<&str>,
    options: HeadOptions,
    after_head: AfterHead,
) -> Reading {
    let options = options.with_charset(charset.unwrap_or_default());
    let head = options.read(html);
    let is_limited = |facts: &PageFacts| matches!(facts.end(), HeadEnd::Limit(_));
    let document = match after_head {
        AfterHead::Ignored => None,
        AfterHead::Reported if is_limited(&head) => None,
        AfterHead::Reported => options
            .read_document_if_needed(html, &head)
            .filter(|document| !is_limited(document)),
        AfterHead::Counts => options.read_document_if_needed(html, &head),
    };
    Reading { head, document }
}
