//! The outcomes of the requests for robots.txt in an archive, from its records.
//!
//! The records of a request follow one another: its redirects, and then its response or fault, all with one date
//! ([`super::capture`]). A request that a kill cut short has no end, and no outcome.
//!
//! An origin whose robots.txt is the target of another origin's redirect has an outcome, too: its robots.txt was requested.

use robots_archive::Record;
use robots_archive::http::Response;
use robots_crawl::fetch::{redirect_target, replayed};
use robots_meta::Timestamp;
use robots_pipeline::robots::fault::RequestFault;
use robots_pipeline::robots_url::is_robots_url;
use robots_policy::RobotsFetch;
use robots_policy::origins::Origin;
use std::collections::HashMap;
use url::Url;

/// The outcome of a request for the robots.txt of an origin.
#[derive(Debug)]
pub(super) struct Outcome<'r> {
    pub(super) origin: &'r Origin,
    pub(super) fetch: RobotsFetch<'r>,
    /// The time of the request, but not before that of an earlier request of this origin in the archive.
    pub(super) at: Option<Timestamp>,
}

/// The replay of an archive, record by record.
#[derive(Debug, Default)]
pub(super) struct Replay {
    /// The requested origins.
    origins: HashMap<Origin, LastRequest>,
    chain: Option<Chain>,
}

/// The last request for the robots.txt of an origin.
#[derive(Debug, Clone, Copy)]
struct LastRequest {
    at: Option<Timestamp>,
    has_response: bool,
}

/// A request that was redirected, and whose end is still to come.
#[derive(Debug)]
struct Chain {
    /// The origins whose robots.txt were requested.
    origins: Vec<Origin>,
    date: Option<Timestamp>,
    first: Url,
    /// The URL that redirected.
    last: Url,
    /// The target, if HTTP can request it.
    next: Option<Url>,
}

impl Replay {
    /// Returns whether the last request of an origin had a response; `None` if the archive has no request.
    pub(super) fn has_response(&self, origin: &Origin) -> Option<bool> {
        let last = self.origins.get(origin)?;
        Some(last.has_response)
    }

    /// Notes a damaged place. The next record of the request may be lost in it, so the request has no outcome.
    pub(super) fn add_damage(&mut self) {
        self.chain = None;
    }

    /// Adds the next record. Passes on the outcomes of the request that it ends.
    pub(super) fn add(&mut self, record: &Record, mut learn: impl FnMut(Outcome<'_>)) {
        if record.kind == "warcinfo" {
            // Another run begins.
            self.chain = None;
        }
        let Some(url) = record.url.as_deref().and_then(|url| Url::parse(url).ok()) else {
            // A warcinfo, for example, which is not part of a request.
            return;
        };
        let date = record.captured_at();
        if let Some(fault) = RequestFault::of(record) {
            let chain = self.take_chain(date, |chain| chain.first == url || chain.is_at(&url));
            let mut chain = chain.unwrap_or_else(|| Chain::new(&url, date));
            if fault.is_of_redirects() {
                // This says nothing about the origins after the first.
                chain.origins.truncate(1);
            } else {
                chain.enter(&url);
            }
            return self.end(chain, fault.as_fetch(), &mut learn);
        }
        if record.kind != "response" {
            // A record about a request, for example: it does not interrupt the chain.
            return;
        }
        let Ok(response) = Response::parse(&record.block) else {
            // This may be the next response of the chain, so the request has no outcome.
            self.chain = None;
            return;
        };
        let chain = self.take_chain(date, |chain| chain.next.as_ref() == Some(&url));
        let mut chain = chain.unwrap_or_else(|| Chain::new(&url, date));
        chain.enter(&url);
        if chain.origins.is_empty() {
            // The response of a page: no robots.txt was requested.
            return;
        }
        match response.status() {
            status if RobotsFetch::is_redirect(status) => {
                chain.follow(url, response.header("location").next());
                self.chain = Some(chain);
            }
            // A body that cannot be read has an unknown outcome.
            200..=299 if response.is_unread() => {}
            status => {
                // The time serves only to compute for how long the response is fresh.
                let at = date.unwrap_or(Timestamp::from_seconds(0));
                let fetch = replayed(status, response.headers(), response.body(), at);
                self.end(chain, fetch, &mut learn);
            }
        }
    }

    /// Returns the open chain if a record of this date continues it. Any other record ends it without an outcome.
    fn take_chain(
        &mut self,
        date: Option<Timestamp>,
        continues: impl FnOnce(&Chain) -> bool,
    ) -> Option<Chain> {
        let chain = self.chain.take()?;
        (chain.date == date && continues(&chain)).then_some(chain)
    }

    /// Ends a request with this outcome.
    fn end(&mut self, chain: Chain, fetch: RobotsFetch<'_>, learn: &mut impl FnMut(Outcome<'_>)) {
        // Redirects are responses, even if there are too many.
        let has_response = !matches!(fetch, RobotsFetch::Unreachable);
        for origin in chain.origins {
            let earlier = self.origins.get(&origin).and_then(|last| last.at);
            let at = chain.date.max(earlier);
            learn(Outcome {
                origin: &origin,
                fetch,
                at,
            });
            self.origins
                .insert(origin, LastRequest { at, has_response });
        }
    }
}

