//! Typed records of similar memories of several days: a deed that they share, counted, trouble that they share,
//! counted, or a statement of one of them that the others support. Nothing else is said of them.

use std::{cmp::Reverse, collections::BTreeSet};

use nightfold_memory::{
    Distillate, DistillationSources, DistilledMemory, Foundation, Kind, ReflectionKind, TopicForm,
};

use super::{
    clause::{Doer, Told, told_deeds},
    phrase::{end_sentence, upper_first},
    topics,
};
use crate::{
    assertions::foundation,
    lexicon::{
        WordClass, number_word,
        wordnet::{Lemma, Relation, lemmas, relation},
    },
    stance::cannot_link,
    text::{Analysis, Token, analyze, tokens},
};

/// Minimum share of a statement's content words in a memory that supports it.
const MIN_SHARED: f64 = 2.0 / 3.0;
/// Minimum number of content words of a statement, beside the NPC's own name.
const MIN_CONTENT: usize = 2;
/// Minimum strength of a feeling that counts as trouble.
const MIN_FEELING: f32 = 0.15;
/// Verbs of what lasts or is only perceived: their kinds are no practice.
const STATES: [&str; 6] = ["have", "know", "perceive", "stay", "think", "want"];
/// Verbs of liking, with their synonyms.
const LIKINGS: [&str; 3] = ["enjoy", "like", "prefer"];

/// Returns for each group at most one record, which rests on memories of what was lived through.
pub(crate) fn distillates(sources: &DistillationSources<'_>) -> Vec<Distillate> {
    let known = sources.known;
    let is_lived = |at: &usize| {
        known.get(*at).is_some_and(|memory| {
            memory.kind != Kind::Status && foundation(memory.kind, memory.text) == Foundation::Lived
        })
    };
    let groups = sources.groups.iter().map(|group| {
        let told = group.iter().copied().filter(is_lived).map(|at| {
            let DistilledMemory { text, analysis, .. } = known[at];
            (at, Told { text, analysis, own: sources.own_name })
        });
        Group { sources, told: told.collect() }
    });
    groups
        .filter_map(|group| group.deed().or_else(|| group.trouble()).or_else(|| group.statement()))
        .collect()
}

/// Similar memories that were lived through.
struct Group<'a> {
    sources: &'a DistillationSources<'a>,
    told: Vec<(usize, Told<'a>)>,
}

impl<'a> Group<'a> {
    /// Returns the deed that most memories tell of, with the number of days.
    fn deed(&self) -> Option<Distillate> {
        let deeds = told_deeds(&self.told, Some).into_iter();
        let deeds = deeds.filter(|(deed, ..)| !is_a(deed.verb, &["communicate"]));
        // What all of them hold says more, the longer it is.
        let supported = deeds.map(|(deed, text, of)| ((deed, text.clone()), length(&text), of));
        let ((deed, text), of) = self.best(supported)?;
        let kind = self.kind(deed.doer, deed.verb, true, &text, &of);
        let text = format!("{} on at least {} days", upper_first(&text), number_word(self.days(&of)));
        Some(self.record(kind, &text, of))
    }

    /// Returns the thing that makes trouble in most memories, with the number of days. What begins with a person tells
    /// of somebody's trouble.
    fn trouble(&self) -> Option<Distillate> {
        let is_of_person = |at: usize| {
            let analysis = self.memory(at).analysis;
            let first = analysis.tokens.first();
            first.is_some_and(|t| WordClass::Nominative.has(&t.lower) || analysis.names.contains(&t.lower))
        };
        let of = self.supporters(|at| self.is_trouble(at) && !is_of_person(at));
        let topics: Vec<TopicForm> = of
            .iter()
            .flat_map(|&at| topics(self.memory(at).text, self.memory(at).analysis))
            .filter(|topic| !topic.is_name)
            .flat_map(|topic| topic.forms)
            .filter(|form| form.stands_alone && !tokens(&form.text).iter().any(is_trouble))
            .collect();
        let supported = topics.iter().map(|topic| {
            let has = |at: &usize| holds(self.memory(*at).analysis, &topic.stems);
            (topic, length(&topic.named), of.iter().copied().filter(has).collect())
        });
        let (topic, of) = self.best(supported)?;
        let days = number_word(self.days(&of));
        let text = format!("I had trouble with {} on at least {days} days", topic.named);
        Some(self.record(ReflectionKind::Caution, &text, of))
    }

