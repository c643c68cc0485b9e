//! What a run needs of the system: an open standard output, and for an async runtime files and threads.

use anyhow::{Context, Result, ensure};
use std::io::{self, pipe};
use std::sync::RwLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// The number of threads that a runtime starts at least.
const THREADS: usize = 4;

/// The number of pipes, each of two files, in place of the files that a runtime opens at once.
const PIPES: usize = 4;

/// Whether standard output was closed when the program started, or was open for reading alone.
static IS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Notes whether standard output can be written. Call it before `main`: the standard library then opens `/dev/null` in place of
/// a closed standard output, and takes what is written to one that is open for reading alone as written.
#[cfg(unix)]
pub fn note_standard_output() {
    use std::os::fd::AsFd;
    /// The number of the error of a file that is closed, or open for reading alone (`EBADF`).
    const BAD_FILE: i32 = 9;
    let copy = io::stdout().as_fd().try_clone_to_owned();
    let written = copy.and_then(|copy| io::Write::write(&mut std::fs::File::from(copy), &[]));
    let is_closed = written.is_err_and(|error| error.raw_os_error() == Some(BAD_FILE));
    IS_CLOSED.store(is_closed, Ordering::Relaxed);
}

/// Checks what every run needs: standard output.
pub(crate) fn check() -> Result<()> {
    ensure!(
        !IS_CLOSED.load(Ordering::Relaxed),
        "standard output is closed or cannot be written: redirect it, for example to a file"
    );
    Ok(())
}

/// Checks what an async runtime of one thread needs. Its parts panic if they are refused a thread, or the files by which signals
/// come.
pub(crate) fn check_for_runtime() -> Result<()> {
    check_for(THREADS, PIPES)
}

/// Checks what an async runtime with a thread for each processor needs.
pub(crate) fn check_for_threaded_runtime() -> Result<()> {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    check_for(workers + THREADS, 4 * PIPES)
}

/// Checks that the system lets the process open pipes and start threads, all at once.
fn check_for(threads: usize, pipes: usize) -> Result<()> {
    let opened: io::Result<Vec<_>> = (0..pipes).map(|_| pipe()).collect();
    opened.context("the system does not let the program open its files: raise `ulimit -n`")?;
    let gate = RwLock::new(());
    let closed = gate.write();
    thread::scope(|scope| {
        let started: io::Result<Vec<_>> = (0..threads)
            .map(|_| thread::Builder::new().spawn_scoped(scope, || drop(gate.read())))
            .collect();
        drop(closed);
        started.map(drop)
    })
    .context("the system does not let the program start its threads: raise `ulimit -u` or pids.max")
}
