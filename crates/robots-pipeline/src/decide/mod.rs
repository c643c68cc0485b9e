//! Decisions: inputs or records in, rows out.
//!
//! A reading ([`crate::reader`]) has one of three consumers: [`decisions`] decides pages, which may wait ([`page_queue`]) until
//! every robots.txt is known; [`pages`] passes them on without deciding; [`captures`] keeps the robots.txt files alone.

pub(crate) mod captures;
mod decider;
mod decisions;
mod index;
mod page_queue;
pub(crate) mod pages;
mod robots_inputs;
mod run;
mod settings;

use crate::error::{Error, ResumeProblem};
use crate::evidence::RunFacts;
use crate::evidence::page_digests::{PageDigests, RecordedPages};
use crate::input::{Archive, Input, InputSource, ItemSource};
use crate::journal::position::Position;
use crate::journal::{Heading, Journal, Progress, SavedRun};
use crate::json::write_pretty;
use crate::new_file::{NewFile, partial_name, refuse_to_overwrite};
use crate::observer::Observer;
use crate::options::{Now, Options, RobotsSource};
use crate::reader::{NamedItems, end_of};
use crate::robots::capture_book::CaptureBook;
use crate::robots_url::is_of_site;
use crate::sink::checksummed_file::WrittenPart;
use crate::sink::comparison::Comparison;
use crate::sink::output::Output;
use crate::sink::{Destination, FileOutput, Sink};
use crate::summary::{Counter, End, Summary};
use decisions::Decisions;
use index::{Index, Listing};
use robots_inputs::RobotsInputs;
use robots_meta::Timestamp;
use robots_policy::Policies;
use run::{Run, open_all};
use settings::settings;
use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The source of pages.
#[non_exhaustive]
pub enum Source<'a> {
    /// WARC or ARC files, saved .html pages, or folders of them; `-` is standard input.
    Files(&'a [PathBuf]),
    /// Files and streams. If the robots.txt files come from them ([`RobotsSource::Inputs`]), streams are copied to temporary
    /// files ([`std::env::temp_dir`]) as they are read, since redirects may lead to any of their records.
    Inputs(Vec<InputSource>),
    /// The records and damaged places of an archive, or of a part of it. They are read once: pages wait for their robots.txt
    /// ([`Options::hold_back`]), and redirects are followed to other robots.txt files only. After an error, the rest is left out
    /// and reported.
    Items {
        /// The name for rows and warnings.
        name: &'a str,
        /// The records and damaged places.
        items: &'a mut dyn ItemSource,
    },
}

impl<'a> Source<'a> {
    /// Returns the files and streams, and the records.
    fn into_parts(self) -> (Vec<InputSource>, Option<NamedItems<'a>>) {
        match self {
            Self::Files(files) => {
                let paths = files.iter().cloned().map(InputSource::Path);
                (paths.collect(), None)
            }
            Self::Inputs(sources) => (sources, None),
            Self::Items { name, items } => (Vec::new(), Some((name, items))),
        }
    }
}

/// The target of rows.
#[non_exhaustive]
pub enum Rows<'a> {
    /// Files or standard output.
    Files(&'a FileOutput),
    /// A sink of the caller.
    Sink(&'a mut dyn Sink),
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Files(files) => f.debug_tuple("Files").field(files).finish(),
            Self::Inputs(inputs) => f.debug_tuple("Inputs").field(inputs).finish(),
            Self::Items { name, .. } => f.debug_tuple("Items").field(name).finish(),
        }
    }
}

impl fmt::Debug for Rows<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Files(files) => f.debug_tuple("Files").field(files).finish(),
            Self::Sink(_) => f.write_str("Sink"),
        }
    }
}

/// The result of a run.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// The run has ended.
    #[non_exhaustive]
    Ended {
        /// The summary.
        summary: Summary,
        /// Whether a later run could resume this one, if it was interrupted: it has a journal.
        is_resumable: bool,
    },
    /// There was nothing to resume: the output is there, and its journal is not.
    #[non_exhaustive]
    NothingLeft {
        /// The output.
        output: PathBuf,
        /// The journal.
        journal: PathBuf,
    },
}

