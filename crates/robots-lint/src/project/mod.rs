//! `robots.toml`: the defaults of a project, for the command line and for editors.
//!
//! A file has up to five keys: `agents`, `base`, `ignore`, `level` and `profile`. [`find`] returns the file that applies to a
//! folder, and [`Config::load`] reads it. docs/tools.md has an example.
//!
//! Linear in the file, which may have up to [`MAX_FILE`] bytes.

mod read;

use crate::catalogue::Selection;
use crate::{FindingKind, Severity};
use std::error::Error;
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use url::Url;

/// The name of the file.
pub const FILE: &str = "robots.toml";

/// The maximum length of a file, in bytes.
pub const MAX_FILE: u64 = 1 << 20;

/// The defaults in a file.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Config {
    /// The robots to decide for: product tokens or `User-Agent` headers, as written.
    pub agents: Vec<Setting>,
    /// The URL of the folder of pages.
    pub base: Option<Url>,
    /// The kinds of findings to leave out.
    pub ignore: Vec<FindingKind>,
    /// The least severity of findings to report.
    pub level: Option<Severity>,
    /// The profiles to decide under: names of built-in profiles or paths of TOML files, as written.
    pub profiles: Vec<Setting>,
}

/// A text of a file that its user reads.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Setting {
    /// The key that has it.
    pub key: &'static str,
    /// The text.
    pub text: String,
    /// The place of the text in the file.
    pub place: Place,
}

impl Setting {
    /// Reads the text.
    ///
    /// # Errors
    ///
    /// If `read` returns an error; it names the place, the text and the key.
    pub fn read<T, E: std::fmt::Display>(
        &self,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<T, ConfigError> {
        read(&self.text).map_err(|error| {
            let (key, text) = (self.key, &self.text);
            let message = format!("invalid value \"{text}\" for `{key}`: {error}");
            ConfigError::new(self.place, message)
        })
    }
}

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The 1-based line.
    pub line: usize,
    /// The 1-based column, in characters.
    pub column: usize,
}

/// An error in a file, with its place, or the reason why it cannot be read.
#[derive(Debug)]
pub struct ConfigError {
    place: Option<Place>,
    message: String,
}

impl ConfigError {
    fn new(place: Place, message: String) -> Self {
        Self {
            place: Some(place),
            message,
        }
    }

    fn unreadable(reason: impl fmt::Display) -> Self {
        Self {
            place: None,
            message: reason.to_string(),
        }
    }

    /// Returns the place in the file; `None` if the file cannot be read.
    pub fn place(&self) -> Option<Place> {
        self.place
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Place { line, column }) = self.place {
            write!(f, "line {line}, column {column}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl Error for ConfigError {}

impl Config {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is longer than [`MAX_FILE`], or has an unknown key or an invalid value.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let mut bytes = Vec::new();
        File::open(path)
            .and_then(|file| file.take(MAX_FILE + 1).read_to_end(&mut bytes))
            .map_err(ConfigError::unreadable)?;
        // Before it is read as text: the limit may cut a character.
        if bytes.len() as u64 > MAX_FILE {
            let reason = format!("the file is longer than {} MiB", MAX_FILE >> 20);
            return Err(ConfigError::unreadable(reason));
        }
        Self::parse(&String::from_utf8(bytes).map_err(ConfigError::unreadable)?)
    }

    /// Reads the text of a file.
    ///
    /// ```
    /// use robots_lint::project::Config;
    ///
    /// let config = Config::parse("ignore = [\"R03\"]\nlevel = \"note\"\n")?;
    /// assert_eq!(config.level.map(|level| level.name()), Some("note"));
    /// let error = Config::parse("levle = \"note\"").unwrap_err();
    /// assert_eq!(error.to_string(), "line 1, column 1: unknown key `levle`: did you mean `level`?");
    /// # Ok::<(), robots_lint::project::ConfigError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the text is not TOML, or has an unknown key or an invalid value.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        read::config(text)
    }

    /// Returns the kinds of findings to report, if nothing but the file selects them: without a level, warnings and errors.
    pub fn selection(&self) -> Selection {
        Selection::of_level(self.level.unwrap_or(Severity::Warning)).without(self.ignore.clone())
    }
}

/// Returns the path of the file that applies to a folder: that in the folder, or else in the next one above it that has one.
pub fn find(folder: &Path) -> Option<PathBuf> {
    let paths = folder.ancestors().map(|folder| folder.join(FILE));
    paths.into_iter().find(|path| path.is_file())
}

/// Reads the URL of a folder of pages, without query and fragment.
///
/// # Errors
///
/// If the text is not a URL with a host.
pub fn base(text: &str) -> Result<Url, &'static str> {
    let url = Url::parse(text).ok().filter(Url::has_host);
    let mut url = url.ok_or("expected the URL of a site, such as https://example.com/")?;
    url.set_query(None);
    url.set_fragment(None);
    Ok(url)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_next_file_upwards_applies() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("a/b");
        fs::create_dir_all(&below).unwrap();
        let top = folder.path().join(FILE);
        fs::write(&top, "").unwrap();
        assert_eq!(find(&below), Some(top));
        // A folder of this name is not a file.
        fs::create_dir(below.join(FILE)).unwrap();
        let next = folder.path().join("a").join(FILE);
        fs::write(&next, "").unwrap();
        assert_eq!(find(&below), Some(next));
    }

    #[test]
    fn a_file_has_a_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        let limit = usize::try_from(MAX_FILE).unwrap();
        for (length, is_valid) in [(limit - 1, true), (limit, true), (limit + 1, false)] {
            fs::write(&path, format!("#{}", " ".repeat(length - 1))).unwrap();
            let loaded = Config::load(&path);
            assert_eq!(loaded.is_ok(), is_valid, "{length}");
            if let Err(error) = loaded {
                assert_eq!(error.to_string(), "the file is longer than 1 MiB");
            }
        }
        // The limit cuts the last character.
        fs::write(&path, format!("#{}é", " ".repeat(limit - 1))).unwrap();
        assert_eq!(
            Config::load(&path).unwrap_err().to_string(),
            "the file is longer than 1 MiB"
        );
        fs::write(&path, [0xff]).unwrap();
        assert_eq!(Config::load(&path).unwrap_err().place(), None);
    }

    #[test]
    fn settings_report_their_place() {
        let config = Config::parse("profile = \"google\"\nagents = [\n  \"a b\"]").unwrap();
        assert_eq!(config.profiles[0].text, "google");
        let error = config.agents[0].read(|_| Err::<(), _>("no")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "line 3, column 3: invalid value \"a b\" for `agents`: no"
        );
        assert_eq!(error.place(), Some(config.agents[0].place));
    }
}
