//! Asking for robots.txt (RFC 9309, 2.3 and 2.4; `docs/semantics.md`, sections 1.7, 1.8, 2.1 and 8.1).
//!
//! An origin goes in, and what came of one request for its robots.txt comes out ([`Fetched`]),
//! which is what a [`Policy`](robots_policy::Policy) learns from ([`Fetched::as_fetch`]). Nothing is
//! remembered here: when to ask again is for the caller, who gives back the [`Validators`] of his
//! copy.
//!
//! A fetch has an end, whatever a server does: it takes no longer than its total timeout, asks no
//! more often than its redirects and retries allow, and keeps no more than its body limit and one
//! byte. Addresses that are not public are not asked ([`FetcherBuilder::allow_addresses`] has
//! exceptions), so that nobody's redirect or name server leads into the network of the caller.
//!
//! [`chase`] makes the requests, [`page`] those for pages, [`guard`] says which addresses may be asked, [`fault`] names what
//! went wrong, and [`freshness`] reads the headers about time.

mod backoff;
mod builder;
mod chase;
mod fault;
mod fetched;
mod freshness;
mod guard;
mod page;

pub use builder::{FetcherBuilder, FetcherError, FetcherErrorKind};
pub use fault::{Fault, FaultDetail};
pub use fetched::{Fetched, Hop};
pub use freshness::MAX_RETRY_AFTER;
pub use page::PageResponse;

use crate::next_request::Validators;
use chase::Chase;
use guard::Guard;
use robots_policy::Origin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// Asks origins for their robots.txt. Cheap to clone; all clones share one bound on the requests
/// at once ([`FetcherBuilder::with_requests_at_once`]).
///
/// ```
/// use robots_crawl::{Fetcher, Validators};
/// use robots_policy::{Origin, Policy};
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let fetcher = Fetcher::builder("ExampleBot/1.0 (+https://example.com/bot)").build()?;
/// let policy = Policy::new("ExampleBot");
///
/// let url = "https://example.com/offers";
/// let fetched = fetcher.fetch(&Origin::of(url)?, &Validators::default()).await;
/// if let Some(fault) = fetched.fault() {
///     eprintln!("{url}: {fault}");
/// }
/// policy.learn(url, fetched.as_fetch())?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Fetcher {
    shared: Arc<Shared>,
}

/// What all clones have in common.
#[derive(Debug)]
struct Shared {
    client: reqwest::Client,
    guard: Guard,
    /// As many as there may be fetches at once. It is never closed.
    permits: Arc<Semaphore>,
    limits: Limits,
}

#[derive(Debug, Clone, Copy)]
struct Limits {
    /// For all of a fetch: redirects, retries, and the pauses between them.
    total: Duration,
    /// From a request to its headers, and from chunk to chunk.
    idle: Duration,
    /// For the name, the connection and TLS.
    connect: Duration,
    /// In bytes, decoded.
    body: usize,
    redirects: usize,
    retries: u32,
}

impl Fetcher {
    /// A fetcher with this `User-Agent`, as it is sent: the name of the robot, and where to read
    /// about it.
    pub fn builder(user_agent: &str) -> FetcherBuilder {
        FetcherBuilder::new(user_agent)
    }

    /// Asks an origin for its robots.txt, and follows redirects to any host (RFC 9309, 2.3.1.2).
    ///
    /// With validators of an earlier answer, the server may say that nothing has changed: status
    /// 304. Without, [`Validators::default`] is for the first time.
    ///
    /// It waits for its turn if there are as many fetches as there may be at once; no timeout runs
    /// in that time. It is to be polled in a Tokio runtime that has timers and I/O. Dropping it
    /// ends the request and closes its connection. What the operating system still looks up in the
    /// name service then goes on to its end, and nothing comes of it.
    pub async fn fetch(&self, origin: &Origin, validators: &Validators) -> Fetched {
        let _permit = self.shared.permits.acquire().await.ok();
        Chase::new(&self.shared, origin, validators).run().await
    }
}
