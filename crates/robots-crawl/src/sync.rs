//! Locks, and functions of the caller.

use robots_policy::origins::Origin;
use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The number of values at which unused ones are removed for the first time.
const FIRST_CLEANING: usize = 1_024;

/// Locks data that is valid even if a thread panicked while it held the lock.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A function of the caller, for a struct that implements `Debug`.
pub(crate) struct Function<F: ?Sized>(pub(crate) Box<F>);

impl<F: ?Sized> fmt::Debug for Function<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a function")
    }
}

/// Values by key. Each exists while it is used.
#[derive(Debug)]
pub(crate) struct InUse<K, V> {
    by_key: HashMap<K, Weak<V>>,
    /// The number of values at which unused ones are removed.
    cleaned_at: usize,
}

impl<K, V> Default for InUse<K, V> {
    fn default() -> Self {
        Self {
            by_key: HashMap::new(),
            cleaned_at: FIRST_CLEANING,
        }
    }
}

impl<K: Clone + Eq + Hash, V> InUse<K, V> {
    /// Returns the value of a key, which `new` makes if it is not in use.
    pub(crate) fn of(&mut self, key: &K, new: impl FnOnce() -> V) -> Arc<V> {
        if let Some(existing) = self.by_key.get(key).and_then(Weak::upgrade) {
            return existing;
        }
        if self.by_key.len() >= self.cleaned_at {
            self.by_key
                .retain(|_, existing| existing.strong_count() > 0);
            // Doubled, so that the cost of cleaning stays constant for each new value.
            self.cleaned_at = (self.by_key.len() * 2).max(FIRST_CLEANING);
        }
        let new = Arc::new(new());
        self.by_key.insert(key.clone(), Arc::downgrade(&new));
        new
    }

    /// Returns the number of users of a key's value.
    pub(crate) fn users(&self, key: &K) -> usize {
        self.by_key.get(key).map_or(0, Weak::strong_count)
    }
}

/// A lock for each origin, so that requests to it take turns. A lock has a value, which holders pass on to those that wait.
#[derive(Debug, Default)]
pub(crate) struct OriginLocks<T = ()>(Mutex<InUse<Origin, tokio::sync::Mutex<T>>>);

impl<T: Default> OriginLocks<T> {
    /// Returns the lock of an origin.
    pub(crate) fn of(&self, origin: &Origin) -> Arc<tokio::sync::Mutex<T>> {
        lock(&self.0).of(origin, tokio::sync::Mutex::default)
    }
}
