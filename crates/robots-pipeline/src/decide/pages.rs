//! Pages of archives that are read, and decided later by their origins ([`crate::by_origin`]).

use super::captures::NoRows;
use super::run::Run;
use super::{Source, open_all};
use crate::by_origin::{PageCodec, PageReceiver, UndecidedPage};
use crate::error::{Error, Halt, Operation};
use crate::extract::page::ReadPage;
use crate::input::Input;
use crate::journal::position::Position;
use crate::observer::Observer;
use crate::options::{Now, Options, RobotsSource};
use crate::robots::kept_file::KeptForm;
use crate::robots::policies::PolicyBook;
use crate::sink::output::Output;
use crate::summary::{Counter, End, Summary};
use robots_policy::Policies;
use std::fmt;

/// A receiver of pages, and what turns them into bytes.
pub(super) struct PageWriter<'a> {
    receiver: &'a mut dyn PageReceiver,
    codec: PageCodec,
    /// The bytes of the last page.
    facts: Vec<u8>,
}

impl fmt::Debug for PageWriter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PageWriter").finish_non_exhaustive()
    }
}

impl PageWriter<'_> {
    /// Passes a page of an archive to the receiver.
    pub(super) fn write(
        &mut self,
        file: &str,
        key: Option<&str>,
        page: &ReadPage,
    ) -> Result<(), Error> {
        let written = self.codec.write(page, &mut self.facts);
        let written = written.map_err(std::io::Error::other).and_then(|()| {
            self.receiver.receive(&UndecidedPage {
                file,
                offset: page.offset,
                key,
                facts: &self.facts,
            })
        });
        written.map_err(Error::io(Operation::WriteTo, "the receiver of pages"))
    }
}

/// Reads the pages of archives for some policies, and passes them to a receiver, in order. It reports the problems that
/// [`decide`](crate::decide()) does.
///
/// Returns a summary: its [`failed_inputs`](Summary::failed_inputs) are the archives whose pages are missing in part. Of the
/// options, [`all_types`](Options::all_types), [`limit`](Options::limit), [`sample`](Options::sample), [`skim`](Options::skim),
/// [`threads`](Options::threads) and [`verify_digests`](Options::verify_digests) apply.
///
/// # Errors
///
/// If the receiver fails, if a record is an error, or if the options contradict the policies. Archives that cannot be read, and
/// folders of saved pages, are left out and reported.
pub fn read_pages(
    source: Source<'_>,
    policies: &Policies,
    options: &Options,
    receiver: &mut dyn PageReceiver,
    observer: &dyn Observer,
) -> Result<Summary, Error> {
    super::check_skim(policies, options)?;
    let mut options = options.clone();
    options.robots = RobotsSource::Policies;
    let mut counter = Counter::new(policies);
    let (sources, records) = source.into_parts();
    let inputs = open_all(sources, false, observer, &mut counter);
    observer.begin(inputs.iter().map(Input::bytes).sum());
    let (Now::At(now) | Now::Start(now)) = options.now;
    let mut no_rows = NoRows;
    let book = PolicyBook::new(policies, KeptForm::Rules);
    let mut run = Run {
        options: &options,
        inputs: &inputs,
        index: None,
        policies,
        now,
        book: &book,
        observer,
        output: Output::to_sink(&mut no_rows),
        pages: Some(PageWriter {
            receiver,
            codec: PageCodec::new(policies),
            facts: Vec::new(),
        }),
        counter,
        journal: None,
        position: Position::beginning(0),
        resumable: None,
    };
    let robots_inputs = super::RobotsInputs::default();
    let is_read = match records {
        None => run.decide_inputs(&robots_inputs),
        Some((name, mut items)) => run.decide_items(name, &mut *items, &robots_inputs),
    };
    let end = match is_read {
        Ok(()) => End::Done,
        Err(Halt::Limit) => End::Limit,
        Err(Halt::Interrupted) => End::Interrupted,
        Err(Halt::Failed(error)) => return Err(error),
    };
    Ok(run.into_summary(end))
}