    /// Returns the statement of what lasts that most memories support.
    fn statement(&self) -> Option<Distillate> {
        let is_undisputed = |at: usize| {
            let said = self.memory(at).analysis;
            !self.told.iter().any(|(_, other)| cannot_link(said, other.analysis))
        };
        let undisputed = self.told.iter().filter(|(at, _)| is_undisputed(*at));
        let supported = undisputed.flat_map(|(_, told)| told.lasting()).map(|lasting| {
            let said = analyze(lasting.text, []);
            let own = &self.sources.own_name.content;
            let stems: Vec<&String> = said.content.iter().filter(|stem| !own.contains(stem)).collect();
            let supports = |at: usize| {
                let told = self.memory(at).analysis;
                let shared = stems.iter().filter(|stem| told.content.binary_search(stem).is_ok()).count();
                stems.len() >= MIN_CONTENT
                    && shared as f64 >= MIN_SHARED * stems.len() as f64
                    && said.numbers.iter().all(|number| told.numbers.contains(number))
            };
            (lasting, -length(lasting.text), self.supporters(supports))
        });
        let (lasting, of) = self.best(supported)?;
        let kind = self.kind(lasting.doer, lasting.verb, false, lasting.text, &of);
        Some(self.record(kind, lasting.text, of))
    }

    fn memory(&self, at: usize) -> &DistilledMemory<'a> {
        &self.sources.known[at]
    }

    fn supporters(&self, supports: impl Fn(usize) -> bool) -> Vec<usize> {
        self.told.iter().map(|(at, _)| *at).filter(|at| supports(*at)).collect()
    }

    fn days(&self, of: &[usize]) -> usize {
        of.iter().map(|&at| self.memory(at).day).collect::<BTreeSet<_>>().len()
    }

    /// Returns what most days support, if they are enough; of several what most memories support, then the first of the
    /// highest rank.
    fn best<T>(&self, supported: impl Iterator<Item = (T, i32, Vec<usize>)>) -> Option<(T, Vec<usize>)> {
        let enough = supported.filter(|(_, _, of)| self.days(of) >= self.sources.min_days);
        let best = enough.min_by_key(|(_, rank, of)| Reverse((self.days(of), of.len(), *rank)));
        best.map(|(said, _, of)| (said, of))
    }

    fn record(&self, kind: ReflectionKind, text: &str, sources: Vec<usize>) -> Distillate {
        Distillate { kind, text: end_sentence(text), of: self.told.len(), sources }
    }

    /// True if a memory tells of trouble, or of a bad feeling.
    fn is_trouble(&self, at: usize) -> bool {
        let DistilledMemory { analysis, feeling, .. } = *self.memory(at);
        feeling <= -MIN_FEELING
            || feeling < MIN_FEELING && analysis.negations == 0 && analysis.tokens.iter().any(is_trouble)
    }

    /// Returns the type of a record by who does what.
    fn kind(&self, doer: Doer, verb: &str, is_deed: bool, text: &str, of: &[usize]) -> ReflectionKind {
        let said = tokens(text);
        let is_at = |at: &&usize| {
            let place = self.memory(**at).place.map(tokens).unwrap_or_default();
            place.iter().any(|token| !token.function && said.iter().any(|t| t.stem == token.stem))
        };
        let is_place = || 2 * of.iter().filter(is_at).count() > of.len();
        match doer {
            _ if of.iter().all(|&at| self.is_trouble(at)) => ReflectionKind::Caution,
            Doer::Own if is_a(verb, &LIKINGS) => ReflectionKind::Preference,
            Doer::Own if is_deed && !is_a(verb, &STATES) => ReflectionKind::Skill,
            Doer::Person => ReflectionKind::Person,
            _ if is_place() => ReflectionKind::Place,
            _ => ReflectionKind::Pattern,
        }
    }
}

/// True if a word is one of these verbs, means the same or is a kind of it.
fn is_a(word: &str, verbs: &[&str]) -> bool {
    let is_kind =
        |a: &Lemma, b: &Lemma| a == b || matches!(relation(a, b), Relation::Synonym | Relation::IsA);
    let is_one = |verb: &&str| lemmas(verb).iter().any(|verb| lemmas(word).iter().any(|a| is_kind(a, verb)));
    verbs.iter().any(is_one)
}

fn length(text: &str) -> i32 {
    text.chars().count().try_into().unwrap_or(i32::MAX)
}

fn holds(analysis: &Analysis, stems: &[String]) -> bool {
    stems.iter().all(|stem| analysis.content.binary_search(stem).is_ok())
}

fn is_trouble(token: &Token) -> bool {
    WordClass::Trouble.has(&token.lower)
}

#[cfg(test)]
mod tests;
