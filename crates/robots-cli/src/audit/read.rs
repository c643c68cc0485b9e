//! Reads logs, and judges them on all processors.
//!
//! One thread reads, unpacks, and cuts the bytes into blocks of whole lines. The other threads judge blocks; their
//! counts are added in the order of the blocks.

use super::count::{Count, LogPosition};
use super::judge::{Judge, Settings};
use super::log::{BadLine, Directives, MAX_LINE_BYTES};
use crate::progress::Progress;
use anyhow::{Context, Result};
use robots_pipeline::input::lines;
use robots_pipeline::ordered;
use robots_pipeline::text::path_text;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// The approximate size of a block, in bytes: 2 MiB.
const BLOCK: usize = 2 * 1024 * 1024;

/// The number of bytes that are kept of a line that is too long, to show it.
const MAX_SHOWN_BYTES: usize = 1_024;

/// Whole lines of a log.
struct Block {
    /// The index of the log.
    file: usize,
    bytes: Vec<u8>,
    /// The directives before the block, in a log in the W3C extended format.
    directives: Directives,
    /// The start of the line before the block, if it was too long, and skipped.
    long_line: Option<Vec<u8>>,
}

/// Counts the requests of all logs. Also returns the number of logs that could not be read to their ends.
pub(super) fn count(
    paths: &[PathBuf],
    settings: &Settings<'_>,
    threads: usize,
) -> Result<(Count, usize)> {
    let written_to_stdout = false;
    let progress = Progress::of_bytes(written_to_stdout);
    let is_known = |token: &str| settings.table.get(token).is_some();
    let mut total = Count::default();
    // The log that is counted at present, and the number of its lines that were counted.
    let (mut current, mut lines_before) = (0, 0);
    let unread = ordered::map(
        threads,
        |send_block| cut_all(paths, &progress, send_block),
        || {
            let mut judge = Judge::new(settings);
            let progress = &progress;
            move |block: Block| {
                let (lines, count) = judge_block(&mut judge, &block, progress);
                (block.file, lines, count)
            }
        },
        |(file, lines, count)| {
            if file != current {
                (current, lines_before) = (file, 0);
                total.start_log();
            }
            total.join(count, lines_before, is_known);
            lines_before += lines;
            ControlFlow::Continue(())
        },
    );
    progress.finish();
    Ok((total, unread?))
}

/// Cuts all logs into blocks, and passes them to `send_block`. Returns the number of logs that could not be read to their ends.
fn cut_all(
    paths: &[PathBuf],
    progress: &Progress,
    send_block: &mut dyn FnMut(Block) -> ControlFlow<()>,
) -> usize {
    let mut unread = 0_usize;
    for (file, path) in paths.iter().enumerate() {
        let mut cutter = Cutter {
            send_block: &mut *send_block,
            file,
            rest: Vec::new(),
            directives: Directives::default(),
        };
        let read = lines::open(path)
            .map_err(anyhow::Error::from)
            .and_then(|mut log| {
                cutter
                    .cut(&mut log)
                    .with_context(|| format!("cannot continue reading {}", path_text(path)))
            });
        if let Err(error) = read {
            progress.say(&format!("error: {error:#}"));
            unread += 1;
        }
    }
    unread
}

/// A cutter of a log into blocks.
struct Cutter<'h> {
    send_block: &'h mut dyn FnMut(Block) -> ControlFlow<()>,
    /// The index of the log.
    file: usize,
    /// The start of a line whose end is still to be read.
    rest: Vec<u8>,
    /// The directives so far.
    directives: Directives,
}

