//! Clauses of a memory: somebody, a verb and what it is done to, with or at, in the words of the memory.

use std::{collections::BTreeMap, ops::Range};

use nightfold_memory::grammar::{Grammar, PartOfSpeech, Relation, Tense, VerbForm, Word};

use super::phrase::lower_first;
use crate::{
    lexicon::{
        WordClass, is_reported_by,
        wordnet::{self, is_kind_of, lemmas},
    },
    text::{
        Analysis, NounGroup, Sentence, Token, is_possessive, is_quotation_mark, noun_groups, part, sentences,
        token_of, without_full_stop, words_text,
    },
};

/// Maximum number of words of a clause.
const MAX_WORDS: usize = 12;
/// Auxiliaries of what was done, or is in progress.
const DONE: [&str; 6] = ["am", "are", "had", "is", "was", "were"];
/// Maximum number of words of a statement of what lasts.
const MAX_STATED_WORDS: usize = 20;
/// Number of tokens at the start of a sentence among which the actor of its deed stands.
const OPENING: usize = 4;
/// Number of tokens before a verb among which a word for what is not done, or not yet, stands.
const BEFORE_VERB: usize = 2;
/// Number of letters by which a noun is of its verb: "conversing about a conversation".
const ROOT: usize = 5;

/// A memory whose clauses are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Told<'a> {
    pub(super) text: &'a str,
    pub(super) analysis: &'a Analysis,
    /// Analysis of the NPC's name.
    pub(super) own: &'a Analysis,
}

/// Somebody or something that a clause is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doer {
    Own,
    Person,
    Thing,
}

/// Something that somebody did to, with or at something.
#[derive(Debug, Clone)]
pub(super) struct Deed<'a> {
    pub(super) doer: Doer,
    /// Actor, as inside a sentence.
    actor: String,
    /// Actor, or the object of what the NPC did.
    pub(super) subject: String,
    /// Word for the actor in lower case: "i" for the NPC itself.
    key: &'a str,
    /// Base form of the verb.
    pub(super) verb: &'static str,
    pub(super) object: &'a Token,
    pub(super) is_to_person: bool,
    /// Words from the verb, or its auxiliary, to the end of the object's phrase.
    said: &'a [Token],
    /// The text of the memory.
    text: &'a str,
    /// Stems of the words without which it is another deed.
    needed: Vec<&'a str>,
    /// True if these words can be said alone.
    is_whole: bool,
}

/// A sentence about what is so for longer than a moment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lasting<'a> {
    pub(super) text: &'a str,
    pub(super) doer: Doer,
    /// The verb in lower case.
    pub(super) verb: &'a str,
}

impl<'a> Told<'a> {
    /// True for "I", and for the own name of an NPC whose memories are in the third person.
    pub(super) fn is_me(&self, token: &Token) -> bool {
        let is_name = token.capital && self.own.names.contains(&token.lower);
        token.lower == "i" || is_name && !is_possessive(token.written(self.text))
    }

    fn is_person(&self, token: &Token) -> bool {
        self.analysis.names.binary_search(&token.lower).is_ok() || is_kind_of(&token.lower, "person")
    }

    /// True for a memory of deeds: neither a question nor a quotation.
    fn states_deeds(&self) -> bool {
        !self.text.contains(|c| c == '?' || is_quotation_mark(c))
    }

