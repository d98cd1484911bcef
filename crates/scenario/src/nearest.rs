//! Spelling suggestions.

use strsim::levenshtein;

/// Largest number of wrong letters.
const MAX_DISTANCE: usize = 2;

/// Returns the candidate nearest to `word`, the first of equally near ones, if its edit distance (Levenshtein
/// 1966) is at most two.
pub fn nearest<'a, S: AsRef<str>>(word: &str, candidates: &'a [S]) -> Option<&'a S> {
    candidates
        .iter()
        .map(|candidate| (levenshtein(word, candidate.as_ref()), candidate))
        .filter(|(distance, _)| *distance <= MAX_DISTANCE)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_word_is_at_most_two_letters_off() {
        let words = ["storage".to_owned(), "storage_floor".to_owned()];
        assert_eq!(nearest("storge", &words), Some(&words[0]));
        assert_eq!(nearest("stomach", &words), None);
    }
}
