//! The limits of a service, and their defaults.

use super::value::{Bytes, Time};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use utoipa::ToSchema;

/// The limits of a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct Limits {
    /// Open connections
    pub connections: usize,
    /// Open connections of a client; 0 is no limit
    pub connections_per_client: usize,
    /// Requests that are answered at once
    pub requests_at_once: usize,
    /// Requests of a client that are answered at once; 0 is no limit
    pub requests_per_client: usize,
    /// Requests of a client per second on average; 0 is no limit
    pub rate_per_client: usize,
    /// Requests of a client that may come without a pause
    pub burst_per_client: usize,
    /// The path and query of a request
    pub url_bytes: Bytes,
    /// The request line and header lines of a request, at least 8KiB
    pub head_bytes: Bytes,
    /// The header lines of a request
    pub header_lines: usize,
    /// The body of a request
    pub body_bytes: Bytes,
    /// Questions with more than 64 KiB in their body, answer or page, and streams, at once; a client has up to a quarter of them
    pub bodies_at_once: usize,
    /// What is known about sites in memory; those not asked for recently are dropped
    pub known_bytes: Bytes,
    /// Requests to sites at once
    pub fetches_at_once: usize,
    /// Requests to one address of sites at once
    pub fetches_per_address: usize,
    /// Requests to sites for a client at once, and its others wait; 0 is no limit
    pub fetches_per_client: usize,
    /// Questions that wait for the robots.txt of a site
    pub fetches_waiting: usize,
    /// Requests to sites that wait for their turn at one address
    pub fetches_waiting_per_address: usize,
    /// The time of a request to a site, with redirects and retries
    pub fetch_timeout: Time,
    /// The time between requests for pages of one site
    pub page_pause: Time,
    /// Bytes of a line of /v1/decide/bulk
    pub line_bytes: Bytes,
    /// Bytes of the answer to a question
    pub answer_bytes: Bytes,
    /// Searches, and questions about more than 64 KiB, that are worked on at once; others wait; 0 is the number of processors, at least 2. Each takes up to 40 times the memory of its files
    pub work_at_once: usize,
    /// URLs in a question
    pub urls: usize,
    /// Robots under profiles in a question about a page
    pub robots: usize,
    /// Robots under profiles or dialects in a question to /v1/check or /v1/diff; `all_agents` counts those of the file
    pub checked_robots: usize,
    /// The time until a connection has the whole head of its next request
    pub head_timeout: Time,
    /// The time to receive the whole body of a request, or each line of /v1/decide/bulk
    pub body_timeout: Time,
    /// The time until the answer begins, the body included; in /v1/decide/bulk for each line
    pub request_timeout: Time,
    /// The time in which a client must read some of an answer
    pub write_timeout: Time,
}

impl Limits {
    /// Returns the time for which a question waits for a request to a site, whose turn may come later than the question.
    pub(crate) fn max_fetch_wait(&self) -> Duration {
        self.fetch_timeout.0.saturating_mul(3) / 2
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
        let seconds = |number| Time(Duration::from_secs(number));
        Self {
            connections: 20_000,
            connections_per_client: 256,
            requests_at_once: 512,
            requests_per_client: 32,
            rate_per_client: 50,
            burst_per_client: 200,
            url_bytes: Bytes(8 << 10),
            head_bytes: Bytes(32 << 10),
            header_lines: 100,
            body_bytes: Bytes(8 << 20),
            bodies_at_once: 32,
            known_bytes: Bytes(256 << 20),
            fetches_at_once: 64,
            fetches_per_address: 8,
            fetches_per_client: 16,
            fetches_waiting: 1000,
            fetches_waiting_per_address: 250,
            fetch_timeout: seconds(30),
            page_pause: seconds(1),
            line_bytes: Bytes(2 << 20),
            answer_bytes: Bytes(8 << 20),
            work_at_once: 2,
            urls: 1_000,
            robots: 200,
            checked_robots: 5_000,
            // Longer than proxies keep connections.
            head_timeout: seconds(75),
            body_timeout: seconds(30),
            request_timeout: seconds(60),
            write_timeout: seconds(30),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Limits;

    /// The memory that a byte of a file takes at most while it is worked on.
    const WORK_FACTOR: usize = 40;

    /// The compiled rules of the files that policies keep: 64 MiB as counted, and their allocation.
    const COMPILED_RULES: usize = 104 << 20;

    /// The memory of 20,000 idle connections.
    const CONNECTIONS: usize = 250 << 20;

    #[test]
    fn the_defaults_fit_the_memory_of_the_deployments() {
        let limits = Limits::default();
        let largest = limits.body_bytes.0.max(limits.answer_bytes.0);
        let bound = limits.known_bytes.0
            + limits.bodies_at_once * largest
            + limits.large_works() * WORK_FACTOR * limits.body_bytes.0
            + COMPILED_RULES
            + CONNECTIONS;
        let allowed = 1536;
        assert!(bound <= allowed << 20, "{} MiB", bound >> 20);
        for (file, line) in [
            (
                "deploy/kubernetes.yaml",
                format!("limits: {{memory: {allowed}Mi}}"),
            ),
            (
                "deploy/robots-serve.service",
                format!("MemoryMax={allowed}M"),
            ),
            ("docs/service.md", format!("podman run --memory {allowed}m")),
        ] {
            let path = format!("{}/../../{file}", env!("CARGO_MANIFEST_DIR"));
            let text = std::fs::read_to_string(path).unwrap();
            assert!(text.contains(&line), "{file}: {line}");
        }
    }
}
