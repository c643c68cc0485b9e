//! The facts about one origin.

use crate::fetch::{FetchFault, Fetched};
use crate::next_request::Validators;
use crate::renewal::{Freshness, Need};
use crate::store::{FileBytes, NextRequest, OriginRecord, SuccessUrl};
use robots_meta::Timestamp;
use robots_policy::origins::Weigh;
use robots_policy::robots::{Cause, LoggedOutcome, OutcomeTable, RobotsState};
use robots_policy::site::{SiteRules, Tdmrep};
use robots_policy::{Policies, Policy};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// What is known about the robots.txt of an origin at one time. No policy has read it yet.
///
/// It is a view of the facts in memory.
#[derive(Debug)]
pub struct Known {
    facts: Arc<Facts>,
    /// The freshness under the table under which it ends first.
    freshness: Freshness,
    unanswered: Option<Unanswered>,
}

/// The facts about an origin in memory.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts {
    record: OriginRecord,
    /// The details of the request of the last outcome, if it was made by this process.
    request: Option<Arc<RequestDetails>>,
    source: Source,
    /// The tdmrep.json of the record, read when it is first needed.
    tdmrep: OnceLock<Option<Tdmrep>>,
}

/// The approximate size of validators, of the details of a request, and of allocations.
const DETAILS: usize = 300;

/// The details of a request that are not in a record.
#[derive(Debug)]
struct RequestDetails {
    fault: Option<FetchFault>,
    redirects: Box<[Redirect]>,
    /// The URL of the last response, if it is not the first URL.
    url: Option<Box<str>>,
    /// The status of the last response.
    status: Option<u16>,
}

/// A redirect of a request for a robots.txt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    url: Box<str>,
    status: u16,
}

impl Redirect {
    /// Returns the URL that was requested.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the status: 301, 302, 303, 307 or 308.
    pub fn status(&self) -> u16 {
        self.status
    }
}

/// The source of the facts about an origin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Source {
    /// Nothing is known.
    #[default]
    None,
    /// A request of this process.
    Request,
    /// The store on disk.
    Store,
    /// Another process, through the shared store.
    Shared,
}

impl Source {
    /// Returns the name: `none`, `request`, `store` or `shared`.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Request => "request",
            Self::Store => "store",
            Self::Shared => "shared",
        }
    }
}

/// The reason why facts are given although a request for newer ones has not ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unanswered {
    /// The store on disk or the request takes longer than callers wait ([`KnownRobotsBuilder::with_max_wait`](super::KnownRobotsBuilder::with_max_wait)).
    /// The request continues in the background; if the store took too long, none was made.
    TimedOut,
    /// Too many callers or requests wait already
    /// ([`KnownRobotsBuilder::with_max_waiting`](super::KnownRobotsBuilder::with_max_waiting)): no request was made.
    TooManyWaiting,
    /// The request had no turn, and was not made: too many wait for the address of the site
    /// ([`KnownRobotsBuilder::with_max_waiting_per_address`](super::KnownRobotsBuilder::with_max_waiting_per_address)), or the wait
    /// was too long.
    NoTurn,
}

impl Known {
    /// Returns a view of facts at a time. If a clock that was ahead has set a later time, nothing is known, but for the tdmrep.json.
    pub(super) fn new(facts: Arc<Facts>, tables: &[OutcomeTable], now: Timestamp) -> Arc<Self> {
        let known = Self::of(facts, tables);
        if !known.freshness.is_from_future(now) {
            return Arc::new(known);
        }
        let mut record = known.record().clone();
        record.forget_robots();
        let facts = Facts::of_record(record, Source::None);
        Arc::new(Self::of(Arc::new(facts), tables))
    }

    fn of(facts: Arc<Facts>, tables: &[OutcomeTable]) -> Self {
        Self {
            freshness: Freshness::of(&facts.record.outcomes, tables),
            facts,
            unanswered: None,
        }
    }

    /// Returns the state of robots.txt for the robot of a policy at a time.
    ///
    /// Equal files share their compiled rules while the policy caches them ([`Policy::compile`]).
    pub fn state(&self, policy: &Policy, now: Timestamp) -> RobotsState<SiteRules> {
        self.file_state(policy.profile().outcomes(), now)
            .map(|file| Self::compile(policy, file))
    }

    /// Returns the state for the robot of each policy, in their order. A copy is parsed once for all of them.
    pub fn states(&self, policies: &Policies, now: Timestamp) -> Vec<RobotsState<SiteRules>> {
        // By the digest of the copy, as some tables may take an older one.
        let mut compiled: HashMap<Option<&[u8]>, Vec<SiteRules>> = HashMap::new();
        let state = |(index, policy): (usize, &Policy)| {
            let state = self.file_state(policy.profile().outcomes(), now);
            state.map(|file| {
                let compile = || match file {
                    Some(file) => policies.compile_packed(file.digest(), || file),
                    None => policies.compile(b""),
                };
                let each = compiled.entry(file.map(FileBytes::digest));
                each.or_insert_with(compile)[index].clone()
            })
        };
        policies.iter().enumerate().map(state).collect()
    }

