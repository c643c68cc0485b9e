//! Captures of robots.txt, and the state that applies to a page.
//!
//! Every request in an archive is entered with its time ([`RobotsBook::enter`]). The outcome table of an engine determines
//! the state at a time, from all captures up to then. A failure lasts as long as the table says. A copy never becomes stale,
//! as an archive has no newer one. Redirects are followed to captures of the same archives.

use super::captures::{Capture, Captures};
use super::fault::RequestFault;
use super::request::RequestResult;
use super::site::{Sites, host_of};
use crate::robots_url::{is_robots, is_robots_url, normalized};
use robots_meta::Timestamp;
use robots_policy::RobotsFetch;
use robots_policy::origins::Origin;
use robots_policy::robots::{OutcomeLog, OutcomeTable, RobotsResponse, RobotsState};
use std::collections::{HashMap, HashSet};
use url::Url;

/// The maximum number of redirects that are followed (RFC 9309, section 2.3.1.2: at least five).
pub(crate) const MAX_REDIRECTS: usize = 5;

/// The maximum number of times that archives are read again for the targets of redirects, which may redirect, too.
pub(crate) const MAX_REDIRECT_SEARCHES: usize = 5;

/// The captures of robots.txt files, by site.
///
/// `R` is the value kept for a body.
#[derive(Debug, Clone)]
pub struct RobotsBook<R> {
    sites: Sites,
    tables: Vec<OutcomeTable>,
    /// The value kept for an empty body.
    empty: R,
    /// By normalized URL: of robots.txt files, and of the targets of their redirects.
    captures: HashMap<String, Captures<R>>,
    /// The targets of redirects that are still to be found.
    missing: HashSet<String>,
}

/// The key of captures that apply to every site without captures of its own.
const ANY_SITE: &str = "*";

/// The states of an origin at a time.
#[derive(Debug)]
#[non_exhaustive]
pub struct StatesAt<'b, R> {
    /// The time of the request for robots.txt that decides: the last one not after the time, or else the first.
    pub captured: Option<Timestamp>,
    /// The state under each table.
    pub states: Vec<RobotsState<&'b R>>,
}

/// The state of a site at a time, and its states shortly before.
#[derive(Debug)]
#[non_exhaustive]
pub struct InForce<'b, R> {
    /// The state at the requested time.
    pub current: RobotsState<&'b R>,
    /// The states that ended within the grace time before, the newest first.
    pub earlier: Vec<RobotsState<&'b R>>,
    /// Whether the first capture is later than the time.
    pub is_early: bool,
}

