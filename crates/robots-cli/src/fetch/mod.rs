//! `robots fetch`: requests the robots.txt of many sites, and keeps the responses in a WARC file.
//!
//! [`sites`] reads the lists, [`capture`] turns responses into records, [`target`] writes them, and [`report`] reports them.
//! [`replay`] reads the outcomes back from the archive, and [`store`] learns them: those of earlier runs at the start, and each
//! of this run once its records are written. So at the end, the store has every outcome that the archive has.

mod capture;
mod replay;
mod report;
mod sites;
mod store;
mod target;

use crate::args::Fetch;
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::resources;
use crate::standard_input;
use crate::terminal::counted;
use anyhow::{Context, Result, bail};
use replay::Replay;
use report::{LineFormat, Report};
use robots_archive::{Item, Reader};
use robots_crawl::{Fetched, Fetcher, Validators};
use robots_meta::Timestamp;
use robots_pipeline::text::path_text;
use robots_policy::origins::Origin;
use std::io::{self, Read};
use std::path::{self, Path};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};
use std::vec;
use store::Store;
use target::Target;
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{self, Receiver, Sender};

/// An event of a run.
enum Event {
    /// A request has ended, with or without a response.
    Fetched(Origin, Box<Fetched>),
    Interrupt,
}

pub(crate) fn run(args: &Fetch) -> Result<ExitCode> {
    let at_once = limited_by_files(args.at_once);
    let fetcher = fetcher(args, at_once)?;
    let output = args.output.as_deref();
    let file = output.filter(|path| path.as_os_str() != "-");
    if let (Some(file), Some(store)) = (file, args.store.as_deref())
        && path::absolute(file)? == path::absolute(store)?
    {
        bail!("--output and --store name the same file");
    }
    if args.json && output.is_some_and(|path| path.as_os_str() == "-") {
        bail!("cannot write --json to standard output: -o - writes the archive there");
    }
    standard_input::refuse_twice(&args.sites)?;
    let sites = sites::read(&args.sites)?;
    let mut origins = sites.origins;
    if origins.is_empty() {
        bail!("no site in the inputs; nothing was fetched");
    }
    let mut outputs = Outputs::open(args)?;
    let listed = origins.len();
    // Sites that an earlier run requested are left out; with `--retry`, only those that responded.
    origins.retain(|origin| match outputs.replay.has_response(origin) {
        None => true,
        Some(has_response) => !has_response && args.retry,
    });
    let already_kept = listed - origins.len();
    // If nothing is left to request, the archive stays as it is.
    if !origins.is_empty() {
        let now = Timestamp::from(SystemTime::now()).to_string();
        let requests = &args.requests;
        let info = capture::archive_info(&requests.user_agent, requests.from.as_deref(), &now);
        outputs.target.write(&info)?;
    }

    // Whether standard output gets a line for each site.
    let has_lines = !outputs.target.is_stdout() && !args.quiet;
    let progress = Progress::of_sites(origins.len() as u64, has_lines);
    let format = if args.json {
        LineFormat::Json
    } else {
        LineFormat::Table
    };
    let mut report = Report::new(has_lines.then_some(format));
    resources::check_for_threaded_runtime()?;
    let runtime = Runtime::new().context("cannot start")?;
    let (mut events, interrupt) = fetch_all(&runtime, &fetcher, origins, at_once);
    let is_kept = output.is_some() || args.store.is_some();
    let mut written = Ok(());
    progress.show("asking");
    while let Some(event) = events.blocking_recv() {
        let Event::Fetched(origin, fetched) = event else {
            break;
        };
        written = outputs.write(&fetched);
        if written.is_err() {
            break;
        }
        report.add(&origin, &fetched);
        if report.is_closed() && !is_kept {
            // No one would see further responses.
            written = Err(io::Error::from(io::ErrorKind::BrokenPipe).into());
            break;
        }
        progress.add(1);
        progress.show("asking");
    }
    runtime.shutdown_background();
    progress.finish();
    let code = interrupt.exit_code();
    if code.is_some() {
        let kept = if is_kept {
            "; the responses so far are kept"
        } else {
            ""
        };
        notice!("interrupted{kept}");
    }
    report.summarise(already_kept, sites.refused);
    outputs.finish(written, output)?;
    if !is_kept {
        notice!("note: the responses were not kept; -o robots.warc.gz keeps them");
    }
    // Lines of sites may not have been written to standard output.
    let has_failed = report.has_lost_lines() || already_kept == 0 && report.has_no_hosts();
    let code = code.unwrap_or(if has_failed { 2 } else { 0 });
    Ok(ExitCode::from(code))
}

fn fetcher(args: &Fetch, at_once: usize) -> Result<Fetcher> {
    let fetcher = args
        .requests
        .fetcher()
        .with_requests_at_once(at_once)
        .with_requests_per_address(args.per_address)
        .with_total_timeout(Duration::from_secs(args.timeout));
    Ok(fetcher.build()?)
}

/// The outputs of a run: the archive, and the store if there is one.
struct Outputs {
    target: Target,
    store: Option<Store>,
    /// The outcomes of earlier runs in the archive. With a store, those of this run, too.
    replay: Replay,
}

