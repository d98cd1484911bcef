//! Deeds: what the NPC, or somebody else, did again and again.

use std::collections::BTreeSet;

use nightfold_memory::{
    Kind, ReflectionKind,
    grammar::{Grammar, PartOfSpeech, Relation},
};

use super::{
    Candidate,
    clause::{Actor, Clause},
    timeline::{Timeline, TimelineEntry},
    wording::{frequency, is_dense},
};
use crate::{
    lexicon::{
        WordClass,
        wordnet::{self, lemmas},
    },
    synthesize::phrase::upper_first,
    text::Token,
};

/// Minimum number of occasions.
const MIN_OCCASIONS: usize = 3;
/// Maximum number of occasions that add weight.
const MAX_WEIGHED: usize = 6;
const WEIGHT: u32 = 14;
/// Number of tokens at the start of a memory among which the actor of its deed stands.
const OPENING: usize = 4;
/// Number of letters by which a noun is of its verb: "conversing about a conversation".
const ROOT: usize = 5;
/// Number of tokens before a verb among which a word for what is not done, or not yet, stands.
const BEFORE_VERB: usize = 2;

/// Deed that a memory of the day states: an actor, a verb and what it is done to, with or at.
struct Deed {
    actor: Actor,
    /// Verbs that the word may be a form of.
    verbs: Vec<&'static str>,
    /// Stem of the verb.
    stem: String,
    /// Stem of the noun.
    object: String,
    /// Name, if the noun is a person's.
    is_person: bool,
    clause: Clause,
}

pub(super) fn candidates(life: &Timeline<'_>) -> Vec<Candidate> {
    let mut seen: BTreeSet<(String, String, String)> = BTreeSet::new();
    let mut found = Vec::new();
    for at in (0..life.seen.len()).rev().filter(|&at| life.is_of_today(at)) {
        for deed in deeds(life, at) {
            if seen.insert((deed.actor.key(), deed.stem.clone(), deed.object.clone())) {
                found.extend(candidate(life, &deed, at));
            }
        }
    }
    found
}

/// Returns the deeds that a memory of the day states.
fn deeds(life: &Timeline<'_>, at: usize) -> Vec<Deed> {
    let entry = &life.seen[at];
    let Some(grammar) = &entry.analysis.grammar else { return Vec::new() };
    if !states_deeds(entry) {
        return Vec::new();
    }
    let verbs = (0..grammar.words().len()).filter(|&verb| is_main_verb(grammar, verb));
    verbs.flat_map(|verb| deeds_of_verb(life, entry, grammar, verb)).collect()
}

/// True for a memory of deeds: neither a status line nor a question, and without a quotation.
fn states_deeds(entry: &TimelineEntry<'_>) -> bool {
    entry.kind != Kind::Status && !entry.text.contains(['?', '"', '\u{201c}'])
}

fn is_main_verb(grammar: &Grammar, verb: usize) -> bool {
    let word = &grammar.words()[verb];
    word.part_of_speech() == PartOfSpeech::Verb
        && match word.relation() {
            Relation::Root | Relation::Parataxis => true,
            Relation::Conjunct => word.head().is_some_and(|head| is_main_verb(grammar, head)),
            _ => false,
        }
}

