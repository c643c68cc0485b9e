//! Files, pipes and folders, opened for reading.

use anyhow::{Context, Result, bail};
use flate2::read::MultiGzDecoder;
use robots_archive::{Item, Reader, Record};
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a name on the command line stands for.
#[derive(Debug)]
pub(crate) enum Input {
    Archive(Archive),
    /// A saved page, or a folder of them in the order of their paths, and what in it could not be
    /// read.
    Folder {
        /// As it was named.
        name: PathBuf,
        root: PathBuf,
        pages: Vec<PathBuf>,
        unread: Vec<String>,
    },
}

/// A file that is opened when it is its turn: there may be more than the system lets be open.
#[derive(Debug)]
pub(crate) struct Archive {
    path: PathBuf,
    /// What it is called in messages.
    pub(crate) name: String,
    pub(crate) bytes: u64,
    /// What is no file (a pipe, standard input) is kept in a temporary one, so that it can be read twice.
    spooled: Option<Arc<File>>,
}

impl Archive {
    fn new(path: &Path) -> Result<Self> {
        let mut archive = Self {
            path: path.to_owned(),
            name: path.display().to_string(),
            bytes: 0,
            spooled: None,
        };
        let file = open_file(path)?;
        archive.bytes = file.metadata().map_or(0, |metadata| metadata.len());
        if path.as_os_str() == "-" || !path.is_file() {
            archive.spooled = Some(Arc::new(file));
        }
        Ok(archive)
    }

    /// Opens it, for several readers.
    pub(crate) fn open(&self) -> Result<Arc<File>> {
        if let Some(file) = &self.spooled {
            return Ok(Arc::clone(file));
        }
        let file = File::open(&self.path).with_context(|| format!("cannot read {}", self.name))?;
        Ok(Arc::new(file))
    }
}

impl Input {
    /// What it is called.
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Archive(archive) => &archive.path,
            Self::Folder { name, .. } => name,
        }
    }

    /// How many bytes are read of it, if that is known.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Self::Archive(archive) => archive.bytes,
            Self::Folder { .. } => 0,
        }
    }

    /// The archive that it is.
    pub(crate) fn archive(&self) -> Option<&Archive> {
        match self {
            Self::Archive(archive) => Some(archive),
            Self::Folder { .. } => None,
        }
    }

    /// The files in a folder that are read.
    pub(crate) fn paths(&self) -> Vec<Cow<'_, Path>> {
        match self {
            Self::Archive(_) => Vec::new(),
            Self::Folder { root, pages, .. } => pages
                .iter()
                .map(|page| Cow::Borrowed(page.as_path()))
                .chain([Cow::Owned(root.join("robots.txt"))])
                .collect(),
        }
    }
}

/// Opens what `path` names; `-` is standard input.
pub(crate) fn open(path: &Path) -> Result<Input> {
    let name = path.display().to_string();
    if path.is_dir() {
        let (mut pages, mut unread) = (Vec::new(), Vec::new());
        collect_pages(path, &mut pages, &mut unread);
        pages.sort();
        return Ok(Input::Folder {
            name: path.to_owned(),
            root: path.to_owned(),
            pages,
            unread,
        });
    }
    if is_html(path) {
        // A saved page is a folder with one page in it.
        std::fs::metadata(path).with_context(|| format!("cannot read {name}"))?;
        return Ok(Input::Folder {
            name: path.to_owned(),
            root: path.parent().unwrap_or(Path::new("")).to_owned(),
            pages: vec![path.to_owned()],
            unread: Vec::new(),
        });
    }
    Ok(Input::Archive(Archive::new(path)?))
}

/// Opens a file. What can be read only once (a pipe, standard input) is kept in a temporary one.
pub(crate) fn open_file(path: &Path) -> Result<File> {
    let about = || format!("cannot read {}", path.display());
    if path.as_os_str() == "-" {
        return spooled(&mut io::stdin().lock()).with_context(about);
    }
    let mut file = File::open(path).with_context(about)?;
    let metadata = file.metadata().with_context(about)?;
    if metadata.is_dir() {
        bail!("{} is a folder; a file is needed", path.display());
    }
    if !metadata.is_file() {
        return spooled(&mut file).with_context(about);
    }
    Ok(file)
}

