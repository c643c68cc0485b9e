//! The places of files of URLs: paths, standard input, and with `--fetch` URLs.

use super::super::checker::Checker;
use super::super::sites::Received;
use crate::args::is_url;
use anyhow::Result;
use robots_pipeline::input::lines;
use robots_pipeline::text::path_text;
use robots_policy::origins::has_scheme;
use std::io::{BufRead, Cursor, Write};
use std::path::{Component, Path, PathBuf};
use url::Url;

/// The place of a file of URLs.
#[derive(Debug, Clone)]
pub(super) enum Source {
    /// A path; `-` is standard input.
    File(PathBuf),
    Url(Url),
}

/// A file of URLs that is open.
pub(super) struct Opened {
    /// Its place after redirects.
    pub(super) source: Source,
    pub(super) input: Box<dyn BufRead + Send>,
    /// Whether its end was not received, as it is too long.
    pub(super) is_cut: bool,
}

impl Source {
    /// Returns the place that an argument names.
    pub(super) fn of_argument(argument: &Path) -> Self {
        let url = argument.to_str().filter(|_| is_url(argument));
        match url.and_then(|text| Url::parse(text).ok()) {
            Some(url) => Self::Url(url),
            None => Self::File(argument.to_owned()),
        }
    }

    /// Returns the name for messages.
    pub(super) fn name(&self) -> String {
        match self {
            Self::File(path) => path_text(path),
            Self::Url(url) => url.to_string(),
        }
    }

    /// Returns a text that is equal for equal files.
    pub(super) fn identity(&self) -> String {
        match self {
            Self::File(path) => path_text(path.canonicalize().as_ref().unwrap_or(path)),
            Self::Url(url) => {
                let mut url = url.clone();
                url.set_fragment(None);
                url.into()
            }
        }
    }

    /// Opens the file, inflated if it is gzip.
    pub(super) fn open(&self, checker: &mut Checker<'_, impl Write>) -> Result<Opened> {
        match self {
            Self::File(path) => Ok(Opened {
                source: self.clone(),
                input: lines::open(path)?,
                is_cut: false,
            }),
            Self::Url(url) => {
                let Received { url, body } = checker.request(url)?;
                Ok(Opened {
                    source: Self::Url(url),
                    is_cut: !body.is_whole,
                    input: lines::open_input(Cursor::new(body.bytes))?,
                })
            }
        }
    }

    /// Returns the place of a sitemap that this index lists. Without `fetches`, a URL stands for a file below the folder of the index: that
    /// of its path, or else of its name.
    pub(super) fn listed(&self, loc: &str, fetches: bool) -> Result<Self, String> {
        let url = match self {
            Self::Url(index) => index.join(loc),
            Self::File(_) => Url::parse(loc),
        };
        let url = url
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https"));
        let index = match (self, url) {
            (_, Some(url)) if fetches => return Ok(Self::Url(url)),
            (Self::Url(_), _) => return Err(format!("{loc:?} is not a URL with http or https")),
            (Self::File(index), Some(url)) => return copy_of(index, &url),
            (Self::File(index), None) => index,
        };
        let name = Some(Path::new(loc)).filter(|_| !has_scheme(loc));
        let path = name.and_then(|name| below(index, name));
        let path = path.ok_or_else(|| {
            format!("{loc:?} is neither a URL nor the name of a file below the folder of the index")
        })?;
        Ok(Self::File(path))
    }
}

/// Returns the copy of a sitemap below the folder of its index.
fn copy_of(index: &Path, url: &Url) -> Result<Source, String> {
    let query = url
        .query()
        .map(|query| format!("?{query}"))
        .unwrap_or_default();
    let path = url.path().trim_start_matches('/');
    let name = path.rsplit('/').next().unwrap_or_default();
    let candidates = [path, name].map(|path| below(index, Path::new(&format!("{path}{query}"))));
    let mut files = candidates.into_iter().flatten();
    let copy = files.find(|file| file.is_file());
    copy.map(Source::File).ok_or_else(|| {
        format!("there is no file {name}{query} in the folder of the index: use --fetch, or download {url} there")
    })
}

/// Returns a path that is relative to the folder of a file, unless it leads out of this folder.
fn below(file: &Path, path: &Path) -> Option<PathBuf> {
    let mut parts = path.components();
    let is_below = parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let folder = file.parent().unwrap_or(Path::new(""));
    (is_below && !path.as_os_str().is_empty()).then(|| folder.join(path))
}
