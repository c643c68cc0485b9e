//! A run: reads all inputs, and decides all pages in order.
//!
//! ```text
//! decide_inputs
//!   queue_and_decide          if robots.txt files come from the inputs: reads all, then decides
//!     decide_waiting          the pages of the queue, with several threads
//!     decide_folder
//!   decide_from_position      otherwise: decides pages as they are read
//!     decide_page
//!     decide_folder
//! decide_items                the records of a caller
//!   decide_waiting
//!   decide_read_page
//!
//! decide_page                 a page of an input: counts it in the position
//!   decide_read_page          a page that was read
//!     pass_on                 instead of deciding it, if the run only reads pages
//!     decide                  any page, for each policy; also of decide_folder
//!       write                 the decisions; also of decide_waiting
//! ```

use super::consume::{PageTreatment, RunConsumer};
use super::decider::{Decided, DecidedPage, Decider};
use super::page_queue::{Batch, PageQueue};
use super::pages::PageWriter;
use super::robots_inputs::RobotsInputs;
use super::sources::{Indexed, groups, sources};
use crate::archive::{Source, read_archives};
use crate::error::{Error, Halt};
use crate::extent::ItemSource;
use crate::extract::page::ReadPage;
use crate::extract::urls::{Sample, UrlFilter};
use crate::extract::{CaptureFilter, Entry, Extractor};
use crate::input::Input;
use crate::journal::position::{PagesAfter, Position};
use crate::journal::{Journal, Progress};
use crate::observer::{Observer, Stage, Warning};
use crate::options::{Options, RobotsSource};
use crate::ordered;
use crate::robots::policies::PolicyBook;
use crate::sink::RowContext;
use crate::sink::output::Output;
use crate::summary::{Counter, End, Summary};
use crate::text::with_causes;
use robots_archive::Item;
use robots_meta::Timestamp;
use robots_policy::origins::{Origin, UrlError};
use robots_policy::{Decision, Fetch, Page, Policies};
use std::ops::ControlFlow;

/// A run in progress.
pub(super) struct Run<'a> {
    pub(super) options: &'a Options,
    pub(super) inputs: &'a [Input],
    pub(super) index: Option<Indexed<'a>>,
    pub(super) policies: &'a Policies,
    pub(super) now: Timestamp,
    pub(super) book: &'a PolicyBook<'a>,
    pub(super) observer: &'a dyn Observer,
    pub(super) output: Output<'a>,
    /// The receiver of pages that this run only reads.
    pub(super) pages: Option<PageWriter<'a>>,
    pub(super) counter: Counter,
    pub(super) journal: Option<Journal>,
    pub(super) position: Position,
    /// The last state from which the run can be resumed.
    pub(super) resumable: Option<Progress>,
}

impl<'a> Run<'a> {
    /// Decides all pages of the inputs; `robots_inputs` are those of [`RobotsSource::Files`].
    pub(super) fn decide_inputs(&mut self, robots_inputs: &RobotsInputs) -> Result<(), Halt> {
        match &self.options.robots {
            RobotsSource::Inputs => {
                for folder in self.inputs.iter().filter_map(Input::folder) {
                    self.enter_robots_of_folder(folder);
                }
                return self.queue_and_decide();
            }
            RobotsSource::Files(_) => self.read_robots(robots_inputs)?,
            RobotsSource::Policies | RobotsSource::Book(_) => {}
        }
        self.counter.begin_deciding();
        self.decide_from_position()
    }

