//! Maintenance of long-term memory, independent of a day's memories. Its plans, like those of nights, change nothing
//! until they are applied.

mod draft;
mod restore;
mod settle;
mod wording;

use std::collections::{BTreeMap, BTreeSet};

use nightfold_consolidate::collapse::StatusReport;
use nightfold_memory::{
    AppliedNight, Change, Embedder, GameTime, IdError, LanguageModel, LanguagePack, LanguagePacks,
    LanguageReport, MemoryId, MemoryReader, MemoryRecord, ModelId, NightLabel, NightPlan, NightReport, NpcId,
    NpcNight, PLAN_FORMAT, PackName, RunReport, State, StoreError, TokenReport, UnknownPack, ValidConfig,
    Vectors,
};

use self::{
    draft::{CollapseFindings, NpcDraft},
    wording::Wording,
};
pub use self::{
    restore::{ArchivedRecord, RestoreError},
    settle::{ContestedRecord, SettleError, Settlement},
};
use crate::{Failure, NightError, RunError, catch_panic, pack_for_entries};

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
struct PlanBase<'a> {
    npc: &'a NpcId,
    pack: &'a dyn LanguagePack,
    latest: AppliedNight,
    /// Model of the store's vectors; `None` while the store has none.
    model: Option<ModelId>,
    /// Configuration of the NPC.
    config: ValidConfig,
    /// Moment of the maintenance.
    at: GameTime,
}

impl<'a> Maintenance<'a> {
    /// Plans the tasks that need no embedding for some NPCs, each as of [`MaintenanceTasks::now`] or the moment of its
    /// latest night; entries are not summarised and no records distilled. Entries that a user has restored are not forgotten again.
    ///
    /// An NPC whose maintenance panics, or whose latest night is after [`MaintenanceTasks::now`]
    /// ([`NightError::BeforeLatestNight`]), stays unchanged and is listed in [`MaintenancePlan::failures`].
    ///
    /// # Errors
    /// [`RunError::Store`] if the store cannot be read.
    pub fn plan(&self, npcs: &[NpcId], tasks: MaintenanceTasks) -> Result<MaintenancePlan, RunError> {
        let tasks = MaintenanceTasks { summarize: false, distil: false, ..tasks };
        let mut plan = PlanBuilder::new(*self, None);
        npcs.iter().try_for_each(|npc| plan.draft(npc, tasks))?;
        plan.finish_drafts(None)?;
        Ok(plan.build())
    }

    /// Plans the tasks as [`Maintenance::plan`] does, and writes summaries and distilled records. Their texts are
    /// embedded `window` at a time by the embedder that `open` returns; it is called with the number of texts of the
    /// first window, and not at all if there are none. At most the NPCs of one window are in memory. The rules word all
    /// texts; [`Maintenance::plan_worded`] asks a model.
    ///
    /// # Errors
    /// Any error of `open`; [`RunError::Store`] if the store cannot be read or holds vectors of another model;
    /// [`RunError::Embedder`] if the embedder fails.
    pub fn plan_embedded<M: Embedder, E: From<RunError>>(
        &self,
        npcs: &[NpcId],
        tasks: MaintenanceTasks,
        window: usize,
        open: impl FnOnce(usize) -> Result<M, E>,
    ) -> Result<MaintenancePlan, E> {
        self.plan_worded(npcs, tasks, None, window, open)
    }

