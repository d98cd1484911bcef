//! Words for numbers.

const UNITS: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const ORDINALS: [&str; 10] =
    ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];

fn index(list: &[&str], word: &str) -> Option<usize> {
    list.iter().position(|listed| *listed == word)
}

/// Returns the value of a number word up to ninety that is added to others: "twenty", "one".
pub(crate) fn cardinal(word: &str) -> Option<u64> {
    index(&UNITS, word).or_else(|| index(&TENS, word).map(|n| 20 + 10 * n)).map(|n| n as u64)
}

/// Returns the value of a number word that multiplies the number before it: "hundred".
pub(crate) fn multiple(word: &str) -> Option<u64> {
    match word {
        "dozen" => Some(12),
        "score" => Some(20),
        "hundred" => Some(100),
        "thousand" => Some(1_000),
        _ => None,
    }
}

/// Returns the number of an ordinal from "first" to "tenth": 1 for "first".
pub(crate) fn ordinal(word: &str) -> Option<usize> {
    index(&ORDINALS, word).map(|n| n + 1)
}

/// Returns a number as a word, up to nineteen, or in digits.
pub(crate) fn number_word(number: usize) -> String {
    UNITS.get(number).map_or_else(|| number.to_string(), |word| (*word).to_owned())
}

/// True for a number that is written out. "One" mostly means "someone", and a "score" is often a result.
pub(crate) fn is_number_word(word: &str) -> bool {
    word == "half" || word != "score" && multiple(word).is_some() || cardinal(word).is_some_and(|n| n != 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_words_have_values() {
        assert_eq!(["zero", "nineteen", "twenty", "ninety"].map(cardinal), [0, 19, 20, 90].map(Some));
        assert_eq!((ordinal("first"), ordinal("tenth"), ordinal("last")), (Some(1), Some(10), None));
        for (word, is_number) in
            [("two", true), ("half", true), ("dozen", true), ("one", false), ("ten", true), ("score", false)]
        {
            assert_eq!(is_number_word(word), is_number, "{word}");
        }
    }
}
