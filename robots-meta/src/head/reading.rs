//! Chunks of bytes to the facts of a page, for both readers.
//!
//! Bytes are held until the encoding is known (at most 1,024). Reading stops where BODY begins,
//! unless all of the document is read.

use super::encoding::PageEncoding;
use super::options::HeadOptions;
use super::scan::{Scanner, Scope};
use super::transcode::Transcoder;
use super::tree::LazyTreeBuilder;
use crate::page::{HeadEnd, HeadLimit, PageFacts};
use encoding_rs::{Encoding, UTF_8};

/// A page that is being read.
pub(super) struct Reading {
    options: HeadOptions,
    scope: Scope,
    /// The bytes of the page that were taken.
    taken: usize,
    /// The bytes that are held until the encoding is known.
    start: Vec<u8>,
    decoded: Option<Decoded>,
}

/// A page whose encoding is known.
struct Decoded {
    scanner: Scanner,
    transcoder: Option<Box<Transcoder>>,
    encoding: &'static Encoding,
    /// The length of the byte order mark, until it has been passed.
    skip: usize,
    /// The bytes of the page that the scanner has read.
    scanned: usize,
    /// Bytes in a TEMPLATE that wait until there are enough of them.
    waiting: Vec<u8>,
    limit_hit: bool,
}

/// Reads a page that is in memory. No byte is copied to see more of it.
pub(super) fn read_whole(options: &HeadOptions, scope: Scope, page: &[u8]) -> PageFacts {
    read_up_to(options, scope, page, None)
}

/// Reads a page that is in memory; of a document up to the tag at `last`, or the first after it.
pub(super) fn read_up_to(
    options: &HeadOptions,
    scope: Scope,
    page: &[u8],
    last: Option<usize>,
) -> PageFacts {
    let within = page.get(..options.limit).unwrap_or(page);
    let mut builder = LazyTreeBuilder::default();
    let mut decoded = Decoded::new(options, scope, within);
    if let Some(last) = last {
        decoded.scanner.stop_after(last);
    }
    decoded.feed(within, within.len() < page.len(), &mut builder);
    decoded.finish(within.len(), &mut builder)
}

impl Reading {
    pub(super) fn new(options: &HeadOptions, scope: Scope) -> Self {
        Self {
            options: options.clone(),
            scope,
            taken: 0,
            start: Vec::new(),
            decoded: None,
        }
    }

    /// Returns the number of bytes that were taken.
    pub(super) fn taken(&self) -> usize {
        self.taken
    }

    /// Returns whether more of the page changes nothing.
    pub(super) fn is_done(&self) -> bool {
        self.decoded
            .as_ref()
            .is_some_and(|decoded| decoded.limit_hit || decoded.scanner.is_done())
    }

    /// Takes the next bytes of the page.
    pub(super) fn feed(&mut self, chunk: &[u8], builder: &mut LazyTreeBuilder) {
        if self.is_done() {
            return;
        }
        let room = self.options.limit.saturating_sub(self.taken);
        let within = chunk.get(..room).unwrap_or(chunk);
        self.taken = self.taken.saturating_add(within.len());
        let hit_limit = within.len() < chunk.len();
        let needed = self.options.hints.bytes_needed();
        let mut rest = within;
        if self.decoded.is_none() {
            if self.start.is_empty() && within.len() >= needed {
                self.decoded = Some(Decoded::new(&self.options, self.scope, within));
            } else {
                let missing = needed.saturating_sub(self.start.len());
                let (held, after) = within.split_at_checked(missing).unwrap_or((within, &[]));
                self.start.extend_from_slice(held);
                rest = after;
                if !hit_limit && self.start.len() < needed {
                    return;
                }
                self.decoded = Some(self.begin(builder));
            }
        }
        if let Some(decoded) = &mut self.decoded {
            decoded.feed(rest, hit_limit, builder);
        }
    }

    /// Ends the page.
    pub(super) fn finish(mut self, builder: &mut LazyTreeBuilder) -> PageFacts {
        let decoded = match self.decoded.take() {
            Some(decoded) => decoded,
            None => self.begin(builder),
        };
        decoded.finish(self.taken, builder)
    }

    /// Begins with the bytes that were held.
    fn begin(&mut self, builder: &mut LazyTreeBuilder) -> Decoded {
        let start = std::mem::take(&mut self.start);
        let mut decoded = Decoded::new(&self.options, self.scope, &start);
        decoded.feed(&start, false, builder);
        decoded
    }
}

impl Decoded {
    /// Returns the state before a page. Its first bytes, to be fed next, determine its encoding.
    fn new(options: &HeadOptions, scope: Scope, start: &[u8]) -> Self {
        let sniffed = options.hints.sniff(start);
        let (encoding, mark) = (sniffed.encoding, sniffed.mark);
        let transcoder = Transcoder::of(encoding, mark);
        let scanned = if transcoder.is_some() {
            UTF_8
        } else {
            encoding
        };
        let page_encoding = PageEncoding::new(scanned, sniffed.source, transcoder.is_some());
        Self {
            scanner: Scanner::new(
                options.wanted.clone(),
                scope,
                options.scripting,
                page_encoding,
            ),
            transcoder,
            encoding,
            skip: mark,
            scanned: 0,
            waiting: Vec::new(),
            limit_hit: false,
        }
    }

    fn feed(&mut self, chunk: &[u8], hit_limit: bool, builder: &mut LazyTreeBuilder) {
        // In a TEMPLATE the tree builder is made again from a record. That is done for at least
        // half as many bytes as the record has, so that time stays linear however small the chunks
        // are.
        let enough = self.scanner.recorded_bytes() / 2;
        if !hit_limit && self.waiting.len().saturating_add(chunk.len()) < enough {
            self.waiting.extend_from_slice(chunk);
            return;
        }
        self.scan_waiting(builder);
        self.scan(chunk, builder);
        self.limit_hit = hit_limit && !self.scanner.is_done();
    }

    fn scan_waiting(&mut self, builder: &mut LazyTreeBuilder) {
        if !self.waiting.is_empty() {
            let waiting = std::mem::take(&mut self.waiting);
            self.scan(&waiting, builder);
        }
    }

    fn scan(&mut self, bytes: &[u8], builder: &mut LazyTreeBuilder) {
        let skipped = std::mem::take(&mut self.skip);
        let bytes = bytes.get(skipped..).unwrap_or_default();
        self.scanned = self.scanned.saturating_add(skipped);
        match &mut self.transcoder {
            Some(transcoder) => transcoder.feed(bytes, &mut self.scanner, builder),
            None => self.scanner.feed(bytes, self.scanned, builder),
        }
        self.scanned = self.scanned.saturating_add(bytes.len());
    }

    fn finish(mut self, taken: usize, builder: &mut LazyTreeBuilder) -> PageFacts {
        self.scan_waiting(builder);
        let end = if self.limit_hit {
            HeadEnd::Limit(HeadLimit::Bytes)
        } else {
            if let Some(transcoder) = &mut self.transcoder {
                transcoder.finish(&mut self.scanner, builder);
            }
            HeadEnd::EndOfPage
        };
        let offsets_are_exact = self.transcoder.is_none();
        let mut page = self.scanner.finish(end, taken, offsets_are_exact, builder);
        if !offsets_are_exact {
            page.encoding = self.encoding;
        }
        page
    }
}
