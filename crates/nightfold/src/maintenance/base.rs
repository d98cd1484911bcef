//! Tasks of maintenance, its outcome, and the state that a plan of one NPC is based on.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_consolidate::collapse::StatusReport;
use nightfold_memory::{
    AppliedNight, Change, GameTime, IdError, LanguagePack, LanguagePacks, LanguageReport, MemoryReader,
    MemoryRecord, ModelId, NightPlan, NightReport, NpcId, NpcNight, PLAN_FORMAT, PackName, RunReport,
    StoreError, TokenReport, UnknownPack, ValidConfig,
};

use crate::{Failure, pack_for_entries};

/// Tasks that maintenance shall do.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a task of its own")]
pub struct MaintenanceTasks {
    /// Collapse repeated status entries.
    pub collapse: Option<StatusScope>,
    /// Summarise old weeks and months.
    pub summarize: bool,
    /// Archive reflections over the cap.
    pub cap: bool,
    /// Forget entries whose strength has decayed, and the weakest ones if there are too many.
    pub forget: bool,
    /// Distil typed records from similar memories of several days.
    pub distil: bool,
    /// Moment of the maintenance [the moment of the NPC's latest night]. An NPC whose latest night is later, or of
    /// another clock ([`GameTime::is_date`]), is not maintained.
    pub now: Option<GameTime>,
}

impl MaintenanceTasks {
    /// All tasks, as of each NPC's latest night.
    pub const ALL: Self = Self {
        collapse: Some(StatusScope::Operational),
        summarize: true,
        cap: true,
        forget: true,
        distil: true,
        now: None,
    };
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
    /// Settings of the maintenance; each NPC is maintained by its own ([`ValidConfig::for_npc`]).
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
    /// NPCs whose maintenance panicked, or whose latest night is after the moment that was given. The plan does not
    /// change them.
    pub failures: Vec<Failure>,
}

/// An NPC at the version that a plan is based on.
#[derive(Debug)]
pub(super) struct PlanBase<'a> {
    pub(super) npc: &'a NpcId,
    pub(super) pack: &'a dyn LanguagePack,
    pub(super) latest: AppliedNight,
    /// Model of the store's vectors; `None` while the store has none.
    pub(super) model: Option<ModelId>,
    /// Configuration of the NPC.
    pub(super) config: ValidConfig,
    /// Moment of the maintenance.
    pub(super) at: GameTime,
}

/// Number of entries of long-term memory read at a time.
pub(super) const PAGE: usize = 500;

impl<'a> Maintenance<'a> {
    /// Returns the state that a plan for one entry is based on; `None` for an NPC without any night.
    pub(super) fn plan_base<'n, E>(&self, npc: &'n NpcId) -> Result<Option<PlanBase<'n>>, E>
    where
        'a: 'n,
        E: From<StoreError> + From<UnknownPack>,
    {
        let model = self.store.model()?;
        let Some(latest) = self.store.latest_night(npc)? else { return Ok(None) };
        let pack = self.pack(&self.store.active_page(npc, None, PAGE)?)?;
        let (at, config) = (latest.at, self.config.for_npc(npc, &latest.npc_tags));
        Ok(Some(PlanBase { npc, pack, latest, model, config, at }))
    }

    /// Returns the pack for the language of an NPC's entries, detected on the first page of them.
    pub(super) fn pack(&self, first_page: &[MemoryRecord]) -> Result<&'a dyn LanguagePack, UnknownPack> {
        pack_for_entries(first_page, self.packs, self.config)
    }
}

impl PlanBase<'_> {
    /// Returns the changes as a night of this NPC. `language` are the counts of the language model that was asked, with
    /// the tokens that it spent.
    pub(super) fn night(
        self,
        model: ModelId,
        changes: Vec<Change>,
        language: Option<(LanguageReport, usize)>,
    ) -> Result<NpcNight, IdError> {
        let night = self.latest.maintenance_label()?;
        let Self { npc, pack, latest, config, at, .. } = self;
        let profile = config.profile().cloned();
        let (language, spent) = language.map_or((None, 0), |(report, spent)| (Some(report), spent));
        let budget = if language.is_some() { config.budget.tokens } else { 0 };
        Ok(NpcNight {
            npc: npc.clone(),
            night,
            at,
            base_version: latest.version,
            model,
            memories: Vec::new(),
            themes: Vec::new(),
            sketches: BTreeMap::new(),
            npc_tags: latest.npc_tags,
            report: NightReport {
                profile,
                pack: PackName::of(pack),
                language,
                tokens: TokenReport { budget, estimate: 0, spent },
                ..NightReport::of_maintenance(&changes)
            },
            changes,
        })
    }
}

/// Returns the plan of these nights.
pub(super) fn plan_of(nights: Vec<NpcNight>) -> NightPlan {
    let npcs: BTreeSet<&NpcId> = nights.iter().map(|n| &n.npc).collect();
    let report = RunReport::sum(npcs.len(), nights.iter().map(|n| &n.report));
    NightPlan { format: PLAN_FORMAT, nights, report }
}
