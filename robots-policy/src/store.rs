//! What is known of each origin, in memory.

use crate::origin::Origin;
use crate::outcome::{Cause, History};
use crate::robots::Robots;
use crate::site::SiteRules;
use crate::tdmrep::Tdmrep;
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

/// What is known of many origins, shared between threads.
///
/// A look-up is one hash of the origin; states are cheap to clone. There is no bound: an origin is
/// kept until the store is dropped.
#[derive(Debug, Default)]
pub(crate) struct Store {
    sites: RwLock<HashMap<Origin, Site>>,
}

/// What is known of one origin.
#[derive(Debug, Default)]
pub(crate) struct Site {
    pub(crate) history: History<SiteRules>,
    pub(crate) tdmrep: Option<Tdmrep>,
}

impl Store {
    /// Changes what is known of an origin. A change must not panic half-way.
    pub(crate) fn change(&self, origin: Origin, change: impl FnOnce(&mut Site)) {
        // A poisoned lock is one whose holder panicked while it held it: nothing here does, and a
        // map is whole between two calls.
        let mut sites = self.sites.write().unwrap_or_else(PoisonError::into_inner);
        change(sites.entry(origin).or_default());
    }

    /// What is known of an origin, given as it prints.
    pub(crate) fn get(
        &self,
        origin: &str,
        get: impl FnOnce(&Site) -> (Robots, Option<Tdmrep>),
    ) -> (Robots, Option<Tdmrep>) {
        let sites = self.sites.read().unwrap_or_else(PoisonError::into_inner);
        match sites.get(origin) {
            Some(site) => get(site),
            None => (Robots::Unknown(Cause::NotFetched), None),
        }
    }
}
