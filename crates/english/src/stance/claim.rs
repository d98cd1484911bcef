//! Claims of a text, sentence by sentence.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use super::{
    grammar::{
        Tense, is_measure, is_verb, is_modifier, negation_indices, is_passive, is_predicative, word_role, is_whole_predicate, tense,
        verb_lemmas,
    },
    number::numbers,
    opener::is_name,
    word::{WordKind, WordRole, Word},
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
    pub(super) words: Vec<Word>,
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
    tokens: Vec<Token>,
    is_question: bool,
}

/// Returns the sentences of a text, up to the maximum that is read.
pub(super) fn sentences(text: &str) -> Vec<TokenizedSentence<'_>> {
    let sentences = statements(text).take(MAX_SENTENCES);
    sentences.map(|s| TokenizedSentence { text: s.text, tokens: tokens(s.text), is_question: s.is_question() }).collect()
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
    let lower = |i: usize| tokens[i].lower.as_str();
    let verbs: Vec<bool> = (0..tokens.len()).map(|i| is_verb(tokens, i)).collect();
    let passive = is_passive(tokens, &verbs);
    let numbers = numbers(tokens);
    let mut words: Vec<Word> = Vec::new();
    let mut places: Vec<usize> = Vec::new();
    let mut hedged = false;
    let mut negations = negation_indices(tokens);
    let mut times = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let token = &tokens[at];
        let word = lower(at);
        // "My back hurts": behind an article such a word is a noun.
        let thing = matches!(word, "back" | "front" | "inside" | "outside")
            && at > 0
            && WordClass::Determiner.has(lower(at - 1));
        let small = WordClass::Function.has(word) && !thing && !is_whole_predicate(tokens, at);
        let own: Vec<&str> = if small { Vec::new() } else { verb_lemmas(word).collect() };
        hedged |= WordClass::Hedge.has(word) || (verbs[at] && own.iter().any(|l| WordClass::Hedge.has(l)));
        if let Some(number) = numbers.iter().find(|n| n.from == at) {
            words.push(plain_word(&number.value, WordKind::Number, word_role(tokens, &verbs, passive, at)));
            places.push(at);
            at = number.to;
            continue;
        }
        if let Some(person) = person(word) {
            words.push(plain_word(person, WordKind::Person, word_role(tokens, &verbs, passive, at)));
            places.push(at);
        } else if WordClass::Indefinite.has(word) && !word.ends_with("thing") {
            let mut made = plain_word("person", WordKind::Other, word_role(tokens, &verbs, passive, at));
            made.lemmas = wordnet::lemmas("person").to_vec();
            words.push(made);
            places.push(at);
        } else if !(is_measure(tokens, at) || small || is_negation(word)) {
            let singular = word.strip_suffix('s').unwrap_or(word);
            if WordClass::Time.has(word) || WordClass::Time.has(singular) {
                times.push(singular.to_owned());
            }
            let kind = if is_name(token, spelling) && !WordClass::Time.has(word) {
                WordKind::Name
            } else if verbs[at] {
                WordKind::Verb
            } else {
                WordKind::Other
            };
            if kind == WordKind::Verb && own.iter().any(|l| WordClass::Ceasing.has(l)) {
                negations.push(at);
            } else {
                let mut made = plain_word(word, kind, word_role(tokens, &verbs, passive, at));
                made.predicate = made.kind == WordKind::Verb || is_predicative(tokens, at);
                made.modifier = made.kind == WordKind::Other && is_modifier(tokens, &verbs, at);
                if made.kind != WordKind::Name {
                    made.stem.clone_from(&token.stem);
                    made.lemmas = wordnet::lemmas(word).to_vec();
                    if made.kind == WordKind::Verb {
                        // "Is crowded", "is closed": a participle behind "is" also names a state.
                        let state = is_predicative(tokens, at) && !word.ends_with("ing");
                        made.lemmas.retain(|l| l.part == PartOfSpeech::Verb || state && l.part == PartOfSpeech::Adjective);
                    }
                }
                words.push(made);
                places.push(at);
            }
        }
        at += 1;
    }
    // "The boy who never lies came": this negation does not negate the statement.
    let subordinates =
        |word: &str| WordClass::Subordinator.has(word) || matches!(word, "who" | "whose" | "which");
    let within = |&place: &usize| (0..place).any(|i| subordinates(lower(i)));
    let aside = negations.iter().any(within);
    for &place in &negations {
        let head = places.iter().position(|&p| p > place).or(places.len().checked_sub(1));
        if let Some(head) = head {
            words[head].negated ^= true;
        }
    }
    let smalls = (0..tokens.len())
        .filter(|&i| WordClass::Preposition.has(lower(i)) || matches!(lower(i), "front" | "more" | "less"));
    let mut quantities: Vec<i8> = (0..tokens.len()).filter_map(|i| quantity(lower(i))).collect();
    quantities.sort_unstable();
    times.sort();
    times.dedup();
    Claim {
        negations: negations.len(),
        negates_subclause: aside,
        has_finite_verb: (0..tokens.len()).any(|i| {
            verbs[i] && !lower(i).ends_with("ing") || WordClass::Auxiliary.has(lower(i)) && lower(i) != "to"
        }),
        tense: tense(tokens, &verbs),
        hedged,
        times,
        quantities,
        directions: smalls.filter_map(|i| direction(lower(i))).fold(0, |all, word| all | word),
        stems: words.iter().map(|w| FixedState::default().hash_one(&w.stem)).collect(),
        words,
    }
}

fn plain_word(lower: &str, kind: WordKind, role: WordRole) -> Word {
    Word {
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
