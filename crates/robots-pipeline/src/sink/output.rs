//! The destination of rows: standard output, a file, a folder with a file for each input, or a sink of the caller.

use super::checksummed_file::{ChecksummedFile, WrittenPart};
use super::format::RowFormat;
use super::{Filter, RowContext, Sink};
use crate::error::{Error, Operation};
use crate::new_file::{is_special, is_stdout_file, partial_name};
use crate::text::path_text;
use robots_policy::Decision;
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

/// The size of the buffer of a writer: 64 KiB.
const BUFFER_BYTES: usize = 64 << 10;

/// The destination of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Destination {
    /// Standard output.
    Stdout,
    /// A file.
    File(PathBuf),
    /// A folder, with a file for each input.
    Folder(PathBuf),
}

/// The files of a destination.
#[derive(Debug)]
pub(crate) enum Target {
    /// A sink of the caller.
    Sink,
    Stdout,
    File(PathBuf),
    /// A file for each input, in their order.
    Folder {
        root: PathBuf,
        files: Vec<PathBuf>,
    },
}

impl Target {
    /// Returns the files for inputs of these names.
    pub(crate) fn new<'n>(
        destination: &Destination,
        inputs: impl Iterator<Item = &'n Path>,
        row_format: &RowFormat,
    ) -> Self {
        match destination {
            Destination::Stdout => Self::Stdout,
            Destination::File(path) => {
                // The target of a link is replaced, and not the link.
                let target = path.is_symlink().then(|| path.canonicalize().ok());
                Self::File(target.flatten().unwrap_or_else(|| path.clone()))
            }
            Destination::Folder(root) => Self::folder(root, inputs, row_format),
        }
    }

    fn folder<'n>(
        root: &Path,
        inputs: impl Iterator<Item = &'n Path>,
        row_format: &RowFormat,
    ) -> Self {
        // Inputs of several folders may have the same name: they get numbers. `taken` is needed as well, as the name with a
        // number may be that of another input.
        let mut taken = HashSet::new();
        let mut numbers: HashMap<OsString, u64> = HashMap::new();
        let files = inputs.map(|input| {
            let name = name_of(input);
            let number = numbers.entry(name.clone()).or_default();
            loop {
                *number += 1;
                let mut file = name.clone();
                if *number > 1 {
                    file.push(format!("-{number}"));
                }
                file.push(format!(".{}", row_format.format().extension()));
                if taken.insert(file.clone()) {
                    return root.join(file);
                }
            }
        });
        Self::Folder {
            files: files.collect(),
            root: root.to_owned(),
        }
    }

    /// Returns the names of the files before they are complete.
    pub(crate) fn partial_files(&self) -> impl Iterator<Item = PathBuf> {
        self.files().iter().map(|file| partial_name(file))
    }

    /// Returns the files that are written.
    pub(crate) fn files(&self) -> &[PathBuf] {
        match self {
            Self::Sink | Self::Stdout => &[],
            Self::File(path) => std::slice::from_ref(path),
            Self::Folder { files, .. } => files,
        }
    }

    /// Makes the folder of an output of several files. That of a single file must exist: an error names this file, not its
    /// journal, which is written first.
    pub(crate) fn make_folder(&self) -> Result<(), Error> {
        match self {
            Self::Folder { root, .. } => {
                fs::create_dir_all(root).map_err(Error::at(Operation::Make, root))
            }
            Self::File(path) => match path.parent() {
                Some(parent) if !parent.as_os_str().is_empty() => fs::metadata(parent)
                    .map(|_| ())
                    .map_err(Error::at(Operation::Write, path)),
                _ => Ok(()),
            },
            Self::Sink | Self::Stdout => Ok(()),
        }
    }

    /// Returns the path of the journal of a run that writes to this target; `None` if such a run cannot be resumed.
    pub(crate) fn journal(&self, row_format: &RowFormat) -> Option<PathBuf> {
        match self {
            Self::Sink | Self::Stdout => None,
            Self::File(path) => {
                let journal = || with_extension(path, ".journal");
                (row_format.format().is_appendable() && !is_special(path)).then(journal)
            }
            Self::Folder { root, .. } => Some(root.join("decide.journal")),
        }
    }
}

