//! Alignment of the words of two texts.

use super::word::ClaimWord;
use crate::lexicon::wordnet::{PartOfSpeech, Relation};

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

    /// Returns the aligned share of each text's words.
    pub(super) fn coverage(&self) -> (f64, f64) {
        let share = |left: usize, all: usize| if all == 0 { 1.0 } else { 1.0 - left as f64 / all as f64 };
        (share(self.unaligned_a.len(), self.a.len()), share(self.unaligned_b.len(), self.b.len()))
    }

    /// Returns pairs of words without a counterpart that could replace each other: the same part of speech,
    /// and the same role or both verbs.
    pub(super) fn substitutions(&self) -> Vec<(usize, usize)> {
        let mut taken = vec![false; self.b.len()];
        let mut found = Vec::new();
        for &i in &self.unaligned_a {
            let fits = |j: &usize| {
                let (x, y) = (self.a[i], self.b[*j]);
                let alike = [PartOfSpeech::Noun, PartOfSpeech::Verb, PartOfSpeech::Adjective]
                    .into_iter()
                    .any(|part| x.may_be(part) && y.may_be(part));
                alike && (x.role == y.role || x.may_be(PartOfSpeech::Verb) && y.may_be(PartOfSpeech::Verb))
            };
            if let Some(&j) = self.unaligned_b.iter().find(|j| !taken[**j] && fits(j)) {
                taken[j] = true;
                found.push((i, j));
            }
        }
        found
    }

    /// Returns the share of pairs of aligned words whose order differs between the texts.
    pub(super) fn inversions(&self) -> f64 {
        let n = self.pairs.len();
        if n < 2 {
            return 0.0;
        }
        let turned = self
            .pairs
            .iter()
            .enumerate()
            .flat_map(|(k, x)| self.pairs[k + 1..].iter().map(move |y| x.1 > y.1))
            .filter(|t| *t)
            .count();
        turned as f64 / (n * (n - 1) / 2) as f64
    }
}
