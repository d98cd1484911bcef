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
    opposites: Vec<&'static str>,
    /// Its usual senses and those up to [`MAX_HYPERNYM_STEPS`] above them, once they are asked for.
    general: OnceLock<Vec<u32>>,
}

impl PartialEq for Lemma {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

struct Lexicon {
    /// More general senses of each sense.
    hypernyms: Vec<Vec<u32>>,
    lemmas: HashMap<&'static str, Vec<Lemma>, FixedState>,
    forms: HashMap<&'static str, Vec<(PartOfSpeech, &'static str)>, FixedState>,
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
        let mut hypernyms = Vec::new();
        let mut lemmas: HashMap<&str, Vec<Lemma>, FixedState> = HashMap::default();
        for (line, sense) in include_str!("../../data/wordnet/relations.tsv").lines().zip(0..) {
            let [letter, words, above] = {
                let mut fields = line.split('\t');
                [(); 3].map(|()| fields.next().unwrap_or_default())
            };
            let part = parse_part_of_speech(letter);
            for word in words.split(' ') {
                let (word, rank) = word.split_at(word.len() - 1);
                let known = lemmas.entry(word).or_default();
                if known.last().is_none_or(|lemma| lemma.part != part) {
                    known.push(Lemma {
                        part,
                        word,
                        senses: Vec::new(),
                        opposites: Vec::new(),
                        general: OnceLock::new(),
                    });
                }
                let senses = known.last_mut().map(|lemma| &mut lemma.senses);
                senses.into_iter().for_each(|senses| senses.push((sense, rank.parse().unwrap_or(9))));
            }
            hypernyms.push(above.split(' ').filter_map(|sense| sense.parse().ok()).collect());
        }
        let pairs = OPPOSITES.into_iter().flat_map(str::lines).filter_map(|line| line.split_once('\t'));
        for (word, opposite) in pairs.flat_map(|(a, b)| [(a, b), (b, a)]) {
            lemmas.get_mut(word).into_iter().flatten().for_each(|lemma| lemma.opposites.push(opposite));
        }
        let forms = include_str!("../../data/wordnet/forms.tsv").lines().filter_map(|line| {
            let (form, lemmas) = line.split_once('\t')?;
            let lemmas = lemmas.split(' ').filter_map(|lemma| lemma.split_once(':'));
            Some((form, lemmas.map(|(part, word)| (parse_part_of_speech(part), word)).collect()))
        });
        Self { hypernyms, lemmas, forms: forms.collect() }
    }

    /// Returns the word as this part of speech, if the dictionary lists it.
    fn lemma(&self, word: &str, part: PartOfSpeech) -> Option<&Lemma> {
        self.lemmas.get(word)?.iter().find(|lemma| lemma.part == part)
    }

    /// Adds the more general senses up to `steps` above some senses.
    fn with_more_general(&self, mut senses: Vec<u32>, steps: usize) -> Vec<u32> {
        let mut from = 0;
        for _ in 0..steps {
            let level = from..senses.len();
            from = senses.len();
            for at in level {
                for &above in &self.hypernyms[senses[at] as usize] {
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
        let Lexicon { hypernyms, lemmas, forms } = &*LEXICON;
        let opposites: usize = lemmas.values().flatten().map(|lemma| lemma.opposites.len()).sum();
        assert!(hypernyms.len() > 30_000 && opposites > 2_600 && forms.len() > 2_500);
        assert!(hypernyms.iter().flatten().all(|&id| (id as usize) < hypernyms.len()));
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