/// Returns the name of an input without its folder.
fn name_of(input: &Path) -> OsString {
    let named = |path: &Path| path.file_name().map(ToOwned::to_owned);
    // A path such as `..` has no name in it: the name is that of the folder to which it leads.
    let real = || named(&input.canonicalize().ok()?);
    named(input).or_else(real).unwrap_or_else(|| "input".into())
}

fn with_extension(path: &Path, extension: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(extension);
    path.into()
}

/// A writer of decisions to a target.
pub(crate) struct Output<'s> {
    /// The format of rows; `None` for a sink of the caller.
    row_format: Option<RowFormat>,
    /// The decisions that are written are those that match one of these filters; without filters, all.
    only: Vec<Filter>,
    target: Target,
    open: Option<OpenFile<'s>>,
}

/// The file that is written to.
struct OpenFile<'s> {
    sink: Box<dyn Sink + 's>,
    name: String,
    file: Option<ChecksummedFile>,
    /// The names before and after it is complete.
    rename: Option<(PathBuf, PathBuf)>,
}

impl OpenFile<'_> {
    fn stdout(row_format: &RowFormat) -> Result<Self, Error> {
        let name = "standard output".to_owned();
        let writer = BufWriter::with_capacity(BUFFER_BYTES, io::stdout());
        let sink = row_format.sink(writer, true, !is_stdout_file());
        Ok(Self {
            sink: sink.map_err(Error::io(Operation::WriteTo, &name))?,
            name,
            file: None,
            rename: None,
        })
    }

    /// Opens the file `partial` for writing after the bytes that an earlier run wrote to it (`kept`). The file is renamed to
    /// `path` when it is complete. Errors name `path`, which the user knows.
    fn at(
        partial: &Path,
        path: &Path,
        kept: WrittenPart,
        row_format: &RowFormat,
    ) -> Result<Self, Error> {
        let is_new = kept.bytes == 0;
        let file = if is_new {
            ChecksummedFile::create(partial).map_err(Error::at(Operation::Write, path))?
        } else {
            resume_file(partial, path, kept)?
        };
        let begun = file.try_clone().and_then(|writer| {
            let writer = BufWriter::with_capacity(BUFFER_BYTES, writer);
            row_format.sink(writer, is_new, is_special(partial))
        });
        Ok(Self {
            sink: begun.map_err(Error::at(Operation::Write, path))?,
            name: path_text(path),
            file: Some(file),
            rename: (partial != path).then(|| (partial.to_owned(), path.to_owned())),
        })
    }

    fn checked<T>(&self, result: io::Result<T>) -> Result<T, Error> {
        result.map_err(Error::io(Operation::WriteTo, &self.name))
    }
}

impl<'s> Output<'s> {
    pub(crate) fn new(row_format: RowFormat, only: Vec<Filter>, target: Target) -> Self {
        Self {
            row_format: Some(row_format),
            only,
            target,
            open: None,
        }
    }

    /// Returns a writer to a sink of the caller.
    pub(crate) fn to_sink(sink: &'s mut dyn Sink) -> Self {
        Self {
            row_format: None,
            only: Vec::new(),
            target: Target::Sink,
            open: Some(OpenFile {
                sink: Box::new(sink),
                name: "the sink".to_owned(),
                file: None,
                rename: None,
            }),
        }
    }

    /// Returns the files.
    pub(crate) fn target(&self) -> &Target {
        &self.target
    }

    /// Returns whether a run can resume in the middle of a file.
    pub(crate) fn is_appendable(&self) -> bool {
        let row_format = self.row_format.as_ref();
        row_format.is_some_and(|row_format| row_format.format().is_appendable())
    }

