//! The facts that were learned about origins, for one policy or several.

use super::map::{OriginMap, Weigh};
use crate::input::{Origin, Page, UrlError};
use crate::robots::{Cause, LoggedOutcome, OutcomeLog, RobotsFetch};
use crate::site::{SiteRules, Tdmrep};
use robots_meta::Timestamp;
use std::borrow::Cow;
use std::sync::Arc;

/// The known facts about one origin. `B` is the form of a robots.txt: compiled for one robot, or for each of several.
#[derive(Debug, Clone)]
pub(crate) struct KnownOrigin<B> {
    /// The outcomes of the requests for its robots.txt.
    pub(crate) outcomes: OutcomeLog<B>,
    pub(crate) tdmrep: Option<Tdmrep>,
}

impl<B> KnownOrigin<B> {
    /// Returns the page with the tdmrep.json of its origin, unless it has one of its own.
    pub(crate) fn complete<'p>(&'p self, page: &'p Page<'p>) -> Cow<'p, Page<'p>> {
        match &self.tdmrep {
            Some(tdmrep) if page.tdmrep.is_none() => Cow::Owned(page.clone().with_tdmrep(tdmrep)),
            _ => Cow::Borrowed(page),
        }
    }
}

impl<B> Default for KnownOrigin<B> {
    fn default() -> Self {
        Self {
            outcomes: OutcomeLog::new(),
            tdmrep: None,
        }
    }
}

impl<B: Weigh> Weigh for KnownOrigin<B> {
    /// Returns its size in bytes. Files that other origins share are counted in full.
    fn bytes(&self) -> usize {
        let rules: usize = self.outcomes.bodies().map(Weigh::bytes).sum();
        let outcomes = self.outcomes.iter().len() * size_of::<LoggedOutcome<B>>();
        size_of::<Self>() + outcomes + rules + self.tdmrep.as_ref().map_or(0, Tdmrep::bytes)
    }
}

impl Weigh for SiteRules {
    fn bytes(&self) -> usize {
        Self::bytes(self)
    }
}

/// A robots.txt for each of several robots.
impl Weigh for Arc<[Option<SiteRules>]> {
    fn bytes(&self) -> usize {
        let rules: usize = self.iter().flatten().map(SiteRules::bytes).sum();
        size_of_val::<[_]>(self) + rules
    }
}

/// The known facts about many origins, limited in bytes. A URL stands for its origin.
#[derive(Debug)]
pub(crate) struct KnownOrigins<B: Weigh>(OriginMap<KnownOrigin<B>>);

impl<B: Weigh + Clone> KnownOrigins<B> {
    /// Returns an empty store with room for this many bytes.
    pub(crate) const fn new(limit: u64) -> Self {
        Self(OriginMap::new(limit))
    }

    /// Returns the number of origins.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Records the outcome of a request for robots.txt. `compile` returns its rules, if it has any.
    pub(crate) fn learn(
        &self,
        url: &str,
        fetch: &RobotsFetch<'_>,
        at: Option<Timestamp>,
        compile: impl FnOnce() -> Option<B>,
    ) -> Result<(), UrlError> {
        let origin = Origin::of(url)?;
        // The file is compiled before the map is locked.
        let rules = compile();
        self.0.change(
            origin,
            || None,
            |known| known.outcomes.record(fetch, at, |_| rules),
        );
        Ok(())
    }

    /// Records the tdmrep.json.
    pub(crate) fn learn_tdmrep(&self, url: &str, tdmrep: Tdmrep) -> Result<(), UrlError> {
        let learn = |known: &mut KnownOrigin<B>| known.tdmrep = Some(tdmrep);
        self.0.change(Origin::of(url)?, || None, learn);
        Ok(())
    }

    /// Forgets an origin.
    pub(crate) fn forget(&self, url: &str) -> Result<(), UrlError> {
        self.0.remove(&Origin::of(url)?);
        Ok(())
    }

    /// Returns the facts about an origin, if there are any.
    pub(crate) fn get(&self, url: &str) -> Result<Option<Arc<KnownOrigin<B>>>, UrlError> {
        // Most URLs begin with the text of their origin (`https://example.com`). Only the others are parsed.
        let origin = match Origin::as_written(url) {
            Some(origin) => Cow::Borrowed(origin),
            None => Cow::Owned(Origin::of(url)?.to_string()),
        };
        Ok(self.0.get(&origin))
    }

    /// Returns the facts about the origin of a page, or why there are none.
    pub(crate) fn of_page(&self, page: &Page<'_>) -> Result<Arc<KnownOrigin<B>>, Cause> {
        let known = self.get(page.url()).map_err(|_| Cause::NoOrigin)?;
        known.ok_or(Cause::NotFetched)
    }
}
