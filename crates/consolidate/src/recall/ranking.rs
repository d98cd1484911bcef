//! Scores and order of recalled entries.

use std::cmp::Reverse;

use nightfold_memory::{GameTime, MemoryRecord, RecordKind, SketchedQuery, config::RecallConfig};

use super::{RecallIndex, RecallQuery, Recalled, index::Place};
use crate::gram::dot;

/// A recalled entry with its row.
type Found<'a> = (usize, Recalled<'a>);

impl RecallIndex {
    /// Returns the best entries for a question at a moment, best first and ties by id, at most `recall.limit`;
    /// none if the question's vector has another length, or if the relevance of all is below `recall.min_relevance`: then
    /// nothing comes to mind, and [`RecallIndex::nearest`] says what was nearest. Entries that the query's filter excludes, or
    /// whose relevance is below half of that, are left out.
    ///
    /// An archived entry comes faintly to mind, if `recall.faint` allows it: its relevance is lower by `recall.faint_margin`.
    /// A reflection follows the memories that it rests on. If the question
    /// asks how things are now ("does he still owe you?"), the newer of two entries on one subject goes first; an appended
    /// one does so in any case ([`RecallIndex::extend`]), for no night has decided yet which of the two holds. An entry of
    /// which the question has more words in common with [ended positions](MemoryRecord::ended) than with the rest of its
    /// text has `recall.ended_share` of its score, and does not come to mind if the question asks how things are now.
    ///
    /// The score of three parts is that of Generative Agents (Park et al. 2023), with an exponential half-life for
    /// recency.
    pub fn recall(&self, query: &RecallQuery, now: GameTime, config: &RecallConfig) -> Vec<Recalled<'_>> {
        let mut found = self.scored(query, now, config, config.min_relevance / 2.0);
        let best = found.iter().map(|(_, recalled)| recalled.relevance).fold(0.0, f64::max);
        if best < config.min_relevance {
            return Vec::new();
        }
        let order = |(_, a): &Found<'_>, (_, b): &Found<'_>| {
            b.score.total_cmp(&a.score).then_with(|| a.memory.entry.id.cmp(&b.memory.entry.id))
        };
        // The window is the same for every limit, so that a limit never changes the order.
        let sorted = config.limit.max(config.window);
        if sorted < found.len() {
            found.select_nth_unstable_by(sorted, order);
            found.truncate(sorted);
        }
        found.sort_by(order);
        let behind = found.split_off(found.len().min(config.window));
        lived_first(&mut found);
        self.newer_first(&mut found, query.about_present, config);
        found.into_iter().chain(behind).take(config.limit).map(|(_, recalled)| recalled).collect()
    }

    /// Returns the entry of the highest relevance, however low, and the first by id of several; `None` if none may answer.
    pub fn nearest(&self, query: &RecallQuery, now: GameTime, config: &RecallConfig) -> Option<Recalled<'_>> {
        let nearer = |a: &Recalled<'_>, b: &Recalled<'_>| {
            a.relevance.total_cmp(&b.relevance).then_with(|| b.memory.entry.id.cmp(&a.memory.entry.id))
        };
        self.scored(query, now, config, 0.0).into_iter().map(|(_, recalled)| recalled).max_by(nearer)
    }

    /// Returns the entries that may answer a question and have this relevance at least, with their scores.
    fn scored(
        &self,
        query: &RecallQuery,
        now: GameTime,
        config: &RecallConfig,
        least: f64,
    ) -> Vec<Found<'_>> {
        if query.vector.len() != self.dimensions || self.is_empty() {
            return Vec::new();
        }
        let words = self.words.scores(&query.stems);
        let sketched = SketchedQuery::new(&query.vector);
        let rows = self.entries.iter().enumerate().filter(|(row, memory)| {
            let allowed = self.has_history || config.faint || matches!(self.places[*row], Place::Vector(_));
            allowed && query.filter.matches(memory)
        });
        rows.filter_map(|(row, memory)| {
            let (cosine, faint) = match self.places[row] {
                Place::Sketch(at) => (sketched.cosine(self.sketch(at)), true),
                Place::Vector(_) => {
                    (self.vector(row).map_or(0.0, |vector| dot(vector, &query.vector)), false)
                }
            };
            let cosine = f64::from(cosine).clamp(0.0, 1.0);
            let margin = if faint { config.faint_margin } else { 0.0 };
            let relevance = ((1.0 - config.words) * cosine + config.words * words[row] - margin).max(0.0);
            if relevance < least {
                return None;
            }
            let recency = recency(memory, now, config);
            let importance = f64::from(memory.entry.importance.get()) / 10.0;
            let score = score([relevance, recency, importance], config);
            let words = words[row];
            let mut recalled =
                Recalled { memory, faint, score, relevance, cosine, words, recency, importance };
            if self.parted.get(&row).is_some_and(|words| words.are_asked_as_ended(&query.stems)) {
                if query.is_in_present {
                    return None;
                }
                recalled.score *= config.ended_share;
            }
            Some((row, recalled))
        })
        .collect()
    }

    /// Brings entries into the order in which the newer of two on one subject goes first ([`Self::updates`]).
    ///
    /// An entry takes the best place among its own and those of the older entries that it updates, with the places that
    /// these take. Among entries of one place the newer goes first, then the one that was better before. An entry that
    /// updates another one therefore always goes before it, in whatever order the entries are compared.
    fn newer_first(&self, found: &mut Vec<Found<'_>>, about_present: bool, config: &RecallConfig) {
        let mut by_age: Vec<usize> = (0..found.len()).collect();
        by_age.sort_by_key(|&at| found[at].1.memory.entry.last_at);
        let mut places: Vec<usize> = (0..found.len()).collect();
        for (older, &at) in by_age.iter().enumerate() {
            let updated = by_age[..older]
                .iter()
                .filter(|&&other| self.updates(&found[at], &found[other], about_present, config));
            places[at] = updated.map(|&other| places[other]).fold(at, usize::min);
        }
        let mut ordered: Vec<usize> = (0..found.len()).collect();
        ordered.sort_by_key(|&at| (places[at], Reverse(found[at].1.memory.entry.last_at), at));
        *found = ordered.into_iter().map(|at| found[at].clone()).collect();
    }

    /// True if the first entry is newer than the second one and tells the state of its subject: any entry if the question is
    /// about the present, otherwise one that no night has compared with the older ones. That one must be half as near
    /// again, and may lack half as much relevance.
    fn updates(
        &self,
        (newer, n): &Found<'_>,
        (older, o): &Found<'_>,
        about_present: bool,
        config: &RecallConfig,
    ) -> bool {
        // A reflection is as old as what it rests on.
        if n.memory.entry.last_at <= o.memory.entry.last_at || n.memory.entry.form == RecordKind::Reflection {
            return false;
        }
        let (lacks, cosine) = (o.relevance - n.relevance, f64::from(self.cosine(*newer, *older)));
        about_present && lacks <= config.newer_margin && cosine >= config.same_subject
            || *newer >= self.reconciled
                && lacks <= config.newer_margin / 2.0
                && cosine >= config.same_subject * 1.5
    }
}