    /// Decides the pages among some records. Pages wait until all records are read, unless the robots.txt files come from
    /// elsewhere.
    pub(super) fn decide_items(
        &mut self,
        name: &str,
        items: &mut dyn ItemSource,
        robots_inputs: &RobotsInputs,
    ) -> Result<(), Halt> {
        let is_queued = matches!(self.options.robots, RobotsSource::Inputs);
        if let RobotsSource::Files(_) = self.options.robots {
            self.read_robots(robots_inputs)?;
        }
        let extractor = Extractor {
            captures: if is_queued {
                CaptureFilter::Robots
            } else {
                CaptureFilter::None
            },
            ..self.extractor()
        };
        let mut queue = PageQueue::new(
            self.options.hold_back,
            self.options.limit.unwrap_or(u64::MAX),
        );
        let mut entries = Vec::new();
        while let Some(item) = self.next_of(items)? {
            self.check_stop()?;
            extractor.extract(name, &item, &mut entries);
            items.recycle(item);
            for entry in entries.drain(..) {
                match entry {
                    Entry::Page(page) if is_queued => queue.push_page(0, page)?,
                    Entry::Page(page) => self.decide_read_page(name, &page)?,
                    entry => self.note(entry),
                }
            }
        }
        self.counter.begin_deciding();
        self.decide_waiting(queue, |run, decided| match decided {
            Decided::Page(_, page) => {
                run.check_stop()?;
                run.write_page(name, page)
            }
            // Never: records are in no folder.
            Decided::Folder(_) => Ok(()),
        })
    }

    /// Returns the next record or damaged place; `None` at the end, and after an error that does not end the run.
    pub(super) fn next_of(&mut self, items: &mut dyn ItemSource) -> Result<Option<Item>, Error> {
        match items.next_item() {
            Err(error) if !items.ends_run() => {
                self.report_failed_input(Warning::NotRead(error));
                Ok(None)
            }
            next => next,
        }
    }

