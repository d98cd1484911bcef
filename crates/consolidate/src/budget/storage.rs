//! Number of entries that each cluster may add to long-term memory.

use nightfold_memory::config::BudgetConfig;

use super::{ShareRequest, apportion};

/// A cluster, all loose memories or all status lines together, as the storage budget sees it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StorageClaim {
    /// Cohesion of the cluster.
    pub(crate) cohesion: f64,
    /// Sum of its memories' saliences.
    pub(crate) salience: f64,
    /// Keep score of each entry it could add, in descending order with the required entries first.
    pub(crate) scores: Vec<f64>,
    /// Number of entries that must be kept.
    pub(crate) required: usize,
    /// Number of entries that justify a share of the budget: all but single unimportant memories.
    pub(crate) nontrivial: usize,
    /// True if all its memories are small talk, so that no floor applies.
    pub(crate) small_talk_only: bool,
    /// Number of earlier nights on which its theme was seen.
    pub(crate) earlier_nights: usize,
}

/// Divides `total` entries among the clusters: each gets at least its floor, and the rest is divided in
/// proportion to cohesion × salience, never more than a cluster has. A single unimportant memory is kept only
/// if the budget has room left for it once everything more salient is kept: such memories form cohesive
/// clusters, which would otherwise take the budget of important memories elsewhere. The exception is a theme
/// seen on an earlier night, which keeps its floor: a trace of routine must remain for it to become a habit.
///
/// Size is measured in salience, because idle states form the most cohesive clusters and would take the
/// budget of real events. To the extent that the game did not rate its memories (`unrated`, 0 to 1), the
/// importance of each cluster is unknown, and a part of the rest goes to the entries with the highest keep
/// scores, whatever their cluster.
pub(crate) fn storage_budgets(
    total: usize,
    claims: &[StorageClaim],
    unrated: f64,
    config: &BudgetConfig,
) -> Vec<usize> {
    // Clusters without positive cohesion have equal claims: among them, too, the more cohesive is served
    // first.
    let mut order: Vec<usize> = (0..claims.len()).collect();
    order.sort_by(|&a, &b| claims[b].cohesion.total_cmp(&claims[a].cohesion).then(a.cmp(&b)));
    let requests: Vec<ShareRequest> = order.iter().map(|&i| share_request(&claims[i], config)).collect();
    let floors: usize = requests.iter().map(|c| c.floor).sum();
    // Rounded up, so that a short day has at least one free entry; the 1e-9 absorbs rounding of the product.
    let free = config.unrated_free * unrated * total.saturating_sub(floors) as f64;
    let free = (free - 1e-9).ceil().max(0.0) as usize;
    let mut shares = vec![0; claims.len()];
    for (&i, share) in order.iter().zip(apportion(total - free, &requests)) {
        shares[i] = share;
    }
    let mut open: Vec<(f64, usize)> = order
        .iter()
        .flat_map(|&i| claims[i].scores[shares[i]..].iter().map(move |&score| (score, i)))
        .collect();
    // Stable: among equal scores those of the more cohesive cluster come first.
    open.sort_by(|a, b| b.0.total_cmp(&a.0));
    let left = total.saturating_sub(shares.iter().sum());
    open.into_iter().take(left).for_each(|(_, i)| shares[i] += 1);
    shares
}

/// Returns the number of entries that a cluster may claim in the first division.
fn max_claim(storage_claim: &StorageClaim, config: &BudgetConfig) -> usize {
    let routine = if storage_claim.earlier_nights > 0 && !storage_claim.small_talk_only {
        config.storage_floor
    } else {
        0
    };
    storage_claim.nontrivial.max(storage_claim.required).max(routine).min(storage_claim.scores.len())
}

