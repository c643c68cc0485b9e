//! Chunks of bytes, as they come, to what the HEAD of the page says.
//!
//! Bytes are held back until the encoding is known (at most 1,024), then decoded and given on in
//! pieces that begin at each `<`: so every tag's place in the bytes is known, whatever the
//! encoding. Reading stops where BODY begins: what is behind is never looked at.

use super::encoding::EncodingHints;
use super::tree::{Authority, Found};
use crate::page::{HeadEnd, HeadLimit, PageMeta};
use encoding_rs::{CoderResult, Decoder, Encoding, UTF_16BE, UTF_16LE};
use std::fmt;

/// The number of bytes after which reading stops if the HEAD has not ended: 16 MiB.
pub const DEFAULT_HEAD_LIMIT: usize = 16 * 1024 * 1024;

/// Bytes are decoded in pieces of at most this many. It is even, so that it cuts no UTF-16 code
/// unit.
const PIECE_BYTES: usize = 16 * 1024;

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
/// to the end of the HEAD; what would make it more is a limit ([`HeadLimit`]). Memory is bounded by
/// the METAs that are kept and the longest tag, comment or title.
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
/// assert_eq!(page.metas()[0].offset(), 21);
/// ```
pub struct HeadReader {
    hints: EncodingHints,
    limit: usize,
    /// The bytes of the page that were taken.
    taken: usize,
    /// The bytes that are held back until the encoding is known.
    start: Vec<u8>,
    reading: Option<Box<Reading>>,
}

/// A page whose encoding is known.
struct Reading {
    encoding: &'static Encoding,
    decoder: Decoder,
    /// The first byte of a UTF-16 code unit whose second has not come.
    odd_byte: Option<u8>,
    /// The offset in the page of what comes next.
    offset: usize,
    text: String,
    authority: Authority,
    limit_hit: bool,
}

impl Default for HeadReader {
    fn default() -> Self {
        Self::new()
    }
}

impl HeadReader {
    /// A reader for a page of which nothing is known.
    pub fn new() -> Self {
        Self {
            hints: EncodingHints::default(),
            limit: DEFAULT_HEAD_LIMIT,
            taken: 0,
            start: Vec::new(),
            reading: None,
        }
    }

    /// Reads a whole page that is at hand.
    ///
    /// ```
    /// let page = robots_meta::HeadReader::read(b"<meta name=description content=' a  page '>");
    /// assert_eq!(page.description().as_deref(), Some("a page"));
    /// ```
    pub fn read(page: &[u8]) -> PageMeta {
        let mut reader = Self::new();
        let _ = reader.feed(page);
        reader.finish()
    }

    /// With the encoding that the transport names: the `charset` of the `Content-Type` header. A
    /// label that is not in the Encoding Standard is ignored, as browsers do. To be called before
    /// the first chunk.
    #[must_use]
    pub fn with_charset(mut self, label: &str) -> Self {
        self.hints.transport = Encoding::for_label(label.as_bytes());
        self
    }

    /// With another encoding for pages that do not tell theirs; windows-1252 otherwise. A label
    /// that is not in the Encoding Standard is ignored. To be called before the first chunk.
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

    /// Takes the next bytes of the page. Feeding a reader that is done is harmless.
    pub fn feed(&mut self, chunk: &[u8]) -> Progress {
        if self.is_done() {
            return Progress::Done;
        }
        let room = self.limit.saturating_sub(self.taken);
        let within = chunk.get(..room).unwrap_or(chunk);
        self.taken = self.taken.saturating_add(within.len());
        let hit_limit = within.len() < chunk.len();
        let mut rest = within;
        if self.reading.is_none() {
            let missing = self.hints.bytes_needed().saturating_sub(self.start.len());
            let (held, behind) = within.split_at_checked(missing).unwrap_or((within, &[]));
            self.start.extend_from_slice(held);
            rest = behind;
            if !hit_limit && self.start.len() < self.hints.bytes_needed() {
                return Progress::NeedMore;
            }
        }
        let reading = self.reading();
        reading.feed(rest);
        reading.limit_hit = hit_limit && !reading.authority.is_done();
        if self.is_done() {
            Progress::Done
        } else {
            Progress::NeedMore
        }
    }

    /// Ends the page; gives what its HEAD said.
    pub fn finish(mut self) -> PageMeta {
        self.reading();
        match self.reading {
            Some(reading) => reading.finish(),
            None => Reading::new(&self.hints, &[]).finish(),
        }
    }

    fn is_done(&self) -> bool {
        self.reading
            .as_ref()
            .is_some_and(|reading| reading.limit_hit || reading.authority.is_done())
    }

    /// The page being read; the first call chooses the encoding and reads what was held back.
    fn reading(&mut self) -> &mut Reading {
        let (hints, start) = (&self.hints, &mut self.start);
        self.reading
            .get_or_insert_with(|| Box::new(Reading::new(hints, &std::mem::take(start))))
    }
}

