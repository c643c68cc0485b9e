//! A lock for each origin, so that requests to it take turns.

use robots_policy::origins::Origin;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The number of locks at which unused ones are removed for the first time.
const FIRST_CLEANING: usize = 1_024;

/// A lock for each origin that a task holds or waits for. A lock has a value, which holders pass on to those that wait.
#[derive(Debug, Default)]
pub(crate) struct OriginLocks<T = ()> {
    locks: Mutex<Locks<T>>,
}

#[derive(Debug, Default)]
struct Locks<T> {
    by_origin: HashMap<Origin, Weak<tokio::sync::Mutex<T>>>,
    /// The number of locks at which unused ones are removed.
    cleaned_at: usize,
}

impl<T: Default> OriginLocks<T> {
    /// Returns the lock of an origin.
    pub(crate) fn of(&self, origin: &Origin) -> Arc<tokio::sync::Mutex<T>> {
        // The data is valid even if a thread panicked while it held the lock.
        let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(existing) = locks.by_origin.get(origin).and_then(Weak::upgrade) {
            return existing;
        }
        if locks.by_origin.len() >= locks.cleaned_at {
            locks
                .by_origin
                .retain(|_, existing| existing.strong_count() > 0);
            // Doubled, so that the cost of cleaning stays constant for each new lock.
            locks.cleaned_at = (locks.by_origin.len() * 2).max(FIRST_CLEANING);
        }
        let new = Arc::new(tokio::sync::Mutex::new(T::default()));
        locks.by_origin.insert(origin.clone(), Arc::downgrade(&new));
        new
    }
}
