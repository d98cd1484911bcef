//! Applying a saved plan.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{AppliedNight, MemoryStore, NightPlan, NpcId, Outcome, StoreError};

use crate::{Failure, RunError};

/// Number of nights that are written to the store in one call.
pub(crate) const NIGHTS_PER_WRITE: usize = 64;

/// Outcome of applying a plan.
#[derive(Debug, Default)]
pub struct Applied {
    /// Number of nights that this call wrote.
    pub written: usize,
    /// Number of nights that had been applied before, or change nothing.
    pub unchanged: usize,
    /// Nights the store refused.
    pub failures: Vec<Failure>,
}

/// Applies a plan. If any of its nights was planned from another state than the store's, or with another model,
/// nothing is written at all. Nights that were applied before are skipped, so an interrupted call can be repeated.
/// A single night that the store refuses is left out and listed in [`Applied::failures`].
///
/// # Errors
/// [`RunError::Store`] with [`StoreError::Stale`] if the store has changed since the plan was made, with
/// [`StoreError::Model`] if the store's vectors are of another model; any other error of the store as a
/// whole, after which nights written earlier in this call stay written.
pub fn apply_plan(store: &dyn MemoryStore, plan: &NightPlan) -> Result<Applied, RunError> {
    refuse_stale(store, plan)?;
    if let Some(stored) = store.model()?
        && let Some(night) = plan.nights.iter().find(|n| !n.is_empty() && n.model != stored)
    {
        return Err(StoreError::Model { stored, given: night.model.clone() }.into());
    }
    let run = store.begin_run()?;
    let mut applied = Applied::default();
    for group in plan.nights.chunks(NIGHTS_PER_WRITE) {
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

fn refuse_stale(store: &dyn MemoryStore, plan: &NightPlan) -> Result<(), RunError> {
    // A version is a fingerprint of a state and its history, so a known version means that the night was applied.
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
