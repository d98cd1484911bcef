//! How many entries each theme may leave behind.

use nightfold_memory::BudgetConfig;

use super::{Claim, share_out};

/// A theme, or all loose memories together, as the storage budget sees it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Asking {
    /// How well it hangs together.
    pub(crate) cohesion: f64,
    /// What its memories are worth together.
    pub(crate) worth: f64,
    /// How much each entry that it could leave behind is worth keeping, the best first; those that must be kept before
    /// all others.
    pub(crate) scores: Vec<f64>,
    /// How many of those must be kept.
    pub(crate) musts: usize,
    /// How many of its entries are worth a share of their own: all but single unimportant memories.
    pub(crate) worthy: usize,
    /// Whether there is nothing in it that a floor should keep.
    pub(crate) idle: bool,
    /// On how many earlier nights it was seen.
    pub(crate) recurred: usize,
}

/// Shares `total` entries out, each theme at least its floor, the rest in proportion to cohesion × size, never more
/// than it has. A single unimportant memory is kept only where nothing that is worth more is left out, whatever its
/// theme: trifles hang together well, and would take what a weighty memory elsewhere needs. Only what came up on an
/// earlier night keeps its floor all the same: of routine a trace must stay, or it never becomes a habit.
///
/// Size is counted in worth: idle states hang together best of all, and would take the budget of what happened. As
/// far as the game did not rate its memories (`unrated`, 0 to 1), nobody knows which theme matters, and a part of the
/// rest goes to what is most worth keeping, whatever its theme.
pub(crate) fn storage_budgets(
    total: usize,
    asking: &[Asking],
    unrated: f64,
    config: &BudgetConfig,
) -> Vec<usize> {
    // Themes without cohesion claim alike: of those, too, the more cohesive counts first.
    let mut order: Vec<usize> = (0..asking.len()).collect();
    order.sort_by(|&a, &b| asking[b].cohesion.total_cmp(&asking[a].cohesion).then(a.cmp(&b)));
    let claims: Vec<Claim> = order.iter().map(|&i| claim(&asking[i], config)).collect();
    let floors: usize = claims.iter().map(|c| c.floor).sum();
    // Rounded up: of the few entries of a short day one at least is free. What a product rounds to does not count.
    let free = config.unrated_free * unrated * total.saturating_sub(floors) as f64;
    let free = (free - 1e-9).ceil().max(0.0) as usize;
    let mut shares = vec![0; asking.len()];
    for (&i, share) in order.iter().zip(share_out(total - free, &claims)) {
        shares[i] = share;
    }
    let mut open: Vec<(f64, usize)> = order
        .iter()
        .flat_map(|&i| asking[i].scores[shares[i]..].iter().map(move |&score| (score, i)))
        .collect();
    // Stable: of equal scores those of the more cohesive theme come first.
    open.sort_by(|a, b| b.0.total_cmp(&a.0));
    let left = total.saturating_sub(shares.iter().sum());
    open.into_iter().take(left).for_each(|(_, i)| shares[i] += 1);
    shares
}

/// How many of its entries a theme may claim before all themes have theirs.
fn claimable(asking: &Asking, config: &BudgetConfig) -> usize {
    let routine = if asking.recurred > 0 && !asking.idle { config.storage_floor } else { 0 };
    asking.worthy.max(asking.musts).max(routine).min(asking.scores.len())
}