/// Decides the pages of a source for each policy, and writes a row for each decision, in the order of the pages.
///
/// A page is decided by the last robots.txt of its origin that was captured up to the time of the page. If all of them were
/// captured later, the first one decides. [`RobotsSource`] states where the robots.txt files come from. Problems of the
/// input are reported to the observer, and the rest of the input is read.
///
/// # Errors
///
/// If the options contradict each other, if rows cannot be written, if an index cannot be read, or if a record is an error.
/// Archives that cannot be read are left out and reported.
pub fn decide(
    source: Source<'_>,
    policies: &Policies,
    options: &Options,
    rows: Rows<'_>,
    observer: &dyn Observer,
) -> Result<Outcome, Error> {
    let (outcome, _) = decide_recorded(source, policies, options, rows, None, observer)?;
    Ok(outcome)
}

/// Does the same as [`decide`], and returns the captures of robots.txt, too. If decisions about some pages are verified, only these
/// are `recorded`.
pub(crate) fn decide_recorded(
    source: Source<'_>,
    policies: &Policies,
    options: &Options,
    rows: Rows<'_>,
    recorded: Option<&RecordedPages>,
    observer: &dyn Observer,
) -> Result<(Outcome, CaptureBook), Error> {
    if let RobotsSource::Book(book) = &options.robots {
        book.check(policies).map_err(Error::Book)?;
    }
    let mut counter = Counter::new(policies);
    let robots_files = options.robots.files().iter().cloned();
    let robots_files = robots_files.map(InputSource::Path);
    let mut book = CaptureBook::of_rules(policies);
    let evidence = options.evidence
        || match &rows {
            Rows::Files(rows) => rows.needs_evidence(),
            Rows::Sink(_) => false,
        };
    if let (true, RobotsSource::Known(_)) = (evidence, &options.robots) {
        return Err(Error::EvidenceWithoutArchives);
    }
    let base = options.base.as_ref();
    let robots_inputs = RobotsInputs::open(robots_files, base, evidence, &mut book, observer)?;
    let (sources, items) = source.into_parts();
    let files = sources.iter().filter_map(|source| match source {
        InputSource::Path(path) => Some(path.clone()),
        InputSource::Stream(_) => None,
    });
    let files: Vec<PathBuf> = files.collect();
    let is_copied = matches!(options.robots, RobotsSource::Inputs);
    let (inputs, are_all_open) = open_all(sources, is_copied, observer, &mut counter);
    let read_once = match (&items, stream_among(&inputs)) {
        (Some(_), _) => Some(ResumeProblem::Items),
        (None, Some(_)) => Some(ResumeProblem::Stream),
        (None, None) => None,
    };
    let prepared = match rows {
        Rows::Files(rows) => {
            let read = files.iter().chain(&options.index);
            let read = read
                .chain(&rows.other_inputs)
                .chain(&rows.compared_inputs)
                .map(PathBuf::as_path)
                .chain(robots_inputs.paths())
                .chain(inputs.iter().map(Input::path))
                .map(Cow::Borrowed)
                .chain(inputs.iter().flat_map(Input::paths_within));
            Prepared::new(rows, &inputs, read_once.is_some(), policies, read)?
        }
        Rows::Sink(sink) => Prepared {
            output: Output::to_sink(sink),
            journal: None,
            summary: None,
        },
    };
    let index = Index::new(&options.index, &inputs)?;
    let listing = list_records(options, &index, &inputs, observer)?;
    prepared.output.make_folder()?;
    let beginning = match begin(&prepared, read_once, policies, options, &inputs)? {
        ControlFlow::Continue(beginning) => beginning,
        ControlFlow::Break(outcome) => return Ok((outcome, book)),
    };
    let (position, written) = match beginning.progress {
        Some(progress) => {
            counter.resume(progress.summary);
            (progress.position, progress.output)
        }
        None => (Position::beginning(0), WrittenPart::default()),
    };
    let mut output = prepared.output;
    output.begin(position.input, written)?;
    let archives = inputs.iter().chain(&robots_inputs.archives);
    observer.begin(archives.map(Input::bytes).sum());
    let mut decisions = Decisions {
        run: Run {
            options,
            policies,
            observer,
            inputs: &inputs,
            book,
            counter,
            digests: evidence.then_some(PageDigests { recorded }),
        },
        facts: evidence.then(|| RunFacts::new(policies, beginning.now)),
        name: items.as_ref().map_or("", |(name, _)| name),
        now: beginning.now,
        comparison: output
            .needs_differences()
            .then(|| Comparison::new(policies)),
        output,
        journal: beginning.journal,
        position,
        resumable: None,
    };
    let index = listing.as_ref().map(|listing| (&index, listing));
    let end = end_of(decisions.decide(items, index, &robots_inputs.archives))?;
    let book = decisions.run.take_book();
    let outcome = finish(decisions, end, prepared.summary, are_all_open)?;
    Ok((outcome, book))
}

