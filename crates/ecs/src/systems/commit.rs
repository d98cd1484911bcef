//! [`SleepSystems::Commit`](crate::SleepSystems): planned nights are written to the store and written ones
//! are delivered to their NPCs.

use std::sync::Arc;

use bevy_ecs::{prelude::*, system::SystemParam};
use nightfold::memory::{Day, Memory, NpcId};

use super::WorldPorts;
use crate::{
    Asleep, Consolidating, ConsolidationFailed, DailyMemories, GameClock, MaintenancePolicy, MindMaintained,
    NightBudgets, NightConsolidated, NightFailure, NightPool, NightSummary, NpcMind, RecallAnswered,
    SleepQueue, TokensLeft,
    job::{Completed, NightResult, Written},
    nights::{Context, DeferredDrop, Finished},
    ports::Ports,
    recall::Questions,
    saved::{Due, NightWork, SavedNight},
};

/// Nights under way, and all that they draw on.
#[derive(SystemParam)]
pub(crate) struct NightState<'w> {
    nights: ResMut<'w, SleepQueue>,
    questions: ResMut<'w, Questions>,
    pool: ResMut<'w, NightPool>,
    budgets: Res<'w, NightBudgets>,
    tokens_left: ResMut<'w, TokensLeft>,
    policy: Res<'w, MaintenancePolicy>,
}

/// Messages about nights and maintenance that have ended.
#[derive(SystemParam)]
pub(crate) struct Outcomes<'w, 's> {
    consolidated: MessageWriter<'w, NightConsolidated>,
    failed: MessageWriter<'w, ConsolidationFailed>,
    maintained: MessageWriter<'w, MindMaintained>,
    commands: Commands<'w, 's>,
}

/// NPC whose night has ended, if it is still there.
type Present<'a> = Option<(Mut<'a, NpcMind>, Mut<'a, DailyMemories>, bool)>;

/// Result of a night whose index the mind has taken; without a summary if there was nothing to do.
type Outcome = Result<Option<Arc<NightSummary>>, NightFailure>;

pub(crate) fn commit(
    mut state: NightState,
    ports: WorldPorts,
    mut npcs: Query<(&mut NpcMind, &mut DailyMemories, Has<Asleep>)>,
    mut outcomes: Outcomes,
) {
    let now = ports.clock.now.seconds();
    for Finished { npc, entity, day, work, result } in state.finished(now, || ports.current()) {
        let mut present = npcs.get_mut(entity).ok().filter(|(mind, ..)| *mind.npc() == npc);
        let outcome = state.deliver(&npc, result, &mut present);
        match work {
            NightWork::Maintenance { least } => {
                if let Some((mind, ..)) = present.as_mut().filter(|_| least == 0) {
                    mind.set_maintained(ports.clock.now);
                }
                outcomes.maintained(entity, npc, outcome, present.is_some());
            }
            NightWork::Consolidation => {
                if present.is_some() {
                    outcomes.commands.entity(entity).try_remove::<Consolidating>();
                }
                match outcome {
                    Ok(summary) => {
                        state.maintain_if_due(entity, &mut present, &ports);
                        outcomes.consolidated(entity, npc, summary, present.is_some());
                    }
                    Err(error) => {
                        let (night, memories) = (day.night.clone(), memories_of(day));
                        let (count, is_present) = (memories.len(), present.is_some());
                        match present {
                            Some((_, mut day, _)) => day.put_back(memories),
                            None => state.nights.keep_unconsolidated(npc.clone(), memories),
                        }
                        let error = Arc::new(error);
                        let failed = ConsolidationFailed { entity, npc, night, memories: count, error };
                        tell(&mut outcomes.failed, &mut outcomes.commands, failed, is_present);
                    }
                }
            }
        }
    }
    let deferred_drops = std::mem::take(&mut state.nights.deferred_drops);
    if !deferred_drops.is_empty() {
        state.pool.discard(deferred_drops);
    }
}