/// Opens a text that is read line by line, plain or gzip; `-` is standard input.
pub(crate) fn open_lines(path: &Path) -> Result<Box<dyn BufRead>> {
    let input: Box<dyn Read> = if path.as_os_str() == "-" {
        Box::new(io::stdin())
    } else {
        let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        Box::new(file)
    };
    let mut input = BufReader::new(input);
    let start = input
        .fill_buf()
        .with_context(|| format!("cannot read {}", path.display()))?;
    if start.starts_with(&[0x1F, 0x8B]) {
        return Ok(Box::new(BufReader::new(MultiGzDecoder::new(input))));
    }
    Ok(Box::new(input))
}

/// Reads an open file as an archive, from its start; `None` if it is none.
pub(crate) fn archive<'f>(name: &str, file: &'f File) -> Result<Option<Reader<Counted<'f>>>> {
    let about = || format!("cannot read {name}");
    let input = Counted::from_start(file, &Arc::default()).with_context(about)?;
    Reader::open(input).with_context(about)
}

/// Shows each record of an open file to `visit`, in order, and what is broken in it to `tell`, as a line. Gives
/// whether it is an archive.
pub(crate) fn visit_records(
    name: &str,
    file: &File,
    tell: &dyn Fn(&str),
    visit: &mut dyn FnMut(Record) -> Result<()>,
) -> Result<bool> {
    let Some(mut reader) = archive(name, file)? else {
        return Ok(false);
    };
    let about = || format!("cannot read on in {name}");
    while let Some(item) = reader.next_item().with_context(about)? {
        match item {
            Item::Fault(fault) => tell(&format!("warning: {name}: {fault}")),
            Item::Record(record) => visit(record)?,
        }
    }
    Ok(true)
}

fn spooled(from: &mut impl Read) -> Result<File> {
    let mut file = tempfile::tempfile().context("cannot make a temporary file")?;
    io::copy(from, &mut file)?;
    Ok(file)
}

/// Reads a small file, or standard input, whole; inflates it if it is gzip.
pub(crate) fn read_whole(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let about = || format!("cannot read {}", path.display());
    if path.as_os_str() == "-" {
        io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .with_context(about)?;
    } else {
        bytes = std::fs::read(path).with_context(about)?;
    }
    inflated(bytes).with_context(|| format!("cannot inflate {}", path.display()))
}

/// The bytes, inflated if they are gzip.
pub(crate) fn inflated(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    if !bytes.starts_with(&[0x1F, 0x8B]) {
        return Ok(bytes);
    }
    let mut inflated = Vec::new();
    MultiGzDecoder::new(&bytes[..])
        .take(INFLATED_LIMIT)
        .read_to_end(&mut inflated)?;
    Ok(inflated)
}

/// How many bytes a small file may have when it is inflated: 64 MiB.
const INFLATED_LIMIT: u64 = 64 * 1024 * 1024;

fn collect_pages(folder: &Path, pages: &mut Vec<PathBuf>, unread: &mut Vec<String>) {
    let mut tell = |error: io::Error| unread.push(format!("{}: {error}", folder.display()));
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => return tell(error),
    };
    let mut folders = Vec::new();
    for entry in entries {
        // A link could lead back to where it stands: it is not followed.
        match entry.and_then(|entry| Ok((entry.path(), entry.file_type()?))) {
            Ok((path, kind)) if kind.is_dir() => folders.push(path),
            Ok((path, kind)) if kind.is_file() && is_html(&path) => pages.push(path),
            Ok(_) => {}
            Err(error) => tell(error),
        }
    }
    for folder in folders {
        collect_pages(&folder, pages, unread);
    }
}

fn is_html(path: &Path) -> bool {
    path.extension().is_some_and(|ending| {
        ["html", "htm", "xhtml"]
            .iter()
            .any(|html| ending.eq_ignore_ascii_case(html))
    })
}

/// A file from its start, which counts what is read of it.
#[derive(Debug)]
pub(crate) struct Counted<'f> {
    file: &'f File,
    read: Arc<AtomicU64>,
}

impl<'f> Counted<'f> {
    pub(crate) fn from_start(mut file: &'f File, read: &Arc<AtomicU64>) -> io::Result<Self> {
        file.seek(SeekFrom::Start(0))?;
        Ok(Self {
            file,
            read: Arc::clone(read),
        })
    }
}

impl Read for Counted<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(into)?;
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
