//! Books of the robots.txt captures of archives, read without their pages.

use super::Source;
use super::robots_inputs::RobotsInputs;
use super::run::{Run, open_all};
use crate::error::Error;
use crate::evidence::page_digests::PageDigests;
use crate::extract::CaptureFilter;
use crate::input::Input;
use crate::observer::Observer;
use crate::options::Options;
use crate::reader::end_of;
use crate::robots::capture_book::CaptureBook;
use crate::summary::{Counter, Summary};
use robots_policy::Policies;
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
    read(source, CaptureFilter::Robots, policies, options, observer)
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
    read(
        source,
        CaptureFilter::Urls(&urls),
        policies,
        options,
        observer,
    )
}

fn read(
    source: Source<'_>,
    captures: CaptureFilter<'_>,
    policies: &Arc<Policies>,
    options: &Options,
    observer: &dyn Observer,
) -> Result<(CaptureBook, Summary), Error> {
    let mut counter = Counter::new(policies);
    let (sources, items) = source.into_parts();
    let mut robots = RobotsInputs::default();
    let mut book = CaptureBook::new(policies);
    if let CaptureFilter::Urls(_) = captures {
        robots.archives = open_all(sources, true, observer, &mut counter).0;
    } else {
        robots = RobotsInputs::open(sources, options.base.as_ref(), true, &mut book, observer)?;
    }
    observer.begin(robots.archives.iter().map(Input::bytes).sum());
    let mut run = Run {
        options,
        policies,
        observer,
        inputs: &[],
        book,
        counter,
        digests: Some(PageDigests { recorded: None }),
    };
    let end = end_of(run.read_captures(&robots.archives, items, captures))?;
    Ok((run.book, run.counter.into_summary(end)))
}
