//! The consumer that decides: pages in, rows out. It keeps the position of the run and its journal.
//!
//! Pages are decided as they are read, or they wait in a queue until every robots.txt is known.

use super::decider::{DecidedPage, Decider};
use super::index::{Index, Listing};
use super::page_queue::{Batch, PageQueue};
use super::run::Run;
use crate::error::Error;
use crate::evidence::RunFacts;
use crate::extract::page::PagePlace;
use crate::extract::urls::UrlFilter;
use crate::extract::{CaptureFilter, Entry, Extractor};
use crate::input::Input;
use crate::journal::position::{PagesAfter, Position};
use crate::journal::{Journal, Progress};
use crate::observer::Warning;
use crate::options::RobotsSource;
use crate::ordered;
use crate::reader::{Event, Flow, NamedItems, Reading, Stop, check_stop};
use crate::robots::capture_book::CaptureBook;
use crate::sink::RowContext;
use crate::sink::checksummed_file::WrittenPart;
use crate::sink::comparison::Comparison;
use crate::sink::output::Output;
use robots_meta::Timestamp;
use robots_policy::Fetch;
use std::ops::ControlFlow;

/// The decisions of a run in progress.
pub(super) struct Decisions<'a> {
    pub(super) run: Run<'a>,
    /// The name of the records of the caller, if they are the source.
    pub(super) name: &'a str,
    /// The time as of which pages are decided.
    pub(super) now: Option<Timestamp>,
    pub(super) output: Output<'a>,
    /// The comparison of the decisions about a page, if rows need it.
    pub(super) comparison: Option<Comparison>,
    /// What all decisions have in common, if evidence is collected.
    pub(super) facts: Option<RunFacts>,
    pub(super) journal: Option<Journal>,
    pub(super) position: Position,
    /// The last state from which the run can be resumed.
    pub(super) resumable: Option<Progress>,
}

