//! The extraction of entries from records and saved pages: captures of robots.txt, and pages with their HEAD read.

pub(crate) mod page;
pub(crate) mod urls;

use crate::error::Error;
use crate::evidence::page_digests::PageDigests;
use crate::input::{Folder, lines, saved_page_url};
use crate::observer::{Observer, RecordProblem, Warning};
use crate::robots::capture_source::CaptureSource;
use crate::robots::fault::RequestFault;
use crate::robots::kept_file::{KeptFile, KeptForm};
use crate::robots::request::{Completeness, RequestResult};
use crate::robots_url::{is_robots_url, is_tdmrep_url, may_be_of_site, normalized};
use crate::summary::SkipReason;
use crate::text::path_text;
use page::{Headers, PagePlace, ReadPage};
use robots_archive::http::Response;
use robots_archive::{Item, Record, sha256};
use robots_meta::page::HeadEnd;
use robots_meta::{PageFacts, Timestamp};
use robots_policy::Policies;
use robots_policy::policies::Heads;
use robots_txt::limits::RFC9309_SIZE_LIMIT;
use robots_txt::parse::looks_like_html;
use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use url::Url;
use urls::{Sample, UrlFilter};

/// An extract of a record, of a damaged place, or of a saved page.
#[derive(Debug)]
pub(crate) enum Entry {
    /// A problem.
    Warning(Warning),
    /// The reason why an input is left out, or its rest.
    Failed(Error),
    /// A record without a decision.
    Skipped(SkipReason),
    /// The result of a request for a robots.txt, or for the target of its redirect.
    Capture {
        url: Url,
        date: Option<Timestamp>,
        result: RequestResult<Arc<KeptFile>>,
        /// The size of the body in bytes, at most [`RFC9309_SIZE_LIMIT`], and 0 for a fault. The rules keep a part of it.
        bytes: usize,
        /// Its source, if evidence is collected.
        source: Option<Arc<CaptureSource>>,
    },
    /// A page.
    Page(Box<ReadPage>),
}

/// The approximate size of any entry, in bytes.
const ENTRY_BYTES: usize = 300;

/// The approximate size of a capture without the body, in bytes.
const CAPTURE_BYTES: usize = 1_000;

impl Entry {
    /// Returns the approximate size in memory, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        ENTRY_BYTES
            + match self {
                Self::Warning(_) | Self::Failed(_) | Self::Skipped(_) => 0,
                Self::Capture { bytes, .. } => CAPTURE_BYTES + bytes,
                Self::Page(page) => page.bytes(),
            }
    }
}

/// A filter of captures.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CaptureFilter<'a> {
    None,
    /// The captures of robots.txt and tdmrep.json files.
    Robots,
    /// The captures of these normalized URLs.
    Urls(&'a HashSet<String>),
}

/// The options of an extraction.
#[derive(Clone, Copy)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
pub(crate) struct Extractor<'a> {
    pub(crate) policies: &'a Policies,
    /// Whether pages are wanted.
    pub(crate) pages: bool,
    /// Whether responses that are not HTML are wanted, too.
    pub(crate) all_types: bool,
    /// The pages that are wanted.
    pub(crate) sample: Sample,
    /// The URL of folders of saved pages.
    pub(crate) base: Option<&'a Url>,
    pub(crate) captures: CaptureFilter<'a>,
    /// The form in which captured files are kept.
    pub(crate) form: KeptForm,
    /// Whether problems and skipped records are reported. If an archive is read twice, only one reading reports them.
    pub(crate) reports: bool,
    pub(crate) observer: &'a dyn Observer,
    /// Whether digests are compared.
    pub(crate) verifies_digests: bool,
    /// The filter to which the URLs of responses and faults are added.
    pub(crate) urls: Option<&'a UrlFilter>,
    /// The digests of pages, if evidence is collected.
    pub(crate) digests: Option<PageDigests<'a>>,
}

