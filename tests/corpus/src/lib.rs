//! The corpus of real files, which is not part of the repository: its folder, the records of its
//! archives, and the macro [`tests!`](crate::tests) for tests that need it.

use anyhow::{Context, Result, bail};
use robots_archive::{Item, Reader, Record};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Defines a test for each function named, which takes the folder of the corpus.
///
/// If there was no corpus when the tests were built, they are ignored, with the reason.
#[cfg(corpus)]
#[macro_export]
macro_rules! tests {
    ($($name:ident),+ $(,)?) => {
        mod on_corpus {
            $(
                #[test]
                fn $name() {
                    super::$name(&$crate::folder());
                }
            )+
        }
    };
}

/// Defines a test for each function named, which takes the folder of the corpus.
///
/// If there was no corpus when the tests were built, they are ignored, with the reason.
#[cfg(not(corpus))]
#[macro_export]
macro_rules! tests {
    ($($name:ident),+ $(,)?) => {
        mod on_corpus {
            $(
                #[test]
                #[ignore = "needs the corpus: set ROBOTS_CORPUS to its folder"]
                fn $name() {
                    super::$name(&$crate::folder());
                }
            )+
        }
    };
}

/// Returns the folder that has `corpus/` and `conformance/`: `$ROBOTS_CORPUS`, else `shared` next to
/// the repository.
///
/// # Panics
///
/// If there is no corpus.
#[must_use]
pub fn folder() -> PathBuf {
    let folder = std::env::var_os("ROBOTS_CORPUS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    assert!(
        folder.join("corpus").is_dir(),
        "no corpus in {}: set ROBOTS_CORPUS to its folder",
        folder.display()
    );
    folder
}

/// Reads all records of an archive.
///
/// # Errors
///
/// If the archive cannot be read or is damaged.
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
            Item::Damage(damage) => bail!("{}: {damage}", path.display()),
        }
    }
    Ok(records)
}
