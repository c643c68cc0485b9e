//! A map from origins to values, limited in bytes.

use crate::input::Origin;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The approximate size of an entry of the map in bytes, without its value and its origin.
pub(super) const ENTRY_BYTES: usize = 64;

/// The capacity of a new map, in entries. It grows as origins are added.
pub(super) const FIRST_CAPACITY: usize = 64;

/// The size of a value in memory.
pub trait Weigh {
    /// Returns the approximate size in bytes.
    fn bytes(&self) -> usize;
}

/// Values of many origins, limited in bytes and shared between threads.
///
/// A look-up is one hash of the origin. When the map is full, it drops origins that were not
/// looked up recently.
#[derive(Debug)]
pub struct OriginMap<T: Weigh> {
    /// The maximum size, in bytes.
    limit: u64,
    entries: OnceLock<Entries<T>>,
}

#[derive(Debug)]
struct Entries<T: Weigh> {
    by_origin: Cache<Origin, Arc<T>, EntryBytes>,
    /// Held while a value changes.
    change: Mutex<()>,
}

impl<T: Weigh> Entries<T> {
    /// Waits for the end of a change. A lock is poisoned if its holder panicked. The values are still complete, as each is replaced
    /// in one step.
    fn lock(&self) -> MutexGuard<'_, ()> {
        self.change.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Weighs an entry by its bytes.
#[derive(Debug, Clone)]
struct EntryBytes;

impl<T: Weigh> Weighter<Origin, Arc<T>> for EntryBytes {
    fn weight(&self, origin: &Origin, value: &Arc<T>) -> u64 {
        (origin.robots_url().len() + value.bytes() + ENTRY_BYTES) as u64
    }
}

impl<T: Weigh + Default + Clone> OriginMap<T> {
    /// Returns an empty map with room for this many bytes.
    pub const fn new(limit: u64) -> Self {
        Self {
            limit,
            entries: OnceLock::new(),
        }
    }

    /// Changes the value of an origin, and returns the new one. `absent` returns the value of an
    /// origin that is not in the map.
    pub fn change(
        &self,
        origin: Origin,
        absent: impl FnOnce() -> Option<Arc<T>>,
        change: impl FnOnce(&mut T),
    ) -> Arc<T> {
        let entries = self.entries.get_or_init(|| Entries {
            by_origin: Cache::with_weighter(FIRST_CAPACITY, self.limit, EntryBytes),
            change: Mutex::new(()),
        });
        let _held = entries.lock();
        let known = entries.by_origin.get(&origin).or_else(absent);
        let mut value = known.map_or_else(T::default, Arc::unwrap_or_clone);
        change(&mut value);
        let value = Arc::new(value);
        entries.by_origin.insert(origin, Arc::clone(&value));
        value
    }

    /// Returns the value of an origin, given in its text form.
    pub fn get(&self, origin: &str) -> Option<Arc<T>> {
        self.entries.get()?.by_origin.get(origin)
    }

    /// Removes an origin.
    pub fn remove(&self, origin: &Origin) {
        if let Some(entries) = self.entries.get() {
            // Not in the midst of a change, which would bring the value back.
            let _held = entries.lock();
            entries.by_origin.remove(origin);
        }
    }

    /// Returns the number of origins.
    pub fn len(&self) -> usize {
        let entries = self.entries.get();
        entries.map_or(0, |entries| entries.by_origin.len())
    }

    /// Returns the approximate size of the entries in bytes.
    pub fn bytes(&self) -> u64 {
        let entries = self.entries.get();
        entries.map_or(0, |entries| entries.by_origin.weight())
    }

    /// Returns whether the map is empty.
    ///
    /// ```
    /// use robots_policy::origins::{Origin, OriginMap, Weigh};
    ///
    /// #[derive(Clone, Default)]
    /// struct Visits(u64);
    ///
    /// impl Weigh for Visits {
    ///     fn bytes(&self) -> usize {
    ///         size_of::<Self>()
    ///     }
    /// }
    ///
    /// let visits = OriginMap::<Visits>::new(10_000);
    /// assert!(visits.is_empty());
    /// let origin = Origin::of("https://example.com/")?;
    /// visits.change(origin, || None, |visits| visits.0 += 1);
    /// assert!(!visits.is_empty());
    /// # Ok::<(), robots_policy::origins::UrlError>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
