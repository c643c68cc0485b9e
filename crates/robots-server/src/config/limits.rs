//! The limits of a service, and their defaults.

use super::value::Bytes;
use std::time::Duration;

/// The limits of a service. Of a limit whose meaning is a rate or a number per client, 0 is none.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Open connections.
    pub connections: usize,
    /// Open connections of a client.
    pub connections_per_client: usize,
    /// Requests that are answered at once.
    pub requests_at_once: usize,
    /// Requests of a client that are answered at once.
    pub requests_per_client: usize,
    /// Requests of a client per second, on average.
    pub rate_per_client: usize,
    /// Requests of a client without a pause.
    pub burst_per_client: usize,
    /// Rates that are kept.
    pub rates: usize,
    /// The request target.
    pub url_bytes: Bytes,
    /// The head of a request: its request line and header lines.
    pub head_bytes: Bytes,
    /// The header lines of a request.
    pub header_lines: usize,
    /// The body of a request.
    pub body_bytes: Bytes,
    /// All bodies, fetched files and pages, and answers in memory.
    pub bodies_bytes: Bytes,
    /// What is known about origins, in memory.
    pub known_bytes: Bytes,
    /// Requests to sites at once.
    pub fetches_at_once: usize,
    /// Requests to one address of sites at once.
    pub fetches_per_address: usize,
    /// Requests to sites for the questions of a client at once.
    pub fetches_per_client: usize,
    /// Questions that wait for a robots.txt, and requests for one.
    pub fetches_waiting: usize,
    /// Requests that wait for their turn at an address.
    pub fetches_waiting_per_address: usize,
    /// The time of a request to a site.
    pub fetch_timeout: Duration,
    /// The time between requests for pages of one site.
    pub page_pause: Duration,
    /// A line of a body with a question a line.
    pub line_bytes: Bytes,
    /// The answer to a question.
    pub answer_bytes: Bytes,
    /// Questions about the largest files, and as many searches, that are worked on at once; 0 is the number of processors, at least 2.
    pub work_at_once: usize,
    /// URLs in one question.
    pub urls: usize,
    /// Robots under profiles in one question about a page.
    pub robots: usize,
    /// Robots under profiles or dialects in one question about robots.txt.
    pub checked_robots: usize,
    /// The time of a connection without a request.
    pub idle_timeout: Duration,
    /// The time of a request's head.
    pub head_timeout: Duration,
    /// The time of a request's body, or of a line of a body with a question a line.
    pub body_timeout: Duration,
    /// The time until the answer begins, or for each question of a body with a question a line.
    pub request_timeout: Duration,
    /// The time in which a client must read a part of the answer.
    pub write_timeout: Duration,
}

impl Limits {
    /// Returns the time for which a question waits for a request to a site, whose turn may come later than the question.
    pub(crate) fn max_fetch_wait(&self) -> Duration {
        let wait = self.fetch_timeout.saturating_mul(3).checked_div(2);
        wait.unwrap_or(self.fetch_timeout)
    }

    /// Returns the number of large works at once.
    pub(crate) fn large_works(&self) -> usize {
        if self.work_at_once > 0 {
            return self.work_at_once;
        }
        std::thread::available_parallelism().map_or(2, |number| number.get().max(2))
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 20_000,
            connections_per_client: 256,
            requests_at_once: 512,
            requests_per_client: 32,
            rate_per_client: 50,
            burst_per_client: 200,
            rates: 1 << 17,
            url_bytes: Bytes(8 << 10),
            head_bytes: Bytes(32 << 10),
            header_lines: 100,
            body_bytes: Bytes(8 << 20),
            bodies_bytes: Bytes(256 << 20),
            known_bytes: Bytes(1 << 30),
            fetches_at_once: 64,
            fetches_per_address: 8,
            fetches_per_client: 16,
            fetches_waiting: 1000,
            fetches_waiting_per_address: 250,
            fetch_timeout: Duration::from_secs(30),
            page_pause: Duration::from_secs(1),
            line_bytes: Bytes(2 << 20),
            answer_bytes: Bytes(32 << 20),
            work_at_once: 0,
            urls: 1_000,
            robots: 200,
            checked_robots: 5_000,
            idle_timeout: Duration::from_secs(75),
            head_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(30),
            request_timeout: Duration::from_secs(60),
            write_timeout: Duration::from_secs(30),
        }
    }
}
