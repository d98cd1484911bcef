//! Relations between words, from WordNet. The data is read once.

#![expect(
    clippy::disallowed_types,
    reason = "the dictionary is looked up, a hundred times a sentence, and never listed"
)]

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap, btree_map::Entry},
    rc::Rc,
    sync::{LazyLock, OnceLock},
};

use foldhash::fast::{FixedState, RandomState};

pub(crate) use nightfold_memory::grammar::PartOfSpeech;

use super::WordClass;

const PARTS_OF_SPEECH: [PartOfSpeech; 4] =
    [PartOfSpeech::Noun, PartOfSpeech::Verb, PartOfSpeech::Adjective, PartOfSpeech::Adverb];

/// Relation between two words, the closest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Relation {
    /// The same word, perhaps in another form.
    Same,
    /// A word of the same meaning.
    Synonym,
    /// Hypernym or hyponym: one word names a kind of the other, as "dog" and "animal".
    IsA,
    /// Kinds of one common concept: "dog" and "cat".
    Sister,
    /// Words that exclude each other.
    Opposite,
    /// No relation is known.
    None,
}

struct Synset {
    part: PartOfSpeech,
    hypernyms: Vec<u32>,
}

/// A word with its senses and the rank of each.
struct Headword {
    /// Index of the word in the dictionary.
    number: u32,
    senses: Vec<(u32, u8)>,
    /// Lemmas of the word, one for each part of speech; built on first use.
    lemmas: OnceLock<Vec<Lemma>>,
}

impl Headword {
    fn new(number: u32) -> Self {
        Self { number, senses: Vec::new(), lemmas: OnceLock::new() }
    }
}

struct Lexicon {
    synsets: Vec<Synset>,
    words: HashMap<&'static str, Headword, FixedState>,
    /// Words that each word excludes.
    opposites: WordPairs,
    /// Words of the same meaning for each word, where NPCs live.
    synonyms: WordPairs,
    forms: HashMap<&'static str, Vec<(PartOfSpeech, &'static str)>, FixedState>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::read);

/// Pairs that exclude each other in the world of NPCs and are missing in WordNet.
const DOMAIN_OPPOSITES: &str = include_str!("../../data/opposites.tsv");

/// Pairs of the same meaning in the world of NPCs that are missing in WordNet.
const DOMAIN_SYNONYMS: &str = include_str!("../../data/synonyms.tsv");

/// Maximum number of steps up to a more general word: "poodle" to "dog", hardly "poodle" to "thing".
const MAX_HYPERNYM_STEPS: usize = 3;
/// Highest rank (the rarest sense) in which a word may be more general or more special than another.
const MAX_SENSE_RANK: u8 = 2;
fn parse_part_of_speech(letter: &str) -> PartOfSpeech {
    match letter {
        "n" => PartOfSpeech::Noun,
        "v" => PartOfSpeech::Verb,
        "a" => PartOfSpeech::Adjective,
        _ => PartOfSpeech::Adverb,
    }
}

/// Pairs of words, listed under both.
type WordPairs = HashMap<&'static str, Vec<&'static str>, FixedState>;

/// Reads pairs from lines; lines that begin with `#` are skipped.
fn read_pairs(lines: impl Iterator<Item = &'static str>) -> WordPairs {
    let mut pairs = WordPairs::default();
    for (a, b) in lines.filter(|l| !l.starts_with('#')).filter_map(|l| l.split_once('\t')) {
        pairs.entry(a).or_default().push(b);
        pairs.entry(b).or_default().push(a);
    }
    pairs
}

