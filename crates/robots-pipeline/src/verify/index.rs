//! The index of recorded decisions, by their fingerprints.

use super::cells::{
    CAPTURED_AT, Fingerprint, Keys, PAYLOAD_DIGEST, URL, compared_columns, fingerprint,
};
use super::parse_time;
use super::recorded::Recorded;
use crate::error::Error;
use crate::evidence::page_digests::RecordedPages;
use robots_archive::PayloadDigest;
use robots_meta::Timestamp;
use std::collections::HashMap;

/// The recorded decisions.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// The number of rows with this fingerprint, and whether it was found again.
    pub(super) rows: HashMap<Fingerprint, (u64, bool)>,
    /// By the key with the digest of the page: the cells of another decision, if there is one.
    pub(super) by_payload: HashMap<Fingerprint, Option<Box<[String]>>>,
    /// By the key without it: the digest of another page, if there is one.
    pub(super) by_page: HashMap<Fingerprint, Option<String>>,
    pub(super) pages: RecordedPages,
    /// Whether each column is compared.
    pub(super) compared: Vec<bool>,
    /// The time as of which pages were decided, as a cell, and where it is first.
    decided_at: Option<(String, String)>,
}

impl Index {
    pub(super) fn new(compares_bytes: bool, compares_overrides: bool) -> Self {
        let mut index = Self {
            compared: compared_columns(compares_overrides),
            ..Self::default()
        };
        index.pages.compares_bytes = compares_bytes;
        index
    }

    /// Returns the time as of which pages were decided.
    pub(super) fn now(&self) -> Option<Timestamp> {
        parse_time(&self.decided_at.as_ref()?.0)
    }

    /// Adds a row.
    pub(super) fn add(&mut self, row: &Recorded) -> Result<(), Error> {
        let decided_at = row.text("decided_at");
        let (first, place) = self
            .decided_at
            .get_or_insert_with(|| (decided_at.clone(), row.place.to_string()));
        if *first != decided_at {
            return Err(Error::SeveralRuns {
                first: place.clone(),
                other: row.place.to_string(),
            });
        }
        let cell = |position: usize| row.cell(position);
        let keys = Keys::of(cell);
        let entry = self.rows.entry(fingerprint(row.cells(), &self.compared));
        entry.or_default().0 += 1;
        self.by_payload.entry(keys.payload).or_default();
        self.by_page.entry(keys.page).or_default();
        let digest = cell(*PAYLOAD_DIGEST).to_owned().into_boxed_str();
        let digest = if row.text("payload_digest_source") == "archive" {
            PayloadDigest::Stated(digest)
        } else {
            PayloadDigest::Computed(digest)
        };
        let url = row.text_at(*URL);
        self.pages.add(&url, parse_time(cell(*CAPTURED_AT)), digest);
        Ok(())
    }
}
