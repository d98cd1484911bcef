//! Themes of a day: its clusters that hang together, are large enough and matter.

use nightfold_memory::{Importance, ValidConfig};

use super::{Clustering, Proximity};

impl Clustering {
    /// Keeps the clusters that are themes; what is in no theme is loose.
    ///
    /// A member whose mean proximity to the others of its cluster is below `themes.proximity` leaves it, the furthest
    /// first. What is left is a theme if it has `cluster.min_size` members, at least two, and a mean importance of
    /// `themes.importance`. Of more than `themes.most` themes those of the largest summed proximity stay.
    pub(crate) fn into_themes(
        self,
        proximity: &Proximity<'_>,
        importances: &[Importance],
        config: &ValidConfig,
    ) -> Self {
        let Self { clusters, mut loose, silhouette } = self;
        let min_size = config.cluster.min_size.max(2);
        let is_weighty = |rows: &[usize]| {
            let sum: u32 = rows.iter().map(|&row| u32::from(importances[row].get())).sum();
            f64::from(sum) >= config.themes.importance * rows.len() as f64
        };
        let mut themes: Vec<(f64, Vec<usize>)> = Vec::new();
        for mut rows in clusters {
            let means = hold_together(proximity, &mut rows, config.themes.proximity, &mut loose);
            if rows.len() >= min_size && is_weighty(&rows) {
                themes.push((means.iter().sum(), rows));
            } else {
                loose.extend(rows);
            }
        }
        // Stable: of equal themes the larger one stays, then that of the first row.
        themes.sort_by(|a, b| b.0.total_cmp(&a.0));
        let over = themes.split_off(themes.len().min(config.themes.most));
        loose.extend(over.into_iter().flat_map(|(_, rows)| rows));
        loose.sort_unstable();
        Self { clusters: themes.into_iter().map(|(_, rows)| rows).collect(), loose, silhouette }
    }
}

/// Moves the rows that are too far from the others out of `rows`, the furthest first, until none is. Returns the mean
/// proximity of each row that stays.
fn hold_together(
    proximity: &Proximity<'_>,
    rows: &mut Vec<usize>,
    least: f64,
    loose: &mut Vec<usize>,
) -> Vec<f64> {
    let mut sums = proximity.sums_within(rows);
    loop {
        let others = rows.len().saturating_sub(1).max(1) as f64;
        let furthest = (0..rows.len()).min_by(|&a, &b| sums[a].total_cmp(&sums[b]));
        let Some(at) = furthest.filter(|&at| sums[at] < least * others) else {
            return sums.into_iter().map(|sum| sum / others).collect();
        };
        let row = rows.remove(at);
        sums.remove(at);
        sums.iter_mut().zip(rows.iter()).for_each(|(sum, &other)| *sum -= proximity.between(row, other));
        loose.push(row);
    }
}

#[cfg(test)]
mod tests {
    use nightfold_memory::{Config, Vectors};
    use proptest::prelude::*;

    use super::*;
    use crate::gram::Gram;

    fn themes(angles: &[f32], importances: &[u8], edit: impl FnOnce(&mut Config)) -> Clustering {
        let mut vectors = Vectors::with_capacity(2, angles.len());
        angles.iter().for_each(|degrees| {
            let (sin, cos) = degrees.to_radians().sin_cos();
            vectors.push(&[cos, sin]).unwrap();
        });
        let mut config = Config::default();
        edit(&mut config);
        let gram = Gram::new(&vectors);
        let importances: Vec<Importance> = importances.iter().map(|&i| Importance::new(i).unwrap()).collect();
        let halves = |row: usize| Some(usize::from(angles[row] > 90.0));
        let labels: Vec<Option<usize>> = (0..angles.len()).map(halves).collect();
        let clustering = Clustering::from_labels(&labels, 1);
        clustering.into_themes(&Proximity::of(&gram), &importances, &config.check().unwrap())
    }

    #[test]
    fn what_does_not_hang_together_is_loose() {
        // 80 degrees have a mean cosine of .26 to 0 and 10.
        let found = themes(&[0.0, 10.0, 80.0, 100.0, 180.0], &[5; 5], |_| ());
        assert_eq!((found.clusters, found.loose), (vec![vec![0, 1]], vec![2, 3, 4]));
    }

    #[test]
    fn unimportant_and_small_clusters_are_no_themes() {
        let of = |importances: &[u8], edit: fn(&mut Config)| {
            themes(&[0.0, 5.0, 10.0, 120.0, 125.0], importances, edit).clusters
        };
        assert_eq!(of(&[5; 5], |_| ()), [vec![0, 1, 2], vec![3, 4]]);
        assert_eq!(of(&[1, 2, 2, 2, 2], |_| ()), [[3, 4]]);
        assert_eq!(of(&[5; 5], |c| c.cluster.min_size = 3), [[0, 1, 2]]);
        assert_eq!(of(&[5; 5], |c| c.themes.most = 1), [[0, 1, 2]]);
    }

    proptest! {
        #[test]
        fn every_member_of_a_theme_is_near_enough_and_every_row_is_somewhere(
            angles in prop::collection::vec(0.0..180.0_f32, 1..20), least in -1.0..1.0_f64,
        ) {
            let found = themes(&angles, &vec![5; angles.len()], |c| c.themes.proximity = least);
            for rows in &found.clusters {
                for &row in rows {
                    let cosine = |&other: &usize| f64::from((angles[row] - angles[other]).to_radians().cos());
                    let mean = rows.iter().filter(|&&other| other != row).map(cosine).sum::<f64>();
                    prop_assert!(mean / (rows.len() - 1) as f64 > least - 1e-4);
                }
            }
            let mut all: Vec<usize> = found.clusters.iter().flatten().chain(&found.loose).copied().collect();
            all.sort_unstable();
            prop_assert_eq!(all, (0..angles.len()).collect::<Vec<_>>());
        }
    }
}
