//! Claims of a text, sentence by sentence.

use std::{collections::BTreeSet, mem::take};

use super::{
    grammar::{Tense, is_passive, is_predicative, predicate, verb_lemmas, verbs, word_role},
    number::numbers,
    word::{ClaimWord, WordKind},
};
use crate::{
    assertions::reported_content_start,
    lexicon::{
        WordClass, is_direction, means_all, person,
        wordnet::{self, PartOfSpeech},
    },
    text::{Sentence, Token, part, statements, tokens},
};

/// Maximum number of sentences read of a text; its vector represents no more than its beginning either.
const MAX_SENTENCES: usize = 32;

/// A claim: one statement of a text.
#[derive(Debug, Clone)]
pub(super) struct Claim {
    pub(super) words: Vec<ClaimWord>,
    /// Number of negations.
    pub(super) negations: usize,
    /// Tense of its verb: "a full cellar" states nothing.
    pub(super) tense: Option<Tense>,
    /// True if it is uncertain, a question, or if a subordinate clause is negated: "the boy who never lies came".
    pub(super) hedged: bool,
    /// Days and times of day.
    pub(super) times: BTreeSet<String>,
    /// True if it is said of all, false if of a part.
    pub(super) means_all: Option<bool>,
    /// Words of place and direction.
    pub(super) directions: BTreeSet<String>,
}

impl Claim {
    /// True if the claim describes something that happened once. An event on one day and its absence on the
    /// next are both true; only a lasting state can be contradicted.
    pub(super) fn is_episode(&self) -> bool {
        self.tense == Some(Tense::Past)
    }
}

fn sentences(text: &str) -> impl Iterator<Item = Sentence<'_>> {
    statements(text).take(MAX_SENTENCES)
}

/// Returns the claims of a text as written.
pub(super) fn claims(text: &str) -> Vec<Claim> {
    let claims = sentences(text).map(|sentence| {
        let mut claim = read_claim(&tokens(sentence.text));
        claim.hedged |= sentence.is_question();
        claim
    });
    claims.filter(|claim| !claim.words.is_empty()).collect()
}

/// Returns the claims that a text reports, without the speaker: "Pell says the bridge has fallen".
pub(super) fn reported_claims(text: &str) -> Vec<Claim> {
    let asserted = sentences(text).filter(|sentence| !sentence.is_question());
    let reported = asserted.filter_map(|sentence| {
        let from = reported_content_start(sentence.text)?;
        Some(read_claim(&tokens(part(sentence.text, from..))))
    });
    reported.collect()
}

fn read_claim(tokens: &[Token]) -> Claim {
    let (verbs, numbers) = (verbs(tokens), numbers(tokens));
    let passive = is_passive(tokens, &verbs);
    let lower = || tokens.iter().map(|token| token.lower.as_str());
    let mut claim = Claim {
        words: Vec::new(),
        negations: 0,
        tense: predicate(tokens, &verbs).map(|(_, tense)| tense),
        hedged: false,
        times: BTreeSet::new(),
        means_all: lower().filter_map(means_all).max(),
        directions: lower().filter(|word| is_direction(word)).map(str::to_owned).collect(),
    };
    let (mut is_negated, mut is_subordinate) = (false, false);
    let mut next = 0;
    for (at, token) in tokens.iter().enumerate() {
        let word = token.lower.as_str();
        let is_verb_of = |class: WordClass| verbs[at] && verb_lemmas(word).any(|lemma| class.has(lemma));
        claim.hedged |= WordClass::Hedge.has(word) || is_verb_of(WordClass::Hedge);
        is_subordinate |= WordClass::Subordinator.has(word) || matches!(word, "who" | "whose" | "which");
        if token.negation || is_verb_of(WordClass::Ceasing) {
            claim.negations += 1;
            claim.hedged |= is_subordinate;
            is_negated ^= true;
            continue;
        }
        if at < next {
            continue;
        }
        let number = numbers.iter().find(|number| number.from == at);
        let is_time =
            WordClass::Time.has(word) || WordClass::Time.has(word.strip_suffix('s').unwrap_or(word));
        let (lower, kind) = if let Some(number) = number {
            next = number.to;
            (number.value.as_str(), WordKind::Number)
        } else if let Some(person) = person(word) {
            (person, WordKind::Person)
        } else if WordClass::Function.has(word) {
            continue;
        } else if is_name(token) && !is_time {
            (word, WordKind::Name)
        } else {
            (word, if verbs[at] { WordKind::Verb } else { WordKind::Other })
        };
        if is_time {
            claim.times.insert(word.trim_end_matches('s').to_owned());
        }
        let is_common = matches!(kind, WordKind::Verb | WordKind::Other);
        let mut lemmas = if is_common { wordnet::lemmas(word).to_vec() } else { Vec::new() };
        lemmas.retain(|lemma| kind != WordKind::Verb || lemma.part == PartOfSpeech::Verb);
        claim.words.push(ClaimWord {
            lower: lower.to_owned(),
            stem: if is_common { token.stem.clone() } else { lower.to_owned() },
            lemmas,
            role: word_role(tokens, &verbs, passive, at),
            negated: take(&mut is_negated),
            predicate: kind == WordKind::Verb || is_predicative(tokens, at),
            kind,
        });
    }
    if let Some(last) = claim.words.last_mut() {
        last.negated ^= is_negated;
    }
    claim
}

/// True if a word is a name: "Bran" at the start of a sentence is taken for one to be safe, but not "Pigeons", "Old" or
/// "Running".
fn is_name(token: &Token) -> bool {
    let word = token.lower.as_str();
    let is_noun = |lemma: &&wordnet::Lemma| lemma.part == PartOfSpeech::Noun && lemma.word == word;
    token.capital && (!token.starts_sentence || wordnet::lemmas(word).iter().all(is_noun))
}
