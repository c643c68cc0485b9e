//! Reads the inputs, and counts them on all processors.
//!
//! One thread reads and unpacks, and sends files and records in batches to the others, each of which has counts of its own.
//! The sums are the same with any number of threads.

use super::count::Count;
use super::page;
use super::robots::FileCounter;
use crate::progress::Progress;
use crate::terminal::printable;
use anyhow::Result;
use robots_archive::Record;
use robots_archive::http::Response;
use robots_pipeline::input::{self, robots_files};
use robots_pipeline::ordered;
use robots_pipeline::robots::fault::RequestFault;
use robots_pipeline::robots_url::is_robots;
use robots_policy::profile::AgentTable;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The approximate size of a batch, in bytes: 256 KiB.
const BATCH_BYTES: usize = 256 * 1024;

/// An item to be counted.
enum Item {
    /// A robots.txt that is a file.
    File(Vec<u8>),
    /// A record of an archive.
    Record(Box<Record>),
}

/// Counts all inputs. Also returns the number of inputs that could not be read to their ends.
pub(super) fn count(
    paths: &[impl AsRef<Path> + Sync],
    table: &AgentTable,
    threads: usize,
) -> (Count, usize) {
    let progress = Progress::of_files(false);
    let total = Mutex::new(Count::default());
    let unread = ordered::map(
        threads,
        |give| read_all(paths, &progress, give),
        || {
            let mut counter = Counter {
                files: FileCounter::new(table),
                count: Count::default(),
                progress: &progress,
                total: &total,
            };
            move |batch: Vec<Item>| counter.add(&batch)
        },
        |()| ControlFlow::Continue(()),
    );
    progress.finish();
    let total = total.into_inner().unwrap_or_else(PoisonError::into_inner);
    (total, unread)
}

/// Passes the items of all inputs to `give`, in batches. Returns the number of inputs that could not be read to their ends.
fn read_all(
    paths: &[impl AsRef<Path>],
    progress: &Progress,
    give: &mut dyn FnMut(Vec<Item>) -> ControlFlow<()>,
) -> usize {
    let mut batches = Batches {
        give,
        batch: Vec::new(),
        bytes: 0,
    };
    let mut unread = 0_usize;
    for path in paths {
        if let Err(error) = read(path.as_ref(), progress, &mut batches) {
            // The other inputs are still counted.
            progress.say(&format!("error: {error:#}"));
            unread = unread.saturating_add(1);
        }
    }
    batches.send();
    unread
}

/// A collector of items into batches.
struct Batches<'g> {
    give: &'g mut dyn FnMut(Vec<Item>) -> ControlFlow<()>,
    batch: Vec<Item>,
    bytes: usize,
}

impl Batches<'_> {
    fn add(&mut self, item: Item) {
        let bytes = match &item {
            Item::File(body) => body.len(),
            Item::Record(record) => record.block.len(),
        };
        self.bytes = self.bytes.saturating_add(bytes);
        self.batch.push(item);
        if self.bytes >= BATCH_BYTES {
            self.send();
        }
    }

    fn send(&mut self) {
        self.bytes = 0;
        // It fails only if a worker has panicked, and its panic reaches the caller.
        let _ = (self.give)(std::mem::take(&mut self.batch));
    }
}

fn read(path: &Path, progress: &Progress, batches: &mut Batches) -> Result<()> {
    let name = path.display().to_string();
    if path.as_os_str() != "-" && path.is_dir() {
        robots_files::visit(path, progress, &mut |file| {
            batches.add(Item::File(file.body.to_vec()));
            anyhow::Ok(())
        })?;
        return Ok(());
    }
    let file = input::open_file(path)?;
    let is_archive = input::visit_records(&name, &file, progress, &mut |record| {
        batches.add(Item::Record(Box::new(record)));
        anyhow::Ok(())
    })?;
    if !is_archive {
        batches.add(Item::File(robots_files::body(&name, &file)?));
    }
    Ok(())
}

/// The counts of one thread, which are added to the total at its end.
struct Counter<'a> {
    files: FileCounter<'a>,
    count: Count,
    progress: &'a Progress,
    total: &'a Mutex<Count>,
}

impl Counter<'_> {
    fn add(&mut self, batch: &[Item]) {
        for item in batch {
            match item {
                Item::File(body) => {
                    self.count.response("2xx");
                    self.files.count(body, &mut self.count.robots);
                }
                Item::Record(record) => {
                    count_record(record, &self.files, &mut self.count, self.progress);
                }
            }
        }
        self.progress.add(batch.len() as u64);
        self.progress.show("counting");
    }
}

impl Drop for Counter<'_> {
    fn drop(&mut self) {
        let mut total = self.total.lock().unwrap_or_else(PoisonError::into_inner);
        total.merge(std::mem::take(&mut self.count));
    }
}

fn count_record(record: &Record, files: &FileCounter<'_>, count: &mut Count, progress: &Progress) {
    let Some(url) = record.url.as_deref() else {
        return;
    };
    let is_robots = is_robots(url);
    if is_robots && RequestFault::of(record).is_some() {
        return count.response("none");
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
        count.response(class(response.status()));
        if is_success && !response.is_unread() {
            files.count(response.body(), &mut count.robots);
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
