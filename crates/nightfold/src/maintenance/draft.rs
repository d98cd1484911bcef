//! Maintenance of one NPC in two steps: a draft, whose summaries have no vectors yet, and the night once they have.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_consolidate::{
    LanguageAnswers, LivedTime,
    abstraction::{Summary, SummaryContext, changes, is_due, summaries},
    cap::{CapCandidate, over_cap},
    collapse::{EntriesCollapsed, EntryCollapse, StatusReport},
    distillation::{self, DistillationContext, DistilledRecord, distilled},
    forgetting::Forgetting,
};
use nightfold_memory::{
    AppliedNight, Change, Fingerprint, Grammar, LanguagePack, LanguageReport, LogFilter, MemoryId,
    MemoryRecord, MergedState, ModelId, NpcId, NpcNight, Rule, State, StoreError, Vectors,
};

use super::base::{Maintenance, MaintenanceTasks, PAGE, PlanBase, StatusScope};
use crate::RunError;

/// Maintenance of one NPC whose new texts, of summaries and distilled records, have no vectors yet.
pub(super) struct NpcDraft<'a> {
    pub(super) base: PlanBase<'a>,
    /// Changes before the summaries: collapses of status entries.
    before: Vec<Change>,
    summaries: Vec<Summary>,
    pub(super) records: Vec<DistilledRecord>,
    /// Counts of the language model that was asked to word the records, and the tokens that it spent.
    language: Option<(LanguageReport, usize)>,
    /// Changes after the summaries: reflections archived over the cap, and entries forgotten.
    after: Vec<Change>,
    /// Entries that the summaries are compared with; empty without new texts.
    entries: Vec<MemoryRecord>,
    /// Ids that were ever used; empty without new texts.
    known: BTreeMap<MemoryId, Fingerprint>,
    pub(super) found: Option<CollapseFindings>,
}

impl NpcDraft<'_> {
    /// Returns the new texts, in order.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.summaries.iter().map(Summary::text).chain(self.records.iter().map(DistilledRecord::text))
    }

    /// Takes the words of a language model for the records, as far as they pass the checks.
    pub(super) fn take_wording(&mut self, said: LanguageAnswers) {
        let PlanBase { npc, pack, config, .. } = &self.base;
        for (id, record) in self.records.iter_mut().enumerate() {
            let answers = said.answers.get(&id).into_iter().flatten();
            let mut taken = answers.map(|answer| record.reword(npc, answer, config, *pack));
            taken.find(Result::is_ok);
        }
        self.language = said.report.filter(|report| report.tasks > 0).map(|report| (report, said.tokens));
    }
}

/// Findings of the collapse of one NPC's status entries.
pub(super) struct CollapseFindings {
    pub(super) report: StatusReport,
    pub(super) report_after: StatusReport,
    pub(super) groups: Vec<Vec<String>>,
}

impl CollapseFindings {
    fn of(lines: EntriesCollapsed<'_>, changes: &[Change]) -> Self {
        Self {
            report: lines.report().clone(),
            groups: lines.groups().iter().map(|g| g.members().map(str::to_owned).collect()).collect(),
            report_after: lines.report_after(changes),
        }
    }
}

/// Ids of the entries that earlier tasks of a plan change; later tasks leave them alone.
#[derive(Default)]
struct Reserved(BTreeSet<MemoryId>);

impl Reserved {
    fn add(&mut self, changes: &[Change]) {
        let collapses = |c: &&Change| c.verb() == "collapse";
        self.0.extend(changes.iter().map(Change::id).cloned());
        self.0.extend(changes.iter().filter(collapses).flat_map(Change::sources).cloned());
    }

    fn is_free(&self, memory: &MemoryRecord) -> bool {
        !self.0.contains(&memory.entry.id)
    }
}

/// Active entries of one NPC, read once.
struct ReadNpc<'a> {
    pack: &'a dyn LanguagePack,
    collapse: Option<EntryCollapse<'a>>,
    cap: bool,
    insights: Vec<CapCandidate>,
    /// All active entries by id, if a task needs them together; with vectors if new texts are wanted.
    entries: Vec<MemoryRecord>,
    known: BTreeMap<MemoryId, Fingerprint>,
}

