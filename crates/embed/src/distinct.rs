//! Equal texts, counted once.

use std::collections::BTreeMap;

/// Texts without their repeats, in order of first appearance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Distinct<'a> {
    texts: Vec<&'a str>,
    /// For each distinct text: where it first stands in the input, and how often it does.
    seen: Vec<(usize, usize)>,
    /// For each text of the input, which distinct text it is.
    of_input: Vec<usize>,
}

impl<'a> Distinct<'a> {
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

    /// For each text of the input, which distinct text it is.
    pub(crate) fn of_input(&self) -> &[usize] {
        &self.of_input
    }

    /// Where a distinct text first stands in the input.
    pub(crate) fn first(&self, text: usize) -> usize {
        self.seen[text].0
    }

    /// How often a distinct text stands in the input.
    pub(crate) fn occurrences(&self, text: usize) -> usize {
        self.seen[text].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_are_folded_and_found_again() {
        let distinct = Distinct::of(&["b", "a", "b", "c", "a", "b"]);
        assert_eq!(distinct.texts(), ["b", "a", "c"]);
        assert_eq!(distinct.of_input(), [0, 1, 0, 2, 1, 0]);
        assert_eq!((0..3).map(|t| distinct.first(t)).collect::<Vec<_>>(), [0, 1, 3]);
        assert_eq!((0..3).map(|t| distinct.occurrences(t)).collect::<Vec<_>>(), [3, 2, 1]);
    }
}
