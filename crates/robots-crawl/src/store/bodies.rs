//! The bodies of robots.txt and tdmrep.json, each stored once for all origins that have it.
//!
//! A body has a key, made of a hash and its length, and a number of references: the records that name the
//! key. A commit changes records, numbers and bodies together, so they agree after a kill at any
//! moment. A body without references is removed by the commit that removes the last one.

use super::encoding::{encode_body, encoded_keys};
use super::pending::Records;
use redb::{ReadableTable as _, TableDefinition, WriteTransaction};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;

/// Bodies with their checksums, by key.
pub(super) const BODIES: TableDefinition<'_, &[u8; BODY_KEY_BYTES], &[u8]> =
    TableDefinition::new("bodies");

/// The numbers of references, by key. They are a table of their own, since they change more often than
/// bodies.
pub(super) const REFERENCES: TableDefinition<'_, &[u8; BODY_KEY_BYTES], u64> =
    TableDefinition::new("references");

/// The length of a [`BodyKey`] in bytes.
pub(super) const BODY_KEY_BYTES: usize = HASH_BYTES + 4;

/// The number of bytes of a SHA-256 in a key.
const HASH_BYTES: usize = 16;

/// The first 128 bits of a body's SHA-256, and the length of the body in bytes.
///
/// Servers choose their bodies, so the hash must resist attacks: with a weak one, a server could send a
/// body that takes the place of another server's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct BodyKey(pub(super) [u8; BODY_KEY_BYTES]);

impl BodyKey {
    pub(super) fn of(body: &[u8]) -> Self {
        // Stored bodies have at most 1 MiB.
        let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
        let mut key = [0; BODY_KEY_BYTES];
        let bytes = Sha256::digest(body).into_iter().take(HASH_BYTES);
        let bytes = bytes.chain(length.to_le_bytes());
        key.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
        Self(key)
    }
}

/// The changes of bodies and references in one commit.
#[derive(Debug, Default)]
pub(super) struct BodyChanges<'r> {
    /// In the order of the keys, so that each page of the database is written once.
    changes: BTreeMap<BodyKey, BodyChange<'r>>,
}

#[derive(Debug, Default)]
struct BodyChange<'r> {
    /// The number of references by new records.
    added: u64,
    /// The number of references by records that are replaced or forgotten.
    removed: u64,
    /// The body, if a new record refers to it.
    body: Option<&'r [u8]>,
}

impl<'r> BodyChanges<'r> {
    /// Adds the references of new records.
    pub(super) fn of(records: &'r Records) -> Self {
        let mut changes = Self::default();
        let bodies = records.values().flatten().flat_map(|record| &record.bodies);
        for (key, body) in bodies {
            let change = changes.changes.entry(*key).or_default();
            change.added = change.added.saturating_add(1);
            change.body = Some(body.as_slice());
        }
        changes
    }

    /// Removes the references of a record that is replaced or forgotten, given as it was stored.
    ///
    /// If it is damaged, its bodies are not known. They keep their references, and so their place in the
    /// file.
    pub(super) fn release(&mut self, origin: &str, record: &[u8]) {
        for key in encoded_keys(origin, record) {
            let change = self.changes.entry(key).or_default();
            change.removed = change.removed.saturating_add(1);
        }
    }

    /// Writes the changes.
    pub(super) fn write(self, write: &WriteTransaction) -> Result<(), redb::Error> {
        let mut references = write.open_table(REFERENCES)?;
        let mut bodies = write.open_table(BODIES)?;
        for (key, change) in &self.changes {
            let before = references.get(&key.0)?.map_or(0, |count| count.value());
            let after = before
                .saturating_add(change.added)
                .saturating_sub(change.removed);
            if after == 0 {
                references.remove(&key.0)?;
                bodies.remove(&key.0)?;
                continue;
            }
            if after != before {
                references.insert(&key.0, after)?;
            }
            if let Some(body) = change.body {
                let encoded = encode_body(key, body);
                // A body that was damaged on disk is replaced.
                let is_stored = bodies
                    .get(&key.0)?
                    .is_some_and(|stored| stored.value() == encoded);
                if !is_stored {
                    bodies.insert(&key.0, encoded.as_slice())?;
                }
            }
        }
        Ok(())
    }
}
