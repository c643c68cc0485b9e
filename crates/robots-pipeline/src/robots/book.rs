//! Captures of robots.txt, and what was in force at a time.
//!
//! Every request in an archive is entered with its time ([`RobotsBook::enter`]). All captures of a URL up to a time are a log of
//! outcomes ([`OutcomeLog`]), from which the state under the table of any engine follows. A copy never becomes stale, as an
//! archive has no newer one. Redirects are followed to captures of the same archives.

use super::capture_source::CaptureSource;
use super::fault::RequestFault;
use super::request::{Completeness, RequestResult};
use super::site::{Sites, host_of};
use crate::observer::RecordProblem;
use crate::robots_url::{is_of_site, is_robots, is_robots_url, normalized};
use robots_archive::Record;
use robots_meta::Timestamp;
use robots_policy::RobotsFetch;
use robots_policy::origins::Origin;
use robots_policy::robots::{OutcomeLog, OutcomeTable, RobotsResponse, RobotsState};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};
use url::Url;

/// The maximum number of times that archives are read again for the targets of redirects, which may redirect, too.
pub const MAX_REDIRECT_SEARCHES: usize = 5;

/// The key of captures that apply to every site without captures of its own.
const ANY_SITE: &str = "*";

/// The captures of robots.txt files, by site.
///
/// `R` is the value kept for a body. Threads may share a book that no longer changes.
#[derive(Debug, Clone)]
pub struct RobotsBook<R> {
    sites: Sites,
    /// By normalized URL: of robots.txt files, and of the targets of their redirects.
    captures: HashMap<String, Captures<R>>,
    /// The targets of redirects and the licences that are still to be found.
    missing: HashSet<String>,
}

/// The captures of one URL.
#[derive(Debug, Clone)]
struct Captures<R> {
    /// In the order in which they were entered.
    list: Vec<Capture<R>>,
    /// The indexes in `list` in the order of time; those without a time come first. Computed when it is first needed.
    by_time: OnceLock<Box<[usize]>>,
    /// The outcomes up to each capture, in the order of time. Computed when they are first needed. A new capture of this URL
    /// clears them. A capture of another URL, to which this one redirects, does not: it must be entered before.
    logs: OnceLock<Box<[Known<R>]>>,
}

/// A request and its result.
#[derive(Debug, Clone)]
pub(super) struct Capture<R> {
    pub(super) date: Option<Timestamp>,
    pub(super) result: RequestResult<R>,
    /// Its source, if evidence is collected.
    pub(super) source: Option<Arc<CaptureSource>>,
}

/// What is known of a URL up to a capture.
#[derive(Debug, Clone)]
struct Known<R> {
    log: OutcomeLog<R>,
    /// The source of the capture, or of the one to which its redirects lead.
    source: Option<Arc<CaptureSource>>,
}

/// The outcome of a capture, at the end of its redirects.
struct End<'b, R> {
    /// The outcome, and the value kept for its body; `None` if the end was not captured or cannot be read.
    outcome: Option<(RobotsFetch<'b>, Option<&'b R>)>,
    source: Option<&'b Arc<CaptureSource>>,
}

/// The requests to an origin up to a time.
#[derive(Debug)]
pub(super) struct Requests<'b, R> {
    pub(super) log: &'b OutcomeLog<R>,
    /// The time of the last one.
    pub(super) captured: Option<Timestamp>,
    /// The source of the last one, at the end of its redirects.
    pub(super) source: Option<&'b Arc<CaptureSource>>,
}

/// The state of a site at a time, and its states shortly before. Rules without a value are those of an empty file.
#[derive(Debug)]
#[non_exhaustive]
pub struct InForce<'b, R> {
    /// The state at the requested time.
    pub current: RobotsState<Option<&'b R>>,
    /// The states that ended within the grace time before, the newest first.
    pub earlier: Vec<RobotsState<Option<&'b R>>>,
    /// Whether the first capture is later than the time.
    pub is_early: bool,
}

