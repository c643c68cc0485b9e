//! The journal of a run that was interrupted: with other bytes in it, it is refused, or the resumed run writes what the whole
//! run writes. Lines that no run wrote, with valid checksums, do no other harm: the run ends.
use super::scratch_folder;
use robots_meta::Timestamp;
use robots_pipeline::sink::{Destination, Format};
use robots_pipeline::{Error, FileOutput, Now, Observer, Options, Outcome, Rows, Source, decide};
use robots_policy::{Policies, Policy};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tempfile::TempDir;
use twox_hash::XxHash64;

/// The number of pages of each of the two inputs.
const PAGES: usize = 3;

thread_local! {
    static RUNS: [InterruptedRun; 2] = [false, true].map(InterruptedRun::new);
}

/// Checks one input.
pub fn check(data: &[u8]) {
    RUNS.with(|runs| runs.iter().for_each(|run| check_run(run, data)));
}

fn check_run(run: &InterruptedRun, data: &[u8]) {
    let mut edited = run.journal.clone();
    for edit in data.as_chunks().0 {
        let [high, low, byte] = *edit;
        let at = usize::from(u16::from_be_bytes([high, low])) % edited.len();
        edited[at] ^= byte;
    }
    let continued = [run.heading(), data].concat();
    let forged = forged(run.heading(), data);
    for journal in [data, &continued, &edited, &forged] {
        run.restore(journal);
        let result = run.resume();
        let is_as_written = run.journal.starts_with(journal) || !has_valid_checksums(journal);
        if is_as_written && let Ok(Outcome::Ended { .. }) = result {
            assert_eq!(run.rows(), run.whole, "{}", journal.escape_ascii());
        }
    }
}

/// A run that was interrupted, and can be resumed.
struct InterruptedRun {
    folder: TempDir,
    has_output_folder: bool,
    policies: Policies,
    /// The journal.
    journal: Vec<u8>,
    /// The other files of the output, at the interrupt.
    written: Vec<(PathBuf, Vec<u8>)>,
    /// The rows of a run that is not interrupted.
    whole: Vec<Option<Vec<u8>>>,
}

impl InterruptedRun {
    fn new(has_output_folder: bool) -> Self {
        let folder = scratch_folder();
        for (name, site) in [("a.warc", "a.example"), ("b.warc", "b.example")] {
            let mut archive = record(
                &format!("http://{site}/robots.txt"),
                "User-agent: *\nDisallow: /1",
            );
            for page in 0..PAGES {
                archive += &record(
                    &format!("http://{site}/{page}"),
                    "<meta name=robots content=noindex>",
                );
            }
            fs::write(folder.path().join(name), archive).expect("the folder is writable");
        }
        fs::create_dir(folder.path().join("out")).expect("the folder is new");
        let mut run = Self {
            folder,
            has_output_folder,
            policies: Policies::new(vec![Policy::default()]),
            journal: Vec::new(),
            written: Vec::new(),
            whole: Vec::new(),
        };
        // Stopped later and later, until a run is not stopped: the last one was stopped as late as can be.
        for calls in 0.. {
            run.clear();
            let stop = StopAfter(AtomicUsize::new(calls));
            run.decide(false, &stop).expect("the inputs are valid");
            let Ok(journal) = fs::read(run.journal_path()) else {
                break;
            };
            run.journal = journal;
            let paths = run.files().into_iter();
            let others = paths.filter(|path| *path != run.journal_path());
            run.written = others
                .map(|path| (path.clone(), fs::read(&path).expect("it was listed")))
                .collect();
        }
        run.whole = run.rows();
        assert!(run.journal.split(|byte| *byte == b'\n').count() > PAGES);
        run
    }

    /// Returns the first line of the journal.
    fn heading(&self) -> &[u8] {
        let lines = self.journal.split_inclusive(|byte| *byte == b'\n');
        lines.into_iter().next().expect("a journal has lines")
    }

