//! Number of reflections that each cluster may yield.

/// Returns the number of reflection slots of each cluster, the most cohesive first. After a full night the
/// first cluster has `most` slots, the last has one, and those between are spaced evenly. `share` scales
/// their sum (rounded); a lower share first removes second slots, and the slots of the last clusters before
/// those of the first.
pub(crate) fn reflection_slots(clusters: usize, most: usize, share: f64) -> Vec<usize> {
    let last = clusters.saturating_sub(1).max(1);
    let wanted: Vec<usize> = (0..clusters).map(|rank| most - most.saturating_sub(1) * rank / last).collect();
    let mut left = (wanted.iter().sum::<usize>() as f64 * share).round() as usize;
    let mut slots = vec![0; clusters];
    for round in 1..=most {
        for (slot, &wanted) in slots.iter_mut().zip(&wanted) {
            if wanted >= round && left > 0 {
                *slot += 1;
                left -= 1;
            }
        }
    }
    slots
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn most_cohesive_cluster_gets_most_slots() {
        assert_eq!(reflection_slots(3, 2, 1.0), [2, 2, 1]);
        assert_eq!(reflection_slots(3, 2, 0.5), [1, 1, 1]);
        assert_eq!(reflection_slots(1, 2, 1.0), [2]);
        assert_eq!(reflection_slots(2, 0, 1.0), [0, 0]);
    }

    proptest! {
        #[test]
        fn slots_never_rise_with_rank_nor_fall_with_a_better_night(
            themes in 0..9_usize, most in 0..6_usize, a in 0.0..1.0_f64, b in 0.0..1.0_f64,
        ) {
            let full = reflection_slots(themes, most, 1.0);
            let poor = reflection_slots(themes, most, a.min(b));
            let better = reflection_slots(themes, most, a.max(b));
            prop_assert_eq!(poor.iter().sum::<usize>(), (full.iter().sum::<usize>() as f64 * a.min(b)).round() as usize);
            prop_assert!(poor.is_sorted_by(|x, y| x >= y));
            prop_assert!(poor.iter().zip(&better).all(|(p, q)| p <= q));
            prop_assert!(full.iter().all(|&s| s <= most));
        }
    }
}
