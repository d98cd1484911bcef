//! Maintenance of long-term memory, independent of a day's memories. Its plans, like those of nights, change nothing
//! until they are applied.

mod draft;
mod restore;
mod settle;

use std::collections::{BTreeMap, BTreeSet};

use nightfold_consolidate::collapse::{EntriesCollapsed, StatusReport};
use nightfold_memory::{
    AppliedNight, Change, GameTime, IdError, LanguagePack, LanguagePacks, MAX_ID_BYTES, MemoryId,
    MemoryReader, MemoryRecord, ModelId, NightLabel, NightPlan, NightReport, NpcId, NpcNight, PLAN_FORMAT,
    PackName, RunReport, State, StoreError, UnknownPack, ValidConfig,
};

pub use self::{
    draft::MaintenanceDraft,
    restore::{ArchivedRecord, RestoreError},
    settle::{ContestedRecord, SettleError, Settlement},
};
use crate::{Failure, RunError};

/// Suffix that a maintenance plan's label adds to the label of the NPC's latest night.
pub const MAINTENANCE_SUFFIX: &str = " · upkeep";

/// Tasks that maintenance shall do.
#[derive(Debug, Clone, Copy, Default)]
pub struct MaintenanceTasks {
    /// Collapse repeated status entries.
    pub collapse: Option<StatusScope>,
    /// Summarise old weeks and months.
    pub summarize: bool,
    /// Archive reflections over the cap.
    pub cap: bool,
    /// Forget entries whose strength has decayed, and the weakest ones if there are too many.
    pub forget: bool,
    /// Moment of the maintenance (default, and at the earliest: the moment of the NPC's latest night).
    pub now: Option<GameTime>,
}

/// Entries that count as status lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusScope {
    /// Entries with a keyword and a number or a date.
    Operational,
    /// All entries.
    All,
}

/// Planner of maintenance for the NPCs of a store.
#[derive(Clone, Copy)]
pub struct Maintenance<'a> {
    /// Settings of the maintenance.
    pub config: &'a ValidConfig,
    /// Language packs; each NPC's summaries are worded by the one for its language.
    pub packs: &'a dyn LanguagePacks,
    /// Long-term memory; only read.
    pub store: &'a dyn MemoryReader,
}

/// Planned maintenance.
#[derive(Debug)]
pub struct MaintenancePlan {
    /// Changes, as a night for each NPC that has any. [`apply_plan`](crate::apply_plan) writes them.
    pub plan: NightPlan,
    /// Findings of the collapse of status entries, before the plan is applied.
    pub collapse_report: StatusReport,
    /// Findings for each NPC as they are after the plan is applied.
    pub reports_after: BTreeMap<NpcId, StatusReport>,
    /// Groups of repeated status entries, each with the canonical entry first.
    pub collapse_groups: Vec<Vec<String>>,
    /// NPCs whose maintenance panicked. The plan does not change them.
    pub failures: Vec<Failure>,
}

/// An NPC at the version that a plan is based on.
#[derive(Debug)]
struct PlanBase<'a> {
    npc: &'a NpcId,
    pack: &'a dyn LanguagePack,
    latest: AppliedNight,
    /// Model of the store's vectors; `None` while the store has none.
    model: Option<ModelId>,
    /// Moment of the maintenance.
    at: GameTime,
}

impl<'a> Maintenance<'a> {
    /// Plans the tasks that need no embedding for some NPCs: [`Maintenance::draft`] without summaries.
    ///
    /// # Errors
    /// [`SleepError::Store`] if the store cannot be read.
    pub fn plan(&self, npcs: &[NpcId], chores: MaintenanceTasks) -> Result<MaintenancePlan, RunError> {
        self.draft(npcs, MaintenanceTasks { summarize: false, ..chores })?.plan(None)
    }

