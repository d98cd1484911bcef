//! Word lists. Closed classes of English; small enough to read.

const STOPWORDS: &[&str] = &[
    "a", "about", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at", "back", "be",
    "because", "been", "before", "being", "but", "by", "can", "could", "did", "do", "does", "doing", "done",
    "down", "for", "from", "get", "got", "had", "has", "have", "having", "he", "her", "here", "hers", "him",
    "his", "how", "i", "if", "in", "into", "is", "it", "its", "just", "like", "made", "make", "me", "more",
    "most", "much", "must", "my", "need", "needs", "no", "not", "now", "of", "off", "on", "once", "only",
    "or", "other", "our", "out", "over", "own", "please", "said", "say", "says", "she", "should", "so",
    "some", "still", "such", "than", "that", "the", "their", "them", "then", "there", "these", "they",
    "this", "those", "through", "to", "told", "too", "under", "until", "up", "us", "very", "was", "we",
    "were", "what", "when", "where", "which", "while", "who", "why", "will", "with", "would", "yet", "you",
    "your",
];

const NEGATIONS: &[&str] = &[
    "barely", "cannot", "hardly", "neither", "never", "no", "nobody", "none", "nor", "not", "nothing",
    "nowhere", "scarcely", "without",
];

const NUMBER_WORDS: &[&str] = &[
    "dozen",
    "eight",
    "eighteen",
    "eighty",
    "eleven",
    "fifteen",
    "fifty",
    "five",
    "forty",
    "four",
    "fourteen",
    "half",
    "hundred",
    "nine",
    "nineteen",
    "ninety",
    "seven",
    "seventeen",
    "seventy",
    "six",
    "sixteen",
    "sixty",
    "ten",
    "thirteen",
    "thirty",
    "thousand",
    "three",
    "twelve",
    "twenty",
    "two",
];

/// Words of a closed class, which carry no theme.
pub(crate) fn is_stopword(lower: &str) -> bool {
    STOPWORDS.binary_search(&lower).is_ok()
}

/// Words that turn a statement round, contractions included.
pub(crate) fn is_negation(lower: &str) -> bool {
    NEGATIONS.binary_search(&lower).is_ok() || lower.ends_with("n't") || lower.ends_with("n\u{2019}t")
}

/// Numbers that are written out. "One" is left out: it mostly means "someone".
pub(super) fn is_number_word(lower: &str) -> bool {
    NUMBER_WORDS.binary_search(&lower).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_so_that_they_can_be_searched() {
        for list in [STOPWORDS, NEGATIONS, NUMBER_WORDS] {
            assert!(list.is_sorted());
        }
    }
}
