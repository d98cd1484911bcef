//! Relations between words, from WordNet. The data is read once.

#![expect(
    clippy::disallowed_types,
    reason = "the dictionary is looked up, a hundred times a sentence, and never listed"
)]

use std::{
    cell::RefCell,
    cmp::Ordering,
    collections::HashMap,
    rc::Rc,
    sync::{LazyLock, OnceLock},
};

use foldhash::fast::{FixedState, RandomState};

pub(crate) use nightfold_memory::grammar::PartOfSpeech;

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
    /// Words that exclude each other.
    Opposite,
    /// No relation is known.
    None,
}

/// A word of the dictionary as one part of speech. Each exists once, so two are compared by their addresses.
#[derive(Debug)]
pub(crate) struct Lemma {
    pub(crate) part: PartOfSpeech,
    pub(crate) word: &'static str,
    /// Senses in ascending order, each with its rank.
    senses: Vec<(u32, u8)>,
    /// Words that exclude it.
    opposites: &'static [&'static str],
    /// Its usual senses and those up to [`MAX_HYPERNYM_STEPS`] above them, once they are asked for.
    general: OnceLock<Vec<u32>>,
}

impl PartialEq for Lemma {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

struct Lexicon {
    /// More general senses of each sense, as the file has them: most are never asked for.
    hypernyms: Vec<&'static str>,
    words: HashMap<&'static str, Word, FixedState>,
    /// Words that exclude each word.
    opposites: HashMap<&'static str, Vec<&'static str>, FixedState>,
    /// Lemmas of irregular forms, as the file has them.
    forms: HashMap<&'static str, &'static str, FixedState>,
}

struct Word {
    /// Its senses by part of speech, as the file has them.
    senses: &'static str,
    /// The same, once they are asked for.
    lemmas: OnceLock<Vec<Lemma>>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::read);

/// Pairs that exclude each other: those of WordNet, and those in the world of NPCs.
const OPPOSITES: [&str; 2] =
    [include_str!("../../data/wordnet/opposites.tsv"), include_str!("../../data/opposites.tsv")];

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

impl Lexicon {
    fn read() -> Self {
        let words = include_str!("../../data/wordnet/words.tsv").lines();
        let words = words.filter_map(|line| line.split_once('\t'));
        let mut opposites: HashMap<_, Vec<_>, _> = HashMap::default();
        let pairs = OPPOSITES.into_iter().flat_map(str::lines).filter_map(|line| line.split_once('\t'));
        for (word, opposite) in pairs.flat_map(|(a, b)| [(a, b), (b, a)]) {
            opposites.entry(word).or_default().push(opposite);
        }
        let forms = include_str!("../../data/wordnet/forms.tsv").lines();
        Self {
            hypernyms: include_str!("../../data/wordnet/hypernyms.tsv").lines().collect(),
            words: words.map(|(word, senses)| (word, Word { senses, lemmas: OnceLock::new() })).collect(),
            opposites,
            forms: forms.filter_map(|line| line.split_once('\t')).collect(),
        }
    }

