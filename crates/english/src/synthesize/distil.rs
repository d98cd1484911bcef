//! Typed records of similar memories of several days: a deed that they share, counted, trouble that they share,
//! counted, or a statement of one of them that the others support. Nothing else is said of them.

mod clause;

use std::{cmp::Reverse, collections::BTreeSet};

use nightfold_memory::{
    Distillate, DistillationSources, DistilledMemory, Foundation, Kind, ReflectionKind, TopicForm,
};

use self::clause::{Clause, Doer, clauses, is_kind_of};
use super::{phrase::end_sentence, topics};
use crate::{
    assertions::foundation,
    lexicon::{WordClass, number_word},
    stance::cannot_link,
    text::{Analysis, Token, tokens},
};

/// Minimum share of a statement's content words in a memory that supports it.
const MIN_SHARED: f64 = 2.0 / 3.0;
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
        let members: Vec<usize> = group.iter().copied().filter(is_lived).collect();
        let clauses = members.iter().map(|&at| clauses(&known[at], sources.own_name)).collect();
        Group { sources, members, clauses }
    });
    groups
        .filter_map(|group| group.deed().or_else(|| group.trouble()).or_else(|| group.statement()))
        .collect()
}

/// Similar memories with what their main clauses say.
struct Group<'a> {
    sources: &'a DistillationSources<'a>,
    members: Vec<usize>,
    /// Clauses of each member.
    clauses: Vec<Vec<Clause>>,
}

impl<'a> Group<'a> {
    /// Returns the deed that most memories tell of, with the number of days.
    fn deed(&self) -> Option<Distillate> {
        let deeds = self.clauses.iter().flatten().filter(|clause| clause.is_deed);
        let supported = deeds.map(|deed| {
            let tells = |at: usize, clauses: &[Clause]| {
                clauses.iter().any(|other| other.is_deed && other.key == deed.key)
                    && holds(self.memory(at).analysis, &deed.stems)
            };
            // What all of them hold says more, the longer it is.
            (deed, length(&deed.text), self.supporters(tells))
        });
        let (deed, of) = self.best(supported)?;
        let text = format!("{} on at least {} days", deed.text, number_word(self.days(&of)));
        Some(self.record(self.kind(deed, &of), &text, of))
    }

    /// Returns the thing that makes trouble in most memories, with the number of days. What begins with a person tells
    /// of somebody's trouble.
    fn trouble(&self) -> Option<Distillate> {
        let is_of_person = |at: usize| {
            let analysis = self.memory(at).analysis;
            let first = analysis.tokens.first();
            first.is_some_and(|t| WordClass::Nominative.has(&t.lower) || analysis.names.contains(&t.lower))
        };
        let of = self.supporters(|at, _| self.is_trouble(at) && !is_of_person(at));
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
        let lasting = self.members.iter().zip(&self.clauses).flat_map(|(&at, clauses)| {
            clauses.iter().filter(|clause| !clause.is_deed).map(move |clause| (at, clause))
        });
        let is_undisputed = |at: usize| {
            let said = self.memory(at).analysis;
            !self.members.iter().any(|&other| cannot_link(said, self.memory(other).analysis))
        };
        let supported = lasting.filter(|(at, _)| is_undisputed(*at)).map(|(_, clause)| {
            let supports = |at: usize, _: &[Clause]| {
                let told = self.memory(at).analysis;
                let is_shared = |stem: &&String| told.content.binary_search(stem).is_ok();
                let shared = clause.stems.iter().filter(is_shared).count();
                holds(told, &clause.numbers) && shared as f64 >= MIN_SHARED * clause.stems.len() as f64
            };
            (clause, -length(&clause.text), self.supporters(supports))
        });
        let (clause, of) = self.best(supported)?;
        Some(self.record(self.kind(clause, &of), &clause.text, of))
    }

    fn memory(&self, at: usize) -> &DistilledMemory<'a> {
        &self.sources.known[at]
    }

    fn supporters(&self, supports: impl Fn(usize, &[Clause]) -> bool) -> Vec<usize> {
        let members = self.members.iter().zip(&self.clauses);
        members.filter(|(at, clauses)| supports(**at, clauses)).map(|(at, _)| *at).collect()
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
        Distillate { kind, text: end_sentence(text), of: self.members.len(), sources }
    }

    /// True if a memory tells of trouble, or of a bad feeling.
    fn is_trouble(&self, at: usize) -> bool {
        let DistilledMemory { analysis, feeling, .. } = *self.memory(at);
        feeling <= -MIN_FEELING
            || feeling < MIN_FEELING && analysis.negations == 0 && analysis.tokens.iter().any(is_trouble)
    }

    /// Returns the type of a record by who does what.
    fn kind(&self, clause: &Clause, of: &[usize]) -> ReflectionKind {
        let is_at = |at: &&usize| {
            let place = self.memory(**at).place.map(tokens).unwrap_or_default();
            place.iter().any(|token| clause.stems.contains(&token.stem))
        };
        let is_place = || 2 * of.iter().filter(is_at).count() > of.len();
        match clause.doer {
            _ if of.iter().all(|&at| self.is_trouble(at)) => ReflectionKind::Caution,
            Doer::Own if is_kind_of(&clause.verb, &LIKINGS) => ReflectionKind::Preference,
            Doer::Own if clause.is_deed && clause.key.2.is_some() && !is_kind_of(&clause.verb, &STATES) => {
                ReflectionKind::Skill
            }
            Doer::Person => ReflectionKind::Person,
            _ if is_place() => ReflectionKind::Place,
            _ => ReflectionKind::Pattern,
        }
    }
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
