//! The corpus of real inputs, which is not part of the repository: it is looked for where
//! `$ROBOTS_CORPUS` says, else beside the repository. Tests that need it say that they skip when it
//! is not there.

use anyhow::{Context, Result, bail};
use robots_archive::{Item, Reader, Record};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The folder that has `corpus/` and `conformance/`; `None`, with a word about it, if there is
/// none.
#[must_use]
pub fn folder() -> Option<PathBuf> {
    let found = match std::env::var_os("ROBOTS_CORPUS") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
    };
    if found.join("corpus").is_dir() {
        return Some(found);
    }
    // Not `eprintln!`, which a test that passes keeps to itself.
    let _ = writeln!(
        std::io::stderr(),
        "skipped: no corpus (set ROBOTS_CORPUS to the folder that has it)"
    );
    None
}

/// The records of an archive, all of them whole.
///
/// # Errors
///
/// If the archive cannot be read or has a fault.
pub fn records(path: &Path) -> Result<Vec<Record>> {
    let about = || format!("cannot read {}", path.display());
    let file = File::open(path).with_context(about)?;
    let mut reader = Reader::open(file)
        .with_context(about)?
        .with_context(about)?;
    let mut records = Vec::new();
    while let Some(item) = reader.next_item().with_context(about)? {
        match item {
            Item::Record(record) => records.push(record),
            fault => bail!("{}: {fault:?}", path.display()),
        }
    }
    Ok(records)
}
