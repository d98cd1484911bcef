//! Upkeep of long-term memory: plans that no day asks for. Like a night's they change nothing until they are applied.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_consolidate::{
    cap::{Insight, crowded_out},
    collapse::{EntriesCollapsed, EntryCollapse, StatusReport},
};
use nightfold_memory::{
    AppliedNight, Change, IdError, LongTermMemory, MAX_ID_BYTES, MemoryId, MemoryStore, ModelId, NightLabel,
    NightPlan, NightReport, NpcId, NpcNight, PLAN_FORMAT, Reason, Rule, RunReport, State, StoreError,
    ValidConfig, Vector,
};

use crate::SleepError;

/// What the label of upkeep adds to that of the night it comes after.
pub const UPKEEP: &str = " · upkeep";

/// What upkeep is to do.
#[derive(Debug, Clone, Copy, Default)]
pub struct Chores {
    /// Collapse status entries that say the same.
    pub collapse: Option<Lines>,
    /// Put away insights over the cap.
    pub cap: bool,
}

/// Which entries may be status lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    /// Those with a keyword and a number or a date.
    Operational,
    /// All.
    All,
}

/// Upkeep of the NPCs of a store.
#[derive(Clone, Copy)]
pub struct Upkeep<'a> {
    /// How.
    pub config: &'a ValidConfig,
    /// Long-term memory; only read.
    pub store: &'a dyn MemoryStore,
}

/// What upkeep would do.
#[derive(Debug)]
pub struct Tidied {
    /// The changes, as a night for each NPC that has any. [`apply_plan`](crate::apply_plan) writes them.
    pub plan: NightPlan,
    /// What the collapse of status entries found.
    pub found: StatusReport,
    /// Of each NPC what it found, as it is once the plan is applied.
    pub applied: BTreeMap<NpcId, StatusReport>,
    /// The groups it found, each with the canonical entry first.
    pub groups: Vec<Vec<String>>,
}

/// An NPC at the version a plan is made from.
#[derive(Debug)]
struct Mind<'a> {
    npc: &'a NpcId,
    latest: AppliedNight,
    /// Of the store's vectors; `None` while it has none.
    model: Option<ModelId>,
}

impl Upkeep<'_> {
    /// Plans the chores for some NPCs, at the moment of each one's latest night. Entries are read in pages of
    /// `collapse.page`; in between another process may write, and the plan is then refused as stale.
    ///
    /// # Errors
    /// [`SleepError::Store`] when the store cannot be read.
    pub fn plan(&self, npcs: &[NpcId], chores: Chores) -> Result<Tidied, SleepError> {
        let most = self.config.collapse.max_samples;
        let (mut found, mut applied) = (StatusReport::dry(), BTreeMap::new());
        let (mut groups, mut nights) = (Vec::new(), Vec::new());
        for npc in npcs {
            let Some(mind) = self.mind(npc)? else { continue };
            let mut collapse = chores.collapse.map(|lines| match lines {
                Lines::Operational => EntryCollapse::new(self.config),
                Lines::All => EntryCollapse::of_status(self.config),
            });
            let mut insights = Vec::new();
            self.read(npc, |memory| {
                if let Some(collapse) = &mut collapse {
                    collapse.push(memory);
                }
                insights.extend(chores.cap.then(|| Insight::of(memory, memory.last_touched())).flatten());
            })?;
            let mut changes = Vec::new();
            if let Some(lines) = collapse.map(EntryCollapse::finish) {
                changes = lines.changes(|id| self.store.referring(npc, id))?;
                groups.extend(members(&lines));
                found.add(lines.report().clone(), most);
                applied.insert(npc.clone(), lines.applied(&changes));
            }
            changes.extend(crowded_out(insights, &self.config.cap));
            // Without a vector nothing is active, and nothing to change.
            if let Some(model) = mind.model.clone().filter(|_| !changes.is_empty()) {
                nights.push(mind.night(model, changes)?);
            }
        }
        Ok(Tidied { plan: plan_of(nights), found, applied, groups })
    }

    /// Looks up one entry that was put away, to be brought back.
    ///
    /// # Errors
    /// [`RestoreError`] when it is not there or was not put away.
    pub fn put_away<'n>(&self, npc: &'n NpcId, id: &MemoryId) -> Result<PutAway<'n>, RestoreError> {
        let missing = || RestoreError::Missing { npc: npc.clone(), id: id.clone() };
        let mind = self.mind(npc)?.ok_or_else(missing)?;
        let memory = self.store.entry(npc, id)?.ok_or_else(missing)?;
        if memory.state == State::Active {
            return Err(RestoreError::Active { npc: npc.clone(), id: id.clone() });
        }
        if memory.entry.text.trim().is_empty() {
            return Err(RestoreError::Blank { npc: npc.clone(), id: id.clone() });
        }
        Ok(PutAway { mind, memory })
    }

    /// `None` for an NPC that never slept.
    fn mind<'n>(&self, npc: &'n NpcId) -> Result<Option<Mind<'n>>, StoreError> {
        let model = self.store.model()?;
        let latest = self.store.nights(Some(npc))?.pop();
        Ok(latest.map(|latest| Mind { npc, latest, model }))
    }

    /// Reads an NPC's active entries, a page at a time.
    fn read(&self, npc: &NpcId, mut each: impl FnMut(&LongTermMemory)) -> Result<(), StoreError> {
        let most = self.config.collapse.page;
        let mut after: Option<MemoryId> = None;
        loop {
            let page = self.store.active_page(npc, after.as_ref(), most)?;
            page.iter().for_each(&mut each);
            if page.len() < most {
                return Ok(());
            }
            after = page.last().map(|memory| memory.entry.id.clone());
        }
    }
}