impl<R: Clone> RobotsBook<R> {
    /// Returns a book without captures. `empty` is the value kept for an empty body.
    pub fn new(sites: Sites, tables: Vec<OutcomeTable>, empty: R) -> Self {
        Self {
            sites,
            tables,
            empty,
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

    /// Returns the captures by their keys, in no order. Those of one key are in the order in which they were entered, or in that
    /// of their times.
    pub(super) fn iter(
        &self,
    ) -> impl Iterator<
        Item = (
            &str,
            impl Iterator<Item = (Option<Timestamp>, &RequestResult<R>)>,
        ),
    > {
        self.captures.iter().map(|(key, captures)| {
            let list = captures.list.iter();
            (
                key.as_str(),
                list.map(|capture| (capture.date, &capture.result)),
            )
        })
    }

    /// Adds the captures of another book after those of this one, each with the value that `keep` returns for its own.
    pub(super) fn append(&mut self, other: Self, keep: &mut dyn FnMut(R) -> R) {
        for (key, captures) in other.captures {
            for Capture { date, result } in captures.list {
                if let Some(result) = result.try_map(|rules| Some(keep(rules))) {
                    self.enter_at(key.clone(), date, result);
                }
            }
        }
    }

    /// Returns the targets of all redirects, other than robots.txt files, without a capture.
    pub(super) fn missing_targets(&self) -> impl Iterator<Item = &str> {
        let captures = self.captures.values().flat_map(|captures| &captures.list);
        captures.filter_map(|capture| match &capture.result {
            RequestResult::Redirect(target)
                if !self.captures.contains_key(target) && !is_robots(target) =>
            {
                Some(target.as_str())
            }
            _ => None,
        })
    }

    /// Returns whether captures of a URL are wanted: it is a robots.txt, or a known target of a redirect.
    pub fn wants(&self, url: &Url) -> bool {
        let key = self.sites.key(normalized(url).into_owned());
        is_robots_url(url) || self.missing.contains(&key) || self.captures.contains_key(&key)
    }

    /// Returns the targets of redirects, other than robots.txt files, without a capture. Each is returned once: the caller
    /// remembers them while it looks for their captures.
    pub fn take_missing(&mut self) -> HashSet<String> {
        std::mem::take(&mut self.missing)
    }

    /// Enters the result of a request.
    pub fn enter(&mut self, url: &Url, date: Option<Timestamp>, mut result: RequestResult<R>) {
        let key = self.sites.key(normalized(url).into_owned());
        if let RequestResult::Redirect(target) = &mut result {
            *target = self.sites.key(std::mem::take(target));
            if self.sites == Sites::Hosts && *target == key {
                // A redirect from one scheme to the other. Both have this key, so the redirect would lead to itself; the
                // capture of its target alone is entered.
                return;
            }
            if !self.captures.contains_key(target) && !is_robots(target) {
                self.missing.insert(target.clone());
            }
        }
        self.missing.remove(&key);
        self.enter_at(key, date, result);
    }

    /// Enters a robots.txt that applies to every site without captures of its own.
    pub fn enter_for_all(&mut self, date: Option<Timestamp>, rules: R) {
        self.enter_at(ANY_SITE.to_owned(), date, RequestResult::of_file(rules));
    }

    /// Enters the result of a request under a key.
    pub(super) fn enter_at(
        &mut self,
        key: String,
        date: Option<Timestamp>,
        result: RequestResult<R>,
    ) {
        let captures = self.captures.entry(key).or_default();
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
        captures.list.push(Capture { date, result });
        captures.is_sorted = false;
        captures.logs.clear();
    }

    /// Returns the state of an origin at a time, under each table. `None` if nothing is known of the origin.
    pub fn states(&mut self, origin: &Origin, date: Option<Timestamp>) -> Option<StatesAt<'_, R>> {
        let key = self.known_key(Some(origin))?;
        let captures = self.captures.get_mut(&key)?;
        captures.sort();
        let index = captures.index_at(date)?;
        self.extend_logs(&key, index);
        self.computed_states(origin, date)
    }

    /// Returns the state of an origin at a time, as [`states`](Self::states) does. `None` also if
    /// [`compute_logs`](Self::compute_logs) was not called since the last entry.
    pub fn computed_states(
        &self,
        origin: &Origin,
        date: Option<Timestamp>,
    ) -> Option<StatesAt<'_, R>> {
        let captures = self.captures.get(&self.known_key(Some(origin))?)?;
        let index = captures.index_at(date)?;
        let tables = 0..self.tables.len();
        let states = tables.map(|table| self.state_at(captures, index, date, table));
        Some(StatesAt {
            captured: captures.list.get(index)?.date,
            states: states.collect::<Option<_>>()?,
        })
    }

    /// Computes the log of each capture. [`in_force`](Self::in_force) needs them.
    pub fn compute_logs(&mut self) {
        self.captures.values_mut().for_each(Captures::sort);
        let keys: Vec<String> = self.captures.keys().cloned().collect();
        for key in keys {
            let count = self
                .captures
                .get(&key)
                .map_or(0, |captures| captures.list.len());
            self.extend_logs(&key, count - 1);
        }
    }

