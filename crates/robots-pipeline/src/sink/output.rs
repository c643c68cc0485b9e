//! The destination of rows: standard output, a file, a folder with a file for each input, or a sink of the caller.

use super::checksummed_file::{ChecksummedFile, WrittenPart};
use super::format::RowFormat;
use super::{Filter, RowContext, Sink};
use crate::error::{Error, Operation};
use crate::new_file::{is_special, partial_name};
use robots_policy::Decision;
use std::borrow::Cow;
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

/// Checks that no output is an input, which would be lost before it is read, and that no two outputs are the same.
///
/// # Errors
///
/// If there is such an output.
pub(crate) fn refuse_to_overwrite<'p>(
    outputs: impl Iterator<Item = PathBuf>,
    inputs: impl Iterator<Item = Cow<'p, Path>>,
) -> Result<(), Error> {
    let inputs: HashSet<PathBuf> = inputs
        .filter_map(|input| input.canonicalize().ok())
        .collect();
    let mut written = HashSet::new();
    for output in outputs {
        let real = output.canonicalize().unwrap_or_else(|_| output.clone());
        if inputs.contains(&real) {
            return Err(Error::OutputIsInput(output));
        }
        if !written.insert(real) {
            return Err(Error::DuplicateOutput(output));
        }
    }
    Ok(())
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
        form: &RowFormat,
    ) -> Self {
        match destination {
            Destination::Stdout => Self::Stdout,
            Destination::File(path) => Self::File(path.clone()),
            Destination::Folder(root) => Self::folder(root, inputs, form),
        }
    }

    fn folder<'n>(root: &Path, inputs: impl Iterator<Item = &'n Path>, form: &RowFormat) -> Self {
        // Inputs of several folders may have the same name: they get numbers.
        let mut taken = HashSet::new();
        let mut numbers: HashMap<OsString, u64> = HashMap::new();
        let files = inputs.map(|input| {
            let name = name_of(input);
            let number = numbers.entry(name.clone()).or_default();
            loop {
                *number = number.saturating_add(1);
                let mut file = name.clone();
                if *number > 1 {
                    file.push(format!("-{number}"));
                }
                file.push(format!(".{}", form.format().extension()));
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

    /// Makes the folder, if there is one.
    pub(crate) fn make_folder(&self) -> Result<(), Error> {
        match self {
            Self::Folder { root, .. } => {
                fs::create_dir_all(root).map_err(Error::at(Operation::Make, root))
            }
            Self::Sink | Self::Stdout | Self::File(_) => Ok(()),
        }
    }

    /// Returns the journal of the run that writes here, if it can have one.
    pub(crate) fn journal(&self, form: &RowFormat) -> Option<PathBuf> {
        match self {
            Self::Sink | Self::Stdout => None,
            Self::File(path) => {
                let journal = || with_extension(path, ".journal");
                (form.format().is_appendable() && !is_special(path)).then(journal)
            }
            Self::Folder { root, .. } => Some(root.join("decide.journal")),
        }
    }
}

/// Returns the name of an input without its folder.
fn name_of(input: &Path) -> OsString {
    let named = |path: &Path| path.file_name().map(ToOwned::to_owned);
    // `..` has the name of the folder that it is.
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
    /// The form of rows; none for a sink of the caller.
    form: Option<RowFormat>,
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
    fn checked<T>(&self, result: io::Result<T>) -> Result<T, Error> {
        result.map_err(Error::io(Operation::WriteTo, &self.name))
    }
}

impl<'s> Output<'s> {
    pub(crate) fn new(form: RowFormat, only: Vec<Filter>, target: Target) -> Self {
        Self {
            form: Some(form),
            only,
            target,
            open: None,
        }
    }

    /// Returns a writer to a sink of the caller.
    pub(crate) fn to_sink(sink: &'s mut dyn Sink) -> Self {
        Self {
            form: None,
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

    /// Returns whether a run can resume in the middle of a file.
    pub(crate) fn is_appendable(&self) -> bool {
        let form = self.form.as_ref();
        form.is_some_and(|form| form.format().is_appendable())
    }

    /// Begins the rows of the input of this index, after the part of its file that an earlier run wrote.
    pub(crate) fn begin(&mut self, input: usize, kept: WrittenPart) -> Result<(), Error> {
        let Some(form) = &self.form else {
            return Ok(());
        };
        let (path, file) = match &self.target {
            Target::Folder { files, .. } => {
                let Some(path) = files.get(input) else {
                    return Ok(());
                };
                (path, partial_name(path))
            }
            // All inputs share one file.
            _ if self.open.is_some() => return Ok(()),
            Target::Sink => return Ok(()),
            Target::Stdout => {
                let name = "standard output".to_owned();
                let writer = BufWriter::with_capacity(BUFFER_BYTES, io::stdout());
                let sink = form.sink(writer, true);
                self.open = Some(OpenFile {
                    sink: sink.map_err(Error::io(Operation::WriteTo, &name))?,
                    name,
                    file: None,
                    rename: None,
                });
                return Ok(());
            }
            Target::File(path) if is_special(path) => (path, path.clone()),
            Target::File(path) => (path, partial_name(path)),
        };
        let is_new = kept.bytes == 0;
        let opened = if is_new {
            ChecksummedFile::create(&file).map_err(Error::at(Operation::Write, &file))?
        } else {
            resume_file(&file, path, kept)?
        };
        let begun = opened.try_clone().and_then(|writer| {
            let writer = BufWriter::with_capacity(BUFFER_BYTES, writer);
            form.sink(writer, is_new)
        });
        let sink = begun.map_err(Error::at(Operation::Write, &file))?;
        self.open = Some(OpenFile {
            sink,
            name: file.display().to_string(),
            file: Some(opened),
            rename: (file != *path).then(|| (file.clone(), path.clone())),
        });
        Ok(())
    }

    pub(crate) fn write(&mut self, row: &RowContext<'_>, decision: &Decision) -> Result<(), Error> {
        if !self.only.is_empty() && !self.only.iter().any(|only| only.matches(decision)) {
            return Ok(());
        }
        let Some(open) = &mut self.open else {
            return Ok(());
        };
        let written = open.sink.write(row, decision);
        open.checked(written)
    }

    /// Flushes all rows. Returns the written part of the file, if a run can resume from there, and else nothing.
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
            Target::Folder { .. } => self.end(true),
            _ => Ok(()),
        }
    }

    /// Ends the file that is open, which `is_complete` if no row is missing.
    pub(crate) fn end(&mut self, is_complete: bool) -> Result<(), Error> {
        let Some(mut open) = self.open.take() else {
            return Ok(());
        };
        let finished = open.sink.finish();
        open.checked(finished)?;
        if let Some(file) = &open.file {
            open.checked(file.sync())?;
        }
        // The name shows that a file is complete, or that no run can resume it.
        let is_single = matches!(self.target, Target::File(_));
        let is_complete = is_complete || is_single && !self.is_appendable();
        if let Some((from, to)) = open.rename.as_ref().filter(|_| is_complete) {
            fs::rename(from, to).map_err(Error::at(Operation::Write, to))?;
        }
        Ok(())
    }
}

/// Opens the part of a file that an earlier run wrote, and drops what is after it. The file of a run that ended after the
/// journal was written has its name already, `path`; it becomes a part again.
fn resume_file(part: &Path, path: &Path, kept: WrittenPart) -> Result<ChecksummedFile, Error> {
    let is_complete = !part.exists() && path.exists();
    let found = if is_complete { path } else { part };
    let resumed = ChecksummedFile::open(found, kept).and_then(|mut file| {
        if is_complete {
            fs::rename(path, part)?;
        }
        file.truncate()?;
        Ok(file)
    });
    resumed.map_err(Error::at(Operation::Continue, found))
}
