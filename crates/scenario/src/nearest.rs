//! Spelling suggestions.

use strsim::{levenshtein, osa_distance};

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

/// True if two words differ by one slip: two letters exchanged (optimal string alignment), or in words of four letters
/// and more one letter wrong, missing or too many. Any two short words are one letter apart.
pub fn is_slip(word: &str, of: &str) -> bool {
    let letters = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    let length = word.chars().count();
    osa_distance(word, of) == 1 && (length > 3 || length == 3 && letters(word) == letters(of))
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

    #[test]
    fn slip_is_one_letter_of_a_word_that_is_long_enough() {
        for (word, of, is) in [
            ("tmo", "tom", true),
            ("odo", "ado", false),
            ("maar", "mara", true),
            ("mrra", "mara", true),
            ("mara", "mara", false),
            ("marta", "mara", true),
            ("no", "on", false),
        ] {
            assert_eq!(is_slip(word, of), is, "{word}");
        }
    }
}
