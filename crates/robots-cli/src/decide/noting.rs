//! What becomes of the entries of archives: they are noted, and pages dropped, held back or decided.

use super::entry::Entry;
use super::hold::Hold;
use super::parts::Taker;
use super::place::{Behind, Place};
use super::plan::Start;
use super::run::Run;
use anyhow::Result;

/// What becomes of pages that are read.
pub(super) enum Pages<'h> {
    Dropped,
    /// They are held back, if they are behind what was decided before.
    Held {
        hold: &'h mut Hold,
        behind: &'h mut Behind,
    },
    /// They are decided, if they are behind what was decided before.
    Decided(&'h mut Behind),
}

/// Takes the entries of archives, and notes what they say.
pub(super) struct Noting<'r, 'a, 'h> {
    pub(super) run: &'r mut Run<'a>,
    /// The index of the input that the first archive is.
    pub(super) first: usize,
    pub(super) doing: &'static str,
    /// Whether it is the first of two readings: then it counts, and it is told what cannot be read.
    pub(super) tells: bool,
    pub(super) pages: Pages<'h>,
}

impl Taker for Noting<'_, '_, '_> {
    fn take(&mut self, source: usize, entry: Entry) -> Result<()> {
        self.run.check()?;
        let input = self.first.saturating_add(source);
        let page = match (entry, &self.pages) {
            (Entry::Page(page), _) => page,
            // What stands before pages that were decided was noted then.
            (_, Pages::Decided(behind)) if !behind.is_reached(input) => return Ok(()),
            (entry, _) => {
                self.run.note(entry);
                return Ok(());
            }
        };
        match &mut self.pages {
            Pages::Held { hold, behind } => {
                if behind.has(input, page.offset) {
                    hold.page(input, page);
                }
            }
            Pages::Decided(behind) => {
                if behind.has(input, page.offset) {
                    self.run.decide_page(input, &page)?;
                    return self.run.settle_if_due();
                }
            }
            Pages::Dropped => {}
        }
        Ok(())
    }

    fn done(&mut self, source: usize, bytes: u64, next: Option<Start>) -> Result<()> {
        let progress = &self.run.progress;
        if self.tells {
            progress.add(bytes);
        }
        progress.show(self.doing);
        self.run.check()?;
        let input = self.first.saturating_add(source);
        match (&self.pages, next) {
            (Pages::Decided(behind), Some(start)) if behind.is_reached(input) => {
                self.run.reach(input)?;
                self.run.place = Place {
                    input,
                    start,
                    pages: 0,
                };
                self.run.settle()
            }
            // What is met next is of the next one.
            (Pages::Decided(behind), None) if behind.is_reached(input) => {
                self.run.reach(input.saturating_add(1))
            }
            _ => Ok(()),
        }
    }

    fn failed(&mut self, _: usize, error: anyhow::Error) {
        if self.tells {
            self.run.progress.say(&format!("error: {error:#}"));
            self.run.summary.input_failed(format!("{error:#}"));
        }
    }
}
