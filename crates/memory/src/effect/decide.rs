//! Deciding about a night: nothing is written, it is refused, or its effect is.

use super::{
    build,
    rows::{Effect, PriorRows},
};
use crate::{
    id::ModelId,
    plan::NpcNight,
    ports::{Outcome, StoreError},
};

/// State of an NPC in a store before a night.
#[derive(Debug, Clone, Default)]
pub struct PriorState {
    /// Version in force; 0 for an NPC without a state.
    pub version: u64,
    /// True if the version that the night makes is among those of the NPC's applied nights. Versions are
    /// fingerprints, so this very night was applied before.
    pub applied: bool,
    /// Model of the store's vectors.
    pub model: Option<ModelId>,
}

/// Decision about a night.
#[derive(Debug, Clone)]
pub enum Decision {
    /// Nothing is written; the outcome says why.
    Nothing(Outcome),
    /// The effect is written.
    Write(Effect),
}

/// Decides about a night, given the state before it.
///
/// # Errors
/// [`StoreError::Stale`], [`StoreError::Model`] and [`StoreError::Conflict`]; and any error of reading the
/// store.
pub fn effect_of<G: PriorRows>(
    night: &NpcNight,
    before: PriorState,
    prior: &G,
) -> Result<Decision, G::Error> {
    if night.is_empty() {
        return Ok(Decision::Nothing(Outcome::Empty));
    }
    if before.applied {
        return Ok(Decision::Nothing(Outcome::AlreadyApplied));
    }
    if night.base_version != before.version {
        return Err(StoreError::Stale {
            npc: night.npc.clone(),
            night: night.night.clone(),
            planned: night.base_version,
            found: before.version,
        }
        .into());
    }
    match before.model {
        Some(stored) if stored != night.model => {
            Err(StoreError::Model { stored, given: night.model.clone() }.into())
        }
        _ => build::effect(night, prior).map(Decision::Write),
    }
}

/// Returns the versions that nights make, before any of them is written; a version is also a night's
/// fingerprint.
///
/// # Errors
/// [`StoreError::Backend`] if a night cannot be written as JSON.
pub fn versions(nights: &[NpcNight]) -> Result<Vec<u64>, StoreError> {
    nights.iter().map(NpcNight::next_version).collect::<Result<_, _>>().map_err(StoreError::backend)
}
