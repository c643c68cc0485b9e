//! The defaults of a project, from the `robots.toml` that applies to a document.
//!
//! The file is read again for each answer, so that a change of it counts at once, whether or not the client reports it.

use robots_config::{Config, find};
use robots_lint::catalogue::Selection;
use std::path::Path;

/// The settings of a document.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) selection: Selection,
    /// The reason why a `robots.toml` does not count, with its path.
    pub(crate) error: Option<String>,
}

impl Settings {
    /// Reads the `robots.toml` in the folder of a document, or in the next one above it. A document without a path has the
    /// defaults of `robots lint`.
    pub(crate) fn of(path: Option<&Path>) -> Self {
        let file = path.and_then(Path::parent).and_then(find);
        let loaded = file.map(|file| (Config::load(&file), file));
        match loaded {
            None => Self::new(&Config::default(), None),
            Some((Ok(config), _)) => Self::new(&config, None),
            Some((Err(error), file)) => {
                let error = format!("{}: {error}", file.display());
                Self::new(&Config::default(), Some(error))
            }
        }
    }

    fn new(config: &Config, error: Option<String>) -> Self {
        Self {
            selection: config.selection(),
            error,
        }
    }
}
