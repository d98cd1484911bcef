//! Spelling of words, which the encoder does not see: it reads lower case.

/// Kind of spelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LetterCase {
    Lower,
    /// Capital where a sentence may begin.
    TitleAtStart,
    Title,
    /// Capitals alone.
    Capitals,
    /// With a digit.
    Digits,
    /// Without a letter.
    Other,
}

impl LetterCase {
    /// Number of kinds.
    pub(super) const COUNT: usize = 6;

    /// Returns the spelling of a pre-token, given the last character of the one before it.
    pub(super) fn of(word: &str, before: Option<char>) -> Self {
        let mut letters = word.chars().filter(|c| c.is_alphabetic());
        if word.contains(|c: char| c.is_ascii_digit()) {
            return Self::Digits;
        }
        let Some(first) = letters.next() else { return Self::Other };
        let others = letters.clone().count();
        if others > 0 && first.is_uppercase() && letters.all(char::is_uppercase) {
            return Self::Capitals;
        }
        if !first.is_uppercase() {
            Self::Lower
        } else if before.is_none_or(may_open) {
            Self::TitleAtStart
        } else {
            Self::Title
        }
    }
}

/// True for a character behind which a sentence or a quotation may begin.
fn may_open(c: char) -> bool {
    matches!(
        c,
        '.' | '!'
            | '?'
            | ':'
            | ';'
            | '"'
            | '\u{201c}'
            | '\u{201d}'
            | '\u{2018}'
            | '('
            | '['
            | '{'
            | '*'
            | '\u{2026}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_depends_on_the_word_and_what_is_before_it() {
        for (word, before, expected) in [
            ("fever", None, LetterCase::Lower),
            ("Odo", None, LetterCase::TitleAtStart),
            ("Odo", Some('.'), LetterCase::TitleAtStart),
            ("Odo", Some('e'), LetterCase::Title),
            ("I", Some('e'), LetterCase::Title),
            ("INFO", None, LetterCase::Capitals),
            ("McKay", Some('r'), LetterCase::Title),
            ("14", None, LetterCase::Digits),
            ("3rd", None, LetterCase::Digits),
            ("'", Some('o'), LetterCase::Other),
            ("\u{1f98a}", None, LetterCase::Other),
        ] {
            assert_eq!(LetterCase::of(word, before), expected, "{word}");
        }
    }
}
