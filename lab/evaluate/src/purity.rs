//! Purity of a cluster with regard to labels.

use std::collections::BTreeMap;

fn counts<L: Ord>(labels: impl IntoIterator<Item = L>) -> Vec<u64> {
    let mut counts: BTreeMap<L, u64> = BTreeMap::new();
    for label in labels {
        *counts.entry(label).or_default() += 1;
    }
    counts.into_values().collect()
}

/// Share of a cluster's members that have its most frequent label, 0 to 1 (Manning, Raghavan and Schütze
/// 2008, chapter 16.3). 0 for a cluster without members.
pub fn purity<L: Ord>(labels: impl IntoIterator<Item = L>) -> f64 {
    let counts = counts(labels);
    let all: u64 = counts.iter().sum();
    counts.iter().max().map_or(0.0, |&most| most as f64 / all as f64)
}

/// Share of a cluster's pairs of members that have the same label, 0 to 1: the probability that two members
/// drawn without replacement share their label (Simpson 1949). Never more than the [`purity`].
///
/// 1 for a cluster of one member, which has no pair; 0 for a cluster without members, as with [`purity`].
pub fn pair_purity<L: Ord>(labels: impl IntoIterator<Item = L>) -> f64 {
    let pairs = |members: u64| members * members.saturating_sub(1) / 2;
    let counts = counts(labels);
    match counts.iter().sum() {
        0 => 0.0,
        1 => 1.0,
        all => counts.iter().copied().map(pairs).sum::<u64>() as f64 / pairs(all) as f64,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn assert_purities(labels: &str, expected: f64, expected_of_pairs: f64) {
        assert!((purity(labels.chars()) - expected).abs() < 1e-12, "{labels}");
        assert!((pair_purity(labels.chars()) - expected_of_pairs).abs() < 1e-12, "{labels}");
    }

    #[test]
    fn purity_counts_the_most_frequent_label_and_pair_purity_the_equal_pairs() {
        assert_purities("aaaa", 1.0, 1.0);
        // The first two clusters of figure 16.4 in Manning et al.: 5 of 6, and 4 of 6.
        assert_purities("xxxxxo", 5.0 / 6.0, 10.0 / 15.0);
        assert_purities("xoooo+", 4.0 / 6.0, 6.0 / 15.0);
        assert_purities("abcd", 0.25, 0.0);
        assert_purities("ab", 0.5, 0.0);
    }

    #[test]
    fn single_member_is_pure_and_empty_cluster_is_not() {
        assert_purities("a", 1.0, 1.0);
        assert_purities("", 0.0, 0.0);
    }

    proptest! {
        #[test]
        fn pair_purity_never_exceeds_purity(labels in prop::collection::vec(0..5_u8, 0..40)) {
            let (members, pairs) = (purity(&labels), pair_purity(&labels));
            prop_assert!(pairs <= members, "{} > {}", pairs, members);
            prop_assert!((0.0..=1.0).contains(&pairs) && (0.0..=1.0).contains(&members));
        }
    }
}
