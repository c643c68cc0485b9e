//! The tables of a store, and how a store tells what it is.

use super::error::{Damage, Trouble};
use redb::{
    Database, ReadOnlyTable, ReadTransaction, ReadableDatabase as _, TableDefinition, TableError,
};

/// The version of the format that this program reads and writes: of the tables and of the records.
pub(super) const VERSION: u32 = 1;

/// Origins as they print, and their records.
pub(super) const SITES: TableDefinition<&str, &[u8]> = TableDefinition::new("sites");

/// Bodies by the SHA-256 of their bytes.
pub(super) const BODIES: TableDefinition<&[u8; 32], &[u8]> = TableDefinition::new("bodies");

/// What the store is.
const META: TableDefinition<&str, &[u8]> = TableDefinition::new("meta");

const NAME_KEY: &str = "name";
const NAME: &[u8] = b"robots-policy sites";
/// Its value: four bytes, the low one first.
const VERSION_KEY: &str = "version";

/// What a database is.
pub(super) enum Found {
    /// One without any tables.
    New,
    /// A store that this program reads.
    Store,
    /// A store in another version of the format.
    OtherVersion(u32),
    /// Not one of ours.
    Foreign,
}

/// Looks what a database is.
pub(super) fn find(database: &Database) -> Result<Found, Trouble> {
    let read = database.begin_read()?;
    let meta = match read.open_table(META) {
        Ok(meta) => meta,
        Err(TableError::TableDoesNotExist(_)) => {
            return Ok(if is_empty(&read)? {
                Found::New
            } else {
                Found::Foreign
            });
        }
        Err(
            TableError::TableTypeMismatch { .. }
            | TableError::TableIsMultimap(_)
            | TableError::TypeDefinitionChanged { .. },
        ) => return Ok(Found::Foreign),
        Err(error) => return Err(error.into()),
    };
    if value(&meta, NAME_KEY)?.as_deref() != Some(NAME) {
        return Ok(Found::Foreign);
    }
    let version = value(&meta, VERSION_KEY)?.unwrap_or_default();
    let Ok(version) = <[u8; 4]>::try_from(version) else {
        return Err(Trouble::of_file(Damage::Header));
    };
    let version = u32::from_le_bytes(version);
    if version != VERSION {
        return Ok(Found::OtherVersion(version));
    }
    read.open_table(SITES)?;
    read.open_table(BODIES)?;
    Ok(Found::Store)
}

/// Makes the tables of a new store.
pub(super) fn create(database: &Database) -> Result<(), Trouble> {
    let write = database.begin_write()?;
    // One table at a time is open, here and wherever redb writes: a panic while one is opened
    // would become two if another was open.
    write.open_table(SITES)?;
    write.open_table(BODIES)?;
    {
        let mut meta = write.open_table(META)?;
        meta.insert(NAME_KEY, NAME)?;
        meta.insert(VERSION_KEY, VERSION.to_le_bytes().as_slice())?;
    }
    write.commit()?;
    Ok(())
}

fn is_empty(read: &ReadTransaction) -> Result<bool, Trouble> {
    let is_table = read.list_tables()?.next().is_some();
    Ok(!is_table && read.list_multimap_tables()?.next().is_none())
}

fn value(meta: &ReadOnlyTable<&str, &[u8]>, key: &str) -> Result<Option<Vec<u8>>, Trouble> {
    Ok(meta.get(key)?.map(|value| value.value().to_vec()))
}
