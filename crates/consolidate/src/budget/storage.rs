//! How many entries each theme may leave behind.

use nightfold_memory::BudgetConfig;

use super::{Claim, share_out};

/// A theme, or all loose memories together, as the storage budget sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Asking {
    /// How well it hangs together.
    pub(crate) cohesion: f64,
    /// The summed importance of its memories.
    pub(crate) importance: u32,
    /// How many entries it could leave behind at most.
    pub(crate) entries: usize,
    /// How many of those must be kept.
    pub(crate) musts: usize,
    /// On how many earlier nights it was seen.
    pub(crate) recurred: usize,
}

/// Shares `total` entries out, each theme at least its floor, the rest in proportion to cohesion × size, never more
/// than it has.
///
/// Size is counted in importance: idle states hang together best of all, and would take the budget of what happened.
pub(crate) fn storage_budgets(total: usize, asking: &[Asking], config: &BudgetConfig) -> Vec<usize> {
    // Themes without cohesion claim alike: of those, too, the more cohesive counts first.
    let mut order: Vec<usize> = (0..asking.len()).collect();
    order.sort_by(|&a, &b| asking[b].cohesion.total_cmp(&asking[a].cohesion).then(a.cmp(&b)));
    let claims: Vec<Claim> = order.iter().map(|&i| claim(&asking[i], config)).collect();
    let mut shares = vec![0; asking.len()];
    for (&i, share) in order.iter().zip(share_out(total, &claims)) {
        shares[i] = share;
    }
    shares
}

fn claim(asking: &Asking, config: &BudgetConfig) -> Claim {
    let recurring = if asking.recurred > 0 { config.recurring } else { 1.0 };
    Claim {
        floor: asking.musts.max(config.storage_floor).min(asking.entries),
        cap: asking.entries,
        weight: asking.cohesion.max(0.0) * f64::from(asking.importance) * recurring,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn asking() -> impl Strategy<Value = Vec<Asking>> {
        let one = (-0.2..1.0_f64, 0..300_u32, 0..40_usize, 0..40_usize, 0..3_usize).prop_map(
            |(cohesion, importance, entries, musts, recurred)| Asking {
                cohesion,
                importance,
                entries,
                musts: musts.min(entries),
                recurred,
            },
        );
        prop::collection::vec(one, 1..9)
    }

    proptest! {
        #[test]
        fn sums_are_exact_musts_are_kept_and_none_gets_more_than_it_has(
            total in 0..200_usize, asking in asking(),
        ) {
            let config = BudgetConfig::default();
            let shares = storage_budgets(total, &asking, &config);
            let floors: usize = asking.iter().map(|a| a.musts.max(1).min(a.entries)).sum();
            let all: usize = asking.iter().map(|a| a.entries).sum();
            prop_assert_eq!(shares.iter().sum::<usize>(), total.clamp(floors, all));
            for (share, a) in shares.iter().zip(&asking) {
                prop_assert!((a.musts..=a.entries).contains(share));
            }
        }

        #[test]
        fn more_cohesion_never_gets_less_at_equal_size(
            total in 0..200_usize, asking in asking(), a in 0..8_usize, b in 0..8_usize, more in 0.0..1.0_f64,
        ) {
            let config = BudgetConfig::default();
            let a = a % asking.len();
            let b = (a + 1 + b % asking.len().max(2).saturating_sub(1)) % asking.len();
            let mut asking = asking;
            asking[b] = Asking { cohesion: asking[a].cohesion + more, ..asking[a] };
            let shares = storage_budgets(total, &asking, &config);
            prop_assert!(a == b || more == 0.0 || shares[b] >= shares[a], "{shares:?} {asking:?}");
            // Nor does a theme get less for becoming more cohesive while all others stay as they are.
            let before = shares[a];
            asking[a].cohesion += more;
            prop_assert!(storage_budgets(total, &asking, &config)[a] >= before);
        }

        #[test]
        fn a_theme_that_recurs_never_gets_less(total in 0..200_usize, asking in asking(), a in 0..8_usize) {
            let config = BudgetConfig::default();
            let a = a % asking.len();
            let mut asking = asking;
            asking[a].recurred = 0;
            let new = storage_budgets(total, &asking, &config)[a];
            asking[a].recurred = 2;
            prop_assert!(storage_budgets(total, &asking, &config)[a] >= new);
        }

        #[test]
        fn the_order_of_themes_does_not_matter(
            total in 0..200_usize,
            (asking, order) in asking().prop_flat_map(|a| {
                let order: Vec<usize> = (0..a.len()).collect();
                (Just(a), Just(order).prop_shuffle())
            }),
        ) {
            let config = BudgetConfig::default();
            let shares = storage_budgets(total, &asking, &config);
            let shuffled: Vec<Asking> = order.iter().map(|&i| asking[i]).collect();
            let of_shuffled = storage_budgets(total, &shuffled, &config);
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
