//! Main clauses of a memory, by its grammar: who did what, or what is so.

use std::ops::Range;

use nightfold_memory::{
    DistilledMemory,
    grammar::{Grammar, PartOfSpeech, Relation, Tense, VerbForm},
};

use crate::{
    lexicon::{
        WordClass, is_reported_by,
        wordnet::{Relation as Kind, lemmas, relation},
    },
    synthesize::phrase::lower_first,
    text::{Analysis, Token, is_quotation_mark, noun_groups, sentences, token_of, words_text},
};

/// Maximum number of words of a clause that is repeated.
const MAX_WORDS: usize = 20;
/// Minimum number of content words of a clause, beside the NPC itself.
const MIN_CONTENT_WORDS: usize = 2;

/// Somebody or something that a clause is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doer {
    Own,
    Person,
    Thing,
}

/// Main clause that can stand alone.
#[derive(Debug)]
pub(super) struct Clause {
    /// The clause as written, without its full stop: a deed without what follows its object, what is so as a whole
    /// sentence.
    pub(super) text: String,
    /// Stems of doer, verb and object.
    pub(super) key: (String, String, Option<String>),
    pub(super) doer: Doer,
    /// The verb in lower case.
    pub(super) verb: String,
    /// Stems of the content words, without the NPC's own name.
    pub(super) stems: Vec<String>,
    /// Stems of the numbers.
    pub(super) numbers: Vec<String>,
    /// True for a deed of the past, or one in progress, told as one of the past; false for what is so.
    pub(super) is_deed: bool,
}

/// Returns the main clauses of a memory; without grammar there are none.
pub(super) fn clauses(memory: &DistilledMemory<'_>, own: &Analysis) -> Vec<Clause> {
    let Some(grammar) = &memory.analysis.grammar else { return Vec::new() };
    let told = sentences(memory.text).filter(|sentence| {
        // A line about the scene begins small and is nobody's words.
        !sentence.is_question()
            && !sentence.text.starts_with(char::is_lowercase)
            && !sentence.text.contains(|c| is_quotation_mark(c) || matches!(c, ':' | '('))
    });
    let read = |span: Range<usize>| Reading::of(memory, own, grammar, span);
    told.filter_map(|sentence| read(sentence.span)).flat_map(|reading| reading.clauses()).collect()
}

/// Sentence with one main word, which is its predicate.
struct Reading<'a> {
    text: &'a str,
    analysis: &'a Analysis,
    own: &'a Analysis,
    grammar: &'a Grammar,
    /// Words of the sentence.
    words: Range<usize>,
    root: usize,
    subject: Option<usize>,
}

impl<'a> Reading<'a> {
    fn of(
        memory: &DistilledMemory<'a>,
        own: &'a Analysis,
        grammar: &'a Grammar,
        span: Range<usize>,
    ) -> Option<Self> {
        let is_inside = |at: &usize| span.contains(&grammar.words()[*at].span().start);
        let mut inside = (0..grammar.words().len()).filter(is_inside);
        let first = inside.next()?;
        let mut words = first..inside.next_back()? + 1;
        let is_mark = |at: usize| grammar.words()[at].part_of_speech() == PartOfSpeech::Punctuation;
        while words.len() > 1 && is_mark(words.end - 1) {
            words.end -= 1;
        }
        let mut roots = words.clone().filter(|&at| grammar.words()[at].relation() == Relation::Root);
        let root = roots.next().filter(|_| roots.next().is_none())?;
        let is_subject = |(at, word): &(usize, &nightfold_memory::grammar::Word)| {
            word.relation() == Relation::Subject && *at < root
        };
        let subject = grammar.dependents(root).find(is_subject).map(|(at, _)| at);
        Some(Self { text: memory.text, analysis: memory.analysis, own, grammar, words, root, subject })
    }

    fn clauses(&self) -> Vec<Clause> {
        let deeds: Vec<Clause> =
            self.deeds().into_iter().filter_map(|parts| self.clause(&parts, true)).collect();
        if !deeds.is_empty() || !self.is_lasting() {
            return deeds;
        }
        self.clause(std::slice::from_ref(&self.words), false).into_iter().collect()
    }

