//! The consumer of entries. It notes captures and problems. It drops pages, queues them until every robots.txt is
//! known, or decides about them.

use super::page_queue::PageQueue;
use super::run::Run;
use crate::archive::{Consumer, Start};
use crate::error::{Error, Halt};
use crate::extract::Entry;
use crate::journal::position::{PagesAfter, Position};
use crate::observer::{Stage, Warning};

/// The treatment of pages.
pub(super) enum PageTreatment<'q> {
    Drop,
    /// They wait in the queue, unless an earlier run decided them: `after` drops those.
    Queue {
        queue: &'q mut PageQueue,
        after: &'q mut PagesAfter,
    },
    /// They are decided, unless an earlier run decided them.
    Decide(&'q mut PagesAfter),
}

/// A consumer of the entries of archives.
pub(super) struct RunConsumer<'r, 'a, 'q> {
    pub(super) run: &'r mut Run<'a>,
    /// The index of the first archive among the inputs of the run.
    pub(super) first: usize,
    pub(super) stage: Stage,
    /// Whether this reading reports problems and counts bytes. A second one, for the targets of redirects, does not.
    pub(super) reports: bool,
    pub(super) pages: PageTreatment<'q>,
}

impl Consumer for RunConsumer<'_, '_, '_> {
    fn consume(&mut self, source: usize, entry: Entry) -> Result<(), Halt> {
        self.run.check_stop()?;
        let input = self.first.saturating_add(source);
        let page = match (entry, &self.pages) {
            (Entry::Page(page), _) => page,
            // If pages are decided as they are read, an earlier run noted the entries before the position at which it ended. A
            // queue needs them again: it waits for all captures.
            (_, PageTreatment::Decide(after)) if !after.is_reached(input) => return Ok(()),
            (entry, _) => {
                self.run.note(entry);
                return Ok(());
            }
        };
        match &mut self.pages {
            PageTreatment::Queue { queue, after } => {
                if after.accept(input, page.offset) {
                    queue.push_page(input, page)?;
                }
            }
            PageTreatment::Decide(after) => {
                if after.accept(input, page.offset) {
                    self.run.decide_page(input, &page)?;
                    self.run.checkpoint_if_due()?;
                }
            }
            PageTreatment::Drop => {}
        }
        Ok(())
    }

    fn end_part(&mut self, source: usize, bytes: u64, next: Option<Start>) -> Result<(), Halt> {
        let bytes = if self.reports { bytes } else { 0 };
        self.run.observer.progress(self.stage, bytes);
        self.run.check_stop()?;
        let input = self.first.saturating_add(source);
        match (&self.pages, next) {
            // While pages that an earlier run decided are skipped, the position of that run stays.
            (PageTreatment::Decide(after), Some(start)) if after.is_reached(input) => {
                self.run.reach(input)?;
                self.run.position = Position {
                    input,
                    start,
                    pages: 0,
                };
                self.run.checkpoint()?;
            }
            // The archive ends here: the run continues with the next input.
            (PageTreatment::Decide(after), None) if after.is_reached(input) => {
                self.run.reach(input.saturating_add(1))?;
            }
            _ => {}
        }
        Ok(())
    }

    fn fail(&mut self, _: usize, error: Error) {
        if self.reports {
            self.run.report_failed_input(Warning::NotRead(error));
        }
    }
}
