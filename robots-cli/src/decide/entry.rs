//! What is made of the records of an archive: robots.txt captures, pages with their HEAD read, and what is odd.

use super::digest;
use super::source::Source;
use crate::archive::{Cut, Item, Record};
use crate::fetch::KeptFault;
use crate::http::Response;
use crate::robots_book::{self, Answer, RulesOfAll, is_robots_url};
use crate::summary::Skip;
use robots_meta::{HeadEnd, MediaType, PageHeader, PageMeta, RobotsHeader, Timestamp};
use robots_policy::{Heads, Page, Policies};
use robots_txt::{RFC9309_SIZE_LIMIT, RobotsTxt};
use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::atomic::{AtomicU64, Ordering};
use twox_hash::XxHash64;

/// What a record or a fault comes to.
#[derive(Debug)]
pub(super) enum Entry {
    /// Something is odd.
    Odd(String),
    /// A broken place.
    Broken(String),
    /// A record without a decision.
    Skipped(Skip),
    /// What came of a request for a robots.txt, or for what one redirects to.
    Capture {
        url: url::Url,
        date: Option<Timestamp>,
        answer: Answer<RulesOfAll>,
        /// Of its body, of which the rules keep what they need.
        bytes: usize,
    },
    Page(Box<ReadPage>),
}

/// How many bytes anything takes, about.
const ANY: usize = 200;

/// How many bytes a capture takes beside what its rules keep of the body, about.
const CAPTURE: usize = 1_000;

/// How many bytes a name and a value take beside their texts, about: themselves, and what the allocator has for each.
const PAIR: usize = 100;

/// How many bytes a page takes beside its texts, about.
const PAGE: usize = 1_000;

impl Entry {
    /// How many bytes of memory it takes, about.
    pub(super) fn bytes(&self) -> usize {
        ANY.saturating_add(match self {
            Self::Odd(text) | Self::Broken(text) => text.len(),
            Self::Skipped(_) => 0,
            Self::Capture { bytes, .. } => CAPTURE.saturating_add(*bytes),
            Self::Page(page) => page.bytes(),
        })
    }
}

/// A page of which all was read that decisions need.
#[derive(Debug)]
pub(super) struct ReadPage {
    pub(super) offset: u64,
    pub(super) status: Option<u16>,
    pub(super) url: String,
    pub(super) date: Option<Timestamp>,
    headers: Headers,
    /// HEAD, if it is HTML.
    heads: Option<Heads>,
    is_cut: bool,
}

impl ReadPage {
    /// The page as the policy of this index decides about it.
    pub(super) fn page(&self, policy: usize) -> Page<'_> {
        let mut page = Page::new(&self.url).with_headers(self.headers.lines());
        if let Some(status) = self.status {
            page = page.with_status(status);
        }
        let head = self.heads.as_ref().map(|heads| heads.iter().nth(policy));
        let page = match head.flatten() {
            Some(head) => page.with_meta(head),
            None => page.not_html(),
        };
        if self.is_cut { page.cut_short() } else { page }
    }

    /// How many bytes of memory it takes, about.
    pub(super) fn bytes(&self) -> usize {
        let pair =
            |name: &str, value: &str| PAIR.saturating_add(name.len()).saturating_add(value.len());
        let headers = self.headers.heard.iter();
        let headers = headers.map(|(_, name, value)| pair(name, value));
        let heads = self.heads.iter().flat_map(Heads::metas);
        let metas = heads.flat_map(PageMeta::metas);
        let attributes = metas.flat_map(|meta| meta.attributes());
        let attributes = attributes.map(|found| pair(found.name(), found.value()));
        headers
            .chain(attributes)
            .fold(PAGE.saturating_add(self.url.len()), usize::saturating_add)
    }
}

/// Of the header lines of a response, those that decisions hear.
#[derive(Debug, Default)]
struct Headers {
    /// With the index of each among all lines.
    heard: Vec<(usize, String, String)>,
}

impl Headers {
    fn of(response: &Response<'_>) -> Self {
        let is_heard = |name: &str| {
            RobotsHeader::from_name(name).is_some()
                || PageHeader::from_name(name).is_some()
                || name.eq_ignore_ascii_case("content-type")
        };
        let lines = response.headers().enumerate();
        let heard = lines.filter(|(_, (name, _))| is_heard(name));
        Self {
            heard: heard
                .map(|(at, (name, value))| (at, name.to_owned(), value.to_owned()))
                .collect(),
        }
    }

