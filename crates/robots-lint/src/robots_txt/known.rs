//! The known robots, by the facts that findings need.

use robots_policy::profile::{AgentTable, KnownAgent};
use robots_txt::select::product_token;
use std::collections::HashMap;

/// The minimum length of a name that is compared with the known ones, in bytes. Shorter words are often similar by chance.
const SHORTEST_NAME: usize = 5;

/// The minimum length of a long token, in bytes. Shorter tokens of different robots often differ by one letter (`CCBot`,
/// `crcbot`; `rogerbot`, `Roverbot`), so fewer changes of them are taken for misspellings: see [`is_misspelling`].
const LONG_TOKEN: usize = 9;

/// The known robots by their product tokens in lower case.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownRobots {
    by_token: HashMap<String, KnownAgent>,
    /// The tokens, sorted by length and then by name.
    by_length: Vec<String>,
}

impl KnownRobots {
    pub(crate) fn of(table: &AgentTable) -> Self {
        let tokens = table
            .iter()
            .flat_map(|robot| robot.tokens().map(move |token| (token, robot)));
        let by_token: HashMap<_, _> = tokens
            .map(|(token, robot)| (token.to_ascii_lowercase(), robot.clone()))
            .collect();
        let mut by_length: Vec<String> = by_token.keys().cloned().collect();
        by_length.sort_unstable_by(|one, two| (one.len(), one).cmp(&(two.len(), two)));
        Self {
            by_token,
            by_length,
        }
    }

    /// Returns the robot that the value of a `User-agent` line names.
    pub(super) fn get(&self, name: &[u8]) -> Option<&KnownAgent> {
        let name = String::from_utf8_lossy(name).to_ascii_lowercase();
        self.by_token.get(product_token(&name))
    }

    /// Returns whether the robots of this name obey the group of `*` if no other group names them.
    pub(super) fn obey_star(&self, name: &[u8]) -> bool {
        self.get(name).is_none_or(|agent| agent.obeys_star)
    }

    /// Returns the robot of which a name is probably a misspelling. `None` for a known or short name. Linear in the number of
    /// known robots.
    pub(crate) fn near(&self, name: &[u8]) -> Option<&KnownAgent> {
        let name = String::from_utf8_lossy(name).to_ascii_lowercase();
        let name = product_token(&name);
        if name.len() < SHORTEST_NAME || self.by_token.contains_key(name) {
            return None;
        }
        // An edit changes the length by one at most.
        let shortest = name.len() - 1;
        let longest = name.len() + 1;
        let from = self
            .by_length
            .partition_point(|token| token.len() < shortest);
        let of_similar_length = self
            .by_length
            .iter()
            .skip(from)
            .take_while(|token| token.len() <= longest);
        let near = of_similar_length.filter(|token| is_misspelling_in_lower_case(name, token));
        // Of several similar tokens, the first in the alphabet.
        near.min().and_then(|token| self.by_token.get(token))
    }
}

/// Returns whether a name is probably a misspelling of the product token of a robot. ASCII case is ignored.
///
/// In a misspelling, two letters next to each other are exchanged, or an `s` is added at the end. If the token is long, the
/// name may also have one letter added, missing or wrong. Short names are often similar by chance, and are no misspellings.
///
/// ```
/// use robots_lint::robots_txt::is_misspelling;
///
/// assert!(is_misspelling("googelbot", "Googlebot"));
/// assert!(!is_misspelling("crcbot", "CCBot"));
/// assert!(!is_misspelling("googlebot", "Googlebot"));
/// ```
pub fn is_misspelling(name: &str, token: &str) -> bool {
    name.len() >= SHORTEST_NAME
        && is_misspelling_in_lower_case(&name.to_ascii_lowercase(), &token.to_ascii_lowercase())
}

fn is_misspelling_in_lower_case(name: &str, token: &str) -> bool {
    if !may_be_one_edit(token, name) || strsim::osa_distance(token, name) != 1 {
        return false;
    }
    // The Levenshtein distance counts an exchange of two letters as two edits, the distance above as one.
    let is_exchange = strsim::levenshtein(token, name) == 2;
    let has_added_s = name.strip_suffix('s') == Some(token);
    token.len() >= LONG_TOKEN || is_exchange || has_added_s
}

/// Returns whether one edit may make one name of the other. This is a cheap test before the distance, which nearly all pairs
/// of names fail: it counts the bytes between the common start and the common end.
fn may_be_one_edit(one: &str, two: &str) -> bool {
    let are_ascii = one.is_ascii() && two.is_ascii();
    // In names of four ASCII characters or more, no edit changes both the first and the last one.
    let differ_at_both_ends = one.bytes().next() != two.bytes().next()
        && one.bytes().next_back() != two.bytes().next_back();
    if differ_at_both_ends && are_ascii && one.len().min(two.len()) >= 4 {
        return false;
    }
    // The largest edit exchanges two characters, which have up to four bytes each in UTF-8.
    let max_changed = if are_ascii { 2 } else { 8 };
    let same = |(one, two): &(u8, u8)| one == two;
    let start = one.bytes().zip(two.bytes()).take_while(same).count();
    let after_start = one.len().max(two.len()) - start;
    if after_start <= max_changed {
        return true;
    }
    // The common end does not reach into the common start of the longer name.
    let ends = one.bytes().rev().zip(two.bytes().rev());
    let end = ends.take(after_start).take_while(same).count();
    after_start - end <= max_changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn one_edit_of_an_ascii_name_is_never_missed(one in "[ab]{0,7}", two in "[ab]{0,7}") {
            if strsim::osa_distance(&one, &two) == 1 {
                prop_assert!(may_be_one_edit(&one, &two));
            }
        }

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
