//! The fixture sites.

use anyhow::{Context, Result};
pub use robots_cases::site::Site;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the folder of all fixtures.
#[must_use]
pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// Reads every fixture site, by its name.
///
/// # Errors
///
/// If a `site.toml` cannot be read.
pub fn all() -> Result<BTreeMap<String, Site>> {
    let mut sites = BTreeMap::new();
    for entry in fs::read_dir(fixtures().join("sites"))? {
        let folder = entry?.path();
        let name = folder.file_name().context("a folder has a name")?;
        sites.insert(name.to_string_lossy().into_owned(), Site::open(&folder)?);
    }
    Ok(sites)
}