    /// Returns the options of extracting pages.
    pub(super) fn extractor(&self) -> Extractor<'a> {
        Extractor {
            policies: self.policies,
            pages: true,
            all_types: self.options.all_types,
            sample: Sample::new(self.options.sample),
            captures: CaptureFilter::None,
            form: self.book.form(),
            reports: true,
            observer: self.observer,
            skims: self.options.skim,
            verifies_digests: self.options.verify_digests,
            urls: None,
        }
    }

    /// Reads archives, the first of which is the input of index `first`.
    pub(super) fn read(
        &mut self,
        first: usize,
        sources: &[Source<'_>],
        extractor: &Extractor<'_>,
        stage: Stage,
        pages: PageTreatment<'_>,
    ) -> Result<(), Halt> {
        let threads = self.options.threads;
        let mut consumer = RunConsumer {
            run: self,
            first,
            stage,
            reports: extractor.reports,
            pages,
        };
        read_archives(sources, threads, extractor, &mut consumer)
    }

    /// Reads all pages and robots.txt, and then decides.
    fn queue_and_decide(&mut self) -> Result<(), Halt> {
        let urls = UrlFilter::new();
        let extractor = Extractor {
            captures: CaptureFilter::Robots,
            urls: Some(&urls),
            ..self.extractor()
        };
        let limit = self.options.limit.unwrap_or(u64::MAX);
        let mut queue = PageQueue::new(
            self.options.hold_back,
            limit.saturating_sub(self.counter.pages()),
        );
        let mut after = PagesAfter::new(self.position);
        for (first, inputs) in groups(self.inputs) {
            let sources = sources(first, inputs, self.index.map(|index| index.offsets));
            let pages = PageTreatment::Queue {
                queue: &mut queue,
                after: &mut after,
            };
            self.read(first, &sources, &extractor, Stage::Read, pages)?;
            // A group without archives is one folder. An earlier run decided the folders before the position.
            if sources.is_empty() && first >= self.position.input {
                queue.push_folder(first)?;
            }
        }
        self.find_redirects(self.inputs, &urls, self.index.map(|index| index.index))?;
        self.counter.begin_deciding();
        self.check_limit()?;
        self.decide_waiting(queue, |run, decided| match decided {
            Decided::Page(input, page) => {
                run.check_stop()?;
                if let Some(file) = run.begin_page(input)? {
                    run.write_page(file, page)?;
                }
                Ok(run.checkpoint_if_due()?)
            }
            Decided::Folder(input) => run.decide_folder(input),
        })?;
        // Ends the output of each input that is left.
        self.reach(self.inputs.len())?;
        Ok(())
    }

    /// Decides the pages that wait, with several threads, and passes them and the folders to `take` in order.
    fn decide_waiting(
        &mut self,
        queue: PageQueue,
        mut take: impl FnMut(&mut Self, Decided) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let decider = self.decider();
        // More threads than batches would have no work.
        let threads = usize::try_from(queue.batches()).unwrap_or(usize::MAX);
        let threads = threads.min(self.options.threads);
        let batches = queue.into_batches()?;
        let mut taken = Ok(());
        let decide = |batch: Result<Batch, Error>| match batch {
            Ok(batch) => decider.decide_batch(&batch).collect(),
            Err(error) => vec![Err(error)],
        };
        ordered::map_ready(
            threads,
            batches,
            || decide,
            |decided| {
                taken = decided
                    .into_iter()
                    .try_for_each(|decided| take(self, decided?));
                match taken {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(_) => ControlFlow::Break(()),
                }
            },
        );
        taken
    }

    /// Decides all pages after the current position as they are read, by the robots.txt files that are known.
    fn decide_from_position(&mut self) -> Result<(), Halt> {
        let extractor = self.extractor();
        self.check_limit()?;
        let begin = self.position;
        let mut after = PagesAfter::new(begin);
        let rest = self.inputs.get(begin.input..).unwrap_or_default();
        for (first, inputs) in groups(rest) {
            let first = begin.input.saturating_add(first);
            let offsets = self.index.map(|index| index.offsets);
            let mut sources = sources(first, inputs, offsets);
            if let Some(source) = sources.first_mut()
                && first == begin.input
            {
                source.start = begin.start;
            }
            // Problems before the first page of an input belong to that input.
            self.reach(first)?;
            // A group without archives is one folder.
            if sources.is_empty() {
                self.decide_folder(first)?;
            } else {
                let pages = PageTreatment::Decide(&mut after);
                self.read(first, &sources, &extractor, Stage::Decide, pages)?;
            }
        }
        // Ends the output of each input that is left.
        self.reach(self.inputs.len())?;
        Ok(())
    }

    /// Decides a page of an archive, whose index among the inputs is `input`.
    pub(super) fn decide_page(&mut self, input: usize, page: &ReadPage) -> Result<(), Halt> {
        match self.begin_page(input)? {
            Some(file) => self.decide_read_page(file, page),
            None => Ok(()),
        }
    }

    /// Counts a page of an archive in the position. Returns the name of the archive, whose index among the inputs is `input`.
    fn begin_page(&mut self, input: usize) -> Result<Option<&'a str>, Error> {
        self.reach(input)?;
        let inputs = self.inputs;
        let Some(archive) = inputs.get(input).and_then(Input::archive) else {
            // Never: `input` is an archive.
            return Ok(None);
        };
        self.position.pages = self.position.pages.saturating_add(1);
        Ok(Some(&archive.name))
    }

    /// Decides a page of an archive, or of records, of this name.
    fn decide_read_page(&mut self, file: &str, page: &ReadPage) -> Result<(), Halt> {
        if self.pages.is_some() {
            return self.pass_on(file, page);
        }
        let row = RowContext::new(file, Some(page.offset), page.status);
        self.decide(&page.url, page.date, &row, |policy| page.page(policy))
    }

    /// Passes a page that was read to the receiver of pages.
    fn pass_on(&mut self, file: &str, page: &ReadPage) -> Result<(), Halt> {
        let origin = self.origin_of(&page.url, file, Some(page.offset));
        let key = origin.map(|origin| origin.robots_url());
        if let Some(pages) = &mut self.pages {
            pages.write(file, key.as_deref(), page)?;
        }
        self.counter.add_page(false);
        self.check_limit()
    }

    /// Returns the origin of a page, and reports a page of a record without one.
    fn origin_of(&self, url: &str, file: &str, offset: Option<u64>) -> Option<Origin> {
        match (Origin::of(url), offset) {
            (Ok(origin), _) => return Some(origin),
            (Err(error), Some(offset)) => self.report_url(file, offset, error),
            // A saved page has no offset: without a base, its path is its URL, which has no origin.
            (Err(_), None) => {}
        }
        None
    }

    /// Reports that the URL of a page has no origin.
    fn report_url(&self, file: &str, offset: u64, error: UrlError) {
        self.observer.warn(&Warning::PageUrl {
            file: file.to_owned(),
            offset,
            error,
        });
    }

    fn decider(&self) -> Decider<'a> {
        Decider {
            policies: self.policies,
            robots: &self.options.robots,
            book: self.book,
            now: self.now,
        }
    }

    /// Decides a page for each policy. `page` takes the index of a policy, and returns the page as that policy reads it.
    pub(super) fn decide<'p>(
        &mut self,
        url: &str,
        date: Option<Timestamp>,
        row: &RowContext<'_>,
        page: impl Fn(usize) -> Page<'p>,
    ) -> Result<(), Halt> {
        let origin = self.origin_of(url, row.file, row.offset);
        let decider = self.decider();
        let decisions = decider.decisions(origin.as_ref(), date, page);
        self.write(row, decisions)
    }

    /// Writes the decisions about a page of an archive, or of records, of this name.
    fn write_page(&mut self, file: &str, page: DecidedPage) -> Result<(), Halt> {
        if let Some(error) = page.url_error {
            self.report_url(file, page.offset, error);
        }
        let row = RowContext::new(file, Some(page.offset), page.status);
        self.write(&row, page.decisions.into_iter())
    }

    /// Writes the decisions about a page: one for each policy.
    fn write(
        &mut self,
        row: &RowContext<'_>,
        decisions: impl Iterator<Item = Decision>,
    ) -> Result<(), Halt> {
        let mut has_robots = false;
        for (at, decision) in decisions.enumerate() {
            has_robots |= decision.fetch != Fetch::Unknown;
            self.counter.add_decision(at, &decision);
            self.output.write(row, &decision)?;
        }
        self.counter.add_page(has_robots);
        self.check_limit()
    }

    /// Ends the run if the limit of pages is reached. A resumed run may have reached it before its first page.
    fn check_limit(&self) -> Result<(), Halt> {
        match self.options.limit {
            Some(limit) if self.counter.pages() >= limit => Err(Halt::Limit),
            _ => Ok(()),
        }
    }

    /// Ends the run if the observer stops it.
    pub(super) fn check_stop(&self) -> Result<(), Halt> {
        if self.observer.is_stopped() {
            return Err(Halt::Interrupted);
        }
        Ok(())
    }

    /// Notes an entry that is not a page.
    pub(super) fn note(&mut self, entry: Entry) {
        match entry {
            Entry::Warning(warning) => {
                self.observer.warn(&warning);
                if warning.is_damage() {
                    self.counter.add_damage();
                }
            }
            Entry::Skipped(reason) => self.counter.add_skip(reason),
            Entry::Capture {
                url, date, result, ..
            } => self.book.enter(&url, date, result),
            Entry::Page(_) => {}
        }
    }

    /// Returns the summary of a run that has no output to finish.
    pub(super) fn into_summary(self, end: End) -> Summary {
        self.counter.into_summary(end)
    }

    /// Reports an input that is left out, or its rest.
    pub(super) fn report_failed_input(&mut self, warning: Warning) {
        self.observer.warn(&warning);
        if let Warning::NotOpened(error) | Warning::NotRead(error) = warning {
            self.counter.add_failed_input(with_causes(&error));
        }
    }
}
