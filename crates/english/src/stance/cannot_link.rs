//! Pairs of memories that may not be synthesized into one text.

use std::{collections::BTreeSet, sync::LazyLock};

use crate::{
    lexicon::wordnet,
    text::{Analysis, jaccard, stem},
};

/// Overlap (Jaccard) of words other than names and numbers from which two texts are about one thing.
const MIN_FRAME_OVERLAP: f64 = 0.6;

/// Pairs of stems that exclude each other, the smaller first.
static OPPOSITE_STEMS: LazyLock<BTreeSet<(String, String)>> = LazyLock::new(|| {
    let stems = wordnet::opposites().map(|(a, b)| (stem(a), stem(b)));
    stems.filter(|(a, b)| a != b).map(|(a, b)| if a < b { (a, b) } else { (b, a) }).collect()
});

fn hold_opposites(a: &[String], b: &[String]) -> bool {
    let only = |x: &[String], y: &[String]| -> Vec<String> {
        x.iter().filter(|w| y.binary_search(w).is_err()).cloned().collect()
    };
    let (own, other) = (only(a, b), only(b, a));
    own.iter().any(|x| {
        other.iter().any(|y| {
            let pair = if x < y { (x.clone(), y.clone()) } else { (y.clone(), x.clone()) };
            OPPOSITE_STEMS.contains(&pair)
        })
    })
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
            || hold_opposites(&a.content, &b.content)
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
