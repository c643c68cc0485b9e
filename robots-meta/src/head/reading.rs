//! Reading chunks of a page, for both readers.
//!
//! The first bytes (at most 1,024) are held until the encoding is known. Reading stops where BODY
//! begins, unless all of the document is read.

use super::encoding::PageEncoding;
use super::options::HeadOptions;
use super::scan::{Scanner, Scope};
use super::transcode::Transcoder;
use super::tree::LazyTreeBuilder;
use crate::page::{HeadEnd, HeadLimit, PageFacts};
use encoding_rs::{Encoding, UTF_8};
use std::fmt;

/// A page that is being read.
pub(super) struct Reading {
    options: HeadOptions,
    scope: Scope,
    /// The number of bytes of the page that were fed, up to the limit.
    taken: usize,
    /// The bytes that are held until the encoding is known.
    start: Vec<u8>,
    scan: Option<PageScan>,
}

/// The scan of a page, which begins once its encoding is known.
struct PageScan {
    scanner: Scanner,
    /// The decoder of a page that must be decoded before it is scanned.
    transcoder: Option<Box<Transcoder>>,
    encoding: &'static Encoding,
    /// The length of the byte order mark, until it has been skipped; then 0.
    skip: usize,
    /// The number of bytes of the page that the scanner has read.
    scanned: usize,
    /// Bytes in a TEMPLATE that wait until there are enough of them.
    waiting: Vec<u8>,
    /// True if the limit on bytes ended reading.
    limit_hit: bool,
}

/// Reads a page that is in memory. No bytes are copied to wait for more. If `last` is set, reading a document stops
/// after the tag at this offset, or after the first tag past it.
pub(super) fn read_page(
    options: &HeadOptions,
    scope: Scope,
    page: &[u8],
    last: Option<usize>,
) -> PageFacts {
    let within = page.get(..options.limit).unwrap_or(page);
    let mut builder = LazyTreeBuilder::default();
    let mut scan = PageScan::new(options, scope, within);
    if let Some(last) = last {
        scan.scanner.stop_after(last);
    }
    scan.feed(within, within.len() < page.len(), &mut builder);
    scan.finish(within.len(), &mut builder)
}

impl fmt::Debug for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reading")
            .field("taken", &self.taken)
            .field("done", &self.is_done())
            .finish_non_exhaustive()
    }
}

impl Reading {
    pub(super) fn new(options: &HeadOptions, scope: Scope) -> Self {
        Self {
            options: options.clone(),
            scope,
            taken: 0,
            start: Vec::new(),
            scan: None,
        }
    }

    /// Returns whether more of the page changes nothing.
    pub(super) fn is_done(&self) -> bool {
        self.scan
            .as_ref()
            .is_some_and(|scan| scan.limit_hit || scan.scanner.is_done())
    }

    /// Takes the next bytes of the page.
    pub(super) fn feed(&mut self, chunk: &[u8], builder: &mut LazyTreeBuilder) {
        if self.is_done() {
            return;
        }
        let room = self.options.limit - self.taken;
        let within = chunk.get(..room).unwrap_or(chunk);
        self.taken += within.len();
        let is_cut = within.len() < chunk.len();
        let needed = self.options.hints.bytes_needed();
        let mut rest = within;
        if self.scan.is_none() {
            // A first chunk that is long enough is not copied.
            if self.start.is_empty() && within.len() >= needed {
                self.scan = Some(PageScan::new(&self.options, self.scope, within));
            } else {
                let missing = needed - self.start.len();
                let (held, after) = within.split_at_checked(missing).unwrap_or((within, &[]));
                self.start.extend_from_slice(held);
                rest = after;
                // A chunk that is cut is the last one, so the scan begins with what there is.
                if !is_cut && self.start.len() < needed {
                    return;
                }
                self.scan = Some(self.begin(builder));
            }
        }
        if let Some(scan) = &mut self.scan {
            scan.feed(rest, is_cut, builder);
        }
    }

    /// Ends the page.
    pub(super) fn finish(mut self, builder: &mut LazyTreeBuilder) -> PageFacts {
        let mut scan = match self.scan.take() {
            Some(scan) => scan,
            None => self.begin(builder),
        };
        scan.finish(self.taken, builder)
    }

    /// Begins the scan with the bytes that were held.
    fn begin(&mut self, builder: &mut LazyTreeBuilder) -> PageScan {
        let start = std::mem::take(&mut self.start);
        let mut scan = PageScan::new(&self.options, self.scope, &start);
        scan.feed(&start, false, builder);
        scan
    }
}

impl PageScan {
    /// Returns the scan before its first byte. `start` is the start of the page, which decides the
    /// encoding; it must be fed next.
    fn new(options: &HeadOptions, scope: Scope, start: &[u8]) -> Self {
        let sniffed = options.hints.sniff(start);
        let (encoding, mark_length) = (sniffed.encoding, sniffed.mark_length);
        let transcoder = Transcoder::of(encoding, mark_length);
        let scanned_encoding = if transcoder.is_some() {
            UTF_8
        } else {
            encoding
        };
        let page_encoding =
            PageEncoding::new(scanned_encoding, sniffed.source, transcoder.is_some());
        Self {
            scanner: Scanner::new(
                options.wanted.clone(),
                scope,
                options.scripting,
                page_encoding,
            ),
            transcoder,
            encoding,
            skip: mark_length,
            scanned: 0,
            waiting: Vec::new(),
            limit_hit: false,
        }
    }

    /// Scans a chunk, or lets it wait. `is_cut`: true if the limit on bytes cut the chunk.
    fn feed(&mut self, chunk: &[u8], is_cut: bool, builder: &mut LazyTreeBuilder) {
        // In a TEMPLATE, each scan rebuilds the tree builder from a record. A scan waits for at least
        // half as many bytes as the record has, so that time stays linear however small the chunks
        // are.
        let enough = self.scanner.recorded_bytes() / 2;
        if !is_cut && self.waiting.len() + chunk.len() < enough {
            self.waiting.extend_from_slice(chunk);
            return;
        }
        self.scan_waiting(builder);
        self.scan(chunk, builder);
        self.limit_hit = is_cut && !self.scanner.is_done();
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
        self.scanned += skipped;
        match &mut self.transcoder {
            Some(transcoder) => transcoder.feed(bytes, &mut self.scanner, builder),
            None => self.scanner.feed(bytes, self.scanned, builder),
        }
        self.scanned += bytes.len();
    }

    /// Ends the page, and takes its facts.
    fn finish(&mut self, taken: usize, builder: &mut LazyTreeBuilder) -> PageFacts {
        self.scan_waiting(builder);
        let end = if self.limit_hit {
            HeadEnd::Limit(HeadLimit::Bytes)
        } else {
            if let Some(transcoder) = &mut self.transcoder {
                transcoder.finish(&mut self.scanner, builder);
            }
            HeadEnd::EndOfPage
        };
        let transcoded = self.transcoder.as_ref().map(|_| self.encoding);
        self.scanner.finish(end, taken, transcoded, builder)
    }
}
