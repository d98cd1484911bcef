//! Clauses of memories: an actor, a verb and what follows it, in the words of the memory.

use nightfold_memory::{
    Kind,
    grammar::{Grammar, PartOfSpeech, Relation, Tense, VerbForm},
};

use super::timeline::{Timeline, TimelineEntry};
use crate::{
    lexicon::WordClass,
    text::{Analysis, Token, is_possessive},
};

/// Maximum number of words of a clause.
const MAX_WORDS: usize = 12;

/// Actor of a clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Actor {
    /// The NPC itself.
    Me,
    /// Somebody else, as written.
    Other(String),
}

impl Actor {
    /// Returns the actor of a verb.
    pub(super) fn of_verb(
        life: &Timeline<'_>,
        entry: &TimelineEntry<'_>,
        grammar: &Grammar,
        verb: usize,
    ) -> Option<Self> {
        let subject = |verb: usize| grammar.dependents(verb).find(|(_, w)| w.relation() == Relation::Subject);
        let verb_with_subject = std::iter::once(verb).chain(grammar.ancestors(verb)).find(|&verb| {
            subject(verb).is_some() || grammar.words()[verb].relation() != Relation::Conjunct
        })?;
        let (at, word) = subject(verb_with_subject)?;
        if grammar.dependents(at).any(|(_, word)| word.relation() == Relation::Conjunct) {
            return None;
        }
        let token = entry.token(word.span().start)?;
        if is_me(life, entry, token) {
            return Some(Self::Me);
        }
        let is_name = token.capital && entry.analysis.names.binary_search(&token.lower).is_ok();
        (is_name && !is_possessive(token.written(entry.text)))
            .then(|| Self::Other(token.written(entry.text).to_owned()))
    }

    /// True if the actor is named by one of the first tokens of a memory.
    pub(super) fn opens(&self, life: &Timeline<'_>, entry: &TimelineEntry<'_>, within: usize) -> bool {
        entry.analysis.tokens.iter().take(within).any(|token| match self {
            Self::Me => is_me(life, entry, token),
            Self::Other(name) => token.capital && token.lower == name.to_lowercase(),
        })
    }

    pub(super) fn key(&self) -> String {
        match self {
            Self::Me => String::new(),
            Self::Other(name) => name.to_lowercase(),
        }
    }
}

/// True for "I", and for the own name of an NPC whose memories are in the third person. In talk of others "I" is
/// somebody else.
fn is_me(life: &Timeline<'_>, entry: &TimelineEntry<'_>, token: &Token) -> bool {
    let is_own = |word: &str| life.own.names.iter().any(|own| own == word);
    let heard = entry.kind == Kind::Chat
        && entry.actors.iter().any(|actor| !actor.split([' ', '_']).any(|w| is_own(&w.to_lowercase())));
    token.lower == "i" && !heard
        || token.capital && is_own(&token.lower) && !is_possessive(token.written(entry.text))
}

/// Words of a memory from a verb to a noun behind it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clause {
    pub(super) verb: usize,
    pub(super) end: usize,
}

