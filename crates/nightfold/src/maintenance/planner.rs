//! Planning of maintenance, NPC by NPC and a window of texts at a time.

use std::collections::BTreeMap;

use nightfold_consolidate::collapse::StatusReport;
use nightfold_memory::{
    Embedded, Embedder, Grammar, IdError, LanguageModel, MemoryId, ModelId, NightLabel, NpcId, NpcNight,
    State, Vectors,
};

use super::{
    base::{Maintenance, MaintenancePlan, MaintenanceTasks, plan_of},
    draft::{CollapseFindings, NpcDraft},
    restore::{ArchivedRecord, RestoreError},
    settle::{ContestedRecord, SettleError},
    wording::Wording,
};
use crate::{Failure, NightError, RunError, catch_panic, vector_book::EMBED_WINDOW};

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
        let mut no_grammar = |texts: &[&str]| vec![None; texts.len()];
        npcs.iter().try_for_each(|npc| plan.draft(npc, tasks, &mut no_grammar))?;
        plan.finish_drafts(None)?;
        Ok(plan.build())
    }

    /// Plans the tasks as [`Maintenance::plan`] does, and writes summaries and distilled records. Their texts are
    /// embedded by the embedder that `open` returns, which also reads the grammar of the memories that records may be
    /// distilled from; `open` is called with the number of texts that are embedded first, and not at all if there are
    /// none. NPCs are held in memory until they have 256 new texts.
    ///
    /// The language model words the distilled records, within the token ledgers of a night (`budget.tokens`) and of the
    /// run (`language.tokens_per_run`); without one, and for all that it does not answer well enough, the rules word
    /// them. It is handed the memories of each record and decides neither its type nor what it rests on.
    ///
    /// # Errors
    /// Any error of `open`; [`RunError::Store`] if the store cannot be read or holds vectors of another model;
    /// [`RunError::Embedder`] if the embedder fails.
    pub fn plan_worded<M: Embedder, E: From<RunError>>(
        &self,
        npcs: &[NpcId],
        tasks: MaintenanceTasks,
        language: Option<&dyn LanguageModel>,
        open: impl FnOnce(usize) -> Result<M, E>,
    ) -> Result<MaintenancePlan, E> {
        let wording = language.map(|model| Wording::new(model, self.config));
        let mut plan = PlanBuilder::new(*self, wording);
        let mut embedder = LazyEmbedder { open: Some(open), opened: None };
        for (i, npc) in npcs.iter().enumerate() {
            let mut fault = None;
            let mut grammar = |texts: &[&str]| match embedder.embed(texts) {
                Ok(embedded) => embedded.grammar,
                Err(error) => {
                    fault = Some(error);
                    vec![None; texts.len()]
                }
            };
            plan.draft(npc, tasks, &mut grammar)?;
            if let Some(fault) = fault {
                return Err(fault);
            }
            if plan.texts_to_embed().len() < EMBED_WINDOW && i + 1 < npcs.len() {
                continue;
            }
            plan.word_drafts().map_err(RunError::from)?;
            let texts = plan.texts_to_embed();
            let vectors = if texts.is_empty() { None } else { Some(embedder.embed(&texts)?.vectors) };
            let model = embedder.opened.as_ref().map(Embedder::model);
            plan.finish_drafts(model.zip(vectors.as_ref()))?;
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
    fn draft(
        &mut self,
        npc: &'a NpcId,
        tasks: MaintenanceTasks,
        grammar: &mut dyn FnMut(&[&str]) -> Vec<Option<Grammar>>,
    ) -> Result<(), RunError> {
        let Some(latest) = self.maintenance.store.latest_night(npc)? else { return Ok(()) };
        let label = latest.maintenance_label()?;
        if let Some(now) = tasks.now.filter(|now| !latest.allows_now(*now)) {
            let error = NightError::BeforeLatestNight { npc: npc.clone(), now, latest: latest.at };
            self.failures.push(Failure { npc: npc.clone(), night: label, error });
            return Ok(());
        }
        match catch_panic(|| self.maintenance.draft_npc(npc, latest, tasks, grammar)) {
            Ok(draft) => {
                let mut draft = draft?;
                if let Some(CollapseFindings { report, report_after, groups }) = draft.found.take() {
                    self.groups.extend(groups);
                    self.report.add(report);
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

/// Embedder that is opened by the first texts.
struct LazyEmbedder<M, F> {
    open: Option<F>,
    opened: Option<M>,
}

impl<M: Embedder, F> LazyEmbedder<M, F> {
    /// Embeds texts, [`EMBED_WINDOW`] of them at a time.
    fn embed<E: From<RunError>>(&mut self, texts: &[&str]) -> Result<Embedded, E>
    where
        F: FnOnce(usize) -> Result<M, E>,
    {
        if let Some(open) = self.open.take() {
            self.opened = Some(open(texts.len())?);
        }
        let mut all = Embedded::without_grammar(Vectors::with_capacity(0, 0), Vec::new());
        let Some(embedder) = &self.opened else { return Ok(all) };
        all.vectors = Vectors::with_capacity(embedder.dimensions(), texts.len());
        for window in texts.chunks(EMBED_WINDOW) {
            let embedded = embedder.embed(window).map_err(RunError::from)?;
            embedded.vectors.rows().try_for_each(|row| all.vectors.push(row)).map_err(RunError::from)?;
            all.truncated.extend(embedded.truncated);
            all.grammar.extend(embedded.grammar);
        }
        Ok(all)
    }
}

/// Name of the step in the failure of an NPC whose maintenance panics.
const MAINTENANCE_STEP: &str = "maintenance";

fn panicked(npc: &NpcId, night: NightLabel, message: String) -> Failure {
    Failure { npc: npc.clone(), night, error: NightError::Panicked { step: MAINTENANCE_STEP, message } }
}