impl Reading {
    /// Begins a page, whose encoding its start tells.
    fn new(hints: &EncodingHints, start: &[u8]) -> Self {
        let (encoding, mark) = hints.sniff(start);
        let mut reading = Self {
            encoding,
            decoder: encoding.new_decoder_without_bom_handling(),
            odd_byte: None,
            offset: mark,
            text: String::new(),
            authority: Authority::new(),
            limit_hit: false,
        };
        reading.feed(start.get(mark..).unwrap_or_default());
        reading
    }

    fn feed(&mut self, chunk: &[u8]) {
        if self.encoding == UTF_16LE || self.encoding == UTF_16BE {
            self.feed_utf_16(chunk);
        } else {
            // In every other encoding of the standard the byte of `<` begins a character or, in
            // ISO-2022-JP, is at least a place where it does no harm to cut.
            self.feed_pieces(chunk, |rest| {
                memchr::memchr(b'<', rest.get(1..)?).and_then(|at| at.checked_add(1))
            });
        }
    }

    /// Two bytes are a code unit; one that is cut by the end of the chunk waits for its other
    /// half.
    fn feed_utf_16(&mut self, chunk: &[u8]) {
        let mut chunk = chunk;
        if let Some(first) = self.odd_byte {
            let [second, rest @ ..] = chunk else {
                return;
            };
            self.odd_byte = None;
            self.piece(&[first, *second], false);
            chunk = rest;
        }
        let (units, odd) = chunk.as_chunks::<2>();
        self.odd_byte = odd.first().copied();
        let less_than = if self.encoding == UTF_16LE {
            [b'<', 0]
        } else {
            [0, b'<']
        };
        self.feed_pieces(units.as_flattened(), |rest| {
            rest.as_chunks::<2>()
                .0
                .iter()
                .skip(1)
                .position(|unit| *unit == less_than)
                .and_then(|at| at.checked_add(1)?.checked_mul(2))
        });
    }

    /// Gives on each piece of the chunk; `next` finds where, behind the first place, the next
    /// piece begins.
    fn feed_pieces(&mut self, chunk: &[u8], next: impl Fn(&[u8]) -> Option<usize>) {
        let mut rest = chunk;
        while !rest.is_empty() && !self.authority.is_done() {
            let window = rest.get(..PIECE_BYTES).unwrap_or(rest);
            let length = next(window).unwrap_or(window.len());
            let (piece, behind) = rest.split_at_checked(length).unwrap_or((rest, &[]));
            self.piece(piece, false);
            rest = behind;
        }
    }

    /// Decodes one piece and gives it to the authority.
    fn piece(&mut self, piece: &[u8], last: bool) {
        self.text.clear();
        let mut rest = piece;
        loop {
            self.text.reserve(rest.len().saturating_add(16));
            let (result, read, _) = self.decoder.decode_to_string(rest, &mut self.text, last);
            rest = rest.get(read..).unwrap_or_default();
            if result == CoderResult::InputEmpty {
                break;
            }
        }
        self.authority.feed(&self.text, self.offset);
        self.offset = self.offset.saturating_add(piece.len());
    }

    fn finish(mut self) -> PageMeta {
        let end = if self.limit_hit {
            HeadEnd::Limit(HeadLimit::Bytes)
        } else {
            if !self.authority.is_done() {
                let odd = self.odd_byte.take();
                self.piece(odd.as_slice(), true);
            }
            HeadEnd::EndOfPage
        };
        let Found {
            metas,
            title,
            canonical,
            end: found_end,
        } = self.authority.finish(end);
        PageMeta {
            metas,
            title,
            canonical,
            encoding: self.encoding.name(),
            end: found_end.unwrap_or(HeadEnd::EndOfPage),
        }
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
    use crate::page::Meta;
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

    fn offsets(page: &PageMeta) -> Vec<usize> {
        page.metas().iter().map(Meta::offset).collect()
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
            assert!(!found.metas().is_empty(), "{page}");
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
            assert_eq!(found.metas()[1].content(), "\u{4e2d}<");
            assert_eq!(found.title().as_deref(), Some("\u{4e2d}\u{6587}"));
        }
        let little: Vec<u8> = format!("\u{feff}{text}")
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(check(&little).metas()[1].content(), "\u{4e2d}<");
        let big: Vec<u8> = format!("\u{feff}{text}")
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect();
        assert_eq!(check(&big).encoding(), "UTF-16BE");
    }

    #[test]
    fn broken_characters_move_nothing() {
        let page = b"\xEF\xBB\xBF<meta content='\xE4\xB8'>\xE4<meta>";
        let found = check(page);
        assert_eq!(offsets(&found), [3]);
        assert_eq!(found.metas()[0].content(), "\u{fffd}");
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
            name: name.to_owned(),
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
        use crate::MAX_OPEN_ELEMENTS;
        // Each `<p>` opens all the formatting elements anew that the last one closed.
        let tags = "<b a b c d e f>".repeat(MAX_OPEN_ELEMENTS / 2);
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