impl Lexicon {
    fn read() -> Self {
        let mut synsets = Vec::new();
        let mut listed: HashMap<&str, Headword, FixedState> = HashMap::default();
        for (line, number) in include_str!("../../data/wordnet/relations.tsv").lines().zip(0..) {
            let mut fields = line.split('\t');
            let (letter, words) = (fields.next().unwrap_or(""), fields.next().unwrap_or(""));
            for word in words.split(' ') {
                let (word, rank) = word.split_at(word.len() - 1);
                let place = listed.len() as u32;
                let head = listed.entry(word).or_insert_with(|| Headword::new(place));
                head.senses.push((number, rank.parse().unwrap_or(9)));
            }
            let above = fields.next().unwrap_or("").split(' ').filter_map(|n| n.parse().ok()).collect();
            synsets.push(Synset { part: parse_part_of_speech(letter), hypernyms: above });
        }
        let opposites =
            include_str!("../../data/wordnet/opposites.tsv").lines().filter_map(|l| l.split_once('\t'));
        let opposites = read_pairs(opposites.map(|(_, pair)| pair).chain(DOMAIN_OPPOSITES.lines()));
        let forms = include_str!("../../data/wordnet/forms.tsv").lines().filter_map(|line| {
            let (form, lemmas) = line.split_once('\t')?;
            let lemmas = lemmas
                .split(' ')
                .filter_map(|l| l.split_once(':'))
                .map(|(p, w)| (parse_part_of_speech(p), w))
                .collect();
            Some((form, lemmas))
        });
        Self {
            synsets,
            words: listed,
            opposites,
            synonyms: read_pairs(DOMAIN_SYNONYMS.lines()),
            forms: forms.collect(),
        }
    }

