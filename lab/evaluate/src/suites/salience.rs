//! Agreement of salience with what people found worth remembering, and with what was asked about later.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result};
use nightfold_consolidate::Draft;
use nightfold_english::English;
use nightfold_memory::{Day, Memory, MemoryId, MemorySnapshot, NpcId, Vectors, effect::advance};
use rand_xoshiro::{
    Xoshiro256Plus,
    rand_core::{RngCore, SeedableRng},
};

use super::interval;
use crate::{
    data::{self, Conversation},
    lab::Lab,
    rank::auc,
    report::{Report, Section, row},
    suite::Suite,
};

/// Number of votes from which a turn counts as worth remembering.
const WORTH_VOTES: u8 = 2;

/// Measures by which turns are ranked: a number drawn at random, the number of characters, one minus the highest cosine
/// to an earlier turn of the same person, and salience as the night measures it.
const MEASURES: [&str; 4] = ["random", "length", "novelty", "salience"];

pub(crate) struct Salience;

impl Suite for Salience {
    fn name(&self) -> &'static str {
        "salience"
    }

    fn measures(&self) -> &'static str {
        "Agreement of salience with people's votes for what is worth remembering, and with what was asked about later; the runs at even \
         places may be looked at while something is made better"
    }

    fn data(&self) -> &'static str {
        "of --data lufy (turns with votes), and any of locomo, realtalk, beam"
    }

    fn run(&self, lab: &Lab) -> Result<Report> {
        let votes = lab.folder("lufy", "memories.jsonl");
        let votes = votes.context("no data is given; this measures on lufy in the folder of --data")?;
        let mut draws = Xoshiro256Plus::seed_from_u64(lab.config.seed.0);
        let voted = ranked(lab, &data::conversations(&votes)?, &mut draws)?;
        let half = |rest: usize| voted.iter().skip(rest).step_by(2).cloned().collect();
        let mut sets =
            vec![("votes, even runs".to_owned(), half(0)), ("votes, odd runs".to_owned(), half(1))];
        sets.insert(0, ("votes, all runs".to_owned(), voted));
        for (name, folder) in lab.conversation_folders() {
            let turns = ranked(lab, &data::conversations(&folder)?, &mut draws)?;
            sets.push((format!("evidence, {name}"), turns));
        }
        let sections = sets.iter().map(|(name, runs)| scores(name, runs, &mut draws)).collect();
        Ok(Report { sections, ..Report::default() })
    }
}

/// A turn with its rank by each measure.
#[derive(Debug, Clone, PartialEq)]
struct RankedTurn {
    session: usize,
    /// Number of votes, or 2 for evidence and 0 for anything else.
    votes: u8,
    scores: [f64; MEASURES.len()],
}

impl RankedTurn {
    fn is_worth(&self) -> bool {
        self.votes >= WORTH_VOTES
    }
}

/// Ranks the turns of conversations that were put to the vote; without votes all of them, and those that are evidence of a
/// later question count as worth remembering. Each speaker of a conversation is an NPC, each session a day and a night.
fn ranked(
    lab: &Lab,
    conversations: &[Conversation],
    draws: &mut Xoshiro256Plus,
) -> Result<Vec<Vec<RankedTurn>>> {
    let mut ranked = Vec::new();
    for conversation in conversations {
        let evidence: BTreeSet<&MemoryId> =
            conversation.questions.iter().flat_map(|question| &question.evidence).collect();
        let by_evidence = conversation.votes.is_empty();
        let votes = |id: &MemoryId| match conversation.votes.get(id) {
            None if by_evidence => Some(if evidence.contains(id) { WORTH_VOTES } else { 0 }),
            votes => votes.copied(),
        };
        let mut lives: BTreeMap<&NpcId, Vec<&Day>> = BTreeMap::new();
        conversation.days.iter().for_each(|day| lives.entry(&day.npc).or_default().push(day));
        let mut turns: Vec<RankedTurn> = Vec::new();
        for days in lives.values() {
            let first = turns.iter().map(|turn| turn.session + 1).max().unwrap_or(0);
            let mut own = life(days, lab, draws, votes)?;
            own.iter_mut().for_each(|turn| turn.session += first);
            turns.extend(own);
        }
        ranked.push(turns);
    }
    Ok(ranked)
}

/// Returns the agreement of each measure with the votes.
///
/// The area under the ROC curve is of turns worth remembering against all others, and of turns with any vote against those
/// without; kept is the share of the turns worth remembering in the upper half of each session.
fn scores(name: &str, runs: &[Vec<RankedTurn>], draws: &mut Xoshiro256Plus) -> Section {
    let all: Vec<&[RankedTurn]> = runs.iter().map(Vec::as_slice).collect();
    let turns = || runs.iter().flatten();
    let (worth, count) = (turns().filter(|turn| turn.is_worth()).count(), turns().count());
    let columns = ["measure", "AUC", "95 %", "AUC any vote", "kept at half", "95 % of kept"];
    let mut section = Section::new(format!("{name}: {worth} of {count} turns"), columns);
    for (at, measure) in MEASURES.into_iter().enumerate() {
        section.row(row![
            measure,
            area(&all, at, RankedTurn::is_worth),
            interval(&all, draws, |runs| area(runs, at, RankedTurn::is_worth)),
            area(&all, at, |turn| turn.votes > 0),
            kept_at_half(&all, at),
            interval(&all, draws, |runs| Some(kept_at_half(runs, at))),
        ]);
    }
    section
}

/// Returns the ranked turns of one NPC's days that have votes, night after night.
fn life(
    days: &[&Day],
    lab: &Lab,
    draws: &mut Xoshiro256Plus,
    votes: impl Fn(&MemoryId) -> Option<u8>,
) -> Result<Vec<RankedTurn>> {
    let (embedder, config) = (&*lab.embedder, &lab.config);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(session: usize, votes: u8, score: f64) -> RankedTurn {
        RankedTurn { session, votes, scores: [score; MEASURES.len()] }
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
}
