//! Agreement of a clustering with labels given by people.

use std::collections::BTreeMap;

/// Agreement of a clustering with labels given by people. The names of labels and clusters and the order of
/// the items do not matter.
///
/// Edge cases are as in scikit-learn: where nothing can be wrong, the measure is 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Agreement {
    /// Degree to which each cluster holds one label alone, 0 to 1 (Rosenberg and Hirschberg 2007). 1 if there
    /// is only one label.
    pub(crate) homogeneity: f64,
    /// Degree to which each label lies in one cluster alone, 0 to 1 (Rosenberg and Hirschberg 2007). 1 if
    /// there is only one cluster.
    pub(crate) completeness: f64,
    /// Harmonic mean of homogeneity and completeness, 0 to 1 (Rosenberg and Hirschberg 2007, beta 1). It equals normalised
    /// mutual information with the arithmetic mean (Becker 2011).
    pub(crate) v_measure: f64,
    /// Adjusted Rand index, −0.5 to 1: the share of pairs that labels and clusters treat alike, corrected for
    /// chance; 0 is no better than chance (Hubert and Arabie 1985).
    pub(crate) ari: f64,
    /// Share of items whose cluster holds exactly the items of its label, 0 to 1 (grouping accuracy, Zhu et al. 2019).
    pub(crate) exact: f64,
}

impl Agreement {
    /// Compares the label of each item with its cluster.
    ///
    /// Cluster −1 means that the item is in none. All such items count as one cluster, as in scikit-learn:
    /// many of them with many labels lower homogeneity.
    pub(crate) fn of<L: Ord>(pairs: impl IntoIterator<Item = (L, i64)>) -> Self {
        let table = Contingency::count(pairs);
        let homogeneity = explained_share(&table.classes, |cell| cell.cluster, &table);
        let completeness = explained_share(&table.clusters, |cell| cell.class, &table);
        let sum = homogeneity + completeness;
        let exact = table.cells.iter().filter(|cell| cell.count == cell.class && cell.count == cell.cluster);
        let exact: u64 = exact.map(|cell| cell.count).sum();
        Self {
            homogeneity,
            completeness,
            v_measure: if sum > 0.0 { 2.0 * homogeneity * completeness / sum } else { 0.0 },
            ari: ari(&table),
            exact: if table.total == 0 { 1.0 } else { exact as f64 / table.total as f64 },
        }
    }
}

/// Number of items that share a label and a cluster, with the sizes of that label and cluster.
struct ContingencyCell {
    /// Number of items with this label and this cluster; at least 1.
    count: u64,
    /// Number of items with the label.
    class: u64,
    /// Number of items in the cluster.
    cluster: u64,
}

/// Contingency table without its empty cells. All parts are in the order of labels and clusters, so that sums
/// over them are reproducible.
struct Contingency {
    /// Number of items.
    total: u64,
    /// Number of items of each label.
    classes: Vec<u64>,
    /// Number of items of each cluster.
    clusters: Vec<u64>,
    /// Non-empty cells, row after row.
    cells: Vec<ContingencyCell>,
}

impl Contingency {
    fn count<L: Ord>(pairs: impl IntoIterator<Item = (L, i64)>) -> Self {
        let mut rows: BTreeMap<L, BTreeMap<i64, u64>> = BTreeMap::new();
        let mut clusters: BTreeMap<i64, u64> = BTreeMap::new();
        for (label, cluster) in pairs {
            *rows.entry(label).or_default().entry(cluster).or_default() += 1;
            *clusters.entry(cluster).or_default() += 1;
        }
        let classes: Vec<u64> = rows.values().map(|row| row.values().sum()).collect();
        let cells = rows.values().zip(&classes).flat_map(|(row, &class)| {
            let cell = |(at, &count)| ContingencyCell { count, class, cluster: clusters[at] };
            row.iter().map(cell).collect::<Vec<_>>()
        });
        let cells = cells.collect();
        Self { total: classes.iter().sum(), cells, clusters: clusters.into_values().collect(), classes }
    }
}

/// Entropy of a division into groups of these sizes, in nats.
fn entropy(sizes: &[u64], total: u64) -> f64 {
    let share = |&size: &u64| size as f64 / total as f64;
    -sizes.iter().map(share).map(|p| p * p.ln()).sum::<f64>()
}