/// An output that is ready to begin.
struct Prepared<'s> {
    output: Output<'s>,
    journal: Option<PathBuf>,
    /// The file of the summary, and its name.
    summary: Option<(&'s Path, NewFile)>,
}

impl<'s> Prepared<'s> {
    /// Prepares files. Refuses to overwrite those of `read`, which the run reads.
    fn new<'p>(
        rows: &'s FileOutput,
        inputs: &[Input],
        is_read_once: bool,
        policies: &Policies,
        read: impl Iterator<Item = Cow<'p, Path>>,
    ) -> Result<Self, Error> {
        let names = inputs.iter().map(Input::path);
        let output = Output::new(rows, policies.len() > 1, names)?;
        // What is read only once cannot be read again from the position of a journal.
        let journal = output.journal().filter(|_| !is_read_once);
        let written = output.files().iter().chain(&journal).chain(&rows.summary);
        let completed = output.files().iter().chain(&rows.summary);
        let partial = completed.map(|path| partial_name(path));
        refuse_to_overwrite(written.cloned().chain(partial), read)?;
        // The file is created now: if it cannot be written, the run does not start.
        let summary = rows.summary.as_deref().map(|path| {
            let file = NewFile::create(path);
            Ok((path, file.map_err(Error::at("write", path))?))
        });
        Ok(Self {
            output,
            journal,
            summary: summary.transpose()?,
        })
    }
}

/// Returns the first stream among some inputs.
fn stream_among(inputs: &[Input]) -> Option<&Archive> {
    let mut archives = inputs.iter().filter_map(Input::archive);
    archives.find(|archive| archive.is_stream())
}

/// Returns the pages, robots.txt and tdmrep.json files that the indexes list; `None` without an index.
fn list_records(
    options: &Options,
    index: &Index<'_>,
    inputs: &[Input],
    observer: &dyn Observer,
) -> Result<Option<Listing>, Error> {
    if index.is_empty() {
        return Ok(None);
    }
    let listing = index.find(observer, |entry| {
        let is_page = entry.is_ok() && (options.all_types || entry.is_html());
        is_page || is_of_site(&entry.url)
    })?;
    listing.check(inputs, observer)?;
    Ok(Some(listing))
}

/// The state with which a run begins.
struct Beginning {
    journal: Option<Journal>,
    /// The progress of the run that is resumed, if it made any.
    progress: Option<Progress>,
    /// The time at which pages are decided.
    now: Option<Timestamp>,
}

/// Begins a run, or resumes one. Breaks if nothing is left to do.
fn begin(
    prepared: &Prepared<'_>,
    read_once: Option<ResumeProblem>,
    policies: &Policies,
    options: &Options,
    inputs: &[Input],
) -> Result<ControlFlow<Outcome, Beginning>, Error> {
    let time = match options.now {
        Now::At(time) | Now::Start(time) => Some(time),
        Now::Unknown => None,
    };
    let without_journal = Beginning {
        journal: None,
        progress: None,
        now: time,
    };
    let rows = prepared.output.options();
    let (Some(rows), Some(path)) = (rows, &prepared.journal) else {
        let Some(rows) = rows.filter(|rows| rows.resume) else {
            return Ok(ControlFlow::Continue(without_journal));
        };
        return Err(Error::CannotResume(match rows.destination {
            Destination::Stdout => ResumeProblem::StandardOutput,
            _ => read_once.unwrap_or(ResumeProblem::SingleFile),
        }));
    };
    let resumes_journal = rows.resume && path.exists();
    // An output without a journal is complete.
    let outputs = prepared.output.files();
    // With a limit, the last inputs of a complete run may have none.
    let are_complete = || options.limit.is_some() || outputs.iter().all(|file| file.exists());
    if rows.resume
        && !resumes_journal
        && let Some(file) = outputs.iter().find(|file| file.exists())
        && are_complete()
    {
        return Ok(ControlFlow::Break(Outcome::NothingLeft {
            output: file.clone(),
            journal: path.clone(),
        }));
    }
    // A run that was killed while it wrote the first line of its journal has nothing to resume: `None`.
    let saved = resumes_journal.then(|| SavedRun::read(path)).transpose()?;
    let saved = saved.flatten();
    let now = match options.now {
        Now::Start(time) => Some(saved.as_ref().and_then(SavedRun::now).unwrap_or(time)),
        _ => time,
    };
    let settings = settings(policies, options, rows, now);
    let compared = options.robots.files().iter().chain(&options.index);
    let heading = Heading::new(settings, inputs, compared.chain(&rows.compared_inputs));
    let interval = rows.journal_interval;
    let (journal, progress) = match saved {
        Some(saved) => saved.resume(path, &heading, interval)?,
        None => (Journal::begin(path, &heading, interval)?, None),
    };
    Ok(ControlFlow::Continue(Beginning {
        journal: Some(journal),
        progress,
        now,
    }))
}

