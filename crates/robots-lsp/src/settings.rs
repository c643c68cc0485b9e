//! The defaults of a project, from the `robots.toml` that applies to a document.
//!
//! The file is read again for each answer, so that a change of it counts at once, whether or not the client reports it.

use robots_config::{Config, find};
use robots_lint::catalogue::Selection;
use std::path::{Path, PathBuf};

/// The settings of a document.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) selection: Selection,
    /// The path of the `robots.toml`.
    pub(crate) file: Option<PathBuf>,
    /// The reason why the `robots.toml` does not count, with its path.
    pub(crate) error: Option<String>,
}

impl Settings {
    /// Reads the `robots.toml` in the folder of a document, or in the next one above it. A document without a path has the
    /// defaults of `robots lint`.
    pub(crate) fn of(path: Option<&Path>) -> Self {
        let file = path.and_then(Path::parent).and_then(find);
        let loaded = file
            .as_deref()
            .map(|file| Config::load(file).map_err(|error| format!("{}: {error}", file.display())));
        let (config, error) = match loaded {
            None => (Config::default(), None),
            Some(Ok(config)) => (config, None),
            Some(Err(error)) => (Config::default(), Some(error)),
        };
        Self {
            selection: config.selection(),
            file,
            error,
        }
    }
}