/// An entry that was put away.
#[derive(Debug)]
pub struct PutAway<'a> {
    mind: Mind<'a>,
    memory: LongTermMemory,
}

impl PutAway<'_> {
    /// Its text, where it must be embedded first: the store keeps no vector of what was never an entry of its own.
    pub fn text_to_embed(&self) -> Option<&str> {
        self.memory.entry.vector.is_none().then_some(&self.memory.entry.text)
    }

    /// Plans to make it active again. `embedded` is the vector of its [text](PutAway::text_to_embed), with its model.
    ///
    /// # Errors
    /// [`RestoreError`] when a vector is wanting, or is of another model than the store's.
    pub fn restore(self, embedded: Option<(&ModelId, Vector)>) -> Result<NightPlan, RestoreError> {
        let Self { mind, memory } = self;
        let (model, vector) = match (mind.model.clone(), memory.entry.vector, embedded) {
            (Some(stored), Some(_), _) => (stored, None),
            (Some(stored), None, Some((given, _))) if stored != *given => {
                return Err(StoreError::Model { stored, given: given.clone() }.into());
            }
            (_, None, Some((given, vector))) => (given.clone(), Some(vector)),
            (None, _, None) | (_, None, None) | (None, Some(_), _) => {
                return Err(RestoreError::NoVector { id: memory.entry.id });
            }
        };
        let mut reason = Reason::new(Rule::Restored);
        if let Some(rule) = &memory.archived_by {
            reason = reason.with("put_away_by", rule.as_str());
        }
        let restore = Change::Restore { id: memory.entry.id, sources: Vec::new(), vector, reason };
        Ok(plan_of(vec![mind.night(model, vec![restore])?]))
    }
}

impl Mind<'_> {
    /// Changes as a plan for this NPC, at the moment of its latest night, and called after it.
    fn night(self, model: ModelId, changes: Vec<Change>) -> Result<NpcNight, IdError> {
        let Self { npc, latest, .. } = self;
        let after = latest.night.as_str().trim_end_matches(UPKEEP);
        let fits = after.floor_char_boundary(MAX_ID_BYTES - UPKEEP.len());
        Ok(NpcNight {
            npc: npc.clone(),
            night: NightLabel::new(format!("{}{UPKEEP}", &after[..fits]))?,
            at: latest.at,
            base_version: latest.version,
            model,
            memories: Vec::new(),
            themes: Vec::new(),
            report: NightReport::of_upkeep(&changes),
            changes,
        })
    }
}

fn members<'a>(lines: &'a EntriesCollapsed<'_>) -> impl Iterator<Item = Vec<String>> + 'a {
    lines.groups().iter().map(|g| g.members().map(str::to_owned).collect())
}

fn plan_of(nights: Vec<NpcNight>) -> NightPlan {
    let npcs: BTreeSet<&NpcId> = nights.iter().map(|n| &n.npc).collect();
    let report = RunReport::sum(npcs.len(), nights.iter().map(|n| &n.report));
    NightPlan { format: PLAN_FORMAT, nights, report }
}

/// Why an entry cannot be brought back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// There is no such entry.
    #[error("{npc} has no memory {id}")]
    Missing {
        /// Whose it should be.
        npc: NpcId,
        /// Its id.
        id: MemoryId,
    },
    /// It was not put away.
    #[error("{id} of {npc} is active: there is nothing to restore")]
    Active {
        /// Whose it is.
        npc: NpcId,
        /// Its id.
        id: MemoryId,
    },
    /// It has no words.
    #[error("{id} of {npc} is blank: there is nothing to remember")]
    Blank {
        /// Whose it is.
        npc: NpcId,
        /// Its id.
        id: MemoryId,
    },
    /// It cannot be called so.
    #[error(transparent)]
    Label(#[from] IdError),
    /// Nobody embedded its text.
    #[error("{id} has no vector: its text must be embedded first")]
    NoVector {
        /// Its id.
        id: MemoryId,
    },
    /// The store could not be read, or holds vectors of another model.
    #[error(transparent)]
    Store(#[from] StoreError),
}
