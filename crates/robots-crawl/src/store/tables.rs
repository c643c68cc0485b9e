//! The tables of a store: records by origin, bodies by key, and the numbers of their references.

use super::bodies::{BODIES, BODY_KEY_BYTES, BodyChanges, BodyKey, REFERENCES};
use super::encoding::decode_body;
use super::pending::Records;
use super::record::FileBytes;
use redb::{
    AccessGuard, Database, Durability, ReadOnlyTable, ReadableDatabase as _,
    ReadableTableMetadata as _, StorageError, TableDefinition, WriteTransaction,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};

/// Records by origin. The key is bytes, as redb validates the UTF-8 of `&str` keys at each comparison.
const ORIGINS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("origins");

/// A database with the tables of a store.
#[derive(Debug)]
pub(super) struct Tables {
    /// The tables as the last commit left them. The first look-up after a commit opens them, and they stay open until the next
    /// commit, because opening costs as much as a look-up.
    snapshot: RwLock<Option<Arc<Snapshot>>>,
    /// `None` while it is dropped.
    database: Option<Database>,
}

impl Tables {
    /// Creates the tables in a new database.
    pub(super) fn create(database: Database) -> Result<Self, redb::Error> {
        let write = begin_write(&database)?;
        write.open_table(ORIGINS)?;
        write.open_table(BODIES)?;
        write.open_table(REFERENCES)?;
        write.commit()?;
        Self::open(database)
    }

    /// Opens the tables of a database, and checks that it has them.
    pub(super) fn open(database: Database) -> Result<Self, redb::Error> {
        // The snapshot opens the other two tables.
        database.begin_read()?.open_table(REFERENCES)?;
        let tables = Self {
            snapshot: RwLock::default(),
            database: Some(database),
        };
        tables.snapshot()?;
        Ok(tables)
    }

    /// Returns the tables as the last commit left them.
    pub(super) fn snapshot(&self) -> Result<Arc<Snapshot>, redb::Error> {
        let last = self.snapshot.read();
        if let Some(snapshot) = &*last.unwrap_or_else(PoisonError::into_inner) {
            return Ok(Arc::clone(snapshot));
        }
        // Locked while the snapshot is made, so that a commit that ends meanwhile drops the snapshot afterwards.
        let mut last = self.last_snapshot();
        let snapshot = match &*last {
            Some(snapshot) => Arc::clone(snapshot),
            None => Arc::new(Snapshot::of(self.database()?)?),
        };
        *last = Some(Arc::clone(&snapshot));
        Ok(snapshot)
    }

    /// Writes changes of records in one commit.
    pub(super) fn write(&self, records: &Records) -> Result<(), redb::Error> {
        let write = begin_write(self.database()?)?;
        let mut bodies = BodyChanges::of(records);
        {
            let mut origins = write.open_table(ORIGINS)?;
            for (origin, encoded) in records {
                let before = match encoded {
                    Some(encoded) => {
                        origins.insert(origin.as_bytes(), encoded.record.as_slice())?
                    }
                    None => origins.remove(origin.as_bytes())?,
                };
                if let Some(before) = before {
                    bodies.release(origin, before.value());
                }
            }
        }
        bodies.write(&write)?;
        write.commit()?;
        *self.last_snapshot() = None;
        Ok(())
    }

    /// Makes the file as small as it can be.
    pub(super) fn compact(&mut self) -> Result<(), redb::Error> {
        // redb compacts only without open snapshots.
        *self.last_snapshot() = None;
        let database = self.database.as_mut();
        database.ok_or(redb::Error::DatabaseClosed)?.compact()?;
        begin_write(self.database()?)?.commit()?;
        Ok(())
    }

    fn database(&self) -> Result<&Database, redb::Error> {
        self.database.as_ref().ok_or(redb::Error::DatabaseClosed)
    }

    fn last_snapshot(&self) -> RwLockWriteGuard<'_, Option<Arc<Snapshot>>> {
        self.snapshot
            .write()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Tables {
    fn drop(&mut self) {
        let database = self.database.take();
        // redb reads the file when it closes it, and may panic if blocks do not belong together.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(database)));
    }
}

/// Begins a commit. It writes the state of the file's pages, too, so that the next opening does not read them all.
fn begin_write(database: &Database) -> Result<WriteTransaction, redb::Error> {
    let mut write = database.begin_write()?;
    write.set_durability(Durability::Immediate)?;
    write.set_quick_repair(true);
    Ok(write)
}

/// The tables as one commit left them.
#[derive(Debug)]
pub(super) struct Snapshot {
    origins: ReadOnlyTable<&'static [u8], &'static [u8]>,
    bodies: ReadOnlyTable<&'static [u8; BODY_KEY_BYTES], &'static [u8]>,
}

impl Snapshot {
    fn of(database: &Database) -> Result<Self, redb::Error> {
        let read = database.begin_read()?;
        Ok(Self {
            origins: read.open_table(ORIGINS)?,
            bodies: read.open_table(BODIES)?,
        })
    }

    /// Returns the encoded record of an origin.
    pub(super) fn record(
        &self,
        origin: &str,
    ) -> Result<Option<AccessGuard<'static, &'static [u8]>>, StorageError> {
        self.origins.get(origin.as_bytes())
    }

    /// Returns a body; `None` if there is none, or it is damaged.
    pub(super) fn body(&self, key: &BodyKey) -> Result<Option<FileBytes>, StorageError> {
        let encoded = self.bodies.get(&key.0)?;
        Ok(encoded.and_then(|encoded| decode_body(key, encoded.value())))
    }

