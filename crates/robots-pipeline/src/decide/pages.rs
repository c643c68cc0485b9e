//! Pages of archives that are read, and decided later by their origins ([`crate::by_origin`]).

use super::Source;
use super::run::{Run, open_all, report_failed};
use crate::by_origin::{PageCodec, PageReceiver, UndecidedPage};
use crate::error::Error;
use crate::evidence::page_digests::PageDigests;
use crate::extract::Entry;
use crate::extract::page::PagePlace;
use crate::input::Input;
use crate::observer::{Observer, Warning};
use crate::options::Options;
use crate::reader::{Event, end_of};
use crate::robots::capture_book::CaptureBook;
use crate::summary::{Counter, End, Summary};
use crate::text::path_text;
use robots_policy::Policies;
use robots_policy::origins::Origin;

/// Reads the pages of archives for some policies, and passes them to a receiver, in order. It reports the problems that
/// [`decide`](crate::decide()) does.
///
/// Returns a summary: its [`failed_inputs`](Summary::failed_inputs) are the archives whose pages are missing in part. Of the
/// options, [`all_types`](Options::all_types), [`evidence`](Options::evidence), [`limit`](Options::limit),
/// [`sample`](Options::sample), [`threads`](Options::threads) and [`verify_digests`](Options::verify_digests) apply.
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
    let mut counter = Counter::new(policies);
    let (sources, items) = source.into_parts();
    let (mut inputs, _) = open_all(sources, false, observer, &mut counter);
    inputs.retain(|input| {
        if let Input::Folder(folder) = input {
            let error = Error::NotArchive(path_text(&folder.root));
            report_failed(&mut counter, observer, error, Warning::NotRead);
        }
        input.archive().is_some()
    });
    observer.begin(inputs.iter().map(Input::bytes).sum());
    let mut run = Run {
        options,
        policies,
        observer,
        inputs: &inputs,
        book: CaptureBook::of_rules(policies),
        counter,
        digests: options.evidence.then_some(PageDigests { recorded: None }),
    };
    run.counter.begin_deciding();
    if options.limit == Some(0) {
        return Ok(run.counter.into_summary(End::Limit));
    }
    let codec = PageCodec::new(policies);
    let name_of_items = items.as_ref().map_or("", |(name, _)| name);
    let reading = run.reading("deciding", run.extractor());
    let flow = reading.read(items, &mut |input, event| {
        let page = match event {
            Event::Entry(Entry::Page(page)) => page,
            event => {
                run.note(event);
                return Ok(());
            }
        };
        let archive = inputs.get(input).and_then(Input::archive);
        let file = archive.map_or(name_of_items, |archive| &archive.name);
        // Never another place: folders of saved pages are left out.
        let PagePlace::Record(offset) = page.place else {
            return Ok(());
        };
        let key = match Origin::of(&page.url) {
            Ok(origin) => Some(origin.robots_url()),
            Err(error) => {
                let file = file.to_owned();
                observer.warn(&Warning::PageUrl {
                    file,
                    offset,
                    error,
                });
                None
            }
        };
        let received = receiver.receive(&UndecidedPage {
            file,
            offset,
            key: key.as_deref(),
            facts: &codec.write(&page),
        });
        received.map_err(Error::io("write to", "the receiver of pages"))?;
        run.counter.add_page(false);
        run.check_limit()
    });
    Ok(run.counter.into_summary(end_of(flow)?))
}