    fn token(&self, grammar: &Grammar, word: usize) -> Option<&'a Token> {
        self.analysis.tokens.get(token_of(self.analysis, grammar, word)?)
    }

    /// Returns the deeds that a memory with a grammar states in its main clauses, one for each noun of a verb.
    fn deeds(self) -> Vec<Deed<'a>> {
        let Some(grammar) = self.analysis.grammar.as_ref().filter(|_| self.states_deeds()) else {
            return Vec::new();
        };
        let groups = noun_groups(grammar);
        groups.iter().filter_map(|noun| self.deed(grammar, &groups, noun)).collect()
    }

    fn deed(self, grammar: &'a Grammar, groups: &[NounGroup], noun: &NounGroup) -> Option<Deed<'a>> {
        let words = grammar.words();
        let written = |at: usize| words[at].written(self.text);
        let of_verb = [Relation::Object, Relation::Oblique, Relation::IndirectObject];
        let verb = words[noun.head].head().filter(|&verb| verb < noun.head && is_main_verb(grammar, verb))?;
        let (doer, key, actor) = self.actor(grammar, groups, verb)?;
        let auxiliaries: Vec<usize> = dependents(grammar, verb, Relation::Auxiliary).collect();
        let is_past =
            words[verb].verb_form() == Some(VerbForm::Finite) && words[verb].tense() == Some(Tense::Past);
        let start = match auxiliaries.as_slice() {
            [] if is_past => verb,
            [one] if DONE.contains(&written(*one)) => *one,
            _ => return None,
        };
        let is_of = |tail: &&Range<usize>| written(tail.start) == "of";
        let end = noun.tail.as_ref().filter(is_of).map_or(noun.core.end, |tail| tail.end);
        let (object, base) = (self.token(grammar, noun.head)?, base_of(&self.token(grammar, verb)?.lower)?);
        // "Conversing about Klaus" may be with Klaus.
        let is_talked_of = self.is_person(object) && (verb..noun.head).any(|at| written(at) == "about");
        let repeats_verb = base.get(..ROOT).is_some_and(|root| object.lower.starts_with(root));
        let is_named = self.own.names.contains(&object.lower) || key == object.lower;
        let is_vague = WordClass::Time.has(&object.lower) || !object.names_theme || base == "have";
        let span = words.get(start)?.span().start..words.get(end - 1)?.span().end;
        let mut deed = Deed {
            doer,
            subject: if doer == Doer::Own { object.written(self.text).to_owned() } else { actor.clone() },
            actor,
            key,
            verb: base,
            object,
            is_to_person: self.is_person(object),
            said: self.analysis.tokens_in(&span),
            text: self.text,
            needed: vec![&object.stem],
            is_whole: is_whole(self.text, grammar, noun.head, end)
                && !part(self.text, span).contains([',', ';', ':', '(']),
        };
        for token in deed.said {
            let at = grammar.at(token.start)?;
            let is_of_list = words[at].relation() == Relation::Conjunct && at != verb;
            if is_of_list || token.negation || WordClass::Hedge.has(&token.lower) {
                return None;
            }
            let is_elsewhere = WordClass::ThirdPerson.has(&token.lower) || WordClass::You.has(&token.lower);
            deed.is_whole &= !is_elsewhere;
            let can_go = token.function || at == verb || describes(&words[at]) && !token.capital;
            if !can_go || token.number || words[at].relation() == Relation::NumericModifier {
                deed.needed.push(&token.stem);
            }
        }
        let is_deed = doer != Doer::Thing
            && of_verb.contains(&words[noun.head].relation())
            && !(is_talked_of || repeats_verb || is_named || is_vague);
        is_deed.then_some(deed)
    }

    /// Returns who or what a verb is of: the word in lower case, and the words as inside a sentence.
    fn actor(&self, grammar: &Grammar, groups: &[NounGroup], verb: usize) -> Option<(Doer, &'a str, String)> {
        let subject = |verb: usize| dependents(grammar, verb, Relation::Subject).next();
        let verb = std::iter::once(verb).chain(grammar.ancestors(verb)).find(|&verb| {
            subject(verb).is_some() || grammar.words()[verb].relation() != Relation::Conjunct
        })?;
        let Some(at) = subject(verb) else {
            // "Swept the yard." is a note of one's own.
            let is_note = self.token(grammar, verb)?.starts_sentence;
            return is_note.then(|| (Doer::Own, "i", "I".to_owned()));
        };
        let token = self.token(grammar, at)?;
        let is_one_of_several = dependents(grammar, at, Relation::Conjunct).next().is_some();
        match token.lower.as_str() {
            _ if is_one_of_several => None,
            _ if self.is_me(token) => Some((Doer::Own, "i", "I".to_owned())),
            "we" => Some((Doer::Own, "we", "we".to_owned())),
            _ if token.function || is_possessive(token.written(self.text)) => None,
            key => {
                let group = groups.iter().find(|group| group.head == at && group.owner.is_none())?;
                let doer = if self.is_person(token) { Doer::Person } else { Doer::Thing };
                let start = group.determiner.unwrap_or(group.core.start);
                let name = words_text(self.text, grammar, &(start..group.core.end));
                Some((doer, key, if group.determiner.is_some() { lower_first(&name) } else { name }))
            }
        }
    }

    /// True if a memory without a grammar tells of a deed.
    fn tells(&self, deed: &Deed<'_>) -> bool {
        let tokens = &self.analysis.tokens;
        let is_form = |token: &Token| lemmas(&token.lower).iter().any(|l| is_verb(l) && l.word == deed.verb);
        let is_open = |t: &Token| {
            t.negation
                || t.lower == "to"
                || WordClass::Future.has(&t.lower)
                || WordClass::Hedge.has(&t.lower)
                || WordClass::PresentModal.has(&t.lower)
                || WordClass::Determiner.has(&t.lower)
        };
        let is_actor = |t: &Token| if deed.key == "i" { self.is_me(t) } else { t.lower == deed.key };
        let is_told = |verb: usize| {
            let start = (0..=verb).rev().find(|&at| tokens[at].starts_sentence).unwrap_or(0);
            let is_note = start == verb && deed.key == "i";
            let mut behind = tokens[verb + 1..].iter().take_while(|t| !t.starts_sentence && !t.negation);
            is_form(&tokens[verb])
                && !tokens[start.max(verb.saturating_sub(BEFORE_VERB))..verb].iter().any(is_open)
                && (is_note || tokens[start..verb].iter().take(OPENING).any(is_actor))
                && behind.any(|t| t.stem == deed.object.stem)
        };
        self.holds(&deed.needed) && self.states_deeds() && (0..tokens.len()).any(is_told)
    }

    fn holds(&self, stems: &[&str]) -> bool {
        let has = |stem: &&str| self.analysis.content.binary_search_by(|own| own.as_str().cmp(stem)).is_ok();
        stems.iter().all(has)
    }

    /// Returns the sentences of a memory with a grammar about what is so for longer than a moment.
    pub(super) fn lasting(self) -> Vec<Lasting<'a>> {
        let Some(grammar) = &self.analysis.grammar else { return Vec::new() };
        let words = grammar.words();
        let is_present =
            |word: &Word| word.verb_form() == Some(VerbForm::Finite) && word.tense() == Some(Tense::Present);
        let lasting = |Sentence { text, span, .. }: Sentence<'a>| {
            let mut inside = (0..words.len()).filter(|&at| span.contains(&words[at].span().start));
            let root = inside.find(|&at| words[at].relation() == Relation::Root)?;
            let (doer, ..) = self.actor(grammar, &noun_groups(grammar), root)?;
            let of_root = |relation| dependents(grammar, root, relation).next();
            let states = is_present(&words[root]) || is_present(&words[of_root(Relation::Copula)?]);
            let verb = self.token(grammar, root)?.lower.as_str();
            let said = self.analysis.tokens_in(&span);
            let is_passing = |token: &Token| {
                WordClass::Hedge.has(&token.lower)
                    || WordClass::BackReference.has(&token.lower)
                    || WordClass::Demonstrative.has(&token.lower)
                    || WordClass::Deictic.has(&token.lower) && !token.speaker
                    // "It" and "he" stand for something that is not told, unless somebody is named.
                    || WordClass::ThirdPerson.has(&token.lower) && doer != Doer::Person
            };
            let lasts = states
                && of_root(Relation::Auxiliary).is_none()
                && !is_reported_by(verb)
                && said.len() <= MAX_STATED_WORDS
                && !said.iter().any(is_passing);
            lasts.then(|| Lasting { text: without_full_stop(text), doer, verb })
        };
        // A line about the scene begins small and is nobody's words.
        let told = sentences(self.text).filter(|sentence| {
            !sentence.text.starts_with(char::is_lowercase)
                && !sentence.text.contains(|c| is_quotation_mark(c) || matches!(c, '?' | ':' | '('))
        });
        told.filter_map(lasting).collect()
    }

    /// Returns the opening of a memory up to a byte as a clause inside a sentence: "I slept eight hours". `None` unless it
    /// begins with its actor, states something, and reads alone.
    pub(super) fn opening(&self, end: usize) -> Option<String> {
        let tokens = &self.analysis.tokens;
        let mut words = tokens.iter().take_while(|t| t.start < end).count();
        // "A short" goes on to its noun.
        while let Some(next) = tokens.get(words)
            && !next.function
            && !next.negation
            && self.text.get(tokens[..words].last()?.end..next.start)?.trim().is_empty()
        {
            words += 1;
        }
        let words = &tokens[..words];
        let (first, last) = (words.first()?, words.last()?);
        let text = self.text.get(first.start..last.end)?;
        let is_clear = words.len() <= MAX_WORDS
            && words[1..].iter().any(|t| !t.function && is_verb_form(&t.lower))
            && !text.contains([',', ';', ':', '(', '"', '\u{201c}', '.', '?', '\n'])
            && !words.iter().any(|t| t.negation || WordClass::Deictic.has(&t.lower) && !t.speaker);
        let is_name = first.capital && self.analysis.names.binary_search(&first.lower).is_ok();
        match words.iter().take_while(|t| self.is_me(t)).last() {
            _ if !is_clear => None,
            Some(name) => {
                let rest = self.text.get(name.end..last.end)?;
                Some(match rest.strip_prefix(" is ") {
                    Some(doing) => format!("I was {doing}"),
                    None => format!("I{rest}"),
                })
            }
            None if is_name => Some(text.to_owned()),
            None => WordClass::Determiner.has(&first.lower).then(|| lower_first(text)),
        }
    }
}

