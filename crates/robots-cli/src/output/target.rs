//! Where decisions are written: to standard output, a file, or a folder with a file for each input.

use super::{Form, Row, Sink};
use crate::args::Only;
use anyhow::{Context, Result, bail};
use robots_policy::Decision;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// What the name of a file ends with that is not whole.
const PART: &str = ".part";

/// How many bytes are put together before they are written.
const BUFFER: usize = 64 << 10;

/// An output that is one of the inputs would be lost before it is read, and one of two that are the same.
pub(crate) fn refuse_to_overwrite<'p>(
    outputs: impl Iterator<Item = PathBuf>,
    inputs: impl Iterator<Item = Cow<'p, Path>>,
) -> Result<()> {
    let inputs: HashSet<PathBuf> = inputs
        .filter_map(|input| input.canonicalize().ok())
        .collect();
    let mut written = HashSet::new();
    for output in outputs {
        let place = output.canonicalize().unwrap_or_else(|_| output.clone());
        if inputs.contains(&place) {
            bail!("{} is an input; nothing was written", output.display());
        }
        if !written.insert(place) {
            bail!("{} would be written twice", output.display());
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

    /// The names that files have before they are whole.
    pub(crate) fn parts(&self) -> impl Iterator<Item = PathBuf> {
        self.files().iter().map(|file| with_ending(file, PART))
    }

    /// The files that are written.
    pub(crate) fn files(&self) -> &[PathBuf] {
        match self {
            Self::Stdout => &[],
            Self::File(path) => std::slice::from_ref(path),
            Self::Folder { files, .. } => files,
        }
    }

    /// Makes the folder, if it is one.
    pub(crate) fn make_folder(&self) -> Result<()> {
        match self {
            Self::Folder { root, .. } => {
                fs::create_dir_all(root).with_context(|| format!("cannot make {}", root.display()))
            }
            Self::Stdout | Self::File(_) => Ok(()),
        }
    }

    /// The journal of the run that writes here, if there can be one.
    pub(crate) fn journal(&self, form: &Form) -> Option<PathBuf> {
        match self {
            Self::Stdout => None,
            Self::File(path) => {
                let journal = || with_ending(path, ".journal");
                (form.can_go_on() && !is_no_file(path)).then(journal)
            }
            Self::Folder { root, .. } => Some(root.join("decide.journal")),
        }
    }
}

/// Whether there is something that is no file (a pipe, `/dev/null`): it can neither be gone on with nor renamed.
fn is_no_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_file())
}

/// What an input is called, without its folder.
fn name_of(input: &Path) -> OsString {
    let named = |path: &Path| path.file_name().map(ToOwned::to_owned);
    // `..` is called what it is.
    let real = || named(&input.canonicalize().ok()?);
    named(input).or_else(real).unwrap_or_else(|| "input".into())
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
            Target::Folder { files, .. } => {
                let Some(path) = files.get(input) else {
                    bail!("there is no input {input}");
                };
                (path, with_ending(path, PART))
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
            Target::File(path) if self.is_written_in_place(path) => (path, path.clone()),
            Target::File(path) => (path, with_ending(path, PART)),
        };
        // It was ended after the journal was written: what is behind that is written again.
        if kept > 0 && !file.exists() && path.exists() {
            fs::rename(path, &file)
                .with_context(|| format!("cannot go on with {}", path.display()))?;
        }
        let cannot = || format!("cannot write {}", file.display());
        let opened = open_file(&file, kept).with_context(cannot)?;
        let writer = BufWriter::with_capacity(BUFFER, opened.try_clone().with_context(cannot)?);
        self.open = Some(Open {
            sink: self.form.sink(writer, kept == 0).with_context(cannot)?,
            name: file.display().to_string(),
            file: Some(opened),
            rename: (file != *path).then(|| (file.clone(), path.clone())),
        });
        Ok(())
    }

    /// Whether a file is good at any time, and so need not have another name before it ends.
    fn is_written_in_place(&self, path: &Path) -> bool {
        self.form.can_go_on() || is_no_file(path)
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
        // Of a folder, the name tells which files are whole.
        let is_whole = is_whole || matches!(self.target, Target::File(_));
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
