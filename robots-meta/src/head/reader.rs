//! Chunks of bytes, as they come, to what the HEAD of the page says.
//!
//! Bytes are held back until the encoding is known (at most 1,024). Reading stops where BODY begins:
//! what is behind is never looked at.

use super::encoding::{Confidence, EncodingHints};
use super::scan::Scanner;
use super::transcode::Transcoder;
use crate::page::{HeadEnd, HeadLimit, PageMeta, Scope};
use crate::wanted::Wanted;
use encoding_rs::{Encoding, UTF_8};
use std::fmt;

/// The number of bytes after which reading stops if the HEAD has not ended: 16 MiB.
pub const DEFAULT_HEAD_LIMIT: usize = 16 * 1024 * 1024;

/// Whether a reader can use more of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[must_use]
#[allow(
    clippy::exhaustive_enums,
    reason = "closed by nature: there is more to read, or there is not"
)]
pub enum Progress {
    /// The HEAD has not ended yet: feed the next chunk, or finish if there is none.
    NeedMore,
    /// The HEAD has ended, or a limit was hit: more of the page changes nothing.
    Done,
}

/// Reads the HEAD of one page, chunk by chunk.
///
/// The answer does not depend on how the page is cut into chunks. Time is linear in the bytes up
/// to the end of the HEAD; what would make it more is a limit ([`HeadLimit`]). Between chunks
/// it holds what is kept, and one tag at the most: 64 KiB of it, or of a META that may be kept up to
/// [`MAX_META_BYTES`](crate::MAX_META_BYTES).
///
/// A reader is not `Send`: where a task may move between threads while it waits for the next chunk,
/// keep the reader on a thread of its own.
///
/// ```
/// use robots_meta::{HeadReader, Progress};
///
/// let mut reader = HeadReader::new();
/// for chunk in [&b"<title>Robots</ti"[..], b"tle><meta name=robots con", b"tent=noindex><p>"] {
///     if reader.feed(chunk) == Progress::Done {
///         break;
///     }
/// }
/// let page = reader.finish();
/// assert_eq!(page.title().as_deref(), Some("Robots"));
/// assert_eq!(page.metas().next().map(|meta| meta.offset()), Some(21));
/// ```
pub struct HeadReader {
    hints: EncodingHints,
    limit: usize,
    wanted: Wanted,
    scope: Scope,
    scripting: bool,
    /// The bytes of the page that were taken.
    taken: usize,
    /// The bytes that are held back until the encoding is known.
    start: Vec<u8>,
    reading: Option<Reading>,
}

/// A page whose encoding is known.
struct Reading {
    scanner: Scanner,
    transcoder: Option<Box<Transcoder>>,
    encoding: &'static Encoding,
    /// The length of the byte order mark, until it has been passed.
    skip: usize,
    /// The bytes of the page that were given to the scanner.
    given: usize,
    limit_hit: bool,
}

impl Default for HeadReader {
    fn default() -> Self {
        Self::new()
    }
}

impl HeadReader {
    /// A reader that keeps everything, for a page of which nothing is known.
    pub fn new() -> Self {
        Self::wanting(&Wanted::everything())
    }

    /// A reader that keeps what is wanted, for a page of which nothing is known.
    pub fn wanting(wanted: &Wanted) -> Self {
        Self {
            hints: EncodingHints::default(),
            limit: DEFAULT_HEAD_LIMIT,
            wanted: wanted.clone(),
            scope: Scope::Head,
            scripting: false,
            taken: 0,
            start: Vec::new(),
            reading: None,
        }
    }

    /// Reads a whole page that is at hand, and keeps everything.
    ///
    /// ```
    /// let page = robots_meta::HeadReader::read(b"<meta name=description content=' a  page '>");
    /// assert_eq!(page.description().as_deref(), Some("a page"));
    /// ```
    pub fn read(page: &[u8]) -> PageMeta {
        Self::new().read_page(page)
    }

    /// Reads a whole page that is at hand; what was fed before is its beginning.
    pub fn read_page(mut self, page: &[u8]) -> PageMeta {
        if self.start.is_empty() && self.reading.is_none() {
            // No byte need be held back to see more of it.
            let within = page.get(..self.limit).unwrap_or(page);
            self.taken = within.len();
            let mut reading = self.begin(within);
            reading.feed(within, within.len() < page.len());
            return reading.finish(self.taken);
        }
        let _ = self.feed(page);
        self.finish()
    }

