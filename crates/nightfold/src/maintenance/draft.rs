//! Planning of maintenance in two steps: a draft with texts to embed, and the plan once they have vectors.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_consolidate::{
    abstraction::{Summary, SummaryContext, changes, is_due, summaries},
    cap::{CapCandidate, over_cap},
    collapse::{EntryCollapse, StatusReport},
    forgetting::{faded, weakest},
};
use nightfold_memory::{
    Change, Embedder, MemoryId, MemoryRecord, MergedState, ModelId, NightLabel, NpcId, Rule, StoreError,
    Vectors,
};

use super::{Maintenance, MaintenancePlan, MaintenanceTasks, PlanBase, StatusScope, members, plan_of};
use crate::{Failure, NightError, RunError, catch_panic};

/// Maintenance plan without its summaries, whose texts have no vectors yet.
pub struct MaintenanceDraft<'a> {
    maintenance: Maintenance<'a>,
    npcs: Vec<NpcDraft<'a>>,
    found: StatusReport,
    applied: BTreeMap<NpcId, StatusReport>,
    groups: Vec<Vec<String>>,
    failures: Vec<Failure>,
}

/// Findings of the collapse of one NPC's status entries.
struct CollapseFindings {
    report: StatusReport,
    applied: StatusReport,
    groups: Vec<Vec<String>>,
}

/// Draft for one NPC.
struct NpcDraft<'n> {
    base: PlanBase<'n>,
    /// Changes before the summaries: collapses of status entries.
    before: Vec<Change>,
    summaries: Vec<Summary>,
    /// Changes after the summaries: reflections archived over the cap, and entries forgotten.
    after: Vec<Change>,
}

/// Ids of the entries that earlier tasks of a plan change; later tasks leave them alone.
#[derive(Default)]
struct Reserved(BTreeSet<MemoryId>);

impl Reserved {
    fn add(&mut self, changes: &[Change]) {
        let stands = |c: &&Change| c.verb() == "collapse";
        self.0.extend(changes.iter().map(Change::id).cloned());
        self.0.extend(changes.iter().filter(stands).flat_map(Change::sources).cloned());
    }

    fn is_free(&self, memory: &MemoryRecord) -> bool {
        !self.0.contains(&memory.entry.id)
    }
}

