//! Claims of a text, sentence by sentence.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use super::{
    grammar::{
        Tense, is_measure, is_verb, modifier, negation_indices, passive, predicate, role, says_all, tense,
        verb_lemmas,
    },
    number::numbers,
    opener::is_name,
    word::{Kind, Role, Word},
};
use crate::{
    lexicon::{
        WordClass, direction, is_negation, person, quantity,
        wordnet::{self, Part},
    },
    text::{Spelling, Token, statements, tokens},
};

/// Maximum number of sentences read of a text; its vector represents no more than its beginning either.
const SENTENCES: usize = 32;

/// Phrases that introduce a reason behind the statement it is given for.
const REASONS: [&str; 4] = [" because ", ", for ", ", since ", ", now that "];

/// A claim: one statement of a text.
#[derive(Debug, Clone)]
pub(super) struct Claim {
    pub(super) words: Vec<Word>,
    /// Hash of each word's stem: different hashes mean different stems.
    pub(super) stems: Vec<u64>,
    /// Number of negations.
    pub(super) negations: usize,
    /// True if one of the negations is in a subordinate clause.
    pub(super) aside: bool,
    /// True if it has a finite verb: "a full cellar" states nothing.
    pub(super) finite: bool,
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
pub(super) struct Sentence<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    asks: bool,
}

/// Returns the sentences of a text, up to the maximum that is read.
pub(super) fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let sentences = statements(text).take(SENTENCES);
    sentences.map(|s| Sentence { text: s.text, tokens: tokens(s.text), asks: s.asks() }).collect()
}

/// Returns the claims of sentences as written.
pub(super) fn claims(sentences: &[Sentence<'_>], spelling: &Spelling) -> Vec<Claim> {
    let claims = sentences.iter().map(|sentence| {
        let mut claim = read(&sentence.tokens, spelling);
        claim.hedged |= sentence.asks;
        claim
    });
    claims.filter(|claim| !claim.words.is_empty()).collect()
}

/// Returns the claims reported in sentences, without the speaker: "Pell says the bridge has fallen".
pub(super) fn reported(sentences: &[Sentence<'_>], spelling: &Spelling) -> Vec<Claim> {
    let mut found = Vec::new();
    for Sentence { tokens, .. } in sentences {
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
            found.push(read(&tokens[from..], spelling));
        }
    }
    found
}

/// Returns claims without the reason given for them: "salt costs 11 pence, because the pans were flooded".
pub(super) fn unreasoned(sentences: &[Sentence<'_>], spelling: &Spelling) -> Vec<Claim> {
    let mut found = Vec::new();
    for sentence in sentences {
        let reason = REASONS.iter().filter_map(|word| sentence.text.find(word)).min();
        let Some(main) = reason.and_then(|at| sentence.text.get(..at)) else { continue };
        let tokens = tokens(main);
        // "I know because" claims nothing, and neither does a question.
        if tokens.len() >= 3 && !sentence.asks {
            found.push(read(&tokens, spelling));
        }
    }
    found
}

fn read(tokens: &[Token], spelling: &Spelling) -> Claim {
    let lower = |i: usize| tokens[i].lower.as_str();
    let verbs: Vec<bool> = (0..tokens.len()).map(|i| is_verb(tokens, i)).collect();
    let passive = passive(tokens, &verbs);
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
        let small = WordClass::Function.has(word) && !thing && !says_all(tokens, at);
        let own: Vec<&str> = if small { Vec::new() } else { verb_lemmas(word).collect() };
        hedged |= WordClass::Hedge.has(word) || (verbs[at] && own.iter().any(|l| WordClass::Hedge.has(l)));
        if let Some(number) = numbers.iter().find(|n| n.from == at) {
            words.push(plain(&number.value, Kind::Number, role(tokens, &verbs, passive, at)));
            places.push(at);
            at = number.to;
            continue;
        }
        if let Some(person) = person(word) {
            words.push(plain(person, Kind::Person, role(tokens, &verbs, passive, at)));
            places.push(at);
        } else if WordClass::Indefinite.has(word) && !word.ends_with("thing") {
            let mut made = plain("person", Kind::Other, role(tokens, &verbs, passive, at));
            made.lemmas = wordnet::lemmas("person").to_vec();
            words.push(made);
            places.push(at);
        } else if !(is_measure(tokens, at) || small || is_negation(word)) {
            let singular = word.strip_suffix('s').unwrap_or(word);
            if WordClass::Time.has(word) || WordClass::Time.has(singular) {
                times.push(singular.to_owned());
            }
            let kind = if is_name(token, spelling) && !WordClass::Time.has(word) {
                Kind::Name
            } else if verbs[at] {
                Kind::Verb
            } else {
                Kind::Other
            };
            if kind == Kind::Verb && own.iter().any(|l| WordClass::Ceasing.has(l)) {
                negations.push(at);
            } else {
                let mut made = plain(word, kind, role(tokens, &verbs, passive, at));
                made.predicate = made.kind == Kind::Verb || predicate(tokens, at);
                made.modifier = made.kind == Kind::Other && modifier(tokens, &verbs, at);
                if made.kind != Kind::Name {
                    made.stem.clone_from(&token.stem);
                    made.lemmas = wordnet::lemmas(word).to_vec();
                    if made.kind == Kind::Verb {
                        // "Is crowded", "is closed": a participle behind "is" also names a state.
                        let state = predicate(tokens, at) && !word.ends_with("ing");
                        made.lemmas.retain(|l| l.part == Part::Verb || state && l.part == Part::Adjective);
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
        aside,
        finite: (0..tokens.len()).any(|i| {
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

fn plain(lower: &str, kind: Kind, role: Role) -> Word {
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
