//! Deduplication of equal texts.

use std::collections::BTreeMap;

/// Distinct texts, in order of first appearance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DistinctTexts<'a> {
    texts: Vec<&'a str>,
    /// First index in the input and number of occurrences of each distinct text.
    seen: Vec<(usize, usize)>,
    /// Index of the distinct text for each text of the input.
    of_input: Vec<usize>,
}

impl<'a> DistinctTexts<'a> {
    pub(crate) fn of(input: &[&'a str]) -> Self {
        let mut known = BTreeMap::new();
        let (mut texts, mut seen) = (Vec::new(), Vec::<(usize, usize)>::new());
        let of_input = input
            .iter()
            .enumerate()
            .map(|(index, &text)| {
                let at = *known.entry(text).or_insert_with(|| {
                    texts.push(text);
                    seen.push((index, 0));
                    texts.len() - 1
                });
                seen[at].1 += 1;
                at
            })
            .collect();
        Self { texts, seen, of_input }
    }

    /// The distinct texts.
    pub(crate) fn texts(&self) -> &[&'a str] {
        &self.texts
    }

    /// Index of the distinct text for each text of the input.
    pub(crate) fn of_input(&self) -> &[usize] {
        &self.of_input
    }

    /// Index of the first occurrence of a distinct text in the input.
    pub(crate) fn first(&self, text: usize) -> usize {
        self.seen[text].0
    }

    /// Number of occurrences of a distinct text in the input.
    pub(crate) fn occurrences(&self, text: usize) -> usize {
        self.seen[text].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_texts_are_deduplicated_and_indexed() {
        let distinct = DistinctTexts::of(&["b", "a", "b", "c", "a", "b"]);
        assert_eq!(distinct.texts(), ["b", "a", "c"]);
        assert_eq!(distinct.of_input(), [0, 1, 0, 2, 1, 0]);
        assert_eq!((0..3).map(|t| distinct.first(t)).collect::<Vec<_>>(), [0, 1, 3]);
        assert_eq!((0..3).map(|t| distinct.occurrences(t)).collect::<Vec<_>>(), [3, 2, 1]);
    }
}
