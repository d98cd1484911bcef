//! Closed classes of English words. The lists are data: `data/words.txt`.

#![expect(clippy::disallowed_types, reason = "every word of every text is looked up, and none is listed")]

use std::{
    collections::{BTreeMap, HashMap},
    sync::LazyLock,
};

use foldhash::fast::FixedState;

use super::wordnet::{self, PartOfSpeech};

macro_rules! word_classes {
    ($($variant:ident = $name:literal,)*) => {
        /// A class of words; `data/words.txt` lists the words and says what they have in common.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum WordClass { $($variant),* }

        /// Names of the classes in the file, in the order of the variants.
        const NAMES: &[&str] = &[$($name),*];
    };
}

word_classes! {
    FirstPerson = "first-person",
    You = "you",
    ThirdPerson = "third-person",
    Nominative = "nominative",
    Accusative = "accusative",
    Subject = "subjects",
    Indefinite = "indefinite",
    Demonstrative = "demonstratives",
    Determiner = "determiners",
    BePresent = "be-present",
    BeFinite = "be-finite",
    Be = "be",
    HavePresent = "have-present",
    Inverting = "inverting",
    Future = "future",
    PresentModal = "present-modals",
    FiniteAuxiliary = "finite-auxiliaries",
    Auxiliary = "auxiliaries",
    Passive = "passive",
    Negation = "negations",
    Part = "part-of",
    All = "all-of",
    Coordinator = "coordinators",
    Subordinator = "subordinators",
    Relative = "relatives",
    ClauseOpener = "clause-openers",
    Preposition = "prepositions",
    Adverb = "adverbs",
    Degree = "degrees",
    Anaphor = "anaphors",
    BackReference = "back-references",
    Deictic = "deictic",
    Function = "function",
    Stopword = "stopwords",
    Filler = "fillers",
    Hedge = "hedges",
    Ceasing = "ceasing",
    Speech = "speech",
    Time = "times",
    Repetition = "repetitions",
    Measure = "measures",
    Money = "money",
    Trade = "trade",
    Vague = "vague",
    Selecting = "selecting",
    Body = "body",
    Boilerplate = "boilerplate",
    SentenceOpener = "sentence-openers",
    ItemKind = "item-kinds",
    NotActivity = "not-activities",
    Past = "past",
    Commitment = "commitments",
    Debt = "debts",
    Threat = "threats",
    Gift = "gifts",
    Harm = "harms",
    Secret = "secrets",
    Trouble = "troubles",
    Fiction = "fiction",
    Unasserted = "unasserted",
    Rumour = "rumour",
    Attribution = "attribution",
    PresentQuestion = "present-questions",
}

/// Words and phrases of the classes.
struct Listed {
    /// Classes of each word, a bit for each.
    words: HashMap<&'static str, u128, FixedState>,
    /// Phrases of each class, with a space on either side.
    phrases: [Vec<String>; NAMES.len()],
}

static LISTED: LazyLock<Listed> = LazyLock::new(|| {
    let listed = read(include_str!("../../data/words.txt"));
    let mut words: HashMap<&str, u128, _> = HashMap::with_hasher(FixedState::default());
    let phrases = std::array::from_fn(|class| {
        let (phrases, single): (Vec<&str>, Vec<&str>) =
            listed[NAMES[class]].iter().partition(|word| word.contains('_'));
        single.into_iter().for_each(|word| *words.entry(word).or_default() |= 1 << class);
        phrases.into_iter().map(|phrase| format!(" {} ", phrase.replace('_', " "))).collect()
    });
    Listed { words, phrases }
});

/// Reads the classes of a file. A class may include those above it.
fn read(file: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut listed: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut class = "";
    for line in file.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[') {
            class = name.trim_end_matches(']');
            continue;
        }
        for word in line.split_whitespace() {
            let words = match word.strip_prefix('@') {
                Some(included) => listed.get(included).cloned().unwrap_or_default(),
                None => vec![word],
            };
            listed.entry(class).or_default().extend(words);
        }
    }
    listed
}

