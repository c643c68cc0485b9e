//! The errors of the commands that request from sites, and the runtime of those that wait for each request.

use crate::resources;
use anyhow::{Context, Error, Result, anyhow};
use robots_crawl::{FetchFault, Fetched};
use robots_pipeline::text::with_causes;
use robots_policy::origins::Origin;
use tokio::runtime::{Builder, Runtime};

/// Fails if no host was asked: then no verdict about the site follows.
pub(crate) fn check_host(origin: &Origin, fetched: &Fetched) -> Result<()> {
    match fetched.host_fault() {
        Some(fault) => Err(host_error(origin, fault)),
        None => Ok(()),
    }
}

/// Returns the error of a host that was not asked ([`FetchFault::is_of_host`]).
pub(crate) fn host_error(origin: &Origin, fault: &FetchFault) -> Error {
    match fault {
        FetchFault::PrivateAddress(address) => anyhow!(
            "{origin}: this program refused to connect to a private address, {address}: --allow-private permits it"
        ),
        fault => anyhow!("{origin}: {}", with_causes(fault)),
    }
}

/// Returns a runtime of the present thread. End it with `shutdown_background`: to drop it would wait for the system to find names
/// whose requests have ended.
pub(crate) fn runtime() -> Result<Runtime> {
    resources::check_for_runtime()?;
    Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the network runtime")
}