    /// The lines, each at its index; those that are not heard are empty.
    fn lines(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut next = 0;
        self.heard.iter().flat_map(move |(at, name, value)| {
            let unheard = at.saturating_sub(next);
            next = at.saturating_add(1);
            let unheard = std::iter::repeat_n(("", ""), unheard);
            unheard.chain([(name.as_str(), value.as_str())])
        })
    }
}

/// Which captures are wanted.
#[derive(Debug, Clone, Copy)]
pub(super) enum Captures<'a> {
    None,
    /// Those of robots.txt.
    Robots,
    /// Those of these URLs.
    Of(&'a HashSet<String>),
}

/// How records are read.
#[derive(Debug, Clone, Copy)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "one for each thing that is asked for"
)]
pub(super) struct Records<'a> {
    pub(super) policies: &'a Policies,
    /// Whether pages are wanted, and those that are no HTML.
    pub(super) pages: bool,
    pub(super) all_types: bool,
    /// Which pages are passed over, that are not in the sample.
    pub(super) sample: Sample,
    pub(super) captures: Captures<'a>,
    /// Whether what is odd, broken or skipped is told: in one of two readings of an archive.
    pub(super) tells: bool,
    /// Whether of a page no more is read than decisions need.
    pub(super) skims: bool,
    /// Whether digests are compared.
    pub(super) verifies: bool,
    /// Where the URLs of responses are noted.
    pub(super) urls: Option<&'a Urls>,
}

/// Which URLs there are responses of, as a set that may say yes where the answer is no: so that what robots.txt
/// redirect to is looked for only where it may be.
#[derive(Debug)]
pub(super) struct Urls {
    bits: Box<[AtomicU64]>,
}

/// How many words of bits there are: 2 MiB, for some two million URLs.
const WORDS: usize = 1 << 18;

impl Urls {
    pub(super) fn new() -> Self {
        Self {
            bits: (0..WORDS).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    fn note(&self, url: &str) {
        let (word, bit) = Self::place(url);
        if let Some(word) = self.bits.get(word) {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }

    /// Whether there may be a response of a URL.
    pub(super) fn may_have(&self, url: &str) -> bool {
        let (word, bit) = Self::place(url);
        let word = self.bits.get(word);
        word.is_some_and(|word| word.load(Ordering::Relaxed) & bit != 0)
    }

    fn place(url: &str) -> (usize, u64) {
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(url);
        let word = usize::try_from(hash >> 6).unwrap_or_default() & (WORDS - 1);
        (word, 1 << (hash & 63))
    }
}

/// A share of the URLs, always the same.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    /// The greatest hash that is in it.
    most: u64,
}

impl Sample {
    /// So much of one; `None` is all.
    pub(super) fn new(share: Option<f64>) -> Self {
        let most = match share {
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_precision_loss,
                clippy::cast_sign_loss,
                reason = "a share is from 0 to 1, and need not be exact"
            )]
            Some(share) if share < 1.0 => (share * u64::MAX as f64) as u64,
            _ => u64::MAX,
        };
        Self { most }
    }

    pub(super) fn has(self, url: &str) -> bool {
        self.most == u64::MAX || XxHash64::oneshot(0, url.as_bytes()) <= self.most
    }
}

impl Records<'_> {
    /// What is made of a record or a fault of an archive.
    pub(super) fn read(&self, source: &Source<'_>, item: &Item, entries: &mut Vec<Entry>) {
        let record = match item {
            Item::Fault(fault) => {
                if self.tells {
                    let text = format!("warning: {}: {fault}", source.archive.name);
                    entries.push(Entry::Broken(text));
                }
                return;
            }
            Item::Record(record) => record,
        };
        if self.verifies && self.tells {
            let name = &source.archive.name;
            let url = record.url.as_deref().unwrap_or("no URL");
            entries.extend(digest::wrong(record).iter().map(|what| {
                let text = format!("warning: {name}: at byte {}: {url}: {what}", record.offset);
                Entry::Broken(text)
            }));
        }
        let mut reading = Reading {
            records: self,
            name: &source.archive.name,
            record,
            entries,
        };
        match reading.read() {
            Some(skip) if self.tells && self.pages => entries.push(Entry::Skipped(skip)),
            _ => {}
        }
    }

    /// Whether so much of a record is enough: all of it would be read to the same end.
    pub(super) fn is_enough(&self, record: &Record) -> bool {
        if !self.skims || record.kind != "response" || record.url.is_none() {
            return false;
        }
        let mut entries = Vec::new();
        let reading = Reading {
            records: self,
            name: "",
            record,
            entries: &mut entries,
        };
        if reading.captured_url().is_some() {
            return false;
        }
        let Ok(response) = Response::parse(&record.block) else {
            return false;
        };
        if !self.pages || !response.is_html() {
            return true;
        }
        if response.is_unread() {
            return false;
        }
        let heads = self
            .policies
            .read(response.body(), response.media_type().charset());
        let has_ended = |meta: &PageMeta| *meta.end() != HeadEnd::EndOfPage;
        heads.metas().iter().all(has_ended)
    }

    /// Tells that no record begins where an index says that one does.
    pub(super) fn missing(&self, source: &Source<'_>, offset: u64, entries: &mut Vec<Entry>) {
        if self.tells {
            let name = &source.archive.name;
            let text = format!(
                "warning: {name}: at byte {offset}: no record begins here, as the index says"
            );
            entries.push(Entry::Broken(text));
        }
    }
}