    /// Returns the word as this part of speech, if the dictionary lists it.
    fn lemma(&'static self, word: &str, part: PartOfSpeech) -> Option<&'static Lemma> {
        let (&word, head) = self.words.get_key_value(word)?;
        let lemmas = head.lemmas.get_or_init(|| {
            let of = |part| {
                let meant = |s: &&(u32, u8)| self.synsets[s.0 as usize].part == part;
                let senses: Vec<_> = head.senses.iter().filter(meant).copied().collect();
                (!senses.is_empty()).then(|| self.build_lemma(word, head.number, part, senses))
            };
            PARTS_OF_SPEECH.into_iter().filter_map(of).collect()
        });
        lemmas.iter().find(|l| l.part == part)
    }

    fn build_lemma(
        &self,
        word: &'static str,
        number: u32,
        part: PartOfSpeech,
        senses: Vec<(u32, u8)>,
    ) -> Lemma {
        let of = |pairs: &WordPairs| -> Vec<u32> {
            pairs
                .get(word)
                .into_iter()
                .flatten()
                .filter_map(|w| self.words.get(w))
                .map(|h| h.number)
                .collect()
        };
        let above = self.hypernyms_within_steps(&senses);
        let ids = senses.iter().map(|s| s.0).chain(above.iter().map(|a| a.0));
        let marks = ids.fold(0, |marks, id| marks | 1 << (id % 64));
        Lemma {
            part,
            word,
            number,
            opposites: of(&self.opposites),
            synonyms: of(&self.synonyms),
            senses,
            hypernyms: above,
            sense_bits: marks,
        }
    }

    /// Returns the senses and the more general ones above them, within the maximum distance, each with its distance.
    fn hypernyms_within_steps(&self, senses: &[(u32, u8)]) -> Vec<(u32, usize)> {
        let mut found: BTreeMap<u32, usize> = BTreeMap::new();
        let mut front: Vec<u32> = senses.iter().filter(|s| s.1 <= MAX_SENSE_RANK).map(|s| s.0).collect();
        for step in 0..=MAX_HYPERNYM_STEPS {
            let mut next = Vec::new();
            for id in front {
                if let Entry::Vacant(free) = found.entry(id) {
                    free.insert(step);
                    next.extend(&self.synsets[id as usize].hypernyms);
                }
            }
            front = next;
        }
        found.into_iter().collect()
    }
}

/// A word of the dictionary as one part of speech. Each exists once, so two are compared by their addresses.
#[derive(Debug)]
pub(crate) struct Lemma {
    pub(crate) part: PartOfSpeech,
    pub(crate) word: &'static str,
    /// Index of the word in the dictionary.
    number: u32,
    /// Indices of the words that it excludes.
    opposites: Vec<u32>,
    /// Indices of the words of the same meaning where NPCs live.
    synonyms: Vec<u32>,
    senses: Vec<(u32, u8)>,
    hypernyms: Vec<(u32, usize)>,
    /// A bit for each sense and for each more general one. Lemmas without a common bit share none.
    sense_bits: u64,
}

impl PartialEq for Lemma {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

/// True if the dictionary has the word as this part of speech.
pub(crate) fn has_part_of_speech(word: &str, part: PartOfSpeech) -> bool {
    LEXICON.lemma(word, part).is_some()
}

/// Maximum number of word forms in a thread's cache.
const LEMMA_CACHE_SIZE: usize = 1 << 14;

type LemmaCache = HashMap<Box<str>, Rc<[&'static Lemma]>, RandomState>;

thread_local! {
    static KNOWN: RefCell<LemmaCache> = RefCell::default();
}

/// Returns the lemmas that a form may belong to, in any part of speech: "left" to "left" and "leave".
pub(crate) fn lemmas(lower: &str) -> Rc<[&'static Lemma]> {
    KNOWN.with_borrow_mut(|known| {
        if let Some(lemmas) = known.get(lower) {
            return Rc::clone(lemmas);
        }
        if known.len() >= LEMMA_CACHE_SIZE {
            known.clear();
        }
        let lemmas: Rc<[_]> = find_lemmas(lower).into();
        known.insert(lower.into(), Rc::clone(&lemmas));
        lemmas
    })
}

fn find_lemmas(lower: &str) -> Vec<&'static Lemma> {
    let lexicon = &*LEXICON;
    let mut found: Vec<&'static Lemma> = Vec::new();
    let mut add = |part: PartOfSpeech, word: &str| {
        if let Some(lemma) = lexicon.lemma(word, part)
            && !found.contains(&lemma)
        {
            found.push(lemma);
        }
    };
    for &(part, lemma) in lexicon.forms.get(lower).into_iter().flatten() {
        add(part, lemma);
    }
    for part in PARTS_OF_SPEECH {
        add(part, lower);
    }
    // Endings of regular forms, removed as in WordNet's "morphy".
    for (part, ending, instead) in [
        (PartOfSpeech::Noun, "ses", "s"),
        (PartOfSpeech::Noun, "xes", "x"),
        (PartOfSpeech::Noun, "ches", "ch"),
        (PartOfSpeech::Noun, "shes", "sh"),
        (PartOfSpeech::Noun, "ies", "y"),
        (PartOfSpeech::Noun, "s", ""),
        (PartOfSpeech::Verb, "ies", "y"),
        (PartOfSpeech::Verb, "es", "e"),
        (PartOfSpeech::Verb, "es", ""),
        (PartOfSpeech::Verb, "s", ""),
        (PartOfSpeech::Verb, "ied", "y"),
        (PartOfSpeech::Verb, "ed", "e"),
        (PartOfSpeech::Verb, "ed", ""),
        (PartOfSpeech::Verb, "ing", "e"),
        (PartOfSpeech::Verb, "ing", ""),
        (PartOfSpeech::Adjective, "ier", "y"),
        (PartOfSpeech::Adjective, "iest", "y"),
        (PartOfSpeech::Adjective, "er", ""),
        (PartOfSpeech::Adjective, "est", ""),
        (PartOfSpeech::Adjective, "er", "e"),
        (PartOfSpeech::Adjective, "est", "e"),
    ] {
        if let Some(stem) = lower.strip_suffix(ending).filter(|s| s.len() > 1) {
            add(part, &format!("{stem}{instead}"));
            // "stopped", "running": the last letter is doubled.
            let mut letters = stem.chars();
            let last = letters.next_back();
            let single = letters.as_str();
            if last.is_some() && last == letters.next_back() && instead.is_empty() {
                add(part, single);
            }
        }
    }
    found
}

/// True if a noun, in its first sense, names a kind of what another one names in its first sense: "baker" and "person".
pub(crate) fn is_kind_of(noun: &str, kind: &str) -> bool {
    let first = |word: &str| {
        let lemma = LEXICON.lemma(word, PartOfSpeech::Noun)?;
        lemma.senses.iter().min_by_key(|sense| sense.1).map(|sense| sense.0)
    };
    let (Some(mut open), Some(kind)) = (first(noun).map(|sense| vec![sense]), first(kind)) else {
        return false;
    };
    let mut seen = open.clone();
    while let Some(sense) = open.pop() {
        if sense == kind {
            return true;
        }
        for &above in &LEXICON.synsets[sense as usize].hypernyms {
            if !seen.contains(&above) {
                seen.push(above);
                open.push(above);
            }
        }
    }
    false
}

/// Returns all pairs of words that exclude each other, in both directions, in no order.
pub(crate) fn opposites() -> impl Iterator<Item = (&'static str, &'static str)> {
    LEXICON.opposites.iter().flat_map(|(&a, others)| others.iter().map(move |&b| (a, b)))
}

/// Number of word pairs in a thread's cache. Of pairs that share a place the later one stays.
const RELATION_CACHE_SIZE: usize = 1 << 14;

thread_local! {
    static KIN_OF: RefCell<Vec<(u64, Relation)>> = RefCell::new(vec![(u64::MAX, Relation::None); RELATION_CACHE_SIZE]);
}

/// Returns the relation between two different words.
pub(crate) fn relation(a: &Lemma, b: &Lemma) -> Relation {
    let name = |l: &Lemma| u64::from(l.number) << 5 | l.part as u64;
    let pair = name(a) << 32 | name(b);
    KIN_OF.with_borrow_mut(|known| {
        // A multiplication spreads the pairs (Fibonacci hashing, Knuth).
        let place = (pair.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 50) as usize % RELATION_CACHE_SIZE;
        if known[place].0 != pair {
            known[place] = (pair, compute_relation(a, b));
        }
        known[place].1
    })
}

fn compute_relation(a: &Lemma, b: &Lemma) -> Relation {
    if a.opposites.contains(&b.number) {
        return Relation::Opposite;
    }
    // "Open" is an adjective and a verb with the same opposites; otherwise words of different parts differ in
    // meaning.
    if a.part != b.part {
        return Relation::None;
    }
    if a.synonyms.contains(&b.number) {
        return Relation::Synonym;
    }
    if a.sense_bits & b.sense_bits == 0 {
        return Relation::None;
    }
    // Two rare senses in common are mere chance.
    if a.senses.iter().any(|(id, r)| b.senses.iter().any(|(o, s)| id == o && r + s <= 5)) {
        return Relation::Synonym;
    }
    let step = |of: &Lemma, id: u32| {
        of.hypernyms.binary_search_by_key(&id, |x| x.0).ok().map(|at| of.hypernyms[at].1)
    };
    let kind = |kind: &Lemma, of: &Lemma| {
        !WordClass::TooGeneral.has(of.word)
            && of.senses.iter().any(|&(id, rank)| rank <= MAX_SENSE_RANK && step(kind, id).is_some())
    };
    if kind(a, b) || kind(b, a) {
        return Relation::IsA;
    }
    let sisters = a.hypernyms.iter().any(|&(id, s)| s == 1 && step(b, id) == Some(1));
    if sisters { Relation::Sister } else { Relation::None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trades_and_kin_are_kinds_of_persons() {
        for (noun, is_person) in
            [("baker", true), ("blacksmith", true), ("guard", true), ("sister", true), ("mayor", true)]
                .into_iter()
                .chain([("lintel", false), ("button", false), ("market", false), ("book", false)])
        {
            assert_eq!(is_kind_of(noun, "person"), is_person, "{noun}");
        }
    }

    #[test]
    fn wordnet_data_is_read_to_its_last_line() {
        let lexicon = &*LEXICON;
        assert!(lexicon.synsets.len() > 30_000 && opposites().count() > 2_600 && lexicon.forms.len() > 2_500);
        assert!(
            lexicon
                .synsets
                .iter()
                .flat_map(|s| &s.hypernyms)
                .all(|&id| (id as usize) < lexicon.synsets.len())
        );
    }

    #[test]
    fn words_are_related_by_meaning() {
        for (a, b, expected) in [
            ("buy", "purchase", Relation::Synonym),
            ("dog", "animal", Relation::IsA),
            ("animal", "dog", Relation::IsA),
            ("alive", "dead", Relation::Opposite),
            ("arrive", "leave", Relation::Opposite),
            ("bread", "horse", Relation::None),
        ] {
            let best = lemmas(a)
                .iter()
                .flat_map(|x| lemmas(b).iter().map(|y| relation(x, y)).collect::<Vec<_>>())
                .collect::<Vec<_>>();
            let best = if best.contains(&Relation::Opposite) {
                Some(Relation::Opposite)
            } else {
                best.into_iter().min()
            };
            assert_eq!(best, Some(expected), "{a} {b}");
        }
    }

    #[test]
    fn forms_have_their_lemmas() {
        let of = |form| lemmas(form).iter().map(|l| l.word).collect::<Vec<_>>();
        for (form, lemma) in [
            ("bought", "buy"),
            ("children", "child"),
            ("stopped", "stop"),
            ("running", "run"),
            ("owes", "owe"),
            ("cheaper", "cheap"),
            ("carried", "carry"),
        ] {
            assert!(of(form).contains(&lemma), "{form}: {:?}", of(form));
        }
    }
}
