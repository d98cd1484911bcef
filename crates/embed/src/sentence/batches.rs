//! Batching of texts for the model.

use std::cmp::Reverse;

/// Texts with the same token count, by their index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TokenBatch {
    /// Number of tokens of each text.
    pub(crate) tokens: usize,
    pub(crate) texts: Vec<usize>,
}

/// Groups texts, given their token counts, into batches of at most `budget` tokens and at least one text.
///
/// A batch contains only texts with exactly the same token count: with nothing to pad, no text's vector can
/// depend on other texts. The longest come first, so that threads which share the batches finish together.
/// The texts of one token count are spread evenly over as few batches as the budget allows.
pub(crate) fn batches(token_counts: &[usize], budget: usize) -> Vec<TokenBatch> {
    let mut order: Vec<usize> = (0..token_counts.len()).collect();
    order.sort_by_key(|&text| (Reverse(token_counts[text]), text));
    order
        .chunk_by(|&a, &b| token_counts[a] == token_counts[b])
        .flat_map(|alike| {
            let tokens = token_counts[alike[0]];
            let most = (budget / tokens.max(1)).max(1);
            evenly(alike, alike.len().div_ceil(most))
                .map(move |texts| TokenBatch { tokens, texts: texts.to_vec() })
        })
        .collect()
}

/// Splits into `parts` pieces whose lengths differ by at most one.
fn evenly<T>(mut items: &[T], parts: usize) -> impl Iterator<Item = &[T]> {
    (1..=parts).rev().map(move |left| {
        let (piece, rest) = items.split_at(items.len().div_ceil(left));
        items = rest;
        piece
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(tokens: usize, texts: &[usize]) -> TokenBatch {
        TokenBatch { tokens, texts: texts.to_vec() }
    }

    #[test]
    fn batch_has_one_length_within_the_budget_and_longest_come_first() {
        for (counts, budget, expected) in [
            (&[3, 9, 3, 5, 9][..], 100, vec![batch(9, &[1, 4]), batch(5, &[3]), batch(3, &[0, 2])]),
            // Even parts.
            (&[4; 7], 12, vec![batch(4, &[0, 1, 2]), batch(4, &[3, 4]), batch(4, &[5, 6])]),
            (&[256, 256], 100, vec![batch(256, &[0]), batch(256, &[1])]),
            (&[], 512, vec![]),
        ] {
            assert_eq!(batches(counts, budget), expected, "{counts:?}");
        }
    }
}
