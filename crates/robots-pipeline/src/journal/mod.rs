//! The journal of a run: how far it got, so that a later run can resume it.
//!
//! A file of JSON lines. The first identifies the run: its settings and inputs. Each of the others states which pages are
//! decided, and the number of bytes of output with their decisions; those bytes are on disk before the line is. The last whole
//! line counts.

pub(crate) mod position;

use crate::error::{Error, Mismatch, Operation};
use crate::input::{Folder, Input};
use crate::summary::Checkpoint;
use position::Position;
use robots_meta::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fs::{self, File, OpenOptions};
use std::hash::{Hash, Hasher};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, UNIX_EPOCH};
use twox_hash::XxHash64;

/// The version of the form.
const VERSION: u32 = 2;

/// The settings and inputs of a run. A run that resumes another must have the same.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Heading {
    version: u32,
    /// By name.
    settings: Map<String, Value>,
    inputs: Vec<InputFile>,
}

/// The identity of an input.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct InputFile {
    name: String,
    bytes: u64,
    /// The time of its last change, in nanoseconds since 1970; of a folder, a hash of its pages and their times.
    changed: Option<u64>,
}

impl InputFile {
    fn new(input: &Input) -> Self {
        let path = input.path();
        Self {
            name: path.display().to_string(),
            bytes: input.bytes(),
            changed: match input {
                Input::Archive(_) => changed(path),
                Input::Folder(folder) => Some(hash_of_pages(folder)),
            },
        }
    }

    /// Returns the identity of a file that is read in addition to the inputs.
    fn of_file(path: &PathBuf) -> Self {
        Self {
            name: path.display().to_string(),
            bytes: fs::metadata(path).map_or(0, |metadata| metadata.len()),
            changed: changed(path),
        }
    }
}

/// Returns the time of the last change of a file, in nanoseconds since 1970.
fn changed(path: &Path) -> Option<u64> {
    let time = fs::metadata(path).and_then(|metadata| metadata.modified());
    let since = time.ok()?.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since.as_nanos()).ok()
}

/// Returns a hash of the pages of a folder and its robots.txt, with the times of their changes.
fn hash_of_pages(folder: &Folder) -> u64 {
    let mut hasher = XxHash64::with_seed(0);
    for path in folder.paths() {
        (&*path, changed(&path)).hash(&mut hasher);
    }
    hasher.finish()
}

impl Heading {
    /// The setting with the time as of which a run decides.
    pub(crate) const NOW: &str = "now";

    /// Returns the heading of a run. `files` are read in addition to the inputs.
    pub(crate) fn new<'p>(
        settings: Map<String, Value>,
        inputs: &[Input],
        files: impl Iterator<Item = &'p PathBuf>,
    ) -> Self {
        let inputs = inputs.iter().map(InputFile::new);
        Self {
            version: VERSION,
            settings,
            inputs: inputs.chain(files.map(InputFile::of_file)).collect(),
        }
    }

    /// Checks that another heading is of the same run.
    fn check(&self, other: &Self) -> Result<(), Mismatch> {
        if self.version != other.version {
            return Err(Mismatch::Version);
        }
        let names = self.settings.keys().chain(other.settings.keys());
        for name in names {
            if self.settings.get(name) != other.settings.get(name) {
                return Err(Mismatch::Setting(name.clone()));
            }
        }
        if self.inputs.len() != other.inputs.len() {
            return Err(Mismatch::InputCount {
                then: self.inputs.len(),
                now: other.inputs.len(),
            });
        }
        let mut pairs = self.inputs.iter().zip(&other.inputs);
        match pairs.find(|(then, now)| then != now) {
            Some((then, now)) if then.name == now.name => {
                Err(Mismatch::InputChanged(now.name.clone()))
            }
            Some((then, now)) => Err(Mismatch::OtherInput {
                then: then.name.clone(),
                now: now.name.clone(),
            }),
            None => Ok(()),
        }
    }
}

/// A state from which a run can be resumed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Progress {
    pub(crate) position: Position,
    /// The size of the output in bytes: of the file for the input at the position, if each input has its own.
    pub(crate) bytes: u64,
    pub(crate) summary: Checkpoint,
}