    /// Plans the tasks as [`Maintenance::plan_embedded`] does. The language model words the distilled records, within
    /// the token ledgers of a night (`budget.tokens`) and of the run (`language.tokens_per_run`); what it does not
    /// answer, or not well enough, the rules word. It is handed the memories of each record and decides neither its type
    /// nor what it rests on.
    ///
    /// # Errors
    /// As [`Maintenance::plan_embedded`].
    pub fn plan_worded<M: Embedder, E: From<RunError>>(
        &self,
        npcs: &[NpcId],
        tasks: MaintenanceTasks,
        language: Option<&dyn LanguageModel>,
        window: usize,
        open: impl FnOnce(usize) -> Result<M, E>,
    ) -> Result<MaintenancePlan, E> {
        let wording = language.map(|model| Wording::new(model, self.config));
        let mut plan = PlanBuilder::new(*self, wording);
        let (mut open, mut embedder) = (Some(open), None);
        for (i, npc) in npcs.iter().enumerate() {
            plan.draft(npc, tasks)?;
            if plan.texts_to_embed().len() < window && i + 1 < npcs.len() {
                continue;
            }
            plan.word_drafts().map_err(RunError::from)?;
            let texts = plan.texts_to_embed();
            if let Some(open) = open.take_if(|_| !texts.is_empty()) {
                embedder = Some(open(texts.len())?);
            }
            let embedded = match &embedder {
                Some(embedder) if !texts.is_empty() => {
                    Some((embedder.model().clone(), embed_windows(embedder, &texts, window)?))
                }
                _ => None,
            };
            plan.finish_drafts(embedded.as_ref().map(|(model, vectors)| (model, vectors)))?;
        }
        Ok(plan.build())
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
        let base = self.plan_base::<RestoreError>(npc)?.ok_or_else(missing)?;
        let memory = self.store.entry(npc, id)?.ok_or_else(missing)?;
        if memory.state == State::Active {
            return Err(RestoreError::Active { npc: npc.clone(), id: id.clone() });
        }
        if memory.entry.text.trim().is_empty() {
            return Err(RestoreError::Blank { npc: npc.clone(), id: id.clone() });
        }
        Ok(ArchivedRecord { base, memory })
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
        let base = self.plan_base::<SettleError>(npc)?.ok_or_else(missing)?;
        let memory = self.store.entry(npc, id)?.ok_or_else(missing)?;
        let mut others = Vec::new();
        for other in &memory.contested_with {
            others.extend(self.store.entry(npc, other)?);
        }
        match base.model.clone() {
            Some(model) if !others.is_empty() => Ok(ContestedRecord { base, model, memory, others }),
            _ => Err(SettleError::Uncontested { npc: npc.clone(), id: id.clone() }),
        }
    }

    /// Returns the state that a plan for one entry is based on; `None` for an NPC without any night.
    fn plan_base<'n, E>(&self, npc: &'n NpcId) -> Result<Option<PlanBase<'n>>, E>
    where
        'a: 'n,
        E: From<StoreError> + From<UnknownPack>,
    {
        let model = self.store.model()?;
        let Some(latest) = self.store.latest_night(npc)? else { return Ok(None) };
        let pack = self.pack(&self.store.active_page(npc, None, self.config.collapse.page)?)?;
        let (at, config) = (latest.at, self.config.for_npc(npc, &latest.npc_tags));
        Ok(Some(PlanBase { npc, pack, latest, model, config, at }))
    }

    /// Returns the pack for the language of an NPC's entries, detected on the first page of them.
    fn pack(&self, first_page: &[MemoryRecord]) -> Result<&'a dyn LanguagePack, UnknownPack> {
        pack_for_entries(first_page, self.packs, self.config)
    }
}

/// Plan of maintenance while NPCs are added.
struct PlanBuilder<'a, 'm> {
    maintenance: Maintenance<'a>,
    /// The language model, if one words the distilled records.
    wording: Option<Wording<'m>>,
    /// Drafts whose new texts wait for their vectors.
    drafts: Vec<NpcDraft<'a>>,
    nights: Vec<NpcNight>,
    report: StatusReport,
    reports_after: BTreeMap<NpcId, StatusReport>,
    groups: Vec<Vec<String>>,
    failures: Vec<Failure>,
}

impl<'a, 'm> PlanBuilder<'a, 'm> {
    fn new(maintenance: Maintenance<'a>, wording: Option<Wording<'m>>) -> Self {
        Self {
            maintenance,
            wording,
            drafts: Vec::new(),
            nights: Vec::new(),
            report: StatusReport::dry(),
            reports_after: BTreeMap::new(),
            groups: Vec::new(),
            failures: Vec::new(),
        }
    }