impl<'a> ReadNpc<'a> {
    fn new(maintenance: &Maintenance<'a>, pack: &'a dyn LanguagePack, tasks: MaintenanceTasks) -> Self {
        let collapse = tasks.collapse.map(|lines| match lines {
            StatusScope::Operational => EntryCollapse::new(maintenance.config, pack),
            StatusScope::All => EntryCollapse::unfiltered(maintenance.config, pack),
        });
        let (insights, entries, known) = (Vec::new(), Vec::new(), BTreeMap::new());
        Self { pack, collapse, cap: tasks.cap, insights, entries, known }
    }

    fn push(&mut self, memory: &MemoryRecord) {
        if let Some(collapse) = &mut self.collapse {
            collapse.push(memory);
        }
        if self.cap {
            let touched = memory.last_touched();
            self.insights.extend(CapCandidate::of(&memory.npc, &memory.entry, touched, self.pack));
        }
    }
}

impl<'a> Maintenance<'a> {
    /// Drafts the tasks for one NPC whose latest night is given; [`MaintenanceTasks::now`] is not before it. `grammar`
    /// returns the grammar of texts, for distilled records.
    pub(super) fn draft_npc(
        &self,
        npc: &'a NpcId,
        latest: AppliedNight,
        tasks: MaintenanceTasks,
        grammar: &mut dyn FnMut(&[&str]) -> Vec<Option<Grammar>>,
    ) -> Result<NpcDraft<'a>, RunError> {
        let model = self.store.model()?;
        let config = self.config.for_npc(npc, &latest.npc_tags);
        let ReadNpc { pack, collapse, mut insights, entries, known, .. } = self.read(npc, tasks)?;
        let at = tasks.now.unwrap_or(latest.at);
        let nights = self.store.nights(Some(npc))?;
        let lived = LivedTime::between(nights.iter().map(|night| night.at), at);
        let base = PlanBase { npc, pack, latest, model, config: config.clone(), at };
        let restored = if tasks.summarize || tasks.distil || tasks.forget {
            self.restored(npc)?
        } else {
            BTreeMap::new()
        };

