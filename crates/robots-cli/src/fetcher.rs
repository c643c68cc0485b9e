//! The fetcher of the commands that request from sites.

use robots_crawl::{Fetcher, FetcherBuilder};

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
