//! Inputs: archives, saved pages and folders of them, standard input.
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

pub mod documents;
pub mod lines;
pub mod robots_files;
pub(crate) mod stream;

pub use stream::ByteStream;

use crate::error::Error;
use crate::observer::Observer;
use crate::text::path_text;
use documents::{Records, is_stdin};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use robots_archive::{Item, Record};
use std::borrow::Cow;
use std::fs::{File, FileType};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use stream::{OpenArchive, StreamContent};
use url::Url;

/// An input.
#[derive(Debug)]
pub(crate) enum Input {
    /// An archive.
    Archive(Archive),
    /// A saved page, or a folder of them.
    Folder(Folder),
}

/// The source of an input.
#[derive(Debug)]
#[non_exhaustive]
pub enum InputSource {
    /// A WARC or ARC file, a saved page, or a folder of them; `-` is standard input.
    Path(PathBuf),
    /// A WARC or ARC file as a stream of bytes.
    Stream(ByteStream),
}

/// A source of the records and damaged places of an archive, in order.
pub trait ItemSource {
    /// Returns the next record or damaged place; `None` at the end.
    ///
    /// # Errors
    ///
    /// If the archive cannot be read, or not any further. A run leaves out the rest, and reports it.
    fn next_item(&mut self) -> Result<Option<Item>, Error>;

    /// Takes back an item that is no longer needed, to reuse its memory.
    fn recycle(&mut self, item: Item) {
        drop(item);
    }
}

/// An archive. Its file is opened only while it is read, as the system limits the number of open files.
#[derive(Debug)]
pub(crate) struct Archive {
    path: PathBuf,
    /// The path, or the name of a stream, for messages.
    pub(crate) name: String,
    /// The size in bytes; zero if it is not known.
    pub(crate) bytes: u64,
    content: Content,
}

/// The content of an archive.
#[derive(Debug)]
enum Content {
    /// The file at the path.
    File,
    /// The temporary copy of an input that can be read only once: a pipe, standard input.
    Spooled(Arc<File>),
    Stream(StreamContent),
}

/// A folder of saved pages, or a single page.
#[derive(Debug)]
pub(crate) struct Folder {
    /// The path that the caller named: of the folder, or of a single page.
    pub(crate) path: PathBuf,
    /// The folder that stands for the base URL: the URL of a page is the base and the path from this folder to the page.
    pub(crate) root: PathBuf,
    /// The pages, in the order of their paths.
    pub(crate) pages: Vec<PathBuf>,
    /// The folders that could not be read.
    pub(crate) unread: Vec<(PathBuf, io::Error)>,
    /// Whether archives were found in the folder. They are inputs of their own.
    pub(crate) has_archives: bool,
}

impl Archive {
    /// Returns the archive at a path, which [`open_file`] has opened.
    pub(crate) fn opened(path: &Path, file: File) -> Self {
        Self {
            path: path.to_owned(),
            name: path_text(path),
            bytes: file.metadata().map_or(0, |metadata| metadata.len()),
            // Neither a pipe nor standard input can be opened again.
            content: if !is_stdin(path) && path.is_file() {
                Content::File
            } else {
                Content::Spooled(Arc::new(file))
            },
        }
    }

    /// Returns the archive of a stream. `is_copied`: whether it can be read again, from a temporary copy.
    pub(crate) fn of_stream(stream: ByteStream, is_copied: bool) -> Self {
        Self {
            path: PathBuf::from(&stream.name),
            name: stream.name.clone(),
            bytes: 0,
            content: Content::Stream(StreamContent::new(stream, is_copied)),
        }
    }

    /// Returns the temporary copy of an input that can be read only once.
    pub(crate) fn spooled(&self) -> Option<&File> {
        match &self.content {
            Content::Spooled(file) => Some(file),
            Content::File | Content::Stream(_) => None,
        }
    }

    /// Returns whether the archive is a stream.
    pub(crate) fn is_stream(&self) -> bool {
        matches!(self.content, Content::Stream(_))
    }

    /// Opens the archive: a file for several readers, a stream for one.
    pub(crate) fn open(&self) -> Result<OpenArchive, Error> {
        let opened = match &self.content {
            Content::File => File::open(&self.path).map(|file| OpenArchive::File(Arc::new(file))),
            Content::Spooled(file) => Ok(OpenArchive::File(Arc::clone(file))),
            Content::Stream(stream) => stream.open(),
        };
        opened.map_err(Error::io("read", &self.name))
    }
}

