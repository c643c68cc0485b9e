//! The HEAD of a page that is at hand.

use robots_meta::{HeadReader, PageMeta, Wanted};

/// Reads what is wanted of a HEAD, in the encoding that the page's server or user names, if one does.
pub(crate) fn read_head(html: &[u8], charset: Option<&str>, wanted: &Wanted) -> PageMeta {
    let mut reader = HeadReader::wanting(wanted);
    if let Some(charset) = charset {
        reader = reader.with_charset(charset);
    }
    reader.read_page(html)
}
