//! The plan: what a night would change, and why. A value: it can be shown, saved, judged and applied.

mod change;
mod judged;
mod reason;
mod report;
mod writer;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use change::{Change, ReflectionKind, Standing};
pub use judged::JudgeReport;
pub use reason::{Reason, Rule, Value, comparison_of};
pub use report::{
    ClusterReport, CohesionParts, InputCounts, LanguageReport, NightReport, PackName, RunReport, TokenReport,
    VectorReport, rounded,
};
pub use writer::PlanWriter;

use crate::{GameTime, Memory, MemoryId, ModelId, NightLabel, NpcId, ThemeNight};

/// The version of the plan format this build reads and writes.
pub const PLAN_FORMAT: u32 = 1;

/// What one NPC's night would change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NpcNight {
    /// Whose night it is.
    pub npc: NpcId,
    /// Which night.
    pub night: NightLabel,
    /// The moment of sleep.
    pub at: GameTime,
    /// The version of the NPC's memory it was planned against.
    pub base_version: u64,
    /// The model whose vectors its entries carry.
    pub model: ModelId,
    /// The day's memories that the store has not seen before, in canonical order, under the ids they get.
    pub memories: Vec<Memory>,
    /// What becomes of them, and of older entries.
    pub changes: Vec<Change>,
    /// The themes that the night saw, the largest first. They are of its memories: a night without memories has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub themes: Vec<ThemeNight>,
    /// What was counted on the way.
    pub report: NightReport,
}

impl NpcNight {
    /// Whether applying it would change nothing.
    pub fn is_empty(&self) -> bool {
        self.memories.is_empty() && self.changes.is_empty() && self.themes.is_empty()
    }

    /// The version that applying it makes: a fingerprint of the version it was planned against and of everything in
    /// it, 1 to 2⁵². So no two states share a version, a state that is restored has its version back, and a run
    /// that plans several nights ahead knows the versions they will meet.
    ///
    /// # Errors
    /// [`PlanError::Json`] when it cannot be written as JSON.
    pub fn next_version(&self) -> Result<u64, PlanError> {
        if self.is_empty() {
            return Ok(self.base_version);
        }
        let mut hash = Sha256::new();
        hash.update(self.base_version.to_le_bytes());
        hash.update(self.digest()?);
        let mut word = [0; 8];
        word.copy_from_slice(&hash.finalize()[..8]);
        // 52 bits are exact in every program that reads JSON numbers as doubles.
        Ok((u64::from_le_bytes(word) >> 12).max(1))
    }

    /// A fingerprint of everything in it: SHA-256 of its JSON, in hex.
    ///
    /// # Errors
    /// [`PlanError::Json`] when it cannot be written as JSON.
    pub fn digest(&self) -> Result<String, PlanError> {
        let bytes = serde_json::to_vec(self)?;
        Ok(Sha256::digest(&bytes).iter().map(|b| format!("{b:02x}")).collect())
    }
}

/// The plan of a run: the nights of all its NPCs, by NPC and then in order of time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NightPlan {
    /// [`PLAN_FORMAT`].
    pub format: u32,
    /// One for each NPC and night.
    pub nights: Vec<NpcNight>,
    /// Sums over all of them.
    pub report: RunReport,
}

/// Why a plan cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// Not JSON, or not of the plan's shape.
    #[error("not a plan: {0}")]
    Json(#[from] serde_json::Error),
    /// Written by a newer version.
    #[error("the plan is of format {found}; this version reads format {PLAN_FORMAT}")]
    Format {
        /// The format it states.
        found: u32,
    },
    /// A change that does not fit the rest of the plan.
    #[error("night {night} of {npc}: {what} {id}, which the plan does not hold")]
    Dangling {
        /// Whose night.
        npc: NpcId,
        /// Which night.
        night: NightLabel,
        /// What refers to it.
        what: &'static str,
        /// The id referred to.
        id: MemoryId,
    },
    /// An active entry without a vector, which could never be recalled.
    #[error("night {night} of {npc}: entry {id} has no vector")]
    NoVector {
        /// Whose night.
        npc: NpcId,
        /// Which night.
        night: NightLabel,
        /// The entry.
        id: MemoryId,
    },
}

impl NightPlan {
    /// Reads a saved plan and checks that it hangs together.
    ///
    /// # Errors
    /// [`PlanError`] when it is not JSON of this shape, of a newer format, or refers to what is not there.
    pub fn from_json(bytes: &[u8]) -> Result<Self, PlanError> {
        #[derive(Deserialize)]
        struct Format {
            format: u32,
        }
        let Format { format } = serde_json::from_slice(bytes)?;
        if format != PLAN_FORMAT {
            return Err(PlanError::Format { found: format });
        }
        let plan: Self = serde_json::from_slice(bytes)?;
        plan.nights.iter().try_for_each(NpcNight::check)?;
        Ok(plan)
    }
}

impl NpcNight {
    /// Memories of the day that the night lets go for want of worth or room: a later night may bring them back.
    pub fn let_go(&self) -> impl Iterator<Item = &Memory> {
        let gone: std::collections::BTreeSet<_> = self
            .changes
            .iter()
            .filter(|change| change.verb() == "prune" && change.reason().rule.lets_go())
            .map(Change::id)
            .collect();
        self.memories.iter().filter(move |memory| gone.contains(&memory.id))
    }

    /// Checks that every new entry can be recalled and rests on memories of this NPC's night.
    ///
    /// # Errors
    /// [`PlanError`] names the entry.
    pub fn check(&self) -> Result<(), PlanError> {
        let day: std::collections::BTreeSet<_> = self.memories.iter().map(|m| &m.id).collect();
        let dangling = |what, id: &MemoryId| PlanError::Dangling {
            npc: self.npc.clone(),
            night: self.night.clone(),
            what,
            id: id.clone(),
        };
        if let Some(stranger) = self.memories.iter().find(|m| m.npc != self.npc) {
            return Err(dangling("another NPC's memory", &stranger.id));
        }
        for change in &self.changes {
            if let Some(entry) = change.entry()
                && entry.vector.is_none()
            {
                return Err(PlanError::NoVector {
                    npc: self.npc.clone(),
                    night: self.night.clone(),
                    id: entry.id.clone(),
                });
            }
            let of_the_day = match change {
                Change::Store { entry, .. } => std::slice::from_ref(&entry.id),
                Change::Prune { id, .. } => std::slice::from_ref(id),
                Change::Collapse { standing: None, sources, .. } | Change::Corroborate { sources, .. } => {
                    sources.as_slice()
                }
                // These are entries of earlier nights.
                Change::Chunk { reason, .. } if reason.rule == Rule::Abstracted => &[],
                Change::Chunk { entry, .. } | Change::Reflect { entry, .. } => entry.sources.as_slice(),
                Change::Strengthen { sources, .. } => sources.as_slice(),
                Change::Collapse { standing: Some(_), .. }
                | Change::Supersede { .. }
                | Change::Contest { .. }
                | Change::Archive { .. }
                | Change::Restore { .. }
                | Change::Forget { .. } => &[],
            };
            if let Some(id) = of_the_day.iter().find(|id| !day.contains(id)) {
                return Err(dangling(change.verb(), id));
            }
        }
        Ok(())
    }
}