/// Moves the memories that a reflection rests on before it: what an NPC lived through comes to mind before what it
/// thinks of that, and a reflection takes the place of none of them.
fn lived_first(found: &mut [Found<'_>]) {
    // From the last to the first: what moves back meets no reflection that is still to be moved.
    for at in (0..found.len()).rev() {
        let reflection = &found[at].1.memory.entry;
        if reflection.form != RecordKind::Reflection {
            continue;
        }
        let is_source = |other: &Found<'_>| reflection.sources.contains(&other.1.memory.entry.id);
        if let Some(last) = found.iter().rposition(is_source).filter(|&last| last > at) {
            found[at..=last].rotate_left(1);
        }
    }
}

/// Returns the recency of an entry: it halves every `recall.half_life_hours`.
fn recency(memory: &MemoryRecord, now: GameTime, config: &RecallConfig) -> f64 {
    let since = memory.last_touched().max(memory.entry.last_at);
    let hours = (now.seconds() - since.seconds()).max(0) as f64 / 3600.0;
    (-hours / config.half_life_hours).exp2()
}

/// Returns the weighted mean of relevance, recency and importance.
fn score([relevance, recency, importance]: [f64; 3], config: &RecallConfig) -> f64 {
    let weights = config.relevance + config.recency + config.importance;
    let sum = config.relevance * relevance + config.recency * recency + config.importance * importance;
    if weights > 0.0 { sum / weights } else { 0.0 }
}
