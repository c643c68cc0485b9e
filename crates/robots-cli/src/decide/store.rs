//! The robots.txt of origins in a store, for decisions.

use anyhow::{Result, bail};
use robots_crawl::DiskStore;
use robots_crawl::store::{FileBytes, StoreError};
use robots_meta::Timestamp;
use robots_pipeline::KnownStates;
use robots_pipeline::text::path_text;
use robots_policy::Policies;
use robots_policy::origins::Origin;
use robots_policy::robots::RobotsState;
use robots_policy::site::SiteRules;
use std::path::Path;
use std::sync::OnceLock;

/// A store that is read.
#[derive(Debug)]
pub(super) struct Stored {
    disk: DiskStore,
    /// The first failure.
    error: OnceLock<StoreError>,
}

impl Stored {
    /// Opens a store that exists.
    pub(super) fn open(path: &Path) -> Result<Self> {
        // The error of the library does not name the command that creates a store.
        let name = path_text(path);
        if !path.exists() {
            bail!("there is no store {name}; `robots fetch --store` creates one");
        }
        let metadata = path.metadata();
        if metadata.is_ok_and(|metadata| metadata.is_file() && metadata.len() == 0) {
            bail!("{name} is empty, not a store; `robots fetch --store` creates one");
        }
        Ok(Self {
            disk: DiskStore::open_existing(path)?,
            error: OnceLock::new(),
        })
    }

    /// Returns the first failure.
    pub(super) fn error(&self) -> Option<&StoreError> {
        self.error.get()
    }
}

impl KnownStates for Stored {
    fn states(
        &self,
        policies: &Policies,
        origin: &Origin,
        date: Option<Timestamp>,
    ) -> Vec<RobotsState<SiteRules>> {
        let record = self.disk.get(origin).unwrap_or_else(|error| {
            // Later failures are not kept.
            let _ = self.error.set(error);
            None
        });
        let outcomes = record.unwrap_or_default().outcomes;
        let states = policies.iter().map(|policy| {
            let state = outcomes.archived_state(policy.profile().outcomes(), date);
            state.map(|body| policy.compile(body.map_or(&[][..], FileBytes::as_slice)))
        });
        states.collect()
    }
}
