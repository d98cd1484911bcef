//! Alignment of the words of two texts.

use super::word::ClaimWord;
use crate::lexicon::wordnet::Relation;

/// Maximum number of words of a text that are aligned.
pub(super) const MAX_ALIGNED_WORDS: usize = 96;

/// Words of two texts, aligned in pairs.
#[derive(Debug)]
pub(super) struct Alignment<'a> {
    pub(super) a: Vec<&'a ClaimWord>,
    pub(super) b: Vec<&'a ClaimWord>,
    /// Indices into `a` and `b` of aligned words, in the order of `a`, with their relation.
    pub(super) pairs: Vec<(usize, usize, Relation)>,
    /// Indices of words without a counterpart.
    pub(super) unaligned_a: Vec<usize>,
    pub(super) unaligned_b: Vec<usize>,
    /// Indices of words without a counterpart that exclude each other.
    pub(super) opposites: Vec<(usize, usize)>,
}

impl<'a> Alignment<'a> {
    pub(super) fn of(a: impl Iterator<Item = &'a ClaimWord>, b: impl Iterator<Item = &'a ClaimWord>) -> Self {
        let (a, b): (Vec<&ClaimWord>, Vec<&ClaimWord>) =
            (a.take(MAX_ALIGNED_WORDS).collect(), b.take(MAX_ALIGNED_WORDS).collect());
        let mut candidates = Vec::new();
        let mut excluded = Vec::new();
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                match x.relation_to(y) {
                    Relation::Opposite => excluded.push((i, j)),
                    kin @ (Relation::Same | Relation::Synonym | Relation::IsA) => {
                        // Of equally good pairs the one in the same role comes first, then the one nearest in
                        // position.
                        let apart = (i * b.len().max(1)).abs_diff(j * a.len().max(1));
                        candidates.push((kin, x.role != y.role, apart, i, j));
                    }
                    Relation::Sister | Relation::None => {}
                }
            }
        }
        candidates.sort_unstable();
        let (mut of_a, mut of_b) = (vec![None; a.len()], vec![false; b.len()]);
        for (kin, _, _, i, j) in candidates {
            if of_a[i].is_none() && !of_b[j] {
                (of_a[i], of_b[j]) = (Some((j, kin)), true);
            }
        }
        let pairs = of_a.iter().enumerate().filter_map(|(i, p)| p.map(|(j, kin)| (i, j, kin))).collect();
        let unaligned_a: Vec<usize> = (0..a.len()).filter(|&i| of_a[i].is_none()).collect();
        let unaligned_b: Vec<usize> = (0..b.len()).filter(|&j| !of_b[j]).collect();
        excluded.retain(|(i, j)| unaligned_a.contains(i) && unaligned_b.contains(j));
        Self { a, b, pairs, unaligned_a, unaligned_b, opposites: excluded }
    }

    /// Returns the aligned share of the words of that text which has fewer aligned.
    pub(super) fn aligned_share(&self) -> f64 {
        let longer = self.a.len().max(self.b.len());
        if longer == 0 { 1.0 } else { self.pairs.len() as f64 / longer as f64 }
    }
}
