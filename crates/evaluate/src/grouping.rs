//! How well lines were put together that belong together.

use serde::Serialize;

use crate::contingency::Contingency;

/// Found groups against true ones, each measure 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Grouping {
    /// The share of lines whose found group holds exactly the lines of its true one (Zhu et al. 2019).
    pub accuracy: f64,
    /// Of the pairs that were put together, how many belong together, and the other way round: the harmonic mean.
    pub pairwise_f1: f64,
}

impl Grouping {
    /// Compares a true group with a found one, line by line. Without lines, and without pairs on either side, there is
    /// nothing to get wrong: 1.
    pub fn of<L: Ord>(pairs: impl IntoIterator<Item = (L, i64)>) -> Self {
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
    fn a_group_counts_only_when_it_is_whole() {
        let truth = ["a", "a", "a", "b", "b", "c"];
        let of = |found: [i64; 6]| Grouping::of(truth.into_iter().zip(found));
        assert_eq!(of([7, 7, 7, 3, 3, 9]), Grouping { accuracy: 1.0, pairwise_f1: 1.0 });
        // One line of `a` strays: neither of its parts is whole, and two of four pairs are lost.
        let strayed = of([7, 7, 8, 3, 3, 9]);
        assert!((strayed.accuracy - 0.5).abs() < 1e-12 && (strayed.pairwise_f1 - 4.0 / 6.0).abs() < 1e-12);
        // `b` and `c` together: both are wrong.
        let joined = of([7, 7, 7, 3, 3, 3]);
        assert!((joined.accuracy - 0.5).abs() < 1e-12 && (joined.pairwise_f1 - 8.0 / 10.0).abs() < 1e-12);
        let nothing = Grouping::of(Vec::<(&str, i64)>::new());
        assert_eq!(nothing, Grouping { accuracy: 1.0, pairwise_f1: 1.0 });
    }
}
