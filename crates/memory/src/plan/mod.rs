//! Plan: the changes that a night would make, each with its reason. It is a value that can be shown, saved,
//! reviewed and applied.

mod change;
mod details;
mod input_counts;
mod judge_report;
mod reason;
mod report;
mod seal;
mod writer;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use change::{Change, MergedState, ReflectionKind};
pub use input_counts::InputCounts;
pub use judge_report::JudgeReport;
pub use reason::{Reason, Rule, Value, comparison_of};
pub use report::{
    ClusterReport, CohesionParts, Counts, ImportantEnded, LanguageReport, NightReport, PackName, RunReport,
    TokenReport, VectorReport, rounded,
};
pub use writer::PlanWriter;

use seal::SavedPlan;

use crate::{
    id::{MemoryId, ModelId, NightLabel, NpcId},
    memory::Memory,
    record::{Fingerprint, RecordKind},
    sketch::Sketch,
    soundness::{EntryClaims, FieldError, FieldProblem, ThemeClaims, VectorLength},
    theme::ThemeNight,
    time::GameTime,
};

/// Version of the plan format that this build reads and writes.
pub const PLAN_FORMAT: u32 = 1;

/// Changes that one night of an NPC would make.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NpcNight {
    /// NPC that the night belongs to.
    pub npc: NpcId,
    /// Label of the night.
    pub night: NightLabel,
    /// Time of sleep.
    pub at: GameTime,
    /// Version of the NPC's memory that the night was planned against.
    pub base_version: u64,
    /// Model of the vectors of its entries.
    pub model: ModelId,
    /// Memories of the day that are new to the store, in canonical order, under their final ids.
    pub memories: Vec<Memory>,
    /// Changes to these memories and to older entries.
    pub changes: Vec<Change>,
    /// Themes among the night's memories, the largest first; a night without memories has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub themes: Vec<ThemeNight>,
    /// Sketches of the memories that the night archives and that may come faintly to mind, by id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sketches: BTreeMap<MemoryId, Sketch>,
    /// Tags of the NPC itself, sorted: those that the day states, or else those of its latest night.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub npc_tags: Vec<String>,
    /// Counts of the night.
    pub report: NightReport,
}

impl NpcNight {
    /// True if applying it would change nothing.
    pub fn is_empty(&self) -> bool {
        self.memories.is_empty() && self.changes.is_empty() && self.themes.is_empty()
    }

    /// Returns the version that applying the night makes: a fingerprint, 1 to 2⁵², of the version it was
    /// planned against and of all its content. Therefore no two states share a version, a restored state has
    /// its earlier version again, and a run that plans several nights ahead knows their versions in advance.
    ///
    /// # Errors
    /// [`PlanError::Json`] if it cannot be written as JSON.
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

    /// Returns a fingerprint of all its content: SHA-256 of its JSON, in hex.
    ///
    /// # Errors
    /// [`PlanError::Json`] if it cannot be written as JSON.
    pub fn digest(&self) -> Result<String, PlanError> {
        Ok(digest(&serde_json::to_vec(self)?))
    }
}

fn digest(json: &[u8]) -> String {
    hex(&Sha256::digest(json))
}

fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Plan of a run: the nights of all its NPCs, sorted by NPC and then by time. Its JSON is sealed: it ends with a fingerprint
/// of all that it states, and [`NightPlan::from_json`] reads nothing that was changed since.
#[derive(Debug, Clone, PartialEq)]
pub struct NightPlan {
    /// Format version, [`PLAN_FORMAT`].
    pub format: u32,
    /// Nights, one for each NPC and night.
    pub nights: Vec<NpcNight>,
    /// Sums over all nights.
    pub report: RunReport,
}

/// Reason why a plan cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The file is not JSON, or does not have the shape of a plan.
    #[error("not a plan: {0}")]
    Json(#[from] serde_json::Error),
    /// The plan was written by a newer version.
    #[error("the plan is of format {found}; this version reads format {PLAN_FORMAT}")]
    Format {
        /// Format that the plan states.
        found: u32,
    },
    /// A change refers to an id that the plan does not hold.
    #[error("night {night} of {npc}: {what} {id}, which the plan does not hold")]
    Dangling {
        /// NPC of the night.
        npc: NpcId,
        /// Label of the night.
        night: NightLabel,
        /// Kind of change that refers to the id.
        what: &'static str,
        /// Id that is missing.
        id: MemoryId,
    },
    /// A change or a theme states what cannot be true.
    #[error("night {night} of {npc}: {what} {id}: {error}")]
    Unsound {
        /// NPC of the night.
        npc: NpcId,
        /// Label of the night.
        night: NightLabel,
        /// Kind of change, or `theme`.
        what: &'static str,
        /// Id of the entry or theme.
        id: Box<str>,
        /// Field that cannot be true.
        error: Box<FieldError>,
    },
    /// An active entry has no vector and could never be recalled.
    #[error("night {night} of {npc}: entry {id} has no vector")]
    NoVector {
        /// NPC of the night.
        npc: NpcId,
        /// Label of the night.
        night: NightLabel,
        /// Entry without a vector.
        id: MemoryId,
    },
    /// The plan does not state what was saved.
    #[error("the plan was changed since it was saved: its seal is not that of what it states")]
    Changed,
}