    /// Restores the files at the interrupt, but for the journal.
    fn restore(&self, journal: &[u8]) {
        self.clear();
        for (path, bytes) in &self.written {
            fs::write(path, bytes).expect("the folder is writable");
        }
        fs::write(self.journal_path(), journal).expect("the folder is writable");
    }

    fn resume(&self) -> Result<Outcome, Error> {
        self.decide(true, &())
    }

    fn decide(&self, resume: bool, observer: &dyn Observer) -> Result<Outcome, Error> {
        let now = Timestamp::from_seconds(1_800_000_000);
        let mut options = Options::new(now);
        options.now = Now::At(now);
        options.threads = 1;
        let out = self.out();
        let destination = if self.has_output_folder {
            Destination::Folder(out)
        } else {
            Destination::File(out.join("rows"))
        };
        let mut rows = FileOutput::new(destination, Format::Csv);
        rows.resume = resume;
        rows.journal_interval = if resume {
            Duration::MAX
        } else {
            Duration::ZERO
        };
        let inputs = ["a.warc", "b.warc"].map(|name| self.folder.path().join(name));
        let source = Source::Files(&inputs);
        decide(
            source,
            &self.policies,
            &options,
            Rows::Files(&rows),
            observer,
        )
    }

    fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    fn journal_path(&self) -> PathBuf {
        let name = if self.has_output_folder {
            "decide.journal"
        } else {
            "rows.journal"
        };
        self.out().join(name)
    }

    /// Returns the files of the output, in the order of their names.
    fn files(&self) -> Vec<PathBuf> {
        let entries = self.out().read_dir().expect("the folder exists");
        let mut files: Vec<_> = entries
            .map(|entry| entry.expect("the folder is readable").path())
            .collect();
        files.sort();
        files
    }

    fn clear(&self) {
        for path in self.files() {
            fs::remove_file(path).expect("the folder is writable");
        }
    }

    /// Returns the rows of each file, once it is complete.
    fn rows(&self) -> Vec<Option<Vec<u8>>> {
        let names: &[&str] = if self.has_output_folder {
            &["a.warc.csv", "b.warc.csv"]
        } else {
            &["rows"]
        };
        names
            .iter()
            .map(|name| fs::read(self.out().join(name)).ok())
            .collect()
    }
}

/// Returns a record of an archive.
fn record(url: &str, body: &str) -> String {
    let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}");
    let length = block.len();
    format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Length: {length}\r\n\r\n{block}\r\n\r\n"
    )
}

/// An observer that stops a run when it was asked this number of times.
struct StopAfter(AtomicUsize);

impl Observer for StopAfter {
    fn is_stopped(&self) -> bool {
        let left = |calls: usize| calls.checked_sub(1);
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, left)
            .is_err()
    }
}

/// Returns the checksum of a line's JSON; `before` is that of the line before, or zero.
fn checksum(before: u64, json: &[u8]) -> u64 {
    XxHash64::oneshot(before, json)
}

/// Returns a journal with a line for each line of `data`, with valid checksums.
fn forged(heading: &[u8], data: &[u8]) -> Vec<u8> {
    let mut journal = heading.to_vec();
    let mut before = checksum(0, &heading[17..heading.len() - 1]);
    for json in data.split(|byte| *byte == b'\n') {
        before = checksum(before, json);
        journal.extend(format!("{before:016x} ").bytes());
        journal.extend(json);
        journal.push(b'\n');
    }
    journal
}

/// Returns whether the checksums of all whole lines are valid.
fn has_valid_checksums(journal: &[u8]) -> bool {
    let mut before = 0;
    let lines = journal.split_inclusive(|byte| *byte == b'\n');
    lines.filter(|line| line.ends_with(b"\n")).all(|line| {
        let Some((digits, json)) = line[..line.len() - 1].split_at_checked(17) else {
            return false;
        };
        before = checksum(before, json);
        let mut expected = String::new();
        write!(expected, "{before:016x} ").is_ok()
            && digits.eq_ignore_ascii_case(expected.as_bytes())
    })
}
