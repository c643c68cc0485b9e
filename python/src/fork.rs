//! Forks of the process: a child has none of the threads of its parent, and a lock that one of them held stays locked there.
//!
//! So a fork waits for the calls that may hold locks of objects which threads share, and calls wait for the fork. A long call
//! begins and ends with each of its steps. The threads that read archives are not waited for: their books are unusable in
//! the child ([`Readers`]), as are their iterators.

use crate::error::ArchiveError;
use pyo3::marker::Ungil;
use pyo3::prelude::*;
use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Calls read it, and forks write it.
static CALLS: RwLock<()> = RwLock::new(());

/// The number of forks that led to this process.
static FORKS: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// What a thread that forks has locked.
    static FORKING: RefCell<Option<RwLockWriteGuard<'static, ()>>> = const { RefCell::new(None) };
}

/// A call, or a step of one. No process is forked until it ends.
pub(crate) struct Call(
    #[allow(dead_code, reason = "held until it is dropped")] RwLockReadGuard<'static, ()>,
);

impl Call {
    /// Waits for a fork. The thread must be detached from the interpreter, and must not be in a call.
    pub(crate) fn begin() -> Self {
        Self(CALLS.read().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Does work as one call, detached from the interpreter.
pub(crate) fn detached<T: Ungil>(py: Python<'_>, work: impl Send + FnOnce() -> T) -> T {
    py.detach(|| {
        let _call = Call::begin();
        work()
    })
}

/// Waits for the calls of other threads, and stops new ones. The package calls it before each fork.
#[pyfunction(name = "_before_fork")]
pub(crate) fn before_fork(py: Python<'_>) {
    py.detach(|| {
        let calls = CALLS.write().unwrap_or_else(PoisonError::into_inner);
        FORKING.set(Some(calls));
    });
}

/// Lets calls begin again. The package calls it after each fork, in both processes.
#[pyfunction(name = "_after_fork")]
pub(crate) fn after_fork(is_child: bool) {
    if is_child {
        FORKS.fetch_add(1, Ordering::Relaxed);
        crate::archive::forget_reads();
    }
    FORKING.take();
}

/// The threads that use a book in the background.
#[derive(Debug, Default)]
pub(crate) struct Readers {
    count: AtomicUsize,
    /// The process in which the last of them began, as a number of forks.
    process: AtomicU32,
}

/// A thread that uses a book, until it is dropped.
pub(crate) struct Reader(Arc<Readers>);

impl Readers {
    /// Checks that no thread of another process used the book at a fork: it may have left locks.
    ///
    /// Must be called while attached to the interpreter, so that no fork comes in between.
    pub(crate) fn check(&self) -> PyResult<()> {
        let is_of_parent = self.process.load(Ordering::Relaxed) != FORKS.load(Ordering::Relaxed);
        if is_of_parent && self.count.load(Ordering::Relaxed) > 0 {
            return Err(ArchiveError::new_err(
                "the book was in use at a fork of the process: load it in the child, from its bytes or pickle, or fork before",
            ));
        }
        Ok(())
    }

    /// Adds a reader. Must be called as `check`.
    pub(crate) fn add(self: &Arc<Self>) -> PyResult<Reader> {
        self.check()?;
        let process = FORKS.load(Ordering::Relaxed);
        self.process.store(process, Ordering::Relaxed);
        self.count.fetch_add(1, Ordering::Relaxed);
        Ok(Reader(Arc::clone(self)))
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.0.count.fetch_sub(1, Ordering::Relaxed);
    }
}
