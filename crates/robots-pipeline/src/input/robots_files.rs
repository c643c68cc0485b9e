//! robots.txt files, from a file, a folder, the responses of an archive, or standard input.

use super::{Found, lines, open_file, visit_records};
use crate::error::{Error, Operation};
use crate::observer::{Observer, RecordProblem, Warning};
use crate::robots_url::is_robots;
use crate::text::path_text;
use robots_archive::Record;
use robots_archive::http::Response;
use std::fs::File;
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

/// A robots.txt.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct RobotsFile<'a> {
    /// The path of the file, or of the archive that holds it; `-` is standard input.
    pub path: &'a Path,
    /// The path as text, by the rule of [`path_text`].
    pub file: &'a str,
    /// The URL of the response, if the robots.txt is from an archive.
    pub url: Option<&'a str>,
    /// Whether the bytes are a whole file on disk, which can be rewritten.
    pub is_rewritable: bool,
    /// The bytes of the robots.txt.
    pub body: &'a [u8],
}

/// The files of a folder that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FolderFiles {
    /// Those that have the name of a robots.txt: `robots.txt`, or a name that ends with `-robots.txt`, `_robots.txt` or
    /// `.robots.txt`, such as `example.com-robots.txt`; in upper or lower case, and also with `.gz` at the end.
    RobotsTxt,
    /// All, whatever their names.
    All,
}

impl FolderFiles {
    /// Returns whether a file in a folder is read.
    fn contain(self, path: &Path) -> bool {
        match self {
            Self::All => true,
            Self::RobotsTxt => has_robots_name(path),
        }
    }
}

