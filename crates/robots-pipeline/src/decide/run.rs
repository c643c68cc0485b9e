//! What the consumers of a reading share: the inputs and options, the book of captures, and the counts of problems.

use super::index::Index;
use crate::error::Error;
use crate::evidence::page_digests::PageDigests;
use crate::extract::page::ReadPage;
use crate::extract::urls::{Sample, UrlFilter};
use crate::extract::{CaptureFilter, Entry, Extractor};
use crate::input::{self, Input, InputSource};
use crate::observer::{Observer, Warning};
use crate::options::Options;
use crate::reader::{Event, Flow, NamedItems, Reading, Start, Stop};
use crate::robots::book::MAX_REDIRECT_SEARCHES;
use crate::robots::capture_book::CaptureBook;
use crate::robots_url::normalized;
use crate::summary::{Counter, End};
use crate::text::with_causes;
use robots_policy::Policies;
use std::collections::HashSet;
use url::Url;

/// A run in progress.
pub(super) struct Run<'a> {
    pub(super) options: &'a Options,
    pub(super) policies: &'a Policies,
    pub(super) observer: &'a dyn Observer,
    pub(super) inputs: &'a [Input],
    /// All captures are entered before the first decision.
    pub(super) book: CaptureBook,
    pub(super) counter: Counter,
    /// The digests of pages, if evidence is collected.
    pub(super) digests: Option<PageDigests<'a>>,
}

impl<'a> Run<'a> {
    /// Returns the options of extracting pages.
    pub(super) fn extractor(&self) -> Extractor<'a> {
        Extractor {
            policies: self.policies,
            pages: true,
            all_types: self.options.all_types,
            sample: Sample::new(self.options.sample),
            base: self.options.base.as_ref(),
            captures: CaptureFilter::None,
            form: self.book.form,
            reports: true,
            observer: self.observer,
            verifies_digests: self.options.verify_digests,
            urls: None,
            digests: self.digests,
        }
    }

    /// Ends the run if the limit of pages is reached. A resumed run may have reached it before its first page.
    pub(super) fn check_limit(&self) -> Flow {
        match self.options.limit {
            Some(limit) if self.counter.pages() >= limit => Err(Stop::End(End::Limit)),
            _ => Ok(()),
        }
    }

    /// Returns the book, and leaves one without captures.
    pub(super) fn take_book(&mut self) -> CaptureBook {
        let none = CaptureBook::of_rules(self.policies);
        std::mem::replace(&mut self.book, none)
    }

    /// Returns a reading of all inputs.
    pub(super) fn reading<'r>(&self, stage: &'static str, extractor: Extractor<'r>) -> Reading<'r>
    where
        'a: 'r,
    {
        Reading {
            inputs: self.inputs,
            listed: None,
            from: (0, Start::First),
            threads: self.options.threads,
            stage,
            extractor,
        }
    }

    /// Enters these captures of archives, and those of the targets of their redirects; or these captures among some records.
    pub(super) fn read_captures(
        &mut self,
        inputs: &[Input],
        items: Option<NamedItems<'_>>,
        captures: CaptureFilter<'_>,
    ) -> Flow {
        let urls = UrlFilter::new();
        let extractor = Extractor {
            pages: false,
            captures,
            urls: items.is_none().then_some(&urls),
            ..self.extractor()
        };
        let reading = Reading {
            inputs,
            ..self.reading("reading robots.txt", extractor)
        };
        reading.read(items, &mut |_, event| {
            self.note(event);
            Ok(())
        })?;
        self.find_redirects(inputs, &urls, None)
    }

    /// Reads archives again for the targets of redirects. `urls` are those of the records that were read; `index` lists more.
    pub(super) fn find_redirects(
        &mut self,
        inputs: &[Input],
        urls: &UrlFilter,
        index: Option<&Index<'_>>,
    ) -> Flow {
        // Records of a caller cannot be read again.
        if inputs.is_empty() {
            return Ok(());
        }
        for _ in 0..MAX_REDIRECT_SEARCHES {
            let mut wanted: HashSet<String> = self.book.take_missing();
            // With an index, records that were not read are missing in the filter.
            wanted.retain(|url| index.is_some() || urls.may_contain(url));
            if wanted.is_empty() {
                break;
            }
            // The first reading of the index reported its problems, so this one has no observer: `&()`.
            let listing = index.map(|index| {
                index.find(&(), |entry| {
                    let url = Url::parse(&entry.url);
                    url.is_ok_and(|url| wanted.contains(&*normalized(&url)))
                })
            });
            let listing = listing.transpose()?;
            let extractor = Extractor {
                pages: false,
                captures: CaptureFilter::Urls(&wanted),
                reports: false,
                ..self.extractor()
            };
            let reading = Reading {
                inputs,
                listed: listing.as_ref().map(|listing| listing.offsets.as_slice()),
                ..self.reading("reading redirects and licences", extractor)
            };
            reading.read(None, &mut |_, event| {
                self.note(event);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Notes the licences that a page names, so that their captures are looked for.
    pub(super) fn note_licenses(&mut self, page: &ReadPage) {
        for url in page.named_licenses() {
            self.book.want(&url);
        }
    }

    /// Notes an event that is not about a page.
    pub(super) fn note(&mut self, event: Event) {
        if let Event::Entry(entry) = event {
            self.note_entry(entry);
        }
    }

    /// Notes an entry that is not a page.
    pub(super) fn note_entry(&mut self, entry: Entry) {
        match entry {
            Entry::Warning(warning) => {
                self.observer.warn(&warning);
                if warning.is_damage() {
                    self.counter.add_damage();
                }
            }
            Entry::Failed(error) => {
                report_failed(&mut self.counter, self.observer, error, Warning::NotRead);
            }
            Entry::Skipped(reason) => self.counter.add_skip(reason),
            Entry::Capture {
                url,
                date,
                result,
                source,
                ..
            } => self.book.enter(&url, date, &result, source),
            Entry::Page(_) => {}
        }
    }
}

/// Reports an input that is left out, or its rest.
pub(super) fn report_failed(
    counter: &mut Counter,
    observer: &dyn Observer,
    error: Error,
    warning: fn(Error) -> Warning,
) {
    counter.add_failed_input(with_causes(&error));
    observer.warn(&warning(error));
}

/// Opens the inputs that can be opened, and reports the others. Returns them, and whether they are all. `is_copied`: whether
/// streams can be read again.
pub(super) fn open_all(
    sources: Vec<InputSource>,
    is_copied: bool,
    observer: &dyn Observer,
    counter: &mut Counter,
) -> (Vec<Input>, bool) {
    let mut are_all = true;
    let mut failed = |error| {
        are_all = false;
        report_failed(counter, observer, error, Warning::NotOpened);
    };
    let sources = sources.into_iter();
    let inputs = sources.flat_map(|source| input::open_source(source, is_copied, &mut failed));
    let inputs = inputs.collect();
    (inputs, are_all)
}