    /// Returns the same as [`state`](Self::state) for any policy whose profile has this table of outcomes, without the file.
    pub fn outcome_state(&self, table: &OutcomeTable, now: Timestamp) -> RobotsState<()> {
        self.file_state(table, now).map(|_| ())
    }

    fn file_state(&self, table: &OutcomeTable, now: Timestamp) -> RobotsState<Option<&FileBytes>> {
        // Whether the site is available is not known, which counts as available.
        self.record().outcomes.state(table, Some(now), None)
    }

    /// Compiles a copy for the robot of a policy. `None` is an empty file.
    fn compile(policy: &Policy, file: Option<&FileBytes>) -> SiteRules {
        match file {
            Some(file) => policy.compile_packed(file.digest(), || file),
            None => policy.compile(b""),
        }
    }

    /// Returns the record: the outcomes with their bodies, and the facts for the next request.
    pub fn record(&self) -> &OriginRecord {
        &self.facts.record
    }

    /// Returns the last outcome.
    pub fn outcome(&self) -> Option<&LoggedOutcome<FileBytes>> {
        self.record().outcomes.last()
    }

    /// Returns the body of the last success, whether it applies or not: up to
    /// [`MAX_KEPT_BODY`](crate::store::MAX_KEPT_BODY) bytes.
    pub fn body(&self) -> Option<&[u8]> {
        let success = self.record().outcomes.last_success()?;
        Some(success.body().map_or(&[][..], FileBytes::as_slice))
    }

    /// Returns the cause of the last outcome; [`Cause::NotFetched`] if there is none.
    pub fn cause(&self) -> Cause {
        self.outcome()
            .map_or(Cause::NotFetched, LoggedOutcome::cause)
    }

    /// Returns the status of the last response. Of one that is not text, broke off, or redirects too often, it is known if this
    /// process made the request.
    pub fn status(&self) -> Option<u16> {
        let of_request = || self.facts.request.as_ref()?.status;
        self.cause().status().or_else(of_request)
    }

    /// Returns the fault of the request of the last outcome, if it had no usable response. `None` if another process, or an earlier one, made
    /// the request.
    pub fn fault(&self) -> Option<&FetchFault> {
        self.facts.request.as_ref()?.fault.as_ref()
    }

    /// Returns the redirects of the request of the last outcome, in order. None if another process, or an earlier one, made the request.
    pub fn redirects(&self) -> &[Redirect] {
        let request = self.facts.request.as_ref();
        request.map_or(&[], |request| &request.redirects)
    }

    /// Returns the URL of the last response, if it is known and not that of the origin's robots.txt. If another process, or an
    /// earlier one, made the request, it is known of a success.
    pub fn redirected_to(&self) -> Option<&str> {
        if self.source() == Source::Request {
            return self.facts.request.as_ref()?.url.as_deref();
        }
        let outcomes = &self.record().outcomes;
        let (last, success) = (outcomes.last()?, outcomes.last_success()?);
        match self.success_url() {
            SuccessUrl::Redirected(url) if std::ptr::eq(last, success) => Some(url),
            _ => None,
        }
    }

    /// Returns the URL of the response with the [body](Self::body).
    pub fn success_url(&self) -> &SuccessUrl {
        &self.record().success_url
    }

    /// Returns the time of the last outcome.
    pub fn requested_at(&self) -> Option<Timestamp> {
        self.record().outcomes.last_request()
    }

    /// Returns the last second for which no request is needed ([`LoggedOutcome::fresh_until`]), under the table under which it
    /// is the earliest. `None` after a failure: [`retry_at`](Self::retry_at) is the time of the next request.
    pub fn fresh_until(&self) -> Option<Timestamp> {
        self.freshness.expires_at
    }

    /// Returns the earliest time of the next request, if the last one failed.
    pub fn retry_at(&self) -> Option<Timestamp> {
        self.record().next.retry.map(|retry| retry.at)
    }

    /// Returns the tdmrep.json, if it was learned.
    pub fn tdmrep(&self) -> Option<Tdmrep> {
        let file = &self.record().tdmrep;
        let read = || Some(Tdmrep::read(file.as_ref()?.as_slice()));
        self.facts.tdmrep.get_or_init(read).clone()
    }

    /// Returns the source of the facts.
    pub fn source(&self) -> Source {
        self.facts.source
    }

    /// Returns the reason why newer facts are missing, if the caller has waited for them.
    pub fn unanswered(&self) -> Option<Unanswered> {
        self.unanswered
    }

    pub(super) fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Returns whether robots.txt is fresh at a time.
    pub(super) fn is_fresh(&self, now: Timestamp) -> bool {
        self.freshness.is_fresh(now)
    }

