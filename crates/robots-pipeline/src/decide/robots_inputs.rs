//! The files of [`RobotsSource::Files`](crate::RobotsSource::Files): archives, and robots.txt files of sites.

use crate::error::Error;
use crate::input::{Archive, Input, InputSource};
use crate::observer::Observer;
use crate::robots::files::{PlainFile, urls_of_host, visit};
use robots_meta::Timestamp;
use std::path::{Path, PathBuf};
use url::Url;

/// The open sources of robots.txt files.
#[derive(Debug, Default)]
pub(super) struct RobotsInputs {
    paths: Vec<PathBuf>,
    pub(super) archives: Vec<Input>,
    pub(super) files: Vec<SiteFile>,
}

/// A robots.txt of a site.
#[derive(Debug)]
pub(super) struct SiteFile {
    /// The URLs to which it applies.
    pub(super) urls: Vec<Url>,
    /// The day from which it is in force.
    pub(super) date: Option<Timestamp>,
    pub(super) body: Vec<u8>,
}

impl RobotsInputs {
    /// Opens the sources. One that cannot be read is an error, as pages would be decided without its rules. `base` is the
    /// URL of the site of files whose paths name none.
    pub(super) fn open(
        sources: impl IntoIterator<Item = InputSource>,
        base: Option<&Url>,
        observer: &dyn Observer,
    ) -> Result<Self, Error> {
        let mut inputs = Self::default();
        for source in sources {
            let path = &match source {
                InputSource::Path(path) => path,
                InputSource::Stream(stream) => {
                    let archive = Archive::of_stream(stream, true);
                    inputs.archives.push(Input::Archive(archive));
                    continue;
                }
            };
            let before = inputs.files.len();
            let archive = visit(path, observer, &mut |found| inputs.add_file(&found, base))?;
            match archive {
                Some(file) => inputs
                    .archives
                    .push(Input::Archive(Archive::opened(path, file))),
                None if inputs.files.len() == before => return Err(Error::NoRobots(path.clone())),
                None => {}
            }
            inputs.paths.push(path.clone());
        }
        Ok(inputs)
    }

    /// Returns the paths that are read.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.paths.iter().map(PathBuf::as_path)
    }

    /// Adds a robots.txt of the host that its path names, or else of the site of the base URL.
    fn add_file(&mut self, found: &PlainFile<'_>, base: Option<&Url>) -> Result<(), Error> {
        let urls = match (&found.host, base) {
            (Some(host), _) => urls_of_host(host).collect(),
            (None, Some(base)) => base.join("/robots.txt").into_iter().collect(),
            (None, None) => return Err(Error::RobotsWithoutBase(found.path.to_owned())),
        };
        if is_named_archive(found.path) {
            return Err(Error::MisnamedArchive(found.path.to_owned()));
        }
        self.paths.push(found.path.to_owned());
        self.files.push(SiteFile {
            urls,
            date: found.date,
            body: found.body.to_vec(),
        });
        Ok(())
    }
}

/// Returns whether a file has the name of an archive: a broken one must not count as an empty robots.txt.
fn is_named_archive(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').any(|part| {
        ["warc", "arc"]
            .iter()
            .any(|kind| part.eq_ignore_ascii_case(kind))
    })
}
