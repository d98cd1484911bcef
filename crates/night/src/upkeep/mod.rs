//! Upkeep of long-term memory: plans that no day asks for. Like a night's they change nothing until they are applied.

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
    draft::Drafted,
    restore::{PutAway, RestoreError},
    settle::{Contested, SettleError, Settlement},
};
use crate::{Failure, SleepError};

/// What the label of upkeep adds to that of the night it comes after.
pub const UPKEEP: &str = " · upkeep";

/// What upkeep is to do.
#[derive(Debug, Clone, Copy, Default)]
pub struct Chores {
    /// Collapse status entries that say the same.
    pub collapse: Option<Lines>,
    /// Tell old weeks and months in short.
    pub abstracting: bool,
    /// Put away insights over the cap.
    pub cap: bool,
    /// Forget what has faded, and the weakest where there are too many.
    pub forget: bool,
    /// The moment of it; that of the NPC's latest night where it is earlier or not given.
    pub now: Option<GameTime>,
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
    /// Language packs: what is told in short of an NPC is worded by one of them.
    pub packs: &'a dyn LanguagePacks,
    /// Long-term memory; only read.
    pub store: &'a dyn MemoryReader,
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
    /// The NPCs whose upkeep panicked. They stay as they are; nothing of theirs is in the plan.
    pub failures: Vec<Failure>,
}

/// An NPC at the version a plan is made from.
#[derive(Debug)]
struct Mind<'a> {
    npc: &'a NpcId,
    pack: &'a dyn LanguagePack,
    latest: AppliedNight,
    /// Of the store's vectors; `None` while it has none.
    model: Option<ModelId>,
    /// The moment of upkeep.
    at: GameTime,
}

impl<'a> Upkeep<'a> {
    /// Plans the chores for some NPCs where nothing has to be embedded: [`Upkeep::draft`] without summaries.
    ///
    /// # Errors
    /// [`SleepError::Store`] when the store cannot be read.
    pub fn plan(&self, npcs: &[NpcId], chores: Chores) -> Result<Tidied, SleepError> {
        self.draft(npcs, Chores { abstracting: false, ..chores })?.plan(None)
    }

    /// Looks up one entry that was put away, to be brought back.
    ///
    /// # Errors
    /// [`RestoreError`] when it is not there or was not put away.
    pub fn put_away<'n>(&self, npc: &'n NpcId, id: &MemoryId) -> Result<PutAway<'n>, RestoreError>
    where
        'a: 'n,
    {
        let missing = || RestoreError::Missing { npc: npc.clone(), id: id.clone() };
        let mind = self.mind::<RestoreError>(npc, None)?.ok_or_else(missing)?;
        let memory = self.store.entry(npc, id)?.ok_or_else(missing)?;
        if memory.state == State::Active {
            return Err(RestoreError::Active { npc: npc.clone(), id: id.clone() });
        }
        if memory.entry.text.trim().is_empty() {
            return Err(RestoreError::Blank { npc: npc.clone(), id: id.clone() });
        }
        Ok(PutAway { mind, memory })
    }

    /// Looks up one entry that is contested, to be settled.
    ///
    /// # Errors
    /// [`SettleError`] when it is not there or not contested.
    pub fn contested<'n>(&self, npc: &'n NpcId, id: &MemoryId) -> Result<Contested<'n>, SettleError>
    where
        'a: 'n,
    {
        let missing = || SettleError::Missing { npc: npc.clone(), id: id.clone() };
        let mind = self.mind::<SettleError>(npc, None)?.ok_or_else(missing)?;
        let memory = self.store.entry(npc, id)?.ok_or_else(missing)?;
        let mut others = Vec::new();
        for other in &memory.contested_with {
            others.extend(self.store.entry(npc, other)?);
        }
        match mind.model.clone() {
            Some(model) if !others.is_empty() => Ok(Contested { mind, model, memory, others }),
            _ => Err(SettleError::Uncontested { npc: npc.clone(), id: id.clone() }),
        }
    }

    /// `None` for an NPC that never slept.
    fn mind<'n, E>(&self, npc: &'n NpcId, now: Option<GameTime>) -> Result<Option<Mind<'n>>, E>
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
            Mind { npc, pack, latest, model, at }
        }))
    }

    /// The pack for the language of an NPC's entries, of which the first page tells.
    fn pack<E>(&self, npc: &NpcId) -> Result<&'a dyn LanguagePack, E>
    where
        E: From<StoreError> + From<UnknownPack>,
    {
        let page = self.store.active_page(npc, None, self.config.collapse.page)?;
        let setting = self.config.language.pack.as_str();
        Ok(self.packs.chosen(setting, &mut page.iter().map(|memory| memory.entry.text.as_str()))?)
    }

    /// Reads an NPC's active entries, a page at a time.
    fn read(&self, npc: &NpcId, mut each: impl FnMut(&MemoryRecord)) -> Result<(), StoreError> {
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

impl Mind<'_> {
    /// Label of a plan for this NPC: after its latest night.
    fn label(&self) -> Result<NightLabel, IdError> {
        let after = self.latest.night.as_str().trim_end_matches(UPKEEP);
        let fits = after.floor_char_boundary(MAX_ID_BYTES - UPKEEP.len());
        NightLabel::new(format!("{}{UPKEEP}", after.get(..fits).unwrap_or_default()))
    }

    /// Changes as a plan for this NPC.
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
