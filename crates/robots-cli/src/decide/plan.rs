//! How archives are cut into parts.

use super::source::{Source, at, begins_with_gzip};
use anyhow::Result;
use robots_archive::Packing;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::sync::Arc;

/// How many bytes of a gzip file a part has: 1 MiB.
pub(super) const PART: u64 = 1 << 20;

/// Where a part begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Start {
    /// At the beginning of the archive.
    First,
    /// At this offset, in what the archive is.
    At(u64, Packing),
    /// At this offset, as an index says.
    Listed(u64),
}

impl Start {
    pub(super) fn offset(self) -> u64 {
        match self {
            Self::First => 0,
            Self::At(offset, _) | Self::Listed(offset) => offset,
        }
    }
}

/// A part of an archive.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// The index of the archive.
    pub(super) source: usize,
    pub(super) file: Arc<File>,
    /// From where on the first record is looked for, if it is not known where it begins.
    pub(super) from: u64,
    pub(super) start: Option<Start>,
    /// Records that begin here or behind are of other parts.
    pub(super) until: u64,
}

/// The parts of archives, in order. An archive is opened when its first part is asked for.
pub(super) struct Plan<'s, 'f> {
    sources: &'s [Source<'f>],
    /// The archive that is next.
    next: usize,
    open: Option<OpenSource>,
}

/// An archive of which parts are still to be given.
struct OpenSource {
    index: usize,
    file: Arc<File>,
    start: Start,
    /// The number of the part that is next.
    part: u64,
    parts: u64,
}

impl<'s, 'f> Plan<'s, 'f> {
    pub(super) fn new(sources: &'s [Source<'f>]) -> Self {
        Self {
            sources,
            next: 0,
            open: None,
        }
    }
}

impl Iterator for Plan<'_, '_> {
    /// The index of the archive, and a part of it, unless it cannot be opened.
    type Item = (usize, Result<Part>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(open) = &mut self.open
                && open.part < open.parts
            {
                let number = open.part;
                open.part = number.saturating_add(1);
                let from = number.saturating_mul(PART);
                let until = if open.part >= open.parts {
                    u64::MAX
                } else {
                    open.part.saturating_mul(PART)
                };
                let is_first = open.start.offset() >= from;
                let mut start = is_first.then_some(open.start);
                let source = self.sources.get(open.index)?;
                if source.listed.is_some() {
                    let from = from.max(open.start.offset());
                    start = source.next_listed(from).map(Start::Listed);
                    if start.is_none_or(|start| start.offset() >= until) {
                        continue;
                    }
                }
                let part = Part {
                    source: open.index,
                    file: Arc::clone(&open.file),
                    from,
                    start,
                    until,
                };
                return Some((open.index, Ok(part)));
            }
            let index = self.next;
            let source = self.sources.get(index)?;
            self.next = index.saturating_add(1);
            if source.listed.is_some_and(<[u64]>::is_empty) {
                continue;
            }
            match source.archive.open() {
                Ok(file) => {
                    let bytes = source.archive.bytes;
                    let parts = match source.listed {
                        Some(_) => bytes.div_ceil(PART).max(1),
                        None => parts_of(&file, bytes),
                    };
                    let part = source.start.offset().div_euclid(PART);
                    self.open = Some(OpenSource {
                        index,
                        file,
                        start: source.start,
                        part: part.min(parts.saturating_sub(1)),
                        parts,
                    });
                }
                Err(error) => {
                    self.open = None;
                    return Some((index, Err(error)));
                }
            }
        }
    }
}

/// How many parts an archive of so many bytes is cut into.
fn parts_of(file: &File, bytes: u64) -> u64 {
    if begins_with_gzip(at(file, 0)) {
        bytes.div_ceil(PART).max(1)
    } else {
        1
    }
}
