//! The outcome of one request, as a log keeps it.

use super::outcome::{Cause, OutcomeKind};
use super::table::OutcomeTable;
use robots_meta::Timestamp;
use std::time::Duration;

/// The outcome of one request in an [`OutcomeLog`](super::OutcomeLog).
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LoggedOutcome<B> {
    pub(super) kind: OutcomeKind,
    pub(super) cause: Cause,
    #[cfg_attr(feature = "serde", serde(with = "seconds"))]
    pub(super) at: Option<Timestamp>,
    pub(super) fresh_for: Option<Duration>,
    /// The body, if it was kept and no later outcome of the same kind replaces it.
    pub(super) body: Option<B>,
}

impl<B> LoggedOutcome<B> {
    /// Returns the outcome in the words of a [`Cause`]: its status, or the reason why there is none.
    pub fn cause(&self) -> Cause {
        self.cause
    }

    /// Returns its time.
    pub fn at(&self) -> Option<Timestamp> {
        self.at
    }

    /// Returns the time for which the headers allow the response to be kept, as it was recorded. A caller that makes requests may record a
    /// longer one than the headers have, so that a response that may not be kept is not requested again at once.
    pub fn fresh_for(&self) -> Option<Duration> {
        self.fresh_for
    }

    /// Returns the body; `None` if it was not kept, or is replaced by that of a later outcome.
    pub fn body(&self) -> Option<&B> {
        self.body.as_ref()
    }

    /// Returns the last second for which no request is needed under a table: the end of the time for which a response is fresh.
    ///
    /// `None` after 429, 5xx or no response, which may be other soon, and after a response without a usable meaning or time. This
    /// does not depend on the table: under Amazon's, a 404 is a failure too, but it lasts.
    pub fn fresh_until(&self, table: &OutcomeTable) -> Option<Timestamp> {
        let has_no_meaning = matches!(self.kind, OutcomeKind::NoBody | OutcomeKind::NotModified);
        let lasts = !has_no_meaning && !self.kind.is_passing_failure();
        let at = self.at.filter(|_| lasts)?;
        let seconds = table.fresh_seconds(self.fresh_for);
        Some(Timestamp::from_seconds(
            at.as_seconds().saturating_add(seconds),
        ))
    }

    /// Returns whether it is a success with its body, whatever the type of its content.
    pub(super) fn is_success(&self) -> bool {
        use OutcomeKind::{NotText, OtherSuccess, Success};
        matches!(self.kind, Success | OtherSuccess | NotText)
    }

    /// Returns whether it may be the first of a run of failures, which has the time of the first outcome with a time.
    pub(super) fn may_begin_failure(&self) -> bool {
        let has_no_meaning = matches!(self.kind, OutcomeKind::NoBody | OutcomeKind::NotModified);
        self.at.is_some() && !has_no_meaning
    }

    /// Returns whether it is the same outcome, apart from its body.
    pub(super) fn repeats(&self, other: &Self) -> bool {
        let facts = |of: &Self| (of.kind, of.cause, of.at, of.fresh_for);
        facts(self) == facts(other)
    }
}

/// The serialised form of times: seconds since 1970.
#[cfg(feature = "serde")]
mod seconds {
    use robots_meta::Timestamp;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "serde calls it with a reference")]
    pub(super) fn serialize<S: Serializer>(
        time: &Option<Timestamp>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        time.map(Timestamp::as_seconds).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Timestamp>, D::Error> {
        let seconds = Option::deserialize(deserializer)?;
        Ok(seconds.map(Timestamp::from_seconds))
    }
}
