//! Decisions about pages, by what any thread may share. So several threads decide, and one writes in order.

use super::page_queue::Batch;
use crate::error::Error;
use crate::extract::page::{PagePlace, ReadPage};
use crate::options::RobotsSource;
use crate::robots::capture_book::{CaptureBook, RobotsAt};
use crate::robots::capture_source::DecisionSources;
use robots_archive::PayloadDigest;
use robots_meta::Timestamp;
use robots_policy::origins::{Origin, UrlError};
use robots_policy::{Decision, Policies};

/// The policies, and the robots.txt files that they decide by. All captures are entered before the first decision.
#[derive(Debug, Clone, Copy)]
pub(super) struct Decider<'a> {
    pub(super) policies: &'a Policies,
    pub(super) robots: &'a RobotsSource,
    pub(super) book: &'a CaptureBook,
    pub(super) now: Option<Timestamp>,
}

/// A page, and a decision for each policy with its sources.
pub(super) struct DecidedPage {
    /// The index of its input.
    pub(super) input: usize,
    pub(super) place: PagePlace,
    pub(super) status: Option<u16>,
    /// The reason why its URL has no origin, if it has none.
    pub(super) url_error: Option<UrlError>,
    pub(super) decisions: Vec<(Decision, DecisionSources)>,
    pub(super) date: Option<Timestamp>,
    /// The digest of its body, if evidence is collected.
    pub(super) digest: Option<PayloadDigest>,
}

impl Decider<'_> {
    /// Decides the pages of a batch, in order. Ends after an error.
    pub(super) fn decide_batch(
        &self,
        batch: &Batch,
    ) -> impl Iterator<Item = Result<DecidedPage, Error>> {
        let pages = batch.pages();
        pages.map(|page| page.map(|(input, page)| self.decide_page(input, page)))
    }

    /// Decides a page of the input of this index.
    pub(super) fn decide_page(&self, input: usize, page: ReadPage) -> DecidedPage {
        let origin = Origin::of(&page.url);
        let book = match self.robots {
            RobotsSource::Known(_) => None,
            RobotsSource::Book(book) => Some(&**book),
            RobotsSource::Inputs | RobotsSource::Files(_) => Some(self.book),
        };
        let robots = match (&origin, book, self.robots) {
            (Ok(origin), Some(book), _) => book.robots_at(origin, page.date),
            (Ok(origin), None, RobotsSource::Known(known)) => {
                let states = known.states(self.policies, origin, page.date).into_iter();
                RobotsAt {
                    robots: states.map(|state| (state, None)).collect(),
                    ..RobotsAt::default()
                }
            }
            _ => RobotsAt::default(),
        };
        let policies = self.policies.iter().enumerate();
        let decisions = policies.map(|(at, policy)| {
            let page_of = page.page(at).at(self.now);
            robots.decide(at, policy, page_of, page.date, book)
        });
        DecidedPage {
            input,
            decisions: decisions.collect(),
            place: page.place,
            status: page.status,
            url_error: origin.err(),
            date: page.date,
            digest: page.digest,
        }
    }
}
