//! Labels with equal keys together.

use std::collections::HashMap;
use std::hash::Hash;

/// Groups labels by their keys, in the order of the first label of each key.
pub fn grouped<K: Clone + Eq + Hash, L>(all: impl Iterator<Item = (K, L)>) -> Vec<(K, Vec<L>)> {
    let mut indices: HashMap<K, usize> = HashMap::new();
    let mut groups: Vec<(K, Vec<L>)> = Vec::new();
    for (key, label) in all {
        let index = *indices.entry(key.clone()).or_insert(groups.len());
        match groups.get_mut(index) {
            Some((_, labels)) => labels.push(label),
            None => groups.push((key, vec![label])),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_the_order_of_their_first_labels() {
        let labelled = [("b", 1), ("a", 2), ("b", 3)];
        assert_eq!(
            grouped(labelled.into_iter()),
            [("b", vec![1, 3]), ("a", vec![2])]
        );
    }
}