    /// Returns one archived entry, to be restored.
    ///
    /// # Errors
    /// [`RestoreError`] if there is no such entry, it is active or its text is blank.
    pub fn archived<'n>(&self, npc: &'n NpcId, id: &MemoryId) -> Result<ArchivedRecord<'n>, RestoreError>
    where
        'a: 'n,
    {
        let missing = || RestoreError::Missing { npc: npc.clone(), id: id.clone() };
        let mind = self.plan_base::<RestoreError>(npc, None)?.ok_or_else(missing)?;
        let memory = self.store.entry(npc, id)?.ok_or_else(missing)?;
        if memory.state == State::Active {
            return Err(RestoreError::Active { npc: npc.clone(), id: id.clone() });
        }
        if memory.entry.text.trim().is_empty() {
            return Err(RestoreError::Blank { npc: npc.clone(), id: id.clone() });
        }
        Ok(ArchivedRecord { base: mind, memory })
    }

    /// Returns one contested entry, to be settled.
    ///
    /// # Errors
    /// [`SettleError`] if there is no such entry or it is not contested.
    pub fn contested<'n>(&self, npc: &'n NpcId, id: &MemoryId) -> Result<ContestedRecord<'n>, SettleError>
    where
        'a: 'n,
    {
        let missing = || SettleError::Missing { npc: npc.clone(), id: id.clone() };
        let mind = self.plan_base::<SettleError>(npc, None)?.ok_or_else(missing)?;
        let memory = self.store.entry(npc, id)?.ok_or_else(missing)?;
        let mut others = Vec::new();
        for other in &memory.contested_with {
            others.extend(self.store.entry(npc, other)?);
        }
        match mind.model.clone() {
            Some(model) if !others.is_empty() => Ok(ContestedRecord { base: mind, model, memory, others }),
            _ => Err(SettleError::Uncontested { npc: npc.clone(), id: id.clone() }),
        }
    }

    /// Returns the state that a plan is based on; `None` for an NPC without any night.
    fn plan_base<'n, E>(&self, npc: &'n NpcId, now: Option<GameTime>) -> Result<Option<PlanBase<'n>>, E>
    where
        'a: 'n,
        E: From<StoreError> + From<UnknownPack>,
    {
        let model = self.store.model()?;
        let latest = self.store.nights(Some(npc))?.pop();
        let Some(latest) = latest else { return Ok(None) };
        let pack = self.pack::<E>(npc)?;
        Ok(Some({
            let at = now.map_or(latest.at, |now| now.max(latest.at));
            PlanBase { npc, pack, latest, model, at }
        }))
    }

    /// Returns the pack for the language of an NPC's entries, detected on the first page of them.
    fn pack<E>(&self, npc: &NpcId) -> Result<&'a dyn LanguagePack, E>
    where
        E: From<StoreError> + From<UnknownPack>,
    {
        let page = self.store.active_page(npc, None, self.config.collapse.page)?;
        let setting = self.config.language.pack.as_str();
        Ok(self.packs.resolve(setting, &mut page.iter().map(|memory| memory.entry.text.as_str()))?)
    }

    /// Calls `each` with every active entry of an NPC, read a page at a time.
    fn for_each_active(&self, npc: &NpcId, mut each: impl FnMut(&MemoryRecord)) -> Result<(), StoreError> {
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

impl PlanBase<'_> {
    /// Returns the label of a maintenance plan for this NPC: its latest night's label with a suffix.
    fn label(&self) -> Result<NightLabel, IdError> {
        let after = self.latest.night.as_str().trim_end_matches(MAINTENANCE_SUFFIX);
        let fits = after.floor_char_boundary(MAX_ID_BYTES - MAINTENANCE_SUFFIX.len());
        NightLabel::new(format!("{}{MAINTENANCE_SUFFIX}", after.get(..fits).unwrap_or_default()))
    }

    /// Returns the changes as a night of this NPC.
    fn night(self, model: ModelId, changes: Vec<Change>) -> Result<NpcNight, IdError> {
        let night = self.label()?;
        let Self { npc, pack, latest, at, .. } = self;
        Ok(NpcNight {
            npc: npc.clone(),
            night,
            at,
            base_version: latest.version,
            model,
            memories: Vec::new(),
            themes: Vec::new(),
            report: NightReport { pack: PackName::of(pack), ..NightReport::of_maintenance(&changes) },
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
