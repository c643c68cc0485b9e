//! The archive for responses: a new one, or one that an earlier run began.

use crate::terminal::is_terminal;
use anyhow::{Context, Result, bail};
use flate2::read::GzDecoder;
use robots_archive::{Item, Reader};
use robots_pipeline::new_file::lock;
use robots_pipeline::sink::Format;
use robots_pipeline::text::path_text;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// The target of records. The records of a site are written together; if that fails, the part that was written is
/// removed. So the file has only whole records. It is locked, so that no other run writes to it.
#[derive(Debug)]
pub(super) enum Target {
    File(ArchiveFile),
    Stdout,
    /// Nowhere: there is no archive.
    None,
}

/// An archive that is a file.
#[derive(Debug)]
pub(super) struct ArchiveFile {
    file: File,
    path: PathBuf,
    /// The number of bytes of whole records; `None` for a pipe or a device, which cannot be truncated.
    bytes: Option<u64>,
}

impl Target {
    /// Opens a new archive, or one to continue. A truncated record at its end is dropped. Without a path, records are not kept.
    pub(super) fn open(path: Option<&Path>, resume: bool) -> Result<Self> {
        let Some(path) = path else {
            return Ok(Self::None);
        };
        let name = path_text(path);
        if path.as_os_str() == "-" {
            if resume {
                bail!("--resume needs a file: standard output cannot be continued");
            }
            if is_terminal(None) {
                bail!(
                    "cannot write an archive to a terminal: it is not text; use a file, or a pipe"
                );
            }
            return Ok(Self::Stdout);
        }
        if let Ok(Some(_)) = Format::of_file_name(path) {
            bail!(
                "{name}: the responses are kept as a WARC file (gzip); use a name such as robots.warc.gz"
            );
        }
        let about = || format!("cannot write {name}");
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .with_context(about)?;
        lock(&file, path).with_context(about)?;
        let metadata = file.metadata().with_context(about)?;
        let length = metadata.len();
        // A pipe, a device or an empty file has no records to continue.
        if !metadata.is_file() || length == 0 {
            let bytes = metadata.is_file().then_some(0);
            let path = path.to_owned();
            return Ok(Self::File(ArchiveFile { file, path, bytes }));
        }
        if !resume {
            bail!("{name} exists; `robots fetch --resume` continues it");
        }
        let bytes = whole_bytes(&file, path)?;
        if bytes < length {
            notice!("warning: {name}: cut at byte {bytes}; continuing from there");
            file.set_len(bytes).with_context(about)?;
        }
        Ok(Self::File(ArchiveFile {
            file,
            path: path.to_owned(),
            bytes: Some(bytes),
        }))
    }

    /// Returns a reader of the archive so far, which earlier runs wrote; `None` if it has no record.
    pub(super) fn reader(&self) -> Result<Option<Reader<impl Read>>> {
        match self {
            Self::File(ArchiveFile {
                file,
                path,
                bytes: Some(bytes @ 1..),
            }) => open(file, *bytes, path),
            _ => Ok(None),
        }
    }

    pub(super) fn is_stdout(&self) -> bool {
        matches!(self, Self::Stdout)
    }

    /// Writes records. After an error, an archive that is a file has none of them, unless it cannot be truncated either.
    pub(super) fn write(&mut self, records: &[u8]) -> Result<()> {
        match self {
            Self::File(archive) => archive
                .write(records)
                .with_context(|| format!("cannot write to {}", path_text(&archive.path))),
            Self::Stdout => {
                let mut out = io::stdout().lock();
                out.write_all(records)
                    .and_then(|()| out.flush())
                    .context("cannot write to standard output")
            }
            Self::None => Ok(()),
        }
    }

    /// Makes all records durable: some file systems report a full disk only now.
    pub(super) fn finish(&self) -> Result<()> {
        match self {
            Self::File(archive) if archive.bytes.is_some() => archive
                .file
                .sync_data()
                .with_context(|| format!("cannot write to {}", path_text(&archive.path))),
            _ => Ok(()),
        }
    }
}

