//! Applying a saved plan.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{AppliedNight, MemoryStore, NightPlan, NpcId, Outcome, StoreError};

use crate::{Failure, SleepError};

/// How many nights reach the disk together.
pub(crate) const GROUP: usize = 64;

/// What applying a plan did.
#[derive(Debug, Default)]
pub struct Applied {
    /// Nights that are written now.
    pub written: usize,
    /// Nights that were there already, or change nothing.
    pub unchanged: usize,
    /// Nights the store refused.
    pub failures: Vec<Failure>,
}

/// Applies a plan. If any of its nights was planned from another state than the store's, or with another model,
/// nothing is written at all. Nights that were applied before are passed over, so a call that was cut short can be
/// repeated. A night that the store refuses for itself is left out and listed.
///
/// # Errors
/// [`SleepError::Store`] with [`StoreError::Stale`] when the store has moved on since, with [`StoreError::Model`] when
/// its vectors are of another model; any other error of the store as a whole, after which groups of nights that were
/// written before stay written.
pub fn apply_plan(store: &dyn MemoryStore, plan: &NightPlan) -> Result<Applied, SleepError> {
    refuse_stale(store, plan)?;
    if let Some(stored) = store.model()?
        && let Some(night) = plan.nights.iter().find(|n| !n.is_empty() && n.model != stored)
    {
        return Err(StoreError::Model { stored, given: night.model.clone() }.into());
    }
    let run = store.begin_run()?;
    let mut applied = Applied::default();
    for group in plan.nights.chunks(GROUP) {
        for (night, outcome) in group.iter().zip(store.apply(run, group)?) {
            match outcome {
                Ok(Outcome::Applied { .. }) => applied.written += 1,
                Ok(Outcome::AlreadyApplied | Outcome::Empty) => applied.unchanged += 1,
                Err(error) => applied.failures.push(Failure {
                    npc: night.npc.clone(),
                    night: night.night.clone(),
                    error: error.into(),
                }),
            }
        }
    }
    Ok(applied)
}

fn refuse_stale(store: &dyn MemoryStore, plan: &NightPlan) -> Result<(), SleepError> {
    // A version is the fingerprint of a state and of how it came about, so it tells what was applied.
    let mut states: BTreeMap<&NpcId, (u64, BTreeSet<u64>)> = BTreeMap::new();
    for night in plan.nights.iter().filter(|n| !n.is_empty()) {
        if !states.contains_key(&night.npc) {
            let applied = store.nights(Some(&night.npc))?;
            let current = applied.last().map_or(0, |n: &AppliedNight| n.version);
            states.insert(&night.npc, (current, applied.iter().map(|n| n.version).collect()));
        }
        let Some((current, applied)) = states.get_mut(&night.npc) else { continue };
        let next = night.next_version()?;
        if applied.contains(&next) {
            continue;
        }
        if night.base_version != *current {
            return Err(StoreError::Stale {
                npc: night.npc.clone(),
                night: night.night.clone(),
                planned: night.base_version,
                found: *current,
            }
            .into());
        }
        *current = next;
    }
    Ok(())
}
