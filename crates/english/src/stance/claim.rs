//! Claims of a text, sentence by sentence.

use std::{hash::BuildHasher, rc::Rc};

use foldhash::fast::FixedState;

use super::{
    grammar::{
        Tense, is_measure, is_modifier, is_passive, is_predicative, is_verb, is_whole_predicate,
        negation_indices, predicate, verb_lemmas, word_role,
    },
    number::numbers,
    word::{ClaimWord, WordKind, WordRole},
};
use crate::{
    lexicon::{
        WordClass, direction, is_negation, person, quantity,
        wordnet::{self, PartOfSpeech},
    },
    text::{Spelling, Token, statements, tokens},
};

/// Maximum number of sentences read of a text; its vector represents no more than its beginning either.
const MAX_SENTENCES: usize = 32;

/// Phrases that introduce a reason behind the statement it is given for.
const REASON_OPENERS: [&str; 4] = [" because ", ", for ", ", since ", ", now that "];

/// A claim: one statement of a text.
#[derive(Debug, Clone)]
pub(super) struct Claim {
    pub(super) words: Vec<ClaimWord>,
    /// Hash of each word's stem: different hashes mean different stems.
    pub(super) stems: Vec<u64>,
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
    pub(super) times: Vec<String>,
    /// Degrees of its quantifiers, sorted, from 0 (few) to 3 (all).
    pub(super) quantities: Vec<i8>,
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

/// A sentence of a text, tokenized once for all that reads it.
pub(super) struct TokenizedSentence<'t> {
    text: &'t str,
    tokens: Rc<[Token]>,
    is_question: bool,
}

/// Returns the sentences of a text, up to the maximum that is read.
pub(super) fn sentences(text: &str) -> Vec<TokenizedSentence<'_>> {
    let sentences = statements(text).take(MAX_SENTENCES);
    sentences
        .map(|s| TokenizedSentence { text: s.text, tokens: tokens(s.text), is_question: s.is_question() })
        .collect()
}