    /// Returns the state of a URL's site at a time under the outcome table of index `table`, and the states that ended up to
    /// `grace` seconds before. `None` if nothing is known of the site, or
    /// [`compute_logs`](Self::compute_logs) was not called since the last entry.
    pub fn in_force(
        &self,
        url: &str,
        date: Option<Timestamp>,
        grace: i64,
        table: usize,
    ) -> Option<InForce<'_, R>> {
        let key = self.known_key(Origin::of(url).ok().as_ref())?;
        let captures = self.captures.get(&key)?;
        let current = captures.index_at(date)?;
        let first = captures.list.first()?.date;
        let is_early = date.is_some_and(|date| first.is_some_and(|first| first > date));
        let mut earlier = Vec::new();
        if let Some(date) = date {
            let since = Timestamp::from_seconds(date.as_seconds().saturating_sub(grace));
            // Each capture ends the state of the one before it.
            for next in (1..=current).rev() {
                let Some(ended) = captures.list.get(next).and_then(|next| next.date) else {
                    // Captures without a time come first: no state before this one has an end.
                    break;
                };
                if ended <= since {
                    break;
                }
                let before = next.saturating_sub(1);
                earlier.extend(self.state_through_redirects(captures, before, Some(ended), table));
            }
        }
        Some(InForce {
            current: self.state_through_redirects(captures, current, date, table)?,
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

    /// Returns the key of the captures that apply to an origin, or to a request whose origin is not known.
    fn known_key(&self, origin: Option<&Origin>) -> Option<String> {
        let key = origin.map(|origin| self.sites.key(origin.robots_url()));
        [key, Some(ANY_SITE.to_owned())]
            .into_iter()
            .flatten()
            .find(|key| self.captures.contains_key(key))
    }

    /// Returns the state after the capture of this index, for a page that is requested at `date`.
    ///
    /// The log of a redirect has the outcome of its target at the time of the redirect (`follow_redirects`). Under
    /// [`Sites::Hosts`], the state of the target at `date` applies instead: a redirect to another host may be captured once,
    /// and the file of that host change often.
    fn state_through_redirects<'b>(
        &'b self,
        mut captures: &'b Captures<R>,
        mut index: usize,
        date: Option<Timestamp>,
        table: usize,
    ) -> Option<RobotsState<&'b R>> {
        for _ in 0..MAX_REDIRECTS {
            match &captures.list.get(index)?.result {
                RequestResult::Redirect(target) if self.sites == Sites::Hosts => {
                    let known = self.captures.get(target);
                    captures = known.or_else(|| self.captures.get(ANY_SITE))?;
                    index = captures.index_at(date)?;
                }
                _ => break,
            }
        }
        self.state_at(captures, index, date, table)
    }