fn share_request(storage_claim: &StorageClaim, config: &BudgetConfig) -> ShareRequest {
    let recurring = if storage_claim.earlier_nights > 0 { config.recurring } else { 1.0 };
    let floor = if storage_claim.small_talk_only { 0 } else { config.storage_floor };
    let cap = max_claim(storage_claim, config);
    ShareRequest {
        floor: storage_claim.required.max(floor).min(cap),
        cap,
        weight: storage_claim.cohesion.max(0.0) * storage_claim.salience * recurring,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn storage_claims() -> impl Strategy<Value = Vec<StorageClaim>> {
        let scores = prop::collection::vec(0.0..1.0_f64, 0..40);
        let one =
            (-0.2..1.0_f64, 0.0..300.0_f64, scores, 0..40_usize, 0..40_usize, any::<bool>(), 0..3_usize)
                .prop_map(|(cohesion, worth, mut scores, musts, worthy, idle, recurred)| {
                    scores.sort_by(|a, b| b.total_cmp(a));
                    let musts = musts.min(scores.len());
                    scores[..musts].iter_mut().for_each(|s| *s += 1.0);
                    StorageClaim {
                        cohesion,
                        salience: worth,
                        scores,
                        required: musts,
                        nontrivial: worthy,
                        small_talk_only: idle,
                        earlier_nights: recurred,
                    }
                });
        prop::collection::vec(one, 1..9)
    }

    proptest! {
        #[test]
        fn shares_sum_exactly_and_cover_required_entries(
            total in 0..200_usize, asking in storage_claims(), unrated in 0.0..=1.0_f64,
        ) {
            let config = BudgetConfig::default();
            let shares = storage_budgets(total, &asking, unrated, &config);
            let floors: usize = asking.iter().map(|a| share_request(a, &config).floor).sum();
            let all: usize = asking.iter().map(|a| a.scores.len()).sum();
            prop_assert_eq!(shares.iter().sum::<usize>(), total.clamp(floors, all));
            for (share, a) in shares.iter().zip(&asking) {
                prop_assert!((a.required..=a.scores.len()).contains(share));
            }
        }

        #[test]
        fn more_cohesion_never_lowers_the_share(
            total in 0..200_usize, asking in storage_claims(), unrated in 0.0..=1.0_f64, a in 0..8_usize, b in 0..8_usize, more in 0.0..1.0_f64,
        ) {
            let config = BudgetConfig::default();
            let a = a % asking.len();
            let b = (a + 1 + b % asking.len().max(2).saturating_sub(1)) % asking.len();
            let mut asking = asking;
            asking[b] = StorageClaim { cohesion: asking[a].cohesion + more, ..asking[a].clone() };
            let shares = storage_budgets(total, &asking, unrated, &config);
            prop_assert!(a == b || more == 0.0 || shares[b] >= shares[a], "{shares:?} {asking:?}");
            // Nor does a cluster get less if its cohesion rises while all others stay the same.
            let before = shares[a];
            asking[a].cohesion += more;
            prop_assert!(storage_budgets(total, &asking, unrated, &config)[a] >= before);
        }

        #[test]
        fn trivial_entry_is_kept_only_after_all_others(
            total in 0..200_usize, asking in storage_claims(), unrated in 0.0..=1.0_f64,
        ) {
            let config = BudgetConfig::default().with(|c| c.unrated_free = 0.0);
            let shares = storage_budgets(total, &asking, unrated, &config);
            let worth = |a: &StorageClaim| a.nontrivial.max(a.required).min(a.scores.len());
            // A theme seen on an earlier night keeps its floor.
            let trace = |a: &StorageClaim| if a.earlier_nights > 0 && !a.small_talk_only { config.storage_floor } else { 0 };
            let trifles = asking.iter().zip(&shares).any(|(a, &share)| share > worth(a).max(trace(a)));
            prop_assert!(!trifles || asking.iter().zip(&shares).all(|(a, &share)| share >= worth(a)));
        }

        #[test]
        fn free_entries_go_to_the_highest_keep_scores(total in 0..200_usize, asking in storage_claims()) {
            let rated = storage_budgets(total, &asking, 0.0, &BudgetConfig::default());
            let free = BudgetConfig::default().with(|c| { c.unrated_free = 1.0; c.storage_floor = 0; });
            let unrated = storage_budgets(total, &asking, 1.0, &free);
            let kept = |shares: &[usize]| -> f64 {
                asking.iter().zip(shares).flat_map(|(a, &s)| &a.scores[..s]).sum()
            };
            prop_assert!(rated.iter().sum::<usize>() > total || kept(&unrated) >= kept(&rated) - 1e-9);
        }

        #[test]
        fn recurrence_never_lowers_the_share(total in 0..200_usize, asking in storage_claims(), unrated in 0.0..=1.0_f64, a in 0..8_usize) {
            let config = BudgetConfig::default();
            let a = a % asking.len();
            let mut asking = asking;
            asking[a].earlier_nights = 0;
            let new = storage_budgets(total, &asking, unrated, &config)[a];
            asking[a].earlier_nights = 2;
            prop_assert!(storage_budgets(total, &asking, unrated, &config)[a] >= new);
        }

        #[test]
        fn shares_do_not_depend_on_cluster_order(
            total in 0..200_usize,
            unrated in 0.0..=1.0_f64,
            (asking, order) in storage_claims().prop_flat_map(|a| {
                let order: Vec<usize> = (0..a.len()).collect();
                (Just(a), Just(order).prop_shuffle())
            }),
        ) {
            let config = BudgetConfig::default();
            let shares = storage_budgets(total, &asking, unrated, &config);
            let shuffled: Vec<StorageClaim> = order.iter().map(|&i| asking[i].clone()).collect();
            let of_shuffled = storage_budgets(total, &shuffled, unrated, &config);
            for (place, &i) in order.iter().enumerate() {
                // Two clusters of equal cohesion and identical claims may be swapped.
                let same = |a: &&StorageClaim| {
                    a.cohesion.total_cmp(&asking[i].cohesion).is_eq() && share_request(a, &config) == share_request(&asking[i], &config)
                };
                let twins = asking.iter().filter(same).count();
                prop_assert!(twins > 1 || of_shuffled[place] == shares[i]);
            }
        }
    }
}
