//! What archives have of requests for /robots.txt, and which of them holds for a page.

use crate::fetch::KeptFault;
use robots_archive::http::Response;
use robots_meta::Timestamp;
use robots_policy::{
    History, Origin, Policies, Policy, Robots, RobotsFetch, RobotsResponse, SiteRules,
};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// How many redirects are followed (RFC 9309, 2.3.1.2: at least five).
const REDIRECTS: usize = 5;

/// What archives say of the robots.txt of each origin.
///
/// `R` is what is kept of a body: compiled rules.
#[derive(Debug)]
pub(crate) struct RobotsBook<R> {
    /// By URL: those of robots.txt, and those that they redirect to.
    captures: HashMap<String, Captures<R>>,
    /// What robots.txt redirect to, and is to be looked for.
    missing: HashSet<String>,
}

/// The responses of one URL, in the order of their times when `is_sorted`.
#[derive(Debug)]
struct Captures<R> {
    list: Vec<Capture<R>>,
    is_sorted: bool,
    /// What was known behind each of the first of them, to each policy.
    histories: Vec<Box<[History<SiteRules>]>>,
}

impl<R> Default for Captures<R> {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            is_sorted: false,
            histories: Vec::new(),
        }
    }
}

/// One request, and what came of it.
#[derive(Debug)]
struct Capture<R> {
    date: Option<Timestamp>,
    answer: Answer<R>,
}

/// What came of a request, as it is kept.
#[derive(Debug, Clone)]
pub(crate) enum Answer<R> {
    Response {
        status: u16,
        content_type: Option<Box<str>>,
        /// What is kept of the body of a 2xx.
        rules: Option<R>,
    },
    /// To this URL.
    Redirect(String),
    /// A redirect to what HTTP cannot ask for, or to nothing.
    RedirectToNowhere,
    Fault(KeptFault),
    /// A body that could not be read.
    Unread,
}

impl<R> Answer<R> {
    /// What a response says; `compile` makes of a body what is kept of it.
    pub(crate) fn of(
        url: &url::Url,
        response: &Response<'_>,
        compile: impl FnOnce(&[u8]) -> R,
    ) -> Self {
        match response.status() {
            200..=299 if response.is_unread() => Self::Unread,
            301 | 302 | 303 | 307 | 308 => {
                let location = response.header("location").next();
                let target = location.and_then(|location| url.join(location).ok());
                match target.filter(|target| matches!(target.scheme(), "http" | "https")) {
                    Some(target) => Self::Redirect(key(&target)),
                    None => Self::RedirectToNowhere,
                }
            }
            status => Self::Response {
                status,
                content_type: response.header("content-type").next().map(Box::from),
                rules: (200..=299)
                    .contains(&status)
                    .then(|| compile(response.body())),
            },
        }
    }
}

/// What came of the last request for a robots.txt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Last {
    Answer,
    Fault,
}

/// Whether a URL is that of its origin's robots.txt.
pub(crate) fn is_robots_url(url: &url::Url) -> bool {
    url.path() == "/robots.txt" && url.query().is_none()
}

/// The same of a URL that is a text.
pub(crate) fn is_robots(url: &str) -> bool {
    url::Url::parse(url).is_ok_and(|url| is_robots_url(&url))
}

/// The URL as the book has it.
pub(crate) fn key(url: &url::Url) -> String {
    if is_robots_url(url)
        && let Ok(origin) = Origin::of(url.as_str())
    {
        return origin.robots_url();
    }
    let mut url = url.clone();
    url.set_fragment(None);
    // They are no part of what is asked for.
    url.set_username("").ok();
    url.set_password(None).ok();
    url.into()
}

impl<R> Default for RobotsBook<R> {
    fn default() -> Self {
        Self {
            captures: HashMap::new(),
            missing: HashSet::new(),
        }
    }
}

impl<R: Clone> RobotsBook<R> {
    /// What came of the last request for an origin's robots.txt, if that is known.
    pub(crate) fn last(&mut self, origin: &Origin) -> Option<Last> {
        let url = origin.robots_url();
        let place = self.place(&url, None)?;
        match self.follow(&url, place, None)? {
            Answer::Fault(_) => Some(Last::Fault),
            _ => Some(Last::Answer),
        }
    }

    /// Whether what is captured of a URL belongs here: it is that of a robots.txt, or a robots.txt that was
    /// entered redirects to it.
    pub(crate) fn wants(&self, url: &url::Url) -> bool {
        let key = key(url);
        is_robots_url(url) || self.missing.contains(&key) || self.captures.contains_key(&key)
    }

