//! What is in the tables: written in one commit, and read from end to end.

use super::body::BodyKey;
use super::error::{Damage, Trouble};
use super::format::{BODIES, SITES};
use super::record;
use super::site::KeptSite;
use super::waiting::{Batch, Change};
use redb::{Database, Durability, ReadableDatabase as _, ReadableTable as _};
use std::collections::HashSet;

/// Writes a batch in one commit. The bodies come first, and one table at a time is open.
pub(super) fn write(database: &Database, batch: &Batch) -> Result<(), Trouble> {
    let mut write = database.begin_write()?;
    write.set_durability(Durability::Immediate)?;
    {
        let mut bodies = write.open_table(BODIES)?;
        for (key, body) in batch.bodies() {
            if bodies.get(key.as_bytes())?.is_none() {
                bodies.insert(key.as_bytes(), body)?;
            }
        }
    }
    {
        let mut sites = write.open_table(SITES)?;
        for (origin, change) in batch.sites() {
            match change {
                Change::Keep(record) => sites.insert(origin, record)?,
                Change::Forget => sites.remove(origin)?,
            };
        }
    }
    write.commit()?;
    Ok(())
}

/// Drops the bodies that no site names.
pub(super) fn drop_bodies(database: &Database) -> Result<(), Trouble> {
    let mut named = HashSet::new();
    let sites = database.begin_read()?.open_table(SITES)?;
    for entry in sites.iter()? {
        let (origin, record) = entry?;
        named.extend(read(origin.value(), record.value())?.bodies());
    }
    drop(sites);
    let write = database.begin_write()?;
    write
        .open_table(BODIES)?
        .retain(|key, _| named.contains(&BodyKey::from_bytes(*key)))?;
    write.commit()?;
    Ok(())
}

/// Whether every record can be read, every body has its name, and every name its body.
pub(super) fn check(database: &Database) -> Result<(), Trouble> {
    let transaction = database.begin_read()?;
    let bodies = transaction.open_table(BODIES)?;
    let mut kept = HashSet::new();
    for entry in bodies.iter()? {
        let (key, body) = entry?;
        let key = BodyKey::from_bytes(*key.value());
        check_body(key, body.value())?;
        kept.insert(key);
    }
    let sites = transaction.open_table(SITES)?;
    for entry in sites.iter()? {
        let (origin, record) = entry?;
        let origin = origin.value();
        let site = read(origin, record.value())?;
        if let Some(key) = site.bodies().find(|key| !kept.contains(key)) {
            return Err(Trouble::of_origin(origin, Damage::NoBody(key)));
        }
    }
    Ok(())
}

/// What a record says of an origin.
pub(super) fn read(origin: &str, record: &[u8]) -> Result<KeptSite, Trouble> {
    record::decode(origin, record).map_err(|damage| Trouble::of_origin(origin, damage))
}

/// Whether a body is the one of this name.
pub(super) fn check_body(key: BodyKey, body: &[u8]) -> Result<(), Trouble> {
    if BodyKey::of(body) == key {
        Ok(())
    } else {
        Err(Trouble::of_file(Damage::Body(key)))
    }
}
