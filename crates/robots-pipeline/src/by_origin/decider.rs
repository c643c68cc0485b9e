//! Decisions about the pages of one origin after another.

use super::error::SortedRowError;
use super::page_bytes::PageCodec;
use crate::evidence::RunFacts;
use crate::robots::capture_book::{CaptureBook, RobotsAt};
use crate::robots::capture_row::CaptureRow;
use crate::sink::{RowContext, Sink};
use robots_meta::Timestamp;
use robots_policy::Policies;
use robots_policy::origins::Origin;
use std::sync::Arc;

/// The group of a row: the rows of a group are decided together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(
    clippy::exhaustive_structs,
    reason = "a key and a number: a group has no more"
)]
pub struct Group<'a> {
    /// The key of the origin; empty for pages without one.
    pub key: &'a str,
    /// The number of the part of the origin's pages. Each part has all captures of the origin.
    pub salt: i64,
}

/// A decider about pages and captures that are sorted by group, the captures of a group before its pages.
///
/// Of the captures of a URL in the same second, the later one counts. Only the captures of one group are in memory.
#[derive(Debug)]
pub struct OriginDecider {
    policies: Arc<Policies>,
    codec: PageCodec,
    now: Option<Timestamp>,
    /// If rows have evidence.
    facts: Option<RunFacts>,
    group: Option<KnownGroup>,
}

/// A group whose rows are being read.
#[derive(Debug)]
struct KnownGroup {
    key: String,
    salt: i64,
    /// `None` for pages without an origin.
    origin: Option<Origin>,
    book: CaptureBook,
    /// Whether a page was decided.
    has_pages: bool,
}

impl OriginDecider {
    /// Returns a decider that decides as of a time, or without one. The policies must be those for which the pages were read.
    pub fn new(policies: Arc<Policies>, now: impl Into<Option<Timestamp>>) -> Self {
        let now = now.into();
        Self {
            codec: PageCodec::new(&policies),
            facts: None,
            policies,
            now,
            group: None,
        }
    }

    /// Adds evidence to rows, of pages that were read with it ([`Options::evidence`](crate::Options::evidence)).
    #[must_use]
    pub fn with_evidence(mut self) -> Self {
        self.facts = Some(RunFacts::new(&self.policies, self.now));
        self
    }

    /// Adds a capture to a group.
    ///
    /// # Errors
    ///
    /// If rows are not sorted, or the row is not a capture.
    pub fn add_capture(
        &mut self,
        group: Group<'_>,
        row: &CaptureRow<'_>,
    ) -> Result<(), SortedRowError> {
        let group = enter(&mut self.group, &self.policies, group)?;
        if group.has_pages {
            return Err(SortedRowError::LateCapture(group.key.clone()));
        }
        let added = group.book.add_row(row);
        added.map_err(|source| SortedRowError::Capture {
            key: group.key.clone(),
            source,
        })
    }

    /// Decides a page of a group, and writes a row for each policy. `file` is its archive, and `facts` are those of
    /// [`UndecidedPage`](super::UndecidedPage).
    ///
    /// # Errors
    ///
    /// If rows are not sorted, if the facts are damaged, of other policies or without the evidence that rows have, if the page is not of
    /// the origin of the group, or if a row cannot be written.
    pub fn decide(
        &mut self,
        group: Group<'_>,
        file: &str,
        facts: &[u8],
        rows: &mut dyn Sink,
    ) -> Result<(), SortedRowError> {
        let group = enter(&mut self.group, &self.policies, group)?;
        group.has_pages = true;
        let page = self.codec.read(facts)?;
        let at = match (Origin::of(&page.url).ok(), &group.origin) {
            (Some(origin), Some(known)) if origin == *known => {
                group.book.robots_at(&origin, page.date)
            }
            (None, None) => RobotsAt::default(),
            _ => {
                return Err(SortedRowError::OtherOrigin {
                    url: page.url,
                    key: group.key.clone(),
                });
            }
        };
        let payload = page.digest.as_ref();
        if self.facts.is_some() && payload.is_none() {
            return Err(SortedRowError::NoDigest);
        }
        let row = page.place.row(file, page.status);
        for (index, policy) in self.policies.iter().enumerate() {
            let page_of = page.page(index).at(self.now);
            let (decision, sources) =
                at.decide(index, policy, page_of, page.date, Some(&group.book));
            let evidence = self.facts.as_ref();
            let evidence = evidence.map(|run| run.evidence(index, &sources, page.date, payload));
            let row = RowContext { evidence, ..row };
            rows.write(&row, &decision).map_err(SortedRowError::Write)?;
        }
        Ok(())
    }
}

/// Returns the known group, or else begins another, which must come after it.
fn enter<'g>(
    known: &'g mut Option<KnownGroup>,
    policies: &Arc<Policies>,
    group: Group<'_>,
) -> Result<&'g mut KnownGroup, SortedRowError> {
    if let Some(known) = known {
        let before = Group {
            key: &known.key,
            salt: known.salt,
        };
        if group < before {
            return Err(SortedRowError::NotSorted {
                found: group.key.to_owned(),
                before: known.key.clone(),
            });
        }
        if group > before {
            *known = KnownGroup::new(policies, group);
        }
    }
    Ok(known.get_or_insert_with(|| KnownGroup::new(policies, group)))
}

impl KnownGroup {
    fn new(policies: &Arc<Policies>, group: Group<'_>) -> Self {
        Self {
            key: group.key.to_owned(),
            salt: group.salt,
            origin: Origin::of(group.key).ok(),
            book: CaptureBook::new(policies),
            has_pages: false,
        }
    }
}