    /// The URLs that robots.txt redirect to, other than to another robots.txt, of which nothing is entered. Each
    /// is named once: who asks looks for them.
    pub(crate) fn missing(&mut self) -> HashSet<String> {
        std::mem::take(&mut self.missing)
    }

    /// Enters what came of a request.
    pub(crate) fn enter(&mut self, url: &url::Url, date: Option<Timestamp>, answer: Answer<R>) {
        if let Answer::Redirect(target) = &answer
            && !self.captures.contains_key(target)
            && !is_robots(target)
        {
            self.missing.insert(target.clone());
        }
        let key = key(url);
        self.missing.remove(&key);
        let captures = self.captures.entry(key).or_default();
        captures.list.push(Capture { date, answer });
        captures.is_sorted = false;
        captures.histories.clear();
    }

    /// Where a capture leads, redirects followed: a response, a fault, or nowhere. `None` if that is not in the book,
    /// or cannot be read.
    fn follow(&mut self, url: &str, place: usize, date: Option<Timestamp>) -> Option<Answer<R>> {
        let mut asked = (url.to_owned(), place);
        for hop in 0..=REDIRECTS {
            let capture = self.captures.get(&asked.0)?.list.get(asked.1)?;
            let next = match &capture.answer {
                Answer::Redirect(next) => next.clone(),
                // Who redirects to what may not be asked redirects to nowhere.
                Answer::Fault(KeptFault::PrivateAddress) if hop > 0 => break,
                Answer::Fault(KeptFault::Redirect) => break,
                Answer::Unread => return None,
                end => return Some(end.clone()),
            };
            let place = self.place(&next, date)?;
            asked = (next, place);
        }
        Some(Answer::RedirectToNowhere)
    }

    /// The place of the capture that holds at a time: the last one not after it, else the first. For
    /// a page without a time it is the newest.
    fn place(&mut self, url: &str, date: Option<Timestamp>) -> Option<usize> {
        let captures = self.captures.get_mut(url)?;
        if !captures.is_sorted {
            captures.list.sort_by_key(|capture| capture.date);
            captures.is_sorted = true;
        }
        let not_after = match date {
            Some(date) => captures
                .list
                .partition_point(|capture| capture.date.is_none_or(|captured| captured <= date)),
            None => captures.list.len(),
        };
        (!captures.list.is_empty()).then(|| not_after.saturating_sub(1))
    }
}

/// What a robots.txt says to the robot of each policy.
pub(crate) type RulesOfAll = Arc<[SiteRules]>;

impl RobotsBook<RulesOfAll> {
    /// Enters a robots.txt that was had without a server.
    pub(crate) fn enter_rules(&mut self, url: &url::Url, rules: RulesOfAll) {
        let answer = Answer::Response {
            status: 200,
            content_type: None,
            rules: Some(rules),
        };
        self.enter(url, None, answer);
    }

    /// What the robots.txt of an origin says to each policy at a time, by all that was captured up to then: a failure
    /// lasts as the policy's table says, but nothing gets stale, as a page of an archive is decided by
    /// what there is. Redirects are followed as far as the archives go.
    pub(crate) fn robots(
        &mut self,
        origin: &Origin,
        date: Option<Timestamp>,
        policies: &Policies,
    ) -> Vec<Robots> {
        let url = origin.robots_url();
        let place = self.place(&url, date);
        let histories = place.and_then(|place| self.histories(&url, place, policies));
        let Some(histories) = histories else {
            let not_fetched = |policy: &Policy| policy.robots(RobotsFetch::NotFetched);
            return policies.iter().map(not_fetched).collect();
        };
        let states = policies.iter().zip(histories);
        states
            .map(|(policy, history)| policy.archived_state(history, date))
            .collect()
    }

    /// What was known behind the capture at a place.
    fn histories(
        &mut self,
        url: &str,
        place: usize,
        policies: &Policies,
    ) -> Option<&[History<SiteRules>]> {
        let known = self.captures.get(url)?.histories.len();
        for next in known..=place {
            self.extend(url, next, policies);
        }
        Some(self.captures.get(url)?.histories.get(place)?)
    }