impl Extractor<'_> {
    /// Extracts the entries of a record or a damaged place of the archive `file`.
    pub(crate) fn extract(&self, file: &str, item: &Item, entries: &mut Vec<Entry>) {
        let record = match item {
            Item::Damage(damage) => {
                if self.reports {
                    entries.push(Entry::Warning(Warning::Damage {
                        file: file.to_owned(),
                        damage: damage.clone(),
                    }));
                }
                return;
            }
            Item::Record(record) => record,
        };
        let mut extraction = Extraction {
            options: self,
            file,
            record,
            entries,
        };
        if self.verifies_digests && self.reports {
            for mismatch in record.digest_mismatches() {
                extraction.warn(RecordProblem::Digest(mismatch));
            }
        }
        // A reading without pages is for captures only: what it skips is not counted.
        match extraction.extract() {
            Some(skip) if self.reports && self.pages => entries.push(Entry::Skipped(skip)),
            _ => {}
        }
    }

    /// Reads the URL of a record with a response or a fault: whether it is that of its origin's robots.txt, and the parsed URL if its
    /// capture is wanted. It is parsed only if this is needed.
    fn read_url(&self, text: &str) -> (bool, Option<Url>) {
        let may_be_of_site = may_be_of_site(text);
        let is_of_urls = matches!(self.captures, CaptureFilter::Urls(_));
        if !may_be_of_site && !is_of_urls && self.urls.is_none() {
            return (false, None);
        }
        let Ok(url) = Url::parse(text) else {
            return (false, None);
        };
        // It may be the target of a redirect.
        if let Some(urls) = self.urls {
            urls.insert(&normalized(&url));
        }
        let is_robots = may_be_of_site && is_robots_url(&url);
        let is_wanted = match self.captures {
            CaptureFilter::None => false,
            CaptureFilter::Robots => is_robots || (may_be_of_site && is_tdmrep_url(&url)),
            CaptureFilter::Urls(urls) => urls.contains(&*normalized(&url)),
        };
        (is_robots, is_wanted.then_some(url))
    }

    /// Extracts the robots.txt of a folder of saved pages, and the problems of the folder. Without a base URL, the site of the
    /// folder is not known, and the file is ignored, as is one that cannot be read.
    pub(crate) fn extract_folder(&self, folder: &Folder, entries: &mut Vec<Entry>) {
        if let (CaptureFilter::Robots, Some(base)) = (self.captures, self.base)
            && let Ok(body) = lines::read_robots(&folder.root.join("robots.txt"))
            && let Ok(url) = base.join("/robots.txt")
        {
            let path = folder.root.join("robots.txt");
            let source = self.digests.map(|_| {
                let name = path_text(&path);
                Arc::new(CaptureSource::of_file(&url, None, &name, &body))
            });
            let file = KeptFile::new(&url, &body, self.policies, self.form);
            entries.push(Entry::Capture {
                url,
                date: None,
                result: RequestResult::of_file(file),
                bytes: body.len().min(RFC9309_SIZE_LIMIT),
                source,
            });
        }
        if !self.pages || !self.reports {
            return;
        }
        for (path, error) in &folder.unread {
            push_unreadable(path, error, entries);
        }
        if folder.pages.is_empty() && !folder.has_archives {
            entries.push(Entry::Failed(Error::NoPages(folder.root.clone())));
        }
    }

    /// Extracts a saved page of a folder, of this index. Its URL is the base, with the path from the folder to the page appended.
    /// Without a base, its path is its URL.
    pub(crate) fn extract_saved(
        &self,
        folder: &Folder,
        index: u64,
        path: &Path,
        entries: &mut Vec<Entry>,
    ) {
        let html = match File::open(path).and_then(lines::read_page) {
            Ok(html) => html,
            Err(error) => return push_unreadable(path, &error, entries),
        };
        let file = path_text(path);
        let relative = path.strip_prefix(&folder.root).unwrap_or(path);
        let url = self.base.and_then(|base| saved_page_url(base, relative));
        let url = url.map_or_else(|| file.clone(), String::from);
        let digests = self.digests;
        if self.sample.contains(&url) && digests.is_none_or(|digests| digests.are_wanted(&url)) {
            entries.push(Entry::Page(Box::new(ReadPage {
                place: PagePlace::File { index, path: file },
                status: None,
                digest: digests.map(|_| PageDigests::of_file(&html)),
                url,
                date: None,
                headers: Headers::default(),
                heads: Some(self.policies.read(&html, None)),
                is_cut: false,
            })));
        }
    }

    /// Reports that no record begins at an offset of an index.
    pub(crate) fn report_no_record(&self, file: &str, offset: u64, entries: &mut Vec<Entry>) {
        if self.reports {
            entries.push(Entry::Warning(Warning::NoRecord {
                file: file.to_owned(),
                offset,
            }));
        }
    }
}

