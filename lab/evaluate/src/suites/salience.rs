//! Agreement of salience with what people found worth remembering, and with what was asked about later.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_consolidate::{ConsolidateError, Draft};
use nightfold_english::English;
use nightfold_memory::{
    Day, Embedder, EmbedderError, Memory, MemoryId, MemorySnapshot, NpcId, StoreError, ValidConfig, Vectors,
    effect::advance,
};
use rand_xoshiro::{
    Xoshiro256Plus,
    rand_core::{RngCore, SeedableRng},
};
use serde::Serialize;

use crate::{
    data::{Conversation, VotedRun},
    rank::auc,
};

/// Number of times that runs are drawn anew for an interval.
const DRAWS: usize = 1_000;

/// Number of votes from which a turn counts as worth remembering.
const WORTH_VOTES: u8 = 2;

/// Measure by which turns are ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TurnMeasure {
    /// A number drawn at random.
    Random,
    /// Number of characters.
    Length,
    /// One minus the highest cosine to an earlier turn of the same person.
    Novelty,
    /// Salience, as the night measures it.
    Salience,
}

impl TurnMeasure {
    /// All measures, salience last.
    pub const ALL: [Self; 4] = [Self::Random, Self::Length, Self::Novelty, Self::Salience];
}

/// Turns that are ranked together: those of some runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RankedTurns {
    runs: Vec<Vec<RankedTurn>>,
}

/// A turn with its rank by each measure.
#[derive(Debug, Clone, PartialEq)]
struct RankedTurn {
    session: usize,
    /// Number of votes, or 2 for evidence and 0 for anything else.
    votes: u8,
    scores: [f64; TurnMeasure::ALL.len()],
}

/// Agreement of one measure with the votes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TurnScore {
    /// Measure by which the turns were ranked.
    pub measure: TurnMeasure,
    /// Area under the ROC curve of turns worth remembering against all others; 0.5 is chance. `None` without both.
    pub auc: Option<f64>,
    /// Bounds of 95 % of the area if the runs are drawn anew.
    pub auc_interval: [f64; 2],
    /// Area of turns with any vote against those without.
    pub auc_any: Option<f64>,
    /// Share of the turns worth remembering among the upper half of each session.
    pub kept_at_half: f64,
    /// Bounds of 95 % of the share if the runs are drawn anew.
    pub kept_interval: [f64; 2],
}