/// Passes each robots.txt of a path to `receive`, in order. Returns their number, and reports unreadable files as warnings.
///
/// `folder_files` selects the files of a folder. The robots.txt of an archive are the responses to /robots.txt with status
/// 2xx. Any other file is one robots.txt, whatever its name.
///
/// # Errors
///
/// If the path cannot be read, and any error of `receive`.
pub fn visit<E: From<Error>>(
    path: &Path,
    folder_files: FolderFiles,
    observer: &(impl Observer + ?Sized),
    receive: &mut dyn FnMut(RobotsFile<'_>) -> Result<(), E>,
) -> Result<u64, E> {
    let name = path_text(path);
    if path.as_os_str() != "-" && path.is_dir() {
        return visit_folder(path, folder_files, observer, receive);
    }
    let file = open_file(path)?;
    let mut count = 0_u64;
    let is_archive = visit_records(&name, &file, observer, &mut |record| {
        let is_visited = visit_record((path, &name), &record, observer, receive)?;
        count = count.saturating_add(u64::from(is_visited));
        Ok::<(), E>(())
    })?;
    if is_archive {
        return Ok(count);
    }
    let body = body(&name, &file)?;
    let is_rewritable = name != "-" && is_whole(&file, &body);
    receive(RobotsFile {
        path,
        file: &name,
        url: None,
        is_rewritable,
        body: &body,
    })?;
    Ok(1)
}

fn visit_folder<E: From<Error>>(
    folder: &Path,
    folder_files: FolderFiles,
    observer: &(impl Observer + ?Sized),
    receive: &mut dyn FnMut(RobotsFile<'_>) -> Result<(), E>,
) -> Result<u64, E> {
    let mut paths = Vec::new();
    collect(folder, folder_files, observer, &mut paths);
    paths.sort();
    let mut count = 0_u64;
    for path in paths {
        let name = path_text(&path);
        let file = File::open(&path).map_err(Error::at(Operation::Read, &path));
        match file.and_then(|file| Ok((body(&name, &file)?, file))) {
            Ok((body, file)) => {
                receive(RobotsFile {
                    path: &path,
                    file: &name,
                    url: None,
                    is_rewritable: is_whole(&file, &body),
                    body: &body,
                })?;
                count = count.saturating_add(1);
            }
            Err(error) => {
                let cause = std::error::Error::source(&error);
                observer.warn(&Warning::Unreadable {
                    error: cause.unwrap_or(&error).to_string(),
                    path,
                });
            }
        }
    }
    Ok(count)
}

/// Returns the first [`lines::MAX_ROBOTS_BYTES`] bytes of an open file; inflated if they are gzip.
///
/// # Errors
///
/// If they cannot be read or inflated.
pub fn body(name: &str, mut file: &File) -> Result<Vec<u8>, Error> {
    file.rewind().map_err(Error::io(Operation::Read, name))?;
    lines::read_start(name, file, lines::MAX_ROBOTS_BYTES)
}

/// Returns whether the bytes are the whole file. One that was inflated, or is longer than the limit, cannot be rewritten.
fn is_whole(file: &File, body: &[u8]) -> bool {
    let metadata = file.metadata();
    metadata.is_ok_and(|metadata| metadata.len() == body.len() as u64)
}

/// Passes on a response to /robots.txt with status 2xx; returns whether the record is one. The archive is given as its path
/// and its name.
fn visit_record<E>(
    (path, name): (&Path, &str),
    record: &Record,
    observer: &(impl Observer + ?Sized),
    receive: &mut dyn FnMut(RobotsFile<'_>) -> Result<(), E>,
) -> Result<bool, E> {
    let Some(url) = robots_url_of(record) else {
        return Ok(false);
    };
    let warn = |problem| {
        observer.warn(&Warning::Record {
            file: name.to_owned(),
            offset: record.offset,
            url: Some(url.to_owned()),
            problem,
        });
    };
    let Ok(response) = Response::parse(&record.block) else {
        warn(RecordProblem::NotHttp {
            loses_decision: false,
        });
        return Ok(false);
    };
    if !(200..=299).contains(&response.status()) {
        return Ok(false);
    }
    if response.is_unread() {
        warn(RecordProblem::Unreadable);
        return Ok(false);
    }
    if record.cut.is_some() || response.is_cut() {
        warn(RecordProblem::Cut);
    }
    receive(RobotsFile {
        path,
        file: name,
        url: Some(url),
        is_rewritable: false,
        body: response.body(),
    })?;
    Ok(true)
}

/// Returns the URL of a record, if it is a response to a request for a robots.txt.
pub fn robots_url_of(record: &Record) -> Option<&str> {
    let url = record
        .url
        .as_deref()
        .filter(|_| record.kind == "response")?;
    is_robots(url).then_some(url)
}

fn collect(
    folder: &Path,
    folder_files: FolderFiles,
    observer: &(impl Observer + ?Sized),
    paths: &mut Vec<PathBuf>,
) {
    let warn = |error: io::Error| observer.warn(&Warning::unreadable(folder, &error));
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => return warn(error),
    };
    for entry in entries {
        match entry.and_then(|entry| Found::of(&entry, |path| folder_files.contain(path))) {
            Ok(Found::Folder(path)) => collect(&path, folder_files, observer, paths),
            Ok(Found::File(path)) => paths.push(path),
            Ok(Found::Other) => {}
            Err(error) => warn(error),
        }
    }
}

/// Returns whether a file has the name of a robots.txt (see [`FolderFiles::RobotsTxt`]).
fn has_robots_name(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let before = before_robots_txt(&name);
    before.is_some_and(|before| before.is_empty() || before.ends_with(['-', '_', '.']))
}

/// Returns what precedes `robots.txt` at the end of a name, with `.gz` or without; `None` if the name ends with other text.
pub(crate) fn before_robots_txt(name: &str) -> Option<&str> {
    let without = |name: &'_ str, end: &str| {
        let at = name.len().checked_sub(end.len())?;
        let (_, found) = name.split_at_checked(at)?;
        found.eq_ignore_ascii_case(end).then_some(at)
    };
    let name = without(name, ".gz").map_or(name, |at| &name[..at]);
    without(name, "robots.txt").map(|at| &name[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_names_are_those_of_robots_txt() {
        for name in [
            "a/robots.txt",
            "ROBOTS.TXT",
            "robots.txt.gz",
            "example.com-robots.txt",
            "example.com_robots.txt.GZ",
            "example.com.robots.txt",
        ] {
            assert!(has_robots_name(Path::new(name)), "{name}");
        }
        for name in [
            "price-list.txt",
            "robots.txt/price-list.txt",
            "norobots.txt",
            "robots.txt.bak",
            "robots.txt~",
            "robots.txt.html",
            "robots.txt.gz.gz",
            "example.com.txt",
            "",
        ] {
            assert!(!has_robots_name(Path::new(name)), "{name}");
        }
    }
}