impl<R> Captures<R> {
    fn by_time(&self) -> &[usize] {
        self.by_time.get_or_init(|| {
            let mut order: Box<[usize]> = (0..self.list.len()).collect();
            order.sort_by_key(|index| self.list[*index].date);
            order
        })
    }

    /// Returns the capture at a position in the order of time.
    fn get(&self, position: usize) -> &Capture<R> {
        &self.list[self.by_time()[position]]
    }

    /// Returns the position of the capture that applies at a time: the last one not after it, or else the first. A capture
    /// without a time counts as earlier than any time. Without `date`, the newest capture applies.
    fn position_at(&self, date: Option<Timestamp>) -> usize {
        let is_not_after = |index: &usize| {
            let captured = self.list[*index].date;
            date.is_none_or(|date| captured.is_none_or(|captured| captured <= date))
        };
        let not_after = self.by_time().partition_point(is_not_after);
        not_after.saturating_sub(1)
    }
}

impl<R: Clone> RobotsBook<R> {
    /// Returns a book without captures.
    pub fn new(sites: Sites) -> Self {
        Self {
            sites,
            captures: HashMap::new(),
            missing: HashSet::new(),
        }
    }

    /// Returns whether there are no captures.
    pub fn is_empty(&self) -> bool {
        self.captures.is_empty()
    }

    /// Returns the number of captures.
    pub fn len(&self) -> usize {
        let captures = self.captures.values();
        captures.map(|captures| captures.list.len()).sum()
    }

