//! The known robots, by the facts that findings need.

use robots_policy::profile::{AgentTable, KnownAgent, Purpose};
use robots_txt::select::product_token;
use std::collections::HashMap;

/// The minimum length of a name that may be a misspelt one, in bytes.
const SHORTEST_NAME: usize = 5;

/// The minimum length of a name, in bytes, of which any single edit is a misspelling. Shorter names of robots often differ
/// by one letter (`CCBot`, `crcbot`; `rogerbot`, `Roverbot`). For these, only two exchanged letters and an `s` at the end
/// count.
const LONG_NAME: usize = 9;

/// A known robot.
#[derive(Debug, Clone)]
pub(super) struct KnownRobot(KnownAgent);

impl KnownRobot {
    /// Returns the product token, as its vendor writes it.
    pub(super) fn token(&self) -> &str {
        &self.0.token
    }

    /// Returns whether the groups of `*` apply to it.
    pub(super) fn obeys_star(&self) -> bool {
        self.0.obeys_star
    }

    /// Returns whether it requests pages to train models on them.
    pub(super) fn trains(&self) -> bool {
        self.0.trains() && self.0.crawls
    }

    /// Returns whether it fetches for the index of a search engine.
    pub(super) fn searches(&self) -> bool {
        self.has(Purpose::Search)
    }

    /// Returns whether it fetches for answers by AI, and not for training.
    pub(super) fn answers(&self) -> bool {
        self.has(Purpose::AiSearch) && !self.0.trains()
    }

    /// Returns whether it fetches when a person requests it.
    pub(super) fn is_for_user(&self) -> bool {
        self.has(Purpose::User)
    }

    /// Returns whether it fetches for previews, advertisements or checks. Owners often allow such robots to fetch more.
    pub(super) fn is_favoured(&self) -> bool {
        self.has(Purpose::Preview) || self.has(Purpose::Ads) || self.has(Purpose::Monitoring)
    }

    fn has(&self, purpose: Purpose) -> bool {
        self.0.purposes.contains(&purpose)
    }
}

/// The known robots by their product tokens in lower case.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownRobots {
    by_token: HashMap<String, KnownRobot>,
}

impl KnownRobots {
    pub(super) fn of(table: &AgentTable) -> Self {
        let robots = table.iter().cloned();
        Self {
            by_token: robots
                .map(|agent| (agent.token.to_ascii_lowercase(), KnownRobot(agent)))
                .collect(),
        }
    }

    /// Returns the robot that the value of a `User-agent` line names.
    pub(super) fn get(&self, name: &[u8]) -> Option<&KnownRobot> {
        let name = String::from_utf8_lossy(name).to_ascii_lowercase();
        self.by_token.get(product_token(&name))
    }

    /// Returns the robot of nearly this name: with two letters exchanged or an `s` at the end; if it is a long name, also with
    /// one letter added, missing or wrong. `None` for a known or short name. Linear in the number of known robots.
    pub(super) fn near(&self, name: &[u8]) -> Option<&KnownRobot> {
        let name = String::from_utf8_lossy(name).to_ascii_lowercase();
        let name = product_token(&name);
        if name.len() < SHORTEST_NAME || self.by_token.contains_key(name) {
            return None;
        }
        let near = self.by_token.iter().filter(|(token, _)| {
            token.len().abs_diff(name.len()) <= 1
                && strsim::osa_distance(token, name) == 1
                && (token.len() >= LONG_NAME
                    // Without exchanges the distance of two exchanged letters is 2.
                    || strsim::levenshtein(token, name) == 2
                    || name.strip_suffix('s') == Some(token))
        });
        near.min_by_key(|(token, _)| token.as_str())
            .map(|(_, robot)| robot)
    }
}
