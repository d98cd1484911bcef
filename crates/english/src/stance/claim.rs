//! Claims of a text, sentence by sentence.

use std::collections::BTreeSet;

use super::{
    grammar::{
        Tense, is_measure, is_modifier, is_passive, is_predicative, is_whole_predicate, negation_indices,
        predicate, verb_lemmas, verbs, word_role,
    },
    number::numbers,
    word::{ClaimWord, WordKind},
};
use crate::{
    assertions::reported_content_start,
    lexicon::{
        WordClass, direction, is_negation, person, quantity,
        wordnet::{self, PartOfSpeech},
    },
    text::{Sentence, Token, part, statements, tokens},
};

/// Maximum number of sentences read of a text; its vector represents no more than its beginning either.
const MAX_SENTENCES: usize = 32;

/// Phrases that introduce a reason behind the statement it is given for.
const REASON_OPENERS: [&str; 4] = [" because ", ", for ", ", since ", ", now that "];

/// A claim: one statement of a text.
#[derive(Debug, Clone)]
pub(super) struct Claim {
    pub(super) words: Vec<ClaimWord>,
    /// Number of negations.
    pub(super) negations: usize,
    /// True if one of the negations is in a subordinate clause.
    pub(super) negates_subclause: bool,
    /// True if it has a finite verb: "a full cellar" states nothing.
    pub(super) has_finite_verb: bool,
    pub(super) tense: Tense,
    /// True if it is uncertain, or a question.
    pub(super) hedged: bool,
    /// Days and times of day.
    pub(super) times: BTreeSet<String>,
    /// Highest degree of its quantifiers, from 0 (few) to 3 (all).
    pub(super) quantity: Option<i8>,
    /// Words of place and direction, a bit for each.
    pub(super) directions: u32,
}

impl Claim {
    /// True if the claim describes something that happened once. An event on one day and its absence on the
    /// next are both true; only a lasting state can be contradicted.
    pub(super) fn is_episode(&self) -> bool {
        self.tense == Tense::Past
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

/// Returns the claims that a text reports, without the speaker ("Pell says the bridge has fallen"), and its claims
/// without the reason given for them ("salt costs 11 pence, because the pans were flooded").
pub(super) fn further_claims(text: &str) -> Vec<Claim> {
    let mut found = Vec::new();
    for sentence in sentences(text).filter(|sentence| !sentence.is_question()) {
        let reported = reported_content_start(sentence.text).map(|from| part(sentence.text, from..));
        let reason = REASON_OPENERS.iter().filter_map(|word| sentence.text.find(word)).min();
        let main = reason.map(|at| part(sentence.text, ..at));
        // "I know because" claims nothing.
        let told = reported.into_iter().chain(main).map(tokens).filter(|words| words.len() >= 3);
        found.extend(told.map(|words| read_claim(&words)));
    }
    found
}

fn read_claim(tokens: &[Token]) -> Claim {
    let mut reader = ClaimReader::new(tokens);
    let numbers = numbers(tokens);
    let mut at = 0;
    while at < tokens.len() {
        reader.note_hedge(at);
        at = if let Some(number) = numbers.iter().find(|n| n.from == at) {
            reader.push(at, &number.value, WordKind::Number);
            number.to
        } else {
            reader.read_word(at);
            at + 1
        };
    }
    reader.finish()
}

/// A claim while its words are read.
struct ClaimReader<'a> {
    tokens: &'a [Token],
    verbs: Vec<bool>,
    passive: bool,
    words: Vec<ClaimWord>,
    /// Token of each word.
    indices: Vec<usize>,
    /// Tokens that negate.
    negations: Vec<usize>,
    times: BTreeSet<String>,
    hedged: bool,
}

impl<'a> ClaimReader<'a> {
    fn new(tokens: &'a [Token]) -> Self {
        let verbs = verbs(tokens);
        Self {
            tokens,
            passive: is_passive(tokens, &verbs),
            verbs,
            words: Vec::new(),
            indices: Vec::new(),
            negations: negation_indices(tokens),
            times: BTreeSet::new(),
            hedged: false,
        }
    }

    fn lower(&self, at: usize) -> &'a str {
        self.tokens[at].lower.as_str()
    }

    /// Adds a word, and returns it.
    fn push(&mut self, at: usize, lower: &str, kind: WordKind) -> &mut ClaimWord {
        self.indices.push(at);
        self.words.push(ClaimWord {
            lower: lower.to_owned(),
            stem: lower.to_owned(),
            lemmas: Vec::new(),
            kind,
            role: word_role(self.tokens, &self.verbs, self.passive, at),
            negated: false,
            predicate: false,
            modifier: false,
        });
        let last = self.words.len() - 1;
        &mut self.words[last]
    }