/// Reports a file or folder, found in a folder, that cannot be read.
fn push_unreadable(path: &Path, error: &io::Error, entries: &mut Vec<Entry>) {
    entries.push(Entry::Warning(Warning::unreadable(path, error)));
    entries.push(Entry::Skipped(SkipReason::Unreadable));
}

/// The extraction of one record.
struct Extraction<'a, 'e> {
    options: &'a Extractor<'a>,
    file: &'a str,
    record: &'a Record,
    entries: &'e mut Vec<Entry>,
}

impl Extraction<'_, '_> {
    /// Adds the entries of the record. Returns the reason if the record has no page; `None` also if its page is not wanted.
    fn extract(&mut self) -> Option<SkipReason> {
        let record = self.record;
        match record.kind.as_str() {
            // A resource with another URL, such as `urn:` or `file:`, is not a page of a site. It counts as not HTML.
            "resource" if !record.has_web_url() => Some(SkipReason::NotHtml),
            "response" | "resource" => self.extract_response(),
            "revisit" => Some(SkipReason::Revisit),
            "metadata" => {
                if let Some(fault) = RequestFault::of(record)
                    && let Some(url) = record.url.as_deref()
                    && let (_, Some(url)) = self.options.read_url(url)
                {
                    let source = self.source(&url, None, || None);
                    self.push_capture(url, RequestResult::Fault(fault), 0, source);
                }
                Some(SkipReason::NoResponse)
            }
            "request" | "warcinfo" => Some(SkipReason::NoResponse),
            _ => Some(SkipReason::OtherKind),
        }
    }

    fn extract_response(&mut self) -> Option<SkipReason> {
        let record = self.record;
        let Some(url) = record.url.as_deref() else {
            if !self.options.pages {
                return None;
            }
            self.warn(RecordProblem::NoUrl);
            return Some(SkipReason::NoUrl);
        };
        let (is_robots, captured) = self.options.read_url(url);
        let is_captured = captured.is_some();
        if !self.options.pages && !is_captured {
            return None;
        }
        // Records of other protocols, such as `dns:`, are not a problem: no warning.
        if !record.has_web_url() && !record.block.starts_with(b"HTTP/") {
            return Some(SkipReason::NotHttp);
        }
        let Some(Ok(response)) = record.http_response() else {
            self.warn(RecordProblem::NotHttp {
                loses_decision: true,
            });
            return Some(SkipReason::NotHttp);
        };
        let policies = self.options.policies;
        let whole = Completeness::of(record, &response);
        if let Some(url) = captured {
            let form = self.options.form;
            let status = response.status();
            let digest = || {
                if !(200..=299).contains(&status) {
                    None
                } else if response.unsniffed_notes().next().is_some() {
                    // Of such a body, not every byte is read, or none.
                    Some(record.computed_payload_digest().text().into())
                } else {
                    Some(sha256(response.unsniffed_body()).into())
                }
            };
            let source = self.source(&url, Some(status), digest);
            let keep = |body: &[u8]| KeptFile::new(&url, body, policies, form);
            let result = RequestResult::of(&url, &response, whole, keep);
            let bytes = response.unsniffed_body().len().min(RFC9309_SIZE_LIMIT);
            self.push_capture(url, result, bytes, source);
        }
        if is_robots {
            if is_captured {
                self.warn_of_robots(&response, whole);
            }
            return Some(SkipReason::RobotsTxt);
        }
        let digests = self.options.digests;
        let is_wanted = || digests.is_none_or(|digests| digests.are_wanted(url));
        if self.options.pages && self.options.sample.contains(url) && is_wanted() {
            self.extract_page(url, &response)
        } else {
            None
        }
    }