impl Chain {
    /// Returns a chain that begins with a request for this URL.
    fn new(url: &Url, date: Option<Timestamp>) -> Self {
        let mut chain = Self {
            origins: Vec::new(),
            date,
            first: url.clone(),
            last: url.clone(),
            next: None,
        };
        chain.enter(url);
        chain
    }

    /// Adds the origin of a URL that is requested, if it is that of a robots.txt.
    fn enter(&mut self, url: &Url) {
        if !is_robots_url(url) {
            return;
        }
        if let Ok(origin) = Origin::of(url.as_str())
            && !self.origins.contains(&origin)
        {
            self.origins.push(origin);
        }
    }

    /// Follows a redirect of a URL, as the fetcher does.
    fn follow(&mut self, url: Url, location: Option<&str>) {
        self.next = location.and_then(|location| redirect_target(&url, location));
        self.last = url;
    }

    /// Returns whether a fault at this URL ends the chain: at the target, or at the redirect itself.
    fn is_at(&self, url: &Url) -> bool {
        self.next.as_ref() == Some(url) || self.last == *url
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robots_archive::{Item, NewRecord, Reader};

    fn record(kind: &str, url: &str, date: &str, block: &str) -> Vec<u8> {
        NewRecord {
            kind,
            url: Some(url),
            date,
            content_type: RequestFault::MEDIA_TYPE,
            address: None,
            truncated: None,
            block: block.as_bytes(),
        }
        .to_gzip()
    }

    fn response(url: &str, second: u32, head: &str) -> Vec<u8> {
        let date = format!("2026-11-20T00:00:{second:02}Z");
        let block = format!("HTTP/1.1 {head}\r\nx-crawler-body: decoded\r\n\r\nx");
        record("response", url, &date, &block)
    }

    fn fault(url: &str, second: u32, name: &str) -> Vec<u8> {
        let date = format!("2026-11-20T00:00:{second:02}Z");
        record("metadata", url, &date, &format!("robots-fault: {name}\r\n"))
    }

    /// Returns the outcomes of an archive: the host, the second and the meaning.
    fn outcomes(records: &[Vec<u8>]) -> Vec<String> {
        let archive = records.concat();
        let mut reader = Reader::open(&archive[..]).unwrap().unwrap();
        let mut all = Vec::new();
        let mut replay = Replay::default();
        let mut learn = |outcome: Outcome<'_>| {
            let second = outcome.at.unwrap().as_seconds() % 60;
            let meaning = match outcome.fetch {
                RobotsFetch::Response(response) => response.status().to_string(),
                other => format!("{other:?}"),
            };
            let host = outcome.origin.to_string().replace("http://", "");
            all.push(format!("{host} {second} {meaning}"));
        };
        while let Some(item) = reader.next_item().unwrap() {
            let Item::Record(record) = item else {
                panic!("{item:?}")
            };
            replay.add(&record, &mut learn);
        }
        all
    }

    const A: &str = "http://a.example/robots.txt";
    const B: &str = "http://b.example/robots.txt";
    const C: &str = "http://c.example/robots.txt";