/// A record that is read.
struct Reading<'a, 'e> {
    records: &'a Records<'a>,
    name: &'a str,
    record: &'a Record,
    entries: &'e mut Vec<Entry>,
}

impl Reading<'_, '_> {
    /// Enters what there is to it. Gives why there is no page.
    fn read(&mut self) -> Option<Skip> {
        let record = self.record;
        match record.kind.as_str() {
            "response" => self.response(),
            "resource" => self.resource(),
            "revisit" => Some(Skip::Revisit),
            "metadata" => {
                if let Some(fault) = KeptFault::of(record)
                    && let Some(url) = self.captured_url()
                {
                    self.capture(url, Answer::Fault(fault), 0);
                }
                Some(Skip::NoResponse)
            }
            "request" | "warcinfo" => Some(Skip::NoResponse),
            _ => Some(Skip::OtherKind),
        }
    }

    fn response(&mut self) -> Option<Skip> {
        let record = self.record;
        if let Some(urls) = self.records.urls
            && let Some(Ok(url)) = record.url.as_deref().map(url::Url::parse)
        {
            urls.note(&robots_book::key(&url));
        }
        let captured = self.captured_url();
        if !self.records.pages && captured.is_none() {
            return None;
        }
        let Some(url) = record.url.as_deref() else {
            self.odd("a response without a URL; skipped");
            return Some(Skip::NoUrl);
        };
        let is_http = url.starts_with("http:") || url.starts_with("https:");
        if !is_http && !record.block.starts_with(b"HTTP/") {
            return Some(Skip::NotHttp);
        }
        let Ok(response) = Response::parse(&record.block) else {
            self.odd("not an HTTP response; skipped");
            return Some(Skip::NotHttp);
        };
        let is_captured = captured.is_some();
        if let Some(url) = captured {
            let policies = self.records.policies;
            let answer = Answer::of(&url, &response, |body| policies.compile(body).into());
            self.capture(url, answer, response.body().len().min(RFC9309_SIZE_LIMIT));
        }
        if robots_url(url).is_some() {
            // Of one that does not count, nothing is odd.
            if is_captured {
                self.tell_robots(&response);
            }
            return Some(Skip::RobotsTxt);
        }
        if self.records.pages && self.records.sample.has(url) {
            self.page(url, &response)
        } else {
            None
        }
    }

    /// Tells what is odd about a response to /robots.txt.
    fn tell_robots(&mut self, response: &Response<'_>) {
        for note in response.notes() {
            self.odd(&note.to_string());
        }
        let is_success = (200..=299).contains(&response.status());
        if is_success && (self.record.cut.is_some() || response.is_cut()) {
            self.odd("robots.txt is not whole; its start was read");
        }
        if is_success && self.records.tells && RobotsTxt::parse(response.body()).looks_like_html() {
            self.odd(
                "this robots.txt looks like an HTML page; only lines that are directives count",
            );
        }
    }

    fn page(&mut self, url: &str, response: &Response<'_>) -> Option<Skip> {
        if !response.is_html() && !self.records.all_types {
            return Some(Skip::NotHtml);
        }
        let is_skimmed = self.record.cut == Some(Cut::Skimmed);
        for note in response.notes() {
            // Of what was skimmed, the end is missing.
            if !(is_skimmed && note.is_cut()) {
                self.odd(&note.to_string());
            }
        }
        if response.is_unread() && response.is_html() {
            return Some(Skip::Unread);
        }
        let media_type = response.media_type();
        let policies = self.records.policies;
        let heads = response
            .is_html()
            .then(|| policies.read(response.body(), media_type.charset()));
        let is_cut = !is_skimmed && (self.record.cut.is_some() || response.is_cut());
        let headers = Headers::of(response);
        self.push(url, Some(response.status()), headers, heads, is_cut);
        None
    }

