//! What is made of the records of an archive: robots.txt captures, pages with their HEAD read, and what is odd.

use super::digest;
use super::page::{Headers, ReadPage};
use super::source::Source;
use super::urls::{Sample, Urls};
use crate::fetch::KeptFault;
use crate::interrupt::Interrupt;
use crate::robots_book::{self, Answer, RulesOfAll, is_robots_url};
use crate::summary::Skip;
use robots_archive::http::Response;
use robots_archive::{Cut, Item, Record};
use robots_meta::{HeadEnd, MediaType, PageMeta, Timestamp};
use robots_policy::{Heads, Policies};
use robots_txt::{RFC9309_SIZE_LIMIT, RobotsTxt};
use std::collections::HashSet;

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
    /// Whether all is to end.
    pub(super) interrupt: &'a Interrupt,
    /// Whether of a page no more is read than decisions need.
    pub(super) skims: bool,
    /// Whether digests are compared.
    pub(super) verifies: bool,
    /// Where the URLs of responses are noted.
    pub(super) urls: Option<&'a Urls>,
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
        let mut reading = Reading {
            records: self,
            name: &source.archive.name,
            record,
            entries,
        };
        if self.verifies && self.tells {
            for what in digest::wrong(record) {
                let text = reading.told(what);
                reading.entries.push(Entry::Broken(text));
            }
        }
        match reading.read() {
            Some(skip) if self.tells && self.pages => entries.push(Entry::Skipped(skip)),
            _ => {}
        }
    }

    /// The URL of a record, if what was captured of it is wanted.
    fn captured_url(&self, record: &Record) -> Option<url::Url> {
        let url = record.url.as_deref()?;
        match self.captures {
            Captures::None => None,
            Captures::Robots => robots_url(url),
            Captures::Of(urls) => {
                let url = url::Url::parse(url).ok()?;
                urls.contains(&robots_book::key(&url)).then_some(url)
            }
        }
    }

    /// Whether so much of a record is enough: all of it would be read to the same end.
    pub(super) fn is_enough(&self, record: &Record) -> bool {
        if !self.skims || record.kind != "response" || record.url.is_none() {
            return false;
        }
        if self.captured_url(record).is_some() {
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
                    && let Some(url) = self.records.captured_url(record)
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
        let captured = self.records.captured_url(record);
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

    fn date(&self) -> Option<Timestamp> {
        self.record.date.as_deref().and_then(Timestamp::parse)
    }

    fn odd(&mut self, what: &str) {
        if self.records.tells {
            let text = self.told(what);
            self.entries.push(Entry::Odd(text));
        }
    }

    /// What is told of the record.
    fn told(&self, what: &str) -> String {
        let url = self.record.url.as_deref().unwrap_or("no URL");
        let at = self.record.offset;
        format!("warning: {}: at byte {at}: {url}: {what}", self.name)
    }
}

/// The URL, if it is that of its origin's robots.txt.
pub(super) fn robots_url(url: &str) -> Option<url::Url> {
    // Most are seen not to be, without being parsed.
    memchr::memmem::find(url.as_bytes(), b"robots.txt")?;
    url::Url::parse(url).ok().filter(is_robots_url)
}