/// Completes the output, and writes the summary to a file. `are_all_open`: whether all inputs could be opened.
fn finish(
    mut decisions: Decisions<'_>,
    end: End,
    summary_file: Option<(&Path, NewFile)>,
    are_all_open: bool,
) -> Result<Outcome, Error> {
    // A run that reached its limit of pages is complete: it has nothing left to resume.
    let is_complete = end != End::Interrupted;
    decisions.output.end(is_complete)?;
    let is_resumable = decisions.journal.is_some();
    let summary = decisions.run.counter.into_summary(end);
    if let Some((path, mut file)) = summary_file {
        let mut json = Vec::new();
        let written = write_pretty(&mut json, &summary).map_err(io::Error::from);
        let written = written.and_then(|()| file.write_all(&json));
        let written = written.and_then(|()| file.finish());
        written.map_err(Error::at("write", path))?;
    }
    // The journal is removed last: an output without a journal is complete. It stays if inputs could not be opened: a run that
    // resumes this one then finds out whether it has the same inputs.
    if let Some(mut journal) = decisions.journal.take() {
        if is_complete && are_all_open {
            journal.remove()?;
        } else if let Some(progress) = &decisions.resumable {
            journal.write(progress)?;
        }
    }
    Ok(Outcome::Ended {
        summary,
        is_resumable,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extent::{ArchiveItems, Extent};
    use crate::observer::Warning;
    use crate::sink::Format;
    use crate::sink::RowContext;
    use robots_policy::{Decision, Policy};
    use std::fs;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use std::time::Duration;

    /// An observer that notes the stages of reading, and counts the warnings.
    #[derive(Default)]
    struct Notes {
        stages: Mutex<Vec<&'static str>>,
        warnings: Mutex<usize>,
    }

    impl Observer for Notes {
        fn progress(&self, stage: &'static str, _: u64) {
            self.stages.lock().unwrap().push(stage);
        }

        fn warn(&self, _: &Warning) {
            *self.warnings.lock().unwrap() += 1;
        }
    }

    impl Sink for Vec<Decision> {
        fn write(&mut self, _: &RowContext<'_>, decision: &Decision) -> io::Result<()> {
            self.push(decision.clone());
            Ok(())
        }
    }

    /// An observer that moves a file away when reading begins, and stops the run at a test for a stop.
    struct MovesAndStops<'a> {
        moved: Option<[&'a Path; 2]>,
        tests_left: AtomicUsize,
    }

    impl Observer for MovesAndStops<'_> {
        fn begin(&self, _: u64) {
            if let Some([from, to]) = self.moved {
                fs::rename(from, to).unwrap();
            }
        }

        fn is_stopped(&self) -> bool {
            let test = |left: usize| left.checked_sub(1);
            let left = self.tests_left.try_update(Relaxed, Relaxed, test);
            left.is_err()
        }
    }

    #[test]
    fn a_resumed_run_has_every_saved_page_even_if_another_one_cannot_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("site")).unwrap();
        let names = (0..4).map(|number| format!("{number}.html"));
        let names: Vec<String> = names.collect();
        for name in &names {
            fs::write(path("site").join(name), "<p>").unwrap();
        }
        let [changed, moved, output] = ["site/1.html", "moved", "rows.jsonl"].map(path);
        let policies = Policies::new(vec![Policy::new("a").unwrap()]);
        let run = |robots: &RobotsSource, is_moved: bool, stop: usize, resume: bool| {
            let mut options = Options::new(Timestamp::from_seconds(0));
            options.base = Some("http://a.example/".parse().unwrap());
            options.robots = robots.clone();
            options.threads = 1;
            let mut files = FileOutput::new(Destination::File(output.clone()), Format::Jsonl);
            files.resume = resume;
            files.journal_interval = Duration::ZERO;
            let observer = MovesAndStops {
                moved: is_moved.then_some([&changed, &moved]),
                tests_left: stop.into(),
            };
            let (sites, rows) = ([path("site")], Rows::Files(&files));
            let source = Source::Files(&sites);
            let outcome = decide(source, &policies, &options, rows, &observer).unwrap();
            if is_moved {
                fs::rename(&moved, &changed).unwrap();
            }
            matches!(outcome, Outcome::Ended { summary, .. } if summary.end == End::Interrupted)
        };
        for robots in [RobotsSource::Inputs, RobotsSource::Files(Vec::new())] {
            for is_moved in [false, true] {
                let mut interrupted = 0;
                while run(&robots, is_moved, interrupted, false) {
                    interrupted += 1;
                    assert!(!run(&robots, !is_moved, usize::MAX, true));
                    let rows = fs::read_to_string(&output).unwrap();
                    let written = names.iter().map(|name| rows.matches(&**name).count());
                    let mut written: Vec<usize> = written.collect();
                    assert!(written.remove(1) <= 2);
                    assert_eq!(
                        written, [2; 3],
                        "{robots:?} {is_moved} {interrupted}\n{rows}"
                    );
                }
                assert!(interrupted > names.len());
            }
        }
    }

    /// Returns a response with a page.
    fn page() -> Vec<u8> {
        let block = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>";
        let length = block.len();
        let url = "WARC-Target-URI: http://a.example/";
        let header = format!("WARC-Type: response\r\n{url}\r\nContent-Length: {length}");
        format!("WARC/1.0\r\n{header}\r\n\r\n{block}\r\n\r\n").into_bytes()
    }

    #[test]
    fn a_run_of_the_records_of_a_caller_has_no_journal() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("rows.jsonl");
        let policies = Policies::new(vec![Policy::new("a").unwrap()]);
        let options = Options::new(Timestamp::from_seconds(0));
        let archive = page().repeat(3);
        let run = |tests: usize, resume| {
            let mut files = FileOutput::new(Destination::File(output.clone()), Format::Jsonl);
            files.resume = resume;
            files.journal_interval = Duration::ZERO;
            let observer = MovesAndStops {
                moved: None,
                tests_left: tests.into(),
            };
            let mut items = ArchiveItems::new("records", &archive[..], Extent::Whole);
            let source = Source::Items {
                name: "records",
                items: &mut items,
            };
            decide(source, &policies, &options, Rows::Files(&files), &observer)
        };
        for tests in [0, 3, usize::MAX] {
            match run(tests, false).unwrap() {
                Outcome::Ended { is_resumable, .. } => assert!(!is_resumable),
                outcome => panic!("{outcome:?}"),
            }
            assert!(!folder.path().join("rows.jsonl.journal").exists());
            let error = run(usize::MAX, true).unwrap_err();
            assert!(matches!(error, Error::CannotResume(ResumeProblem::Items)));
        }
    }

    #[test]
    fn a_stop_ends_the_records_of_a_caller_even_if_none_of_them_is_in_the_sample() {
        let policies = Policies::new(vec![Policy::new("a").unwrap()]);
        let mut options = Options::new(Timestamp::from_seconds(0));
        options.sample = Some(0.0);
        let archive = page().repeat(9);
        let mut items = ArchiveItems::new("records", &archive[..], Extent::Whole);
        let source = Source::Items {
            name: "records",
            items: &mut items,
        };
        let observer = MovesAndStops {
            moved: None,
            tests_left: 3.into(),
        };
        let mut rows: Vec<Decision> = Vec::new();
        let rows = Rows::Sink(&mut rows);
        let outcome = decide(source, &policies, &options, rows, &observer).unwrap();
        let Outcome::Ended { summary, .. } = outcome else {
            panic!("{outcome:?}");
        };
        assert_eq!(summary.end, End::Interrupted);
        let mut left = 0;
        while items.next_item().unwrap().is_some() {
            left += 1;
        }
        assert_eq!(left, 5);
    }

    #[test]
    fn an_archive_is_read_once_whatever_the_memory_for_its_pages() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/crawl.warc.gz");
        let policies = Policies::new(vec![Policy::new("Googlebot").unwrap()]);
        let run = |hold_back| {
            let mut options = Options::new(Timestamp::from_seconds(0));
            options.hold_back = hold_back;
            let mut rows: Vec<Decision> = Vec::new();
            let notes = Notes::default();
            let paths = [path.clone()];
            let source = Source::Files(&paths);
            decide(source, &policies, &options, Rows::Sink(&mut rows), &notes).unwrap();
            let Notes { stages, warnings } = notes;
            (
                rows,
                stages.into_inner().unwrap(),
                warnings.into_inner().unwrap(),
            )
        };
        let in_memory = run(64 << 20);
        assert!(!in_memory.0.is_empty());
        let in_a_file = run(0);
        assert_eq!(in_a_file, in_memory);
        assert!(in_a_file.1.iter().all(|stage| *stage == "reading"));
    }
}