        let mut reserved = Reserved::default();
        let (mut before, mut found) = (Vec::new(), None);
        if let Some(lines) = collapse.map(EntryCollapse::finish) {
            before = lines.changes(|id| self.store.referring(npc, id))?;
            found = Some(CollapseFindings::of(lines, &before));
        }
        reserved.add(&before);
        let mut leave: usize = before.iter().map(|c| c.sources().len()).sum();
        let mut summaries = Vec::new();
        if tasks.summarize {
            let due = |m: &&MemoryRecord| {
                reserved.is_free(m) && is_due(m, &lived, &config) && !restored.contains_key(&m.entry.id)
            };
            let due: Vec<&MemoryRecord> = entries.iter().filter(due).collect();
            summaries = self::summaries(npc, &due, &lived, &config, pack);
        }
        for summary in &summaries {
            reserved.0.extend(summary.sources().iter().cloned());
            leave += summary.sources().len() - 1;
        }
        // Weeks that are summarised now teach no more: what they taught was distilled while they were recent.
        let is_free =
            |m: &&MemoryRecord| tasks.distil && reserved.is_free(m) && !restored.contains_key(&m.entry.id);
        let free: Vec<&MemoryRecord> = entries.iter().filter(is_free).collect();
        let records = if free.is_empty() {
            Vec::new()
        } else {
            let distilled_before = &self.distilled_before(npc)?;
            let archived_sources = &self.archived_sources(npc, distilled_before)?;
            let is_used = &|id: &MemoryId| known.contains_key(id);
            let context = DistillationContext {
                npc,
                active: &free,
                distilled_before,
                archived_sources,
                is_used,
                now: at,
            };
            distilled(context, grammar, &config, pack)
        };
        let archived = || records.iter().flat_map(DistilledRecord::archived);
        leave += archived().count();
        let replaced: Vec<&MemoryId> = records.iter().flat_map(DistilledRecord::replaced).collect();
        insights.retain(|insight| !replaced.contains(&insight.id()));
        insights.extend(records.iter().filter_map(|record| CapCandidate::of(npc, record.entry(), at, pack)));
        reserved.0.extend(replaced.into_iter().chain(archived()).cloned());
        let mut after = over_cap(insights, &config.cap, pack);
        reserved.add(&after);
        leave += after.len();
        if tasks.forget {
            let by_user = |m: &&MemoryRecord| restored.get(&m.entry.id).copied().unwrap_or(false);
            let open: Vec<&MemoryRecord> = entries.iter().filter(|m| !by_user(m)).collect();
            let max = config.maintain.max_active;
            let over = |faded: usize| entries.len().saturating_sub(leave + faded + max);
            let stays = |m: &&MemoryRecord| reserved.is_free(m) || absorbs(&before, &m.entry.id);
            let forgetting = Forgetting::new(entries.iter().filter(stays), lived, &config, pack);
            after.extend(changes_to_forget(&forgetting, &open, &before, &reserved, over));
        }
        let (entries, known) = if summaries.is_empty() && records.is_empty() {
            (Vec::new(), BTreeMap::new())
        } else {
            (entries, known)
        };
        Ok(NpcDraft { base, before, summaries, records, language: None, after, entries, known, found })
    }

    /// Reads the active entries of an NPC: at once if new texts are wanted, since they need the vectors, else in pages
    /// of [`PAGE`], which are kept only if entries may be forgotten. If another process writes between two
    /// pages, the plan is refused as stale.
    fn read(&self, npc: &NpcId, tasks: MaintenanceTasks) -> Result<ReadNpc<'a>, RunError> {
        if tasks.summarize || tasks.distil {
            let snapshot = self.store.snapshot(npc)?;
            let first = &snapshot.entries[..snapshot.entries.len().min(PAGE)];
            let mut read = ReadNpc::new(self, self.pack(first)?, tasks);
            snapshot.entries.iter().for_each(|memory| read.push(memory));
            return Ok(ReadNpc { entries: snapshot.entries, known: snapshot.known, ..read });
        }
        let mut page = self.store.active_page(npc, None, PAGE)?;
        let mut read = ReadNpc::new(self, self.pack(&page)?, tasks);
        loop {
            page.iter().for_each(|memory| read.push(memory));
            let next = page.last().map(|memory| memory.entry.id.clone()).filter(|_| page.len() == PAGE);
            if tasks.forget {
                read.entries.append(&mut page);
            }
            let Some(after) = next else { return Ok(read) };
            page = self.store.active_page(npc, Some(&after), PAGE)?;
        }
    }

    /// Returns the ids of the entries that were restored, true for those that a user restored. None is summarised or distilled
    /// again, for the summary stands; what a user restored is not forgotten either.
    fn restored(&self, npc: &NpcId) -> Result<BTreeMap<MemoryId, bool>, StoreError> {
        let mut restored = BTreeMap::new();
        for line in self.store.log(npc, LogFilter::Verb("restore"))? {
            *restored.entry(line.id).or_default() |= line.reason.rule == Rule::Restored;
        }
        Ok(restored)
    }

    /// Returns the archived sources of those distilled records that are active.
    fn archived_sources(
        &self,
        npc: &NpcId,
        distilled: &[MemoryRecord],
    ) -> Result<Vec<MemoryRecord>, StoreError> {
        let active = distilled.iter().filter(|record| record.state == State::Active);
        let ids: BTreeSet<&MemoryId> = active.flat_map(|record| &record.entry.sources).collect();
        let mut sources = Vec::new();
        for id in ids {
            let is_archived =
                |source: &MemoryRecord| source.archived_by.as_deref() == Some(Rule::Distilled.as_str());
            sources.extend(self.store.entry(npc, id)?.filter(is_archived));
        }
        Ok(sources)
    }

    /// Returns the records that were distilled before, in any state; purged ones are missing.
    fn distilled_before(&self, npc: &NpcId) -> Result<Vec<MemoryRecord>, StoreError> {
        let lines = self.store.log(npc, LogFilter::Verb("reflect"))?;
        let distilled = lines.into_iter().filter(|line| line.reason.rule == Rule::Distilled);
        let mut records = Vec::new();
        for line in distilled {
            records.extend(self.store.entry(npc, &line.id)?);
        }
        Ok(records)
    }

    /// Returns the night of a draft; `None` if it changes nothing. `embedded` are the vectors of its new texts with
    /// their model; without them no summary and no record is written, and the summarised entries stay active.
    pub(super) fn finish_npc(
        &self,
        draft: NpcDraft<'_>,
        embedded: Option<(&ModelId, &Vectors)>,
    ) -> Result<Option<NpcNight>, RunError> {
        // Without vectors the store has no active entries, so there is nothing to change.
        let Some(model) = draft.base.model.clone() else { return Ok(None) };
        let NpcDraft { base, before, summaries, records, language, after, entries, known, .. } = draft;
        let mut all = before;
        if let Some((given, vectors)) = embedded.filter(|_| !(summaries.is_empty() && records.is_empty())) {
            if *given != model {
                return Err(StoreError::Model { stored: model, given: given.clone() }.into());
            }
            let mut reserved = Reserved::default();
            reserved.add(&all);
            reserved.add(&after);
            reserved.0.extend(summaries.iter().flat_map(Summary::sources).cloned());
            reserved.0.extend(records.iter().flat_map(DistilledRecord::sources).cloned());
            let standing: Vec<&MemoryRecord> = entries.iter().filter(|m| reserved.is_free(m)).collect();
            let written: Vec<MemoryId> = records.iter().map(|record| record.entry().id.clone()).collect();
            let taken = |id: &MemoryId| known.contains_key(id) || written.contains(id);
            let referring = |id: &MemoryId| self.store.referring(base.npc, id);
            let around = SummaryContext { active: &standing, is_used: &taken, referring };
            let (of_summaries, of_records): (Vec<usize>, Vec<usize>) =
                (0..vectors.len()).partition(|&row| row < summaries.len());
            let own = vectors.pick(&of_summaries);
            all.extend(changes(summaries, &own, around, &base.config, base.pack)?);
            all.extend(distillation::changes(records, &vectors.pick(&of_records), &base.config));
        }
        all.extend(after);
        Ok(if all.is_empty() { None } else { Some(base.night(model, all, language)?) })
    }
}