impl Folder {
    /// Returns the files that are read.
    pub(crate) fn paths(&self) -> impl Iterator<Item = Cow<'_, Path>> {
        let pages = self.pages.iter().map(|page| Cow::Borrowed(page.as_path()));
        pages.chain([Cow::Owned(self.root.join("robots.txt"))])
    }
}

impl Input {
    /// Returns the path that the caller named.
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Archive(archive) => &archive.path,
            Self::Folder(folder) => &folder.path,
        }
    }

    /// Returns the size in bytes; zero for a folder, or if it is not known.
    pub(crate) fn bytes(&self) -> u64 {
        self.archive().map_or(0, |archive| archive.bytes)
    }

    /// Returns the archive, if it is one.
    pub(crate) fn archive(&self) -> Option<&Archive> {
        match self {
            Self::Archive(archive) => Some(archive),
            Self::Folder(_) => None,
        }
    }

    /// Returns the files in a folder that are read.
    pub(crate) fn paths_within(&self) -> impl Iterator<Item = Cow<'_, Path>> {
        let folder = match self {
            Self::Archive(_) => None,
            Self::Folder(folder) => Some(folder),
        };
        folder.into_iter().flat_map(Folder::paths)
    }
}

/// Returns the pages of a folder, and the paths of the archives in it.
fn open_folder(path: &Path) -> (Folder, Vec<PathBuf>) {
    let mut unread = Vec::new();
    let found = files_and_archives_in(path, &is_saved_page, &mut |folder, error| {
        unread.push((folder.to_owned(), error));
    });
    let (pages, archives): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|path| is_saved_page(path));
    let folder = Folder {
        path: path.to_owned(),
        root: path.to_owned(),
        pages,
        unread,
        has_archives: !archives.is_empty(),
    };
    (folder, archives)
}

/// Opens a file; `-` is standard input.
///
/// # Errors
///
/// If it cannot be read.
fn open(path: &Path) -> Result<Input, Error> {
    if is_saved_page(path) {
        // A saved page is a folder with one page in it.
        std::fs::metadata(path).map_err(Error::at("read", path))?;
        return Ok(Input::Folder(Folder {
            path: path.to_owned(),
            root: path.parent().unwrap_or(Path::new("")).to_owned(),
            pages: vec![path.to_owned()],
            unread: Vec::new(),
            has_archives: false,
        }));
    }
    Ok(Input::Archive(Archive::opened(path, open_file(path)?)))
}

/// Opens an input; for a folder, its pages, and each archive in it. Passes what cannot be read to `failed`. `is_copied`: whether a
/// stream can be read again, from a temporary copy.
pub(crate) fn open_source(
    source: InputSource,
    is_copied: bool,
    failed: &mut dyn FnMut(Error),
) -> Vec<Input> {
    let mut inputs = Vec::new();
    let files = match source {
        InputSource::Stream(stream) => {
            return vec![Input::Archive(Archive::of_stream(stream, is_copied))];
        }
        InputSource::Path(path) if path.is_dir() => {
            let (folder, archives) = open_folder(&path);
            inputs.push(Input::Folder(folder));
            archives
        }
        InputSource::Path(path) => vec![path],
    };
    for path in files {
        match open(&path) {
            Ok(input) => inputs.push(input),
            Err(error) => failed(error),
        }
    }
    inputs
}

/// Opens a file. Copies an input that can be read only once (a pipe, standard input) to a temporary file.
///
/// # Errors
///
/// If it cannot be read, or is a folder.
pub fn open_file(path: &Path) -> Result<File, Error> {
    if is_stdin(path) {
        return spooled("standard input", &mut io::stdin().lock());
    }
    let mut file = lines::open_plain(path)?;
    let metadata = file.metadata().map_err(Error::at("read", path))?;
    if !metadata.is_file() {
        return spooled(&path_text(path), &mut file);
    }
    Ok(file)
}

/// Passes each record of an open file to `visit`, in order, and reports damage as warnings. Returns whether the file is
/// an archive.
///
/// # Errors
///
/// If the file cannot be read, and any error of `visit`.
pub fn visit_records<E: From<Error>>(
    name: &str,
    file: &File,
    observer: &(impl Observer + ?Sized),
    visit: &mut dyn FnMut(Record) -> Result<(), E>,
) -> Result<bool, E> {
    let Some(records) = Records::open(name, file, observer)? else {
        return Ok(false);
    };
    for record in records {
        visit(record?)?;
    }
    Ok(true)
}

/// The number of bytes that are copied at once.
const COPY_BYTES: usize = 64 << 10;