impl WordClass {
    /// True for a word of the class, in lower case. A contraction belongs to the classes of both its parts.
    pub(crate) fn has(self, word: &str) -> bool {
        classes_of(word) & self.bit() != 0
    }

    /// True if a word or phrase of the class occurs among words in lower case, with one space around each.
    pub(crate) fn occurs_in(self, spaced: &str) -> bool {
        spaced.split(' ').any(|word| self.has(word))
            || LISTED.phrases[self as usize].iter().any(|phrase| spaced.contains(phrase.as_str()))
    }

    fn bit(self) -> u128 {
        1 << self as u128
    }
}

fn classes_of(word: &str) -> u128 {
    let listed = |word: &str| LISTED.words.get(word).copied().unwrap_or_default();
    // Both apostrophes are found by their first byte: most words have neither.
    if !word.bytes().any(|byte| matches!(byte, b'\'' | 0xe2)) {
        return listed(word);
    }
    // "Could" is doubtful, but "couldn't" is not, and "I'd" may be "I had".
    let sure = !WordClass::Hedge.bit();
    match contraction(word) {
        Some((first, second)) => (listed(first) | listed(second)) & sure,
        None if word.contains(['\'', '\u{2019}']) => 0,
        None => listed(word),
    }
}

/// Returns the two words of a contraction in lower case: "won't" is "will" and "not". "He's" may be "he has", and is none.
pub(crate) fn contraction(word: &str) -> Option<(&str, &'static str)> {
    let (head, tail) = word.split_once(['\'', '\u{2019}'])?;
    if tail == "t"
        && let Some(verb) = head.strip_suffix('n')
    {
        let verb = match verb {
            "ca" => "can",
            "sha" => "shall",
            "wo" => "will",
            whole => whole,
        };
        return Some((verb, "not"));
    }
    let verb = match tail {
        "d" => "would",
        "ll" => "will",
        "m" => "am",
        "re" => "are",
        "ve" => "have",
        _ => return None,
    };
    Some((head, verb))
}

/// True for a word that negates a statement, or nearly, contractions included.
pub(crate) fn is_negation(lower: &str) -> bool {
    WordClass::Negation.has(lower)
}

/// True for a word that carries no information in a status line.
pub(crate) fn is_filler(lower: &str) -> bool {
    WordClass::Filler.has(lower) && !is_negation(lower)
}

/// True for an inflected verb by which somebody reports: "told", "says", but not "say" or "saying".
pub(crate) fn is_reported_by(lower: &str) -> bool {
    !lower.ends_with("ing") && is_speech_verb(lower)
}

/// True for an inflected verb of speech, "saying" included.
pub(crate) fn is_speech_verb(lower: &str) -> bool {
    let is_speech =
        |lemma: &&wordnet::Lemma| lemma.part == PartOfSpeech::Verb && WordClass::Speech.has(lemma.word);
    wordnet::lemmas(lower).iter().any(|lemma| is_speech(lemma) && lemma.word != lower)
}

/// Returns one form for all cases of a personal pronoun: "i" for "I" and "me", "he" for "he" and "him".
pub(crate) fn person(word: &str) -> Option<&'static str> {
    let pronoun = contraction(word).map_or(word, |(pronoun, _)| pronoun);
    Some(match pronoun {
        "i" | "me" => "i",
        "we" | "us" => "we",
        "you" => "you",
        "he" | "him" => "he",
        "she" => "she",
        "they" | "them" => "they",
        _ => return None,
    })
}