impl Cutter<'_> {
    /// Reads a log to its end, and sends its blocks. A line that is longer than the limit is skipped.
    fn cut(&mut self, log: &mut dyn Read) -> std::io::Result<()> {
        // The start of a line that is skipped, to which the next bytes belong.
        let mut long_line: Option<Vec<u8>> = None;
        loop {
            let mut bytes = Vec::with_capacity(BLOCK + self.rest.len());
            bytes.append(&mut self.rest);
            // The bytes before a read error are judged.
            let read = (&mut *log).take(BLOCK as u64).read_to_end(&mut bytes);
            // A log ends where nothing more is read, or reading fails.
            let is_end = !matches!(read, Ok(1..));
            if long_line.is_some() {
                let end = memchr::memchr(b'\n', &bytes);
                if end.is_none() && !is_end {
                    // All of these bytes belong to the line.
                    continue;
                }
                // At the end of the log, nothing follows the line.
                bytes.drain(..end.map_or(bytes.len(), |end| end + 1));
            }
            let skipped = long_line.take();
            if !is_end {
                let end = memchr::memrchr(b'\n', &bytes).map_or(0, |end| end + 1);
                self.rest = bytes.split_off(end);
            }
            self.send(bytes, skipped);
            if self.rest.len() > MAX_LINE_BYTES {
                // A directive that is skipped may have listed other columns.
                if self.rest.starts_with(b"#") {
                    self.directives.forget();
                }
                self.rest.truncate(MAX_SHOWN_BYTES);
                long_line = Some(std::mem::take(&mut self.rest));
            }
            if is_end {
                return read.map(drop);
            }
        }
    }

    fn send(&mut self, bytes: Vec<u8>, long_line: Option<Vec<u8>>) {
        if bytes.is_empty() && long_line.is_none() {
            return;
        }
        let directives = self.directives.clone();
        self.directives.read_all(&bytes);
        // The result is always to continue: the receiver takes all blocks.
        let _ = (self.send_block)(Block {
            file: self.file,
            bytes,
            directives,
            long_line,
        });
    }
}

/// Judges and counts the lines of a block. Also returns their number, with a skipped line before the block.
fn judge_block(judge: &mut Judge<'_>, block: &Block, progress: &Progress) -> (u64, Count) {
    let mut count = Count::default();
    let mut lines = 0_u64;
    if let Some(line) = &block.long_line {
        lines = 1;
        count.lines = 1;
        let log = block.file;
        count.add_bad_line(BadLine::TooLong, LogPosition { log, line: 1 }, line);
    }
    judge.count_lines(
        block.file,
        &block.bytes,
        block.directives.clone(),
        &mut lines,
        &mut count,
    );
    progress.add(block.bytes.len() as u64);
    progress.show("auditing");
    (lines, count)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;

    /// Returns the blocks of a log: their lines, and whether a line that is too long precedes them.
    fn blocks(log: &[u8]) -> Vec<(Vec<u8>, bool)> {
        let mut found = Vec::new();
        let mut send_block = |block: Block| {
            let long_line = block.long_line;
            assert!(
                long_line
                    .as_ref()
                    .is_none_or(|line| *line == b"x".repeat(MAX_SHOWN_BYTES))
            );
            found.push((block.bytes, long_line.is_some()));
            ControlFlow::Continue(())
        };
        let mut cutter = Cutter {
            send_block: &mut send_block,
            file: 0,
            rest: Vec::new(),
            directives: Directives::default(),
        };
        cutter.cut(&mut &*log).unwrap();
        found
    }

    #[test]
    fn blocks_have_whole_lines() {
        let line = [b"a".repeat(99).as_slice(), b"\n"].concat();
        let log = line.repeat(100_000);
        let found = blocks(&log);
        // 10 MB are five blocks of about 2 MiB.
        assert_eq!(found.len(), 5);
        assert!(
            found
                .iter()
                .all(|(bytes, long)| bytes.ends_with(b"\n") && !long)
        );
        assert_eq!(
            found
                .into_iter()
                .flat_map(|(bytes, _)| bytes)
                .collect::<Vec<_>>(),
            log
        );
        assert_eq!(blocks(b""), []);
        assert_eq!(
            blocks(b"a\nb"),
            [(b"a\n".to_vec(), false), (b"b".to_vec(), false)]
        );
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped() {
        let long = b"x".repeat(BLOCK * 3);
        let log = [b"a\n".as_slice(), &long, b"\nb\n"].concat();
        let found = blocks(&log);
        assert_eq!(found, [(b"a\n".to_vec(), false), (b"b\n".to_vec(), true)]);
        assert_eq!(blocks(&long), [(Vec::new(), true)]);
        let at_the_end = [b"a\n".as_slice(), &long, b"\n"].concat();
        assert_eq!(
            blocks(&at_the_end),
            [(b"a\n".to_vec(), false), (Vec::new(), true)]
        );
    }
}
