//! Reads the inputs, and counts them on all processors.
//!
//! One thread reads and unpacks, and sends files and records in batches to the others, each of which has counts of its own.
//! The sums are the same with any number of threads.

use super::count::Count;
use super::files::{FileFacts, FileRow, FileTable};
use super::page;
use super::robots::FileCounter;
use crate::observer::is_shown;
use crate::progress::Progress;
use anyhow::Result;
use robots_archive::Record;
use robots_archive::http::Response;
use robots_pipeline::input::documents::{Content, documents, readable_response};
use robots_pipeline::input::robots_files::{FolderFiles, file_body};
use robots_pipeline::ordered;
use robots_pipeline::robots::fault::RequestFault;
use robots_pipeline::robots_url::is_robots;
use robots_pipeline::text::with_causes;
use robots_pipeline::{Error, RecordProblem, Warning};
use robots_policy::profile::AgentTable;
use robots_txt::Dialect;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The approximate size of a batch, in bytes: 64 KiB. Small, as at the end all threads wait for the one with the last batch.
const BATCH_BYTES: usize = 64 * 1024;

/// An item to be counted.
struct Item {
    /// The path of its file, or of the archive that contains it.
    file: Arc<str>,
    content: ItemContent,
}

/// The content of an item.
enum ItemContent {
    /// A robots.txt that is a file.
    File(Vec<u8>),
    /// A record of an archive.
    Record(Box<Record>),
}

/// Counts all inputs, and adds a row for each robots.txt to a table of files. Also returns the number of inputs that could
/// not be read to their ends.
pub(super) fn count(
    paths: &[impl AsRef<Path> + Sync],
    folder_files: FolderFiles,
    table: &AgentTable,
    dialect: Option<Dialect>,
    threads: usize,
    mut files: Option<&mut FileTable<'_>>,
) -> Result<(Count, usize)> {
    let written_to_stdout = false;
    let progress = Progress::of_files(written_to_stdout);
    let total = Mutex::new(Count::default());
    let wants_rows = files.is_some();
    let mut written = Ok(());
    let unread = ordered::map(
        threads,
        |send_batch| read_all(paths, folder_files, &progress, send_batch),
        || {
            let mut counter = Counter {
                files: FileCounter::new(table, dialect),
                count: Count::default(),
                rows: wants_rows.then(Vec::new),
                progress: &progress,
                total: &total,
            };
            move |batch: Vec<Item>| counter.add(batch)
        },
        |rows| {
            if let Some(files) = &mut files {
                written = rows.iter().try_for_each(|row| files.add(row));
            }
            if written.is_ok() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        },
    );
    progress.finish();
    let unread = unread?;
    written?;
    let total = total.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok((total, unread))
}

/// Passes the documents of all inputs to `send_batch`, in batches, until it returns `Break`. Returns the number of inputs that could
/// not be read to their ends.
fn read_all(
    paths: &[impl AsRef<Path>],
    folder_files: FolderFiles,
    progress: &Progress,
    send_batch: &mut dyn FnMut(Vec<Item>) -> ControlFlow<()>,
) -> usize {
    let mut unread = 0;
    let (mut batch, mut bytes) = (Vec::new(), 0);
    for path in paths {
        let mut send = |item: Item| {
            bytes += match &item.content {
                ItemContent::File(body) => body.len(),
                ItemContent::Record(record) => record.block.len(),
            };
            batch.push(item);
            if bytes < BATCH_BYTES {
                return ControlFlow::Continue(());
            }
            bytes = 0;
            send_batch(std::mem::take(&mut batch))
        };
        let mut failed = |error: Error| {
            // The other inputs are still counted, and the other files of a folder.
            progress.say(&format!("error: {}", with_causes(&error)));
            unread += 1;
        };
        match read(
            path.as_ref(),
            folder_files,
            progress,
            &mut send,
            &mut failed,
        ) {
            Ok(ControlFlow::Continue(())) => {}
            Ok(ControlFlow::Break(())) => return unread,
            Err(error) => failed(error),
        }
    }
    // The result does not matter: no batch follows.
    let _ = send_batch(batch);
    unread
}