    /// True if a word says nothing by itself.
    fn is_small(&self, at: usize) -> bool {
        // "My back hurts": behind an article such a word is a noun.
        let noun = matches!(self.lower(at), "back" | "front" | "inside" | "outside")
            && at > 0
            && WordClass::Determiner.has(self.lower(at - 1));
        WordClass::Function.has(self.lower(at)) && !noun && !is_whole_predicate(self.tokens, at)
    }

    /// True if a word, read as a verb, belongs to a class.
    fn is_verb_of(&self, at: usize, class: WordClass) -> bool {
        self.verbs[at] && !self.is_small(at) && verb_lemmas(self.lower(at)).any(|lemma| class.has(lemma))
    }

    fn note_hedge(&mut self, at: usize) {
        self.hedged |= WordClass::Hedge.has(self.lower(at)) || self.is_verb_of(at, WordClass::Hedge);
    }

    fn read_word(&mut self, at: usize) {
        let (token, word) = (&self.tokens[at], self.lower(at));
        if let Some(person) = person(word) {
            self.push(at, person, WordKind::Person);
            return;
        }
        if WordClass::Indefinite.has(word) && !word.ends_with("thing") {
            self.push(at, "person", WordKind::Other).lemmas = wordnet::lemmas("person").to_vec();
            return;
        }
        if is_measure(self.tokens, at) || self.is_small(at) || is_negation(word) {
            return;
        }
        if self.is_verb_of(at, WordClass::Ceasing) {
            self.negations.push(at);
            return;
        }
        let singular = word.strip_suffix('s').unwrap_or(word);
        let is_time = WordClass::Time.has(word) || WordClass::Time.has(singular);
        if is_time {
            self.times.insert(singular.to_owned());
        }
        let predicative = is_predicative(self.tokens, at);
        if is_name(token) && !WordClass::Time.has(word) {
            self.push(at, word, WordKind::Name).predicate = predicative;
        } else if self.verbs[at] {
            let made = self.push(at, word, WordKind::Verb);
            made.predicate = true;
            made.stem.clone_from(&token.stem);
            // "Is crowded", "is closed": a participle behind "is" also names a state.
            let state = predicative && !word.ends_with("ing");
            made.lemmas = wordnet::lemmas(word).to_vec();
            made.lemmas
                .retain(|l| l.part == PartOfSpeech::Verb || state && l.part == PartOfSpeech::Adjective);
        } else {
            let modifier = is_modifier(self.tokens, &self.verbs, at);
            let made = self.push(at, word, WordKind::Other);
            (made.predicate, made.modifier) = (predicative, modifier);
            made.stem.clone_from(&token.stem);
            made.lemmas = wordnet::lemmas(word).to_vec();
        }
    }

    fn finish(self) -> Claim {
        let Self { tokens, verbs, mut words, indices, negations, times, hedged, .. } = self;
        let lower = || tokens.iter().map(|token| token.lower.as_str());
        // "The boy who never lies came": this negation does not negate the statement.
        let subordinates =
            |word: &str| WordClass::Subordinator.has(word) || matches!(word, "who" | "whose" | "which");
        let negates_subclause = negations.iter().any(|&at| lower().take(at).any(subordinates));
        for &at in &negations {
            if let Some(head) = indices.iter().position(|&p| p > at).or(indices.len().checked_sub(1)) {
                words[head].negated ^= true;
            }
        }
        let is_finite = |(word, is_verb): (&str, &bool)| {
            *is_verb && !word.ends_with("ing") || WordClass::Auxiliary.has(word) && word != "to"
        };
        Claim {
            words,
            negations: negations.len(),
            negates_subclause,
            has_finite_verb: lower().zip(&verbs).any(is_finite),
            tense: predicate(tokens, &verbs).map_or(Tense::Present, |(_, tense)| tense),
            hedged,
            times,
            quantity: lower().filter_map(quantity).max(),
            directions: lower().filter_map(direction).fold(0, |all, word| all | word),
        }
    }
}

/// True if a word is a name: "Bran" at the start of a sentence is taken for one to be safe, but not "Pigeons", "Old" or
/// "Running".
fn is_name(token: &Token) -> bool {
    let word = token.lower.as_str();
    let is_noun = |lemma: &&wordnet::Lemma| lemma.part == PartOfSpeech::Noun && lemma.word == word;
    token.capital && (!token.starts_sentence || wordnet::lemmas(word).iter().all(is_noun))
}