    /// With the encoding that the transport names: the `charset` of the `Content-Type` header. A
    /// label that is not in the Encoding Standard is ignored, as browsers do. To be called before
    /// the first chunk.
    #[must_use]
    pub fn with_charset(mut self, label: &str) -> Self {
        if let Some(encoding) = Encoding::for_label(label.as_bytes()) {
            self.hints.transport = Some(encoding);
        }
        self
    }

    /// With the encoding of pages that name none; windows-1252 otherwise. A label that is not in the
    /// Encoding Standard is ignored. To be called before the first chunk.
    #[must_use]
    pub fn with_fallback(mut self, label: &str) -> Self {
        if let Some(encoding) = Encoding::for_label(label.as_bytes()) {
            self.hints.fallback = encoding;
        }
        self
    }

    /// With another limit, in bytes, after which reading stops if the HEAD has not ended
    /// ([`HeadLimit::Bytes`]); [`DEFAULT_HEAD_LIMIT`] otherwise.
    #[must_use]
    pub fn with_limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// With all of the document in place of its HEAD alone: METAs behind HEAD are kept too
    /// ([`Place::Body`](crate::Place::Body)). Far slower: html5ever's tree builder says what is a
    /// META there and what is not. To be called before the first chunk.
    #[must_use]
    pub fn with_scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    /// As a browser that runs scripts: what is in NOSCRIPT is text then, and not read. A crawler by
    /// rule runs none, which is the default. To be called before the first chunk.
    #[must_use]
    pub fn with_scripting(mut self, scripting: bool) -> Self {
        self.scripting = scripting;
        self
    }

    /// Takes the next bytes of the page. Feeding a reader that is done is harmless.
    pub fn feed(&mut self, chunk: &[u8]) -> Progress {
        if self.is_done() {
            return Progress::Done;
        }
        let room = self.limit.saturating_sub(self.taken);
        let within = chunk.get(..room).unwrap_or(chunk);
        self.taken = self.taken.saturating_add(within.len());
        let hit_limit = within.len() < chunk.len();
        let needed = self.hints.bytes_needed();
        let mut rest = within;
        if self.reading.is_none() {
            if self.start.is_empty() && within.len() >= needed {
                self.reading = Some(self.begin(within));
            } else {
                let missing = needed.saturating_sub(self.start.len());
                let (held, behind) = within.split_at_checked(missing).unwrap_or((within, &[]));
                self.start.extend_from_slice(held);
                rest = behind;
                if !hit_limit && self.start.len() < needed {
                    return Progress::NeedMore;
                }
                self.begin_held();
            }
        }
        if let Some(reading) = &mut self.reading {
            reading.feed(rest, hit_limit);
        }
        if self.is_done() {
            Progress::Done
        } else {
            Progress::NeedMore
        }
    }

    /// Ends the page; gives what its HEAD said.
    pub fn finish(mut self) -> PageMeta {
        if self.reading.is_none() {
            self.begin_held();
        }
        match self.reading {
            Some(reading) => reading.finish(self.taken),
            None => self.begin(&[]).finish(0),
        }
    }

    fn is_done(&self) -> bool {
        self.reading
            .as_ref()
            .is_some_and(|reading| reading.limit_hit || reading.scanner.is_done())
    }

    /// Begins with the bytes that were held back.
    fn begin_held(&mut self) {
        let start = std::mem::take(&mut self.start);
        let mut reading = self.begin(&start);
        reading.feed(&start, false);
        self.reading = Some(reading);
    }

    /// Begins a page, whose encoding its start tells. The start is to be fed then.
    fn begin(&self, start: &[u8]) -> Reading {
        let sniffed = self.hints.sniff(start);
        let (encoding, mark) = (sniffed.encoding, sniffed.mark);
        let transcoder = Transcoder::of(encoding, mark);
        let scanned = if transcoder.is_some() {
            UTF_8
        } else {
            encoding
        };
        Reading {
            scanner: Scanner::new(
                self.wanted.clone(),
                self.scope,
                self.scripting,
                Confidence::new(scanned, sniffed.source, transcoder.is_some()),
            ),
            transcoder,
            encoding,
            skip: mark,
            given: 0,
            limit_hit: false,
        }
    }
}