/// Share of one division's entropy that is removed by knowing the other division, of groups `given`.
fn explained_share(sizes: &[u64], given: impl Fn(&ContingencyCell) -> u64, table: &Contingency) -> f64 {
    if sizes.len() <= 1 {
        return 1.0;
    }
    let left = |cell: &ContingencyCell| {
        let count = cell.count as f64;
        -count / table.total as f64 * (count / given(cell) as f64).ln()
    };
    let left: f64 = table.cells.iter().map(left).sum();
    // Rounding may leave slightly more than the whole.
    (1.0 - left / entropy(sizes, table.total)).clamp(0.0, 1.0)
}

fn pairs(size: u64) -> u64 {
    size * size.saturating_sub(1) / 2
}

fn ari(table: &Contingency) -> f64 {
    let sum = |sizes: &[u64]| sizes.iter().copied().map(pairs).sum::<u64>();
    let (in_class, in_cluster) = (sum(&table.classes), sum(&table.clusters));
    let in_both: u64 = table.cells.iter().map(|cell| pairs(cell.count)).sum();
    if in_both == in_class && in_both == in_cluster {
        return 1.0;
    }
    let expected = in_class as f64 * in_cluster as f64 / pairs(table.total) as f64;
    let most = f64::midpoint(in_class as f64, in_cluster as f64);
    (in_both as f64 - expected) / (most - expected)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(truth: &[i64], found: &[i64]) -> Agreement {
        assert_eq!(truth.len(), found.len());
        Agreement::of(truth.iter().zip(found).map(|(&label, &cluster)| (label, cluster)))
    }

    fn numbers(a: Agreement) -> [f64; 5] {
        [a.homogeneity, a.completeness, a.v_measure, a.exact, a.ari]
    }

    fn close(a: Agreement, b: Agreement, within: f64) -> bool {
        numbers(a).iter().zip(numbers(b)).all(|(a, b)| (a - b).abs() <= within)
    }

    /// Asserts the results of `homogeneity_score`, `completeness_score`, `v_measure_score` and `adjusted_rand_score` of
    /// scikit-learn 1.9.1.
    #[track_caller]
    fn assert_scikit(truth: &[i64], found: &[i64], [homogeneity, completeness, v_measure, ari]: [f64; 4]) {
        let agreement = of(truth, found);
        let expected = Agreement { homogeneity, completeness, v_measure, ari, ..agreement };
        assert!(close(agreement, expected, 1e-12), "{agreement:?}, not {expected:?}");
    }

    #[test]
    fn same_division_under_other_names_agrees_fully() {
        assert_scikit(&[0, 0, 1, 1], &[1, 1, 0, 0], [1.0; 4]);
        assert_scikit(&[0, 1, 2, 3], &[4, 5, 6, 7], [1.0; 4]);
    }

    #[test]
    fn split_class_is_homogeneous_and_joined_classes_are_complete() {
        let (third, v, ari) = (2.0 / 3.0, 0.8, 0.571_428_571_428_571_4);
        assert_scikit(&[0, 0, 1, 1], &[0, 0, 1, 2], [1.0, third, v, ari]);
        assert_scikit(&[0, 0, 1, 2], &[0, 0, 1, 1], [third, 1.0, v, ari]);
    }

    #[test]
    fn independent_divisions_score_below_chance() {
        assert_scikit(&[0, 0, 1, 1], &[0, 1, 0, 1], [0.0, 0.0, 0.0, -0.5]);
        let (truth, found) = ([0, 0, 0, 1, 1, 1, 2, 2, 2], [0, 1, 2, 0, 1, 2, 0, 1, 2]);
        assert_scikit(&truth, &found, [0.0, 0.0, 0.0, -1.0 / 3.0]);
    }

    #[test]
    fn partial_agreement_matches_scikit_learn() {
        let v = 0.515_803_742_979_388_9;
        let expected = [0.666_666_666_666_666_9, 0.420_619_835_714_305, v, 0.242_424_242_424_242_43];
        assert_scikit(&[0, 0, 0, 1, 1, 1], &[0, 0, 1, 1, 2, 2], expected);
    }

    #[test]
    fn loose_items_count_as_one_cluster() {
        let v = 0.618_572_786_653_965_9;
        let expected = [0.697_324_185_817_947_1, 0.555_803_807_218_931_9, v, 0.364_406_779_661_017_1];
        let (truth, found) = ([0, 0, 0, 1, 1, 1, 2, 2, 2, 2], [0, 0, -1, 1, 1, -1, 2, 2, 2, -1]);
        assert_scikit(&truth, &found, expected);

        let v = 0.616_670_589_755_396_5;
        let expected = [0.651_193_540_092_963_8, 0.585_623_811_032_899_5, v, 0.264_331_210_191_082_8];
        let truth = [0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4];
        let found = [0, 0, 0, 1, 2, 1, 1, 1, 3, 3, 3, -1, -1, 0, 4];
        assert_scikit(&truth, &found, expected);
    }

    #[test]
    fn degenerate_divisions_match_scikit_learn() {
        assert_scikit(&[], &[], [1.0; 4]);
        assert_scikit(&[0], &[3], [1.0; 4]);
        assert_scikit(&[0, 0, 0], &[7, 7, 7], [1.0; 4]);
        assert_scikit(&[0, 0, 0, 0], &[0, 0, 1, 2], [1.0, 0.0, 0.0, 0.0]);
        assert_scikit(&[0, 0, 0, 0], &[0, 1, 2, 3], [1.0, 0.0, 0.0, 0.0]);
        assert_scikit(&[0, 1, 2, 2], &[5, 5, 5, 5], [0.0, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn only_whole_groups_are_exact() {
        let truth = [0, 0, 0, 1, 1, 2];
        for (found, exact) in
            [([7, 7, 7, 3, 3, 9], 1.0), ([7, 7, 8, 3, 3, 9], 0.5), ([7, 7, 7, 3, 3, 3], 0.5)]
        {
            assert!((of(&truth, &found).exact - exact).abs() < 1e-12, "{found:?}");
        }
    }

    type Pairs = Vec<(i64, i64)>;

    fn pairs() -> impl Strategy<Value = Pairs> {
        prop::collection::vec((0..6_i64, -1..6_i64), 0..60)
    }

    fn shuffled_pairs() -> impl Strategy<Value = (Pairs, Pairs)> {
        pairs().prop_flat_map(|pairs| (Just(pairs.clone()), Just(pairs).prop_shuffle()))
    }

    proptest! {
        #[test]
        fn renaming_labels_and_clusters_changes_nothing(
            pairs in pairs(),
            labels in Just((0..6_i64).collect::<Vec<_>>()).prop_shuffle(),
            clusters in Just((0..7_i64).collect::<Vec<_>>()).prop_shuffle(),
        ) {
            let renamed = |&(label, cluster): &(i64, i64)| {
                (labels[label as usize], clusters[(cluster + 1) as usize])
            };
            let renamed = Agreement::of(pairs.iter().map(renamed));
            prop_assert!(close(Agreement::of(pairs.iter().copied()), renamed, 1e-12));
        }

        #[test]
        fn shuffled_items_give_bit_identical_results((pairs, shuffled) in shuffled_pairs()) {
            let bits = |pairs| numbers(Agreement::of::<i64>(pairs)).map(f64::to_bits);
            prop_assert_eq!(bits(pairs), bits(shuffled));
        }

        #[test]
        fn swapping_labels_and_clusters_swaps_homogeneity_and_completeness(pairs in pairs()) {
            let there = Agreement::of(pairs.iter().copied());
            let back = Agreement::of(pairs.iter().map(|&(label, cluster)| (cluster, label)));
            let turned =
                Agreement { homogeneity: back.completeness, completeness: back.homogeneity, ..back };
            prop_assert!(close(there, turned, 1e-12), "{:?} {:?}", there, back);
            prop_assert_eq!(there.ari.to_bits(), back.ari.to_bits());
        }

        #[test]
        fn every_measure_keeps_its_bounds(pairs in pairs()) {
            let agreement = Agreement::of(pairs);
            let [unit @ .., ari] = numbers(agreement);
            prop_assert!(unit.iter().all(|x| (0.0..=1.0).contains(x)), "{:?}", agreement);
            prop_assert!((-0.5 - 1e-12..=1.0).contains(&ari), "{:?}", agreement);
        }
    }
}