    /// Drafts the tasks for one NPC; does nothing for one without any night.
    fn draft(&mut self, npc: &'a NpcId, tasks: MaintenanceTasks) -> Result<(), RunError> {
        let Some(latest) = self.maintenance.store.latest_night(npc)? else { return Ok(()) };
        let label = latest.maintenance_label()?;
        if let Some(now) = tasks.now.filter(|now| !latest.allows_now(*now)) {
            let error = NightError::BeforeLatestNight { npc: npc.clone(), now, latest: latest.at };
            self.failures.push(Failure { npc: npc.clone(), night: label, error });
            return Ok(());
        }
        match catch_panic(|| self.maintenance.draft_npc(npc, latest, tasks)) {
            Ok(draft) => {
                let mut draft = draft?;
                if let Some(CollapseFindings { report, report_after, groups }) = draft.found.take() {
                    self.groups.extend(groups);
                    self.report.add(report, self.maintenance.config.collapse.max_samples);
                    self.reports_after.insert(npc.clone(), report_after);
                }
                self.drafts.push(draft);
            }
            Err(message) => self.failures.push(panicked(npc, label, message)),
        }
        Ok(())
    }

    /// Has the language model word the distilled records of the drafts. An NPC whose answers cannot be checked fails.
    fn word_drafts(&mut self) -> Result<(), IdError> {
        let Some(wording) = &mut self.wording else { return Ok(()) };
        let panics = wording.word(&mut self.drafts);
        for (draft, panic) in std::mem::take(&mut self.drafts).into_iter().zip(panics) {
            let Some(message) = panic else {
                self.drafts.push(draft);
                continue;
            };
            let (npc, label) = (draft.base.npc, draft.base.latest.maintenance_label()?);
            self.reports_after.remove(npc);
            self.failures.push(panicked(npc, label, message));
        }
        Ok(())
    }

    /// Returns the new texts of the drafts, in order.
    fn texts_to_embed(&self) -> Vec<&str> {
        self.drafts.iter().flat_map(NpcDraft::texts).collect()
    }

    /// Turns the drafts into nights. `embedded` are the vectors of [their texts](Self::texts_to_embed) with their
    /// model.
    fn finish_drafts(&mut self, embedded: Option<(&ModelId, &Vectors)>) -> Result<(), RunError> {
        let mut row = 0;
        for draft in std::mem::take(&mut self.drafts) {
            let (npc, label) = (draft.base.npc, draft.base.latest.maintenance_label()?);
            let rows: Vec<usize> = (row..row + draft.texts().count()).collect();
            row += rows.len();
            let own = embedded.map(|(model, vectors)| (model, vectors.pick(&rows)));
            let finish =
                || self.maintenance.finish_npc(draft, own.as_ref().map(|(model, vectors)| (*model, vectors)));
            match catch_panic(finish) {
                Ok(night) => self.nights.extend(night?),
                Err(message) => {
                    self.reports_after.remove(npc);
                    self.failures.push(panicked(npc, label, message));
                }
            }
        }
        Ok(())
    }

    fn build(self) -> MaintenancePlan {
        MaintenancePlan {
            plan: plan_of(self.nights),
            collapse_report: self.report,
            reports_after: self.reports_after,
            collapse_groups: self.groups,
            failures: self.failures,
        }
    }
}

/// Embeds texts, `window` of them at a time.
fn embed_windows(embedder: &impl Embedder, texts: &[&str], window: usize) -> Result<Vectors, RunError> {
    let mut vectors = Vectors::with_capacity(embedder.dimensions(), texts.len());
    for window in texts.chunks(window.max(1)) {
        let embedded = embedder.embed(window)?;
        embedded.vectors.rows().try_for_each(|row| vectors.push(row))?;
    }
    Ok(vectors)
}

/// Name of the step in the failure of an NPC whose maintenance panics.
const MAINTENANCE_STEP: &str = "maintenance";

fn panicked(npc: &NpcId, night: NightLabel, message: String) -> Failure {
    Failure { npc: npc.clone(), night, error: NightError::Panicked { step: MAINTENANCE_STEP, message } }
}

impl PlanBase<'_> {
    /// Returns the changes as a night of this NPC. `language` are the counts of the language model that was asked, with
    /// the tokens that it spent.
    fn night(
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

fn plan_of(nights: Vec<NpcNight>) -> NightPlan {
    let npcs: BTreeSet<&NpcId> = nights.iter().map(|n| &n.npc).collect();
    let report = RunReport::sum(npcs.len(), nights.iter().map(|n| &n.report));
    NightPlan { format: PLAN_FORMAT, nights, report }
}
