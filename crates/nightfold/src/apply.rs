//! Applying a saved plan.

use std::collections::{BTreeMap, btree_map::Entry};

use nightfold_memory::{MemoryStore, NightPlan, NpcId, Outcome, StoreError};

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
    let mut versions: BTreeMap<&NpcId, u64> = BTreeMap::new();
    for night in plan.nights.iter().filter(|n| !n.is_empty()) {
        let next = night.next_version()?;
        // A version is a fingerprint of a state and its history, so a known version means that the night was applied.
        if store.has_version(&night.npc, next)? {
            continue;
        }
        let current = match versions.entry(&night.npc) {
            Entry::Occupied(found) => found.into_mut(),
            Entry::Vacant(npc) => {
                npc.insert(store.latest_night(&night.npc)?.map_or(0, |latest| latest.version))
            }
        };
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
