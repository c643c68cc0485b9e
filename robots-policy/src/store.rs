//! What is known of the robots.txt of each origin, in memory.

use crate::origin::Origin;
use crate::outcome::{Cause, Robots};
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

/// The states of many origins' robots.txt, shared between threads.
///
/// A look-up is one hash of the origin; states are cheap to clone. There is no bound: an origin is
/// kept until the store is dropped.
#[derive(Debug, Default)]
pub(crate) struct Store {
    states: RwLock<HashMap<Origin, Robots>>,
}

impl Store {
    pub(crate) fn insert(&self, origin: Origin, robots: Robots) {
        // A poisoned lock is one whose holder panicked while it held it: nothing here does, and a
        // map is whole between two calls.
        self.states
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(origin, robots);
    }

    pub(crate) fn robots(&self, origin: &Origin) -> Robots {
        self.states
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(origin)
            .cloned()
            .unwrap_or(Robots::Unknown(Cause::NotFetched))
    }
}
