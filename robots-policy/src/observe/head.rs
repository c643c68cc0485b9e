//! The reading of a page: its HEAD, and the whole document where METAs in BODY count.

use crate::input::page::{Content, Page};
use memchr::memchr_iter;
use robots_meta::{HeadOptions, PageMeta, Wanted};
use std::borrow::Cow;

/// The METAs of one page.
pub(crate) struct Reading {
    pub(crate) head: PageMeta,
    /// The METAs of the whole document, if they were requested and BODY may have one.
    pub(crate) document: Option<PageMeta>,
}

/// Returns the METAs of a page, if it is HTML.
pub(super) fn of_page<'a>(
    page: &Page<'a>,
    wanted: &Wanted,
    reads_body: bool,
) -> Option<Cow<'a, PageMeta>> {
    match page.content {
        Content::Html(html) => Some(Cow::Owned(read_needed(
            html,
            page.encoding_label(),
            wanted,
            reads_body,
        ))),
        Content::Read(meta) => Some(Cow::Borrowed(meta)),
        Content::Unfetched | Content::NotHtml => None,
    }
}

/// Reads as much of a page as a decision needs.
pub(crate) fn read_needed(
    html: &[u8],
    charset: Option<&str>,
    wanted: &Wanted,
    reads_body: bool,
) -> PageMeta {
    let reading = read(html, charset, wanted, reads_body);
    reading.document.unwrap_or(reading.head)
}

/// Reads the HEAD of a page, and the whole document if METAs in BODY count and BODY may have one.
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
    // In UTF-16, offsets in text and in bytes differ, so the position of the end of HEAD is unknown.
    let rest = head
        .consumed()
        .map(|consumed| html.get(consumed..).unwrap_or_default());
    let may_have_more = rest.is_none_or(has_meta);
    let document = may_have_more.then(|| options.read_document(html));
    Reading { head, document }
}

/// Returns whether a text contains a possible META tag.
fn has_meta(html: &[u8]) -> bool {
    memchr_iter(b'<', html).any(|at| {
        let start = at.saturating_add(1);
        html.get(start..start.saturating_add(4))
            .is_some_and(|name| name.eq_ignore_ascii_case(b"meta"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meta_tags_are_found_in_any_case() {
        assert!(has_meta(b"<meTa") && !has_meta(b"<met") && !has_meta(b"<em<"));
    }
}
