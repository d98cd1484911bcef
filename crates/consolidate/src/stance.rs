//! Whether two statements say the same, contradict each other, or are about different things. By rules.
//!
//! Vectors alone cannot tell: on adversarial pairs most contradictions lie as close together as paraphrases do.
//! So two texts count as the same only when nothing that carries a fact differs: numbers, names and their order,
//! negation, antonyms.

use serde::{Deserialize, Serialize};

use crate::text::{Analysis, is_stopword, jaccard, split_sentences};

/// What one statement is to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stance {
    /// They say the same.
    Same,
    /// They cannot both hold.
    Contradiction,
    /// They are about different things, or it cannot be told.
    Unrelated,
}

/// Above this cosine, texts whose words hardly overlap may still say the same.
const PARAPHRASE: f64 = 0.93;
/// Shared content words (Jaccard) from which two texts are about one thing.
const SAME_WORDS: f64 = 0.6;
/// Shared content words (Jaccard) from which two sentences that differ in negation are opposed.
const OPPOSED_WORDS: f64 = 0.66;

/// Pairs that exclude each other, in stems.
const ANTONYMS: &[(&str, &str)] = &[
    ("accept", "refus"),
    ("agre", "refus"),
    ("alive", "dead"),
    ("allow", "forbid"),
    ("arriv", "leav"),
    ("asleep", "awak"),
    ("begin", "end"),
    ("better", "wors"),
    ("buy", "sell"),
    ("cheap", "dear"),
    ("clean", "dirti"),
    ("close", "open"),
    ("cold", "hot"),
    ("come", "go"),
    ("early", "late"),
    ("empti", "full"),
    ("fall", "rise"),
    ("fals", "true"),
    ("fast", "slow"),
    ("find", "lose"),
    ("fresh", "stale"),
    ("friend", "enemi"),
    ("gain", "lose"),
    ("good", "bad"),
    ("guilti", "innoc"),
    ("happi", "sad"),
    ("hate", "love"),
    ("heavi", "light"),
    ("high", "low"),
    ("honest", "dishonest"),
    ("lock", "unlock"),
    ("lose", "win"),
    ("loud", "quiet"),
    ("man", "woman"),
    ("new", "old"),
    ("safe", "danger"),
    ("sick", "well"),
    ("sit", "stand"),
    ("strong", "weak"),
    ("trust", "distrust"),
    ("war", "peac"),
    ("wet", "dry"),
];

fn antonyms(a: &[String], b: &[String]) -> bool {
    let has = |list: &[String], word: &str| list.iter().any(|w| w == word);
    ANTONYMS.iter().any(|&(x, y)| {
        (has(a, x) && has(b, y) && !has(a, y) && !has(b, x))
            || (has(a, y) && has(b, x) && !has(a, x) && !has(b, y))
    })
}

/// Words with a capital, in order: who does what to whom. At the opening of a sentence any word has one, so there a
/// word that the other text writes in lower case does not count.
fn named<'a>(a: &'a Analysis, other: &Analysis) -> Vec<&'a str> {
    let common = |word: &str| other.tokens.iter().any(|t| !t.capital && t.lower == word);
    let mut named: Vec<&str> = Vec::new();
    for token in a.tokens.iter().filter(|t| t.capital && !is_stopword(&t.lower)) {
        if !(token.opens && common(&token.lower)) {
            named.push(&token.lower);
        }
    }
    named.dedup();
    named
}

/// Whether facts differ: other numbers, other names, the same names in other roles.
fn facts_differ(a: &Analysis, b: &Analysis) -> bool {
    a.numbers != b.numbers || named(a, b) != named(b, a)
}

/// Whether telling two memories as one could turn a fact into another: opposed statements, different actors in
/// the same role, different numbers of one fact.
pub(crate) fn conflicting(a: &Analysis, b: &Analysis) -> bool {
    let alike = jaccard(&a.frame, &b.frame) >= SAME_WORDS;
    let disjoint = |x: &[String], y: &[String]| {
        x.iter().any(|w| y.binary_search(w).is_err()) && y.iter().any(|w| x.binary_search(w).is_err())
    };
    alike
        && (a.negations % 2 != b.negations % 2
            || antonyms(&a.content, &b.content)
            || disjoint(&a.numbers, &b.numbers)
            || disjoint(&a.names, &b.names)
            || (a.names == b.names && a.name_order != b.name_order))
}

/// Irregular past tenses; the regular ones end in "ed".
const PAST: &[&str] = &[
    "ate", "bought", "brought", "came", "caught", "cut", "did", "didn't", "drank", "drove", "fell", "felt",
    "found", "gave", "got", "had", "heard", "held", "hit", "kept", "knew", "left", "lost", "made", "met",
    "paid", "ran", "rode", "said", "sang", "sat", "saw", "slept", "sold", "spoke", "stole", "stood", "swept",
    "swore", "threw", "told", "took", "was", "wasn't", "went", "were", "weren't", "won", "wrote",
];

/// What a participle stands after in the present: "has fallen", "is closed".
const PRESENT: &[&str] = &["are", "be", "been", "has", "have", "is", "never", "no", "not"];

