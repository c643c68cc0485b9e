//! The journal of a run: how far it got, so that a later run can resume it.
//!
//! Each line is a checksum and JSON. The first line identifies the run: its settings and inputs. Each further line
//! states which pages are decided, and the length and checksum of the output with their decisions. That output is on
//! disk before the line is. The last complete line counts, as a kill may cut the line after it. The checksum is the
//! XXH64 of the JSON, seeded with the checksum of the previous line. So a line that was changed, removed or moved is
//! found.

pub(crate) mod position;

use crate::error::{Error, Mismatch};
use crate::input::{Input, files_in};
use crate::new_file::{create_locked, lock};
use crate::sink::checksummed_file::WrittenPart;
use crate::summary::Checkpoint;
use crate::text::path_text;
use position::Position;
use robots_meta::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fs::{self, File, OpenOptions};
use std::hash::{Hash, Hasher};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, UNIX_EPOCH};
use twox_hash::XxHash64;

/// The version of the format of journals.
const VERSION: u32 = 8;

/// The number of hexadecimal digits of a checksum.
const CHECKSUM_DIGITS: usize = 16;

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
    /// The time of its last change, in nanoseconds since 1970. For a folder, a hash of its files and their times. For
    /// an input that can be read only once, a hash of its start.
    changed: Option<u64>,
}

impl InputFile {
    fn new(input: &Input) -> Self {
        let path = input.path();
        Self {
            name: path_text(path),
            bytes: input.bytes(),
            changed: match input {
                Input::Archive(archive) => match archive.spooled() {
                    Some(file) => hash_of_start(file),
                    None => changed(path),
                },
                Input::Folder(folder) => Some(hash_of_files(folder.paths())),
            },
        }
    }

    /// Returns the identity of a file or folder that is read in addition to the inputs.
    fn of_path(path: &Path) -> Self {
        Self {
            name: path_text(path),
            bytes: fs::metadata(path).map_or(0, |metadata| metadata.len()),
            changed: if path.is_dir() {
                // The readers of these files report what cannot be read.
                let files = files_in(path, &|_| true, &mut |_, _| {});
                Some(hash_of_files(files.into_iter().map(Cow::Owned)))
            } else {
                changed(path)
            },
        }
    }
}

/// The number of bytes at the start that identify an input that can be read only once: 1 MiB.
const START_BYTES: u64 = 1 << 20;

/// Returns a hash of the start of the temporary copy of an input that can be read only once. Moves the position of the file,
/// which other readers do not use: they pass an offset to each read.
fn hash_of_start(mut file: &File) -> Option<u64> {
    let mut start = Vec::new();
    file.rewind().ok()?;
    file.take(START_BYTES).read_to_end(&mut start).ok()?;
    Some(XxHash64::oneshot(0, &start))
}

/// Returns the time of the last change of a file, in nanoseconds since 1970.
fn changed(path: &Path) -> Option<u64> {
    let time = fs::metadata(path).and_then(|metadata| metadata.modified());
    let since = time.ok()?.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since.as_nanos()).ok()
}

/// Returns a hash of the names of files, with the times of their changes.
fn hash_of_files<'p>(files: impl Iterator<Item = Cow<'p, Path>>) -> u64 {
    let mut hasher = XxHash64::with_seed(0);
    for path in files {
        (&*path, changed(&path)).hash(&mut hasher);
    }
    hasher.finish()
}

impl Heading {
    /// The name of the setting for the time as of which a run decides.
    pub(crate) const NOW: &str = "now";

    /// Returns the heading of a run. `paths` are read in addition to the inputs.
    pub(crate) fn new<'p>(
        settings: Map<String, Value>,
        inputs: &[Input],
        paths: impl Iterator<Item = &'p PathBuf>,
    ) -> Self {
        let inputs = inputs.iter().map(InputFile::new);
        Self {
            version: VERSION,
            settings,
            inputs: inputs
                .chain(paths.map(|path| InputFile::of_path(path)))
                .collect(),
        }
    }

    /// Checks that another heading is of the same run.
    fn check(&self, other: &Self) -> Result<(), Mismatch> {
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
    /// The written part of the output file. If each input has an output file, it is that of the input at the position.
    pub(crate) output: WrittenPart,
    pub(crate) summary: Checkpoint,
}

/// A journal that is open for writing.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    path: PathBuf,
    /// The minimum time between two lines.
    interval: Duration,
    /// The time of the last line.
    written: Instant,
    /// The checksum of the last line.
    checksum: u64,
}

impl Journal {
    /// Begins the journal of a run, in place of an earlier one.
    pub(crate) fn begin(path: &Path, heading: &Heading, interval: Duration) -> Result<Self, Error> {
        if path.exists() {
            refuse_other_file(path)?;
        }
        let file = create_locked(path).map_err(Error::at("write", path))?;
        let mut journal = Self::new(file, path, interval, 0);
        journal.write_line(heading)?;
        Ok(journal)
    }

