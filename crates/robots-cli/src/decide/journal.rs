//! The journal of a run: how far it got, so that it can go on after whatever ended it.
//!
//! A file of JSON lines. The first says what the run is: what was asked for, and the inputs. Each of the others says
//! which pages are decided, and how many bytes of output say so; those are on disk before the line is. The last line
//! that is whole counts.

use super::place::Place;
use crate::inputs::Input;
use crate::summary::Kept;
use anyhow::{Context, Result, bail};
use robots_meta::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::{self, File, OpenOptions};
use std::hash::{Hash, Hasher};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, UNIX_EPOCH};
use twox_hash::XxHash64;

/// The version of the form of a journal.
const VERSION: u32 = 1;

/// What a run is. What decides of its output must be the same when it goes on.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Heading {
    version: u32,
    /// What was asked for, by name.
    asked: serde_json::Map<String, Value>,
    inputs: Vec<InputFile>,
}

/// An input, as it is known again.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct InputFile {
    name: String,
    bytes: u64,
    /// When it was changed, in nanoseconds since 1970; of a folder, what its pages are and when they were changed.
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
                Input::Folder { .. } => Some(hash_of_pages(input)),
            },
        }
    }

    /// A file that is read beside the inputs.
    fn beside(path: &PathBuf) -> Self {
        Self {
            name: path.display().to_string(),
            bytes: fs::metadata(path).map_or(0, |metadata| metadata.len()),
            changed: changed(path),
        }
    }
}

/// When a file was changed, in nanoseconds since 1970.
fn changed(path: &Path) -> Option<u64> {
    let time = fs::metadata(path).and_then(|metadata| metadata.modified());
    let since = time.ok()?.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since.as_nanos()).ok()
}

/// What the pages of a folder are, and its robots.txt.
fn hash_of_pages(input: &Input) -> u64 {
    let mut hasher = XxHash64::with_seed(0);
    for path in input.paths() {
        (&*path, changed(&path)).hash(&mut hasher);
    }
    hasher.finish()
}

impl Heading {
    /// `beside` are other files that decide of the output.
    pub(super) fn new<'p>(
        asked: serde_json::Map<String, Value>,
        inputs: &[Input],
        beside: impl Iterator<Item = &'p PathBuf>,
    ) -> Self {
        let inputs = inputs.iter().map(InputFile::new);
        Self {
            version: VERSION,
            asked,
            inputs: inputs.chain(beside.map(InputFile::beside)).collect(),
        }
    }

    /// The name under which the time stands for which a run decides.
    pub(super) const NOW: &str = "--now";

    /// Refuses what is another run.
    fn refuse_other(&self, other: &Self) -> Result<()> {
        if self.version != other.version {
            bail!("it is of another version of this program");
        }
        let names = self.asked.keys().chain(other.asked.keys());
        for name in names {
            if self.asked.get(name) != other.asked.get(name) {
                bail!("that run had another {name}; with --resume, the command must be the same");
            }
        }
        if self.inputs.len() != other.inputs.len() {
            let (then, now) = (self.inputs.len(), other.inputs.len());
            bail!("that run had {then} inputs that can be read, and now there are {now}");
        }
        let mut pairs = self.inputs.iter().zip(&other.inputs);
        match pairs.find(|(then, now)| then != now) {
            Some((then, now)) if then.name == now.name => {
                bail!("{} has changed since", now.name)
            }
            Some((then, now)) => bail!(
                "where that run had {}, now there is {}",
                then.name,
                now.name
            ),
            None => Ok(()),
        }
    }
}

/// What is done.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Done {
    pub(super) place: Place,
    /// How many bytes the output has by then: of the file for the input at the place, if each has its own.
    pub(super) bytes: u64,
    pub(super) summary: Kept,
}

#[derive(Debug)]
pub(super) struct Journal {
    file: File,
    path: PathBuf,
    every: Duration,
    written: Instant,
}

