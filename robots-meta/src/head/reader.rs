//! Reading the HEAD of a page.

use super::options::HeadOptions;
use super::reading::{Reading, read_page};
use super::scan::Scope;
use super::tree::LazyTreeBuilder;
use crate::page::PageFacts;

/// The progress of a reader: whether more of the page may change its facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[must_use]
#[allow(
    clippy::exhaustive_enums,
    reason = "closed by nature: there is more to read, or there is not"
)]
pub enum Progress {
    /// More of the page may change the facts: feed the next chunk, or finish if there is none.
    NeedMore,
    /// More of the page changes nothing: a limit was exceeded, or the part of the page that the reader reads has ended.
    Done,
}

impl Progress {
    pub(super) fn of(is_done: bool) -> Self {
        if is_done { Self::Done } else { Self::NeedMore }
    }
}

/// A reader of the HEAD of one page, chunk by chunk.
///
/// The result does not depend on how the page is cut into chunks. Time is linear in the bytes up to
/// the end of the HEAD; input that would need more hits a limit
/// ([`HeadLimit`](crate::page::HeadLimit)). Between chunks a reader holds:
///
/// * up to 1,024 bytes at the start of the page, until its encoding is known;
/// * the facts that it keeps;
/// * the start of one tag, if the end of the chunk cuts it: up to 32 KiB, or if it is a META, up to
///   [`MAX_META_BYTES`](crate::head::MAX_META_BYTES);
/// * the tags of a TEMPLATE that is open, up to
///   [`MAX_TEMPLATE_BYTES`](crate::head::MAX_TEMPLATE_BYTES);
/// * the bytes after these tags that wait to be read, up to half as many.
///
/// A reader is `Send`: an async task may keep it while it waits for the next chunk.
///
/// ```
/// use robots_meta::{HeadOptions, Progress};
///
/// let mut reader = HeadOptions::new().with_charset("utf-8").reader();
/// for chunk in [&b"<title>Robots</ti"[..], b"tle><meta name=robots con", b"tent=noindex><p>"] {
///     if reader.feed(chunk) == Progress::Done {
///         break;
///     }
/// }
/// let page = reader.finish();
/// assert_eq!(page.title().as_deref(), Some("Robots"));
/// assert_eq!(page.metas().next().map(|meta| meta.offset()), Some(21));
/// ```
#[derive(Debug)]
pub struct HeadReader {
    reading: Reading,
}

impl Default for HeadReader {
    fn default() -> Self {
        HeadOptions::default().reader()
    }
}

impl HeadReader {
    /// Reads a page that is in memory with the default [`HeadOptions`], which keep everything.
    ///
    /// ```
    /// let page = robots_meta::HeadReader::read("<meta name=description content=' a  page '>");
    /// assert_eq!(page.description().as_deref(), Some("a page"));
    /// ```
    pub fn read(page: impl AsRef<[u8]>) -> PageFacts {
        HeadOptions::default().read(page)
    }

    /// Reads the next bytes of the page. Feeding a reader that is done changes nothing.
    ///
    /// In a TEMPLATE a reader may wait for more bytes before it reads on. `Done` can then be returned
    /// later than at the end of the HEAD.
    pub fn feed(&mut self, chunk: &[u8]) -> Progress {
        self.reading.feed(chunk, &mut LazyTreeBuilder::default());
        Progress::of(self.reading.is_done())
    }

    /// Ends the page, and returns the facts of its HEAD.
    pub fn finish(self) -> PageFacts {
        self.reading.finish(&mut LazyTreeBuilder::default())
    }
}

impl HeadOptions {
    /// Reads the HEAD of a page that is in memory.
    pub fn read(&self, page: impl AsRef<[u8]>) -> PageFacts {
        read_page(self, Scope::Head, page.as_ref(), None)
    }

