//! Number of entries that each theme, and all that is in none, may add to long-term memory.

use nightfold_memory::config::BudgetConfig;

use super::{ShareRequest, apportion};

/// A theme, all loose memories or all status lines together, as the storage budget sees it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StorageClaim {
    /// Cohesion times size of a theme; `None` for what is in no theme.
    pub(crate) theme: Option<f64>,
    /// Keep score of each entry it could add, in importance points, in descending order with the required
    /// entries first.
    pub(crate) scores: Vec<f64>,
    /// Number of entries that must be kept.
    pub(crate) required: usize,
}

/// Divides `total` entries among the claims; returns the number of entries of each.
///
/// Required entries come first. Of the room that is left the themes divide the share `budget.cohesion_weight`: each has its
/// first entries (`budget.storage_floor`), the heaviest theme first, and more in proportion to its weight. The highest
/// scores of all have the rest, in a theme or not. With a weight of 0 the scores alone decide.
pub(crate) fn storage_budgets(total: usize, claims: &[StorageClaim], config: &BudgetConfig) -> Vec<usize> {
    let required: usize = claims.iter().map(|claim| claim.required).sum();
    let left = total.saturating_sub(required);
    // 0.57 of 100 is 57, even if the product is rounded down.
    let for_themes = (config.cohesion_weight * left as f64 + 1e-9).floor() as usize;
    let mut by_weight: Vec<usize> = (0..claims.len()).filter(|&i| claims[i].theme.is_some()).collect();
    by_weight.sort_by(|&a, &b| claims[b].theme.unwrap_or(0.0).total_cmp(&claims[a].theme.unwrap_or(0.0)));
    let mut floors_left = for_themes;
    let requests: Vec<ShareRequest> = by_weight
        .iter()
        .map(|&i| {
            let StorageClaim { theme, scores, required } = &claims[i];
            let floor = config.storage_floor.min(scores.len()).saturating_sub(*required).min(floors_left);
            floors_left -= floor;
            ShareRequest { floor, cap: scores.len() - required, weight: theme.unwrap_or(0.0) }
        })
        .collect();
    let mut shares: Vec<usize> = claims.iter().map(|claim| claim.required).collect();
    for (&i, more) in by_weight.iter().zip(apportion(for_themes, &requests)) {
        shares[i] += more;
    }
    let mut open: Vec<(f64, usize, usize)> = Vec::new();
    for (i, claim) in claims.iter().enumerate() {
        open.extend((shares[i]..claim.scores.len()).map(|entry| (claim.scores[entry], entry, i)));
    }
    // Of equal scores the first entries of every claim come before the second ones of any.
    open.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let rest = total.saturating_sub(shares.iter().sum());
    open.into_iter().take(rest).for_each(|(.., i)| shares[i] += 1);
    shares
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn storage_claims() -> impl Strategy<Value = Vec<StorageClaim>> {
        let scores = prop::collection::vec(0.0..10.0_f64, 0..40);
        let one = (prop::option::of(0.0..20.0_f64), scores, 0..40_usize).prop_map(
            |(theme, mut scores, required)| {
                scores.sort_by(|a, b| b.total_cmp(a));
                let required = required.min(scores.len());
                scores[..required].iter_mut().for_each(|s| *s += 10.0);
                StorageClaim { theme, scores, required }
            },
        );
        prop::collection::vec(one, 1..9)
    }

    fn weighed(cohesion_weight: f64) -> BudgetConfig {
        BudgetConfig::default().with(|c| c.cohesion_weight = cohesion_weight)
    }

    #[test]
    fn themes_divide_by_weight_and_the_rest_goes_by_score() {
        let claim = |theme, scores: &[f64]| StorageClaim { theme, scores: scores.to_vec(), required: 0 };
        let claims =
            [claim(Some(6.0), &[3.0; 10]), claim(Some(2.0), &[4.0; 10]), claim(None, &[6.0, 5.0, 2.0, 1.0])];
        assert_eq!(storage_budgets(8, &claims, &weighed(1.0)), [6, 2, 0]);
        assert_eq!(storage_budgets(8, &claims, &weighed(0.5)), [3, 3, 2]);
        assert_eq!(storage_budgets(8, &claims, &weighed(0.0)), [0, 6, 2]);
    }

    proptest! {
        #[test]
        fn shares_sum_exactly_and_cover_required_entries(
            total in 0..200_usize, claims in storage_claims(), weight in 0.0..=1.0_f64, floor in 0..4_usize,
        ) {
            let config = weighed(weight).with(|c| c.storage_floor = floor);
            let shares = storage_budgets(total, &claims, &config);
            let required: usize = claims.iter().map(|claim| claim.required).sum();
            let all: usize = claims.iter().map(|claim| claim.scores.len()).sum();
            prop_assert_eq!(shares.iter().sum::<usize>(), total.clamp(required, all));
            for (share, claim) in shares.iter().zip(&claims) {
                prop_assert!((claim.required..=claim.scores.len()).contains(share));
            }
        }

        #[test]
        fn without_cohesion_no_entry_is_kept_in_place_of_a_higher_one(
            total in 0..200_usize, claims in storage_claims(),
        ) {
            let shares = storage_budgets(total, &claims, &weighed(0.0));
            let kept = claims.iter().zip(&shares).flat_map(|(c, &share)| &c.scores[c.required.min(share)..share]);
            let lowest = kept.copied().fold(f64::INFINITY, f64::min);
            let gone = claims.iter().zip(&shares).flat_map(|(c, &share)| &c.scores[share..]);
            prop_assert!(gone.copied().fold(0.0, f64::max) <= lowest);
        }

        #[test]
        fn heavier_theme_with_the_same_memories_never_gets_less(
            total in 0..200_usize, claims in storage_claims(), a in 0..8_usize, more in 0.0..9.0_f64,
            weight in 0.0..=1.0_f64,
        ) {
            let mut claims = claims;
            let lighter = claims[a % claims.len()].clone();
            prop_assume!(lighter.theme.is_some());
            let heavier = StorageClaim { theme: lighter.theme.map(|theme| theme + more), ..lighter.clone() };
            claims.extend([heavier, lighter]);
            let shares = storage_budgets(total, &claims, &weighed(weight));
            let [.., heavier, lighter] = shares[..] else { unreachable!("two were added") };
            prop_assert!(heavier >= lighter, "{shares:?}");
        }

        #[test]
        fn shares_do_not_depend_on_the_order_of_the_claims(
            total in 0..200_usize,
            (claims, order) in storage_claims().prop_flat_map(|claims| {
                let order: Vec<usize> = (0..claims.len()).collect();
                (Just(claims), Just(order).prop_shuffle())
            }),
        ) {
            let shares = storage_budgets(total, &claims, &BudgetConfig::default());
            let shuffled: Vec<StorageClaim> = order.iter().map(|&i| claims[i].clone()).collect();
            let of_shuffled = storage_budgets(total, &shuffled, &BudgetConfig::default());
            for (place, &i) in order.iter().enumerate() {
                prop_assert_eq!(of_shuffled[place], shares[i]);
            }
        }
    }
}