/// Returns the claims of sentences as written.
pub(super) fn claims(sentences: &[TokenizedSentence<'_>], spelling: &Spelling) -> Vec<Claim> {
    let claims = sentences.iter().map(|sentence| {
        let mut claim = read_claim(&sentence.tokens, spelling);
        claim.hedged |= sentence.is_question;
        claim
    });
    claims.filter(|claim| !claim.words.is_empty()).collect()
}

/// Returns the claims reported in sentences, without the speaker: "Pell says the bridge has fallen".
pub(super) fn reported_claims(sentences: &[TokenizedSentence<'_>], spelling: &Spelling) -> Vec<Claim> {
    let mut found = Vec::new();
    for TokenizedSentence { tokens, .. } in sentences {
        let Some(at) = tokens.iter().position(|t| {
            verb_lemmas(&t.lower).any(|l| WordClass::Speech.has(l) || WordClass::Hearing.has(l))
        }) else {
            continue;
        };
        // A report that is denied, or that has no speaker before its verb, claims nothing.
        if at == 0 || tokens[..at].iter().any(|t| is_negation(&t.lower)) {
            continue;
        }
        let mut from = at + 1;
        while from < tokens.len()
            && from < at + 4
            && (tokens[from].capital && !tokens[from].starts_sentence
                || person(&tokens[from].lower).is_some())
        {
            from += 1;
        }
        if tokens.get(from).is_some_and(|t| t.lower == "that") {
            from += 1;
        }
        let asked = tokens
            .get(from)
            .is_some_and(|t| matches!(t.lower.as_str(), "if" | "whether" | "to" | "about" | "of"));
        if !asked && from + 2 < tokens.len() {
            found.push(read_claim(&tokens[from..], spelling));
        }
    }
    found
}

/// Returns claims without the reason given for them: "salt costs 11 pence, because the pans were flooded".
pub(super) fn claims_without_reason(sentences: &[TokenizedSentence<'_>], spelling: &Spelling) -> Vec<Claim> {
    let mut found = Vec::new();
    for sentence in sentences {
        let reason = REASON_OPENERS.iter().filter_map(|word| sentence.text.find(word)).min();
        let Some(main) = reason.and_then(|at| sentence.text.get(..at)) else { continue };
        let tokens = tokens(main);
        // "I know because" claims nothing, and neither does a question.
        if tokens.len() >= 3 && !sentence.is_question {
            found.push(read_claim(&tokens, spelling));
        }
    }
    found
}

fn read_claim(tokens: &[Token], spelling: &Spelling) -> Claim {
    let mut reader = ClaimReader::new(tokens, spelling);
    let numbers = numbers(tokens);
    let mut at = 0;
    while at < tokens.len() {
        at = if let Some(number) = numbers.iter().find(|n| n.from == at) {
            reader.note_hedge(at);
            reader.push(at, |role| plain_word(&number.value, WordKind::Number, role));
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
    spelling: &'a Spelling,
    verbs: Vec<bool>,
    passive: bool,
    words: Vec<ClaimWord>,
    /// Token of each word.
    indices: Vec<usize>,
    /// Tokens that negate.
    negations: Vec<usize>,
    times: Vec<String>,
    hedged: bool,
}

impl<'a> ClaimReader<'a> {
    fn new(tokens: &'a [Token], spelling: &'a Spelling) -> Self {
        let verbs: Vec<bool> = (0..tokens.len()).map(|i| is_verb(tokens, i)).collect();
        Self {
            tokens,
            spelling,
            passive: is_passive(tokens, &verbs),
            verbs,
            words: Vec::new(),
            indices: Vec::new(),
            negations: negation_indices(tokens),
            times: Vec::new(),
            hedged: false,
        }
    }

    fn lower(&self, at: usize) -> &'a str {
        self.tokens[at].lower.as_str()
    }

    fn push(&mut self, at: usize, word: impl FnOnce(WordRole) -> ClaimWord) {
        self.words.push(word(word_role(self.tokens, &self.verbs, self.passive, at)));
        self.indices.push(at);
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
        self.note_hedge(at);
        let (token, word) = (&self.tokens[at], self.lower(at));
        if let Some(person) = person(word) {
            return self.push(at, |role| plain_word(person, WordKind::Person, role));
        }
        if WordClass::Indefinite.has(word) && !word.ends_with("thing") {
            return self.push(at, |role| ClaimWord {
                lemmas: wordnet::lemmas("person").to_vec(),
                ..plain_word("person", WordKind::Other, role)
            });
        }
        if is_measure(self.tokens, at) || self.is_small(at) || is_negation(word) {
            return;
        }
        let singular = word.strip_suffix('s').unwrap_or(word);
        if WordClass::Time.has(word) || WordClass::Time.has(singular) {
            self.times.push(singular.to_owned());
        }
        let kind = if is_name(token, self.spelling) && !WordClass::Time.has(word) {
            WordKind::Name
        } else if self.verbs[at] {
            WordKind::Verb
        } else {
            WordKind::Other
        };
        if kind == WordKind::Verb && self.is_verb_of(at, WordClass::Ceasing) {
            self.negations.push(at);
            return;
        }
        let predicative = is_predicative(self.tokens, at);
        let modifier = kind == WordKind::Other && is_modifier(self.tokens, &self.verbs, at);
        self.push(at, |role| {
            let mut made = plain_word(word, kind.clone(), role);
            made.predicate = kind == WordKind::Verb || predicative;
            made.modifier = modifier;
            if kind != WordKind::Name {
                made.stem.clone_from(&token.stem);
                made.lemmas = wordnet::lemmas(word).to_vec();
            }
            if kind == WordKind::Verb {
                // "Is crowded", "is closed": a participle behind "is" also names a state.
                let state = predicative && !word.ends_with("ing");
                made.lemmas
                    .retain(|l| l.part == PartOfSpeech::Verb || state && l.part == PartOfSpeech::Adjective);
            }
            made
        });
    }

    fn finish(self) -> Claim {
        let Self { tokens, verbs, mut words, indices, negations, mut times, hedged, .. } = self;
        let lower = |i: usize| tokens[i].lower.as_str();
        // "The boy who never lies came": this negation does not negate the statement.
        let subordinates =
            |word: &str| WordClass::Subordinator.has(word) || matches!(word, "who" | "whose" | "which");
        let negates_subclause = negations.iter().any(|&at| (0..at).any(|i| subordinates(lower(i))));
        for &at in &negations {
            if let Some(head) = indices.iter().position(|&p| p > at).or(indices.len().checked_sub(1)) {
                words[head].negated ^= true;
            }
        }
        let mut quantities: Vec<i8> = (0..tokens.len()).filter_map(|i| quantity(lower(i))).collect();
        quantities.sort_unstable();
        times.sort();
        times.dedup();
        Claim {
            negations: negations.len(),
            negates_subclause,
            has_finite_verb: (0..tokens.len()).any(|i| {
                verbs[i] && !lower(i).ends_with("ing")
                    || WordClass::Auxiliary.has(lower(i)) && lower(i) != "to"
            }),
            tense: predicate(tokens, &verbs).map_or(Tense::Present, |(_, tense)| tense),
            hedged,
            times,
            quantities,
            directions: (0..tokens.len()).filter_map(|i| direction(lower(i))).fold(0, |all, word| all | word),
            stems: words.iter().map(|w| FixedState::default().hash_one(&w.stem)).collect(),
            words,
        }
    }
}

/// True if a word is a name by the spelling of its text: "Bran" at the start of a sentence is taken for one to be safe, but
/// not "Pigeons", "Old" or "Running".
fn is_name(token: &Token, spelling: &Spelling) -> bool {
    let word = token.lower.as_str();
    let is_noun = |lemma: &&wordnet::Lemma| lemma.part == PartOfSpeech::Noun && lemma.word == word;
    token.capital
        && (!token.starts_sentence
            || spelling.names.contains(word)
            || !spelling.common.contains(word) && wordnet::lemmas(word).iter().all(is_noun))
}

fn plain_word(lower: &str, kind: WordKind, role: WordRole) -> ClaimWord {
    ClaimWord {
        lower: lower.to_owned(),
        stem: lower.to_owned(),
        lemmas: Vec::new(),
        kind,
        role,
        negated: false,
        predicate: false,
        modifier: false,
    }
}
