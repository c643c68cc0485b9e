//! Requests for robots.txt and pages (RFC 9309, sections 2.3 and 2.4; `docs/semantics.md`, sections 1.7,
//! 1.8, 2.1 and 8.1).
//!
//! A fetcher requests the robots.txt of an origin once, and returns the outcome ([`Fetched`]), from which a
//! [`Policy`](robots_policy::Policy) learns ([`Fetched::as_fetch`]). A fetcher has no memory: the caller
//! decides when to repeat a request, and passes the [`Validators`] of its copy.
//!
//! A fetch always ends within its total timeout, apart from the wait for its turn. It keeps one byte more of a body
//! than its limit ([`RFC9309_SIZE_LIMIT`]), to notice a longer body. Requests go to public addresses only
//! ([`FetcherBuilder::allow_addresses`] makes exceptions), so that no redirect and no name server leads into the caller's network.
//!
//! `robots_request` makes the requests for robots.txt, `terms` those for tdmrep.json and licences, `page` those for pages; `address` permits addresses,
//! `turn` limits simultaneous requests, `sent_url` has the URLs as they are sent, `client` makes one request, `head` reads heads with
//! invalid lines, `coding` undoes content codings, `fault` names failures, and `freshness` reads the headers about time.

mod address;
mod builder;
mod client;
mod coding;
mod fault;
mod fetched;
mod freshness;
mod head;
mod page;
mod robots_request;
mod sent_url;
mod terms;
mod turn;

pub use builder::{DEFAULT_PER_ADDRESS, FetcherBuilder, FetcherError};
pub use fault::{FaultDetail, FetchFault, MAX_FAULT_TEXT};
pub use fetched::{Fetched, Hop, replayed};
pub use freshness::MAX_RETRY_AFTER;
pub use page::{PageBody, PageResponse};
pub use sent_url::redirect_target;

use crate::next_request::Validators;
use address::PermittedAddresses;
use http::HeaderMap;
use robots_policy::origins::Origin;
use robots_request::RobotsRequest;
use robots_txt::limits::RFC9309_SIZE_LIMIT;
use rustls::ClientConfig;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use turn::AddressLimit;
pub(crate) use turn::TurnLimits;
use url::Url;

/// A client for robots.txt and pages. Cheap to clone; all clones share the limits of simultaneous requests
/// ([`FetcherBuilder::with_requests_at_once`], [`FetcherBuilder::with_requests_per_address`]).
///
/// ```
/// use robots_crawl::{Fetcher, Validators};
/// use robots_policy::Policy;
/// use robots_policy::origins::Origin;
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let fetcher = Fetcher::builder("ExampleBot/1.0 (+https://example.com/bot)").build()?;
/// let policy = Policy::new("ExampleBot")?;
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
    turn_limits: TurnLimits,
}

/// The parts that all clones share.
#[derive(Debug)]
struct Shared {
    /// The header lines of every request.
    headers: HeaderMap,
    tls: Arc<ClientConfig>,
    addresses: PermittedAddresses,
    /// One for each simultaneous request. It is never closed.
    permits: Arc<Semaphore>,
    per_address: AddressLimit,
    limits: FetchLimits,
}

#[derive(Debug, Clone, Copy)]
struct FetchLimits {
    /// For a whole fetch: redirects, retries, and the pauses between them.
    total: Duration,
    /// From one chunk of a body to the next.
    idle: Duration,
    /// For the name, the connection and TLS.
    connect: Duration,
    redirects: usize,
    retries: u32,
}

impl FetchLimits {
    /// From the start of a request to its headers: the time includes the connection, so it may take both timeouts together.
    fn headers(&self) -> Duration {
        self.connect.saturating_add(self.idle)
    }
}

/// Waits for work, up to a limit, and to the time that is left of the total timeout.
async fn within<T>(
    limit: Duration,
    left: Duration,
    work: impl Future<Output = T>,
) -> Result<T, FetchFault> {
    let ended = tokio::time::timeout(limit.min(left), work).await;
    ended.map_err(|_| {
        if left <= limit {
            FetchFault::Timeout
        } else {
            FetchFault::IdleTimeout
        }
    })
}

impl Fetcher {
    /// Returns the options of a fetcher with this `User-Agent` header: the name of the robot, and a URL about
    /// it.
    pub fn builder(user_agent: &str) -> FetcherBuilder {
        FetcherBuilder::new(user_agent)
    }

    /// Requests the robots.txt of an origin, and follows redirects to any host (RFC 9309, section
    /// 2.3.1.2).
    ///
    /// With the validators of an earlier response, the server may answer that nothing has changed: status
    /// 304. [`Validators::default`] is for the first request.
    ///
    /// A request waits for its turn if a limit of simultaneous requests is reached, in total or at an address. No
    /// timeout runs in that time. (For the fetcher of a [`KnownRobots`](crate::KnownRobots), the wait and the queue are limited:
    /// [`FetchFault::NoTurn`].)
    ///
    /// The future needs a Tokio runtime with timers and I/O. Dropping it ends the request and closes its connection;
    /// a name look-up of the operating system may still run to its end.
    pub async fn fetch(&self, origin: &Origin, validators: &Validators) -> Fetched {
        let url = origin.robots_url();
        let url = Url::parse(&url).map_err(|_| url);
        RobotsRequest::new(self, url, validators, RFC9309_SIZE_LIMIT)
            .run()
            .await
    }

    /// Limits the wait of this clone's requests for their turns.
    pub(crate) fn with_turn_limits(self, turn_limits: TurnLimits) -> Self {
        Self {
            turn_limits,
            ..self
        }
    }
}
