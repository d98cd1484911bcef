//! A plan together with the texts needed to show it.

use std::collections::BTreeMap;

use nightfold_consolidate::review::{EarlierEntries, Extent};
use nightfold_memory::{MemoryReader, NightPlan, NpcId, NpcNight, RunReport, StoreError};

use super::diff::PlanDiff;
use crate::{Failure, RunOutcome};

/// Planned nights that are not written yet, with every change and its reason.
#[derive(Debug)]
pub struct Plan {
    inner: NightPlan,
    failures: Vec<Failure>,
    /// Texts of the entries that the plan refers to but does not contain, by NPC.
    before: BTreeMap<NpcId, EarlierEntries>,
}

impl Plan {
    /// Makes a plan to be shown and applied of what a run has planned against a store.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    pub fn of(planned: RunOutcome, store: &dyn MemoryReader) -> Result<Self, StoreError> {
        let RunOutcome { plan, failures, .. } = planned;
        let mut before: BTreeMap<NpcId, EarlierEntries> = BTreeMap::new();
        for night in &plan.nights {
            let known = before.entry(night.npc.clone()).or_default();
            known.look_up(night, Extent::All, store)?;
            known.remember(night);
        }
        Ok(Self { inner: plan, failures, before })
    }

    /// Returns the nights, by NPC and then in order of time.
    pub fn nights(&self) -> &[NpcNight] {
        &self.inner.nights
    }

    /// Returns the sums over all nights.
    pub fn report(&self) -> &RunReport {
        &self.inner.report
    }

    /// Returns the nights that could not be planned.
    pub fn failures(&self) -> &[Failure] {
        &self.failures
    }

    /// Returns the plan as a value that can be saved as JSON, and shown or applied elsewhere.
    pub fn night_plan(&self) -> &NightPlan {
        &self.inner
    }

    /// Returns the changes as readable text, night by night.
    pub fn diff(&self) -> PlanDiff<'_> {
        PlanDiff { nights: &self.inner.nights, before: &self.before }
    }
}