/// Passes each document of an input to `send`, until it returns `Break`; and what cannot be read to `failed`.
fn read(
    path: &Path,
    folder_files: FolderFiles,
    progress: &Progress,
    send: &mut dyn FnMut(Item) -> ControlFlow<()>,
    failed: &mut dyn FnMut(Error),
) -> Result<ControlFlow<()>, Error> {
    for document in documents(path, |path| folder_files.contain(path), progress)? {
        let document = match document {
            Ok(document) => document,
            Err(error) => {
                failed(error);
                continue;
            }
        };
        let content = match document.content {
            Content::Record(record) => ItemContent::Record(record),
            Content::File(ref file) => match file_body(&document, file, progress)? {
                Some(body) => ItemContent::File(body),
                None => continue,
            },
        };
        let file = document.file.text;
        if send(Item { file, content }).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// The counts of one thread, which are added to the total at its end.
struct Counter<'a> {
    files: FileCounter<'a>,
    count: Count,
    /// The rows of a batch, if there is a table of files.
    rows: Option<Vec<FileRow>>,
    progress: &'a Progress,
    total: &'a Mutex<Count>,
}

impl Counter<'_> {
    /// Counts a batch. Returns its rows.
    fn add(&mut self, batch: Vec<Item>) -> Vec<FileRow> {
        let items = batch.len() as u64;
        for Item { file, content } in batch {
            let (url, facts) = match content {
                // A file counts as a successful response.
                ItemContent::File(body) => {
                    self.count.add_response("2xx");
                    (None, Some(self.files.count(&body, &mut self.count.robots)))
                }
                ItemContent::Record(record) => {
                    let facts =
                        count_record(&file, &record, &self.files, &mut self.count, self.progress);
                    (record.url, facts)
                }
            };
            if let (Some(rows), Some(facts)) = (&mut self.rows, facts) {
                rows.push(FileRow { file, url, facts });
            }
        }
        self.progress.add(items);
        self.progress.show("counting");
        self.rows.as_mut().map(std::mem::take).unwrap_or_default()
    }
}

impl Drop for Counter<'_> {
    fn drop(&mut self) {
        let mut total = self.total.lock().unwrap_or_else(PoisonError::into_inner);
        total.merge(std::mem::take(&mut self.count));
    }
}

/// Counts a record of an archive: a response for a robots.txt or a page, or a request for a robots.txt that failed. Returns the
/// facts of a robots.txt.
fn count_record(
    file: &str,
    record: &Record,
    files: &FileCounter<'_>,
    count: &mut Count,
    progress: &Progress,
) -> Option<FileFacts> {
    let url = record.url.as_deref()?;
    let is_robots = is_robots(url);
    if is_robots && RequestFault::of(record).is_some() {
        count.add_response("none");
        return None;
    }
    let warn = |problem| {
        let effect = match problem {
            RecordProblem::Unreadable => ", and is not counted",
            RecordProblem::Cut => "; its first part is counted",
            _ => "",
        };
        let warning = Warning::of_record(file, record, problem);
        if is_shown(warning.group()) {
            progress.notice(&format!("warning: {warning}{effect}"));
        }
    };
    let is_counted = |response: &Response<'_>| {
        if is_robots {
            count.add_response(class(response.status()));
        }
        is_robots || response.is_html()
    };
    let response = readable_response(record, is_robots, is_counted, warn)?;
    if !is_robots {
        page::count(&response, &mut count.pages);
        return None;
    }
    Some(files.count(response.unsniffed_body(), &mut count.robots))
}

/// Returns the class of a status, as reports name it.
fn class(status: u16) -> &'static str {
    match status {
        200..=299 => "2xx",
        300..=399 => "3xx",
        400..=499 => "4xx",
        500..=599 => "5xx",
        _ => "other",
    }
}
