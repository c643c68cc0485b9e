//! Stores of the known facts about origins: their trait, and the store in memory.
//!
//! A [`Policy`](crate::Policy) reads and changes these facts through an [`OriginStore`]: in memory
//! ([`MemoryStore`]) unless it is given another one. The crate `robots-crawl` has a store that is also
//! on disk.

mod map;
mod memory;
mod rules_cache;

pub use map::{OriginMap, Weigh};
pub use memory::MemoryStore;
pub use rules_cache::CompiledFiles;
pub(crate) use rules_cache::{FileForm, RulesCache};

pub use crate::input::origin::{has_scheme, requested_target};
pub use crate::input::{Origin, UrlError};

use crate::robots::{LoggedOutcome, OutcomeLog, OutcomeTable, RobotsFetch, RobotsResponse};
use crate::site::{SiteRules, Tdmrep};
use robots_meta::Timestamp;
use std::fmt;
use std::sync::Arc;

/// The known facts about one origin: the outcomes of the requests for its robots.txt, and its tdmrep.json.
#[derive(Debug, Default, Clone)]
pub struct KnownOrigin {
    outcomes: OutcomeLog<SiteRules>,
    tdmrep: Option<Tdmrep>,
}

impl KnownOrigin {
    /// Returns an origin with these outcomes and this tdmrep.json.
    pub const fn new(outcomes: OutcomeLog<SiteRules>, tdmrep: Option<Tdmrep>) -> Self {
        Self { outcomes, tdmrep }
    }

    /// Returns the outcomes of the requests for its robots.txt.
    pub fn outcomes(&self) -> &OutcomeLog<SiteRules> {
        &self.outcomes
    }

    /// Returns its tdmrep.json, if it was learned.
    pub fn tdmrep(&self) -> Option<&Tdmrep> {
        self.tdmrep.as_ref()
    }

    /// Applies a change. `compile` is called if the outcome means rules, as in [`Policy::record`](crate::Policy::record).
    pub fn apply(
        &mut self,
        change: &OriginChange<'_>,
        outcomes: &OutcomeTable,
        compile: impl FnOnce(&[u8]) -> SiteRules,
    ) {
        match change {
            OriginChange::Robots { fetch, at } => {
                let reads = outcomes.reads(fetch);
                self.outcomes
                    .record(fetch, *at, |body| reads.then(|| compile(body)));
            }
            OriginChange::Tdmrep(tdmrep) => self.tdmrep = Some(tdmrep.clone()),
        }
    }
}

impl Weigh for KnownOrigin {
    /// Returns its size in bytes. Files that other origins share are counted in full.
    fn bytes(&self) -> usize {
        let rules: usize = self.outcomes.bodies().map(SiteRules::bytes).sum();
        let outcomes = self.outcomes.iter().len() * size_of::<LoggedOutcome<SiteRules>>();
        size_of::<Self>() + outcomes + rules + self.tdmrep.as_ref().map_or(0, Tdmrep::bytes)
    }
}

/// A change of the facts about an origin.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum OriginChange<'a> {
    /// The outcome of a request for robots.txt.
    Robots {
        /// The outcome.
        fetch: RobotsFetch<'a>,
        /// The time of the request, if it is known.
        at: Option<Timestamp>,
    },
    /// Its tdmrep.json.
    Tdmrep(Tdmrep),
}

impl OriginChange<'_> {
    /// Compiles the body of a successful response. Compiling takes time, so stores do it before they
    /// lock anything.
    pub fn compile(&self, reader: &dyn RobotsReader) -> Option<SiteRules> {
        let Self::Robots { fetch, .. } = self else {
            return None;
        };
        let response = fetch.response().filter(RobotsResponse::is_success);
        response.map(|response| reader.compile(response.body()))
    }
}

/// A reader of robots.txt for one robot under one profile.
pub trait RobotsReader {
    /// Returns the table of outcomes of its profile.
    fn outcomes(&self) -> &OutcomeTable;

    /// Compiles a robots.txt for the robot.
    fn compile(&self, body: &[u8]) -> SiteRules;
}

/// A store of facts about origins, shared between threads.
///
/// The trait is sealed: [`MemoryStore`] implements it, and the store of the crate `robots-crawl`.
pub trait OriginStore: fmt::Debug + Send + Sync + sealed::Sealed {
    /// Returns the facts about an origin, given in its text form (`https://example.com`). `reader` compiles a
    /// robots.txt that the store loads from disk.
    fn get(&self, origin: &str, reader: &dyn RobotsReader) -> Option<Arc<KnownOrigin>>;

    /// Changes the facts about an origin. `reader` compiles the robots.txt of the change, and one that the store loads
    /// from disk.
    fn change(&self, origin: &Origin, change: &OriginChange<'_>, reader: &dyn RobotsReader);

    /// Forgets an origin.
    fn forget(&self, origin: &Origin);

    /// Returns the number of origins in memory.
    fn known_origins(&self) -> usize;
}

#[doc(hidden)]
pub mod sealed {
    /// Implemented by the stores of this workspace alone.
    pub trait Sealed {}
}
