//! The evidence of a decision: the robots.txt that was in force and the page, by time, digest and place, and the profile and the
//! version that decided. Its values are columns of rows (`docs/columns.md`). The statements that decided are the reasons of the decision.
//!
//! With it, [`verify`](fn@crate::verify) decides again from the archived bytes, and compares.

pub(crate) mod columns;
pub(crate) mod page_digests;
pub(crate) mod terms;

pub use crate::robots::capture_source::CaptureSource;

use crate::robots::capture_source::DecisionSources;
use crate::robots::policy_text::PolicyText;
use robots_archive::{PayloadDigest, sha256};
use robots_meta::Timestamp;
use robots_policy::profile::AgentTable;
use robots_policy::{Policies, Policy};
use terms::{LICENSE, TDMREP, Terms};

/// The version of the columns: it changes when one is removed or changes its meaning.
pub const VERSION: u32 = 1;

/// What all decisions of a run have in common.
#[derive(Debug)]
pub(crate) struct RunFacts {
    /// The time as of which pages are decided.
    pub(crate) decided_at: Option<Timestamp>,
    /// The digest of each policy.
    pub(crate) profile_digests: Vec<String>,
    /// The date of the table of robots.
    pub(crate) agents_date: &'static str,
}

impl RunFacts {
    pub(crate) fn new(policies: &Policies, decided_at: Option<Timestamp>) -> Self {
        Self {
            decided_at,
            profile_digests: policies.iter().map(profile_digest).collect(),
            agents_date: AgentTable::built_in().date(),
        }
    }

    /// Returns the evidence of a decision under the policy of an index.
    pub(crate) fn evidence<'a>(
        &'a self,
        policy: usize,
        sources: &'a DecisionSources,
        captured_at: Option<Timestamp>,
        payload: Option<&'a PayloadDigest>,
    ) -> Evidence<'a> {
        let profile_digest = self.profile_digests.get(policy);
        Evidence {
            sources,
            captured_at,
            payload,
            run: self,
            profile_digest: profile_digest.map_or("", String::as_str),
        }
    }
}

/// Returns the SHA-256 of all that a policy decides by: its robot, its profile, its dialect, and whether pages are read as with
/// scripts.
pub fn profile_digest(policy: &Policy) -> String {
    let facts = (PolicyText::of(policy), policy.has_scripting());
    sha256(serde_json::to_string(&facts).unwrap_or_default().as_bytes())
}

/// The evidence of a decision.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Evidence<'a> {
    pub(crate) sources: &'a DecisionSources,
    /// The time of the page.
    pub captured_at: Option<Timestamp>,
    /// The digest of the page.
    pub payload: Option<&'a PayloadDigest>,
    pub(crate) run: &'a RunFacts,
    /// The digest of the profile.
    pub profile_digest: &'a str,
}

impl<'a> Evidence<'a> {
    /// Returns the robots.txt whose rules applied, or without rules, the last request for it. `None` if none is known.
    pub fn robots(&self) -> Option<&'a CaptureSource> {
        self.sources.robots.as_deref()
    }

    /// Returns the kind and the source of the tdmrep.json and of the licences of RSL that were looked up.
    fn terms_sources(&self) -> impl Iterator<Item = (&'static str, &'a CaptureSource)> {
        let tdmrep = self.sources.tdmrep.iter().map(|source| (TDMREP, source));
        let licenses = self.sources.licenses.iter().map(|source| (LICENSE, source));
        let sources = tdmrep.chain(licenses);
        sources.map(|(kind, source)| (kind, &**source))
    }

    /// Returns the tdmrep.json and the licences of RSL that were looked up, without their places.
    pub(crate) fn terms(&self) -> Vec<Terms<'a>> {
        let sources = self.terms_sources();
        sources
            .map(|(kind, source)| Terms::of(kind, source, self.captured_at))
            .collect()
    }

    /// Returns the age of the robots.txt at the time of the page, in seconds; negative if it was requested after the page.
    pub fn robots_age(&self) -> Option<i64> {
        self.robots()?.age(self.captured_at)
    }
}