impl<'a> Maintenance<'a> {
    /// Drafts the tasks for some NPCs, each as of [`MaintenanceTasks::now`] or the moment of its latest night, up to the point
    /// where texts must be embedded. Entries are read in pages of `collapse.page`; only summaries read all entries of
    /// one NPC at a time, because they need the vectors. If another process writes between two reads, the plan is
    /// refused as stale.
    ///
    /// Restored entries are neither summarised nor forgotten again. An NPC whose draft panics stays unchanged and is
    /// listed in [`MaintenancePlan::failures`].
    ///
    /// # Errors
    /// [`SleepError::Store`] if the store cannot be read.
    pub fn draft(
        &self,
        npcs: &'a [NpcId],
        chores: MaintenanceTasks,
    ) -> Result<MaintenanceDraft<'a>, RunError> {
        let mut drafted = MaintenanceDraft {
            maintenance: *self,
            npcs: Vec::new(),
            found: StatusReport::dry(),
            applied: BTreeMap::new(),
            groups: Vec::new(),
            failures: Vec::new(),
        };
        for npc in npcs {
            let Some(mind) = self.plan_base::<RunError>(npc, chores.now)? else { continue };
            let night = mind.label()?;
            match catch_panic(|| self.draft_npc(mind, chores)) {
                Ok(tended) => {
                    let (tended, found) = tended?;
                    drafted.add(tended, found);
                }
                Err(message) => drafted.failures.push(panicked(npc, night, message)),
            }
        }
        Ok(drafted)
    }

    /// Returns true if a user has restored the entry before. Entries that became active because they were said again
    /// do not count.
    fn was_restored(&self, npc: &NpcId, id: &MemoryId) -> Result<bool, StoreError> {
        Ok(self
            .store
            .log(npc, id)?
            .iter()
            .any(|line| line.verb == "restore" && line.reason.rule != Rule::SaidAgain))
    }

    fn summaries(&self, mind: &PlanBase<'_>, busy: &Reserved) -> Result<Vec<Summary>, StoreError> {
        let past = self.store.snapshot(mind.npc)?;
        let mut due = Vec::new();
        for memory in past.entries.iter().filter(|m| busy.is_free(m) && is_due(m, mind.at, self.config)) {
            if !self.was_restored(mind.npc, &memory.entry.id)? {
                due.push(memory);
            }
        }
        Ok(summaries(mind.npc, &due, mind.at, self.config, mind.pack))
    }

    /// Returns the changes that forget decayed entries, and then the weakest ones while there are more than
    /// `maintain.max_active`; `leave` is the number of entries that other tasks of the plan remove. An entry that
    /// absorbs its duplicates is rated by its state after the collapse; otherwise the next maintenance would find
    /// more to forget.
    fn changes_to_forget(
        &self,
        mind: &PlanBase<'_>,
        collapses: &[Change],
        busy: &Reserved,
        leave: usize,
    ) -> Result<Vec<Change>, StoreError> {
        let standing: BTreeMap<&MemoryId, &MergedState> = collapses
            .iter()
            .filter_map(|c| match c {
                Change::Collapse { id, standing: Some(standing), .. } => Some((id, standing)),
                _ => None,
            })
            .collect();
        let (mut active, mut candidates) = (0_usize, Vec::new());
        self.for_each_active(mind.npc, |memory| {
            active += 1;
            if let Some(standing) = standing.get(&memory.entry.id) {
                let mut after = memory.clone();
                standing.apply_to(&mut after);
                candidates.extend(faded(&after, mind.at, self.config));
            } else if busy.is_free(memory) {
                candidates.extend(faded(memory, mind.at, self.config));
            }
        })?;
        let mut changes = Vec::new();
        for change in candidates {
            if !self.was_restored(mind.npc, change.id())? {
                changes.push(change);
            }
        }
        let over = active.saturating_sub(leave + changes.len() + self.config.maintain.max_active);
        if over > 0 {
            let faded: BTreeSet<&MemoryId> = changes.iter().map(Change::id).collect();
            let mut rest = Vec::new();
            self.for_each_active(mind.npc, |memory| {
                if busy.is_free(memory) && !faded.contains(&memory.entry.id) {
                    rest.push(memory.clone());
                }
            })?;
            let mut free = Vec::with_capacity(rest.len());
            for memory in rest {
                if !self.was_restored(mind.npc, &memory.entry.id)? {
                    free.push(memory);
                }
            }
            changes.extend(weakest(&free, over, mind.at, self.config));
        }
        Ok(changes)
    }
}

/// Name of the step in the failure of an NPC whose draft panics.
const MAINTENANCE_STEP: &str = "upkeep";

fn panicked(npc: &NpcId, night: NightLabel, message: String) -> Failure {
    Failure { npc: npc.clone(), night, error: NightError::Panicked { step: MAINTENANCE_STEP, message } }
}

impl Maintenance<'_> {
    fn draft_npc<'n>(
        &self,
        mind: PlanBase<'n>,
        chores: MaintenanceTasks,
    ) -> Result<(NpcDraft<'n>, Option<CollapseFindings>), RunError> {
        let (upkeep, npc, pack) = (self, mind.npc, mind.pack);
        let mut busy = Reserved::default();
        let (mut insights, mut before, mut found) = (Vec::new(), Vec::new(), None);
        let mut collapse = chores.collapse.map(|lines| match lines {
            StatusScope::Operational => EntryCollapse::new(upkeep.config, pack),
            StatusScope::All => EntryCollapse::of_status(upkeep.config, pack),
        });
        if collapse.is_some() || chores.cap {
            upkeep.for_each_active(npc, |memory| {
                if let Some(collapse) = &mut collapse {
                    collapse.push(memory);
                }
                insights.extend(
                    chores
                        .cap
                        .then(|| CapCandidate::of(&memory.npc, &memory.entry, memory.last_touched(), pack))
                        .flatten(),
                );
            })?;
        }
        if let Some(lines) = collapse.map(EntryCollapse::finish) {
            before = lines.changes(|id| upkeep.store.referring(npc, id))?;
            found = Some(CollapseFindings {
                report: lines.report().clone(),
                groups: members(&lines).collect(),
                applied: lines.applied(&before),
            });
        }
        busy.add(&before);
        let mut leave: usize = before.iter().map(|c| c.sources().len()).sum();
        let summaries = if chores.summarize { upkeep.summaries(&mind, &busy)? } else { Vec::new() };
        for summary in &summaries {
            busy.0.extend(summary.sources().iter().cloned());
            leave += summary.sources().len() - 1;
        }
        let mut after = over_cap(insights, &upkeep.config.cap, pack);
        busy.add(&after);
        leave += after.len();
        if chores.forget {
            after.extend(upkeep.changes_to_forget(&mind, &before, &busy, leave)?);
        }
        Ok((NpcDraft { base: mind, before, summaries, after }, found))
    }
}