    fn new(file: File, path: &Path, interval: Duration, checksum: u64) -> Self {
        Self {
            file,
            path: path.to_owned(),
            interval,
            written: Instant::now(),
            checksum,
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
        let json = serde_json::to_string(line).map_err(io::Error::from);
        let written = json.and_then(|json| {
            self.checksum = checksum_of(self.checksum, json.as_bytes());
            let line = format!("{:0CHECKSUM_DIGITS$x} {json}\n", self.checksum);
            self.file.write_all(line.as_bytes())?;
            self.file.sync_data()
        });
        written.map_err(Error::at("write to", &self.path))
    }

    /// Removes the journal of a run that is complete.
    pub(crate) fn remove(self) -> Result<(), Error> {
        fs::remove_file(&self.path).map_err(Error::at("remove", &self.path))
    }
}

/// Returns the checksum of the JSON of a line; `before` is that of the line before, or zero.
fn checksum_of(before: u64, json: &[u8]) -> u64 {
    XxHash64::oneshot(before, json)
}

/// Returns the checksum that a line states, and its JSON; `None` if it has none.
fn split_line(line: &[u8]) -> Option<(u64, &[u8])> {
    let (digits, rest) = line.split_at_checked(CHECKSUM_DIGITS)?;
    let checksum = u64::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
    let json = rest.strip_prefix(b" ")?;
    Some((checksum, json.strip_suffix(b"\n").unwrap_or(json)))
}

/// Returns the version of a journal, from its first line; `None` if the file is not a journal.
fn version_of(line: &[u8]) -> Option<u32> {
    #[derive(Deserialize)]
    struct Version {
        version: u32,
    }
    let (_, json) = split_line(line)?;
    serde_json::from_slice(json)
        .ok()
        .map(|Version { version }| version)
}

/// Returns an error if a file is not a journal of any version, so that a run does not overwrite a file of the user.
fn refuse_other_file(path: &Path) -> Result<(), Error> {
    let file = File::open(path).map_err(Error::at("read", path))?;
    let mut line = Vec::new();
    let read = BufReader::new(file).read_until(b'\n', &mut line);
    read.map_err(Error::at("read", path))?;
    // A run that was killed while it began leaves a part of the line, or an empty file.
    let is_part = || {
        let begins = split_line(&line).is_some_and(|(_, json)| json.starts_with(b"{\"version\":"));
        begins && !line.ends_with(b"\n")
    };
    if line.is_empty() || version_of(&line).is_some() || is_part() {
        return Ok(());
    }
    Err(Error::NotJournal(path.to_owned()))
}

/// An earlier run, by its journal.
#[derive(Debug)]
pub(crate) struct SavedRun {
    heading: Heading,
    progress: Option<Progress>,
    /// The size of the whole lines, in bytes.
    bytes: u64,
    /// The checksum of the last whole line.
    checksum: u64,
}

impl SavedRun {
    /// Reads a journal up to its last complete line; `None` if the first is not complete.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is not a journal, is of another version, or was changed.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>, Error> {
        refuse_other_file(path)?;
        let cannot_read = || Error::at("read", path);
        let mut lines = BufReader::new(File::open(path).map_err(cannot_read())?);
        let mut saved: Option<Self> = None;
        for number in 1_u64.. {
            let mut line = Vec::new();
            let bytes = lines.read_until(b'\n', &mut line).map_err(cannot_read())?;
            if !line.ends_with(b"\n") {
                break;
            }
            let damaged = || Error::DamagedJournal {
                path: path.to_owned(),
                line: number,
            };
            if number == 1 && version_of(&line).is_some_and(|version| version != VERSION) {
                return Err(Error::OtherRun {
                    path: path.to_owned(),
                    source: Mismatch::Version,
                });
            }
            let (checksum, json) = split_line(&line).ok_or_else(damaged)?;
            let before = saved.as_ref().map_or(0, |saved| saved.checksum);
            if checksum != checksum_of(before, json) {
                return Err(damaged());
            }
            match &mut saved {
                None => {
                    saved = Some(Self {
                        heading: serde_json::from_slice(json).map_err(|_| damaged())?,
                        progress: None,
                        bytes: bytes as u64,
                        checksum,
                    });
                }
                Some(saved) => {
                    saved.progress = Some(serde_json::from_slice(json).map_err(|_| damaged())?);
                    saved.bytes += bytes as u64;
                    saved.checksum = checksum;
                }
            }
        }
        Ok(saved)
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
                lock(&file, path)?;
                file.set_len(self.bytes)?;
                file.seek(SeekFrom::Start(self.bytes))?;
                Ok(file)
            });
        let file = opened.map_err(Error::at("continue", path))?;
        Ok((
            Journal::new(file, path, interval, self.checksum),
            self.progress,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::Counter;

    fn heading() -> Heading {
        Heading::new(Map::new(), &[], std::iter::empty())
    }

    fn progress(pages: u64) -> Progress {
        Progress {
            position: Position {
                pages,
                ..Position::beginning(0)
            },
            output: WrittenPart::default(),
            summary: Counter::new(&robots_policy::Policies::new(Vec::new())).checkpoint(),
        }
    }

    /// Writes a journal of three lines.
    fn write(path: &Path) -> Vec<u8> {
        let mut journal = Journal::begin(path, &heading(), Duration::ZERO).unwrap();
        for pages in [1, 2] {
            journal.write(&progress(pages)).unwrap();
        }
        fs::read(path).unwrap()
    }

    #[test]
    fn a_journal_is_read_as_far_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.journal");
        let bytes = write(&path);
        // The length of `CHECKSUM {"version":`, by which a part of a first line is recognised.
        let start = bytes.iter().position(|byte| *byte == b':').unwrap() + 1;
        let ends: Vec<usize> = memchr::memchr_iter(b'\n', &bytes)
            .map(|at| at + 1)
            .collect();
        assert_eq!(ends.len(), 3);
        for length in 0..=bytes.len() {
            fs::write(&path, &bytes[..length]).unwrap();
            if (1..start).contains(&length) {
                // Too little of the first line: it may be a file of the user's.
                assert!(matches!(SavedRun::read(&path), Err(Error::NotJournal(_))));
                continue;
            }
            let saved = SavedRun::read(&path).unwrap();
            let pages = saved.map(|saved| saved.progress.map_or(0, |done| done.position.pages));
            let lines = ends.iter().filter(|end| **end <= length).count() as u64;
            assert_eq!(pages, lines.checked_sub(1), "{length}");
        }
        // A resumed run continues the checksums.
        fs::write(&path, &bytes[..ends[1]]).unwrap();
        let saved = SavedRun::read(&path).unwrap().unwrap();
        let (mut journal, _) = saved.resume(&path, &heading(), Duration::ZERO).unwrap();
        journal.write(&progress(2)).unwrap();
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }

    #[test]
    fn a_journal_that_was_changed_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.journal");
        let bytes = write(&path);
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            fs::write(&path, &changed).unwrap();
            match SavedRun::read(&path) {
                Err(_) => {}
                // Without its end, the last line is a part.
                Ok(saved) => {
                    let progress = saved.unwrap().progress.unwrap();
                    assert_eq!((at, progress.position.pages), (bytes.len() - 1, 1));
                }
            }
        }
        let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        for changed in [vec![lines[0], lines[2]], vec![lines[0], lines[2], lines[1]]] {
            fs::write(&path, changed.concat()).unwrap();
            let error = SavedRun::read(&path).unwrap_err();
            let text = format!(
                "{} was changed after it was written, in line 2",
                path_text(&path)
            );
            assert_eq!(error.to_string(), text);
            // A run that does not resume replaces the journal.
            drop(Journal::begin(&path, &heading(), Duration::ZERO).unwrap());
        }
    }

    #[test]
    fn a_changed_file_in_a_folder_changes_its_identity() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.example/robots.txt");
        fs::create_dir(folder.path().join("a.example")).unwrap();
        fs::write(&file, "a").unwrap();
        let identity = || InputFile::of_path(folder.path());
        let before = identity();
        assert_eq!(before, identity());
        let opened = OpenOptions::new().write(true).open(&file).unwrap();
        opened.set_modified(UNIX_EPOCH).unwrap();
        assert_ne!(before, identity());
    }

    #[test]
    fn other_files_and_versions_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.journal");
        for version in [2, 6] {
            let json = format!("{{\"version\":{version},\"settings\":{{}},\"inputs\":[]}}");
            fs::write(&path, format!("0123456789abcdef {json}\n")).unwrap();
            let error = SavedRun::read(&path).unwrap_err();
            let source = Mismatch::Version;
            assert!(matches!(error, Error::OtherRun { source: found, .. } if found == source));
        }
        drop(Journal::begin(&path, &heading(), Duration::ZERO).unwrap());
        for other in ["url,fetch\n", "[1]\n", "{}\n", "User-agent: *"] {
            fs::write(&path, other).unwrap();
            let begun = Journal::begin(&path, &heading(), Duration::ZERO);
            assert!(matches!(begun, Err(Error::NotJournal(_))), "{other}");
            assert!(matches!(SavedRun::read(&path), Err(Error::NotJournal(_))));
            assert_eq!(fs::read(&path).unwrap(), other.as_bytes());
        }
    }
}