/// Reason for the failure of a measurement.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SalienceError {
    /// A text could not be embedded.
    #[error(transparent)]
    Embedder(#[from] EmbedderError),
    /// A night failed.
    #[error(transparent)]
    Night(#[from] ConsolidateError),
    /// A night did not fit the memory of the nights before it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl RankedTurns {
    /// Ranks the turns that were put to the vote. Each run is the life of one NPC, each session a day and a night.
    ///
    /// # Errors
    /// [`SalienceError`] if the model fails or a night is refused.
    pub fn of_votes(
        runs: &[VotedRun],
        embedder: &dyn Embedder,
        config: &ValidConfig,
    ) -> Result<Self, SalienceError> {
        let mut draws = Xoshiro256Plus::seed_from_u64(config.seed.0);
        let ranked = runs.iter().map(|run| {
            let days: Vec<&Day> = run.days.iter().collect();
            life(&days, embedder, config, &mut draws, |id| run.votes.get(id).copied())
        });
        Ok(Self { runs: ranked.collect::<Result<_, _>>()? })
    }

    /// Ranks all turns of conversations; those that are evidence of a later question count as worth remembering.
    /// Each speaker of a conversation is an NPC, each session a day and a night.
    ///
    /// # Errors
    /// [`SalienceError`] if the model fails or a night is refused.
    pub fn of_evidence(
        conversations: &[Conversation],
        embedder: &dyn Embedder,
        config: &ValidConfig,
    ) -> Result<Self, SalienceError> {
        let mut draws = Xoshiro256Plus::seed_from_u64(config.seed.0);
        let mut ranked = Self::default();
        for conversation in conversations {
            let evidence: BTreeSet<&MemoryId> =
                conversation.questions.iter().flat_map(|question| &question.evidence).collect();
            let mut lives: BTreeMap<&NpcId, Vec<&Day>> = BTreeMap::new();
            conversation.days.iter().for_each(|day| lives.entry(&day.npc).or_default().push(day));
            let mut turns = Vec::new();
            for days in lives.values() {
                let worth = |id: &MemoryId| Some(if evidence.contains(id) { WORTH_VOTES } else { 0 });
                let first = turns.iter().map(|turn: &RankedTurn| turn.session + 1).max().unwrap_or(0);
                let mut own = life(days, embedder, config, &mut draws, worth)?;
                own.iter_mut().for_each(|turn| turn.session += first);
                turns.extend(own);
            }
            ranked.runs.push(turns);
        }
        Ok(ranked)
    }

    /// Returns the turns of every second run, beginning with the first (`rest` 0) or the second (`rest` 1).
    #[must_use]
    pub fn half(&self, rest: usize) -> Self {
        let runs = self.runs.iter().enumerate().filter(|(place, _)| place % 2 == rest);
        Self { runs: runs.map(|(_, turns)| turns.clone()).collect() }
    }

    /// Returns the number of turns, and of those worth remembering.
    pub fn counts(&self) -> (usize, usize) {
        let turns = || self.runs.iter().flatten();
        (turns().count(), turns().filter(|turn| turn.is_worth()).count())
    }

    /// Returns the agreement of each measure with the votes; `seed` draws the intervals.
    pub fn scores(&self, seed: u64) -> Vec<TurnScore> {
        let all: Vec<&[RankedTurn]> = self.runs.iter().map(Vec::as_slice).collect();
        let drawn: Vec<Vec<&[RankedTurn]>> = {
            let mut draws = Xoshiro256Plus::seed_from_u64(seed);
            let mut run = |_| all.get((draws.next_u64() >> 33) as usize % all.len().max(1)).copied();
            (0..DRAWS).map(|_| (0..all.len()).filter_map(&mut run).collect()).collect()
        };
        let score = |(at, measure): (usize, TurnMeasure)| TurnScore {
            measure,
            auc: area(&all, at, RankedTurn::is_worth),
            auc_interval: central(
                drawn.iter().filter_map(|runs| area(runs, at, RankedTurn::is_worth)).collect(),
            ),
            auc_any: area(&all, at, |turn| turn.votes > 0),
            kept_at_half: kept_at_half(&all, at),
            kept_interval: central(drawn.iter().map(|runs| kept_at_half(runs, at)).collect()),
        };
        TurnMeasure::ALL.into_iter().enumerate().map(score).collect()
    }
}

impl RankedTurn {
    fn is_worth(&self) -> bool {
        self.votes >= WORTH_VOTES
    }
}

/// Returns the ranked turns of one NPC's days that have votes, night after night.
fn life(
    days: &[&Day],
    embedder: &dyn Embedder,
    config: &ValidConfig,
    draws: &mut Xoshiro256Plus,
    votes: impl Fn(&MemoryId) -> Option<u8>,
) -> Result<Vec<RankedTurn>, SalienceError> {
    let mut snapshot = MemorySnapshot::empty();
    let mut earlier: Vec<Vec<f32>> = Vec::new();
    let mut turns = Vec::new();
    for (session, day) in days.iter().enumerate() {
        let draft =
            Draft::begin((*day).clone(), snapshot.clone(), embedder.model().clone(), config, &English)?;
        let triaged = draft.clone().triage(embedder.embed(&draft.texts())?.vectors, &English)?;
        let saliences: BTreeMap<&MemoryId, f64> =
            triaged.saliences().map(|(id, salience)| (id, salience.total)).collect();
        let texts: Vec<&str> = day.memories.iter().map(|memory| memory.text.as_str()).collect();
        let vectors = embedder.embed(&texts)?.vectors;
        for (memory, vector) in day.memories.iter().zip(vectors.rows()) {
            let novelty = 1.0 - nearest(vector, &earlier);
            earlier.push(vector.to_vec());
            let Some(votes) = votes(&memory.id) else { continue };
            let random = (draws.next_u64() >> 11) as f64;
            let salience = saliences.get(&memory.id).copied().unwrap_or(0.0);
            turns.push(RankedTurn { session, votes, scores: [random, length(memory), novelty, salience] });
        }
        let synthesized = triaged.synthesize_by_rules(&English);
        let worded: Vec<&str> = synthesized.texts();
        let vectors = if worded.is_empty() {
            Vectors::with_capacity(embedder.dimensions(), 0)
        } else {
            embedder.embed(&worded)?.vectors
        };
        advance(&mut snapshot, &synthesized.reconcile(vectors, &English)?.finish_by_rules(&English))?;
    }
    Ok(turns)
}

fn length(memory: &Memory) -> f64 {
    memory.text.chars().count() as f64
}

/// Returns the highest cosine to other unit vectors; 0 if there are none.
fn nearest(vector: &[f32], others: &[Vec<f32>]) -> f64 {
    let cosine =
        |other: &Vec<f32>| vector.iter().zip(other).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
    others.iter().map(cosine).fold(0.0, f64::max)
}

fn area(runs: &[&[RankedTurn]], measure: usize, counts: impl Fn(&RankedTurn) -> bool) -> Option<f64> {
    let scored: Vec<(f64, bool)> =
        runs.iter().copied().flatten().map(|turn| (turn.scores[measure], counts(turn))).collect();
    auc(&scored)
}

/// Returns the share of the turns worth remembering that are in the upper half of their session; of equal scores the
/// earlier turn is above.
fn kept_at_half(runs: &[&[RankedTurn]], measure: usize) -> f64 {
    let (mut worth, mut kept) = (0, 0);
    for session in runs.iter().flat_map(|run| run.chunk_by(|a, b| a.session == b.session)) {
        let mut order: Vec<&RankedTurn> = session.iter().collect();
        order.sort_by(|a, b| b.scores[measure].total_cmp(&a.scores[measure]));
        worth += order.iter().filter(|turn| turn.is_worth()).count();
        kept += order.iter().take(session.len() / 2).filter(|turn| turn.is_worth()).count();
    }
    kept as f64 / worth.max(1) as f64
}

/// Returns the bounds of the central 95 % of values.
fn central(mut values: Vec<f64>) -> [f64; 2] {
    values.sort_by(f64::total_cmp);
    let beyond = values.len() / 40;
    let at = |place: usize| values.get(place).copied().unwrap_or(0.0);
    [at(beyond), at(values.len().saturating_sub(1 + beyond))]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(session: usize, votes: u8, score: f64) -> RankedTurn {
        RankedTurn { session, votes, scores: [score; TurnMeasure::ALL.len()] }
    }

    #[test]
    fn share_kept_is_counted_in_each_session() {
        let run = [
            turn(0, 2, 1.0),
            turn(0, 0, 0.5),
            turn(0, 0, 0.4),
            turn(0, 3, 0.3),
            turn(1, 2, 0.1),
            turn(1, 0, 0.0),
        ];
        assert!((kept_at_half(&[&run], 0) - 2.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn interval_holds_the_area_and_halves_share_no_run() {
        let runs = (0..20)
            .map(|run| (0..10).map(|n| turn(0, u8::from(n > 6) * 2, f64::from((n + run) % 10))).collect());
        let ranked = RankedTurns { runs: runs.collect() };
        let score = &ranked.scores(7)[3];
        let [low, high] = score.auc_interval;
        assert!(low <= score.auc.unwrap() && score.auc.unwrap() <= high, "{score:?}");
        assert_eq!(ranked.half(0).counts().0 + ranked.half(1).counts().0, ranked.counts().0);
    }
}
