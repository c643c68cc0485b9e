//! The fetcher of the commands that request from sites, and the runtime of those that wait for each request.

use anyhow::{Context, Result};
use robots_crawl::{Fetcher, FetcherBuilder};
use tokio::runtime::{Builder, Runtime};

/// Returns the options of a fetcher that sends these headers.
pub(crate) fn builder(
    user_agent: &str,
    from: Option<&str>,
    allows_private_addresses: bool,
) -> FetcherBuilder {
    let mut fetcher = Fetcher::builder(user_agent);
    if let Some(from) = from {
        fetcher = fetcher.with_from(from);
    }
    if allows_private_addresses {
        fetcher = fetcher.allow_private_addresses();
    }
    fetcher
}

/// Returns a runtime of the present thread. End it with `shutdown_background`: to drop it would wait for the system to find names
/// whose requests have ended.
pub(crate) fn runtime() -> Result<Runtime> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the network runtime")
}
