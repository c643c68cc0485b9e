//! The reading of a page: its HEAD, and the whole document where METAs in BODY count.

use crate::input::page::{Content, Page};
use robots_meta::{HeadOptions, PageFacts, Wanted};
use std::borrow::Cow;

/// The METAs of one page.
pub(crate) struct Reading {
    pub(crate) head: PageFacts,
    /// The METAs of the whole document, if they were requested and BODY may have one that is wanted.
    pub(crate) document: Option<PageFacts>,
}

/// Returns the METAs of a page, if it is HTML.
pub(super) fn of_page<'a>(
    page: &Page<'a>,
    wanted: &Wanted,
    reads_body: bool,
) -> Option<Cow<'a, PageFacts>> {
    match page.content {
        Content::Html(html) => Some(Cow::Owned(read_needed(
            html,
            page.encoding_label(),
            wanted,
            reads_body,
        ))),
        Content::Read(meta) => Some(Cow::Borrowed(meta)),
        Content::Unknown | Content::NotHtml => None,
    }
}

/// Reads as much of a page as a decision needs.
pub(crate) fn read_needed(
    html: &[u8],
    charset: Option<&str>,
    wanted: &Wanted,
    reads_body: bool,
) -> PageFacts {
    let reading = read(html, charset, wanted, reads_body);
    reading.document.unwrap_or(reading.head)
}

/// Reads the HEAD of a page, and the document if METAs in BODY count and BODY may have a wanted one.
pub(crate) fn read(
    html: &[u8],
    charset: Option<&str>,
    wanted: &Wanted,
    reads_body: bool,
) -> Reading {
    let options = HeadOptions::new()
        .with_wanted(wanted.clone())
        .with_charset(charset.unwrap_or_default());
    let head = options.read(html);
    if !reads_body {
        return Reading {
            head,
            document: None,
        };
    }
    let document = options.read_document_if_needed(html, &head);
    Reading { head, document }
}
