//! The responses to /robots.txt in archives, and which of them holds for a page.

use crate::http::Response;
use robots_meta::Timestamp;
use robots_policy::{Origin, Policy, Robots, RobotsFetch};
use robots_txt::Dialect;
use std::collections::HashMap;

/// How many redirects are followed (RFC 9309, 2.3.1.2: at least five).
const REDIRECTS: usize = 5;

/// What archives say of the robots.txt of each origin.
#[derive(Debug)]
pub(crate) struct RobotsBook {
    captures: HashMap<Origin, Captures>,
    /// The compiled state of a capture that is no redirect, by origin and place.
    compiled: HashMap<(Origin, usize), Robots>,
    /// How many bytes of a body are kept.
    body_limit: usize,
}

/// The responses of one origin, in the order of their times when `is_sorted`.
#[derive(Debug, Default)]
struct Captures {
    list: Vec<Capture>,
    is_sorted: bool,
}

/// One response to /robots.txt.
#[derive(Debug)]
struct Capture {
    date: Option<Timestamp>,
    answer: Answer,
}

#[derive(Debug)]
enum Answer {
    Body(Vec<u8>),
    Redirect(Option<Origin>),
    Status(u16),
    /// A body that could not be read.
    Unread,
}

/// Whether a URL is that of its origin's robots.txt.
pub(crate) fn is_robots_url(url: &url::Url) -> bool {
    url.path() == "/robots.txt" && url.query().is_none()
}

impl RobotsBook {
    /// A book for robots that read robots.txt in this way: what is behind the dialect's limit is not
    /// kept, but for one byte that tells that there was more.
    pub(crate) fn new(dialect: &Dialect) -> Self {
        Self {
            captures: HashMap::new(),
            compiled: HashMap::new(),
            body_limit: dialect
                .size_limit()
                .map_or(usize::MAX, |limit| limit.saturating_add(1)),
        }
    }

    /// Enters a response to /robots.txt. 304 says that the one before still holds.
    pub(crate) fn enter(&mut self, url: &url::Url, date: &str, response: &Response) {
        let answer = match response.status() {
            304 => return,
            200..=299 if response.is_unread() => Answer::Unread,
            200..=299 => Answer::Body(self.kept(response.body())),
            301 | 302 | 303 | 307 | 308 => Answer::Redirect(
                response
                    .header("location")
                    .next()
                    .and_then(|location| url.join(location).ok())
                    .filter(is_robots_url)
                    .and_then(|location| Origin::of(location.as_str()).ok()),
            ),
            status => Answer::Status(status),
        };
        self.enter_answer(url, Timestamp::parse(date), answer);
    }

    /// Enters a robots.txt that was had without a server.
    pub(crate) fn enter_body(&mut self, url: &url::Url, body: &[u8]) {
        let answer = Answer::Body(self.kept(body));
        self.enter_answer(url, None, answer);
    }

    fn kept(&self, body: &[u8]) -> Vec<u8> {
        body.get(..self.body_limit).unwrap_or(body).to_vec()
    }

    fn enter_answer(&mut self, url: &url::Url, date: Option<Timestamp>, answer: Answer) {
        if let Ok(origin) = Origin::of(url.as_str()) {
            let captures = self.captures.entry(origin).or_default();
            captures.list.push(Capture { date, answer });
            captures.is_sorted = false;
        }
    }

    /// What the robots.txt of an origin says at a time, redirects followed as far as the archives
    /// go.
    pub(crate) fn robots(&mut self, origin: &Origin, date: &str, policy: &Policy) -> Robots {
        let date = Timestamp::parse(date);
        let mut asked = origin.clone();
        for _ in 0..=REDIRECTS {
            let Some(place) = self.place(&asked, date) else {
                return policy.robots(RobotsFetch::NotFetched);
            };
            let key = (asked, place);
            if let Some(robots) = self.compiled.get(&key) {
                return robots.clone();
            }
            let robots = match self.answer(&key) {
                // The rules keep what they need of the body.
                Some(Answer::Body(body)) => policy.robots(RobotsFetch::Body(&std::mem::take(body))),
                Some(Answer::Status(status)) => policy.robots(RobotsFetch::Status(*status)),
                Some(Answer::Redirect(Some(next))) => {
                    asked = next.clone();
                    continue;
                }
                // A redirect to what is no robots.txt: that is not in the book.
                Some(Answer::Redirect(None) | Answer::Unread) | None => {
                    policy.robots(RobotsFetch::NotFetched)
                }
            };
            self.compiled.insert(key, robots.clone());
            return robots;
        }
        policy.robots(RobotsFetch::TooManyRedirects)
    }

    /// The place of the capture that holds at a time: the last one not after it, else the first. For
    /// a page without a time it is the newest.
    fn place(&mut self, origin: &Origin, date: Option<Timestamp>) -> Option<usize> {
        let captures = self.captures.get_mut(origin)?;
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

    fn answer(&mut self, (origin, place): &(Origin, usize)) -> Option<&mut Answer> {
        self.captures
            .get_mut(origin)?
            .list
            .get_mut(*place)
            .map(|capture| &mut capture.answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robots_policy::{Fetch, Page};

    fn url(text: &str) -> url::Url {
        url::Url::parse(text).unwrap()
    }

    fn enter(book: &mut RobotsBook, host: &str, date: &str, response: &str) {
        let response = Response::parse(response.as_bytes()).unwrap();
        book.enter(&url(&format!("http://{host}/robots.txt")), date, &response);
    }

    fn fetch(book: &mut RobotsBook, host: &str, date: &str) -> Fetch {
        let page_url = format!("http://{host}/x");
        let policy = Policy::new("a");
        let robots = book.robots(&Origin::of(&page_url).unwrap(), date, &policy);
        policy.decide_under(&robots, &Page::new(&page_url)).fetch
    }

    const OPEN: &str = "HTTP/1.1 200 OK\r\n\r\n";
    const CLOSED: &str = "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /";

    #[test]
    fn the_capture_before_the_page_holds() {
        let mut book = RobotsBook::new(&Dialect::RFC9309);
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
    fn what_cannot_be_read_is_not_known() {
        let mut book = RobotsBook::new(&Dialect::RFC9309);
        let zstd = "HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\n\r\n";
        let response = [zstd.as_bytes(), b"\x28\xB5\x2F\xFD"].concat();
        let response = Response::parse(&response).unwrap();
        book.enter(&url("http://a.example/robots.txt"), "", &response);
        assert_eq!(fetch(&mut book, "a.example", ""), Fetch::Unknown);
    }

    #[test]
    fn redirects_are_followed_within_the_archives() {
        let mut book = RobotsBook::new(&Dialect::RFC9309);
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
    }
}
