//! Number of entries that each cluster may add to long-term memory.

use nightfold_memory::config::BudgetConfig;

/// Importance points by which a cluster of maximal cohesion goes before one of none.
const COHESION_POINTS: f64 = 0.6;

/// Importance points by which the first entries of a cluster ([`BudgetConfig::storage_floor`]) go before
/// further ones.
const FLOOR_POINTS: f64 = 0.5;

/// A cluster, all loose memories or all status lines together, as the storage budget sees it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StorageClaim {
    /// Cohesion of the cluster.
    pub(crate) cohesion: f64,
    /// Keep score of each entry it could add, in importance points, in descending order with the required
    /// entries first.
    pub(crate) scores: Vec<f64>,
    /// Number of entries that must be kept.
    pub(crate) required: usize,
    /// Number of earlier nights on which its theme was seen.
    pub(crate) earlier_nights: usize,
}

impl StorageClaim {
    /// Returns the rank of one of its entries among those of the whole night: the keep score, raised by the
    /// cohesion of the cluster, more so if its theme is known, and for the first entries of the cluster.
    fn rank(&self, entry: usize, config: &BudgetConfig) -> f64 {
        let recurring = if self.earlier_nights > 0 { config.recurring } else { 1.0 };
        let cohesion = (self.cohesion.max(0.0) * recurring).min(1.0);
        let first = entry < config.storage_floor;
        self.scores[entry] + COHESION_POINTS * cohesion + if first { FLOOR_POINTS } else { 0.0 }
    }
}

/// Divides `total` entries among the clusters: required entries first, then those of the highest rank in the
/// whole night. Returns the number of entries of each cluster.
///
/// A cluster's cohesion and floor, and emotion and novelty, together weigh less than two points of
/// importance, so that no memory is kept in place of one that is two points more important, whatever their
/// clusters.
pub(crate) fn storage_budgets(total: usize, claims: &[StorageClaim], config: &BudgetConfig) -> Vec<usize> {
    let mut shares: Vec<usize> = claims.iter().map(|claim| claim.required).collect();
    let left = total.saturating_sub(shares.iter().sum());
    let mut open: Vec<(f64, usize, usize)> = Vec::new();
    for (i, claim) in claims.iter().enumerate() {
        open.extend((claim.required..claim.scores.len()).map(|entry| (claim.rank(entry, config), entry, i)));
    }
    // Among equal ranks every cluster has its first entry before any has its second, the most cohesive first.
    open.sort_by(|a, b| {
        let by_cohesion = || claims[b.2].cohesion.total_cmp(&claims[a.2].cohesion);
        b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then_with(by_cohesion)
    });
    open.into_iter().take(left).for_each(|(.., i)| shares[i] += 1);
    shares
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn storage_claims() -> impl Strategy<Value = Vec<StorageClaim>> {
        let scores = prop::collection::vec(0.0..10.0_f64, 0..40);
        let one = (-0.2..1.0_f64, scores, 0..40_usize, 0..3_usize).prop_map(
            |(cohesion, mut scores, required, earlier_nights)| {
                scores.sort_by(|a, b| b.total_cmp(a));
                let required = required.min(scores.len());
                scores[..required].iter_mut().for_each(|s| *s += 10.0);
                StorageClaim { cohesion, scores, required, earlier_nights }
            },
        );
        prop::collection::vec(one, 1..9)
    }

    proptest! {
        #[test]
        fn shares_sum_exactly_and_cover_required_entries(total in 0..200_usize, claims in storage_claims()) {
            let shares = storage_budgets(total, &claims, &BudgetConfig::default());
            let required: usize = claims.iter().map(|claim| claim.required).sum();
            let all: usize = claims.iter().map(|claim| claim.scores.len()).sum();
            prop_assert_eq!(shares.iter().sum::<usize>(), total.clamp(required, all));
            for (share, claim) in shares.iter().zip(&claims) {
                prop_assert!((claim.required..=claim.scores.len()).contains(share));
            }
        }

        #[test]
        fn no_entry_is_kept_in_place_of_one_two_points_higher(
            total in 0..200_usize, claims in storage_claims(), floor in 0..4_usize, recurring in 1.0..10.0_f64,
        ) {
            let config = BudgetConfig::default().with(|c| (c.storage_floor, c.recurring) = (floor, recurring));
            let shares = storage_budgets(total, &claims, &config);
            let kept = claims.iter().zip(&shares).flat_map(|(c, &share)| &c.scores[c.required.min(share)..share]);
            let lowest = kept.copied().fold(f64::INFINITY, f64::min);
            let gone = claims.iter().zip(&shares).flat_map(|(c, &share)| &c.scores[share..]);
            prop_assert!(gone.copied().fold(0.0, f64::max) < lowest + 2.0);
        }

        #[test]
        fn more_cohesion_never_lowers_the_share(
            total in 0..200_usize, claims in storage_claims(), a in 0..8_usize, b in 0..8_usize, more in 0.0..1.0_f64,
        ) {
            let config = BudgetConfig::default();
            let a = a % claims.len();
            let b = (a + 1 + b % claims.len().max(2).saturating_sub(1)) % claims.len();
            let mut claims = claims;
            claims[b] = StorageClaim { cohesion: claims[a].cohesion + more, ..claims[a].clone() };
            let shares = storage_budgets(total, &claims, &config);
            prop_assert!(a == b || claims[b].cohesion <= claims[a].cohesion || shares[b] >= shares[a], "{shares:?} {claims:?}");
            // Nor does a cluster get less if its cohesion rises while all others stay the same.
            let before = shares[a];
            claims[a].cohesion += more;
            prop_assert!(storage_budgets(total, &claims, &config)[a] >= before);
        }

        #[test]
        fn recurrence_never_lowers_the_share(total in 0..200_usize, claims in storage_claims(), a in 0..8_usize) {
            let config = BudgetConfig::default();
            let a = a % claims.len();
            let mut claims = claims;
            claims[a].earlier_nights = 0;
            let new = storage_budgets(total, &claims, &config)[a];
            claims[a].earlier_nights = 2;
            prop_assert!(storage_budgets(total, &claims, &config)[a] >= new);
        }

        #[test]
        fn shares_do_not_depend_on_cluster_order(
            total in 0..200_usize,
            (claims, order) in storage_claims().prop_flat_map(|claims| {
                let order: Vec<usize> = (0..claims.len()).collect();
                (Just(claims), Just(order).prop_shuffle())
            }),
        ) {
            let config = BudgetConfig::default();
            let shares = storage_budgets(total, &claims, &config);
            let shuffled: Vec<StorageClaim> = order.iter().map(|&i| claims[i].clone()).collect();
            let of_shuffled = storage_budgets(total, &shuffled, &config);
            for (place, &i) in order.iter().enumerate() {
                // Two clusters of equal cohesion may be swapped.
                let twins = claims.iter().filter(|claim| claim.cohesion.total_cmp(&claims[i].cohesion).is_eq()).count();
                prop_assert!(twins > 1 || of_shuffled[place] == shares[i]);
            }
        }
    }
}
