//! The decisions that are made again: a sink that finds their fingerprints among the recorded ones.

use super::cells::{COLUMNS, Keys, PAYLOAD_DIGEST, fingerprint};
use super::index::Index;
use crate::robots::capture_book::CaptureBook;
use crate::sink::csv::cell;
use crate::sink::{RowContext, Sink};
use robots_policy::Decision;
use std::borrow::Cow;
use std::io;

/// The decisions that are made again.
#[derive(Debug)]
pub(super) struct Again {
    pub(super) index: Index,
    /// The captures of robots.txt in the archives.
    pub(super) book: Option<CaptureBook>,
}

impl Again {
    pub(super) fn new(index: Index) -> Self {
        Self { index, book: None }
    }

    /// Returns the number of recorded decisions that were found again.
    pub(super) fn equal(&self) -> u64 {
        let found = self.index.rows.values().filter(|(_, is_found)| *is_found);
        found.map(|(count, _)| count).sum()
    }
}

impl Sink for Again {
    fn write(&mut self, row: &RowContext<'_>, decision: &Decision) -> io::Result<()> {
        let columns = COLUMNS.iter();
        let cells: Vec<Cow<'_, str>> = columns
            .map(|column| cell(column.value(row, decision)))
            .collect();
        let texts = cells.iter().map(|cell| &**cell);
        let fingerprint = fingerprint(texts, &self.index.compared);
        if let Some((_, is_found)) = self.index.rows.get_mut(&fingerprint) {
            *is_found = true;
            return Ok(());
        }
        let text = |position: usize| cells.get(position).map_or("", |cell| &**cell);
        let keys = Keys::of(text);
        if let Some(other) = self.index.by_payload.get_mut(&keys.payload) {
            other.get_or_insert_with(|| cells.iter().map(ToString::to_string).collect());
        } else if let Some(digest) = self.index.by_page.get_mut(&keys.page) {
            digest.get_or_insert_with(|| text(*PAYLOAD_DIGEST).to_owned());
        }
        Ok(())
    }
}
