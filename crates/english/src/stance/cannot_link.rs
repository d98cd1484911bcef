//! Pairs of memories that may not be synthesized into one text.

use crate::{
    lexicon::wordnet::are_opposed,
    text::{Analysis, Token, jaccard},
};

/// Overlap (Jaccard) of words other than names and numbers from which two texts are about one thing.
const MIN_FRAME_OVERLAP: f64 = 0.6;

/// True if a word that only one of two texts has excludes one that only the other has.
fn hold_opposites(a: &Analysis, b: &Analysis) -> bool {
    let is_only_of = |x: &Token, y: &Analysis| !x.function && y.content.binary_search(&x.stem).is_err();
    a.tokens
        .iter()
        .filter(|x| is_only_of(x, b))
        .any(|x| b.tokens.iter().filter(|y| is_only_of(y, a)).any(|y| are_opposed(&x.lower, &y.lower)))
}

/// True if the synthesis of two memories could turn a fact into another: opposed statements, different actors
/// in the same role, different numbers of one fact.
pub(crate) fn cannot_link(a: &Analysis, b: &Analysis) -> bool {
    let alike = jaccard(&a.plain_content, &b.plain_content) >= MIN_FRAME_OVERLAP;
    let disjoint = |x: &[String], y: &[String]| {
        x.iter().any(|w| y.binary_search(w).is_err()) && y.iter().any(|w| x.binary_search(w).is_err())
    };
    alike
        && (a.negations % 2 != b.negations % 2
            || hold_opposites(a, b)
            || disjoint(&a.numbers, &b.numbers)
            || disjoint(&a.names, &b.names)
            || (a.names == b.names && a.name_order != b.name_order))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::analyze;

    #[test]
    fn opposed_statements_and_numbers_cannot_link() {
        let read = |t| analyze(t, []);
        assert!(cannot_link(&read("I paid 3 coppers for salt"), &read("I paid 5 coppers for salt")));
        assert!(cannot_link(&read("the salt came"), &read("the salt never came")));
        assert!(!cannot_link(&read("I swept the room before noon"), &read("I swept the room at dusk")));
        let (nothing, everything) = (
            "I walked the wall again and found nothing out of place",
            "I walked the wall a second time and found everything in its place",
        );
        assert!(!cannot_link(&read(nothing), &read(everything)));
    }
}