    /// Returns a reader of the HEAD of one page, chunk by chunk.
    pub fn reader(&self) -> HeadReader {
        HeadReader {
            reading: Reading::new(self, Scope::Head),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{EncodingSource, HeadEnd, HeadLimit};
    use encoding_rs::{GBK, ISO_2022_JP, SHIFT_JIS};

    /// Reads a page in chunks of `size` bytes.
    fn in_chunks(page: &[u8], size: usize) -> PageFacts {
        let mut reader = HeadReader::default();
        for chunk in page.chunks(size) {
            if reader.feed(chunk) == Progress::Done {
                break;
            }
        }
        reader.finish()
    }

    /// Returns the content of a META.
    fn meta(page: &PageFacts, index: usize) -> String {
        page.metas().nth(index).unwrap().content().to_owned()
    }

    fn offsets(page: &PageFacts) -> Vec<usize> {
        page.metas().map(|meta| meta.offset()).collect()
    }

    /// Checks that every chunking returns the result of the whole page, and that each span is
    /// that of a `<meta` up to its `>`.
    fn check(page: &[u8]) -> PageFacts {
        let whole = HeadReader::read(page);
        for size in [1, 2, 3, 7, 64, 1000] {
            assert_eq!(in_chunks(page, size), whole, "chunks of {size}");
        }
        for meta in whole.metas() {
            let offset = meta.offset();
            let found = &page[offset..];
            // Where the span is not known, it is empty.
            assert!(meta.span().is_empty() || page[meta.span()].ends_with(b">"));
            let is_meta = found[..5].eq_ignore_ascii_case(b"<meta")
                || found.starts_with(b"<\0m\0")
                || found.starts_with(b"\0<\0m");
            assert!(
                is_meta,
                "at {offset}: {:?}",
                found.escape_ascii().to_string()
            );
        }
        whole
    }

    #[test]
    fn offsets_are_those_of_the_bytes() {
        let found = check(b"a<<meta x>");
        assert_eq!(*found.end(), HeadEnd::Text);
        for page in [
            "<meta name=a><<meta name=b><META name=c>",
            "<script>if (a<b) '<meta>'</script\n><meta name=a>",
            "<title>a<b</b</title><meta a='<<' b=<><meta name=b>",
            "<!-- <meta> --><meta name=a>\r\n<meta\r\nname=b>\r<meta name=c>",
            "<meta content='&lt;&amp'><meta content=&notit><meta>",
            "<style></styl</style><meta><noscript><meta></noscript><template><meta></template><meta>",
            "<meta content='\u{e9}\u{4e2d}\u{1f600}'><meta name=b>",
            "</head><meta><body><meta>",
            "<head></><meta></></><meta a='</>'>",
            "<title></></title></><meta>",
        ] {
            let found = check(page.as_bytes());
            assert!(found.metas().len() > 0, "{page}");
        }
        assert_eq!(offsets(&check(b"<title>x</title><<meta x>")), []);
        assert_eq!(offsets(&check(b"<style>x</style><!--<<--><meta>")), [25]);
    }

    #[test]
    fn offsets_are_right_in_every_encoding() {
        let text = "<meta charset=X><title>\u{4e2d}\u{6587}</title><meta name=a content='\u{4e2d}<'><meta name=b>";
        for encoding in [GBK, SHIFT_JIS, ISO_2022_JP, encoding_rs::UTF_8] {
            let text = text.replace('X', encoding.name());
            let (bytes, _, _) = encoding.encode(&text);
            let found = check(&bytes);
            assert_eq!(found.encoding(), encoding.name());
            assert_eq!(meta(&found, 1), "\u{4e2d}<");
            assert_eq!(found.title().as_deref(), Some("\u{4e2d}\u{6587}"));
        }
        let little: Vec<u8> = format!("\u{feff}{text}")
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(meta(&check(&little), 1), "\u{4e2d}<");
        let big: Vec<u8> = format!("\u{feff}{text}")
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect();
        assert_eq!(check(&big).encoding(), "UTF-16BE");
        let ended: Vec<u8> = "\u{feff}<title>\u{4e2d}</title> \u{4e2d}<meta>"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        let found = check(&ended);
        // The offset of the end is not known in UTF-16.
        assert_eq!((found.end(), found.consumed()), (&HeadEnd::Text, None));
        let cut = [b"\xFF\xFE<\0t\0i\0t\0l\0e\0>\0a\0", &b"b"[..]].concat();
        assert_eq!(check(&cut).title().as_deref(), Some("a\u{fffd}"));
    }

    #[test]
    fn broken_characters_do_not_shift_offsets() {
        let page = b"\xEF\xBB\xBF<meta content='\xE4\xB8'>\xE4<meta>";
        let found = check(page);
        assert_eq!(offsets(&found), [3]);
        assert_eq!(meta(&found, 0), "\u{fffd}");
        assert_eq!(*found.end(), HeadEnd::Text);
        assert_eq!(
            offsets(&check(b"<title>\xE4\xB8</title><meta a='\xE4'><meta>")),
            [17, 29]
        );
    }

    #[test]
    fn the_end_is_named() {
        let end = |page: &[u8]| check(page).end().clone();
        let tag = |name: &str, offset| HeadEnd::Tag {
            name: name.to_owned().into(),
            offset,
        };
        assert_eq!(end(b"<meta><body><p>"), tag("body", 6));
        assert_eq!(end(b"<meta> <DIV>"), tag("div", 7));
        assert_eq!(end(b"<frameset>"), tag("frameset", 0));
        assert_eq!(end(b"<meta></br>"), tag("br", 6));
        assert_eq!(end(b"<meta>text"), HeadEnd::Text);
        assert_eq!(end(b"<meta>"), HeadEnd::EndOfPage);
        assert_eq!(end(b""), HeadEnd::EndOfPage);
    }

    #[test]
    fn a_limit_that_is_hit_is_reported() {
        let page = b"<meta name=a><meta name=b>";
        let read = |limit| {
            let mut reader = HeadOptions::new().with_limit(limit).reader();
            let _ = reader.feed(page);
            let found = reader.finish();
            (found.metas().len(), found.end().clone())
        };
        let hit = HeadEnd::Limit(HeadLimit::Bytes);
        assert_eq!(read(page.len() - 1), (1, hit.clone()));
        assert_eq!(read(page.len()), (2, HeadEnd::EndOfPage));
        assert_eq!(read(page.len() + 1), (2, HeadEnd::EndOfPage));
        assert_eq!(read(0), (0, hit));
    }

    #[test]
    fn a_tag_of_too_many_attributes_ends_reading() {
        use crate::head::MAX_ATTRIBUTES;
        use std::fmt::Write;
        let read = |attributes: usize, before: &str| {
            let mut page = format!("<meta name=first>{before}<meta");
            for number in 0..attributes {
                write!(page, " a{number}").unwrap();
            }
            page.push_str("><meta name=last>");
            let found = check(page.as_bytes());
            (found.metas().len(), found.end().clone())
        };
        for before in ["", "<!-- -->", "<title>x</title>", "<script>a<b</script>"] {
            assert_eq!(read(MAX_ATTRIBUTES - 1, before), (3, HeadEnd::EndOfPage));
            assert_eq!(read(MAX_ATTRIBUTES, before), (3, HeadEnd::EndOfPage));
            let hit = HeadEnd::Limit(HeadLimit::Attributes);
            assert_eq!(read(MAX_ATTRIBUTES + 1, before), (1, hit), "{before}");
        }
        // Other tags may have any number.
        let page = format!("<link{}><meta>", " a".repeat(MAX_ATTRIBUTES + 1));
        assert_eq!(check(page.as_bytes()).metas().len(), 1);
    }

    #[test]
    fn limits_are_reported_whatever_facts_are_wanted() {
        use crate::head::{MAX_ATTRIBUTES, MAX_META_BYTES, MAX_TAG_BYTES};
        use crate::{Facts, Wanted};
        let robots = |page: &[u8]| {
            let wanted = Wanted::facts(Facts::ROBOTS | Facts::CANONICAL);
            let options = HeadOptions::new().with_wanted(wanted);
            let whole = options.read(page);
            for size in [1000, 70_000] {
                let mut reader = options.reader();
                for chunk in page.chunks(size) {
                    let _ = reader.feed(chunk);
                }
                assert_eq!(reader.finish(), whole);
            }
            whole
        };
        let many = " a=\"\"".repeat(MAX_ATTRIBUTES);
        let page = format!("<head><meta{many} name=robots content=noindex>");
        assert_eq!(
            *robots(page.as_bytes()).end(),
            HeadEnd::Limit(HeadLimit::Attributes)
        );
        let long = "x".repeat(MAX_META_BYTES);
        for page in [
            format!("<head><meta name=\"x\" content=\"{long}\">"),
            format!("<!--{long}--><meta charset=gbk content=\"{long}\"><title>x</title>"),
        ] {
            let found = robots(page.as_bytes());
            assert_eq!(*found.end(), HeadEnd::Limit(HeadLimit::MetaBytes));
            assert_eq!(found.encoding(), "windows-1252");
        }
        let long = "x".repeat(MAX_TAG_BYTES);
        let page = format!("<head><meta content=\"{long}, noindex\" name=robots>");
        let found = robots(page.as_bytes());
        assert_eq!(found.directives(&["robots"]).count(), 2);
        let link = |start: &str, end: &str| {
            let found = robots(format!("<head><link {start} x='{long}' {end}><body>").as_bytes());
            (found.canonical().is_some(), found.overlong_tags())
        };
        assert_eq!(link("", "rel=canonical href=/a"), (false, 1));
        assert_eq!(link("rel=\"icon\"", ""), (false, 0));
    }

    #[test]
    fn counts_and_links_do_not_depend_on_chunks() {
        use crate::head::MAX_TAG_BYTES;
        use crate::{Facts, Wanted};
        let read = |page: &str, facts: Facts, scope: Scope| {
            let options = HeadOptions::new().with_wanted(Wanted::facts(facts));
            let chunks = page.as_bytes().chunks(1);
            let (whole, parts) = match scope {
                Scope::Head => {
                    let mut parts = options.reader();
                    for chunk in chunks {
                        let _ = parts.feed(chunk);
                    }
                    (options.read(page), parts.finish())
                }
                Scope::Document => {
                    let mut parts = options.document_reader();
                    for chunk in chunks {
                        let _ = parts.feed(chunk);
                    }
                    (options.read_document(page), parts.finish())
                }
            };
            assert_eq!(parts, whole, "{page:.60}");
            whole
        };
        let long = "x".repeat(MAX_TAG_BYTES + 1);
        let canonical = "<head><link rel=canonical href=/a><meta name=robots><body>";
        let found = read(canonical, Facts::ROBOTS, Scope::Document);
        assert!(found.canonical().is_none());
        let found = read("<head><template></template>", Facts::all(), Scope::Head);
        assert_eq!(found.overlong_tags(), 0);
        for page in [
            format!("<head><link rel=\"{long}\"><body>"),
            format!("<head><link rel=canonical href=/a><link title=\"{long}\"><body>"),
        ] {
            read(&page, Facts::all(), Scope::Head);
            read(&page, Facts::all(), Scope::Document);
        }
        // With about 520 pieces, as many elements are created as the limit on work allows. It is met at the same element,
        // wherever the text is cut.
        for pieces in 510..526 {
            let page = format!(
                "<template><p><b><big><code><em><i><s><small><strike><strong><tt><u></p>{}<p>{}x",
                "<p>x".repeat(pieces),
                "\0".repeat(8)
            );
            read(&page, Facts::all(), Scope::Head);
        }
    }

    #[test]
    fn decoded_text_is_not_decoded_again() {
        let text = "<?xml version='1.0'?><meta charset=gbk><title>\u{4e2d}</title>";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let found = check(&little);
        assert_eq!(found.encoding(), "UTF-16LE");
        assert_eq!(found.title().as_deref(), Some("\u{4e2d}"));
    }

    #[test]
    fn a_meta_in_body_names_no_encoding() {
        let page = [
            // The comment moves the METAs past the bytes that are prescanned.
            &b"<title>\xD6\xD0</title><!--"[..],
            &[b'x'; 1024],
            b"--><body><meta charset=gbk><meta name=description content=x>",
        ]
        .concat();
        let found = HeadOptions::new().read_document(&page);
        assert_eq!(found.encoding(), "windows-1252");
        assert_eq!((found.description(), found.metas().len()), (None, 2));
    }

    #[test]
    fn white_space_after_nul_is_white_space() {
        // A FRAMESET replaces a BODY that has only white space, and with it the META.
        for text in ["\0 ", " \0", "\0", "\0&#32;"] {
            let page = format!("</head><p>{text}<meta><frameset>");
            let found = HeadOptions::new().read_document(&page);
            assert_eq!(found.metas().len(), 0, "{page:?}");
        }
    }

    #[test]
    fn too_many_open_elements_end_reading() {
        use crate::head::MAX_OPEN_ELEMENTS;
        let read = |open: usize| {
            // HTML and HEAD are open too.
            let page = "<template>".repeat(open - 2);
            check(page.as_bytes()).end().clone()
        };
        assert_eq!(read(MAX_OPEN_ELEMENTS - 1), HeadEnd::EndOfPage);
        assert_eq!(read(MAX_OPEN_ELEMENTS), HeadEnd::EndOfPage);
        let hit = HeadEnd::Limit(HeadLimit::OpenElements);
        assert_eq!(read(MAX_OPEN_ELEMENTS + 1), hit);
    }

    #[test]
    fn work_grows_with_the_page() {
        // Each `<p>` closes the `<p>` before it, and opens all formatting elements again.
        let tags = "<b><big><code><em><i><s><small><strike><strong><tt><u>";
        let page = format!("<template><p>{tags}</p>{}", "<p>x".repeat(1_000));
        let found = check(page.as_bytes());
        assert_eq!(*found.end(), HeadEnd::Limit(HeadLimit::Work));
        let tame = format!("<template><p><b>{}", "<p>x".repeat(1_000));
        assert_eq!(*check(tame.as_bytes()).end(), HeadEnd::EndOfPage);
    }

    #[test]
    fn many_less_than_signs_do_not_shift_offsets() {
        let page = format!("<!--{}--><<meta x><meta>", "<".repeat(100_000));
        assert_eq!(*HeadReader::read(page.as_bytes()).end(), HeadEnd::Text);
        let page = format!(
            "<!--{}--><meta><meta a='{}'><meta>",
            "<".repeat(9_999),
            "<".repeat(99)
        );
        assert_eq!(offsets(&check(page.as_bytes())).len(), 3);
    }

    #[test]
    fn a_byte_order_mark_counts_only_at_the_start_of_the_page() {
        // Unlike this reader, html5ever's tokenizer drops a byte order mark at the start of every text that it is fed.
        let found = check("\u{feff}<title>x</title><meta>\u{feff}<meta>".as_bytes());
        assert_eq!(offsets(&found), [19]);
        assert_eq!(*found.end(), HeadEnd::Text);
        let found = check("\u{feff}\u{feff}<meta>".as_bytes());
        assert_eq!(offsets(&found), []);
        let found = check("<script></script>\u{feff}<meta>".as_bytes());
        assert_eq!(offsets(&found), []);
    }

    #[test]
    fn a_charset_without_a_label_names_nothing() {
        // html5ever 0.39 panics on this page.
        let page = b"<meta http-equiv=content-type content='text/html;charset'><meta name=a>";
        assert_eq!(offsets(&check(page)).len(), 2);
    }

    #[test]
    fn a_title_is_kept_up_to_its_limit() {
        use crate::head::MAX_TITLE_BYTES;
        let title = |length: usize| {
            let page = format!("<title>{}</title><meta>", "x".repeat(length));
            let found = check(page.as_bytes());
            let kept = found.title().map(|title| title.len());
            (kept, found.title_is_cut(), found.metas().len())
        };
        let most = MAX_TITLE_BYTES;
        assert_eq!(title(most - 1), (Some(most - 1), false, 1));
        assert_eq!(title(most), (Some(most), false, 1));
        assert_eq!(title(most + 1), (Some(most), true, 1));
    }

    #[test]
    fn a_late_meta_names_the_encoding_of_all() {
        let page = [
            // The comment moves the METAs past the bytes that are prescanned.
            &b"<title>\xD6\xD0</title><!--"[..],
            &[b'x'; 1024],
            b"--><meta name=a content='\xCE\xC4'><meta charset=gb2312><meta charset=koi8-r>",
        ]
        .concat();
        let found = check(&page);
        assert_eq!(found.encoding(), "GBK");
        assert_eq!(found.encoding_source(), EncodingSource::LateMeta);
        assert_eq!(found.title().as_deref(), Some("\u{4e2d}"));
        assert_eq!(meta(&found, 0), "\u{6587}");
        // A META does not override the transport. After the prescan, it cannot name an encoding that must be decoded
        // before the scan.
        let transport = HeadOptions::new().with_charset("utf-8").read(&page);
        assert_eq!(transport.encoding(), "UTF-8");
        let text = String::from_utf8_lossy(&page).replace("gb2312", "iso-2022-jp");
        let found = check(text.as_bytes());
        assert_eq!(found.encoding(), "windows-1252");
        assert_eq!(found.encoding_source(), EncodingSource::Fallback);
    }

    #[test]
    fn feeding_after_the_end_is_harmless() {
        let mut reader = HeadOptions::new().with_charset("utf-8").reader();
        assert_eq!(reader.feed(b"<body>"), Progress::Done);
        assert_eq!(reader.feed(b"<meta>"), Progress::Done);
        assert_eq!(offsets(&reader.finish()), []);
    }

    #[test]
    fn the_transport_is_applied() {
        let page = b"<meta charset=gbk><title>\xE9</title>";
        let mut reader = HeadOptions::new().with_charset("iso-8859-1").reader();
        let _ = reader.feed(page);
        assert_eq!(reader.finish().title().as_deref(), Some("\u{e9}"));
        // A label that is not known changes nothing.
        let options = HeadOptions::new().with_charset("koi8-r").with_charset("?");
        let found = options.read(b"<title>\xC1</title>");
        assert_eq!(found.title().as_deref(), Some("\u{430}"));
    }

    #[test]
    fn a_template_is_read_alike_in_chunks_of_any_size() {
        for content in [
            "<p>a<b>b<table><tr><td>c</table>",
            "<svg><title>x</title><![CDATA[></template>]]></svg><title></template></title>",
            "<template><tr><td><template></template></template><col><td>x",
            "<input type=hidden><select><option><font color=red>x&#32;y</select>",
            // Outside of SVG and MathML, CDATA is a comment up to the first `>`.
            "<p><![CDATA[a>b</p>",
        ] {
            let template = format!("<template a=b>{}</template>", content.repeat(30));
            for page in [
                format!("{template}<meta name=a><body>"),
                format!("<head></head>{template}{template}<meta name=a><p><meta name=b>"),
                format!("<template>{content}</template><meta name=a>{template}<title>b</title>"),
                format!("<meta name=a>{template}<template>{content}"),
            ] {
                let found = check(page.as_bytes());
                assert_eq!(found.metas().len(), 1, "{page:.80}");
                let wide: Vec<u8> = format!("\u{feff}{page}")
                    .encode_utf16()
                    .flat_map(u16::to_le_bytes)
                    .collect();
                assert_eq!(check(&wide).metas().len(), 1, "{page:.80}");
            }
        }
    }

    #[test]
    fn a_template_has_a_limit_that_does_not_depend_on_chunks() {
        use crate::head::MAX_TEMPLATE_BYTES;
        let end = |size: usize| {
            // A tag takes 8 bytes, and those of its name: `template` takes 16, and `x` takes 9. The tag with the long
            // name fills the rest, which is at least 100 bytes.
            let tags = (size - 16 - 8 - 100) / 9;
            let name = "y".repeat(size - 16 - 9 * tags - 8);
            let page = format!("<template>{}</{name}>", "</x>".repeat(tags));
            let whole = HeadReader::read(&page);
            for size in [4_000, 100_000] {
                assert_eq!(in_chunks(page.as_bytes(), size), whole);
            }
            whole.end().clone()
        };
        assert_eq!(end(MAX_TEMPLATE_BYTES - 1), HeadEnd::EndOfPage);
        assert_eq!(end(MAX_TEMPLATE_BYTES), HeadEnd::EndOfPage);
        let hit = HeadEnd::Limit(HeadLimit::Template);
        assert_eq!(end(MAX_TEMPLATE_BYTES + 1), hit);
    }

    #[test]
    fn a_reader_is_send() {
        fn is_send<T: Send + Sync + 'static>() {}
        is_send::<HeadOptions>();
        is_send::<HeadReader>();
    }
}
