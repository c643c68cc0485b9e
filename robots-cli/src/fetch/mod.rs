//! `robots fetch`: sites are asked for their robots.txt, and what they answer is kept as a WARC file.
//!
//! [`sites`] reads the lists, [`capture`] makes records of the answers, [`target`] keeps them, and [`report`]
//! tells of them.

mod capture;
mod report;
mod sites;
mod target;

pub(crate) use capture::KeptFault;

use crate::args::Fetch;
use crate::progress::Progress;
use anyhow::{Context, Result, bail};
use report::Report;
use robots_meta::Timestamp;
use robots_policy::{Fetched, Fetcher, Origin, Validators};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};
use std::vec;
use target::Target;
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{self, Receiver, Sender};

/// The exit code of a run that was interrupted, as shells have it: 128 and the number of the signal.
const INTERRUPTED: u8 = 130;

/// What happens while sites are asked.
enum Event {
    Answer(Origin, Box<Fetched>),
    Interrupt,
}

pub(crate) fn run(args: &Fetch) -> Result<ExitCode> {
    let mut fetcher = Fetcher::builder(&args.user_agent)
        .with_requests_at_once(args.at_once)
        .with_total_timeout(Duration::from_secs(args.timeout));
    if let Some(from) = &args.from {
        fetcher = fetcher.with_from(from);
    }
    if args.allow_private {
        fetcher = fetcher.allow_private_addresses();
    }
    let fetcher = fetcher.build()?;
    let sites = sites::read(&args.sites)?;
    let mut origins = sites.origins;
    if origins.is_empty() {
        bail!("there is no site in the list; nothing was asked");
    }
    let mut target = Target::open(&args.output, args.resume)?;
    let listed = origins.len();
    origins.retain(|origin| !target.has(origin));
    let before = listed.saturating_sub(origins.len());
    let now = Timestamp::from(SystemTime::now()).to_string();
    target.write(&capture::archive_info(
        &args.user_agent,
        args.from.as_deref(),
        &now,
    ))?;

    let is_told = !target.is_stdout();
    let progress = Progress::of_sites(origins.len() as u64, is_told);
    let mut report = Report::new(is_told, args.json);
    let runtime = Runtime::new().context("cannot start")?;
    let mut events = ask(&runtime, &fetcher, origins, args.at_once);
    let mut is_interrupted = false;
    let mut work = || -> Result<()> {
        progress.show("asking");
        while let Some(event) = events.blocking_recv() {
            let Event::Answer(origin, fetched) = event else {
                is_interrupted = true;
                break;
            };
            target.write(&capture::records(&fetched))?;
            report.tell(&origin, &fetched)?;
            progress.add(1);
            progress.show("asking");
        }
        Ok(())
    };
    let worked = work();
    runtime.shutdown_background();
    progress.finish();
    report.summarise(before, sites.refused, is_interrupted);
    worked?;
    Ok(ExitCode::from(if is_interrupted { INTERRUPTED } else { 0 }))
}

/// Asks all sites, so many at once; gives what happens, until it is all done.
fn ask(
    runtime: &Runtime,
    fetcher: &Fetcher,
    origins: Vec<Origin>,
    at_once: usize,
) -> Receiver<Event> {
    let (sender, events) = mpsc::channel(at_once.max(1));
    let interrupts = sender.downgrade();
    runtime.spawn(async move {
        // Where signals cannot be had, the default is left: the program ends.
        if tokio::signal::ctrl_c().await.is_ok()
            && let Some(sender) = interrupts.upgrade()
        {
            sender.send(Event::Interrupt).await.ok();
        }
    });
    let queue = Arc::new(Mutex::new(origins.into_iter()));
    for _ in 0..at_once.max(1) {
        let (queue, fetcher, sender) = (Arc::clone(&queue), fetcher.clone(), sender.clone());
        runtime.spawn(work_off(queue, fetcher, sender));
    }
    events
}

/// Asks one site after the other, until none is left or nobody listens.
async fn work_off(
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
        let answer = Event::Answer(origin, Box::new(fetched));
        if sender.send(answer).await.is_err() {
            return;
        }
    }
}
