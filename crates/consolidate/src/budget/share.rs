//! Exact division of a budget among clusters.

use std::cmp::Ordering;

/// Request of one cluster for a part of the budget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ShareRequest {
    /// Guaranteed amount, granted before the rest is divided.
    pub(crate) floor: usize,
    /// Maximum amount it can use; at least `floor`.
    pub(crate) cap: usize,
    /// Weight by which the rest is divided proportionally; not negative.
    pub(crate) weight: f64,
}

impl ShareRequest {
    /// Orders claims by descending weight, and equal weights by descending cap and floor.
    fn order(&self, other: &Self) -> Ordering {
        let by_weight = other.weight.total_cmp(&self.weight);
        by_weight.then((other.cap, other.floor).cmp(&(self.cap, self.floor)))
    }
}

/// Divides `total` among the claims: floors first, then the rest in proportion to weight, never above a cap
/// (the surplus is redistributed), rounded to whole numbers by largest remainder (Hamilton 1792).
///
/// The shares add up to `total`, or to the sum of floors if that is more, or to the sum of caps if that is
/// less. The order of claims does not matter, except that the earlier of two identical claims is served
/// first.
pub(crate) fn apportion(total: usize, claims: &[ShareRequest]) -> Vec<usize> {
    // One order for all steps below: even a floating-point sum of weights depends on its order.
    let mut order: Vec<usize> = (0..claims.len()).collect();
    order.sort_by(|&a, &b| claims[a].order(&claims[b]).then(a.cmp(&b)));

    let mut shares: Vec<usize> = claims.iter().map(|c| c.floor).collect();
    let mut left = total.saturating_sub(shares.iter().sum());
    // Water-filling: a claim that would rise above its cap is filled to it, and the other claims share the
    // surplus.
    let mut open: Vec<usize> = order.into_iter().filter(|&i| shares[i] < claims[i].cap).collect();
    while left > 0 && !open.is_empty() {
        let weights: f64 = open.iter().map(|&i| claims[i].weight).sum();
        let ideal = |i: usize| {
            if weights > 0.0 {
                left as f64 * claims[i].weight / weights
            } else {
                left as f64 / open.len() as f64
            }
        };
        let full: Vec<usize> =
            open.iter().copied().filter(|&i| ideal(i) >= (claims[i].cap - shares[i]) as f64).collect();
        if full.is_empty() {
            let mut rest: Vec<(usize, f64)> = open.iter().map(|&i| (i, ideal(i))).collect();
            for (i, ideal) in &mut rest {
                let whole = ideal.floor();
                shares[*i] += whole as usize;
                left -= whole as usize;
                *ideal -= whole;
            }
            // Stable: among equal remainders the heavier claim comes first, so more weight never gets less.
            rest.sort_by(|a, b| b.1.total_cmp(&a.1));
            for (i, _) in rest.into_iter().take(left) {
                shares[i] += 1;
            }
            break;
        }
        for &i in &full {
            left -= claims[i].cap - shares[i];
            shares[i] = claims[i].cap;
        }
        open.retain(|i| !full.contains(i));
    }
    shares
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn claims() -> impl Strategy<Value = Vec<ShareRequest>> {
        prop::collection::vec((0..4_usize, 0..40_usize, 0.0..20.0_f64), 1..9).prop_map(|v| {
            v.into_iter()
                .map(|(floor, more, weight)| ShareRequest { floor, cap: floor + more, weight })
                .collect()
        })
    }

    proptest! {
        #[test]
        fn shares_sum_exactly_and_stay_within_bounds(total in 0..150_usize, claims in claims()) {
            let shares = apportion(total, &claims);
            let floors: usize = claims.iter().map(|c| c.floor).sum();
            let caps: usize = claims.iter().map(|c| c.cap).sum();
            prop_assert_eq!(shares.iter().sum::<usize>(), total.clamp(floors, caps));
            for (share, claim) in shares.iter().zip(&claims) {
                prop_assert!((claim.floor..=claim.cap).contains(share));
            }
        }

        #[test]
        fn more_weight_never_gets_less(total in 0..150_usize, claims in claims(), a in 0..8_usize, b in 0..8_usize) {
            let (a, b) = (a % claims.len(), b % claims.len());
            let mut claims = claims;
            (claims[b].floor, claims[b].cap) = (claims[a].floor, claims[a].cap);
            let shares = apportion(total, &claims);
            if claims[a].weight > claims[b].weight {
                prop_assert!(shares[a] >= shares[b], "{:?} {:?}", shares, claims);
            }
        }
    }

    #[test]
    fn surplus_above_a_cap_is_redistributed() {
        let claim = |cap, weight| ShareRequest { floor: 1, cap, weight };
        assert_eq!(apportion(10, &[claim(2, 100.0), claim(20, 1.0), claim(20, 1.0)]), [2, 4, 4]);
        assert_eq!(apportion(1, &[claim(5, 1.0), claim(5, 1.0)]), [1, 1]);
    }
}
