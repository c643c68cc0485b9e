//! robots.txt files, from a file, a folder, the responses of an archive, or standard input.

use super::documents::{Content, Document, InputPath, documents, readable_response};
use super::lines;
use crate::error::Error;
use crate::observer::{Observer, Warning};
use crate::robots_url::is_robots;
use robots_archive::Record;
use std::fs::File;
use std::io::Seek;
use std::path::Path;

/// A robots.txt.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RobotsFile {
    /// The path of the file, or of the archive that holds it.
    pub file: InputPath,
    /// The URL of the response, if the robots.txt is from an archive.
    pub url: Option<String>,
    /// Whether the bytes are a whole file on disk, which can be rewritten.
    pub is_rewritable: bool,
    /// The bytes of the robots.txt.
    pub body: Vec<u8>,
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
    pub fn contain(self, path: &Path) -> bool {
        self == Self::All || has_robots_name(path)
    }
}

/// Returns each robots.txt of a path, in order. Reports unreadable files in a folder, and problems of records, as warnings.
///
/// `select` selects the files of a folder, such as [`FolderFiles::contain`]. The robots.txt of an archive are the responses to /robots.txt with status
/// 2xx. Any other file is one robots.txt, whatever its name.
///
/// # Errors
///
/// If the path cannot be read, or not any further.
pub fn robots_files(
    path: &Path,
    select: impl Fn(&Path) -> bool,
    observer: &(impl Observer + ?Sized),
) -> Result<impl Iterator<Item = Result<RobotsFile, Error>>, Error> {
    let documents = documents(path, select, observer)?;
    Ok(documents.filter_map(|document| match document {
        Ok(document) => of_document(document, observer).transpose(),
        Err(error) => Some(Err(error)),
    }))
}

/// Returns the robots.txt of a document; `None` if it has none, or is a file in a folder that cannot be read.
fn of_document(
    document: Document,
    observer: &(impl Observer + ?Sized),
) -> Result<Option<RobotsFile>, Error> {
    let name = &document.file.text;
    let (url, is_rewritable, body) = match &document.content {
        Content::Record(record) => match of_record(name, record, observer) {
            Some((url, body)) => (Some(url), false, body),
            None => return Ok(None),
        },
        Content::File(file) => match file_body(&document, file, observer)? {
            // One that was inflated, or is longer than the limit, cannot be rewritten.
            Some(body) => {
                let metadata = file.metadata();
                let is_whole = metadata.is_ok_and(|metadata| metadata.len() == body.len() as u64);
                (None, is_whole && !document.file.is_stdin(), body)
            }
            None => return Ok(None),
        },
    };
    Ok(Some(RobotsFile {
        file: document.file,
        url,
        is_rewritable,
        body,
    }))
}

/// Returns the bytes of a document that is a robots.txt file; `None` if it was found in a folder and cannot be read, which is
/// reported.
///
/// # Errors
///
/// If any other file cannot be read.
pub fn file_body(
    document: &Document,
    file: &File,
    observer: &(impl Observer + ?Sized),
) -> Result<Option<Vec<u8>>, Error> {
    match body(&document.file.text, file) {
        Err(error) if document.is_found => {
            let cause = std::error::Error::source(&error);
            observer.warn(&Warning::Unreadable {
                error: cause.unwrap_or(&error).to_string(),
                path: document.file.path.to_path_buf(),
            });
            Ok(None)
        }
        body => body.map(Some),
    }
}

/// Returns the first [`lines::MAX_ROBOTS_BYTES`] bytes of an open file, as [`lines::read_robots`] does.
///
/// # Errors
///
/// If they cannot be read or inflated.
pub(crate) fn body(name: &str, mut file: &File) -> Result<Vec<u8>, Error> {
    file.rewind().map_err(Error::io("read", name))?;
    lines::start_of_robots(name, file)
}

/// Returns the URL and the body of a response to /robots.txt with status 2xx.
fn of_record(
    name: &str,
    record: &Record,
    observer: &(impl Observer + ?Sized),
) -> Option<(String, Vec<u8>)> {
    // A response is decoded when it is parsed, so pages are left out before.
    let url = record.url.as_deref().filter(|url| is_robots(url))?;
    let warn = |problem| observer.warn(&Warning::of_record(name, record, problem));
    let response = readable_response(record, true, |_| true, warn)?;
    Some((url.to_owned(), response.unsniffed_body().to_vec()))
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