    /// Returns the number of origins.
    pub(super) fn origins(&self) -> Result<u64, StorageError> {
        self.origins.len()
    }
}

#[cfg(test)]
mod tests {
    use super::super::encoding::{EncodedRecord, decode_record};
    use super::super::record::OriginRecord;
    use super::*;
    use redb::ReadableTable as _;
    use redb::backends::InMemoryBackend;
    use robots_policy::RobotsFetch;
    use robots_policy::origins::OriginChange;
    use robots_policy::site::Tdmrep;
    use std::collections::BTreeMap;

    /// The record of an origin with the `copy`th robots.txt and the `tdmrep`th tdmrep.json, or none for 0.
    fn record(copy: usize, tdmrep: usize) -> OriginRecord {
        let mut record = OriginRecord::default();
        if copy > 0 {
            let body = "#".repeat(copy * 700);
            let fetch = RobotsFetch::Body(body.as_bytes());
            record.apply(&OriginChange::Robots { fetch, at: None });
        }
        if tdmrep > 0 {
            let body = format!("[{tdmrep}]");
            let tdmrep = Tdmrep::parse(body.as_bytes()).unwrap();
            record.apply(&OriginChange::Tdmrep(tdmrep));
        }
        record
    }

    fn in_memory() -> Tables {
        let database = Database::builder().create_with_backend(InMemoryBackend::new());
        Tables::create(database.unwrap()).unwrap()
    }

    fn encode(origin: &str, record: &OriginRecord) -> EncodedRecord {
        EncodedRecord::new(origin, record).unwrap()
    }

    fn put(tables: &Tables, origin: &str, record: &OriginRecord) {
        let change = (origin.into(), Some(encode(origin, record)));
        tables.write(&Records::from([change])).unwrap();
    }

    fn get(tables: &Tables, origin: &str) -> Option<OriginRecord> {
        let snapshot = tables.snapshot().unwrap();
        let found = snapshot.record(origin).unwrap()?;
        decode_record(origin, found.value(), |key| snapshot.body(key)).unwrap()
    }

    /// Returns the numbers of references, and checks that each body is whole.
    fn references(tables: &Tables) -> BTreeMap<BodyKey, u64> {
        let snapshot = tables.snapshot().unwrap();
        let read = tables.database().unwrap().begin_read().unwrap();
        let references = read.open_table(REFERENCES).unwrap();
        let references: BTreeMap<_, _> = references
            .iter()
            .unwrap()
            .map(|row| row.map(|(key, count)| (BodyKey(*key.value()), count.value())))
            .collect::<Result<_, _>>()
            .unwrap();
        assert_eq!(snapshot.bodies.len().unwrap(), references.len() as u64);
        for key in references.keys() {
            let body = snapshot.body(key).unwrap().unwrap();
            assert_eq!(BodyKey::of(body.as_slice()), *key);
        }
        references
    }

    #[test]
    fn references_are_those_of_the_records() {
        let tables = in_memory();
        let mut expected = BTreeMap::<String, OriginRecord>::new();
        // A linear congruential generator: the same numbers in each run.
        let mut state = 7_u64;
        let mut below = |limit: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            usize::try_from(state >> 33).unwrap() % limit
        };
        for _ in 0..300 {
            let mut records = Records::new();
            for _ in 0..=below(5) {
                let origin = format!("https://{}.example", below(8));
                if below(4) == 0 {
                    records.insert(origin.as_str().into(), None);
                    expected.remove(&origin);
                } else {
                    let record = record(below(5), below(3));
                    let encoded = encode(&origin, &record);
                    records.insert(origin.as_str().into(), Some(encoded));
                    expected.insert(origin, record);
                }
            }
            tables.write(&records).unwrap();
            let mut counts = BTreeMap::new();
            for (origin, record) in &expected {
                assert_eq!(get(&tables, origin).as_ref(), Some(record));
                for (key, _) in encode(origin, record).bodies {
                    *counts.entry(key).or_insert(0) += 1;
                }
            }
            assert_eq!(references(&tables), counts);
        }
        // The last checks were not about an empty store.
        assert!(expected.len() > 2);
    }

    #[test]
    fn a_damaged_body_is_replaced() {
        let tables = in_memory();
        let record = record(1, 0);
        put(&tables, "https://a.example", &record);
        let key = *references(&tables).keys().next().unwrap();
        let write = tables.database().unwrap().begin_write().unwrap();
        let mut bodies = write.open_table(BODIES).unwrap();
        bodies.insert(&key.0, &b"damaged"[..]).unwrap();
        drop(bodies);
        write.commit().unwrap();
        *tables.last_snapshot() = None;
        assert_eq!(get(&tables, "https://a.example"), None);
        for origin in ["https://a.example", "https://b.example"] {
            put(&tables, origin, &record);
            assert_eq!(get(&tables, "https://a.example"), Some(record.clone()));
        }
        assert_eq!(references(&tables), BTreeMap::from([(key, 2)]));
    }

    #[test]
    fn a_snapshot_is_that_of_the_last_commit() {
        let mut tables = in_memory();
        let before = tables.snapshot().unwrap();
        assert!(Arc::ptr_eq(&before, &tables.snapshot().unwrap()));
        put(&tables, "https://a.example", &record(1, 0));
        assert_eq!(before.origins().unwrap(), 0);
        assert_eq!(tables.snapshot().unwrap().origins().unwrap(), 1);
        drop(before);
        tables.compact().unwrap();
        assert_eq!(get(&tables, "https://a.example"), Some(record(1, 0)));
    }
}