/// A journal that is open for writing.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    path: PathBuf,
    interval: Duration,
    written: Instant,
}

impl Journal {
    /// Begins the journal of a run, in place of an earlier one.
    pub(crate) fn begin(path: &Path, heading: &Heading, interval: Duration) -> Result<Self, Error> {
        if path.exists() {
            // A file that is not a journal is not overwritten.
            SavedRun::read(path)?;
        }
        let file = File::create(path).map_err(Error::at(Operation::Write, path))?;
        let mut journal = Self::new(file, path, interval);
        journal.write_line(heading)?;
        Ok(journal)
    }

    fn new(file: File, path: &Path, interval: Duration) -> Self {
        Self {
            file,
            path: path.to_owned(),
            interval,
            written: Instant::now(),
        }
    }

    /// Returns whether it is time for a line.
    pub(crate) fn is_due(&self) -> bool {
        self.written.elapsed() >= self.interval
    }

    /// Writes a line.
    pub(crate) fn write(&mut self, progress: &Progress) -> Result<(), Error> {
        self.write_line(progress)?;
        self.written = Instant::now();
        Ok(())
    }

    fn write_line(&mut self, line: &impl Serialize) -> Result<(), Error> {
        let line = serde_json::to_vec(line).map_err(io::Error::from);
        let written = line.and_then(|mut line| {
            line.push(b'\n');
            self.file.write_all(&line)?;
            self.file.sync_data()
        });
        written.map_err(Error::at(Operation::WriteTo, &self.path))
    }

    /// Removes the journal of a run that is complete.
    pub(crate) fn remove(self) -> Result<(), Error> {
        fs::remove_file(&self.path).map_err(Error::at(Operation::Remove, &self.path))
    }
}

/// An earlier run, by its journal.
pub(crate) struct SavedRun {
    heading: Heading,
    progress: Option<Progress>,
    /// The size of the whole lines, in bytes.
    bytes: u64,
}

impl SavedRun {
    /// Reads a journal as far as its lines are whole; `None` if the first is not.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>, Error> {
        let cannot_read = || Error::at(Operation::Read, path);
        let mut lines = BufReader::new(File::open(path).map_err(cannot_read())?);
        let mut line = Vec::new();
        let mut next = || -> Result<Option<(Vec<u8>, u64)>, Error> {
            line.clear();
            let bytes = lines.read_until(b'\n', &mut line).map_err(cannot_read())?;
            Ok(line.ends_with(b"\n").then(|| (line.clone(), bytes as u64)))
        };
        let Some((first, mut bytes)) = next()? else {
            // The run ended while it began.
            if line.is_empty() || line.starts_with(b"{") {
                return Ok(None);
            }
            return Err(Error::NotJournal(path.to_owned()));
        };
        let heading =
            serde_json::from_slice(&first).map_err(|_| Error::NotJournal(path.to_owned()))?;
        let mut progress = None;
        while let Some((line, length)) = next()? {
            let Ok(line) = serde_json::from_slice(&line) else {
                break;
            };
            progress = Some(line);
            bytes = bytes.saturating_add(length);
        }
        Ok(Some(Self {
            heading,
            progress,
            bytes,
        }))
    }

    /// Returns the time as of which the run decides.
    pub(crate) fn now(&self) -> Option<Timestamp> {
        Timestamp::parse(self.heading.settings.get(Heading::NOW)?.as_str()?)
    }

    /// Continues the journal. Returns the progress of the run, if there was any.
    ///
    /// # Errors
    ///
    /// If the journal is of another run, or cannot be written.
    pub(crate) fn resume(
        self,
        path: &Path,
        heading: &Heading,
        interval: Duration,
    ) -> Result<(Journal, Option<Progress>), Error> {
        let checked = self.heading.check(heading);
        checked.map_err(|source| Error::OtherRun {
            path: path.to_owned(),
            source,
        })?;
        let opened = OpenOptions::new()
            .write(true)
            .open(path)
            .and_then(|mut file| {
                file.set_len(self.bytes)?;
                file.seek(SeekFrom::Start(self.bytes))?;
                Ok(file)
            });
        let file = opened.map_err(Error::at(Operation::Continue, path))?;
        Ok((Journal::new(file, path, interval), self.progress))
    }
}
