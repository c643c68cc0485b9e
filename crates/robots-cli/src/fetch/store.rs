//! The store of a run: the outcomes that its archive has.

use super::replay::Outcome;
use anyhow::{Context, Result};
use robots_crawl::DiskStore;
use robots_crawl::store::{StoreError, StoreErrorKind};
use robots_pipeline::text::path_text;
use std::path::Path;

/// A store that learns the outcomes of an archive.
#[derive(Debug)]
pub(super) struct Store {
    disk: DiskStore,
    /// The first failure. After it, nothing more is written.
    error: Option<StoreError>,
    has_warned: bool,
}

impl Store {
    /// Opens or creates a store.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let mut store = Self {
            disk: DiskStore::open(path)?,
            error: None,
            has_warned: false,
        };
        store.warn();
        Ok(store)
    }

    /// Reports that the file was damaged, once.
    fn warn(&mut self) {
        if let Some(warning) = self.disk.warning().filter(|_| !self.has_warned) {
            notice!("warning: {warning}");
            self.has_warned = true;
        }
    }

    /// Learns an outcome, unless the store has a later one. A failure is kept for [`check`](Self::check).
    pub(super) fn learn(&mut self, outcome: &Outcome<'_>) {
        if self.error.is_none() {
            self.error = self.put(outcome).err();
        }
    }

    fn put(&self, outcome: &Outcome<'_>) -> Result<(), StoreError> {
        let known = match self.disk.get(outcome.origin) {
            // The archive has the outcomes that a damaged record lost.
            Err(error) if matches!(error.kind(), StoreErrorKind::Damaged { .. }) => None,
            known => known?,
        };
        let known = known.unwrap_or_default();
        if outcome.at < known.outcomes.last_request() {
            return Ok(());
        }
        let mut record = known.clone();
        record.add_outcome(outcome.fetch, outcome.at);
        // An earlier run has stored this outcome already, with its validators.
        if record.outcomes == known.outcomes {
            return Ok(());
        }
        self.disk.put(outcome.origin, &record)
    }

    /// Checks that the store has all outcomes so far, those of the archive at this path.
    ///
    /// # Errors
    ///
    /// If the store lacks outcomes of the archive.
    pub(super) fn check(&mut self, archive: Option<&Path>) -> Result<()> {
        self.warn();
        let written = self.error.take().map_or(Ok(()), Err);
        written.with_context(|| match archive.map(path_text) {
            Some(name) => {
                format!("the store lacks responses of {name}; repeat the command with --resume")
            }
            None => "the store lacks responses of this run; repeat the command".to_owned(),
        })
    }
}