/// Copies an input to a temporary file. An error is that of the input, with its name, or that of the temporary file.
fn spooled(name: &str, from: &mut impl Read) -> Result<File, Error> {
    let mut file = tempfile::tempfile().map_err(Error::temporary("make"))?;
    let mut buffer = vec![0; COPY_BYTES];
    loop {
        let count = match from.read(&mut buffer) {
            Ok(0) => return Ok(file),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Error::io("read", name)(error)),
        };
        let bytes = buffer.get(..count).unwrap_or(&buffer);
        file.write_all(bytes)
            .map_err(Error::temporary("write to"))?;
    }
}

/// Returns the archives in a folder and below, and the wanted files, in the order of their paths. What cannot be read is passed to
/// `unread`.
pub(crate) fn files_and_archives_in(
    folder: &Path,
    is_wanted: &dyn Fn(&Path) -> bool,
    unread: &mut dyn FnMut(&Path, io::Error),
) -> Vec<PathBuf> {
    files_in(folder, &|path| is_archive(path) || is_wanted(path), unread)
}

/// Returns the wanted files in a folder and below, in the order of their paths. What cannot be read is passed to `unread`: a folder
/// with the reason.
pub(crate) fn files_in(
    folder: &Path,
    is_wanted: &dyn Fn(&Path) -> bool,
    unread: &mut dyn FnMut(&Path, io::Error),
) -> Vec<PathBuf> {
    let mut files = Vec::new();
    collect_files(folder, is_wanted, unread, &mut files);
    files.sort();
    files
}

fn collect_files(
    folder: &Path,
    is_wanted: &dyn Fn(&Path) -> bool,
    unread: &mut dyn FnMut(&Path, io::Error),
    files: &mut Vec<PathBuf>,
) {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => return unread(folder, error),
    };
    for entry in entries {
        let added = entry.and_then(|entry| {
            let (path, kind) = (entry.path(), entry.file_type()?);
            if kind.is_dir() {
                collect_files(&path, is_wanted, unread, files);
            } else if is_wanted(&path) && is_file(&path, kind)? {
                files.push(path);
            }
            Ok(())
        });
        if let Err(error) = added {
            unread(folder, error);
        }
    }
}

/// Returns whether a path in a folder is a file, or a link to one: not a pipe, a device, or a link to a folder, which could lead
/// back to its own. A link without a target is an error.
fn is_file(path: &Path, kind: FileType) -> io::Result<bool> {
    if !kind.is_symlink() {
        return Ok(kind.is_file());
    }
    let metadata = std::fs::metadata(path).map_err(|error| {
        let text = format!("the link {}: {error}", path_text(path));
        io::Error::new(error.kind(), text)
    })?;
    Ok(metadata.is_file())
}

/// The ASCII characters that are percent-encoded in a name that is not UTF-8, or has characters that a URL drops.
const NAME: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Returns the URL of a saved page: the base, and the path from the folder of the base to the page. A byte of a name that is
/// not part of a character in UTF-8 is percent-encoded alone. Returns `None` if the base cannot have a path.
pub fn saved_page_url(base: &Url, within: &Path) -> Option<Url> {
    let mut url = base.clone();
    url.path_segments_mut().ok()?.pop_if_empty();
    for part in within {
        let text = part.to_str();
        // The URL standard removes these, and two names would be one.
        if let Some(part) = text.filter(|text| !text.contains(['\t', '\n', '\r'])) {
            url.path_segments_mut().ok()?.push(part);
        } else {
            let part = percent_encode(part.as_encoded_bytes(), NAME);
            let path = format!("{}/{part}", url.path().trim_end_matches('/'));
            url.set_path(&path);
        }
    }
    Some(url)
}

/// Returns whether a path has the name of an archive: `.warc` or `.arc`, alone or before the ending of a compression. One that
/// cannot be read as an archive, broken or compressed by bzip2 or xz, is neither left out nor taken for another file.
pub(crate) fn is_archive(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.to_ascii_lowercase();
    let without = [".gz", ".zst", ".bz2", ".xz"]
        .iter()
        .find_map(|end| name.strip_suffix(end));
    let ending = Path::new(without.unwrap_or(&name)).extension();
    ending.is_some_and(|ending| ending == "warc" || ending == "arc")
}

/// Returns whether a path has the name of a saved page: `.html`, `.htm` or `.xhtml`.
pub fn is_saved_page(path: &Path) -> bool {
    path.extension().is_some_and(|ending| {
        ["html", "htm", "xhtml"]
            .iter()
            .any(|html| ending.eq_ignore_ascii_case(html))
    })
}