/// Returns each deed that some memories with a grammar state, as a clause inside a sentence that holds for all memories
/// that tell of it, and these memories as far as `counted` has them.
pub(super) fn told_deeds<'a>(
    told: &[(usize, Told<'a>)],
    counted: impl Fn(Vec<usize>) -> Option<Vec<usize>>,
) -> Vec<(Deed<'a>, String, Vec<usize>)> {
    let read: Vec<Vec<Deed<'a>>> = told.iter().map(|(_, memory)| memory.deeds()).collect();
    // The latest wording goes first.
    let mut wordings: BTreeMap<_, Vec<&Deed<'a>>> = BTreeMap::new();
    for deed in read.iter().rev().flatten() {
        wordings.entry((deed.key, deed.verb, &deed.needed)).or_default().push(deed);
    }
    let found = wordings.into_values().filter_map(|wordings| {
        let tells = |memory: &Told<'_>, deeds: &[Deed<'_>]| match memory.analysis.grammar {
            Some(_) => deeds.iter().any(|deed| deed.includes(wordings[0])),
            None => memory.tells(wordings[0]),
        };
        let of = told.iter().zip(&read).filter(|((_, memory), deeds)| tells(memory, deeds));
        let of = counted(of.map(|((at, _), _)| *at).collect())?;
        let is_shared = |stem: &str| {
            told.iter().filter(|(at, _)| of.contains(at)).all(|(_, memory)| memory.holds(&[stem]))
        };
        let texts = wordings.iter().filter_map(|deed| Some((*deed, deed.text(is_shared)?)));
        let (deed, text) = texts.min_by_key(|(_, text)| text.len())?;
        Some((deed.clone(), text, of))
    });
    found.collect()
}

