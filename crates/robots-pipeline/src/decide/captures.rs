//! Books of the robots.txt captures of archives, read without their pages.

use super::robots_inputs::RobotsInputs;
use super::run::Run;
use super::{Source, open_all};
use crate::error::{Error, Halt};
use crate::extract::CaptureFilter;
use crate::input::Input;
use crate::journal::position::Position;
use crate::observer::Observer;
use crate::options::{Now, Options};
use crate::robots::capture_book::CaptureBook;
use crate::robots::kept_file::KeptForm;
use crate::robots::policies::PolicyBook;
use crate::sink::output::Output;
use crate::sink::{RowContext, Sink};
use crate::summary::{Counter, End, Summary};
use robots_policy::{Decision, Policies};
use std::collections::HashSet;
use std::io;
use std::sync::Arc;

/// Reads the captures of robots.txt files in archives, and of the targets of their redirects; files and folders as
/// [`RobotsSource::Files`](crate::RobotsSource::Files) names them are read, too.
///
/// Returns the book and a summary: its [`failed_inputs`](Summary::failed_inputs) are the archives whose captures are missing in
/// part. Of the options, only [`base`](Options::base), [`threads`](Options::threads) and
/// [`verify_digests`](Options::verify_digests) apply.
///
/// # Errors
///
/// If a file or folder cannot be opened, or a record is an error.
pub fn captures(
    source: Source<'_>,
    policies: &Arc<Policies>,
    options: &Options,
    observer: &dyn Observer,
) -> Result<(CaptureBook, Summary), Error> {
    read(source, Wanted::RobotsTxt, policies, options, observer)
}

/// Reads the captures of these URLs in archives, and of the targets of their redirects. The URLs are those to which the
/// robots.txt files of other archives redirect: the [`missing_targets`](CaptureBook::missing_targets) of a book of these.
///
/// # Errors
///
/// If a record that the caller provides is an error. An archive that cannot be read is not: the summary names it.
pub fn captures_of(
    urls: impl IntoIterator<Item = String>,
    source: Source<'_>,
    policies: &Arc<Policies>,
    options: &Options,
    observer: &dyn Observer,
) -> Result<(CaptureBook, Summary), Error> {
    let urls = urls.into_iter().collect();
    read(source, Wanted::Urls(&urls), policies, options, observer)
}

/// The captures that are wanted.
enum Wanted<'u> {
    RobotsTxt,
    /// Those of these URLs.
    Urls(&'u HashSet<String>),
}

fn read(
    source: Source<'_>,
    wanted: Wanted<'_>,
    policies: &Arc<Policies>,
    options: &Options,
    observer: &dyn Observer,
) -> Result<(CaptureBook, Summary), Error> {
    let mut counter = Counter::new(policies);
    let (sources, records) = source.into_parts();
    let (robots_inputs, inputs) = match wanted {
        Wanted::RobotsTxt => {
            let base = options.base.as_ref();
            (RobotsInputs::open(sources, base, observer)?, Vec::new())
        }
        Wanted::Urls(_) => (
            RobotsInputs::default(),
            open_all(sources, true, observer, &mut counter),
        ),
    };
    let archives = inputs.iter().chain(&robots_inputs.archives);
    observer.begin(archives.map(Input::bytes).sum());
    let (Now::At(now) | Now::Start(now)) = options.now;
    let mut no_rows = NoRows;
    let book = PolicyBook::new(policies, KeptForm::Body);
    let mut run = Run {
        options,
        inputs: &inputs,
        index: None,
        policies,
        now,
        book: &book,
        observer,
        output: Output::to_sink(&mut no_rows),
        pages: None,
        counter,
        journal: None,
        position: Position::beginning(0),
        resumable: None,
    };
    let captures = match wanted {
        Wanted::RobotsTxt => CaptureFilter::Robots,
        Wanted::Urls(urls) => CaptureFilter::Urls(urls),
    };
    let is_read = match (records, wanted) {
        (Some((name, mut items)), _) => run.note_items(name, &mut *items, captures),
        (None, Wanted::RobotsTxt) => run.read_robots(&robots_inputs),
        (None, Wanted::Urls(_)) => run.read_captures(&inputs, captures),
    };
    let end = match is_read {
        Ok(()) => End::Done,
        Err(Halt::Limit) => End::Limit,
        Err(Halt::Interrupted) => End::Interrupted,
        Err(Halt::Failed(error)) => return Err(error),
    };
    let summary = run.into_summary(end);
    Ok((CaptureBook::of_run(policies, book), summary))
}

/// A sink for a run that decides no page.
pub(super) struct NoRows;

impl Sink for NoRows {
    fn write(&mut self, _: &RowContext<'_>, _: &Decision) -> io::Result<()> {
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
