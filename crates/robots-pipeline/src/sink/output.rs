//! The destination of rows: standard output, a file, a folder with a file for each input, or a sink of the caller.

use super::checksummed_file::{ChecksummedFile, WrittenPart};
use super::columns::DIFFERS;
use super::file_output::{Destination, FileOutput};
use super::row_format::RowFormat;
use super::{Filter, RowContext, Sink};
use crate::error::Error;
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

/// Returns the files of a destination for inputs of these names.
fn files_of<'n>(output: &FileOutput, inputs: impl Iterator<Item = &'n Path>) -> Vec<PathBuf> {
    let root = match &output.destination {
        Destination::Stdout => return Vec::new(),
        Destination::File(path) => {
            // The target of a link is replaced, and not the link.
            let target = path.is_symlink().then(|| path.canonicalize().ok());
            return vec![target.flatten().unwrap_or_else(|| path.clone())];
        }
        Destination::Folder(root) => root,
    };
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
            file.push(format!(".{}", output.format.extension()));
            if taken.insert(file.clone()) {
                return root.join(file);
            }
        }
    });
    files.collect()
}

/// Returns the name of an input without its folder.
fn name_of(input: &Path) -> OsString {
    let named = |path: &Path| path.file_name().map(ToOwned::to_owned);
    // A path such as `..` has no name in it: the name is that of the folder to which it leads.
    let real = || named(&input.canonicalize().ok()?);
    named(input).or_else(real).unwrap_or_else(|| "input".into())
}