impl Deed<'_> {
    /// True if the deed is another one, perhaps told with more.
    fn includes(&self, other: &Deed<'_>) -> bool {
        self.key == other.key
            && self.verb == other.verb
            && self.object.stem == other.object.stem
            && other.needed.iter().all(|stem| self.needed.contains(stem))
    }

    /// Returns the deed in the past, without the words that describe and are not shared; `None` if it does not read alone.
    fn text(&self, is_shared: impl Fn(&str) -> bool) -> Option<String> {
        let is_told = |token: &&Token| {
            let is_verb = base_of(&token.lower) == Some(self.verb);
            token.function || is_verb || self.needed.contains(&token.stem.as_str()) || is_shared(&token.stem)
        };
        let shown = |token: &Token| match token.lower.as_str() {
            "are" if self.key == "we" => "were".to_owned(),
            "is" | "am" | "are" => "was".to_owned(),
            _ if token.starts_sentence => token.lower.clone(),
            _ => token.written(self.text).to_owned(),
        };
        let words: Vec<String> = self.said.iter().filter(is_told).map(shown).collect();
        let is_short = words.len() < MAX_WORDS;
        (self.is_whole && is_short).then(|| format!("{} {}", self.actor, words.join(" ")))
    }
}

/// True unless a clause goes on behind its object, whose phrase ends there: "I found the idea" says nothing without the
/// "interesting" behind it.
fn is_whole(text: &str, grammar: &Grammar, object: usize, end: usize) -> bool {
    let words = grammar.words();
    let is_incomplete = |at: usize| {
        let word = words[at];
        word.head() == Some(object)
            && (word.relation() == Relation::ClauseOfNoun || word.part_of_speech() == PartOfSpeech::Adjective)
    };
    let is_of_object = |at: &usize| grammar.ancestors(*at).any(|above| above == object);
    let last = (end..words.len()).rev().find(is_of_object);
    let ends = |word: &Word| {
        matches!(
            word.part_of_speech(),
            PartOfSpeech::Punctuation
                | PartOfSpeech::Adposition
                | PartOfSpeech::Coordinator
                | PartOfSpeech::Subordinator
                | PartOfSpeech::Adverb
        )
    };
    words.get(end).is_none_or(|next| next.written(text) != "of")
        && words.get(last.map_or(end, |last| last + 1)).is_none_or(ends)
        && !(end..words.len()).any(is_incomplete)
}

/// Returns the words that depend on another one in this way.
fn dependents(grammar: &Grammar, head: usize, relation: Relation) -> impl Iterator<Item = usize> {
    grammar.dependents(head).filter(move |(_, word)| word.relation() == relation).map(|(at, _)| at)
}

/// True for a word that describes another one.
fn describes(word: &Word) -> bool {
    use Relation::{AdjectivalModifier, AdverbialModifier, Compound};
    matches!(word.relation(), AdjectivalModifier | AdverbialModifier | Compound)
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

fn is_verb(lemma: &wordnet::Lemma) -> bool {
    lemma.part == wordnet::PartOfSpeech::Verb
}

/// Returns the base form of a word as a verb: "sweep" for "swept".
fn base_of(lower: &str) -> Option<&'static str> {
    let verbs = lemmas(lower).iter().filter(|l| is_verb(l)).map(|l| l.word).collect::<Vec<_>>();
    verbs.iter().find(|&&verb| verb != lower).or(verbs.first()).copied()
}

/// True for an inflected form of a verb.
pub(super) fn is_verb_form(lower: &str) -> bool {
    base_of(lower).is_some_and(|base| base != lower)
}