impl<'a> MaintenanceDraft<'a> {
    fn add(&mut self, tended: NpcDraft<'a>, found: Option<CollapseFindings>) {
        if let Some(CollapseFindings { report, applied, groups }) = found {
            self.groups.extend(groups);
            self.found.add(report, self.maintenance.config.collapse.max_samples);
            self.applied.insert(tended.base.npc.clone(), applied);
        }
        self.npcs.push(tended);
    }

    /// Returns the texts of the summaries, which are to be embedded, in order.
    pub fn texts_to_embed(&self) -> Vec<&str> {
        self.npcs.iter().flat_map(|tended| &tended.summaries).map(Summary::text).collect()
    }

    /// Returns the plan after embedding the texts of the summaries, `window` of them at a time. Without summaries the
    /// embedder is not called.
    ///
    /// # Errors
    /// As [`MaintenanceDraft::plan`], and if the embedder fails.
    pub fn plan_embedded(self, embedder: &dyn Embedder, window: usize) -> Result<MaintenancePlan, RunError> {
        let texts = self.texts_to_embed();
        if texts.is_empty() {
            return self.plan(None);
        }
        let mut vectors = Vectors::with_capacity(embedder.dimensions(), texts.len());
        for window in texts.chunks(window) {
            let embedded = embedder.embed(window)?;
            embedded.vectors.rows().try_for_each(|row| vectors.push(row))?;
        }
        self.plan(Some((embedder.model(), &vectors)))
    }

    /// Returns the plan. `embedded` are the vectors of [the texts](Drafted::texts_to_embed), in their order, with their
    /// model; without them no summary is written, and its entries stay active.
    ///
    /// # Errors
    /// [`SleepError::Store`] if the store cannot be read, or holds vectors of another model.
    pub fn plan(self, embedded: Option<(&ModelId, &Vectors)>) -> Result<MaintenancePlan, RunError> {
        let Self { maintenance: upkeep, npcs: tended, found, mut applied, groups, mut failures } = self;
        let mut nights = Vec::new();
        let mut row = 0;
        for NpcDraft { base: mind, before, summaries, after } in tended {
            let first = row;
            row += summaries.len();
            // Without vectors the store has no active entries, so there is nothing to change.
            let Some(model) = mind.model.clone() else { continue };
            let mut all = before;
            if let Some((given, vectors)) = embedded.filter(|_| !summaries.is_empty()) {
                if *given != model {
                    return Err(StoreError::Model { stored: model, given: given.clone() }.into());
                }
                let rows: Vec<usize> = (first..row.min(vectors.len())).collect();
                let told = || upkeep.summary_changes(&mind, &all, summaries, &vectors.pick(&rows), &after);
                match catch_panic(told) {
                    Ok(told) => all.extend(told?),
                    Err(message) => {
                        applied.remove(mind.npc);
                        failures.push(panicked(mind.npc, mind.label()?, message));
                        continue;
                    }
                }
            }
            all.extend(after);
            if !all.is_empty() {
                nights.push(mind.night(model, all)?);
            }
        }
        Ok(MaintenancePlan {
            plan: plan_of(nights),
            collapse_report: found,
            reports_after: applied,
            collapse_groups: groups,
            failures,
        })
    }
}

impl Maintenance<'_> {
    /// Returns the changes that write summaries, given the plan's changes before and after them.
    fn summary_changes(
        &self,
        mind: &PlanBase<'_>,
        before: &[Change],
        summaries: Vec<Summary>,
        vectors: &Vectors,
        after: &[Change],
    ) -> Result<Vec<Change>, StoreError> {
        let mut busy = Reserved::default();
        busy.add(before);
        busy.add(after);
        busy.0.extend(summaries.iter().flat_map(Summary::sources).cloned());
        let past = self.store.snapshot(mind.npc)?;
        let standing: Vec<&MemoryRecord> = past.entries.iter().filter(|m| busy.is_free(m)).collect();
        let taken = |id: &MemoryId| past.known.contains_key(id);
        let referring = |id: &MemoryId| self.store.referring(mind.npc, id);
        changes(
            summaries,
            vectors,
            SummaryContext { standing: &standing, taken: &taken, referring },
            self.config,
            mind.pack,
        )
    }
}
