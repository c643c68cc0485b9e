//! The known robots, by the facts that findings need.

use robots_policy::profile::{AgentTable, KnownAgent, Purpose};
use robots_txt::select::product_token;
use std::collections::HashMap;

/// The shortest name, in bytes, that is compared with misspelt names.
const SHORTEST_NAME: usize = 5;

/// The length of a name, in bytes, from which any one edit is a misspelling. Shorter names of robots often differ from each
/// other by a letter (CCBot, crcbot; rogerbot, Roverbot): there only two letters exchanged, or an `s` at the end, count.
const LONG_NAME: usize = 9;

/// The facts about a known robot.
#[derive(Debug, Clone)]
pub(super) struct KnownRobot {
    /// The product token, as its vendor writes it.
    pub(super) token: String,
    /// Whether it requests pages to train models on them.
    pub(super) trains: bool,
    /// Whether it fetches for the index of a search engine.
    pub(super) searches: bool,
    /// Whether it fetches for answers by AI, and not for training.
    pub(super) answers: bool,
    /// Whether it fetches when a person requests it.
    pub(super) is_of_user: bool,
    /// Whether it fetches for previews, advertisements or checks: owners often allow these more than others.
    pub(super) is_favoured: bool,
    /// Whether the groups of `*` apply to it.
    pub(super) takes_star: bool,
}

/// The known robots by their product tokens in lower case.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownRobots {
    by_token: HashMap<String, KnownRobot>,
}

impl KnownRobots {
    pub(super) fn of(table: &AgentTable) -> Self {
        let has = |agent: &KnownAgent, purpose| agent.purposes.contains(&purpose);
        let robots = table.iter().map(|agent| {
            let robot = KnownRobot {
                token: agent.token.clone(),
                trains: agent.trains() && agent.crawls,
                searches: has(agent, Purpose::Search),
                answers: has(agent, Purpose::AiSearch) && !agent.trains(),
                is_of_user: has(agent, Purpose::User),
                is_favoured: [Purpose::Preview, Purpose::Ads, Purpose::Monitoring]
                    .iter()
                    .any(|purpose| has(agent, *purpose)),
                takes_star: agent.takes_star,
            };
            (agent.token.to_ascii_lowercase(), robot)
        });
        Self {
            by_token: robots.collect(),
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
