//! A lock for each origin, so that requests to it take turns.

use super::lock;
use robots_policy::origins::Origin;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};

/// The number of locks at which unused ones are removed for the first time.
const FIRST_CLEANING: usize = 1_024;

/// A lock for each origin that a task holds or waits for.
#[derive(Debug, Default)]
pub(super) struct OriginLocks {
    locks: Mutex<Locks>,
}

#[derive(Debug, Default)]
struct Locks {
    by_origin: HashMap<Origin, Weak<tokio::sync::Mutex<()>>>,
    /// The number of locks at which unused ones are removed.
    cleaned_at: usize,
}

impl OriginLocks {
    /// Returns the lock of an origin.
    pub(super) fn of(&self, origin: &Origin) -> Arc<tokio::sync::Mutex<()>> {
        let mut locks = lock(&self.locks);
        if let Some(existing) = locks.by_origin.get(origin).and_then(Weak::upgrade) {
            return existing;
        }
        if locks.by_origin.len() >= locks.cleaned_at {
            locks
                .by_origin
                .retain(|_, existing| existing.strong_count() > 0);
            // Doubled, so that the cost of cleaning stays constant for each new lock.
            locks.cleaned_at = locks.by_origin.len().saturating_mul(2).max(FIRST_CLEANING);
        }
        let new = Arc::new(tokio::sync::Mutex::new(()));
        locks.by_origin.insert(origin.clone(), Arc::downgrade(&new));
        new
    }
}