impl NightPlan {
    /// Reads a saved plan and checks what it states, as [`NightPlan::check`] does.
    ///
    /// # Errors
    /// [`PlanError`] if it is not JSON of this shape, as [`NightPlan::check`], or if it was changed since it was saved.
    pub fn from_json(bytes: &[u8]) -> Result<Self, PlanError> {
        #[derive(Deserialize)]
        struct PlanHeader {
            format: u32,
        }
        let PlanHeader { format } = serde_json::from_slice(bytes)?;
        if format != PLAN_FORMAT {
            return Err(PlanError::Format { found: format });
        }
        serde_json::from_slice::<SavedPlan<'_>>(bytes)?.open()
    }

    /// Checks the format of a plan that was read by other means, and what its nights state ([`NpcNight::check`]). The
    /// vectors of one model have one length.
    ///
    /// # Errors
    /// [`PlanError`] names what is wrong.
    pub fn check(&self) -> Result<(), PlanError> {
        if self.format != PLAN_FORMAT {
            return Err(PlanError::Format { found: self.format });
        }
        let mut lengths: BTreeMap<&ModelId, VectorLength> = BTreeMap::new();
        self.nights.iter().try_for_each(|night| night.check_length(lengths.entry(&night.model).or_default()))
    }

    /// Returns the length of the vectors of a model in the plan; `None` if it holds none. [`NightPlan::check`] has found
    /// that they are all as long.
    pub fn dimensions(&self, model: &ModelId) -> Option<usize> {
        let nights = self.nights.iter().filter(|night| night.model == *model);
        let mut entries = nights.flat_map(|night| &night.changes).filter_map(Change::entry);
        entries.find_map(|entry| Some(entry.vector.as_ref()?.as_slice().len()))
    }
}

impl NpcNight {
    /// Checks that every new entry can be recalled and rests on memories of this NPC's night, and what its fields
    /// state: an entry in its own words has the words and the time of its memory, vectors have one length, counts are
    /// in range, and no last moment is before the first.
    ///
    /// # Errors
    /// [`PlanError`] names the entry, and the field.
    pub fn check(&self) -> Result<(), PlanError> {
        self.check_length(&mut VectorLength::default())
    }

    fn check_length(&self, length: &mut VectorLength) -> Result<(), PlanError> {
        self.check_references()?;
        let day: BTreeMap<&MemoryId, &Memory> = self.memories.iter().map(|m| (&m.id, m)).collect();
        let unsound = |what, id: &str| {
            let (npc, night, id) = (self.npc.clone(), self.night.clone(), Box::from(id));
            move |error| PlanError::Unsound { npc, night, what, id, error: Box::new(error) }
        };
        for change in &self.changes {
            Self::check_fields(change, &day, length).map_err(unsound(change.verb(), change.id().as_str()))?;
        }
        for seen in &self.themes {
            let sound = ThemeClaims::of(seen).check();
            let sound = sound.and_then(|()| length.check("centre", &seen.theme.centre));
            sound.map_err(unsound("theme", seen.theme.id.as_str()))?;
        }
        Ok(())
    }

    /// Checks the fields of a change. Its memories are those of the day, as [`NpcNight::check_references`] found.
    fn check_fields(
        change: &Change,
        day: &BTreeMap<&MemoryId, &Memory>,
        length: &mut VectorLength,
    ) -> Result<(), FieldError> {
        if let Change::Restore { vector: Some(vector), .. } = change {
            return length.check("vector", vector);
        }
        let Some(entry) = change.entry() else { return Ok(()) };
        let form = match change {
            Change::Chunk { .. } => RecordKind::Synthesis,
            Change::Reflect { .. } => RecordKind::Reflection,
            _ => RecordKind::Verbatim,
        };
        let memory = day.get(&entry.id).filter(|_| form == RecordKind::Verbatim);
        let known = memory.map(|memory| Fingerprint::of(&memory.text, memory.at));
        EntryClaims::of(entry, known).check()?;
        if entry.form != form {
            let text = "a `store` is verbatim, a `chunk` a synthesis, and a `reflect` a reflection";
            return Err(FieldError { field: "form", problem: FieldProblem::Contradiction(text) });
        }
        entry.vector.as_ref().map_or(Ok(()), |vector| length.check("vector", vector))
    }

    /// Checks that every new entry has a vector and rests on memories of this NPC's night.
    fn check_references(&self) -> Result<(), PlanError> {
        let day: BTreeSet<_> = self.memories.iter().map(|m| &m.id).collect();
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
                // Sources of a summary are entries of earlier nights.
                Change::Chunk { reason, .. } if reason.rule == Rule::Abstracted => &[],
                // Sources of what is distilled are entries of earlier nights, too.
                Change::Reflect { reason, .. } if reason.rule == Rule::Distilled => &[],
                // A reflection may rest on entries of earlier nights, but not on them alone.
                Change::Reflect { entry, .. } if entry.sources.iter().any(|id| day.contains(id)) => &[],
                Change::Chunk { entry, .. } | Change::Reflect { entry, .. } => entry.sources.as_slice(),
                Change::Strengthen { sources, .. } => sources.as_slice(),
                Change::Collapse { standing: Some(_), .. }
                | Change::Supersede { .. }
                | Change::Contest { .. }
                | Change::End { .. }
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