    fn token(&self, word: usize) -> Option<&'a Token> {
        self.analysis.tokens.get(token_of(self.analysis, self.grammar, word)?)
    }

    fn lower(&self, word: usize) -> &'a str {
        self.token(word).map_or("", |token| &token.lower)
    }

    fn tokens(&self, words: &Range<usize>) -> &'a [Token] {
        let all = self.grammar.words();
        match (all.get(words.start), all.get(words.end.saturating_sub(1))) {
            (Some(first), Some(last)) => self.analysis.tokens_in(&(first.span().start..last.span().end)),
            _ => &[],
        }
    }

    /// Returns the words that depend on the predicate in this way.
    fn dependents(&self, relation: Relation) -> impl Iterator<Item = usize> {
        self.grammar
            .dependents(self.root)
            .filter(move |(_, word)| word.relation() == relation)
            .map(|(at, _)| at)
    }

    /// Returns the words of what was done: up to the object, or to the first other noun, and the same without the words
    /// that describe it.
    fn deeds(&self) -> Vec<Vec<Range<usize>>> {
        let verb = self.grammar.words()[self.root];
        let mut complements =
            self.dependents(Relation::ClausalComplement).chain(self.dependents(Relation::OpenComplement));
        let is_of_subject = |at: usize| {
            Some(at) == self.subject || self.grammar.ancestors(at).any(|above| Some(above) == self.subject)
        };
        let auxiliaries: Vec<usize> = self.dependents(Relation::Auxiliary).collect();
        let is_done = match auxiliaries.as_slice() {
            [] => verb.verb_form() == Some(VerbForm::Finite) && verb.tense() != Some(Tense::Present),
            [be] => WordClass::Be.has(self.lower(*be)) && self.lower(self.root).ends_with("ing"),
            _ => false,
        };
        let opens = (self.words.start..self.root).all(|at| is_of_subject(at) || auxiliaries.contains(&at));
        if verb.part_of_speech() != PartOfSpeech::Verb
            || !is_done
            || !opens
            || complements.next().is_some()
            || is_kind_of(self.lower(self.root), &["communicate"])
        {
            return Vec::new();
        }
        let Some(object) = self.object() else { return vec![vec![self.words.start..self.root + 1]] };
        let Some(group) = noun_groups(self.grammar).into_iter().find(|group| group.head == object) else {
            return vec![vec![self.words.start..object + 1]];
        };
        let is_of = |tail: &&Range<usize>| self.lower(tail.start) == "of";
        let end = group.tail.as_ref().filter(is_of).map_or(group.core.end, |tail| tail.end);
        let mut deeds = vec![vec![self.words.start..end]];
        let marked = group.determiner.map_or_else(|| group.owner.clone(), |at| Some(at..at + 1));
        if let Some(marked) = marked.filter(|marked| marked.end <= group.head && group.number.is_none()) {
            deeds.push(vec![self.words.start..marked.end, group.head..group.core.end]);
        }
        deeds
    }

    /// Returns the object of the verb, or the first noun behind it that is no time.
    fn object(&self) -> Option<usize> {
        let is_thing = |at: &usize| *at > self.root && !WordClass::Vague.has(self.lower(*at));
        // Behind a preposition it is none, however it is read; "gave Odo his dose" has two.
        let is_bare =
            |at: &usize| self.grammar.dependents(*at).all(|(_, word)| word.relation() != Relation::Case);
        let objects = self.dependents(Relation::Object).filter(|at| is_thing(at) && is_bare(at));
        objects.last().or_else(|| self.dependents(Relation::Oblique).find(is_thing))
    }

    /// True for a sentence about what is so, for longer than a moment.
    fn is_lasting(&self) -> bool {
        let is_present = |at: usize| {
            let word = self.grammar.words()[at];
            word.verb_form() == Some(VerbForm::Finite) && word.tense() == Some(Tense::Present)
        };
        let states = self.dependents(Relation::Copula).any(is_present) || is_present(self.root);
        let is_passing = |token: &Token| {
            WordClass::Hedge.has(&token.lower)
                || WordClass::PresentModal.has(&token.lower)
                || WordClass::Future.has(&token.lower)
                || WordClass::BackReference.has(&token.lower)
                || WordClass::Deictic.has(&token.lower) && !token.speaker
        };
        states
            && self.subject.is_some()
            && self.dependents(Relation::Auxiliary).next().is_none()
            && !is_reported_by(self.lower(self.root))
            && !self.tokens(&self.words).iter().any(is_passing)
    }

    /// Returns the clause of these words, if its doer is known and it says enough.
    fn clause(&self, parts: &[Range<usize>], is_deed: bool) -> Option<Clause> {
        let said: Vec<&Token> = parts.iter().flat_map(|words| self.tokens(words)).collect();
        let is_own_name = |token: &Token| token.capital && self.own.names.contains(&token.lower);
        let subject = self.subject.map(|at| self.token(at)).unwrap_or_default();
        let doer = match subject {
            None if is_deed => Doer::Own,
            Some(subject) if subject.speaker || is_own_name(subject) => Doer::Own,
            Some(subject) if self.is_person(subject) => Doer::Person,
            Some(subject) if !subject.function => Doer::Thing,
            _ => return None,
        };
        let is_unclear = |token: &Token| {
            // "It" and "he" stand for something that is not told, unless somebody is named.
            WordClass::Demonstrative.has(&token.lower)
                || WordClass::You.has(&token.lower)
                || WordClass::ThirdPerson.has(&token.lower) && doer != Doer::Person
                || is_deed && (token.negation || WordClass::Hedge.has(&token.lower))
        };
        let content = said.iter().filter(|token| !token.function && !token.negation && !is_own_name(token));
        let stems: Vec<String> = content.map(|token| token.stem.clone()).collect();
        if said.iter().any(|token| is_unclear(token))
            || stems.len() < MIN_CONTENT_WORDS
            || said.len() > MAX_WORDS
        {
            return None;
        }
        let stem = |at: usize| self.token(at).map(|token| token.stem.clone());
        let doer_stem = subject.filter(|_| doer != Doer::Own).map(|token| token.stem.clone());
        let written: Vec<String> = parts.iter().map(|words| self.written(words, is_deed)).collect();
        let mut text = written.join(" ");
        // "I sold, over the half door" is no whole deed.
        if is_deed && text.contains(',') {
            return None;
        }
        if subject.is_none() {
            text = format!("I {}", lower_first(&text));
        }
        Some(Clause {
            text,
            key: (doer_stem.unwrap_or_default(), stem(self.root)?, self.object().and_then(stem)),
            doer,
            verb: self.lower(self.root).to_owned(),
            numbers: said.iter().filter(|token| token.number).map(|token| token.stem.clone()).collect(),
            stems,
            is_deed,
        })
    }

    /// Returns words as written; of a deed in progress "is" becomes "was".
    fn written(&self, words: &Range<usize>, is_deed: bool) -> String {
        let text = |words| words_text(self.text, self.grammar, &words);
        let be = self.dependents(Relation::Auxiliary).find(|be| is_deed && words.contains(be));
        let was = be.and_then(|be| match self.lower(be) {
            "are" => Some((be, "were")),
            "is" | "am" => Some((be, "was")),
            _ => None,
        });
        match was {
            Some((be, was)) => format!("{} {was} {}", text(words.start..be), text(be + 1..words.end)),
            None => text(words.clone()),
        }
    }

    /// True for a name, and for a noun of people: "a sailor".
    fn is_person(&self, token: &Token) -> bool {
        self.analysis.names.binary_search(&token.lower).is_ok() || is_kind_of(&token.lower, &["person"])
    }
}

/// True if a word is one of these, means the same or is a kind of it.
pub(super) fn is_kind_of(word: &str, others: &[&str]) -> bool {
    let others = others.iter().map(|other| lemmas(other)).collect::<Vec<_>>();
    lemmas(word).iter().any(|lemma| {
        let mut others = others.iter().flat_map(|lemmas| lemmas.iter());
        others.any(|other| other == lemma || matches!(relation(lemma, other), Kind::Synonym | Kind::IsA))
    })
}
