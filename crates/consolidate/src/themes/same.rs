//! Matches the clusters of this night to the themes of earlier nights.

use std::collections::BTreeSet;

use crate::gram::dot;

/// Memories that are about one thing: a theme of earlier nights or a cluster of this one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Subject<'a> {
    pub(super) centre: &'a [f32],
    /// Frequent word stems.
    pub(super) stems: BTreeSet<&'a str>,
}

/// Returns for each subject of `tonight` the index of the one among `known` that it continues. The closest
/// pairs are matched first, each subject at most once, and never with a cosine of the centres below `from` or without
/// a stem in common. Among equally close pairs the lower index in `known` is matched first, then the lower index in
/// `tonight`. Centres of different length never match.
pub(super) fn match_themes(known: &[Subject<'_>], tonight: &[Subject<'_>], from: f64) -> Vec<Option<usize>> {
    let mut pairs: Vec<(f32, usize, usize)> = Vec::new();
    for (k, one) in known.iter().enumerate() {
        let alike = |other: &Subject<'_>| {
            other.centre.len() == one.centre.len() && !one.stems.is_disjoint(&other.stems)
        };
        let close = tonight.iter().enumerate().filter(|(_, other)| alike(other));
        let close = close.map(|(t, other)| (dot(one.centre, other.centre), k, t));
        pairs.extend(close.filter(|pair| f64::from(pair.0) >= from));
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
        match_themes(&subjects(&known, &["silver"]), &subjects(&tonight, &["silver"]), from)
    }

    fn subjects<'a>(centres: &'a [Vec<f32>], stems: &[&'a str]) -> Vec<Subject<'a>> {
        centres.iter().map(|centre| Subject { centre, stems: stems.iter().copied().collect() }).collect()
    }

    #[test]
    fn themes_match_only_with_a_word_in_common() {
        let (near, other) = (vec![unit(0.0)], vec![vec![1.0]]);
        let found = |known: &[&'static str], tonight: &[&'static str]| {
            match_themes(&subjects(&near, known), &subjects(&near, tonight), 0.5)
        };
        assert_eq!(found(&["joss", "silver"], &["mill", "silver"]), [Some(0)]);
        assert_eq!(found(&["joss", "silver"], &["mill"]), [None]);
        assert_eq!(found(&[], &[]), [None]);
        let found = match_themes(&subjects(&other, &["silver"]), &subjects(&near, &["silver"]), 0.0);
        assert_eq!(found, [None], "of another model");
    }

    #[test]
    fn closest_pairs_match_first_and_one_to_one() {
        // Both of tonight's centres are near the first known one: the closer one gets it, the other one gets
        // the second.
        assert_eq!(same(&[0.0, 40.0], &[25.0, 3.0], 0.8), [Some(1), Some(0)]);
        assert_eq!(same(&[0.0], &[25.0, 3.0], 0.8), [None, Some(0)]);
        assert_eq!(same(&[0.0], &[90.0], 0.8), [None]);
        assert_eq!(same(&[], &[1.0], 0.8), [None]);
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