    /// Begins the rows of the input of this index, after the part of its file that an earlier run wrote (`kept`).
    pub(crate) fn begin(&mut self, input: usize, kept: WrittenPart) -> Result<(), Error> {
        let Some(row_format) = &self.row_format else {
            return Ok(());
        };
        let path = match &self.target {
            Target::Folder { files, .. } => match files.get(input) {
                Some(path) => path,
                // After the last input there is no file.
                None => return Ok(()),
            },
            // All inputs share one file.
            _ if self.open.is_some() => return Ok(()),
            Target::Sink => return Ok(()),
            Target::Stdout => {
                self.open = Some(OpenFile::stdout(row_format)?);
                return Ok(());
            }
            Target::File(path) => path,
        };
        // A single output may be a pipe or a device, which cannot be renamed. In an output folder, files replace them.
        let is_written_directly = matches!(self.target, Target::File(_)) && is_special(path);
        let partial = if is_written_directly {
            path.clone()
        } else {
            partial_name(path)
        };
        self.open = Some(OpenFile::at(&partial, path, kept, row_format)?);
        Ok(())
    }

    pub(crate) fn write(&mut self, row: &RowContext<'_>, decision: &Decision) -> Result<(), Error> {
        if !self.only.is_empty() && !self.only.iter().any(|filter| filter.matches(decision)) {
            return Ok(());
        }
        let Some(open) = &mut self.open else {
            // Not expected: `begin` opens the output before the first row of an input.
            return Ok(());
        };
        let written = open.sink.write(row, decision);
        open.checked(written)
    }

    /// Flushes all rows. Returns the written part of the file, if a run can resume from there, else an empty part.
    pub(crate) fn flush(&mut self) -> Result<WrittenPart, Error> {
        let is_appendable = self.is_appendable();
        let Some(open) = &mut self.open else {
            return Ok(WrittenPart::default());
        };
        let flushed = open.sink.flush();
        open.checked(flushed)?;
        let file = open.file.as_ref().filter(|_| is_appendable);
        Ok(file.map(ChecksummedFile::written).unwrap_or_default())
    }

    /// Waits until all that was flushed is on disk.
    pub(crate) fn sync(&self) -> Result<(), Error> {
        let open = self.open.as_ref();
        match open.and_then(|open| Some((open, open.file.as_ref()?))) {
            Some((open, file)) => open.checked(file.sync()),
            None => Ok(()),
        }
    }

    /// Ends the rows of an input.
    pub(crate) fn end_input(&mut self) -> Result<(), Error> {
        match self.target {
            // The file has all rows of the input, so it is complete.
            Target::Folder { .. } => self.end(true),
            _ => Ok(()),
        }
    }

    /// Ends the file that is open. `is_complete` is true if no row is missing.
    pub(crate) fn end(&mut self, is_complete: bool) -> Result<(), Error> {
        let Some(mut open) = self.open.take() else {
            return Ok(());
        };
        let finished = open.sink.finish();
        open.checked(finished)?;
        if let Some(file) = &open.file {
            open.checked(file.sync())?;
        }
        // A file that is not complete keeps its partial name, for a run that resumes. No run can resume a single file in a
        // format without appending, so it gets its name even so.
        let is_single = matches!(self.target, Target::File(_));
        let gets_its_name = is_complete || is_single && !self.is_appendable();
        if let Some((from, to)) = open.rename.as_ref().filter(|_| gets_its_name) {
            fs::rename(from, to).map_err(Error::at(Operation::Write, to))?;
        }
        Ok(())
    }
}

/// Opens the file of an earlier run, and truncates it after `kept`: the part that the last line of the journal states.
///
/// If the earlier run completed the file, but ended before it wrote this to the journal, the file has the name `path` already.
/// It is renamed to `partial` again.
fn resume_file(partial: &Path, path: &Path, kept: WrittenPart) -> Result<ChecksummedFile, Error> {
    let was_renamed = !partial.exists() && path.exists();
    let found = if was_renamed { path } else { partial };
    let resumed = ChecksummedFile::open(found, kept).and_then(|mut file| {
        if was_renamed {
            fs::rename(path, partial)?;
        }
        file.truncate()?;
        Ok(file)
    });
    resumed.map_err(Error::at(Operation::Continue, found))
}
