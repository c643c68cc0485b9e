//! The captures of one URL: the requests in archives, with their results.

use super::request::RequestResult;
use robots_meta::Timestamp;
use robots_policy::robots::OutcomeLog;

/// The captures of one URL, in the order of their times when `is_sorted`. `R` is the value that is kept of a robots.txt
/// body.
#[derive(Debug, Clone)]
pub(super) struct Captures<R> {
    pub(super) list: Vec<Capture<R>>,
    pub(super) is_sorted: bool,
    /// For each capture, the outcomes up to it.
    ///
    /// They are computed at the first query that needs them: there may be fewer of them than captures. A new capture of
    /// this URL clears them. A capture of another URL, to which this one redirects, does not: it must be entered before
    /// the query.
    pub(super) logs: Vec<OutcomeLog<R>>,
}

impl<R> Default for Captures<R> {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            is_sorted: false,
            logs: Vec::new(),
        }
    }
}

impl<R> Captures<R> {
    /// Sorts the captures by time; those without a time come first.
    pub(super) fn sort(&mut self) {
        if !self.is_sorted {
            self.list.sort_by_key(|capture| capture.date);
            self.is_sorted = true;
        }
    }

    /// Returns the index of the capture that applies at a time: the last one not after it, or else the first. A capture
    /// without a time counts as earlier than any time. Without `date`, the newest capture applies.
    pub(super) fn index_at(&self, date: Option<Timestamp>) -> Option<usize> {
        let not_after = match date {
            Some(date) => self
                .list
                .partition_point(|capture| capture.date.is_none_or(|captured| captured <= date)),
            None => self.list.len(),
        };
        (!self.list.is_empty()).then(|| not_after.saturating_sub(1))
    }
}

/// A request and its result.
#[derive(Debug, Clone)]
pub(super) struct Capture<R> {
    pub(super) date: Option<Timestamp>,
    pub(super) result: RequestResult<R>,
}