    /// Returns the word as this part of speech, if the dictionary lists it.
    fn lemma(&'static self, word: &str, part: PartOfSpeech) -> Option<&'static Lemma> {
        let (word, listed) = self.words.get_key_value(word)?;
        let lemmas = listed.lemmas.get_or_init(|| {
            let opposites = self.opposites.get(word).map_or(&[][..], Vec::as_slice);
            listed.senses.split('\t').map(|senses| Lemma::read(word, senses, opposites)).collect()
        });
        lemmas.iter().find(|lemma| lemma.part == part)
    }

    /// Adds the more general senses up to `steps` above some senses.
    fn with_more_general(&self, mut senses: Vec<u32>, steps: usize) -> Vec<u32> {
        let mut from = 0;
        for _ in 0..steps {
            let level = from..senses.len();
            from = senses.len();
            for at in level {
                let above = self.hypernyms[senses[at] as usize].split(' ');
                for above in above.filter_map(|sense| sense.parse().ok()) {
                    if !senses.contains(&above) {
                        senses.push(above);
                    }
                }
            }
        }
        senses
    }
}

/// Maximum number of word forms in a thread's cache.
const CACHE_SIZE: usize = 1 << 16;

type LemmaCache = HashMap<Box<str>, Rc<[&'static Lemma]>, RandomState>;

thread_local! {
    static LEMMAS: RefCell<LemmaCache> = RefCell::default();
}

/// Returns the lemmas that a form may belong to, in any part of speech: "left" to "left" and "leave".
pub(crate) fn lemmas(lower: &str) -> Rc<[&'static Lemma]> {
    LEMMAS.with_borrow_mut(|known| {
        if let Some(lemmas) = known.get(lower) {
            return Rc::clone(lemmas);
        }
        if known.len() >= CACHE_SIZE {
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
    let irregular = lexicon.forms.get(lower).into_iter().flat_map(|lemmas| lemmas.split(' '));
    for (part, lemma) in irregular.filter_map(|lemma| lemma.split_once(':')) {
        add(parse_part_of_speech(part), lemma);
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
    let general = first(noun).map(|sense| LEXICON.with_more_general(vec![sense], usize::from(u8::MAX)));
    general.zip(first(kind)).is_some_and(|(general, kind)| general.contains(&kind))
}

/// True if two words exclude each other in some form and part of speech.
pub(crate) fn are_opposed(a: &str, b: &str) -> bool {
    let is_opposed = |one: &Lemma| lemmas(b).iter().any(|other| relation(one, other) == Relation::Opposite);
    lemmas(a).iter().any(|one| is_opposed(one))
}

/// Returns the relation between two different words.
pub(crate) fn relation(a: &Lemma, b: &Lemma) -> Relation {
    if a.opposites.contains(&b.word) {
        return Relation::Opposite;
    }
    // "Open" is an adjective and a verb with the same opposites; otherwise words of different parts differ in
    // meaning.
    if a.part != b.part {
        return Relation::None;
    }
    if share_sense(&a.senses, &b.senses) {
        return Relation::Synonym;
    }
    let is_kind = |kind: &Lemma, of: &Lemma| {
        let general = kind.general();
        of.usual_senses().any(|sense| general.contains(&sense))
    };
    if is_kind(a, b) || is_kind(b, a) { Relation::IsA } else { Relation::None }
}

impl Lemma {
    /// Reads a part of speech and the senses of a word in it.
    fn read(word: &'static str, senses: &str, opposites: &'static [&'static str]) -> Self {
        let mut fields = senses.split(' ');
        let part = parse_part_of_speech(fields.next().unwrap_or_default());
        let sense = |field: &str| {
            let (sense, rank) = field.split_once(':')?;
            Some((sense.parse().ok()?, rank.parse().ok()?))
        };
        Self { part, word, senses: fields.filter_map(sense).collect(), opposites, general: OnceLock::new() }
    }

    fn usual_senses(&self) -> impl Iterator<Item = u32> {
        self.senses.iter().filter(|sense| sense.1 <= MAX_SENSE_RANK).map(|sense| sense.0)
    }

    fn general(&self) -> &[u32] {
        let usual = || self.usual_senses().collect();
        self.general.get_or_init(|| LEXICON.with_more_general(usual(), MAX_HYPERNYM_STEPS))
    }
}

/// True if a sense is in both lists, which are sorted.
fn share_sense(mut a: &[(u32, u8)], mut b: &[(u32, u8)]) -> bool {
    while let ([(first, _), rest_a @ ..], [(other, _), rest_b @ ..]) = (a, b) {
        match first.cmp(other) {
            Ordering::Less => a = rest_a,
            Ordering::Equal => return true,
            Ordering::Greater => b = rest_b,
        }
    }
    false
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
        let Lexicon { hypernyms, words, opposites, forms } = &*LEXICON;
        let lemmas: Vec<&Lemma> = words
            .keys()
            .flat_map(|word| PARTS_OF_SPEECH.map(|part| LEXICON.lemma(word, part)))
            .flatten()
            .collect();
        let parts: usize = words.values().map(|word| word.senses.split('\t').count()).sum();
        assert_eq!(lemmas.len(), parts, "a part of speech is listed twice");
        assert!(hypernyms.len() > 30_000 && opposites.len() > 1_300 && forms.len() > 2_500);
        let is_sense = |sense: u32| (sense as usize) < hypernyms.len();
        assert!(lemmas.iter().all(|l| !l.senses.is_empty() && l.senses.iter().all(|s| is_sense(s.0))));
        let above = hypernyms.iter().flat_map(|above| above.split(' ')).filter(|sense| !sense.is_empty());
        assert!(above.map(|sense| sense.parse().unwrap()).all(is_sense));
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