impl Reading {
    fn feed(&mut self, chunk: &[u8], hit_limit: bool) {
        let skipped = std::mem::take(&mut self.skip);
        let chunk = chunk.get(skipped..).unwrap_or_default();
        self.given = self.given.saturating_add(skipped);
        match &mut self.transcoder {
            Some(transcoder) => transcoder.feed(chunk, &mut self.scanner),
            None => self.scanner.feed(chunk, self.given),
        }
        self.given = self.given.saturating_add(chunk.len());
        self.limit_hit = hit_limit && !self.scanner.is_done();
    }

    fn finish(mut self, taken: usize) -> PageMeta {
        let end = if self.limit_hit {
            HeadEnd::Limit(HeadLimit::Bytes)
        } else {
            if let Some(transcoder) = &mut self.transcoder {
                transcoder.finish(&mut self.scanner);
            }
            HeadEnd::EndOfPage
        };
        let has_places = self.transcoder.is_none();
        let mut page = self.scanner.finish(end, taken, has_places);
        if !has_places {
            page.encoding = self.encoding.name();
        }
        page
    }
}

impl fmt::Debug for HeadReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HeadReader")
            .field("taken", &self.taken)
            .field("done", &self.is_done())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EncodingSource;
    use encoding_rs::{GBK, ISO_2022_JP, SHIFT_JIS};

    /// Reads a page in chunks of `size` bytes.
    fn in_chunks(page: &[u8], size: usize) -> PageMeta {
        let mut reader = HeadReader::new();
        for chunk in page.chunks(size) {
            if reader.feed(chunk) == Progress::Done {
                break;
            }
        }
        reader.finish()
    }

    /// The content of a META.
    fn meta(page: &PageMeta, index: usize) -> String {
        page.metas().nth(index).unwrap().content().to_owned()
    }

    fn offsets(page: &PageMeta) -> Vec<usize> {
        page.metas().map(|meta| meta.offset()).collect()
    }

    /// Every chunking gives what the whole page gives; and each offset is that of a `<meta`.
    fn check(page: &[u8]) -> PageMeta {
        let whole = HeadReader::read(page);
        for size in [1, 2, 3, 7, 64, 1000] {
            assert_eq!(in_chunks(page, size), whole, "chunks of {size}");
        }
        for offset in offsets(&whole) {
            let found = &page[offset..];
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
    fn places_are_those_of_the_bytes() {
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
    fn places_hold_in_every_encoding() {
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
        assert_eq!((found.end(), found.consumed()), (&HeadEnd::Text, None));
    }

    #[test]
    fn broken_characters_move_nothing() {
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
    fn a_limit_says_that_it_was_hit() {
        let page = b"<meta name=a><meta name=b>";
        let read = |limit| {
            let mut reader = HeadReader::new().with_limit(limit);
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
        use crate::MAX_ATTRIBUTES;
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
        // Other tags may have as many as they like.
        let page = format!("<link{}><meta>", " a".repeat(MAX_ATTRIBUTES + 1));
        assert_eq!(check(page.as_bytes()).metas().len(), 1);
    }

    #[test]
    fn what_a_limit_hides_is_told_also_to_who_wants_little() {
        use crate::{Facts, MAX_ATTRIBUTES, MAX_META_BYTES, MAX_TAG_BYTES, Wanted};
        let robots = |page: &[u8]| {
            let wanted = Wanted::facts(Facts::ROBOTS | Facts::CANONICAL);
            let whole = HeadReader::wanting(&wanted).read_page(page);
            for size in [1000, 70_000] {
                let mut reader = HeadReader::wanting(&wanted);
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
        let link = |start: &str, end: &str| {
            let found = robots(format!("<head><link {start} x='{long}' {end}><body>").as_bytes());
            (found.canonical().is_some(), found.overlong_tags())
        };
        assert_eq!(link("", "rel=canonical href=/a"), (false, 1));
        assert_eq!(link("rel=\"icon\"", ""), (false, 0));
    }

    #[test]
    fn counts_and_links_do_not_depend_on_chunks() {
        use crate::{Facts, MAX_TAG_BYTES, Wanted};
        let read = |page: &str, facts: Facts, scope: Scope| {
            let reader = || HeadReader::wanting(&Wanted::facts(facts)).with_scope(scope);
            let whole = reader().read_page(page.as_bytes());
            let mut parts = reader();
            for chunk in page.as_bytes().chunks(1) {
                let _ = parts.feed(chunk);
            }
            assert_eq!(parts.finish(), whole, "{page:.60}");
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
        // Where text is cut plays no part in the measure of work.
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
    fn what_was_decoded_before_is_not_decoded_again() {
        let text = "<?xml version='1.0'?><meta charset=gbk><title>\u{4e2d}</title>";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let found = check(&little);
        assert_eq!(found.encoding(), "UTF-16LE");
        assert_eq!(found.title().as_deref(), Some("\u{4e2d}"));
    }

    #[test]
    fn a_meta_in_body_names_no_encoding() {
        let page = [
            &b"<title>\xD6\xD0</title><!--"[..],
            &[b'x'; 1024],
            b"--><body><meta charset=gbk><meta name=description content=x>",
        ]
        .concat();
        let found = HeadReader::new()
            .with_scope(Scope::Document)
            .read_page(&page);
        assert_eq!(found.encoding(), "windows-1252");
        assert_eq!((found.description(), found.metas().len()), (None, 2));
    }

    #[test]
    fn white_space_behind_nul_is_white_space() {
        for text in ["\0 ", " \0", "\0", "\0&#32;"] {
            let page = format!("</head><p>{text}<meta><frameset>");
            let found = HeadReader::new()
                .with_scope(Scope::Document)
                .read_page(page.as_bytes());
            assert_eq!(found.metas().len(), 0, "{page:?}");
        }
    }

    #[test]
    fn too_many_open_elements_end_reading() {
        use crate::MAX_OPEN_ELEMENTS;
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
        // Each `<p>` opens all the formatting elements anew that the last one closed.
        let tags = "<b><big><code><em><i><s><small><strike><strong><tt><u>";
        let page = format!("<template><p>{tags}</p>{}", "<p>x".repeat(1_000));
        let found = check(page.as_bytes());
        assert_eq!(*found.end(), HeadEnd::Limit(HeadLimit::Work));
        let tame = format!("<template><p><b>{}", "<p>x".repeat(1_000));
        assert_eq!(*check(tame.as_bytes()).end(), HeadEnd::EndOfPage);
    }

    #[test]
    fn marks_are_forgotten() {
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
    fn a_byte_order_mark_is_one_at_the_start_alone_wherever_a_chunk_begins() {
        // html5ever's tokenizer drops one at the start of whatever it is fed.
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
        // html5ever 0.39 panics here.
        let page = b"<meta http-equiv=content-type content='text/html;charset'><meta name=a>";
        assert_eq!(offsets(&check(page)).len(), 2);
    }

    #[test]
    fn a_title_is_kept_up_to_its_limit() {
        use crate::MAX_TITLE_BYTES;
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
        // What the transport says is certain, and what must be decoded first comes too late.
        let transport = HeadReader::new().with_charset("utf-8").read_page(&page);
        assert_eq!(transport.encoding(), "UTF-8");
        let text = String::from_utf8_lossy(&page).replace("gb2312", "iso-2022-jp");
        let found = check(text.as_bytes());
        assert_eq!(found.encoding(), "windows-1252");
        assert_eq!(found.encoding_source(), EncodingSource::Fallback);
    }

    #[test]
    fn feeding_after_the_end_is_harmless() {
        let mut reader = HeadReader::new().with_charset("utf-8");
        assert_eq!(reader.feed(b"<body>"), Progress::Done);
        assert_eq!(reader.feed(b"<meta>"), Progress::Done);
        assert_eq!(offsets(&reader.finish()), []);
    }

    #[test]
    fn the_transport_and_the_fallback_are_heard() {
        let page = b"<meta charset=gbk><title>\xE9</title>";
        let mut reader = HeadReader::new().with_charset("iso-8859-1");
        let _ = reader.feed(page);
        assert_eq!(reader.finish().title().as_deref(), Some("\u{e9}"));
        let mut reader = HeadReader::new().with_fallback("koi8-r").with_fallback("?");
        let _ = reader.feed(b"<title>\xC1</title>");
        assert_eq!(reader.finish().title().as_deref(), Some("\u{430}"));
    }
}
