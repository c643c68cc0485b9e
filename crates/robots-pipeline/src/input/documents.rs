//! The documents of an input, in order: the records of an archive, the files of a folder, or one file.

use super::{files_and_archives_in, is_archive, open_file};
use crate::error::Error;
use crate::observer::{Observer, RecordProblem, Warning};
use crate::text::path_text;
use robots_archive::http::{Note, Response};
use robots_archive::{Item, Reader, Record};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

/// The path of a file, or of the archive that has a record.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct InputPath {
    /// The path as the user named it, or below a folder that the user named; `-` is standard input.
    pub path: Arc<Path>,
    /// The path as text, by the rule of [`path_text`].
    pub text: Arc<str>,
}

impl InputPath {
    /// Returns the names of a path.
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.into(),
            text: path_text(path).into(),
        }
    }

    /// Returns whether this is standard input.
    pub fn is_stdin(&self) -> bool {
        is_stdin(&self.path)
    }
}

/// Returns whether a path is `-`, standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// A document.
#[derive(Debug)]
#[non_exhaustive]
pub struct Document {
    /// The file, or the archive of the record.
    pub file: InputPath,
    /// Whether the file or archive was found in a folder.
    pub is_found: bool,
    /// The content.
    pub content: Content,
}

/// The content of a document.
#[derive(Debug)]
#[allow(
    clippy::exhaustive_enums,
    reason = "an input is an archive, or it is not"
)]
pub enum Content {
    /// A record of an archive.
    Record(Box<Record>),
    /// A file that is not an archive, open at its start.
    File(File),
}

/// The documents of an input, each with the error if it cannot be read.
type Documents<'o> = Box<dyn Iterator<Item = Result<Document, Error>> + 'o>;

/// Returns the documents of an input: an archive (WARC, ARC; plain, gzip, zstd), another file, or a folder; `-` is standard input.
/// Of a folder, the archives are read, and the files whose names pass `is_wanted`. The observer takes warnings about damage, and
/// about files and folders in a folder that cannot be read.
///
/// An archive ends with the error that stops its reading; the other files of a folder follow.
///
/// # Errors
///
/// If the input cannot be read.
pub fn documents<'o>(
    path: &Path,
    is_wanted: impl Fn(&Path) -> bool,
    observer: &'o (impl Observer + ?Sized),
) -> Result<Documents<'o>, Error> {
    if is_stdin(path) || !path.is_dir() {
        return of_file(InputPath::new(path), open_file(path)?, false, observer);
    }
    let files = files_and_archives_in(path, &is_wanted, &mut |folder, error| {
        observer.warn(&Warning::unreadable(folder, &error));
    });
    let documents = files.into_iter().flat_map(|path| {
        let name = InputPath::new(&path);
        let documents = match File::open(&path) {
            Ok(file) => of_file(name, file, true, observer),
            Err(error) => {
                observer.warn(&Warning::unreadable(&path, &error));
                Ok(Box::new(std::iter::empty()) as Documents<'o>)
            }
        };
        documents.unwrap_or_else(|error| Box::new(std::iter::once(Err(error))))
    });
    Ok(Box::new(documents))
}

/// Returns the documents of an open file. `is_found`: whether it was found in a folder, where only its name tells an archive.
fn of_file(
    name: InputPath,
    mut file: File,
    is_found: bool,
    observer: &(impl Observer + ?Sized),
) -> Result<Documents<'_>, Error> {
    let document = move |file, content| Document {
        file,
        is_found,
        content,
    };
    if !is_found || is_archive(&name.path) {
        let copy = file.try_clone().map_err(Error::io("read", &name.text))?;
        if let Some(records) = Records::open(&name.text, copy, observer)? {
            return Ok(Box::new(records.map(move |record| {
                Ok(document(name.clone(), Content::Record(Box::new(record?))))
            })));
        }
        if is_found {
            return Err(Error::MisnamedArchive(name.path.to_path_buf()));
        }
        file.rewind().map_err(Error::io("read", &name.text))?;
    }
    let file = document(name, Content::File(file));
    Ok(Box::new(std::iter::once(Ok(file))))
}

/// The records of an archive, up to an error. Damage is reported to the observer.
#[derive(Debug)]
pub(crate) struct Records<'o, R, O: ?Sized> {
    name: String,
    reader: Reader<R>,
    observer: &'o O,
    has_failed: bool,
}

impl<'o, R: Read + Seek, O: Observer + ?Sized> Records<'o, R, O> {
    /// Opens a file as an archive, from its start; `None` if it is not an archive.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub(crate) fn open(name: &str, mut file: R, observer: &'o O) -> Result<Option<Self>, Error> {
        let start = file.seek(SeekFrom::Start(0));
        let reader = start.and_then(|_| Reader::open(file).map_err(io::Error::from));
        let reader = reader.map_err(Error::io("read", name))?;
        Ok(reader.map(|reader| Self {
            name: name.to_owned(),
            reader: reader.seekable(),
            observer,
            has_failed: false,
        }))
    }
}

impl<R: Read, O: Observer + ?Sized> Iterator for Records<'_, R, O> {
    type Item = Result<Record, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.has_failed {
            let item = self.reader.next_item();
            match item.map_err(Error::io("continue reading", &self.name)) {
                Ok(Some(Item::Damage(damage))) => self.observer.warn(&Warning::Damage {
                    file: self.name.clone(),
                    damage,
                }),
                Ok(Some(Item::Record(record))) => return Some(Ok(record)),
                Ok(None) => return None,
                Err(error) => {
                    self.has_failed = true;
                    return Some(Err(error));
                }
            }
        }
        None
    }
}

/// Returns the response of a record, if it has status 2xx and a body that can be read. Passes problems of the record to `warn`.
///
/// `is_robots`: whether the response is a robots.txt. Its [unsniffed body](Response::unsniffed_body) is read, also the start of one
/// that is not whole, with the problem [`RecordProblem::Cut`]. `is_wanted` is asked once of each HTTP response, whatever
/// its status; those that it leaves out have no problems.
pub fn readable_response(
    record: &Record,
    is_robots: bool,
    is_wanted: impl FnOnce(&Response<'_>) -> bool,
    warn: impl Fn(RecordProblem),
) -> Option<Response<'_>> {
    let Ok(response) = record.http_response()? else {
        let loses_decision = false;
        warn(RecordProblem::NotHttp { loses_decision });
        return None;
    };
    if !is_wanted(&response) || !(200..=299).contains(&response.status()) {
        return None;
    }
    let is_unread = if is_robots {
        response.unsniffed_notes().any(Note::is_unread)
    } else {
        response.is_unread()
    };
    if is_unread {
        warn(RecordProblem::Unreadable);
        return None;
    }
    if is_robots && (record.cut.is_some() || response.unsniffed_notes().any(Note::is_cut)) {
        warn(RecordProblem::Cut);
    }
    Some(response)
}