    /// A page that was kept without its response.
    fn resource(&mut self) -> Option<Skip> {
        if !self.records.pages {
            return None;
        }
        let content_type = self.record.content_type.as_deref().unwrap_or_default();
        let media_type = MediaType::parse(content_type);
        let url = self.record.url.as_deref().unwrap_or_default();
        if !media_type.is_html() || !url.starts_with("http") {
            return Some(Skip::NotHtml);
        }
        if !self.records.sample.has(url) {
            return None;
        }
        let policies = self.records.policies;
        let heads = policies.read(&self.record.block, media_type.charset());
        let is_cut = self.record.cut.is_some();
        self.push(url, None, Headers::default(), Some(heads), is_cut);
        None
    }

    fn push(
        &mut self,
        url: &str,
        status: Option<u16>,
        headers: Headers,
        heads: Option<Heads>,
        is_cut: bool,
    ) {
        let ends_early = |meta: &PageMeta| *meta.end() == HeadEnd::EndOfPage;
        let ends_early = |heads: &Heads| heads.metas().iter().any(ends_early);
        if is_cut && heads.as_ref().is_some_and(ends_early) {
            self.odd("cut before the end of its HEAD; only what is forbidden is decided");
        }
        self.entries.push(Entry::Page(Box::new(ReadPage {
            offset: self.record.offset,
            status,
            url: url.to_owned(),
            date: self.date(),
            headers,
            is_cut: is_cut && heads.is_some(),
            heads,
        })));
    }

    fn capture(&mut self, url: url::Url, answer: Answer<RulesOfAll>, bytes: usize) {
        let date = self.date();
        self.entries.push(Entry::Capture {
            url,
            date,
            answer,
            bytes,
        });
    }

    /// The URL of the record, if what was captured of it is wanted.
    fn captured_url(&self) -> Option<url::Url> {
        let url = self.record.url.as_deref()?;
        match self.records.captures {
            Captures::None => None,
            Captures::Robots => robots_url(url),
            Captures::Of(urls) => {
                let url = url::Url::parse(url).ok()?;
                urls.contains(&robots_book::key(&url)).then_some(url)
            }
        }
    }

    fn date(&self) -> Option<Timestamp> {
        self.record.date.as_deref().and_then(Timestamp::parse)
    }

    fn odd(&mut self, what: &str) {
        if self.records.tells {
            let url = self.record.url.as_deref().unwrap_or("no URL");
            let at = self.record.offset;
            let text = format!("warning: {}: at byte {at}: {url}: {what}", self.name);
            self.entries.push(Entry::Odd(text));
        }
    }
}

/// The URL, if it is that of its origin's robots.txt.
pub(super) fn robots_url(url: &str) -> Option<url::Url> {
    // Most are seen not to be, without being parsed.
    memchr::memmem::find(url.as_bytes(), b"robots.txt")?;
    url::Url::parse(url).ok().filter(is_robots_url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_weighs_what_it_takes() {
        let page = |lines: usize| ReadPage {
            offset: 0,
            status: None,
            url: "http://a.example/".to_owned(),
            date: None,
            headers: Headers {
                heard: vec![(0, "a".to_owned(), "b".to_owned()); lines],
            },
            heads: None,
            is_cut: false,
        };
        let line = size_of::<(usize, String, String)>() + 2 * 16;
        assert!(page(2_000).bytes() >= 2_000 * line);
        assert!(page(0).bytes() >= size_of::<ReadPage>());
    }

    #[test]
    fn headers_keep_their_places() {
        let response = "HTTP/1.1 200 OK\r\nDate: x\r\nX-Robots-Tag: noindex\r\nServer: y\r\nVia: z\r\nContent-Type: a\r\nEtag: e\r\n\r\n";
        let headers = Headers::of(&Response::parse(response.as_bytes()).unwrap());
        let lines: Vec<(&str, &str)> = headers.lines().collect();
        let unheard = ("", "");
        let named = [("X-Robots-Tag", "noindex"), ("Content-Type", "a")];
        assert_eq!(lines, [unheard, named[0], unheard, unheard, named[1]]);
    }

    #[test]
    fn urls_that_were_noted_may_be_there() {
        let urls = Urls::new();
        assert!(!urls.may_have("http://a.example/login"));
        for number in 0..1_000 {
            urls.note(&format!("http://a.example/{number}"));
        }
        let may_have = |from: u32| {
            (from..from + 1_000)
                .filter(|number| urls.may_have(&format!("http://a.example/{number}")))
                .count()
        };
        assert_eq!(may_have(0), 1_000);
        assert!(may_have(1_000) < 10);
    }
}
