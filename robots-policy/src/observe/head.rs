//! The reading of a page: its HEAD, and the whole document where METAs in BODY count.

use robots_meta::{HeadOptions, PageFacts, Wanted};

/// The facts of one page.
pub(crate) struct Reading {
    /// The facts of its HEAD.
    pub(crate) head: PageFacts,
    /// The facts of the whole document, if METAs in BODY count and BODY may have a wanted one.
    pub(crate) document: Option<PageFacts>,
}

/// Reads the HEAD of a page, and the document if METAs in BODY count and BODY may have a wanted one. Returns both, for
/// policies of which some need the document and others only the HEAD.
pub(crate) fn read(
    html: &[u8],
    charset: Option<&str>,
    wanted: &Wanted,
    reads_body: bool,
) -> Reading {
    let options = options(wanted, charset);
    let head = options.read(html);
    let document = reads_body
        .then(|| options.read_document_if_needed(html, &head))
        .flatten();
    Reading { head, document }
}

fn options(wanted: &Wanted, charset: Option<&str>) -> HeadOptions {
    let options = HeadOptions::from(wanted.clone());
    match charset {
        Some(charset) => options.with_charset(charset),
        None => options,
    }
}