/// True if one of the changes merges duplicates into an entry.
fn absorbs(changes: &[Change], id: &MemoryId) -> bool {
    changes
        .iter()
        .any(|change| matches!(change, Change::Collapse { standing: Some(_), .. }) && change.id() == id)
}

/// Returns the changes that forget those of the `open` entries that have decayed, and then the weakest of them as long
/// as too many are active: `over` gives the number of these by the number of decayed ones. An entry that absorbs its
/// duplicates is rated by its state after the collapse; otherwise the next maintenance would find more to forget.
fn changes_to_forget(
    forgetting: &Forgetting<'_>,
    open: &[&MemoryRecord],
    collapses: &[Change],
    reserved: &Reserved,
    over: impl Fn(usize) -> usize,
) -> Vec<Change> {
    let merged: BTreeMap<&MemoryId, &MergedState> = collapses
        .iter()
        .filter_map(|c| match c {
            Change::Collapse { id, standing: Some(standing), .. } => Some((id, standing)),
            _ => None,
        })
        .collect();
    let after = |memory: &MemoryRecord| {
        let state = merged.get(&memory.entry.id)?;
        let mut after = memory.clone();
        state.apply_to(&mut after);
        Some(after)
    };
    let absorbing: Vec<MemoryRecord> = open.iter().filter_map(|memory| after(memory)).collect();
    let free: Vec<&MemoryRecord> = open.iter().copied().filter(|memory| reserved.is_free(memory)).collect();
    let mut changes = forgetting.forget_faded(free.iter().copied().chain(&absorbing));
    let faded: BTreeSet<&MemoryId> = changes.iter().map(Change::id).collect();
    let rest = free.into_iter().filter(|memory| !faded.contains(&memory.entry.id));
    let weak = forgetting.forget_weakest(rest, over(changes.len()));
    changes.extend(weak);
    changes
}
