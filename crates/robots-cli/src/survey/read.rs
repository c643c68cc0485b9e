//! Reads the inputs, and has what is in them counted by all processors.
//!
//! One thread reads and unpacks; what it finds goes in batches to the others, each of which has a
//! count of its own. How many there are changes nothing in the sums.

use super::count::Count;
use super::page;
use super::robots::Counting;
use crate::fetch::KeptFault;
use crate::inputs;
use crate::progress::Progress;
use crate::robots_book::is_robots;
use crate::robots_files;
use crate::terminal::printable;
use anyhow::Result;
use robots_archive::Record;
use robots_archive::http::Response;
use robots_policy::AgentTable;
use std::path::Path;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// How many bytes go to a counting thread at once, about.
const BATCH_BYTES: usize = 256 * 1024;

/// How many batches may wait.
const WAITING: usize = 8;

/// What was read, to be counted.
enum Found {
    /// A robots.txt that is a file.
    File(Vec<u8>),
    /// A record of an archive.
    Record(Box<Record>),
}

/// Counts all inputs; gives how many could not be read to their ends, too.
pub(super) fn count(
    paths: &[impl AsRef<Path>],
    table: &AgentTable,
    threads: usize,
) -> (Count, usize) {
    let progress = Progress::of_files(false);
    let (sender, receiver) = mpsc::sync_channel::<Vec<Found>>(WAITING);
    let receiver = Mutex::new(receiver);
    let count = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1))
            .map(|_| scope.spawn(|| work(&receiver, table, &progress)))
            .collect();
        let mut batches = Batches {
            sender,
            batch: Vec::new(),
            bytes: 0,
        };
        let mut unread = 0_usize;
        for path in paths {
            if let Err(error) = read(path.as_ref(), &progress, &mut batches) {
                // The other inputs are counted all the same.
                progress.say(&format!("error: {error:#}"));
                unread = unread.saturating_add(1);
            }
        }
        batches.send();
        // The workers end when there is nothing more to come.
        drop(batches);
        let mut count = Count::default();
        for worker in workers {
            match worker.join() {
                Ok(part) => count.merge(part),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        (count, unread)
    });
    progress.finish();
    count
}

/// What waits to be sent.
struct Batches {
    sender: SyncSender<Vec<Found>>,
    batch: Vec<Found>,
    bytes: usize,
}

impl Batches {
    fn add(&mut self, found: Found) {
        let bytes = match &found {
            Found::File(body) => body.len(),
            Found::Record(record) => record.block.len(),
        };
        self.bytes = self.bytes.saturating_add(bytes);
        self.batch.push(found);
        if self.bytes >= BATCH_BYTES {
            self.send();
        }
    }

    fn send(&mut self) {
        self.bytes = 0;
        // It fails if every worker has panicked, which is told when they are joined.
        let _ = self.sender.send(std::mem::take(&mut self.batch));
    }
}

fn read(path: &Path, progress: &Progress, batches: &mut Batches) -> Result<()> {
    let name = path.display().to_string();
    if path.as_os_str() != "-" && path.is_dir() {
        robots_files::visit(path, progress, &mut |file| {
            batches.add(Found::File(file.body.to_vec()));
            Ok(())
        })?;
        return Ok(());
    }
    let file = inputs::open_file(path)?;
    let is_archive =
        inputs::visit_records(&name, &file, &|line| progress.say(line), &mut |record| {
            batches.add(Found::Record(Box::new(record)));
            Ok(())
        })?;
    if !is_archive {
        batches.add(Found::File(robots_files::body(&name, &file)?));
    }
    Ok(())
}

fn work(batches: &Mutex<Receiver<Vec<Found>>>, table: &AgentTable, progress: &Progress) -> Count {
    let counting = Counting::new(table);
    let mut count = Count::default();
    loop {
        let batch = {
            let batches = batches.lock().unwrap_or_else(PoisonError::into_inner);
            batches.recv()
        };
        let Ok(batch) = batch else { return count };
        for found in &batch {
            match found {
                Found::File(body) => {
                    count.answer("2xx");
                    counting.count(body, &mut count.robots);
                }
                Found::Record(record) => of_record(record, &counting, &mut count, progress),
            }
        }
        progress.add(batch.len() as u64);
        progress.show("counting");
    }
}

fn of_record(record: &Record, counting: &Counting<'_>, count: &mut Count, progress: &Progress) {
    let Some(url) = record.url.as_deref() else {
        return;
    };
    let is_robots = is_robots(url);
    if is_robots && KeptFault::of(record).is_some() {
        return count.answer("none");
    }
    if record.kind != "response" {
        return;
    }
    let Ok(response) = Response::parse(&record.block) else {
        let (at, url) = (record.offset, printable(url));
        return progress.say(&format!(
            "warning: at byte {at}: {url}: not an HTTP response"
        ));
    };
    let is_success = (200..=299).contains(&response.status());
    if is_robots {
        count.answer(class(response.status()));
        if is_success && !response.is_unread() {
            counting.count(response.body(), &mut count.robots);
        }
    } else if is_success && response.is_html() && !response.is_unread() {
        page::count(&response, &mut count.pages);
    }
}

fn class(status: u16) -> &'static str {
    match status {
        200..=299 => "2xx",
        300..=399 => "3xx",
        400..=499 => "4xx",
        500..=599 => "5xx",
        _ => "other",
    }
}
