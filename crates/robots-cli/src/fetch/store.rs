//! The store of a run: the outcomes that its archive has.

use super::replay::Outcome;
use anyhow::{Context, Result};
use robots_crawl::store::{StoreError, StoreErrorKind};
use robots_crawl::{DiskStore, Validators};
use robots_pipeline::text::path_text;
use robots_policy::origins::OriginChange;
use std::path::Path;

/// The number of sites after which the store is written.
const COMMIT_EVERY: usize = 1_000;

/// A store that learns the outcomes of an archive.
#[derive(Debug)]
pub(super) struct Store {
    disk: DiskStore,
    /// The first failure. After it, nothing more can be written.
    error: Option<StoreError>,
}

impl Store {
    /// Opens or creates a store.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let disk = DiskStore::open(path)?.with_commit_every(COMMIT_EVERY);
        if let Some(warning) = disk.warning() {
            notice!("warning: {warning}");
        }
        Ok(Self { disk, error: None })
    }

    /// Learns an outcome, unless the store has a later one. A failure is kept for [`commit`](Self::commit).
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
        let change = OriginChange::Robots {
            fetch: outcome.fetch,
            at: outcome.at,
        };
        record.apply(&change);
        // An earlier run has stored this outcome already, with its validators.
        if record == known {
            return Ok(());
        }
        // The stored validators belong to an earlier response. The archive does not have those of this one.
        record.next.validators = Validators::default();
        self.disk.put(outcome.origin, &record)
    }

    /// Makes all outcomes so far durable, those of the archive at this path.
    ///
    /// # Errors
    ///
    /// If the store lacks outcomes of the archive.
    pub(super) fn commit(&mut self, archive: Option<&Path>) -> Result<()> {
        let written = self.error.take().map_or_else(|| self.disk.commit(), Err);
        written.with_context(|| match archive.map(path_text) {
            Some(name) => {
                format!("the store lacks responses of {name}; repeat the command with --resume")
            }
            None => "the store lacks responses of this run; repeat the command".to_owned(),
        })
    }
}