    /// Returns the validators of the last good copy.
    pub(super) fn validators(&self) -> &Validators {
        &self.record().next.validators
    }

    /// Returns whether anything is known.
    pub(super) fn is_known(&self) -> bool {
        self.facts.source != Source::None
    }

    /// Returns the need for a request at a time.
    pub(super) fn need(&self, now: Timestamp) -> Need {
        Need::at(now, self.freshness, self.record().next.retry)
    }

    /// Returns whether each table has a state for this time: it is not unknown.
    pub(super) fn is_answer(&self, tables: &[OutcomeTable], now: Timestamp) -> bool {
        self.is_known()
            && tables.iter().all(|table| {
                let state = self.outcome_state(table, now);
                state.is_known()
            })
    }

    /// Returns the same facts, for a caller who has waited for newer ones.
    pub(super) fn unanswered_by(&self, reason: Unanswered) -> Arc<Self> {
        Arc::new(Self {
            facts: Arc::clone(&self.facts),
            freshness: self.freshness,
            unanswered: Some(reason),
        })
    }
}

impl Facts {
    /// Returns the facts of a record.
    pub(super) fn of_record(record: OriginRecord, source: Source) -> Self {
        Self {
            record,
            request: None,
            source,
            tdmrep: OnceLock::new(),
        }
    }

    /// Returns the facts of a record with the same last outcome: its request is that of these facts.
    pub(super) fn with_record(&self, record: OriginRecord) -> Self {
        Self {
            record,
            tdmrep: OnceLock::new(),
            ..self.clone()
        }
    }

    /// Returns the facts of a record after a request of this process, with the details of the request.
    pub(super) fn of_request(record: OriginRecord, fetched: &Fetched) -> Self {
        let redirects = fetched.hops().iter().map(|hop| Redirect {
            url: hop.url().into(),
            status: hop.status(),
        });
        let redirects: Box<[_]> = redirects.collect();
        let first = redirects.first().map(Redirect::url);
        let is_elsewhere = first.is_some_and(|first| first != fetched.url());
        Self {
            request: Some(Arc::new(RequestDetails {
                status: fetched.status(),
                url: is_elsewhere.then(|| fetched.url().into()),
                fault: fetched.fault().cloned(),
                redirects,
            })),
            ..Self::of_record(record, Source::Request)
        }
    }

    pub(super) fn record(&self) -> &OriginRecord {
        &self.record
    }
}

impl Weigh for Facts {
    /// Returns the approximate size in bytes: that of the files and texts, with room for what is next to them.
    fn bytes(&self) -> usize {
        let OriginRecord {
            outcomes,
            tdmrep,
            next: NextRequest { validators, .. },
            success_url,
        } = &self.record;
        let files = outcomes.bodies().chain(tdmrep);
        let files = files.map(|file| file.as_slice().len() + size_of_val(file));
        let success_url = match success_url {
            SuccessUrl::Redirected(url) => Some(&**url),
            SuccessUrl::Unknown | SuccessUrl::OwnRobotsTxt => None,
        };
        let texts = [
            validators.etag(),
            validators.last_modified(),
            validators.url(),
            success_url,
        ];
        let texts = texts.into_iter().flatten().map(str::len);
        let request = self.request.as_ref().map_or(0, |request| request.bytes());
        let outcomes = size_of::<LoggedOutcome<FileBytes>>() * outcomes.iter().len();
        let parts = files.chain(texts).sum::<usize>();
        size_of::<Self>() + DETAILS + request + outcomes + parts
    }
}

impl RequestDetails {
    /// Returns the approximate size of the texts in bytes.
    fn bytes(&self) -> usize {
        let redirects = self.redirects.iter();
        let redirects = redirects.map(|redirect| redirect.url.len() + size_of_val(redirect));
        let fault = self.fault.as_ref();
        let fault = fault.map_or(0, |fault| format!("{fault:?}").len());
        let url = self.url.as_ref().map_or(0, |url| url.len());
        redirects.sum::<usize>() + fault + url
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_covers_each_text() {
        const LENGTH: usize = 1 << 16;
        let text = || "x".repeat(LENGTH);
        let validators = [
            Validators::new(Some(text()), None),
            Validators::new(None, Some(text())),
            Validators::default().with_url(text()),
        ];
        let mut sizes: Vec<_> = validators
            .map(|validators| {
                let mut facts = Facts::default();
                facts.record.next.validators = validators;
                facts.bytes()
            })
            .into();
        let mut redirected = Facts::default();
        redirected.record.success_url = SuccessUrl::Redirected(text().into());
        sizes.push(redirected.bytes());
        let requested = Facts {
            request: Some(Arc::new(RequestDetails {
                fault: None,
                redirects: Box::default(),
                url: Some(text().into()),
                status: None,
            })),
            ..Facts::default()
        };
        sizes.push(requested.bytes());
        assert!(sizes.iter().all(|size| *size > LENGTH), "{sizes:?}");
    }
}
