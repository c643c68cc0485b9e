//! The archive that answers go to: new, or one that an earlier run began.

use super::KeptFault;
use crate::archive::{Item, Reader};
use crate::http::Response;
use crate::robots_book::RobotsBook;
use anyhow::{Context, Result, bail};
use robots_policy::Origin;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Where records go. What was written is in the file, and is whole: the records of a site are written at
/// once.
#[derive(Debug)]
pub(super) struct Target {
    sink: Sink,
    /// What was there before.
    book: Option<RobotsBook>,
}

#[derive(Debug)]
enum Sink {
    File(File, PathBuf),
    Stdout,
}

impl Target {
    /// Opens a new archive, or one to go on with. A record at its end that was cut is dropped.
    pub(super) fn open(path: &Path, resume: bool) -> Result<Self> {
        let name = path.display();
        if path.as_os_str() == "-" {
            if resume {
                bail!("--resume needs a file, not standard output");
            }
            return Ok(Self {
                sink: Sink::Stdout,
                book: None,
            });
        }
        let about = || format!("cannot write {name}");
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .with_context(about)?;
        let metadata = file.metadata().with_context(about)?;
        let is_new = !metadata.is_file() || metadata.len() == 0;
        if !is_new && !resume {
            bail!("{name} is there already; --resume goes on with it");
        }
        let book = if is_new {
            None
        } else {
            let bytes = whole_bytes(&file, path)?;
            let book = if bytes == 0 {
                None
            } else {
                Some(read(&file, bytes, path)?)
            };
            if bytes < metadata.len() {
                anstream::eprintln!("warning: {name}: at byte {bytes}: cut; goes on from there");
                file.set_len(bytes).with_context(about)?;
            }
            book
        };
        Ok(Self {
            sink: Sink::File(file, path.to_owned()),
            book,
        })
    }

    /// Whether the answer of an origin was there before.
    pub(super) fn has(&mut self, origin: &Origin) -> bool {
        self.book.as_mut().is_some_and(|book| book.has(origin))
    }

    pub(super) fn is_stdout(&self) -> bool {
        matches!(self.sink, Sink::Stdout)
    }

    /// Writes records.
    pub(super) fn write(&mut self, records: &[u8]) -> Result<()> {
        match &mut self.sink {
            Sink::File(file, path) => file
                .write_all(records)
                .with_context(|| format!("cannot write to {}", path.display())),
            Sink::Stdout => {
                let mut out = io::stdout().lock();
                out.write_all(records)
                    .and_then(|()| out.flush())
                    .context("cannot write to standard output")
            }
        }
    }
}

/// Where an archive ends that may be cut: behind its last whole member.
fn whole_bytes(file: &File, path: &Path) -> Result<u64> {
    let about = || format!("cannot read {}", path.display());
    let mut cut_at = None;
    let mut reader = open(file, u64::MAX, path)?;
    while let Some(item) = reader.next_item().with_context(about)? {
        cut_at = match item {
            Item::Fault(fault) => Some(fault.offset),
            // What is whole behind a fault stays.
            Item::Record(record) => cut_at.filter(|at| record.offset <= *at),
        };
    }
    let bytes = file.metadata().with_context(about)?.len();
    Ok(cut_at.unwrap_or(bytes))
}

/// What the first bytes of an archive have.
fn read(file: &File, bytes: u64, path: &Path) -> Result<RobotsBook> {
    let about = || format!("cannot read {}", path.display());
    let mut book = RobotsBook::of_ends();
    let mut reader = open(file, bytes, path)?;
    while let Some(item) = reader.next_item().with_context(about)? {
        let Item::Record(record) = item else {
            continue;
        };
        let url = record.url.as_deref().map(url::Url::parse);
        let Some(Ok(url)) = url.filter(|url| url.as_ref().is_ok_and(|url| book.wants(url))) else {
            continue;
        };
        if let Some(fault) = KeptFault::of(&record) {
            book.enter_fault(&url, "", fault);
        } else if record.kind == "response"
            && let Ok(response) = Response::parse(&record.block)
        {
            book.enter(&url, "", &response);
        }
    }
    Ok(book)
}

fn open<'f>(file: &'f File, bytes: u64, path: &Path) -> Result<Reader<impl Read + use<'f>>> {
    let about = || format!("cannot read {}", path.display());
    let mut file = file;
    let mut start = Vec::new();
    file.rewind().with_context(about)?;
    file.take(2).read_to_end(&mut start).with_context(about)?;
    file.rewind().with_context(about)?;
    if start != [0x1F, 0x8B] {
        bail!("{} is no gzip; nothing was written", path.display());
    }
    let input = BufReader::new(file).take(bytes);
    match Reader::open(input).with_context(about)? {
        Some(reader) => Ok(reader),
        None => bail!("{} is no WARC file; nothing was written", path.display()),
    }
}