fn deeds_of_verb(
    life: &Timeline<'_>,
    entry: &TimelineEntry<'_>,
    grammar: &Grammar,
    verb: usize,
) -> Vec<Deed> {
    let Some(actor) = Actor::of_verb(life, entry, grammar, verb) else { return Vec::new() };
    let written = grammar.words()[verb].written(entry.text).to_lowercase();
    let forms: Vec<&'static str> = lemmas(&written)
        .iter()
        .filter(|lemma| lemma.part == wordnet::PartOfSpeech::Verb)
        .map(|lemma| lemma.word)
        .collect();
    let nouns = grammar.dependents(verb).filter(|(at, word)| {
        *at > verb
            && word.is_noun()
            && matches!(word.relation(), Relation::Object | Relation::Oblique | Relation::IndirectObject)
    });
    nouns
        .filter_map(|(noun, word)| {
            let token = entry.analysis.tokens.iter().find(|t| word.span().contains(&t.start))?;
            let is_named = life.own.names.contains(&token.lower) || actor.key() == token.lower;
            let repeats_verb =
                forms.iter().any(|form| form.get(..ROOT).is_some_and(|root| token.lower.starts_with(root)));
            // "Conversing about Klaus" may be with Klaus.
            let is_talked_of = word.part_of_speech() == PartOfSpeech::ProperNoun
                && grammar.dependents(noun).any(|(_, case)| case.written(entry.text) == "about");
            let is_vague = is_talked_of
                || WordClass::Time.has(&token.lower)
                || !token.names_theme
                || is_named
                || repeats_verb;
            (!is_vague && !forms.is_empty()).then(|| Deed {
                actor: actor.clone(),
                verbs: forms.clone(),
                stem: entry
                    .analysis
                    .tokens
                    .iter()
                    .find(|t| t.lower == written)
                    .map_or_else(String::new, |t| t.stem.clone()),
                object: token.stem.clone(),
                is_person: word.part_of_speech() == PartOfSpeech::ProperNoun,
                clause: Clause { verb, end: noun },
            })
        })
        .collect()
}

impl Deed {
    /// True if a memory states the deed.
    fn is_in(&self, life: &Timeline<'_>, at: usize) -> bool {
        let entry = &life.seen[at];
        let tokens = &entry.analysis.tokens;
        let is_form = |token: &Token| {
            token.stem == self.stem
                || lemmas(&token.lower)
                    .iter()
                    .any(|l| l.part == wordnet::PartOfSpeech::Verb && self.verbs.contains(&l.word))
        };
        let is_open = |verb: usize| {
            tokens[verb.saturating_sub(BEFORE_VERB)..verb].iter().any(|t| {
                t.negation
                    || t.lower == "to"
                    || WordClass::Future.has(&t.lower)
                    || WordClass::Hedge.has(&t.lower)
                    || WordClass::PresentModal.has(&t.lower)
                    || WordClass::Determiner.has(&t.lower)
            })
        };
        entry.has_stems(std::slice::from_ref(&self.object))
            && states_deeds(entry)
            && self.actor.opens(life, entry, OPENING)
            && (0..tokens.len()).any(|verb| is_form(&tokens[verb]) && !is_open(verb))
    }
}

fn candidate(life: &Timeline<'_>, deed: &Deed, at: usize) -> Option<Candidate> {
    let all: Vec<usize> = (0..life.seen.len()).filter(|&other| deed.is_in(life, other)).collect();
    let members = life.occasions(&all);
    if members.len() < MIN_OCCASIONS {
        return None;
    }
    let shared = |stem: &str| members.iter().all(|&m| life.seen[m].has_stems(&[stem.to_owned()]));
    let clause = deed.clause.text(life, at, &deed.actor, &|token| {
        token.stem == deed.stem || token.stem == deed.object || shared(&token.stem)
    })?;
    let (days, within) = (life.days(&members), life.span(&members));
    if !is_dense(days, within) {
        return None;
    }
    let often = frequency(members.len(), days, within);
    let kind = match (&deed.actor, deed.is_person) {
        (Actor::Me, true) => ReflectionKind::Pattern,
        (Actor::Me, false) => ReflectionKind::Oneself,
        (Actor::Other(_), _) => ReflectionKind::Social,
    };
    let subject = match &deed.actor {
        Actor::Other(name) => name.clone(),
        Actor::Me => life.seen[at].written(&deed.object).unwrap_or_else(|| deed.object.clone()),
    };
    let importance: u32 = members.iter().map(|&m| u32::from(life.seen[m].importance)).sum();
    Some(Candidate {
        form: "deed",
        kind,
        text: format!("{} {clause}", upper_first(&often)),
        occasions: members.len(),
        of: members.len(),
        about: vec![deed.object.clone()],
        subject,
        weight: WEIGHT
            + 2 * members.len().min(MAX_WEIGHED) as u32
            + importance / members.len() as u32
            + if days > 2 { 4 } else { 0 },
        seen: members,
    })
}