impl Clause {
    /// Returns the clause in the past, in the words of a memory with a grammar. Words that describe, and are not kept by
    /// `is_kept`, are left out; `None` if any other word of content would have to be.
    pub(super) fn text(
        &self,
        life: &Timeline<'_>,
        at: usize,
        actor: &Actor,
        is_kept: &dyn Fn(&Token) -> bool,
    ) -> Option<String> {
        let entry = &life.seen[at];
        let grammar = entry.analysis.grammar.as_ref()?;
        let words = grammar.words();
        let auxiliary = grammar
            .dependents(self.verb)
            .filter(|(at, word)| *at < self.verb && word.relation() == Relation::Auxiliary)
            .map(|(at, _)| at)
            .min();
        let is_finite_past = words[self.verb].tense() == Some(Tense::Past)
            && words[self.verb].verb_form() == Some(VerbForm::Finite);
        // "I found the idea" says nothing without the "interesting" behind it.
        let goes_on =
            [self.verb, self.end].iter().flat_map(|&head| grammar.dependents(head)).any(|(at, word)| {
                let completes =
                    matches!(word.relation(), Relation::ClausalComplement | Relation::OpenComplement);
                at > self.end && (completes || word.part_of_speech() == PartOfSpeech::Adjective)
            });
        if auxiliary.is_none() && !is_finite_past || goes_on {
            return None;
        }
        let mut text = match actor {
            Actor::Me => "I".to_owned(),
            Actor::Other(name) => name.clone(),
        };
        let mut last_end = None;
        let start = auxiliary.unwrap_or(self.verb);
        for (index, word) in words.iter().enumerate().take(self.end + 1).skip(start) {
            let written = word.written(entry.text);
            let token = entry.token(word.span().start)?;
            let describes = matches!(
                word.relation(),
                Relation::AdjectivalModifier | Relation::AdverbialModifier | Relation::Compound
            );
            let points_elsewhere =
                WordClass::ThirdPerson.has(&token.lower) || WordClass::You.has(&token.lower);
            if token.negation || token.speaker || points_elsewhere {
                return None;
            }
            if !token.function && index != self.verb && index != self.end && !is_kept(token) {
                if describes {
                    continue;
                }
                return None;
            }
            let shown = match (word.relation(), token.lower.as_str()) {
                (Relation::Auxiliary, "is" | "am") => "was",
                (Relation::Auxiliary, "are") if *actor == Actor::Me => "was",
                (Relation::Auxiliary, "was" | "had") => written,
                (Relation::Auxiliary, _) => return None,
                _ => written,
            };
            if last_end != Some(word.span().start) {
                text.push(' ');
            }
            text.push_str(shown);
            last_end = Some(word.span().end);
        }
        (text.split(' ').count() <= MAX_WORDS && !text.contains([',', ';', ':', '('])).then_some(text)
    }
}

/// Returns the opening of a memory up to a byte as a clause inside a sentence: "I slept eight hours". `None` unless it
/// begins with its actor, states something, and reads alone.
pub(super) fn opening(life: &Timeline<'_>, at: usize, end: usize) -> Option<String> {
    let entry = &life.seen[at];
    let tokens = &entry.analysis.tokens;
    let mut words: Vec<&Token> = tokens.iter().filter(|t| t.start < end).collect();
    // "A short" goes on to its noun.
    while let Some(next) = tokens.get(words.len())
        && !next.function
        && !next.negation
        && entry.text.get(words.last()?.end..next.start)?.trim().is_empty()
    {
        words.push(next);
    }
    let (first, end) = (words.first()?, words.last()?.end);
    let text = entry.text.get(first.start..end)?;
    let states = words.iter().skip(1).any(|t| !t.function && is_verb(&entry.analysis, t));
    let is_clear = words.len() <= MAX_WORDS
        && !text.contains([',', ';', ':', '(', '"', '\u{201c}', '.', '?', '\n'])
        && !words.iter().any(|t| t.negation || WordClass::Deictic.has(&t.lower) && !t.speaker);
    if !states || !is_clear {
        return None;
    }
    if is_me(life, entry, first) {
        let name_end = words.iter().take_while(|t| is_me(life, entry, t)).last()?.end;
        let rest = entry.text.get(name_end..end)?;
        return Some(match rest.strip_prefix(" is ") {
            Some(doing) => format!("I was {doing}"),
            None => format!("I{rest}"),
        });
    }
    let is_name = first.capital && entry.analysis.names.binary_search(&first.lower).is_ok();
    match () {
        () if is_name => Some(text.to_owned()),
        () if WordClass::Determiner.has(&first.lower) => Some(crate::synthesize::phrase::lower_first(text)),
        () => None,
    }
}

/// True for a word that can be a verb where it stands: by the grammar, or by its form.
fn is_verb(analysis: &Analysis, token: &Token) -> bool {
    use crate::lexicon::wordnet::{self, lemmas};
    match &analysis.grammar {
        Some(grammar) => grammar
            .at(token.start)
            .is_some_and(|word| grammar.words()[word].part_of_speech() == PartOfSpeech::Verb),
        None => lemmas(&token.lower)
            .iter()
            .any(|l| l.part == wordnet::PartOfSpeech::Verb && l.word != token.lower),
    }
}