impl ArchiveFile {
    fn write(&mut self, records: &[u8]) -> io::Result<()> {
        let written = self.file.write_all(records);
        if let Some(bytes) = &mut self.bytes {
            if written.is_ok() {
                *bytes += records.len() as u64;
            } else {
                // If truncating fails too, the next run truncates the file.
                self.file.set_len(*bytes).ok();
            }
        }
        written
    }
}

/// Returns the end of the last whole member of an archive, in bytes.
///
/// Runs write each record as a member of its own. A damaged member with several records was not written by a run: it is an
/// error, and nothing is dropped.
fn whole_bytes(file: &File, path: &Path) -> Result<u64> {
    let about = || format!("cannot read {}", path_text(path));
    let bytes = file.metadata().with_context(about)?.len();
    let Some(mut reader) = open(file, bytes, path)? else {
        return Ok(0);
    };
    let mut cut_at = None;
    // The offset of the last member with a record, and the number of its records.
    let mut last = (0, 0_u64);
    while let Some(item) = reader.next_item().with_context(about)? {
        match item {
            Item::Record(record) => {
                last = match last {
                    (at, count) if at == record.offset => (at, count + 1),
                    _ => (record.offset, 1),
                };
                // A whole record after the damage: the file is not cut before it.
                cut_at = cut_at.filter(|at| record.offset <= *at);
            }
            Item::Damage(damage) if damage.is_of_member => {
                if last.0 == damage.offset && last.1 > 1 {
                    let name = path_text(path);
                    bail!(
                        "{name}: at byte {}: a damaged gzip member with several records; \
                         nothing was written",
                        damage.offset
                    );
                }
                cut_at = Some(damage.offset);
            }
            // A damaged record in a whole member is not the end of a run that was killed.
            Item::Damage(_) => {}
        }
    }
    Ok(cut_at.unwrap_or(bytes))
}

/// Opens the first bytes of an archive. Returns `None` if no record can be read from it, as when it ends within its first
/// member.
fn open<'f>(
    file: &'f File,
    bytes: u64,
    path: &Path,
) -> Result<Option<Reader<impl Read + use<'f>>>> {
    let about = || format!("cannot read {}", path_text(path));
    let mut start = file;
    start.rewind().with_context(about)?;
    let first = first_bytes(start.take(bytes));
    start.rewind().with_context(about)?;
    match first {
        Ok(found) if found == MAGIC => {}
        // It may be a WARC file that was cut within its first member.
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
        _ => bail!(
            "{} is not a gzip WARC file; nothing was written",
            path_text(path)
        ),
    }
    records(BufReader::new(start).take(bytes), path)
}

/// Returns a reader of the records; `None` if there are none. A failure to read is an error: a run that resumes removes what
/// has no record.
fn records<R: Read>(input: R, path: &Path) -> Result<Option<Reader<R>>> {
    Reader::open(input).with_context(|| format!("cannot read {}", path_text(path)))
}

/// The first bytes of an unpacked WARC file.
const MAGIC: &[u8] = b"WARC/";

/// Unpacks as many bytes as [`MAGIC`] has.
fn first_bytes(gzip: impl Read) -> io::Result<Vec<u8>> {
    let mut first = vec![0; MAGIC.len()];
    GzDecoder::new(gzip).read_exact(&mut first)?;
    Ok(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;

    /// Fails once its bytes are read.
    struct Failing<'b>(&'b [u8]);
    impl Read for Failing<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buffer)? {
                0 => Err(io::Error::other("the disk fails")),
                length => Ok(length),
            }
        }
    }

    #[test]
    fn an_archive_that_cannot_be_read_is_not_an_archive_without_records() {
        let mut member = GzEncoder::new(Vec::new(), Compression::fast());
        member.write_all(b"WARC/1.0\r\n").unwrap();
        let member = member.finish().unwrap();
        let path = Path::new("a.warc.gz");
        for bytes in [0, 1, member.len() - 1, member.len()] {
            // Either nothing can be opened, or the first record cannot be read.
            if let Ok(reader) = records(Failing(&member[..bytes]), path) {
                assert!(reader.unwrap().next_item().is_err());
            }
        }
        // A killed run may have cut the member: that is no failure to read.
        assert!(records(&member[..member.len() - 1], path).is_ok());
    }
}
