//! Reads logs, and has them judged by all processors.
//!
//! One thread reads and unpacks, and cuts what it reads into blocks of whole lines; the others judge
//! them, and one more joins what these counted, in the order of the blocks.

use super::count::Count;
use super::judge::{Judge, Terms};
use super::log::{Fault, LONGEST_LINE};
use crate::inputs;
use crate::progress::Progress;
use anyhow::Context;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// How many bytes are judged at once, about.
const BLOCK: usize = 2 * 1024 * 1024;

/// How many blocks may wait.
const WAITING: usize = 4;

/// Whole lines of a file, with their number in the order of all.
struct Block {
    number: u64,
    file: usize,
    bytes: Vec<u8>,
    /// Whether a line that is too long stands before them.
    is_behind_long: bool,
}

/// What a block has.
struct Counted {
    number: u64,
    file: usize,
    lines: u64,
    count: Count,
}

/// What is counted of all logs, and how many could not be read to their ends.
pub(super) fn count(paths: &[PathBuf], terms: &Terms<'_>, threads: usize) -> (Count, usize) {
    let progress = Progress::of_bytes(false);
    let (blocks, waiting) = mpsc::sync_channel::<Block>(WAITING);
    let waiting = Mutex::new(waiting);
    let (counted, all) = mpsc::channel::<Counted>();
    let result = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1))
            .map(|_| {
                let counted = counted.clone();
                let (waiting, progress) = (&waiting, &progress);
                scope.spawn(move || work(waiting, terms, &counted, progress))
            })
            .collect();
        drop(counted);
        let joined = scope.spawn(move || join(&all, terms));
        let mut cutter = Cutter {
            blocks,
            number: 0,
            rest: Vec::new(),
        };
        let mut unread = 0_usize;
        for (file, path) in paths.iter().enumerate() {
            let read = inputs::open_lines(path).and_then(|mut log| {
                cutter
                    .file(file, &mut log)
                    .with_context(|| format!("cannot read on in {}", path.display()))
            });
            if let Err(error) = read {
                progress.say(&format!("error: {error:#}"));
                unread = unread.saturating_add(1);
            }
        }
        // The workers end when there is nothing more to come.
        drop(cutter);
        for worker in workers {
            if let Err(panic) = worker.join() {
                std::panic::resume_unwind(panic);
            }
        }
        match joined.join() {
            Ok(count) => (count, unread),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    });
    progress.finish();
    result
}

/// Cuts files into blocks.
struct Cutter {
    blocks: SyncSender<Block>,
    number: u64,
    /// The start of a line whose end is yet to be read.
    rest: Vec<u8>,
}

impl Cutter {
    fn file(&mut self, file: usize, log: &mut dyn Read) -> std::io::Result<()> {
        self.rest.clear();
        let mut is_in_long = false;
        loop {
            let mut bytes = Vec::with_capacity(BLOCK.saturating_add(self.rest.len()));
            bytes.append(&mut self.rest);
            // What was read before something went wrong is judged.
            let read = (&mut *log).take(BLOCK as u64).read_to_end(&mut bytes);
            let is_end = !matches!(read, Ok(1..));
            let mut is_behind_long = false;
            if is_in_long {
                let Some(end) = memchr::memchr(b'\n', &bytes).filter(|_| !bytes.is_empty()) else {
                    if is_end {
                        self.send(file, Vec::new(), true);
                        return read.map(drop);
                    }
                    continue;
                };
                bytes.drain(..=end);
                (is_in_long, is_behind_long) = (false, true);
            }
            if !is_end {
                let end = memchr::memrchr(b'\n', &bytes).map_or(0, |end| end.saturating_add(1));
                self.rest = bytes.split_off(end);
                if self.rest.len() > LONGEST_LINE {
                    self.rest.clear();
                    is_in_long = true;
                }
            }
            self.send(file, bytes, is_behind_long);
            if is_end {
                return read.map(drop);
            }
        }
    }

    fn send(&mut self, file: usize, bytes: Vec<u8>, is_behind_long: bool) {
        if bytes.is_empty() && !is_behind_long {
            return;
        }
        // It fails if every worker has panicked, which is told when they are joined.
        let _ = self.blocks.send(Block {
            number: self.number,
            file,
            bytes,
            is_behind_long,
        });
        self.number = self.number.saturating_add(1);
    }
}

fn work(
    blocks: &Mutex<Receiver<Block>>,
    terms: &Terms<'_>,
    counted: &Sender<Counted>,
    progress: &Progress,
) {
    let mut judge = Judge::new(terms);
    loop {
        let block = {
            let blocks = blocks.lock().unwrap_or_else(PoisonError::into_inner);
            blocks.recv()
        };
        let Ok(block) = block else { return };
        let mut count = Count::default();
        let mut lines = 0_u64;
        if block.is_behind_long {
            lines = 1;
            count.lines = 1;
            count.broken.insert(Fault::TooLong, (1, (block.file, 1)));
        }
        judge.block(block.file, &block.bytes, &mut lines, &mut count);
        progress.add(block.bytes.len() as u64);
        progress.show("auditing");
        let _ = counted.send(Counted {
            number: block.number,
            file: block.file,
            lines,
            count,
        });
    }
}

/// Joins the counts in the order of their blocks.
fn join(counted: &Receiver<Counted>, terms: &Terms<'_>) -> Count {
    let mut all = Count::default();
    let mut early: BTreeMap<u64, Counted> = BTreeMap::new();
    let mut next = 0_u64;
    let (mut file, mut base) = (0_usize, 0_u64);
    for counted in counted {
        early.insert(counted.number, counted);
        while let Some(block) = early.remove(&next) {
            if block.file != file {
                (file, base) = (block.file, 0);
            }
            all.join(block.count, base, |token| terms.table.get(token).is_some());
            base = base.saturating_add(block.lines);
            next = next.saturating_add(1);
        }
    }
    all
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;

    /// The blocks of a log: lines, and whether a long one was passed over.
    fn blocks(log: &[u8]) -> Vec<(Vec<u8>, bool)> {
        let (blocks, all) = mpsc::sync_channel(1_000);
        let mut cutter = Cutter {
            blocks,
            number: 0,
            rest: Vec::new(),
        };
        cutter.file(0, &mut &*log).unwrap();
        drop(cutter);
        all.iter()
            .map(|block| (block.bytes, block.is_behind_long))
            .collect()
    }

    #[test]
    fn blocks_have_whole_lines() {
        let line = [b"a".repeat(99).as_slice(), b"\n"].concat();
        let log = line.repeat(100_000);
        let found = blocks(&log);
        assert!(found.len() > 3);
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
    fn a_line_that_is_too_long_is_passed_over() {
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
