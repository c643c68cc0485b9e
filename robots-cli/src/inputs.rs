//! Files, pipes and folders, opened for reading.

use anyhow::{Context, Result};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a name on the command line stands for.
#[derive(Debug)]
pub(crate) enum Input {
    /// A file, or standard input kept in a temporary one so that it can be read twice.
    File {
        name: String,
        file: File,
        bytes: u64,
    },
    /// A folder of saved pages, in the order of their paths.
    Folder { root: PathBuf, pages: Vec<PathBuf> },
}

/// Opens what `path` names; `-` is standard input.
pub(crate) fn open(path: &Path) -> Result<Input> {
    if path.as_os_str() == "-" {
        let mut file = tempfile::tempfile().context("cannot make a temporary file")?;
        let bytes =
            io::copy(&mut io::stdin().lock(), &mut file).context("cannot read standard input")?;
        return Ok(Input::File {
            name: "-".to_owned(),
            file,
            bytes,
        });
    }
    let name = path.display().to_string();
    let about = || format!("cannot read {name}");
    if path.is_dir() {
        let mut pages = Vec::new();
        collect_pages(path, &mut pages).with_context(about)?;
        pages.sort();
        return Ok(Input::Folder {
            root: path.to_owned(),
            pages,
        });
    }
    let file = File::open(path).with_context(about)?;
    let bytes = file.metadata().with_context(about)?.len();
    Ok(Input::File { name, file, bytes })
}

/// Reads a small file, or standard input, whole.
pub(crate) fn read_whole(path: &Path) -> Result<Vec<u8>> {
    if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .context("cannot read standard input")?;
        return Ok(bytes);
    }
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

fn collect_pages(folder: &Path, pages: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        // A link could lead back to where it stands: it is not followed.
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect_pages(&path, pages)?;
        } else if kind.is_file() && is_html(&path) {
            pages.push(path);
        }
    }
    Ok(())
}

pub(crate) fn is_html(path: &Path) -> bool {
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
