//! Agreement of found groups with true ones.

use crate::contingency::Contingency;

/// Agreement of found groups with true ones, each measure 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct GroupingScore {
    /// Share of lines whose found group holds exactly the lines of its true one (Zhu et al. 2019).
    pub(crate) accuracy: f64,
    /// Harmonic mean of precision and recall over pairs of lines in one group.
    pub(crate) pairwise_f1: f64,
}

impl GroupingScore {
    /// Compares the true group of each line with the found one. Without lines, or without pairs on either
    /// side, nothing can be wrong: 1.
    pub(crate) fn of<L: Ord>(pairs: impl IntoIterator<Item = (L, i64)>) -> Self {
        let table = Contingency::count(pairs);
        let whole = table.cells.iter().filter(|c| c.count == c.class && c.count == c.cluster);
        let exact: u64 = whole.map(|c| c.count).sum();
        let pairs_of = |n: u64| n * n.saturating_sub(1) / 2;
        let both: u64 = table.cells.iter().map(|c| pairs_of(c.count)).sum();
        let found: u64 = table.clusters.iter().map(|&n| pairs_of(n)).sum();
        let wanted: u64 = table.classes.iter().map(|&n| pairs_of(n)).sum();
        Self {
            accuracy: if table.total == 0 { 1.0 } else { exact as f64 / table.total as f64 },
            pairwise_f1: if found + wanted == 0 { 1.0 } else { 2.0 * both as f64 / (found + wanted) as f64 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_exact_groups_count_for_accuracy() {
        let truth = ["a", "a", "a", "b", "b", "c"];
        let of = |found: [i64; 6]| GroupingScore::of(truth.into_iter().zip(found));
        assert_eq!(of([7, 7, 7, 3, 3, 9]), GroupingScore { accuracy: 1.0, pairwise_f1: 1.0 });
        // One line of `a` strays: neither of its parts is whole, and two of four pairs are lost.
        let strayed = of([7, 7, 8, 3, 3, 9]);
        assert!((strayed.accuracy - 0.5).abs() < 1e-12 && (strayed.pairwise_f1 - 4.0 / 6.0).abs() < 1e-12);
        // `b` and `c` together: both are wrong.
        let joined = of([7, 7, 7, 3, 3, 3]);
        assert!((joined.accuracy - 0.5).abs() < 1e-12 && (joined.pairwise_f1 - 8.0 / 10.0).abs() < 1e-12);
        let nothing = GroupingScore::of(Vec::<(&str, i64)>::new());
        assert_eq!(nothing, GroupingScore { accuracy: 1.0, pairwise_f1: 1.0 });
    }
}
