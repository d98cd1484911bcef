//! Spelling suggestions.

/// Largest number of wrong letters.
const SLIPS: usize = 2;

/// Returns the candidate nearest to `word`, the first of equals, if its edit distance is at most two.
pub fn nearest<'a, S: AsRef<str>>(word: &str, candidates: &'a [S]) -> Option<&'a S> {
    candidates
        .iter()
        .map(|candidate| (distance(word, candidate.as_ref()), candidate))
        .filter(|(slips, _)| *slips <= SLIPS)
        .min_by_key(|(slips, _)| *slips)
        .map(|(_, candidate)| candidate)
}

/// Returns the number of letters to insert, leave out or exchange to turn `a` into `b` (Levenshtein 1966).
pub(crate) fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let exchanged = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = exchanged.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_distance_matches_textbook_examples() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", "abc"), 0);
        let words = ["storage".to_owned(), "storage_floor".to_owned()];
        assert_eq!(nearest("storge", &words), Some(&words[0]));
        assert_eq!(nearest("stomach", &words), None);
    }
}