    /// Returns the captures by their keys. Those of one key are in the order in which they were entered.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Capture<R>)> {
        let mut keys: Vec<_> = self.captures.iter().collect();
        keys.sort_unstable_by_key(|(key, _)| *key);
        keys.into_iter().flat_map(|(key, captures)| {
            let list = captures.list.iter();
            list.map(|capture| (&**key, capture))
        })
    }

    /// Returns the targets of all redirects, other than robots.txt files, without a capture.
    pub(super) fn missing_targets(&self) -> impl Iterator<Item = &str> {
        let captures = self.captures.values().flat_map(|captures| &captures.list);
        captures.filter_map(|capture| match &capture.result {
            RequestResult::Redirect(target) if self.is_missing(target) => Some(&**target),
            _ => None,
        })
    }

    pub(super) fn is_missing(&self, target: &str) -> bool {
        !self.captures.contains_key(target) && !is_of_site(target)
    }

    /// Returns the targets of redirects, other than robots.txt files, without a capture. Each is returned once: the caller
    /// remembers them while it looks for their captures.
    pub fn take_missing(&mut self) -> HashSet<String> {
        std::mem::take(&mut self.missing)
    }

    /// Adds a normalized URL without a capture to the [missing](Self::take_missing) ones.
    pub(super) fn want(&mut self, url: &str) {
        if self.is_missing(url) {
            self.missing.insert(url.to_owned());
        }
    }

    /// Enters the result of a request.
    pub fn enter(&mut self, url: &Url, date: Option<Timestamp>, result: RequestResult<R>) {
        self.enter_from(url, date, result, None);
    }

    /// Enters the result of a request with its source.
    pub(super) fn enter_from(
        &mut self,
        url: &Url,
        date: Option<Timestamp>,
        mut result: RequestResult<R>,
        source: Option<Arc<CaptureSource>>,
    ) {
        let key = self.key_of(url);
        if let RequestResult::Redirect(target) = &mut result {
            *target = self.sites.key(std::mem::take(target));
            if self.sites == Sites::Hosts && *target == key {
                // A redirect from one scheme to the other. Both have this key, so the redirect would lead to itself; the
                // capture of its target alone is entered.
                return;
            }
            if self.is_missing(target) {
                self.missing.insert(target.clone());
            }
        }
        self.missing.remove(&key);
        self.enter_at(key, date, result, source);
    }

    /// Enters the result of a request that a record of an archive has, if it is for a robots.txt or, with `urls`, for one of
    /// these. `keep` returns the value for a body, and `warn` takes problems.
    pub(super) fn enter_record(
        &mut self,
        record: &Record,
        urls: Option<&HashSet<String>>,
        warn: &mut dyn FnMut(RecordProblem),
        keep: impl FnOnce(&Url, &[u8]) -> R,
    ) {
        let Some(Ok(url)) = record.url.as_deref().map(Url::parse) else {
            return;
        };
        let is_wanted = match urls {
            Some(urls) => urls.contains(&*normalized(&url)),
            None => is_robots_url(&url),
        };
        if !is_wanted {
            return;
        }
        let result = if let Some(fault) = RequestFault::of(record) {
            RequestResult::Fault(fault)
        } else if let Some(response) = record.http_response() {
            let Ok(response) = response else {
                warn(RecordProblem::NotHttp {
                    loses_decision: false,
                });
                return;
            };
            let whole = Completeness::of(record, &response);
            if (200..=299).contains(&response.status()) && whole == Completeness::Cut {
                warn(RecordProblem::RobotsCut);
            }
            RequestResult::of(&url, &response, whole, |body| keep(&url, body))
        } else {
            return;
        };
        self.enter(&url, record.captured_at(), result);
    }

    /// Enters a robots.txt that applies to every site without captures of its own.
    pub fn enter_for_all(&mut self, date: Option<Timestamp>, rules: R) {
        self.enter_at(
            ANY_SITE.to_owned(),
            date,
            RequestResult::of_file(rules),
            None,
        );
    }

    /// Enters the result of a request under a key.
    pub(super) fn enter_at(
        &mut self,
        key: String,
        date: Option<Timestamp>,
        result: RequestResult<R>,
        source: Option<Arc<CaptureSource>>,
    ) {
        let captures = self.captures.entry(key).or_insert_with(|| Captures {
            list: Vec::new(),
            by_time: OnceLock::new(),
            logs: OnceLock::new(),
        });
        if let RequestResult::Fault(fault) = result
            && fault != RequestFault::Other
            && date.is_some()
            && self.sites == Sites::Origins
        {
            // The fault is about a URL that redirected, and is the end to which its redirect led. Where sites are hosts, the
            // redirect may be that of the other scheme, and stays.
            let is_of_request = |capture: &mut Capture<R>| {
                capture.date == date && matches!(capture.result, RequestResult::Redirect(_))
            };
            while captures.list.pop_if(is_of_request).is_some() {}
        }
        captures.list.push(Capture {
            date,
            result,
            source,
        });
        captures.by_time.take();
        captures.logs.take();
    }

    /// Returns the requests to an origin up to a time. If all were later, it is the first. `None` if nothing is known of the origin.
    pub(super) fn requests(
        &self,
        origin: &Origin,
        date: Option<Timestamp>,
    ) -> Option<Requests<'_, R>> {
        let captures = self.captures_of(Some(origin.robots_url()))?;
        Some(self.requests_in(captures, date))
    }

    /// Returns the requests for a normalized URL up to a time, as [`requests`](Self::requests) does.
    pub(super) fn requests_of(
        &self,
        url: &str,
        date: Option<Timestamp>,
    ) -> Option<Requests<'_, R>> {
        let captures = self.captures.get(url)?;
        Some(self.requests_in(captures, date))
    }

    fn requests_in<'b>(
        &'b self,
        captures: &'b Captures<R>,
        date: Option<Timestamp>,
    ) -> Requests<'b, R> {
        let position = captures.position_at(date);
        let known = &self.known(captures)[position];
        Requests {
            log: &known.log,
            captured: captures.get(position).date,
            source: known.source.as_ref(),
        }
    }

    /// Returns the sources of the captures of a URL at a time, in the order in which they were entered.
    pub(super) fn sources_at(
        &self,
        url: &Url,
        at: Option<Timestamp>,
    ) -> impl Iterator<Item = &CaptureSource> {
        let captures = self.captures.get(&self.key_of(url)).into_iter();
        captures.flat_map(move |captures| {
            let by_time = captures.by_time();
            let begin = by_time.partition_point(|index| captures.list[*index].date < at);
            let found = by_time[begin..].iter().map(|index| &captures.list[*index]);
            let found = found.take_while(move |capture| capture.date == at);
            found.filter_map(|capture| capture.source.as_deref())
        })
    }

    /// Returns the result of the newest request for a URL that was not answered with 304 (Not Modified), and the outcomes up to
    /// the newest. `None` if there is no such request.
    pub(super) fn newest(&self, url: &Url) -> Option<(&RequestResult<R>, &OutcomeLog<R>)> {
        let captures = self.captures.get(&self.key_of(url))?;
        let results = captures.by_time().iter().rev();
        let mut results = results.map(|index| &captures.list[*index].result);
        let result = results
            .find(|result| !matches!(result, RequestResult::Response { status: 304, .. }))?;
        Some((result, &self.known(captures).last()?.log))
    }

    /// Returns the state of a URL's site at a time under an outcome table, and the states that ended up to `grace` seconds
    /// before. `None` if nothing is known of the site.
    pub fn in_force(
        &self,
        url: &str,
        date: Option<Timestamp>,
        grace: i64,
        table: &OutcomeTable,
    ) -> Option<InForce<'_, R>> {
        let origin = Origin::of(url).ok();
        let captures = self.captures_of(origin.as_ref().map(Origin::robots_url))?;
        let current = captures.position_at(date);
        let first = captures.get(0).date;
        let is_early = date.is_some_and(|date| first.is_some_and(|first| first > date));
        let mut earlier = Vec::new();
        if let Some(date) = date {
            let since = Timestamp::from_seconds(date.as_seconds().saturating_sub(grace));
            // Each capture ends the state of the one before it.
            for next in (1..=current).rev() {
                match captures.get(next).date {
                    Some(ended) if ended > since => {
                        let ended = Some(ended);
                        earlier.extend(self.state_at(captures, next - 1, ended, table));
                    }
                    // Captures without a time come first: no state before this one has an end.
                    _ => break,
                }
            }
        }
        Some(InForce {
            current: self.state_at(captures, current, date, table)?,
            earlier,
            is_early,
        })
    }

    /// Returns the hosts and ports of the sites with captures.
    pub fn hosts(&self) -> HashSet<String> {
        let urls = self.captures.keys().filter(|key| is_robots(key));
        urls.filter_map(|url| host_of(&Url::parse(url).ok()?))
            .collect()
    }

    fn key_of(&self, url: &Url) -> String {
        self.sites.key(normalized(url).into_owned())
    }

    /// Returns the captures that apply to an origin, given the URL of its robots.txt, or to a request whose origin is not known.
    fn captures_of(&self, robots_url: Option<String>) -> Option<&Captures<R>> {
        let own = robots_url.and_then(|url| self.captures.get(&self.sites.key(url)));
        own.or_else(|| self.captures.get(ANY_SITE))
    }

    /// Returns the state after the capture at this position, for a page that is requested at `date`.
    ///
    /// The log of a redirect has the outcome of its target at the time of the redirect. Under [`Sites::Hosts`], the state of the
    /// target at `date` applies instead: a redirect to another host may be captured once, and the file of that host change
    /// often.
    fn state_at<'b>(
        &'b self,
        mut captures: &'b Captures<R>,
        mut position: usize,
        date: Option<Timestamp>,
        table: &OutcomeTable,
    ) -> Option<RobotsState<Option<&'b R>>> {
        for _ in 0..RobotsFetch::MAX_REDIRECTS {
            match &captures.get(position).result {
                RequestResult::Redirect(target) if self.sites == Sites::Hosts => {
                    let known = self.captures.get(target);
                    captures = known.or_else(|| self.captures.get(ANY_SITE))?;
                    position = captures.position_at(date);
                }
                _ => break,
            }
        }
        Some(
            self.known(captures)[position]
                .log
                .archived_state(table, date),
        )
    }

    /// Returns what is known up to each capture, in the order of time. The log of a redirect has the outcome that the redirect led
    /// to when it was captured.
    fn known<'b>(&'b self, captures: &'b Captures<R>) -> &'b [Known<R>] {
        captures.logs.get_or_init(|| {
            let mut log = OutcomeLog::new();
            let list = captures
                .by_time()
                .iter()
                .map(|index| &captures.list[*index]);
            let known = list.map(|capture| {
                let end = self.end(capture);
                match end.outcome {
                    Some((fetch, rules)) => log.record(&fetch, capture.date, |_| rules.cloned()),
                    // Nothing is known from this capture on.
                    None => log = OutcomeLog::new(),
                }
                Known {
                    log: log.clone(),
                    source: end.source.cloned(),
                }
            });
            known.collect()
        })
    }

    /// Follows the redirects of a capture, as they were at its time.
    fn end<'b>(&'b self, mut capture: &'b Capture<R>) -> End<'b, R> {
        let date = capture.date;
        let mut outcome = Some((RobotsFetch::TooManyRedirects, None));
        // One capture more than redirects: the last one may be the end.
        for _ in 0..=RobotsFetch::MAX_REDIRECTS {
            match &capture.result {
                RequestResult::Redirect(target) => match self.captures.get(target) {
                    Some(captures) => {
                        capture = captures.get(captures.position_at(date));
                        continue;
                    }
                    None => outcome = None,
                },
                RequestResult::Response {
                    status,
                    content_type,
                    rules,
                } => {
                    let response = RobotsResponse::new(*status, b"")
                        .with_content_type(content_type.as_deref().unwrap_or_default());
                    outcome = Some((RobotsFetch::Response(response), rules.as_ref()));
                }
                RequestResult::Fault(fault) => outcome = Some((fault.as_fetch(), None)),
                RequestResult::Unreadable => outcome = None,
                // Outcome tables treat a redirect that cannot be followed like too many redirects.
                RequestResult::RedirectToNowhere => {}
            }
            break;
        }
        End {
            outcome,
            source: capture.source.as_ref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400;

    const TABLE: OutcomeTable = OutcomeTable::RFC9309;

    fn day(number: i64) -> Timestamp {
        Timestamp::from_seconds(number * DAY)
    }

    fn book(sites: Sites) -> RobotsBook<usize> {
        RobotsBook::new(sites)
    }

    fn enter(book: &mut RobotsBook<usize>, url: &str, date: i64, result: RequestResult<usize>) {
        book.enter(&Url::parse(url).unwrap(), Some(day(date)), result);
    }

    /// Returns the file of each state; `None` for other states.
    fn files(book: &RobotsBook<usize>, url: &str, at: i64, grace: i64) -> Vec<Option<usize>> {
        let date = Some(Timestamp::from_seconds(at));
        let in_force = book.in_force(url, date, grace, &TABLE).unwrap();
        let states = std::iter::once(in_force.current).chain(in_force.earlier);
        states
            .map(|state| match state {
                RobotsState::Rules(file) => file.copied(),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn each_file_holds_until_the_next_and_in_the_grace_time_after_it() {
        let mut book = book(Sites::Hosts);
        for (date, file) in [(0, 0), (10, 1), (11, 2)] {
            book.enter_for_all(Some(day(date)), file);
        }
        for (at, grace, expected) in [
            (-DAY, DAY, vec![0]),
            (0, DAY, vec![0]),
            (10 * DAY - 1, DAY, vec![0]),
            (10 * DAY, DAY, vec![1, 0]),
            (10 * DAY, 0, vec![1]),
            (11 * DAY - 1, DAY, vec![1, 0]),
            (11 * DAY, DAY, vec![2, 1]),
            (11 * DAY, DAY + 1, vec![2, 1, 0]),
            (12 * DAY, DAY, vec![2]),
        ] {
            let expected: Vec<_> = expected.into_iter().map(Some).collect();
            let found = files(&book, "http://a.example/", at, grace);
            assert_eq!(found, expected, "{at} {grace}");
            let date = Some(Timestamp::from_seconds(at));
            let in_force = book.in_force("http://a.example/", date, 0, &TABLE).unwrap();
            assert_eq!(in_force.is_early, at < 0);
        }
    }

    #[test]
    fn sites_are_origins_or_hosts() {
        let (http, https) = (
            "http://a.example/robots.txt",
            "https://a.example:443/robots.txt",
        );
        let port = "http://a.example:8080/robots.txt";
        for (sites, expected) in [(Sites::Origins, [1, 2, 3]), (Sites::Hosts, [2, 2, 3])] {
            let mut book = book(sites);
            enter(&mut book, http, 1, RequestResult::of_file(1));
            enter(&mut book, https, 2, RequestResult::of_file(2));
            enter(&mut book, port, 1, RequestResult::of_file(3));
            for (url, file) in [http, https, port].into_iter().zip(expected) {
                let found = files(&book, url, 3 * DAY, 0);
                assert_eq!(found, [Some(file)], "{sites:?} {url}");
            }
            assert!(
                book.in_force("http://b.example/", Some(day(3)), 0, &TABLE)
                    .is_none()
            );
        }
    }

    #[test]
    fn a_redirect_to_the_other_scheme_of_a_host_is_not_a_loop() {
        let mut book = book(Sites::Hosts);
        let redirect = RequestResult::Redirect("https://a.example/robots.txt".to_owned());
        enter(&mut book, "http://a.example/robots.txt", 2, redirect);
        enter(
            &mut book,
            "https://a.example/robots.txt",
            2,
            RequestResult::of_file(1),
        );
        assert_eq!(files(&book, "http://a.example/", 3 * DAY, 0), [Some(1)]);
        assert_eq!(book.hosts(), HashSet::from(["a.example".to_owned()]));
    }

    #[test]
    fn a_fault_of_all_redirects_is_one_of_the_first_url_alone() {
        for fault in [RequestFault::TooManyRedirects, RequestFault::Timeout] {
            let mut book = book(Sites::Origins);
            let (first, other) = ("http://a.example/robots.txt", "http://b.example/robots.txt");
            enter(&mut book, other, 1, RequestResult::of_file(1));
            enter(&mut book, first, 1, RequestResult::of_file(2));
            let redirect = RequestResult::Redirect(other.to_owned());
            for _ in 0..2 {
                enter(&mut book, first, 2, redirect.clone());
            }
            enter(&mut book, first, 2, RequestResult::Fault(fault));
            enter(&mut book, "http://c.example/robots.txt", 2, redirect);
            assert_eq!(files(&book, first, DAY, 0), [Some(2)]);
            let after = book
                .in_force(first, Some(day(2)), 0, &TABLE)
                .unwrap()
                .current;
            if fault == RequestFault::Timeout {
                assert!(matches!(after, RobotsState::DenyAll(_)));
            } else {
                assert!(matches!(after, RobotsState::AllowAll(_)));
            }
            for url in [other, "http://c.example/robots.txt"] {
                assert_eq!(files(&book, url, 2 * DAY, 0), [Some(1)], "{url}");
            }
        }
    }

    #[test]
    fn a_fault_removes_no_redirect_of_another_request() {
        let (http, https) = (
            "http://a.example/robots.txt",
            "https://a.example/robots.txt",
        );
        let other = "https://www.a.example/robots.txt";
        for (sites, fault) in [
            (Sites::Hosts, RequestFault::Timeout),
            (Sites::Origins, RequestFault::Other),
        ] {
            let mut book = book(sites);
            let redirect = || RequestResult::Redirect(other.to_owned());
            enter(&mut book, other, 1, RequestResult::of_file(1));
            let redirected = if sites == Sites::Hosts { https } else { http };
            enter(&mut book, redirected, 1, redirect());
            enter(&mut book, http, 1, RequestResult::Fault(fault));
            assert_eq!(book.len(), 3, "{sites:?}");
        }
    }
}