    /// Reports the problems of a response to /robots.txt.
    fn warn_of_robots(&mut self, response: &Response<'_>, whole: Completeness) {
        for note in response.unsniffed_notes() {
            self.warn(RecordProblem::Http(note));
        }
        if response.is_undeclared_gzip() {
            self.warn(RecordProblem::RobotsIsGzip);
        }
        // Only the body of a successful response has rules: in others, a cut or HTML does not matter.
        let is_success = (200..=299).contains(&response.status());
        if is_success && whole == Completeness::Cut {
            self.warn(RecordProblem::RobotsCut);
        }
        if is_success && self.options.reports && looks_like_html(response.body()) {
            self.warn(RecordProblem::RobotsIsHtml);
        }
    }

    fn extract_page(&mut self, url: &str, response: &Response<'_>) -> Option<SkipReason> {
        if !response.is_html() && !self.options.all_types {
            return Some(SkipReason::NotHtml);
        }
        for note in response.notes() {
            self.warn(RecordProblem::Http(*note));
        }
        if response.is_unread() && response.is_html() {
            return Some(SkipReason::Unread);
        }
        let media_type = response.media_type();
        let policies = self.options.policies;
        let heads = response
            .is_html()
            .then(|| policies.read(response.body(), media_type.charset()));
        let is_record_cut = self.record.cut.is_some();
        let is_cut = is_record_cut || response.is_cut();
        // The status and the header lines of a resource were not archived.
        let is_sent = self.record.kind == "response";
        let status = is_sent.then(|| response.status());
        let headers = if is_sent {
            Headers::of(response, is_record_cut)
        } else {
            Headers::default()
        };
        let is_open = |meta: &PageFacts| *meta.end() == HeadEnd::EndOfPage;
        let has_open_head = |heads: &Heads| heads.distinct().iter().any(is_open);
        if is_cut && heads.as_ref().is_some_and(has_open_head) {
            self.warn(RecordProblem::HeadCut);
        }
        let date = self.date();
        let digests = self.options.digests;
        self.entries.push(Entry::Page(Box::new(ReadPage {
            place: PagePlace::Record(self.record.offset),
            status,
            digest: digests.map(|digests| digests.of_record(url, date, self.record)),
            url: url.to_owned(),
            date,
            headers,
            // A body that is not HTML decides nothing, so its end does not matter.
            is_cut: is_cut && heads.is_some(),
            heads,
        })));
        None
    }

    fn push_capture(
        &mut self,
        url: Url,
        result: RequestResult<Arc<KeptFile>>,
        bytes: usize,
        source: Option<Arc<CaptureSource>>,
    ) {
        let date = self.date();
        self.entries.push(Entry::Capture {
            url,
            date,
            result,
            bytes,
            source,
        });
    }

    /// Returns the source of a capture, if evidence is collected. `digest` computes that of a 2xx response.
    fn source(
        &self,
        url: &Url,
        status: Option<u16>,
        digest: impl FnOnce() -> Option<Box<str>>,
    ) -> Option<Arc<CaptureSource>> {
        self.options.digests.map(|_| {
            Arc::new(CaptureSource {
                url: normalized(url).into_owned(),
                status,
                captured_at: self.date(),
                digest: digest(),
                file: self.file.into(),
                offset: Some(self.record.offset),
            })
        })
    }

    fn date(&self) -> Option<Timestamp> {
        self.record.captured_at()
    }

    fn warn(&mut self, problem: RecordProblem) {
        if self.options.reports {
            let warning = Warning::of_record(self.file, self.record, problem);
            self.entries.push(Entry::Warning(warning));
        }
    }
}
