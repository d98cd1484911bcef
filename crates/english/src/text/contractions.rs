//! Contractions written out, so that a pair of statements is judged by what it says and not by how it is spelt.

use std::borrow::Cow;

use super::{is_possessive, part, tokens};
use crate::lexicon::{WordClass, contraction};

/// Returns a text with its contractions written out: "doesn't" as "does not", "she's" as "she is".
///
/// "I'd" stays, since it may be "I had", and so does the ending of a noun, which may show an owner.
pub(crate) fn write_out_contractions(text: &str) -> Cow<'_, str> {
    if !text.contains(['\'', '\u{2019}']) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut written_to = 0;
    for token in tokens(text).iter() {
        let written = part(text, token.start..token.end);
        let first_and_second = match contraction(&token.lower) {
            Some((_, "would")) => None,
            Some(two) => Some(two),
            None if is_possessive(written) && takes_is(&token.lower) => Some((token.lower.as_str(), "is")),
            None => None,
        };
        let Some((first, second)) = first_and_second else { continue };
        out.push_str(part(text, written_to..token.start));
        // As much of the word as is written the same keeps its capitals.
        let same = written.bytes().zip(first.bytes()).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
        out.extend([part(written, 0..same), part(first, same..first.len()), " ", second]);
        written_to = token.end;
    }
    out.push_str(part(text, written_to..text.len()));
    Cow::Owned(out)
}

/// True for a word behind which "'s" means "is" or "has".
fn takes_is(word: &str) -> bool {
    WordClass::Nominative.has(word)
        || matches!(word, "it" | "that" | "there" | "here" | "who" | "what" | "where")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contractions_are_written_out() {
        for (text, expected) in [
            ("He doesn't hold wagons.", "He does not hold wagons."),
            ("I can't and Won't pay; you\u{2019}re late.", "I can not and Will not pay; you are late."),
            ("She's at Joss's house, and it's cold.", "She is at Joss's house, and it is cold."),
            ("I'd go, we'll see, they've gone, I'm ill.", "I'd go, we will see, they have gone, I am ill."),
            ("The reeve's cart is here.", "The reeve's cart is here."),
        ] {
            assert_eq!(write_out_contractions(text), expected);
        }
    }
}