/// A writer of decisions to files, to standard output, or to a sink of the caller.
pub(crate) struct Output<'s> {
    /// The format of rows; `None` for a sink of the caller.
    row_format: Option<RowFormat<'s>>,
    /// The files that are written: one, or in a folder one for each input, in their order.
    files: Vec<PathBuf>,
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
    fn stdout(row_format: &RowFormat<'_>) -> Result<Self, Error> {
        let name = "standard output".to_owned();
        let writer = BufWriter::with_capacity(BUFFER_BYTES, io::stdout());
        let sink = row_format.sink(writer, true, !is_stdout_file());
        Ok(Self {
            sink: sink.map_err(Error::io("write to", &name))?,
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
        row_format: &RowFormat<'_>,
    ) -> Result<Self, Error> {
        let is_new = kept.bytes == 0;
        let file = if is_new {
            ChecksummedFile::create(partial).map_err(Error::at("write", path))?
        } else {
            resume_file(partial, path, kept)?
        };
        let begun = file.try_clone().and_then(|writer| {
            let writer = BufWriter::with_capacity(BUFFER_BYTES, writer);
            row_format.sink(writer, is_new, is_special(partial))
        });
        Ok(Self {
            sink: begun.map_err(Error::at("write", path))?,
            name: path_text(path),
            file: Some(file),
            rename: (partial != path).then(|| (partial.to_owned(), path.to_owned())),
        })
    }

    fn checked<T>(&self, result: io::Result<T>) -> Result<T, Error> {
        result.map_err(Error::io("write to", &self.name))
    }
}

impl<'s> Output<'s> {
    /// Returns a writer to the files for inputs of these names. `names_robots`: whether rows name the robots.
    ///
    /// # Errors
    ///
    /// If the format does not have a field, or the build does not have the format.
    pub(crate) fn new<'n>(
        output: &'s FileOutput,
        names_robots: bool,
        inputs: impl Iterator<Item = &'n Path>,
    ) -> Result<Self, Error> {
        Ok(Self {
            row_format: Some(RowFormat::new(output, names_robots)?),
            files: files_of(output, inputs),
            open: None,
        })
    }

    /// Returns a writer to a sink of the caller.
    pub(crate) fn to_sink(sink: &'s mut dyn Sink) -> Self {
        Self {
            row_format: None,
            files: Vec::new(),
            open: Some(OpenFile {
                sink: Box::new(sink),
                name: "the sink".to_owned(),
                file: None,
                rename: None,
            }),
        }
    }

    /// Returns the options of the files; `None` for a sink of the caller.
    pub(crate) fn options(&self) -> Option<&'s FileOutput> {
        self.row_format.as_ref().map(|format| format.output)
    }

    /// Returns whether rows need the fields in which decisions differ.
    pub(crate) fn needs_differences(&self) -> bool {
        let options = self.options();
        options.is_some_and(|options| {
            let fields = options.fields.iter().flatten();
            options.only.contains(&Filter::Differs)
                || fields.into_iter().any(|field| field == DIFFERS)
        })
    }

    fn destination(&self) -> Option<&'s Destination> {
        self.options().map(|options| &options.destination)
    }

    /// Returns the files that are written.
    pub(crate) fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Makes the folder of an output of several files. That of a single file must exist: an error names this file, not its
    /// journal, which is written first.
    pub(crate) fn make_folder(&self) -> Result<(), Error> {
        match self.destination() {
            Some(Destination::Folder(root)) => {
                fs::create_dir_all(root).map_err(Error::at("make", root))
            }
            Some(Destination::File(_)) => self.files.iter().try_for_each(|path| {
                let parent = path.parent().filter(|parent| *parent != Path::new(""));
                let found = parent.map_or(Ok(()), |parent| fs::metadata(parent).map(|_| ()));
                found.map_err(Error::at("write", path))
            }),
            Some(Destination::Stdout) | None => Ok(()),
        }
    }

    /// Returns the path of the journal of a run; `None` if the run cannot be resumed.
    pub(crate) fn journal(&self) -> Option<PathBuf> {
        match self.destination()? {
            Destination::Stdout => None,
            Destination::File(_) => {
                let path = self.files.first()?;
                let mut journal = path.as_os_str().to_owned();
                journal.push(".journal");
                (self.is_appendable() && !is_special(path)).then(|| journal.into())
            }
            Destination::Folder(root) => Some(root.join("decide.journal")),
        }
    }

    /// Returns whether a run can resume in the middle of a file.
    pub(crate) fn is_appendable(&self) -> bool {
        let options = self.options();
        options.is_some_and(|options| options.format.is_appendable())
    }

    /// Returns whether all rows are written to one file.
    fn is_single(&self) -> bool {
        matches!(self.destination(), Some(Destination::File(_)))
    }

    /// Begins the rows of the input of this index, after the part of its file that an earlier run wrote (`kept`).
    pub(crate) fn begin(&mut self, input: usize, kept: WrittenPart) -> Result<(), Error> {
        let Some(row_format) = &self.row_format else {
            return Ok(());
        };
        let path = match &row_format.output.destination {
            Destination::Folder(_) => self.files.get(input),
            // All inputs share one file.
            _ if self.open.is_some() => return Ok(()),
            Destination::Stdout => {
                self.open = Some(OpenFile::stdout(row_format)?);
                return Ok(());
            }
            Destination::File(_) => self.files.first(),
        };
        // In a folder, there is no file after the last input.
        let Some(path) = path else {
            return Ok(());
        };
        // A single output may be a pipe or a device, which cannot be renamed. In an output folder, files replace them.
        let is_written_directly = self.is_single() && is_special(path);
        let partial = if is_written_directly {
            path.clone()
        } else {
            partial_name(path)
        };
        self.open = Some(OpenFile::at(&partial, path, kept, row_format)?);
        Ok(())
    }

    /// Writes a decision if it passes the filters. Returns whether it did.
    pub(crate) fn write(
        &mut self,
        row: &RowContext<'_>,
        decision: &Decision,
    ) -> Result<bool, Error> {
        let only = self.options().map_or(&[][..], |options| &options.only);
        if !only.is_empty() && !only.iter().any(|filter| filter.matches(row, decision)) {
            return Ok(false);
        }
        // Not expected to be closed: `begin` opens the output before the first row of an input.
        if let Some(open) = &mut self.open {
            let written = open.sink.write(row, decision);
            open.checked(written)?;
        }
        Ok(true)
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
        match self.destination() {
            // The file has all rows of the input, so it is complete.
            Some(Destination::Folder(_)) => self.end(true),
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
        let gets_its_name = is_complete || self.is_single() && !self.is_appendable();
        if let Some((from, to)) = open.rename.as_ref().filter(|_| gets_its_name) {
            fs::rename(from, to).map_err(Error::at("write", to))?;
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
    resumed.map_err(Error::at("continue", found))
}
