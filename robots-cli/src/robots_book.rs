//! The responses to /robots.txt in archives, and which of them holds for a page.

use crate::http::Response;
use robots_policy::{Origin, Policy, Robots, RobotsFetch};
use std::collections::HashMap;

/// How many redirects are followed (RFC 9309, 2.3.1.2: at least five).
const REDIRECTS: usize = 5;

/// What archives say of the robots.txt of each origin.
#[derive(Debug, Default)]
pub(crate) struct RobotsBook {
    captures: HashMap<Origin, Vec<Capture>>,
    /// The compiled state of a capture that is no redirect, by origin and place.
    compiled: HashMap<(Origin, usize), Robots>,
}

/// One response to /robots.txt.
#[derive(Debug)]
struct Capture {
    /// As WARC writes it; the times of one archive compare as text.
    date: String,
    answer: Answer,
}

#[derive(Debug, Clone)]
enum Answer {
    Body(Vec<u8>),
    Redirect(Option<Origin>),
    Status(u16),
}

/// Whether a URL is that of its origin's robots.txt.
pub(crate) fn is_robots_url(url: &url::Url) -> bool {
    url.path() == "/robots.txt" && url.query().is_none()
}

impl RobotsBook {
    /// Enters a response to /robots.txt.
    pub(crate) fn enter(&mut self, url: &url::Url, date: &str, response: &Response) {
        let answer = match response.status() {
            200..=299 => Answer::Body(response.body().to_vec()),
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
        self.enter_answer(url, date, answer);
    }

    /// Enters a robots.txt that was had without a server.
    pub(crate) fn enter_body(&mut self, url: &url::Url, body: Vec<u8>) {
        self.enter_answer(url, "", Answer::Body(body));
    }

    fn enter_answer(&mut self, url: &url::Url, date: &str, answer: Answer) {
        if let Ok(origin) = Origin::of(url.as_str()) {
            self.captures.entry(origin).or_default().push(Capture {
                date: date.to_owned(),
                answer,
            });
        }
    }

    /// What the robots.txt of an origin says at a time, redirects followed as far as the archives
    /// go.
    pub(crate) fn robots(&mut self, origin: &Origin, date: &str, policy: &Policy) -> Robots {
        let mut asked = origin.clone();
        for _ in 0..=REDIRECTS {
            let Some(place) = self.place(&asked, date) else {
                return policy.robots(RobotsFetch::NotFetched);
            };
            let key = (asked, place);
            if let Some(robots) = self.compiled.get(&key) {
                return robots.clone();
            }
            let fetch = match self.answer(&key) {
                Some(Answer::Body(body)) => RobotsFetch::Body(body),
                Some(Answer::Status(status)) => RobotsFetch::Status(*status),
                Some(Answer::Redirect(Some(next))) => {
                    asked = next.clone();
                    continue;
                }
                // A redirect to what is no robots.txt: that is not in the book.
                Some(Answer::Redirect(None)) | None => RobotsFetch::NotFetched,
            };
            let robots = policy.robots(fetch);
            self.compiled.insert(key, robots.clone());
            return robots;
        }
        policy.robots(RobotsFetch::TooManyRedirects)
    }

    /// The place of the capture that holds at a time: the last one not after it, else the first.
    fn place(&self, origin: &Origin, date: &str) -> Option<usize> {
        let captures = self.captures.get(origin)?;
        let before = captures
            .iter()
            .enumerate()
            .filter(|(_, capture)| *capture.date <= *date)
            .max_by(|(_, one), (_, other)| one.date.cmp(&other.date));
        let first = || {
            captures
                .iter()
                .enumerate()
                .min_by(|(_, one), (_, other)| one.date.cmp(&other.date))
        };
        before.or_else(first).map(|(place, _)| place)
    }

    fn answer(&self, (origin, place): &(Origin, usize)) -> Option<&Answer> {
        self.captures
            .get(origin)?
            .get(*place)
            .map(|capture| &capture.answer)
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
        let mut book = RobotsBook::default();
        enter(&mut book, "a.example", "2026-03", CLOSED);
        enter(&mut book, "a.example", "2026-01", OPEN);
        assert_eq!(fetch(&mut book, "a.example", "2025-12"), Fetch::Allow);
        assert_eq!(fetch(&mut book, "a.example", "2026-02"), Fetch::Allow);
        assert_eq!(fetch(&mut book, "a.example", "2026-03"), Fetch::Disallow);
        assert_eq!(fetch(&mut book, "b.example", "2026-03"), Fetch::Unknown);
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
    }
}