impl NightState<'_> {
    /// Has the nights written that are due, and returns those whose results are.
    fn finished(&mut self, now: i64, ports: impl Fn() -> Ports) -> Vec<Finished> {
        let mut tokens = self.tokens_left.0;
        let mut context = Context {
            pool: &mut self.pool,
            budgets: &self.budgets,
            tokens: &mut tokens,
            questions: &mut self.questions,
        };
        self.nights.write_due(now, &mut context, ports);
        let finished = self.nights.deliver_due(now, &mut context);
        self.tokens_left.set_if_neq(TokensLeft(tokens));
        finished
    }

    /// Gives a mind the result of its night.
    fn deliver(&mut self, npc: &NpcId, result: NightResult, present: &mut Present<'_>) -> Outcome {
        let Completed { version, written } = result?;
        if let Some((mind, ..)) = present {
            mind.set_version(version);
        }
        let Some(Written { npc_tags, summary, index, .. }) = written else { return Ok(None) };
        self.questions.invalidate(npc);
        if let Some((mind, ..)) = present {
            let replaced = mind.update(npc_tags, index);
            self.nights.deferred_drops.push(DeferredDrop::Recall { _replaced: replaced });
        }
        Ok(Some(summary))
    }

    /// Begins the maintenance of an NPC that sleeps on, if its policy asks for it.
    fn maintain_if_due(&mut self, entity: Entity, present: &mut Present<'_>, ports: &WorldPorts<'_>) {
        let Some((mind, _, is_asleep)) = present else { return };
        if mind.maintained().is_none() {
            mind.set_maintained(ports.clock.now);
        }
        if *is_asleep && let Some(least) = self.policy.least(mind.maintained(), ports.clock.now) {
            let now = ports.clock.now;
            let night = now.night(ports.config.0.day.turns_at);
            let day = Day::new(mind.npc().clone(), night, now, Vec::new());
            let (work, due) = (NightWork::Maintenance { least }, Due::of(*ports.timing, now));
            self.nights.resume(entity, SavedNight::new(day, mind.recalls(), work, due), &ports.current());
        }
    }
}

impl Outcomes<'_, '_> {
    fn consolidated(
        &mut self,
        entity: Entity,
        npc: NpcId,
        summary: Option<Arc<NightSummary>>,
        is_present: bool,
    ) {
        if let Some(summary) = summary {
            let message = NightConsolidated { entity, npc, summary };
            tell(&mut self.consolidated, &mut self.commands, message, is_present);
        }
    }

    fn maintained(&mut self, entity: Entity, npc: NpcId, outcome: Outcome, is_present: bool) {
        if let Some(result) = outcome.map_err(Arc::new).transpose() {
            let message = MindMaintained { entity, npc, result };
            tell(&mut self.maintained, &mut self.commands, message, is_present);
        }
    }
}

/// Writes a message, and triggers it as an event on an NPC that is still there.
fn tell<'t, E: Message + Clone + Event<Trigger<'t>: Default>>(
    writer: &mut MessageWriter<'_, E>,
    commands: &mut Commands<'_, '_>,
    message: E,
    is_present: bool,
) {
    writer.write(message.clone());
    if is_present {
        commands.trigger(message);
    }
}

/// Returns the memories of a failed night's day. An abandoned job may still share the day.
fn memories_of(day: Arc<Day>) -> Vec<Memory> {
    Arc::try_unwrap(day).map_or_else(|shared| shared.memories.clone(), |day| day.memories)
}

/// Sends the answers that are due.
pub(crate) fn answer(
    mut questions: ResMut<Questions>,
    mut nights: ResMut<SleepQueue>,
    mut pool: ResMut<NightPool>,
    budgets: Res<NightBudgets>,
    clock: Res<GameClock>,
    minds: Query<&NpcMind>,
    mut answers: MessageWriter<RecallAnswered>,
    mut commands: Commands,
) {
    let now = clock.now.seconds();
    while questions.unanswered(now).is_some() {
        questions.launch(&pool, &budgets);
        let Some(report) = pool.receive() else { break };
        if let Some(report) = questions.receive(report) {
            nights.receive(report, now);
        }
    }
    for answer in questions.take_due(now) {
        if let (Ok(mind), Ok(found)) = (minds.get(answer.entity), &answer.memories) {
            let old = found.iter().filter(|entry| !entry.today).map(|entry| entry.id.clone());
            nights.touch(mind.npc(), old, clock.now);
        }
        if minds.contains(answer.entity) {
            commands.trigger(answer.clone());
        }
        answers.write(answer);
    }
}