/// Whether a sentence tells of something that happened once. What happened one day and what did not the next are two
/// days, and both true; only what is said to hold can be contradicted.
fn is_episode(sentence: &Analysis) -> bool {
    let word = |i: usize| sentence.tokens[i].lower.as_str();
    (0..sentence.tokens.len()).any(|i| {
        let regular = word(i).len() > 3 && word(i).ends_with("ed") && !word(i).ends_with("eed");
        let participle = i > 0 && PRESENT.binary_search(&word(i - 1)).is_ok();
        !participle && (regular || PAST.binary_search(&word(i)).is_ok())
    })
}

/// Most sentences of a text that are held against another's; the vector stands for no more than its beginning.
const SENTENCES: usize = 32;

fn statements(text: &str) -> Vec<Analysis> {
    split_sentences(text)
        .into_iter()
        .take(SENTENCES)
        .map(|s| Analysis::new(s, []))
        .filter(|s| s.content.len() >= 2 && !is_episode(s))
        .collect()
}

fn opposed(a: &str, b: &str) -> bool {
    let others = statements(b);
    statements(a).iter().any(|x| {
        others.iter().any(|y| {
            let turned = x.negations % 2 != y.negations % 2;
            let shared = jaccard(&x.content, &y.content);
            !facts_differ(x, y)
                && ((turned && shared >= OPPOSED_WORDS)
                    || (!turned && shared >= SAME_WORDS && antonyms(&x.content, &y.content)))
        })
    })
}

/// Judges two texts of the given cosine.
///
/// The order of the texts does not matter.
///
/// ```
/// use nightfold_consolidate::{Stance, judge};
///
/// let fallen = "The bridge at Stonewater has fallen.";
/// assert_eq!(judge(fallen, "The bridge at Stonewater has not fallen.", 0.9), Stance::Contradiction);
/// assert_eq!(judge(fallen, "The bridge at Stonewater has fallen", 1.0), Stance::Same);
/// assert_eq!(judge("Salt costs 3 coppers", "Salt costs 5 coppers", 0.95), Stance::Unrelated);
/// ```
pub fn judge(a: &str, b: &str, cosine: f64) -> Stance {
    if a.trim() == b.trim() {
        return Stance::Same;
    }
    if opposed(a, b) {
        return Stance::Contradiction;
    }
    let (x, y) = (Analysis::new(a, []), Analysis::new(b, []));
    let differ = facts_differ(&x, &y) || x.negations != y.negations || antonyms(&x.content, &y.content);
    if !differ && (jaccard(&x.content, &y.content) >= SAME_WORDS || cosine >= PARAPHRASE) {
        return Stance::Same;
    }
    Stance::Unrelated
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_in_a_fact_is_never_the_same() {
        for (a, b) in [
            ("Joss owes Tom 14 silver", "Joss owes Tom 9 silver"),
            ("Tom hit Joss in the Heron", "Joss hit Tom in the Heron"),
            ("I saw Bran at the gate", "I saw Pell at the gate"),
            ("The gate is open", "The gate is closed"),
            ("I trust the baker", "I do not trust the baker"),
        ] {
            assert_ne!(judge(a, b, 0.99), Stance::Same, "{a} / {b}");
            assert_eq!(judge(a, b, 0.99), judge(b, a, 0.99), "{a} / {b}");
        }
    }

    #[test]
    fn quoted_speech_is_read_too() {
        let a = "Corwin told me: \"The bridge at Stonewater has fallen.\" No salt will come.";
        let b = "Bran rode out and said \"The bridge at Stonewater has not fallen. It stands.\"";
        assert_eq!(judge(a, b, 0.85), Stance::Contradiction);
    }

    #[test]
    fn what_happened_on_two_days_is_no_contradiction() {
        assert!(PAST.is_sorted() && PRESENT.is_sorted());
        for (a, b) in [
            ("I practised the song and the note cracked", "I practised the song and the note did not crack"),
            ("In the morning Wren opened the doors", "In the morning Wren never opened the doors"),
            ("The bridge was open", "The bridge was not open"),
        ] {
            assert_eq!(judge(a, b, 0.95), Stance::Unrelated, "{a} / {b}");
        }
        assert_eq!(judge("I trust the baker", "I do not trust the baker", 0.9), Stance::Contradiction);
        assert_eq!(
            judge("The mill gate is closed", "The mill gate is not closed", 0.9),
            Stance::Contradiction
        );
    }

    #[test]
    fn roles_and_subjects_are_facts() {
        let trust = "Wren trusts Tom with the keys of the granary";
        assert_eq!(
            judge(trust, "Tom does not trust Wren with the keys of the granary", 0.9),
            Stance::Unrelated
        );
        let told = "told Captain Ferris where the pedlar slept";
        assert_eq!(judge(&format!("Hanne {told}"), &format!("Berta {told}"), 0.96), Stance::Unrelated);
    }

    #[test]
    fn a_very_long_text_is_judged_by_its_beginning() {
        let long = "the gate is open. ".repeat(4_000);
        assert_eq!(judge(&long, "the gate is not open", 0.9), Stance::Contradiction);
    }

    #[test]
    fn groups_keep_opposed_statements_and_roles_apart() {
        let read = |t| Analysis::new(t, []);
        assert!(conflicting(&read("I paid 3 coppers for salt"), &read("I paid 5 coppers for salt")));
        assert!(conflicting(&read("the salt came"), &read("the salt never came")));
        assert!(!conflicting(&read("I swept the room before noon"), &read("I swept the room at dusk")));
    }
}
