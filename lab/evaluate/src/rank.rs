//! Rank correlation of two measures, the area under the ROC curve, and the purity of a cluster.

use std::collections::BTreeMap;

/// Returns Spearman's rank correlation of pairs, −1 (opposite order) to 1 (same order); equal values share
/// the mean of their ranks (Spearman 1904).
///
/// `None` if there is no order to compare: fewer than two pairs, all values of a side equal, or a NaN.
pub(crate) fn spearman(pairs: &[(f64, f64)]) -> Option<f64> {
    if pairs.iter().any(|(a, b)| a.is_nan() || b.is_nan()) {
        return None;
    }
    let (a, b): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let (a, b) = (centred_ranks(&a), centred_ranks(&b));
    // Ranks are multiples of one half, so the sums are exact: 1 is reached and never exceeded.
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let spread = product(&a, &a) * product(&b, &b);
    (spread > 0.0).then(|| product(&a, &b) / spread.sqrt())
}

/// Returns the area under the ROC curve: the probability that a score with `true` is above one with `false`, equal
/// scores counting half (Mann and Whitney 1947). `None` if one of the two is missing, or for a NaN.
pub(crate) fn auc(scored: &[(f64, bool)]) -> Option<f64> {
    if scored.iter().any(|(score, _)| score.is_nan()) {
        return None;
    }
    let scores: Vec<f64> = scored.iter().map(|(score, _)| *score).collect();
    let positives = scored.iter().filter(|(_, positive)| *positive).count() as f64;
    let pairs = positives * (scored.len() as f64 - positives);
    let above: f64 = centred_ranks(&scores)
        .iter()
        .zip(scored)
        .filter(|(_, (_, positive))| *positive)
        .map(|(rank, _)| rank)
        .sum();
    (pairs > 0.0).then(|| 0.5 + above / pairs)
}

/// Returns the rank of each value less the mean rank; equal values share the mean of their ranks.
fn centred_ranks(values: &[f64]) -> Vec<f64> {
    // Adding 0 turns −0 into 0; the total order would distinguish them.
    let mut order: Vec<(f64, usize)> = values.iter().enumerate().map(|(i, x)| (x + 0.0, i)).collect();
    order.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for tied in order.chunk_by(|(a, _), (b, _)| a.total_cmp(b).is_eq()) {
        let after = values.len() - before - tied.len();
        let rank = (before as f64 - after as f64) / 2.0;
        tied.iter().for_each(|&(_, i)| ranks[i] = rank);
        before += tied.len();
    }
    ranks
}

/// Returns the probability that two different members of a cluster have the same label, 0 to 1. It is 1 for one member
/// alone.
pub(crate) fn pair_purity<L: Ord>(labels: impl IntoIterator<Item = L>) -> f64 {
    let mut counts: BTreeMap<L, usize> = BTreeMap::new();
    labels.into_iter().for_each(|label| *counts.entry(label).or_default() += 1);
    let pairs = |members: usize| (members * members.saturating_sub(1) / 2) as f64;
    match counts.values().sum() {
        1 => 1.0,
        all => counts.values().copied().map(pairs).sum::<f64>() / pairs(all).max(1.0),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Asserts the result of `scipy.stats.spearmanr`.
    #[track_caller]
    fn assert_scipy(pairs: &[(f64, f64)], expected: f64) {
        let found = spearman(pairs).unwrap();
        assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
    }

    #[test]
    fn rank_correlation_matches_scipy() {
        assert_scipy(&[(1., 5.), (2., 6.), (3., 7.), (4., 8.), (5., 7.)], 0.820_782_681_668_123_3);
        let iq_and_television = [
            (106., 7.),
            (100., 27.),
            (86., 2.),
            (101., 50.),
            (99., 28.),
            (103., 29.),
            (97., 20.),
            (113., 12.),
            (112., 6.),
            (110., 17.),
        ];
        assert_scipy(&iq_and_television, -0.175_757_575_757_575_75);
    }

    #[test]
    fn ties_share_their_mean_rank() {
        let tied = [(1., 1.), (1., 2.), (2., 2.), (2., 3.), (3., 1.), (4., 4.), (4., 4.)];
        assert_scipy(&tied, 0.650_943_396_226_415_3);
    }

    #[test]
    fn values_without_an_order_give_none() {
        assert_eq!(spearman(&[]), None);
        assert_eq!(spearman(&[(1.0, 1.0)]), None);
        assert_eq!(spearman(&[(1.0, 1.0), (1.0, 2.0), (1.0, 3.0)]), None);
        assert_eq!(spearman(&[(1.0, -0.0), (2.0, 0.0)]), None);
        assert_eq!(spearman(&[(1.0, 1.0), (2.0, f64::NAN), (3.0, 3.0)]), None);
    }

    #[test]
    fn spearman_reaches_both_ends_of_its_scale() {
        assert_eq!(spearman(&[(1.0, f64::NEG_INFINITY), (2.0, 0.1), (3.0, f64::INFINITY)]), Some(1.0));
        assert_eq!(spearman(&[(1.0, 0.3), (2.0, 0.2), (2.0, 0.2), (3.0, 0.1)]), Some(-1.0));
    }

    #[test]
    fn area_is_the_share_of_pairs_in_order() {
        let scored = [(0.1, false), (0.4, false), (0.35, true), (0.8, true)];
        assert_eq!(auc(&scored), Some(0.75));
        assert_eq!(auc(&[(1.0, true), (1.0, false), (0.0, false)]), Some(0.75), "a tie counts half");
        assert_eq!(auc(&[(1.0, true)]), None);
        assert_eq!(auc(&[(f64::NAN, true), (0.0, false)]), None);
    }

    proptest! {
        #[test]
        fn spearman_depends_on_the_order_only(pairs in prop::collection::vec((-9..9_i8, -9..9_i8), 0..40)) {
            let plain: Vec<_> = pairs.iter().map(|&(a, b)| (f64::from(a), f64::from(b))).collect();
            let bent: Vec<_> = plain.iter().map(|&(a, b)| (a.exp(), b.powi(3))).collect();
            let turned: Vec<_> = plain.iter().map(|&(a, b)| (a, -b)).collect();
            let found = spearman(&plain);
            prop_assert_eq!(found, spearman(&bent));
            prop_assert_eq!(found, spearman(&turned).map(|x| -x));
            prop_assert!(found.is_none_or(|x| (-1.0..=1.0).contains(&x)), "{:?}", found);
        }
    }
}
