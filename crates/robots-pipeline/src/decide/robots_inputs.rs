//! The files of [`RobotsSource::Files`](crate::RobotsSource::Files): archives, and robots.txt files of sites.

use crate::error::Error;
use crate::input::{Archive, Input, InputSource};
use crate::observer::Observer;
use crate::robots::capture_book::CaptureBook;
use crate::robots::capture_source::CaptureSource;
use crate::robots::files::{PlainFile, urls_of_host, visit};
use crate::text::path_text;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use url::Url;

/// The sources of robots.txt files: the archives are open, and the files were read.
#[derive(Debug, Default)]
pub(super) struct RobotsInputs {
    paths: Vec<PathBuf>,
    pub(super) archives: Vec<Input>,
}

impl RobotsInputs {
    /// Opens the sources, and enters the files into a book. One that cannot be read is an error, as pages would be decided without
    /// its rules. `base` is the URL of the site of files whose paths name none. `evidence`: whether their sources are entered.
    pub(super) fn open(
        sources: impl IntoIterator<Item = InputSource>,
        base: Option<&Url>,
        evidence: bool,
        book: &mut CaptureBook,
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
            let before = inputs.paths.len();
            let archives = visit(path, observer, &mut |found| {
                inputs.enter_file(&found, base, evidence, book)
            })?;
            for archive in archives.into_iter().map(Input::Archive) {
                inputs.paths.push(archive.path().to_owned());
                inputs.archives.push(archive);
            }
            if inputs.paths.len() == before {
                return Err(Error::NoRobots(path.clone()));
            }
            inputs.paths.push(path.clone());
        }
        Ok(inputs)
    }

    /// Returns the paths that are read.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.paths.iter().map(PathBuf::as_path)
    }

    /// Enters a robots.txt of the host that its path names, or else of the site of the base URL.
    fn enter_file(
        &mut self,
        found: &PlainFile<'_>,
        base: Option<&Url>,
        evidence: bool,
        book: &mut CaptureBook,
    ) -> Result<(), Error> {
        let urls: Vec<Url> = match (&found.host, base) {
            (Some(host), _) => urls_of_host(host).collect(),
            (None, Some(base)) => base.join("/robots.txt").into_iter().collect(),
            (None, None) => return Err(Error::RobotsWithoutBase(found.path.to_owned())),
        };
        self.paths.push(found.path.to_owned());
        for url in &urls {
            let source = evidence.then(|| {
                let name = path_text(found.path);
                Arc::new(CaptureSource::of_file(url, found.date, &name, found.body))
            });
            book.enter_file(url, found.date, found.body, source);
        }
        Ok(())
    }
}