fn claim(asking: &Asking, config: &BudgetConfig) -> Claim {
    let recurring = if asking.recurred > 0 { config.recurring } else { 1.0 };
    let floor = if asking.idle { 0 } else { config.storage_floor };
    let cap = claimable(asking, config);
    Claim {
        floor: asking.musts.max(floor).min(cap),
        cap,
        weight: asking.cohesion.max(0.0) * asking.worth * recurring,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn asking() -> impl Strategy<Value = Vec<Asking>> {
        let scores = prop::collection::vec(0.0..1.0_f64, 0..40);
        let one =
            (-0.2..1.0_f64, 0.0..300.0_f64, scores, 0..40_usize, 0..40_usize, any::<bool>(), 0..3_usize)
                .prop_map(|(cohesion, worth, mut scores, musts, worthy, idle, recurred)| {
                    scores.sort_by(|a, b| b.total_cmp(a));
                    let musts = musts.min(scores.len());
                    scores[..musts].iter_mut().for_each(|s| *s += 1.0);
                    Asking { cohesion, worth, scores, musts, worthy, idle, recurred }
                });
        prop::collection::vec(one, 1..9)
    }

    proptest! {
        #[test]
        fn sums_are_exact_musts_are_kept_and_none_gets_more_than_it_has(
            total in 0..200_usize, asking in asking(), unrated in 0.0..=1.0_f64,
        ) {
            let config = BudgetConfig::default();
            let shares = storage_budgets(total, &asking, unrated, &config);
            let floors: usize = asking.iter().map(|a| claim(a, &config).floor).sum();
            let all: usize = asking.iter().map(|a| a.scores.len()).sum();
            prop_assert_eq!(shares.iter().sum::<usize>(), total.clamp(floors, all));
            for (share, a) in shares.iter().zip(&asking) {
                prop_assert!((a.musts..=a.scores.len()).contains(share));
            }
        }

        #[test]
        fn more_cohesion_never_gets_less_at_equal_size(
            total in 0..200_usize, asking in asking(), unrated in 0.0..=1.0_f64, a in 0..8_usize, b in 0..8_usize, more in 0.0..1.0_f64,
        ) {
            let config = BudgetConfig::default();
            let a = a % asking.len();
            let b = (a + 1 + b % asking.len().max(2).saturating_sub(1)) % asking.len();
            let mut asking = asking;
            asking[b] = Asking { cohesion: asking[a].cohesion + more, ..asking[a].clone() };
            let shares = storage_budgets(total, &asking, unrated, &config);
            prop_assert!(a == b || more == 0.0 || shares[b] >= shares[a], "{shares:?} {asking:?}");
            // Nor does a theme get less for becoming more cohesive while all others stay as they are.
            let before = shares[a];
            asking[a].cohesion += more;
            prop_assert!(storage_budgets(total, &asking, unrated, &config)[a] >= before);
        }

        #[test]
        fn a_trifle_is_kept_only_where_nothing_worth_more_is_left_out(
            total in 0..200_usize, asking in asking(), unrated in 0.0..=1.0_f64,
        ) {
            let config = BudgetConfig { unrated_free: 0.0, ..BudgetConfig::default() };
            let shares = storage_budgets(total, &asking, unrated, &config);
            let worth = |a: &Asking| a.worthy.max(a.musts).min(a.scores.len());
            // Of what came up on an earlier night a trace stays all the same.
            let trace = |a: &Asking| if a.recurred > 0 && !a.idle { config.storage_floor } else { 0 };
            let trifles = asking.iter().zip(&shares).any(|(a, &share)| share > worth(a).max(trace(a)));
            prop_assert!(!trifles || asking.iter().zip(&shares).all(|(a, &share)| share >= worth(a)));
        }

        #[test]
        fn what_is_free_goes_to_the_best(total in 0..200_usize, asking in asking()) {
            let rated = storage_budgets(total, &asking, 0.0, &BudgetConfig::default());
            let free = BudgetConfig { unrated_free: 1.0, storage_floor: 0, ..BudgetConfig::default() };
            let unrated = storage_budgets(total, &asking, 1.0, &free);
            let kept = |shares: &[usize]| -> f64 {
                asking.iter().zip(shares).flat_map(|(a, &s)| &a.scores[..s]).sum()
            };
            prop_assert!(rated.iter().sum::<usize>() > total || kept(&unrated) >= kept(&rated) - 1e-9);
        }

        #[test]
        fn a_theme_that_recurs_never_gets_less(total in 0..200_usize, asking in asking(), unrated in 0.0..=1.0_f64, a in 0..8_usize) {
            let config = BudgetConfig::default();
            let a = a % asking.len();
            let mut asking = asking;
            asking[a].recurred = 0;
            let new = storage_budgets(total, &asking, unrated, &config)[a];
            asking[a].recurred = 2;
            prop_assert!(storage_budgets(total, &asking, unrated, &config)[a] >= new);
        }

        #[test]
        fn the_order_of_themes_does_not_matter(
            total in 0..200_usize,
            unrated in 0.0..=1.0_f64,
            (asking, order) in asking().prop_flat_map(|a| {
                let order: Vec<usize> = (0..a.len()).collect();
                (Just(a), Just(order).prop_shuffle())
            }),
        ) {
            let config = BudgetConfig::default();
            let shares = storage_budgets(total, &asking, unrated, &config);
            let shuffled: Vec<Asking> = order.iter().map(|&i| asking[i].clone()).collect();
            let of_shuffled = storage_budgets(total, &shuffled, unrated, &config);
            for (place, &i) in order.iter().enumerate() {
                // Two of one cohesion that claim the very same may change places.
                let same = |a: &&Asking| {
                    a.cohesion.total_cmp(&asking[i].cohesion).is_eq() && claim(a, &config) == claim(&asking[i], &config)
                };
                let twins = asking.iter().filter(same).count();
                prop_assert!(twins > 1 || of_shuffled[place] == shares[i]);
            }
        }
    }
}