    /// Records the capture at a place behind those before it.
    fn extend(&mut self, url: &str, place: usize, policies: &Policies) {
        let Some(date) = self
            .captures
            .get(url)
            .and_then(|captures| captures.list.get(place))
            .map(|capture| capture.date)
        else {
            return;
        };
        let end = self.follow(url, place, date);
        let Some(captures) = self.captures.get_mut(url) else {
            return;
        };
        let before = captures.histories.last();
        let histories = policies.iter().enumerate().map(|(at, policy)| {
            let before = before.and_then(|before| before.get(at));
            let mut history = before.cloned().unwrap_or_default();
            match &end {
                Some(Answer::Response {
                    status,
                    content_type,
                    rules,
                }) => {
                    let content_type = content_type.as_deref().unwrap_or_default();
                    let response =
                        RobotsResponse::new(*status, b"").with_content_type(content_type);
                    let fetch = RobotsFetch::Response(response);
                    let rules = rules.as_ref().and_then(|rules| rules.get(at));
                    history.record(policy.profile().outcomes(), &fetch, date, |body| {
                        rules.cloned().unwrap_or_else(|| policy.compile(body))
                    });
                }
                Some(Answer::Fault(_)) => {
                    policy.record(&mut history, RobotsFetch::Unreachable, date);
                }
                Some(_) => policy.record(&mut history, RobotsFetch::TooManyRedirects, date),
                // Nothing is known any more.
                None => history = History::new(),
            }
            history
        });
        let histories = histories.collect();
        captures.histories.push(histories);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robots_policy::{Fetch, Page, Profile};

    fn url(text: &str) -> url::Url {
        url::Url::parse(text).unwrap()
    }

    fn enter(book: &mut RobotsBook<RulesOfAll>, host: &str, date: &str, response: &str) {
        enter_at(
            book,
            &url(&format!("http://{host}/robots.txt")),
            date,
            response.as_bytes(),
        );
    }

    fn enter_at(book: &mut RobotsBook<RulesOfAll>, url: &url::Url, date: &str, response: &[u8]) {
        let response = Response::parse(response).unwrap();
        book.enter(
            url,
            Timestamp::parse(date),
            Answer::of(url, &response, |body| any().compile(body).into()),
        );
    }

    fn any() -> Policies {
        Policies::new(vec![Policy::new("a")])
    }

    fn fetch(book: &mut RobotsBook<RulesOfAll>, host: &str, date: &str) -> Fetch {
        fetch_by(book, &any(), &format!("http://{host}/x"), date)
    }

    fn fetch_by(
        book: &mut RobotsBook<RulesOfAll>,
        policies: &Policies,
        page_url: &str,
        date: &str,
    ) -> Fetch {
        let origin = Origin::of(page_url).unwrap();
        let robots = book.robots(&origin, Timestamp::parse(date), policies);
        let page = Page::new(page_url);
        policies[0].decide_under(&robots[0], &page).fetch
    }

    const OPEN: &str = "HTTP/1.1 200 OK\r\n\r\n";
    const CLOSED: &str = "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /";

    #[test]
    fn the_capture_before_the_page_holds() {
        let mut book = RobotsBook::default();
        enter(&mut book, "a.example", "2026-03-01T00:00:00Z", CLOSED);
        enter(
            &mut book,
            "a.example",
            "2026-03-02T00:00:00Z",
            "HTTP/1.1 304 x\r\n\r\n",
        );
        enter(&mut book, "a.example", "2026-01-01T00:00:00Z", OPEN);
        let mut at = |date| fetch(&mut book, "a.example", date);
        assert_eq!(at("2025-12-01T00:00:00Z"), Fetch::Allow);
        assert_eq!(at("2026-02-01T00:00:00Z"), Fetch::Allow);
        assert_eq!(at("2026-03-01T00:00:00.5Z"), Fetch::Disallow);
        assert_eq!(at("2026-04-01T00:00:00Z"), Fetch::Disallow);
        assert_eq!(at(""), Fetch::Disallow, "the newest");
        assert_eq!(fetch(&mut book, "b.example", ""), Fetch::Unknown);
    }

    #[test]
    fn what_came_before_counts_while_it_fails() {
        let google = Policies::new(vec![Policy::under(&Profile::google(), "Googlebot")]);
        let mut book = RobotsBook::default();
        enter(&mut book, "a.example", "2026-11-01T00:00:00Z", CLOSED);
        let failed = "HTTP/1.1 503 x\r\n\r\n";
        enter(&mut book, "a.example", "2026-11-08T00:00:00Z", failed);
        let mut fetch = |date| fetch_by(&mut book, &google, "http://a.example/x", date);
        // Long before a copy is stale to a crawler; here it holds until the next.
        assert_eq!(fetch("2026-11-07T00:00:00Z"), Fetch::Disallow);
        assert_eq!(fetch("2026-11-08T01:00:00Z"), Fetch::Defer);
        assert_eq!(fetch("2026-11-10T00:00:00Z"), Fetch::Disallow);
    }

    #[test]
    fn the_type_of_the_content_counts() {
        let yandex = Policies::new(vec![Policy::under(&Profile::yandex(), "YandexBot")]);
        let mut book = RobotsBook::default();
        let html = CLOSED.replace("200 OK", "200 OK\r\nContent-Type: text/html");
        enter(&mut book, "a.example", "", &html);
        enter(&mut book, "b.example", "", CLOSED);
        let mut fetch = |page_url| fetch_by(&mut book, &yandex, page_url, "");
        assert_eq!(fetch("http://a.example/x"), Fetch::Allow);
        assert_eq!(fetch("http://b.example/x"), Fetch::Disallow);
    }

    #[test]
    fn what_cannot_be_read_is_not_known() {
        let mut book = RobotsBook::default();
        let zstd = "HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\n\r\n";
        let response = [zstd.as_bytes(), b"\x28\xB5\x2F\xFD"].concat();
        enter_at(
            &mut book,
            &url("http://a.example/robots.txt"),
            "",
            &response,
        );
        assert_eq!(fetch(&mut book, "a.example", ""), Fetch::Unknown);
    }

    #[test]
    fn redirects_are_followed_within_the_archives() {
        let mut book = RobotsBook::default();
        let to =
            |host: &str| format!("HTTP/1.1 301 x\r\nLocation: http://{host}/robots.txt\r\n\r\n");
        for hop in 0..6 {
            let from = format!("h{hop}.example");
            let next = format!("h{}.example", hop + 1);
            enter(&mut book, &from, "", &to(&next));
        }
        enter(&mut book, "h6.example", "", CLOSED);
        assert_eq!(fetch(&mut book, "h1.example", ""), Fetch::Disallow, "five");
        assert_eq!(fetch(&mut book, "h0.example", ""), Fetch::Allow, "six");
        enter(&mut book, "loop.example", "", &to("loop.example"));
        assert_eq!(fetch(&mut book, "loop.example", ""), Fetch::Allow);
        enter(&mut book, "out.example", "", &to("elsewhere.example"));
        assert_eq!(fetch(&mut book, "out.example", ""), Fetch::Unknown);
        let file = "HTTP/1.1 301 x\r\nLocation: file:///robots.txt\r\n\r\n";
        enter(&mut book, "file.example", "", file);
        assert_eq!(fetch(&mut book, "file.example", ""), Fetch::Allow);
        enter(&mut book, "nil.example", "", "HTTP/1.1 301 x\r\n\r\n");
        assert_eq!(fetch(&mut book, "nil.example", ""), Fetch::Allow);
    }

    #[test]
    fn a_redirect_may_lead_to_any_url() {
        let mut book = RobotsBook::default();
        let redirect = "HTTP/1.1 302 x\r\nLocation: /static/robots?v=2#x\r\n\r\n";
        enter(&mut book, "a.example", "", redirect);
        assert_eq!(fetch(&mut book, "a.example", ""), Fetch::Unknown);
        let mut book = RobotsBook::default();
        enter(&mut book, "a.example", "", redirect);
        let target = url("http://a.example/static/robots?v=2");
        assert_eq!(book.missing(), HashSet::from([target.to_string()]));
        assert!(book.missing().is_empty());
        enter_at(&mut book, &target, "", CLOSED.as_bytes());
        assert_eq!(fetch(&mut book, "a.example", ""), Fetch::Disallow);
        enter(&mut book, "a.example", "2026-01-01T00:00:00Z", redirect);
        assert!(book.missing().is_empty());
    }

    #[test]
    fn a_request_without_an_answer_means_what_the_policy_says() {
        let mut book = RobotsBook::default();
        let at = |host: &str| url(&format!("http://{host}/robots.txt"));
        book.enter(&at("a.example"), None, Answer::Fault(KeptFault::Other));
        assert_eq!(fetch(&mut book, "a.example", ""), Fetch::Disallow);
        let redirect = "HTTP/1.1 302 x\r\nLocation: http://a.example/robots.txt\r\n\r\n";
        enter(&mut book, "b.example", "", redirect);
        assert_eq!(fetch(&mut book, "b.example", ""), Fetch::Disallow);
        // It may not be asked: that of itself is out of reach, and who redirects there to nowhere.
        let private = Answer::Fault(KeptFault::PrivateAddress);
        book.enter(&at("10.0.0.1"), None, private);
        assert_eq!(fetch(&mut book, "10.0.0.1", ""), Fetch::Disallow);
        let redirect = "HTTP/1.1 302 x\r\nLocation: http://10.0.0.1/robots.txt\r\n\r\n";
        enter(&mut book, "c.example", "", redirect);
        assert_eq!(fetch(&mut book, "c.example", ""), Fetch::Allow);
    }
}