    #[test]
    fn a_request_ends_with_its_response_or_fault() {
        let to_b = "301 X\r\nLocation: http://user@b.example/robots.txt#x";
        let to_x = "302 X\r\nLocation: /x?y";
        let to_file = "302 X\r\nLocation: file:///x";
        let x = "http://a.example/x?y";
        for (records, expected) in [
            (vec![response(A, 1, "200 X")], vec!["a.example 1 200"]),
            (
                vec![response(A, 1, "404 X"), fault(B, 2, "name")],
                vec!["a.example 1 Status(404)", "b.example 2 Unreachable"],
            ),
            // The target's robots.txt was requested, too.
            (
                vec![response(A, 1, to_b), response(B, 1, "200 X")],
                vec!["a.example 1 200", "b.example 1 200"],
            ),
            (
                vec![response(A, 1, to_x), response(x, 1, "200 X")],
                vec!["a.example 1 200"],
            ),
            (
                vec![response(A, 1, to_x), fault(x, 1, "timeout")],
                vec!["a.example 1 Unreachable"],
            ),
            (
                vec![response(A, 1, to_file), fault(A, 1, "redirect_to_other")],
                vec!["a.example 1 TooManyRedirects"],
            ),
            // A fault of the target is one of its site, too; and of each site before it.
            (
                vec![response(A, 1, to_b), fault(B, 1, "connect")],
                vec!["a.example 1 Unreachable", "b.example 1 Unreachable"],
            ),
            (
                vec![
                    response(A, 1, to_b),
                    response(B, 1, "301 X\r\nLocation: //c.example/robots.txt"),
                    fault(C, 1, "name"),
                ],
                vec![
                    "a.example 1 Unreachable",
                    "b.example 1 Unreachable",
                    "c.example 1 Unreachable",
                ],
            ),
            // A fault of all redirects together, about the first URL, is none of the other sites.
            (
                vec![response(A, 1, to_b), fault(A, 1, "timeout")],
                vec!["a.example 1 Unreachable"],
            ),
            (
                vec![
                    response(A, 1, to_b),
                    response(B, 1, "301 X\r\nLocation: /x"),
                    fault(A, 1, "too_many_redirects"),
                    response(B, 2, "200 X"),
                ],
                vec!["a.example 1 TooManyRedirects", "b.example 2 200"],
            ),
            // A fault of the last URL, although that is the first, too.
            (
                vec![
                    response(A, 1, to_b),
                    response(B, 1, &format!("301 X\r\nLocation: {A}")),
                    fault(A, 1, "connect"),
                ],
                vec!["a.example 1 Unreachable", "b.example 1 Unreachable"],
            ),
            // The end is missing, or belongs to another request.
            (vec![response(A, 1, to_b)], vec![]),
            (
                vec![response(A, 1, to_b), response(B, 2, "200 X")],
                vec!["b.example 2 200"],
            ),
            (
                vec![
                    response(A, 1, to_x),
                    response(B, 1, "200 X"),
                    response(x, 1, "200 X"),
                ],
                vec!["b.example 1 200"],
            ),
            (
                vec![
                    response(A, 1, to_x),
                    record("warcinfo", "", "2026-11-20T00:00:01Z", ""),
                    response(x, 1, "200 X"),
                ],
                vec![],
            ),
        ] {
            assert_eq!(outcomes(&records), expected);
        }
    }

    #[test]
    fn times_do_not_go_back() {
        let records = [
            response(A, 9, "200 X"),
            response(B, 3, "200 X"),
            fault(A, 4, "name"),
        ];
        let expected = [
            "a.example 9 200",
            "b.example 3 200",
            "a.example 9 Unreachable",
        ];
        assert_eq!(outcomes(&records), expected);
    }

    #[test]
    fn a_loop_of_redirects_is_one_request() {
        let again = || response(A, 1, "301 X\r\nLocation: /robots.txt");
        let mut records: Vec<_> = (0..6).map(|_| again()).collect();
        records.push(fault(A, 1, "too_many_redirects"));
        assert_eq!(outcomes(&records), ["a.example 1 TooManyRedirects"]);
    }
}