impl Outputs {
    /// Opens the outputs. The store learns the outcomes of earlier runs.
    fn open(args: &Fetch) -> Result<Self> {
        let mut outputs = Self {
            target: Target::open(args.output.as_deref(), args.resume)?,
            store: args.store.as_deref().map(Store::open).transpose()?,
            replay: Replay::default(),
        };
        if let Some(mut archive) = outputs.target.reader()? {
            let path = args.output.as_deref();
            let name = path.map(path_text).unwrap_or_default();
            learn(
                &mut outputs.replay,
                &name,
                &mut archive,
                outputs.store.as_mut(),
            )
            .with_context(|| format!("cannot read {name}"))?;
            if let Some(store) = &mut outputs.store {
                store.check(path)?;
            }
        }
        Ok(outputs)
    }

    /// Writes the records of a request to the archive, and then its outcome to the store.
    fn write(&mut self, fetched: &Fetched) -> Result<()> {
        let records = capture::records(fetched);
        self.target.write(&records)?;
        if self.store.is_some()
            && let Some(mut archive) = Reader::open(&records[..])?
        {
            let name = "the records of a site";
            learn(&mut self.replay, name, &mut archive, self.store.as_mut())?;
        }
        Ok(())
    }

    /// Makes the outputs durable. `written` is the result of the last [`write`](Self::write): after an error, too, the store
    /// gets every outcome that the archive has.
    fn finish(self, written: Result<()>, archive: Option<&Path>) -> Result<()> {
        let stored = self.store.map_or(Ok(()), |mut store| store.check(archive));
        // Only one error can be returned: that of `written`, if both failed.
        if let Err(error) = &stored
            && written.is_err()
        {
            message!("error: {error:#}");
        }
        written.and_then(|()| self.target.finish())?;
        stored
    }
}

/// Reads the outcomes of an archive of this name into `replay`, and into the store if there is one. Warns of damage.
fn learn(
    replay: &mut Replay,
    name: &str,
    archive: &mut Reader<impl Read>,
    mut store: Option<&mut Store>,
) -> Result<(), robots_archive::Error> {
    while let Some(item) = archive.next_item()? {
        match item {
            Item::Record(record) => replay.add(&record, |outcome| {
                if let Some(store) = &mut store {
                    store.learn(&outcome);
                }
            }),
            Item::Damage(damage) => {
                replay.add_damage();
                notice!(
                    "warning: {name}: at byte {}: {}",
                    damage.offset,
                    damage.text
                );
            }
        }
    }
    Ok(())
}

/// The approximate number of open files of the program, without connections.
const OTHER_FILES: u64 = 64;

/// The maximum number of open files of a request: its connection, and one to the name service.
const FILES_OF_REQUEST: u64 = 2;

/// Returns the requested number of requests at once, or fewer if the system's limit of open files is too low: a request that
/// fails because of the limit would look like a fault of the site.
fn limited_by_files(at_once: usize) -> usize {
    let wanted = u64::try_from(at_once).unwrap_or(u64::MAX);
    let files = wanted
        .saturating_mul(FILES_OF_REQUEST)
        .saturating_add(OTHER_FILES);
    // If the system does not report its limit, none is assumed.
    let Ok(limit) = rlimit::increase_nofile_limit(files) else {
        return at_once;
    };
    if limit >= files {
        return at_once;
    }
    let possible = limit
        .saturating_sub(OTHER_FILES)
        .div_euclid(FILES_OF_REQUEST);
    let possible = usize::try_from(possible).unwrap_or(at_once).max(1);
    notice!(
        "warning: asking {} at once instead of {at_once}: the limit of open files is {limit}",
        counted(possible as u64, "site")
    );
    possible
}

/// The number of sites that may wait for a busy address while others are requested.
const WAITING_SITES: usize = 512;

/// Requests the robots.txt of all sites, `at_once` at a time. Returns the channel of events, which closes at the end, and the
/// signals that stop the run.
fn fetch_all(
    runtime: &Runtime,
    fetcher: &Fetcher,
    origins: Vec<Origin>,
    at_once: usize,
) -> (Receiver<Event>, Interrupt) {
    let (sender, events) = mpsc::channel(at_once.max(1));
    // A weak sender: the channel closes when the requests have ended, although no signal has come.
    let interrupts = sender.downgrade();
    let interrupt = Interrupt::listen_with(move || {
        // In a task of its own: the channel may be full, and a second signal must not wait for it.
        if let Some(sender) = interrupts.upgrade() {
            tokio::spawn(async move { sender.send(Event::Interrupt).await });
        }
    });
    let tasks = at_once.saturating_add(WAITING_SITES).min(origins.len());
    let queue = Arc::new(Mutex::new(origins.into_iter()));
    for _ in 0..tasks {
        let (queue, fetcher, sender) = (Arc::clone(&queue), fetcher.clone(), sender.clone());
        runtime.spawn(fetch_from(queue, fetcher, sender));
    }
    (events, interrupt)
}

/// Requests the robots.txt of one site after the other, until the queue is empty or the channel is closed.
async fn fetch_from(
    queue: Arc<Mutex<vec::IntoIter<Origin>>>,
    fetcher: Fetcher,
    sender: Sender<Event>,
) {
    loop {
        let next = queue.lock().ok().and_then(|mut queue| queue.next());
        let Some(origin) = next else {
            return;
        };
        let fetched = fetcher.fetch(&origin, &Validators::default()).await;
        let event = Event::Fetched(origin, Box::new(fetched));
        if sender.send(event).await.is_err() {
            return;
        }
    }
}