    /// Returns the state after the capture of this index, from its log. For a redirect, the log has the outcome that the
    /// redirect led to when it was captured.
    fn state_at<'b>(
        &'b self,
        captures: &'b Captures<R>,
        index: usize,
        date: Option<Timestamp>,
        table: usize,
    ) -> Option<RobotsState<&'b R>> {
        let log = captures.logs.get(index)?;
        let state = log.archived_state(self.tables.get(table)?, date);
        Some(state.map(|rules| rules.unwrap_or(&self.empty)))
    }

    /// Computes the logs up to the capture of this index, unless they are computed already.
    fn extend_logs(&mut self, key: &str, index: usize) {
        let computed = self
            .captures
            .get(key)
            .map_or(0, |captures| captures.logs.len());
        for next in computed..=index {
            self.extend_log(key, next);
        }
    }

    /// Follows the redirects of a capture, as they were at `date`, and returns the response or the fault at their end.
    /// Returns [`RequestResult::RedirectToNowhere`] for too many redirects or one that cannot be followed, and `None` if the
    /// end was not captured or cannot be read.
    fn follow_redirects(
        &mut self,
        key: &str,
        index: usize,
        date: Option<Timestamp>,
    ) -> Option<RequestResult<R>> {
        let mut at = (key.to_owned(), index);
        // One capture more than redirects: the last one may be the end.
        for _ in 0..=MAX_REDIRECTS {
            let capture = self.captures.get(&at.0)?.list.get(at.1)?;
            let next = match &capture.result {
                RequestResult::Redirect(next) => next.clone(),
                RequestResult::Fault(RequestFault::Redirect | RequestFault::TooManyRedirects) => {
                    break;
                }
                RequestResult::Unreadable => return None,
                end => return Some(end.clone()),
            };
            let captures = self.captures.get_mut(&next)?;
            captures.sort();
            let index = captures.index_at(date)?;
            at = (next, index);
        }
        Some(RequestResult::RedirectToNowhere)
    }

    /// Computes the log up to the capture of this index, from the one up to the capture before it, which must be computed
    /// already.
    fn extend_log(&mut self, key: &str, index: usize) {
        let capture = self
            .captures
            .get(key)
            .and_then(|captures| captures.list.get(index));
        let Some(date) = capture.map(|capture| capture.date) else {
            return;
        };
        let end = self.follow_redirects(key, index, date);
        let Some(captures) = self.captures.get_mut(key) else {
            return;
        };
        let mut log = captures.logs.last().cloned().unwrap_or_default();
        match end {
            Some(RequestResult::Response {
                status,
                content_type,
                rules,
            }) => {
                let content_type = content_type.as_deref().unwrap_or_default();
                let response = RobotsResponse::new(status, b"").with_content_type(content_type);
                log.record(&RobotsFetch::Response(response), date, |_| rules);
            }
            Some(RequestResult::Fault(_)) => log.record(&RobotsFetch::Unreachable, date, |_| None),
            // `RedirectToNowhere`: outcome tables treat a redirect that cannot be followed like too many redirects.
            Some(_) => log.record(&RobotsFetch::TooManyRedirects, date, |_| None),
            // The outcome is not known, so nothing is known from this capture on.
            None => log = OutcomeLog::new(),
        }
        captures.logs.push(log);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400;

    fn day(number: i64) -> Timestamp {
        Timestamp::from_seconds(number * DAY)
    }

    fn book(sites: Sites) -> RobotsBook<usize> {
        RobotsBook::new(sites, vec![OutcomeTable::RFC9309], 0)
    }

    fn enter(book: &mut RobotsBook<usize>, url: &str, date: i64, result: RequestResult<usize>) {
        book.enter(&Url::parse(url).unwrap(), Some(day(date)), result);
    }

    /// Returns the file of each state; `None` for other states.
    fn files(book: &RobotsBook<usize>, url: &str, at: i64, grace: i64) -> Vec<Option<usize>> {
        let date = Some(Timestamp::from_seconds(at));
        let in_force = book.in_force(url, date, grace, 0).unwrap();
        let states = std::iter::once(in_force.current).chain(in_force.earlier);
        states
            .map(|state| match state {
                RobotsState::Rules(file) => Some(*file),
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
        book.compute_logs();
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
            let in_force = book.in_force("http://a.example/", date, 0, 0).unwrap();
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
            book.compute_logs();
            for (url, file) in [http, https, port].into_iter().zip(expected) {
                let found = files(&book, url, 3 * DAY, 0);
                assert_eq!(found, [Some(file)], "{sites:?} {url}");
            }
            assert!(
                book.in_force("http://b.example/", Some(day(3)), 0, 0)
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
        book.compute_logs();
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
            book.compute_logs();
            assert_eq!(files(&book, first, DAY, 0), [Some(2)]);
            let after = book.in_force(first, Some(day(2)), 0, 0).unwrap().current;
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
            let kept = book.iter().flat_map(|(_, captures)| captures);
            assert_eq!(kept.count(), 3, "{sites:?}");
        }
    }
}
