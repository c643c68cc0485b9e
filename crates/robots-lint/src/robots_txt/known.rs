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
    /// The tokens, sorted by length and then by name.
    by_length: Vec<String>,
}

impl KnownRobots {
    pub(super) fn of(table: &AgentTable) -> Self {
        let robots = table.iter().cloned();
        let by_token: HashMap<_, _> = robots
            .map(|agent| (agent.token.to_ascii_lowercase(), KnownRobot(agent)))
            .collect();
        let mut by_length: Vec<String> = by_token.keys().cloned().collect();
        by_length.sort_unstable_by(|one, two| (one.len(), one).cmp(&(two.len(), two)));
        Self {
            by_token,
            by_length,
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
        let longest = name.len().saturating_add(1);
        let from = self
            .by_length
            .partition_point(|token| token.len().saturating_add(1) < name.len());
        let near = self.by_length.iter().skip(from);
        let near = near
            .take_while(|token| token.len() <= longest)
            .filter(|token| {
                may_be_one_edit(token, name)
                    && strsim::osa_distance(token, name) == 1
                    && (token.len() >= LONG_NAME
                    // Without exchanges the distance of two exchanged letters is 2.
                    || strsim::levenshtein(token, name) == 2
                    || name.strip_suffix('s') == Some(token.as_str()))
            });
        near.min().and_then(|token| self.by_token.get(token))
    }
}

/// Returns whether one edit may make one name of the other, by the bytes that they do not share at both ends. Nearly all pairs
/// of names differ in more, and need no distance.
fn may_be_one_edit(one: &str, two: &str) -> bool {
    /// The bytes of two exchanged characters, in UTF-8.
    const MAX_CHANGED: usize = 8;
    let longest = one.len().max(two.len());
    let most = if one.is_ascii() && two.is_ascii() {
        2
    } else {
        MAX_CHANGED
    };
    let same = |(one, two): &(u8, u8)| one == two;
    let start = one.bytes().zip(two.bytes()).take_while(same).count();
    let changed = longest.saturating_sub(start);
    if changed <= most {
        return true;
    }
    let end = one.bytes().rev().zip(two.bytes().rev());
    let end = end.take(changed).take_while(same).count();
    changed.saturating_sub(end) <= most
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn one_edit_is_never_missed(one in "[ab\u{e9}\u{1f4bb}]{0,6}", two in "[ab\u{e9}\u{1f4bb}]{0,6}") {
            if strsim::osa_distance(&one, &two) == 1 {
                prop_assert!(may_be_one_edit(&one, &two));
            }
        }
    }

    #[test]
    fn most_pairs_need_no_distance() {
        for (one, two, may_be) in [
            ("googlebot", "googelbot", true),
            ("googlebot", "googlebots", true),
            ("googlebot", "ogoglebot", true),
            ("googlebot", "googlebat", true),
            ("googlebot", "goglebott", false),
            ("googlebot", "bingbot", false),
        ] {
            assert_eq!(may_be_one_edit(one, two), may_be, "{one} {two}");
        }
    }
}
