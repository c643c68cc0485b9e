//! Decisions about pages, by what any thread may share. So several threads decide, and one writes in order.

use super::page_queue::{Batch, Waiting};
use crate::error::Error;
use crate::extract::page::ReadPage;
use crate::options::RobotsSource;
use crate::robots::policies::{PolicyBook, RobotsAt};
use robots_meta::Timestamp;
use robots_policy::origins::{Origin, UrlError};
use robots_policy::{Decision, Page, Policies};

/// The policies, and the robots.txt files that they decide by. All captures are entered before the first decision.
#[derive(Debug, Clone, Copy)]
pub(super) struct Decider<'a> {
    pub(super) policies: &'a Policies,
    pub(super) robots: &'a RobotsSource,
    pub(super) book: &'a PolicyBook<'a>,
    pub(super) now: Timestamp,
}

/// A page that is decided, or a folder whose pages are decided when they are read.
pub(super) enum Decided {
    /// A page of the input of this index.
    Page(usize, DecidedPage),
    /// The folder that is the input of this index.
    Folder(usize),
}

/// A page of a record, and a decision for each policy.
pub(super) struct DecidedPage {
    pub(super) offset: u64,
    pub(super) status: Option<u16>,
    /// The reason why its URL has no origin, if it has none.
    pub(super) url_error: Option<UrlError>,
    pub(super) decisions: Vec<Decision>,
}

impl Decider<'_> {
    /// Decides a page of an origin for each policy. `page` takes the index of a policy, and returns the page as that policy reads it.
    pub(super) fn decisions<'p>(
        &self,
        origin: Option<&Origin>,
        date: Option<Timestamp>,
        page: impl Fn(usize) -> Page<'p>,
    ) -> impl Iterator<Item = Decision> {
        let robots = match (origin, self.robots) {
            (None, _) | (_, RobotsSource::Policies) => RobotsAt::default(),
            (Some(origin), RobotsSource::Book(book)) => book.robots_at(origin, date),
            (Some(origin), RobotsSource::Inputs | RobotsSource::Files(_)) => {
                self.book.robots(origin, date)
            }
        };
        let policies = self.policies.iter().enumerate();
        policies.map(move |(at, policy)| robots.decide(at, policy, page(at).at(self.now), date))
    }

    /// Decides the pages of a batch, in order. Ends after an error.
    pub(super) fn decide_batch(
        &self,
        batch: &Batch,
    ) -> impl Iterator<Item = Result<Decided, Error>> {
        batch.waiting().map(|waiting| {
            Ok(match waiting? {
                Waiting::Page(input, page) => Decided::Page(input, self.decide_page(&page)),
                Waiting::Folder(input) => Decided::Folder(input),
            })
        })
    }

    fn decide_page(&self, page: &ReadPage) -> DecidedPage {
        let (origin, url_error) = match Origin::of(&page.url) {
            Ok(origin) => (Some(origin), None),
            Err(error) => (None, Some(error)),
        };
        let decisions = self.decisions(origin.as_ref(), page.date, |policy| page.page(policy));
        DecidedPage {
            offset: page.offset,
            status: page.status,
            decisions: decisions.collect(),
            url_error,
        }
    }
}
