//! Rules with equal patterns. The first by rank represents all with the same effect.

use crate::rules::RankedRule;

/// The relation of a rule to the others with its pattern.
#[derive(Debug, Clone, Copy)]
pub(super) struct Equivalence {
    /// The rank of the first rule with the same pattern and effect; its own if none is before it.
    pub(super) leader: usize,
    /// The rank of the first rule with the same pattern and any effect.
    pub(super) first: usize,
    /// True if another rule has the same pattern and the opposite effect.
    pub(super) is_contested: bool,
}

/// Returns the equivalence of each rule, by rank; compares only the rules with the given ranks.
pub(super) fn equivalences(
    ranked: &[RankedRule<'_>],
    ranks: impl Iterator<Item = usize>,
) -> Vec<Equivalence> {
    let alone = |rank| Equivalence {
        leader: rank,
        first: rank,
        is_contested: false,
    };
    let mut equivalences: Vec<Equivalence> = (0..ranked.len()).map(alone).collect();
    let key = |rank: usize| Some((sort_key(&ranked.get(rank)?.canonical_pattern().1), rank));
    let mut keys: Vec<(u64, usize)> = ranks.filter_map(key).collect();
    keys.sort_unstable();
    // Nearly all keys differ, so few patterns are compared.
    let chunks = keys.chunk_by(|one, two| one.0 == two.0);
    for same_key in chunks.filter(|chunk| chunk.len() > 1) {
        compare(
            ranked,
            same_key.iter().map(|(_, rank)| *rank),
            &mut equivalences,
        );
    }
    equivalences
}

/// Sets the equivalences of the rules with the given ranks: all rules with one key.
fn compare(
    ranked: &[RankedRule<'_>],
    ranks: impl Iterator<Item = usize>,
    equivalences: &mut [Equivalence],
) {
    let rules = ranks.filter_map(|rank| Some((rank, ranked.get(rank)?)));
    let mut meanings: Vec<_> = rules
        .map(|(rank, rule)| (rule.canonical_pattern(), rule.allows, rank))
        .collect();
    meanings.sort_unstable();
    for same in meanings.chunk_by(|one, two| one.0 == two.0) {
        let [(_, one, _), .., (_, other, _)] = same else {
            // The only rule with its pattern: it stays alone.
            continue;
        };
        // Sorted by effect, so the first and the last differ if both effects occur.
        let is_contested = one != other;
        let first = same.iter().map(|(.., rank)| *rank).min();
        for equal in same.chunk_by(|one, two| one.1 == two.1) {
            let Some((.., leader)) = equal.first() else {
                continue;
            };
            for (.., rank) in equal {
                if let Some(equivalence) = equivalences.get_mut(*rank) {
                    *equivalence = Equivalence {
                        leader: *leader,
                        first: first.unwrap_or(*leader),
                        is_contested,
                    };
                }
            }
        }
    }
}

/// Returns whether the rules certainly have different patterns. Cheaper than [`equivalences`], and does not need ranks.
pub(super) fn all_differ(rules: &[RankedRule<'_>]) -> bool {
    let key = |rule: &RankedRule<'_>| sort_key(&rule.canonical_pattern().1);
    let mut keys: Vec<u64> = rules.iter().map(key).collect();
    keys.sort_unstable();
    keys.is_sorted_by(|one, two| one < two)
}

/// Returns a number that is the same for equal patterns, and rarely for others. It is made of the length and the
/// last six bytes, because patterns of a file often begin alike.
fn sort_key(pattern: &[u8]) -> u64 {
    let end = pattern.iter().rev().take(6);
    let end = end.fold(0_u64, |key, byte| (key << 8) | u64::from(*byte));
    ((pattern.len() as u64) << 48) ^ end
}
