//! The HEAD of a page that is at hand.

use robots_meta::{HeadReader, PageMeta};

/// Reads a HEAD, in the encoding that the page's server or user names, if one does.
pub(crate) fn read_head(html: &[u8], charset: Option<&str>) -> PageMeta {
    let mut reader = HeadReader::new();
    if let Some(charset) = charset {
        reader = reader.with_charset(charset);
    }
    let _ = reader.feed(html);
    reader.finish()
}
