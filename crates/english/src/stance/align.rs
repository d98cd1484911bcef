//! Alignment of the words of two texts.

use super::{claim::Claim, word::ClaimWord};
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
    pub(super) fn of(a: &'a [Claim], b: &'a [Claim]) -> Self {
        let words = |of: &'a [Claim]| of.iter().flat_map(|claim| &claim.words).take(MAX_ALIGNED_WORDS);
        let (a, b): (Vec<&ClaimWord>, Vec<&ClaimWord>) = (words(a).collect(), words(b).collect());
        let (mut candidates, mut opposites) = (Vec::new(), Vec::new());
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                match x.relation_to(y) {
                    Relation::Opposite => opposites.push((i, j)),
                    kin @ (Relation::Same | Relation::Synonym | Relation::IsA) => {
                        // Of equally good pairs the one in the same role comes first, then the one nearest in
                        // position.
                        candidates.push((kin, x.role != y.role, (i * b.len()).abs_diff(j * a.len()), i, j));
                    }
                    Relation::None => {}
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
        opposites.retain(|&(i, j)| of_a[i].is_none() && !of_b[j]);
        Self {
            pairs: of_a.iter().enumerate().filter_map(|(i, p)| p.map(|(j, kin)| (i, j, kin))).collect(),
            unaligned_a: (0..a.len()).filter(|&i| of_a[i].is_none()).collect(),
            unaligned_b: (0..b.len()).filter(|&j| !of_b[j]).collect(),
            opposites,
            a,
            b,
        }
    }

    /// Returns the aligned share of the words of that text which has fewer aligned.
    pub(super) fn aligned_share(&self) -> f64 {
        self.pairs.len() as f64 / self.a.len().max(self.b.len()).max(1) as f64
    }

    /// Returns the one word of each text that has no counterpart, if each has exactly one.
    pub(super) fn only_unaligned(&self) -> Option<(usize, usize)> {
        match (&self.unaligned_a[..], &self.unaligned_b[..]) {
            (&[i], &[j]) => Some((i, j)),
            _ => None,
        }
    }

    /// Returns a word of each text, as evidence.
    pub(super) fn words(&self, i: usize, j: usize) -> (String, String) {
        (self.a[i].lower.clone(), self.b[j].lower.clone())
    }
}
