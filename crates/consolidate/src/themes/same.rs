//! Matches the clusters of this night to the themes of earlier nights.

use crate::gram::dot;

/// Returns for each centre of `current` the index of the one among `known` that it continues. The closest
/// pairs are matched first, each centre at most once, and never with a cosine below `min_similarity`. Among
/// equally close pairs the lower index in `known` is matched first, then the lower index in `current`.
/// Centres of different length never match.
pub fn match_themes(known: &[&[f32]], tonight: &[&[f32]], from: f64) -> Vec<Option<usize>> {
    let mut pairs: Vec<(f32, usize, usize)> = Vec::new();
    for (k, one) in known.iter().enumerate() {
        let close = tonight.iter().enumerate().filter(|(_, other)| other.len() == one.len());
        pairs.extend(close.map(|(t, other)| (dot(one, other), k, t)).filter(|p| f64::from(p.0) >= from));
    }
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut found = vec![None; tonight.len()];
    let mut taken = vec![false; known.len()];
    for (_, k, t) in pairs {
        if !taken[k] && found[t].is_none() {
            (taken[k], found[t]) = (true, Some(k));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn unit(degrees: f32) -> Vec<f32> {
        let angle = degrees.to_radians();
        vec![angle.cos(), angle.sin()]
    }

    fn same(known: &[f32], tonight: &[f32], from: f64) -> Vec<Option<usize>> {
        let vectors = |angles: &[f32]| angles.iter().map(|&a| unit(a)).collect::<Vec<_>>();
        let (known, tonight) = (vectors(known), vectors(tonight));
        let slices = |v: &'static [Vec<f32>]| v.iter().map(Vec::as_slice).collect::<Vec<_>>();
        match_themes(&slices(known.leak()), &slices(tonight.leak()), from)
    }

    #[test]
    fn closest_pairs_match_first_and_one_to_one() {
        // Both of tonight's centres are near the first known one: the closer one gets it, the other one gets
        // the second.
        assert_eq!(same(&[0.0, 40.0], &[25.0, 3.0], 0.8), [Some(1), Some(0)]);
        assert_eq!(same(&[0.0], &[25.0, 3.0], 0.8), [None, Some(0)]);
        assert_eq!(same(&[0.0], &[90.0], 0.8), [None]);
        assert_eq!(same(&[], &[1.0], 0.8), [None]);
        assert_eq!(match_themes(&[&[1.0]], &[&[1.0, 0.0]], 0.0), [None], "of another model");
    }

    proptest! {
        #[test]
        fn matches_do_not_depend_on_cluster_order(
            known in prop::collection::btree_set(0..180_u16, 0..8),
            (tonight, order) in prop::collection::btree_set(0..1800_u16, 0..8).prop_flat_map(|t| {
                let tonight: Vec<f32> = t.into_iter().map(|a| f32::from(a) / 10.0 + 0.03).collect();
                let order: Vec<usize> = (0..tonight.len()).collect();
                (Just(tonight), Just(order).prop_shuffle())
            }),
            from in 0.0..1.0_f64,
        ) {
            let known: Vec<f32> = known.into_iter().map(f32::from).collect();
            let found = same(&known, &tonight, from);
            let shuffled: Vec<f32> = order.iter().map(|&i| tonight[i]).collect();
            let again = same(&known, &shuffled, from);
            for (place, &i) in order.iter().enumerate() {
                prop_assert_eq!(again[place], found[i]);
            }
            let mut used: Vec<usize> = found.iter().flatten().copied().collect();
            used.sort_unstable();
            prop_assert!(used.windows(2).all(|w| w[0] < w[1]), "each once");
        }
    }
}