impl<'a> Decisions<'a> {
    /// Decides all pages. `robots` are the archives of [`RobotsSource::Files`]; an index lists the records that are read.
    pub(super) fn decide(
        &mut self,
        items: Option<NamedItems<'_>>,
        index: Option<(&Index<'_>, &Listing)>,
        robots: &[Input],
    ) -> Flow {
        match &self.run.options.robots {
            RobotsSource::Inputs => return self.queue_and_decide(items, index),
            RobotsSource::Files(_) => {
                let captures = CaptureFilter::Robots;
                self.run.read_captures(robots, None, captures)?;
            }
            RobotsSource::Known(_) | RobotsSource::Book(_) => {}
        }
        self.run.counter.begin_deciding();
        self.decide_as_read(items, index)
    }

    /// Reads all pages and robots.txt, and then decides.
    fn queue_and_decide(
        &mut self,
        items: Option<NamedItems<'_>>,
        index: Option<(&Index<'_>, &Listing)>,
    ) -> Flow {
        let urls = UrlFilter::new();
        let extractor = Extractor {
            captures: CaptureFilter::Robots,
            // Records of a caller are not read again for the targets of redirects.
            urls: items.is_none().then_some(&urls),
            ..self.run.extractor()
        };
        let reading = Reading {
            listed: index.map(|(_, listing)| listing.offsets.as_slice()),
            ..self.run.reading("reading", extractor)
        };
        let options = self.run.options;
        let limit = options.limit.unwrap_or(u64::MAX);
        // A resumed run may have a lower limit than the number of pages that the first one decided.
        let left = limit.saturating_sub(self.run.counter.pages());
        let mut queue = PageQueue::new(options.hold_back, left);
        let mut after = PagesAfter::new(self.position);
        reading.read(items, &mut |input, event| {
            match event {
                Event::Entry(Entry::Page(page)) => {
                    if after.accept(input, &page.place) {
                        self.run.note_licenses(&page);
                        queue.push(input, &page)?;
                    }
                }
                event => self.run.note(event),
            }
            Ok(())
        })?;
        let index = index.map(|(index, _)| index);
        self.run.find_redirects(self.run.inputs, &urls, index)?;
        self.run.counter.begin_deciding();
        self.run.check_limit()?;
        self.decide_waiting(queue)
    }

    /// Decides the pages that wait, with several threads, and writes their rows in order.
    fn decide_waiting(&mut self, queue: PageQueue) -> Flow {
        let book = self.run.take_book();
        let decider = self.decider(&book);
        // More threads than batches would have no work.
        let threads = usize::try_from(queue.batches()).unwrap_or(usize::MAX);
        let threads = threads.min(self.run.options.threads);
        let batches = queue.into_batches()?;
        let mut flow = Ok(());
        let decide = |batch: Result<Batch, Error>| match batch {
            Ok(batch) => decider.decide_batch(&batch).collect(),
            Err(error) => vec![Err(error)],
        };
        ordered::map_ready(
            threads,
            batches,
            || decide,
            |decided| {
                for page in decided {
                    flow = page
                        .map_err(Stop::Failed)
                        .and_then(|page| self.write_page(page));
                    if flow.is_err() {
                        return ControlFlow::Break(());
                    }
                }
                ControlFlow::Continue(())
            },
        )?;
        self.run.book = book;
        flow?;
        self.reach(self.run.inputs.len())
    }

    /// Decides all pages after the current position as they are read, by the robots.txt files that are known.
    fn decide_as_read(
        &mut self,
        items: Option<NamedItems<'_>>,
        index: Option<(&Index<'_>, &Listing)>,
    ) -> Flow {
        self.run.check_limit()?;
        let begin = self.position;
        let mut after = PagesAfter::new(begin);
        let reading = Reading {
            listed: index.map(|(_, listing)| listing.offsets.as_slice()),
            from: (begin.input, begin.start),
            ..self.run.reading("deciding", self.run.extractor())
        };
        reading.read(items, &mut |input, event| {
            self.take(input, event, &mut after)
        })?;
        self.reach(self.run.inputs.len())
    }

    /// Decides a page, or notes another event. Those before the position `after` belong to an earlier run.
    fn take(&mut self, input: usize, event: Event, after: &mut PagesAfter) -> Flow {
        match event {
            Event::Entry(Entry::Page(page)) => {
                if !after.accept(input, &page.place) {
                    return Ok(());
                }
                let page = self.decider(&self.run.book).decide_page(input, *page);
                return self.write_page(page);
            }
            Event::Entry(entry) => {
                // An error is reported in any case: the rest of the input is missing.
                if after.is_reached(input) || matches!(entry, Entry::Failed(_)) {
                    // Problems before the first page of an input belong to that input.
                    self.reach(input)?;
                    self.run.note_entry(entry);
                }
            }
            // While pages that an earlier run decided are skipped, the position of that run stays.
            Event::PartEnd(_) if !after.is_reached(input) => {}
            Event::PartEnd(Some(start)) => {
                self.reach(input)?;
                self.position = Position {
                    input,
                    start,
                    pages: 0,
                };
                self.checkpoint()?;
            }
            // The input ends here: the run continues with the next one.
            Event::PartEnd(None) => self.reach(input + 1)?,
        }
        Ok(())
    }

    /// Writes the decisions about a page, and counts it in the position.
    fn write_page(&mut self, page: DecidedPage) -> Flow {
        check_stop(self.run.observer)?;
        self.reach(page.input)?;
        self.position.pass(&page.place);
        let inputs = self.run.inputs;
        let archive = inputs.get(page.input).and_then(Input::archive);
        let archive = archive.map_or(self.name, |archive| &archive.name);
        // Without a base, the path of a saved page is its URL, which has no origin.
        if let (PagePlace::Record(offset), Some(error)) = (&page.place, page.url_error) {
            self.run.observer.warn(&Warning::PageUrl {
                file: archive.to_owned(),
                offset: *offset,
                error,
            });
        }
        let row = page.place.row(archive, page.status);
        let comparison = self.comparison.as_ref();
        let decisions = page.decisions.iter().map(|(decision, _)| decision);
        let differences = comparison.map(|comparison| comparison.differences(decisions));
        let mut has_robots = false;
        for (at, (decision, sources)) in page.decisions.iter().enumerate() {
            has_robots |= decision.fetch != Fetch::Unknown;
            let differs = differences.as_ref().and_then(|all| all.get(at));
            let differs = differs.map_or(&[][..], Vec::as_slice);
            let payload = page.digest.as_ref();
            let evidence = self.facts.as_ref();
            let evidence = evidence.map(|run| run.evidence(at, sources, page.date, payload));
            let overrides = self.run.options.overrides.as_deref();
            let overridden = overrides
                .and_then(|overrides| overrides.of_page(&decision.url, &decision.agent, self.now));
            let row = RowContext {
                differs,
                evidence,
                overridden,
                ..row
            };
            let is_written = self.output.write(&row, decision)?;
            self.run.counter.add_decision(at, decision, is_written);
        }
        self.run.counter.add_page(has_robots);
        self.run.check_limit()?;
        if self.journal.as_ref().is_some_and(Journal::is_due) {
            self.checkpoint()?;
        }
        Ok(())
    }

    fn decider<'b>(&self, book: &'b CaptureBook) -> Decider<'b>
    where
        'a: 'b,
    {
        Decider {
            policies: self.run.policies,
            robots: &self.run.options.robots,
            book,
            now: self.now,
        }
    }

    /// Moves on to an input: all pages of the inputs before it are decided, and the output of each of them ends.
    fn reach(&mut self, input: usize) -> Flow {
        while self.position.input < input {
            self.output.end_input()?;
            self.position = Position::beginning(self.position.input + 1);
            if self.position.input < self.run.inputs.len() {
                self.output
                    .begin(self.position.input, WrittenPart::default())?;
            }
            self.checkpoint()?;
        }
        Ok(())
    }

    /// Records that the run can be resumed from here, and writes a line of the journal if one is due.
    fn checkpoint(&mut self) -> Result<(), Error> {
        let Some(journal) = &mut self.journal else {
            return Ok(());
        };
        // With a format that cannot be appended to (Parquet, Arrow), only a run with a file for each input has a journal. It can
        // resume only at the beginning of an input, where a new file begins.
        let is_beginning = self.position == Position::beginning(self.position.input);
        if !is_beginning && !self.output.is_appendable() {
            return Ok(());
        }
        let progress = Progress {
            position: self.position,
            output: self.output.flush()?,
            summary: self.run.counter.checkpoint(),
        };
        if journal.is_due() {
            self.output.sync()?;
            journal.write(&progress)?;
        }
        self.resumable = Some(progress);
        Ok(())
    }
}
