//! Where decisions are written: to standard output, a file, or a folder with a file for each input.

use super::{Form, Row, Sink};
use crate::args::Only;
use anyhow::{Context, Result, bail};
use robots_policy::Decision;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// How many bytes are put together before they are written.
const BUFFER: usize = 64 << 10;

/// An output that is one of the inputs would be lost before it is read.
pub(crate) fn refuse_to_overwrite<'p>(
    output: &Path,
    inputs: impl Iterator<Item = Cow<'p, Path>>,
) -> Result<()> {
    let Ok(output) = output.canonicalize() else {
        return Ok(());
    };
    for input in inputs {
        if input.canonicalize().is_ok_and(|input| input == output) {
            bail!("{} is an input; nothing was written", input.display());
        }
    }
    Ok(())
}

/// Where rows go.
#[derive(Debug)]
pub(crate) enum Target {
    Stdout,
    File(PathBuf),
    /// A file for each input, in their order.
    Folder {
        root: PathBuf,
        files: Vec<PathBuf>,
    },
}

impl Target {
    /// A folder with a file for each input of these names: what it is called, with the ending of the form.
    pub(crate) fn folder<'n>(
        root: &Path,
        inputs: impl Iterator<Item = &'n Path>,
        form: &Form,
    ) -> Self {
        // Inputs of other folders may have the same name: they get numbers.
        let mut taken = HashSet::new();
        let mut numbers: HashMap<&OsStr, u64> = HashMap::new();
        let files = inputs.map(|input| {
            let name = input.file_name().unwrap_or(input.as_os_str());
            let number = numbers.entry(name).or_default();
            loop {
                *number = number.saturating_add(1);
                let mut file = name.to_owned();
                if *number > 1 {
                    file.push(format!("-{number}"));
                }
                file.push(format!(".{}", form.ending()));
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

    /// The files that are written.
    pub(crate) fn files(&self) -> &[PathBuf] {
        match self {
            Self::Stdout => &[],
            Self::File(path) => std::slice::from_ref(path),
            Self::Folder { files, .. } => files,
        }
    }

    /// The journal of the run that writes here, if there can be one.
    pub(crate) fn journal(&self, form: &Form) -> Option<PathBuf> {
        match self {
            Self::Stdout => None,
            Self::File(path) => {
                // What is no file (a pipe, /dev/null) cannot be gone on with.
                let is_file = fs::metadata(path).map_or(true, |metadata| metadata.is_file());
                let journal = || with_ending(path, ".journal");
                (form.can_go_on() && is_file).then(journal)
            }
            Self::Folder { root, .. } => Some(root.join("decide.journal")),
        }
    }
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(ending);
    path.into()
}

/// Takes decisions one by one.
pub(crate) struct Output {
    form: Form,
    only: Vec<Only>,
    target: Target,
    open: Option<Open>,
}

/// What is written to at the moment.
struct Open {
    sink: Box<dyn Sink>,
    name: String,
    file: Option<File>,
    /// What the file is to be called when it is whole.
    rename: Option<(PathBuf, PathBuf)>,
}

impl Open {
    fn about<T>(&self, result: io::Result<T>) -> Result<T> {
        result.with_context(|| format!("cannot write to {}", self.name))
    }
}

impl Output {
    pub(crate) fn new(form: Form, only: Vec<Only>, target: Target) -> Self {
        Self {
            form,
            only,
            target,
            open: None,
        }
    }

    pub(crate) fn form(&self) -> &Form {
        &self.form
    }

    /// Rows of the input of this index come, behind so many bytes that are kept.
    pub(crate) fn begin(&mut self, input: usize, kept: u64) -> Result<()> {
        let (path, file) = match &self.target {
            Target::Folder { root, files } => {
                let Some(path) = files.get(input) else {
                    bail!("there is no input {input}");
                };
                if self.open.is_none() {
                    fs::create_dir_all(root)
                        .with_context(|| format!("cannot make {}", root.display()))?;
                }
                (path, with_ending(path, ".part"))
            }
            // It is one for all of them.
            _ if self.open.is_some() => return Ok(()),
            Target::Stdout => {
                let name = "standard output".to_owned();
                let writer = BufWriter::with_capacity(BUFFER, io::stdout());
                self.open = Some(Open {
                    sink: self.form.sink(writer, true)?,
                    name,
                    file: None,
                    rename: None,
                });
                return Ok(());
            }
            Target::File(path) => (path, path.clone()),
        };
        let opened = open_file(&file, kept);
        let opened = opened.with_context(|| format!("cannot write {}", file.display()))?;
        let cannot = || format!("cannot write {}", file.display());
        let writer = BufWriter::with_capacity(BUFFER, opened.try_clone().with_context(cannot)?);
        self.open = Some(Open {
            sink: self.form.sink(writer, kept == 0).with_context(cannot)?,
            name: file.display().to_string(),
            file: Some(opened),
            rename: (file != *path).then(|| (file.clone(), path.clone())),
        });
        Ok(())
    }

    pub(crate) fn write(&mut self, row: &Row<'_>, decision: &Decision) -> Result<()> {
        if !self.only.is_empty() && !self.only.iter().any(|only| only.is(decision)) {
            return Ok(());
        }
        let Some(open) = &mut self.open else {
            return Ok(());
        };
        let written = open.sink.write(row, decision);
        open.about(written)
    }

    /// Hands on all rows. Gives how many bytes the file has with them, if it can be gone on with from there.
    pub(crate) fn mark(&mut self) -> Result<u64> {
        let can_go_on = self.form.can_go_on();
        let Some(open) = &mut self.open else {
            return Ok(0);
        };
        let flushed = open.sink.flush();
        open.about(flushed)?;
        match &open.file {
            Some(file) if can_go_on => open.about(file.metadata().map(|metadata| metadata.len())),
            _ => Ok(0),
        }
    }

    /// Waits until what was handed on is on disk.
    pub(crate) fn sync(&self) -> Result<()> {
        let open = self.open.as_ref();
        match open.and_then(|open| Some((open, open.file.as_ref()?))) {
            Some((open, file)) => open.about(file.sync_data()),
            None => Ok(()),
        }
    }

    /// All rows of an input were written.
    pub(crate) fn end_input(&mut self) -> Result<()> {
        match self.target {
            Target::Folder { .. } => self.end(true),
            _ => Ok(()),
        }
    }

    /// Ends what is open; it is whole if nothing is missing in it.
    pub(crate) fn end(&mut self, is_whole: bool) -> Result<()> {
        let Some(mut open) = self.open.take() else {
            return Ok(());
        };
        let finished = open.sink.finish();
        open.about(finished)?;
        // A pipe cannot be waited for.
        if let Some(file) = &open.file
            && file.metadata().is_ok_and(|metadata| metadata.is_file())
        {
            open.about(file.sync_data())?;
        }
        if let Some((from, to)) = open.rename.as_ref().filter(|_| is_whole) {
            fs::rename(from, to).with_context(|| format!("cannot write {}", to.display()))?;
        }
        Ok(())
    }
}

/// Opens a file to write behind its first bytes, without any others.
fn open_file(path: &Path, kept: u64) -> io::Result<File> {
    if kept == 0 {
        return File::create(path);
    }
    let mut file = OpenOptions::new().write(true).open(path)?;
    let bytes = file.metadata()?.len();
    if bytes < kept {
        return Err(io::Error::other(format!(
            "it has {bytes} bytes, where the journal says {kept}"
        )));
    }
    file.set_len(kept)?;
    file.seek(SeekFrom::Start(kept))?;
    Ok(file)
}