/// Pairs of words with opposed places or directions.
pub(crate) const DIRECTIONS: [(&str, &str); 16] = [
    ("above", "below"),
    ("after", "before"),
    ("from", "to"),
    ("in", "out"),
    ("inside", "outside"),
    ("into", "out"),
    ("off", "on"),
    ("over", "under"),
    ("on", "under"),
    ("up", "down"),
    ("with", "without"),
    ("front", "behind"),
    ("behind", "in"),
    ("in", "under"),
    ("more", "less"),
    ("for", "against"),
];

/// True for a word of place or direction that has an opposite.
pub(crate) fn is_direction(word: &str) -> bool {
    DIRECTIONS.iter().any(|(one, other)| word == *one || word == *other)
}

/// True for a quantifier that means all, false for one that means a part; `None` for any other word.
pub(crate) fn means_all(word: &str) -> Option<bool> {
    WordClass::All.has(word).then_some(true).or_else(|| WordClass::Part.has(word).then_some(false))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const FILE: &str = include_str!("../../data/words.txt");

    #[test]
    fn classes_of_code_and_file_agree() {
        let listed = read(FILE);
        assert!(NAMES.iter().all(|name| listed.get(name).is_some_and(|words| !words.is_empty())));
        // A class that no code asks for is part of another one.
        let words = || FILE.lines().filter(|l| !l.starts_with(['#', '['])).flat_map(str::split_whitespace);
        let included: BTreeSet<&str> = words().filter_map(|word| word.strip_prefix('@')).collect();
        assert!(listed.keys().all(|name| NAMES.contains(name) || included.contains(name)));
        assert!(included.iter().all(|name| listed.contains_key(name)), "{included:?}");
        assert!(NAMES.len() <= 128);
    }

    #[test]
    fn included_classes_come_before_those_that_include_them() {
        let mut above: BTreeSet<&str> = BTreeSet::new();
        for line in FILE.lines().filter(|line| !line.starts_with('#')) {
            if let Some(name) = line.strip_prefix('[') {
                assert!(above.insert(name.trim_end_matches(']')), "{name} stands twice");
            }
            for included in line.split_whitespace().filter_map(|word| word.strip_prefix('@')) {
                assert!(above.contains(included), "{included}");
            }
        }
    }

    #[test]
    fn words_belong_to_their_classes() {
        assert!(WordClass::Hedge.has("might") && !WordClass::Past.has("might"));
        assert!(WordClass::Function.has("the") && !WordClass::Function.has("gate"));
        assert!(is_filler("the") && !is_filler("not") && !is_filler("isn't"));
    }

    #[test]
    fn contractions_belong_to_the_classes_of_both_parts() {
        assert!(WordClass::FirstPerson.has("i'll") && WordClass::Future.has("i'll"));
        assert!(
            WordClass::BePresent.has("isn\u{2019}t") && is_negation("isn\u{2019}t") && is_negation("mustn't")
        );
        assert!(WordClass::Future.has("won't") && WordClass::FiniteAuxiliary.has("they've"));
        assert!(WordClass::Hedge.has("could") && !WordClass::Hedge.has("couldn't"));
        assert!(!WordClass::Function.has("o'clock"));
    }

    #[test]
    fn phrases_occur_as_whole_words() {
        assert!(WordClass::Rumour.occurs_in(" word is the gate is shut "));
        assert!(!WordClass::Rumour.occurs_in(" a sword is missing "));
        assert!(WordClass::Threat.occurs_in(" leave or else "));
    }

    #[test]
    fn near_negations_are_negations() {
        for word in ["not", "seldom", "rarely", "hardly", "without"] {
            assert!(is_negation(word), "{word}");
        }
        assert!(!["often", "note", "want", "sell"].iter().any(|word| is_negation(word)));
    }

    #[test]
    fn inflected_verbs_of_speech_report() {
        for (word, reports) in [
            ("told", true),
            ("wrote", true),
            ("claims", true),
            ("whispered", true),
            ("say", false),
            ("saying", false),
            ("heard", false),
        ] {
            assert_eq!(is_reported_by(word), reports, "{word}");
        }
    }
}
