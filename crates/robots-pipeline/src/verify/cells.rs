//! The cells of a row: the texts that CSV has. So rows of all formats are compared in one way.

use crate::sink::columns::{
    Column, columns, evidence_columns, explanation_columns, is_evidence, is_override,
    override_columns,
};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::LazyLock;

/// The columns of a row of decisions with evidence. Those of overrides may be missing, and their cells are then empty.
pub(super) static COLUMNS: LazyLock<Vec<Column>> = LazyLock::new(|| {
    let others = explanation_columns().chain(evidence_columns());
    let others = others.chain(override_columns());
    columns().chain(others).collect()
});

/// The columns that are not compared: places, and what may differ without effect on the decision. The profile and the time of the
/// decision are the same, or it is not made again.
const NOT_COMPARED: [&str; 11] = [
    "file",
    "offset",
    "evidence_version",
    "robots_file",
    "robots_offset",
    "terms_places",
    "payload_digest_source",
    "decided_at",
    "profile_digest",
    "program",
    "agents_date",
];

/// Returns whether each column is compared: all but places and the like, and those of overrides only `with_overrides`.
pub(super) fn compared_columns(with_overrides: bool) -> Vec<bool> {
    let names = COLUMNS.iter().map(|column| column.name());
    let is_compared =
        |name| !NOT_COMPARED.contains(&name) && (with_overrides || !is_override(name));
    names.map(is_compared).collect()
}

/// Returns the position of a column.
pub(super) fn position(name: &str) -> Option<usize> {
    static POSITIONS: LazyLock<HashMap<&str, usize>> = LazyLock::new(|| {
        let names = COLUMNS.iter().enumerate();
        names.map(|(at, column)| (column.name(), at)).collect()
    });
    POSITIONS.get(name).copied()
}

/// The source of the cells of a column in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JsonSource {
    /// The decision.
    Decision,
    /// A key of its own, which rows with evidence have.
    Key,
    /// A key of its own that may be missing.
    OptionalKey,
}

/// The source of each column.
pub(super) static JSON_SOURCES: LazyLock<Vec<JsonSource>> = LazyLock::new(|| {
    let names = COLUMNS.iter().map(|column| column.name());
    let source = |name| {
        if is_override(name) {
            JsonSource::OptionalKey
        } else if is_evidence(name) || ["file", "offset", "status"].contains(&name) {
            JsonSource::Key
        } else {
            JsonSource::Decision
        }
    };
    names.map(source).collect()
});

/// The position of a column that exists.
macro_rules! positions {
    ($($constant:ident $name:literal)*) => {$(
        pub(super) static $constant: LazyLock<usize> =
            LazyLock::new(|| position($name).unwrap_or(usize::MAX));
    )*};
}

positions! {
    URL "url"
    AGENT "agent"
    PROFILE "profile"
    CAPTURED_AT "captured_at"
    PAYLOAD_DIGEST "payload_digest"
}

/// The hash of some cells.
pub(super) type Fingerprint = [u8; 32];

/// Hashes cells, each with its length.
#[derive(Default)]
pub(super) struct Hasher(Sha256);

impl Hasher {
    pub(super) fn add(&mut self, cell: &str) {
        self.0.update((cell.len() as u64).to_le_bytes());
        self.0.update(cell.as_bytes());
    }

    pub(super) fn finish(self) -> Fingerprint {
        self.0.finalize().into()
    }
}

/// Returns the hash of all cells of a row that are compared.
pub(super) fn fingerprint<'c>(
    cells: impl Iterator<Item = &'c str>,
    compared: &[bool],
) -> Fingerprint {
    let mut hasher = Hasher::default();
    for (cell, is_compared) in cells.zip(compared) {
        if *is_compared {
            hasher.add(cell);
        }
    }
    hasher.finish()
}

/// The keys of a row: of its page by URL and time, and of this with the digest; each with robot and profile.
pub(super) struct Keys {
    pub(super) page: Fingerprint,
    pub(super) payload: Fingerprint,
}

impl Keys {
    pub(super) fn of<'c>(cell: impl Fn(usize) -> &'c str) -> Self {
        let mut hasher = Hasher::default();
        for position in [&URL, &AGENT, &PROFILE, &CAPTURED_AT] {
            hasher.add(cell(**position));
        }
        let page = hasher.0.clone().finalize().into();
        hasher.add(cell(*PAYLOAD_DIGEST));
        Self {
            page,
            payload: hasher.finish(),
        }
    }
}