impl Journal {
    /// Begins the journal of a run, in place of any other.
    pub(super) fn begin(path: &Path, heading: &Heading, every: Duration) -> Result<Self> {
        let cannot = || format!("cannot write {}", path.display());
        if path.exists() {
            // What is no journal is somebody's.
            read(path)?;
        }
        let file = File::create(path).with_context(cannot)?;
        let mut journal = Self::new(file, path, every);
        journal.write_line(heading)?;
        Ok(journal)
    }

    fn new(file: File, path: &Path, every: Duration) -> Self {
        Self {
            file,
            path: path.to_owned(),
            every,
            written: Instant::now(),
        }
    }

    /// Whether it is time for a line.
    pub(super) fn is_due(&self) -> bool {
        self.written.elapsed() >= self.every
    }

    /// Writes what is done.
    pub(super) fn write(&mut self, done: &Done) -> Result<()> {
        self.write_line(done)?;
        self.written = Instant::now();
        Ok(())
    }

    fn write_line(&mut self, line: &impl Serialize) -> Result<()> {
        let cannot = || format!("cannot write to {}", self.path.display());
        let mut line = serde_json::to_vec(line).with_context(cannot)?;
        line.push(b'\n');
        self.file.write_all(&line).with_context(cannot)?;
        self.file.sync_data().with_context(cannot)
    }

    /// All is done: there is nothing to go on with.
    pub(super) fn end(self) -> Result<()> {
        let cannot = || format!("cannot remove {}", self.path.display());
        fs::remove_file(&self.path).with_context(cannot)
    }
}

/// What a journal says.
pub(super) struct Written {
    heading: Heading,
    done: Option<Done>,
    /// How many bytes its whole lines have.
    bytes: u64,
}

impl Written {
    /// The time for which the run decides.
    pub(super) fn now(&self) -> Option<Timestamp> {
        Timestamp::parse(self.heading.asked.get(Heading::NOW)?.as_str()?)
    }

    /// Goes on with the journal that says so. Gives what is done, if anything is.
    ///
    /// # Errors
    ///
    /// If it is of another run.
    pub(super) fn go_on(
        self,
        path: &Path,
        heading: &Heading,
        every: Duration,
    ) -> Result<(Journal, Option<Done>)> {
        let cannot = || format!("cannot go on with {}", path.display());
        self.heading.refuse_other(heading).with_context(cannot)?;
        let file = OpenOptions::new().write(true).open(path);
        let mut file = file.with_context(cannot)?;
        file.set_len(self.bytes).with_context(cannot)?;
        file.seek(SeekFrom::Start(self.bytes))
            .with_context(cannot)?;
        Ok((Journal::new(file, path, every), self.done))
    }
}

/// Reads a journal as far as its lines are whole; `None` if not even the first is.
pub(super) fn read(path: &Path) -> Result<Option<Written>> {
    let cannot = || format!("cannot read {}", path.display());
    let mut lines = BufReader::new(File::open(path).with_context(cannot)?);
    let mut line = Vec::new();
    let mut next = || -> Result<Option<(Vec<u8>, u64)>> {
        line.clear();
        let bytes = lines.read_until(b'\n', &mut line).with_context(cannot)?;
        Ok(line.ends_with(b"\n").then(|| (line.clone(), bytes as u64)))
    };
    let Some((first, mut bytes)) = next()? else {
        // It was ended while it was begun.
        if line.is_empty() || line.starts_with(b"{") {
            return Ok(None);
        }
        bail!("{} is no journal", path.display());
    };
    let heading = serde_json::from_slice(&first)
        .with_context(|| format!("{} is no journal", path.display()))?;
    let mut done = None;
    while let Some((line, length)) = next()? {
        let Ok(line) = serde_json::from_slice(&line) else {
            break;
        };
        done = Some(line);
        bytes = bytes.saturating_add(length);
    }
    Ok(Some(Written {
        heading,
        done,
        bytes,
    }))
}
