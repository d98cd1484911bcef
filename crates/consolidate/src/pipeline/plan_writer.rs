//! The plan of a night, written from its reconciliation.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use nightfold_memory::{
    Change, Confidence, Entry, ImportantEnded, MemoryId, MemoryRecord, NpcNight, Reason, RecordKind, Rule,
    Sketch,
    text::{contains_words, jaccard},
};

use super::{
    Synthesized,
    entry_writer::{EntryWriter, verbatim_entry},
    reconciliation::Reconciliation,
    report::NightTally,
    synthesized::{DerivedReflection, ReflectionGrounds},
};
use crate::{
    belief::StatementId,
    cap::{self, over_cap, subject_of_generated_id},
    collapse::DistinctMemory,
    gram::dot,
    triage::TriageDecision,
};

/// Overlap of content, names and numbers aside (Jaccard), from which two reflections on one subject are on one matter.
const SAME_MATTER: f64 = 0.5;

/// New entries of a night.
struct NewEntries {
    /// Changes that write them, by time, so that a plan reads like the day.
    changes: Vec<Change>,
    /// Ids of the syntheses by their groups.
    synthesis_ids: BTreeMap<usize, MemoryId>,
}

impl Reconciliation<'_> {
    pub(super) fn write(self) -> NpcNight {
        let Synthesized { frame, vectors, triage, .. } = self.night;
        let own = frame.name_analysis(self.pack);
        let mut writer = EntryWriter::new(frame, frame.analyses(self.pack), &own, self.pack);
        let NewEntries { changes: written, synthesis_ids } = self.new_entries(&mut writer);
        let mut changes = frame.restores.clone();
        changes.extend(self.collapses());
        changes.extend(self.prunes(&synthesis_ids));
        let (known, of_this_night): (Vec<_>, Vec<_>) =
            self.corroborations().into_iter().partition(|c| self.past.contains_key(c.id()));
        changes.extend(known);
        let supersedes: Vec<Change> = self
            .superseded(&synthesis_ids)
            .into_iter()
            .map(|(id, by, reason)| Change::Supersede { id, sources: vec![by], reason })
            .collect();
        let ends = self.ends(&synthesis_ids, &written);
        let contests = self.contests(&synthesis_ids, &supersedes);
        let invalidated = self.invalidated_reflections(&supersedes, &ends);
        changes.extend(written);
        changes.extend(of_this_night);
        changes.extend(ends);
        changes.extend(supersedes);
        changes.extend(contests);
        let invalidated_ids: BTreeSet<&MemoryId> = invalidated.iter().map(Change::id).collect();
        let reflections = self.reflections(&mut writer, &invalidated_ids);
        changes.extend(invalidated);
        changes.extend(reflections);
        let important_ended = self.important_ended(&changes);
        changes.extend(self.capped_reflections(&changes));
        let themes = writer.theme_nights(triage, vectors);
        let report = NightTally {
            synthesized: self.night,
            pack: self.pack,
            fates: &self.fates,
            leaves_entry: &self.leaves_entry,
            are_words_kept: &|row| self.are_words_kept(row),
            important_ended,
            changes: &changes,
        }
        .report(frame, &writer);
        NpcNight {
            npc: frame.npc.clone(),
            night: frame.night.clone(),
            at: frame.until,
            base_version: frame.past.version,
            model: frame.model.clone(),
            memories: frame.memories.clone(),
            changes,
            themes,
            sketches: self.sketches(),
            npc_tags: frame.npc_tags.clone(),
            report,
        }
    }

    fn new_entries(&self, writer: &mut EntryWriter<'_>) -> NewEntries {
        let Synthesized { frame, vectors, triage, syntheses, .. } = self.night;
        let (mut changes, mut synthesis_ids) = (Vec::new(), BTreeMap::new());
        for (t, synthesis) in syntheses.iter().enumerate().filter(|(t, _)| self.leaves_entry[*t]) {
            let group = &triage.groups[synthesis.group];
            let (entry, name) = writer.synthesis(&group.members, &synthesis.text, self.vectors.vector(t));
            synthesis_ids.insert(synthesis.group, entry.id.clone());
            changes.push(Change::Chunk { entry, name, reason: group.reason.clone() });
        }
        for (row, fate) in self.fates.iter().enumerate() {
            let reason = match fate {
                TriageDecision::Store(reason) => reason,
                TriageDecision::Outdated(reason) if self.is_stored_beside_successor(row, &synthesis_ids) => {
                    reason
                }
                _ => continue,
            };
            let entry = verbatim_entry(&frame.distinct[row], Some(vectors.vector(row)));
            changes.push(Change::Store { entry, reason: reason.clone() });
        }
        changes.sort_by(|a, b| {
            let key = |c: &Change| c.entry().map(|e| (e.at, e.id.clone()));
            key(a).cmp(&key(b))
        });
        NewEntries { changes, synthesis_ids }
    }

    /// Returns the positions that ended of entries that say more, each once. `written` are the entries of this night.
    fn ends(&self, synthesis_ids: &BTreeMap<usize, MemoryId>, written: &[Change]) -> Vec<Change> {
        let new: BTreeMap<&MemoryId, &Entry> =
            written.iter().filter_map(Change::entry).map(|entry| (&entry.id, entry)).collect();
        let text = |id: &MemoryId| {
            let known = self.past.get(id).map(|record| record.entry.text.as_str());
            known.or_else(|| new.get(id).map(|entry| entry.text.as_str()))
        };
        let mut ends: BTreeMap<(MemoryId, &str), Change> = BTreeMap::new();
        for ending in &self.revision().ended {
            let (Some(id), Some(by)) = (
                self.current_entry(&ending.older, synthesis_ids),
                self.current_entry(&ending.newer, synthesis_ids),
            ) else {
                continue;
            };
            let position = ending.position.as_str();
            // A synthesis may have left the position out.
            if id != by && text(&id).is_some_and(|text| contains_words(text, position)) {
                let (since, sources) = (ending.since, vec![by]);
                let reason = Reason { rule: Rule::Ended, ..ending.reason.clone() };
                let end =
                    Change::End { id: id.clone(), position: position.to_owned(), since, sources, reason };
                ends.entry((id, position)).or_insert(end);
            }
        }
        ends.into_values().collect()
    }

    /// Returns the contests of statements that contradict each other and are both still believed at the end
    /// of the night.
    fn contests(&self, synthesis_ids: &BTreeMap<usize, MemoryId>, supersedes: &[Change]) -> Vec<Change> {
        let believed = |holder: &StatementId| {
            if let StatementId::Row(row) = holder
                && matches!(self.fates[*row], TriageDecision::Outdated(_))
            {
                return None;
            }
            self.current_entry(holder, synthesis_ids)
                .filter(|id| supersedes.iter().all(|change| change.id() != id))
        };
        let mut sides: BTreeMap<(MemoryId, MemoryId), &Reason> = BTreeMap::new();
        for contest in &self.revision().contested {
            if let (Some(older), Some(newer)) = (believed(&contest.older), believed(&contest.newer))
                && older != newer
            {
                sides.entry((older, newer)).or_insert(&contest.reason);
            }
        }
        let contest = |((id, newer), reason): ((MemoryId, MemoryId), &Reason)| Change::Contest {
            id,
            sources: vec![newer],
            reason: Reason { rule: Rule::Contested, ..reason.clone() },
        };
        sides.into_iter().map(contest).collect()
    }

    fn collapses(&self) -> Vec<Change> {
        let collapse = |id: &MemoryId, sources: Vec<MemoryId>, reason: Reason| Change::Collapse {
            id: id.clone(),
            sources,
            standing: None,
            reason,
        };
        let mut changes = Vec::new();
        for line in self.night.frame.all_distinct() {
            if !line.repeats.is_empty() {
                let reason = Reason::new(Rule::ExactRepeat).with("occurrences", line.occurrences());
                changes.push(collapse(&line.id, line.repeats.clone(), reason));
            }
            if let Some(readings) = &line.readings {
                let reason = Reason::new(Rule::StatusRepeat)
                    .with("phase", readings.phase.as_str())
                    .with("readings", 1 + readings.others.len());
                changes.push(collapse(
                    &line.id,
                    readings.others.iter().map(|d| d.id.clone()).collect(),
                    reason,
                ));
            }
        }
        changes
    }

    /// Returns the changes that archive the reflections over the cap; `changes` are the other changes of the
    /// night.
    fn capped_reflections(&self, changes: &[Change]) -> Vec<Change> {
        let frame = &self.night.frame;
        let mut touched_tonight: BTreeSet<&MemoryId> = BTreeSet::new();
        let mut gone: BTreeSet<&MemoryId> = BTreeSet::new();
        for change in changes {
            match change {
                Change::Corroborate { id, .. } | Change::Strengthen { id, .. } => touched_tonight.insert(id),
                Change::Supersede { id, .. } | Change::Archive { id, .. } => gone.insert(id),
                _ => continue,
            };
        }
        let older = frame.past.entries.iter().map(|e| {
            let tonight = touched_tonight.contains(&e.entry.id);
            (&e.entry, if tonight { frame.until } else { e.last_touched() })
        });
        let new = changes.iter().filter_map(Change::entry).map(|entry| (entry, frame.until));
        let insights = older
            .chain(new)
            .filter(|(entry, _)| !gone.contains(&entry.id))
            .filter_map(|(entry, touched)| cap::CapCandidate::of(&frame.npc, entry, touched, self.pack));
        over_cap(insights, &frame.config.cap, self.pack)
    }

    fn prunes(&self, synthesis_ids: &BTreeMap<usize, MemoryId>) -> Vec<Change> {
        let frame = &self.night.frame;
        let prune = |id: &MemoryId, reason| Change::Prune { id: id.clone(), sources: Vec::new(), reason };
        let blanks =
            frame.memories.iter().filter(|m| m.is_blank()).map(|m| prune(&m.id, Reason::new(Rule::Blank)));
        let pruned = self.fates.iter().enumerate().filter_map(|(row, fate)| match fate {
            TriageDecision::Prune(reason) => Some(prune(&frame.distinct[row].id, reason.clone())),
            TriageDecision::Outdated(reason) if !self.is_stored_beside_successor(row, synthesis_ids) => {
                Some(prune(&frame.distinct[row].id, reason.clone()))
            }
            _ => None,
        });
        let left_out = frame.left_out.iter().map(|(memory, reason)| prune(&memory.id, reason.clone()));
        blanks.chain(pruned).chain(left_out).collect()
    }

    /// Returns the sketches of the memories that are archived for lack of room or for a synthesis.
    fn sketches(&self) -> BTreeMap<MemoryId, Sketch> {
        let Synthesized { frame, vectors, triage, .. } = self.night;
        let rule = |fate: &TriageDecision| match fate {
            TriageDecision::Prune(reason) => Some(reason.rule),
            TriageDecision::Chunk(group) => Some(triage.groups[*group].reason.rule),
            _ => None,
        };
        let sketched = self.fates.iter().enumerate().filter(|(row, fate)| {
            let rule = rule(fate).map(Rule::as_str);
            MemoryRecord::may_be_faint(rule, frame.distinct[*row].kind, RecordKind::Verbatim)
        });
        sketched.map(|(row, _)| (frame.distinct[row].id.clone(), Sketch::of(vectors.row(row)))).collect()
    }

    fn corroborations(&self) -> Vec<Change> {
        let frame = &self.night.frame;
        let mut by_entry: BTreeMap<&MemoryId, (Vec<usize>, &Reason)> = BTreeMap::new();
        for (row, fate) in self.fates.iter().enumerate() {
            if let TriageDecision::Corroborate(id, reason) = fate {
                by_entry.entry(id).or_insert((Vec::new(), reason)).0.push(row);
            }
        }
        by_entry
            .into_iter()
            .filter_map(|(id, (rows, reason))| {
                let (old, before) = self.entry_before_night(id)?;
                let again = u32::try_from(rows.len()).unwrap_or(u32::MAX);
                let corroborations = before.saturating_add(again);
                let said: Vec<&DistinctMemory> = rows.iter().map(|&i| &frame.distinct[i]).collect();
                // Repetition makes sure of what is so, a position. What happens again and again is routine. A pack that
                // does not know the language cannot tell the two apart.
                let states = self.pack.assertions(old.kind, &old.text);
                let is_sure = (!self.pack.understands()
                    || states.iter().any(|assertion| assertion.is_position))
                    && corroborations >= frame.config.reconcile.high_confidence_after;
                let held = self.past.get(id).map_or(Confidence::Normal, |known| known.confidence);
                let tags: BTreeSet<String> =
                    old.tags.iter().chain(said.iter().flat_map(|d| &d.tags)).cloned().collect();
                Some(Change::Corroborate {
                    id: id.clone(),
                    sources: said.iter().map(|d| d.id.clone()).collect(),
                    corroborations,
                    confidence: if is_sure { Confidence::High } else { held },
                    last_at: said.iter().map(|d| d.last_at).fold(old.last_at, Ord::max),
                    tags: tags.into_iter().collect(),
                    importance: said.iter().map(|d| d.importance).fold(old.importance, Ord::max),
                    pinned: old.pinned || said.iter().any(|d| d.pinned),
                    reason: reason.clone().with("times", corroborations),
                })
            })
            .collect()
    }

    /// Returns an entry and its number of corroborations before this night's corroborations. An entry of this
    /// night is returned as it will be written.
    fn entry_before_night(&self, id: &MemoryId) -> Option<(Cow<'_, Entry>, u32)> {
        if let Some(known) = self.past.get(id) {
            return Some((Cow::Borrowed(&known.entry), known.corroborations));
        }
        let Synthesized { frame, vectors, .. } = self.night;
        let row = self.row_of(id)?;
        Some((Cow::Owned(verbatim_entry(&frame.distinct[row], Some(vectors.vector(row)))), 0))
    }

    /// Returns the row of a memory of this night.
    fn row_of(&self, id: &MemoryId) -> Option<usize> {
        self.night.frame.distinct.iter().position(|d| d.id == *id)
    }

    /// Returns the changes made by the night's reflections. A reflection is written unless it is a near copy
    /// of a memory it rests on or of another new reflection. One that repeats an active reflection
    /// strengthens it. `fallen` are reflections that are archived this night because what they state was superseded.
    fn reflections(&self, writer: &mut EntryWriter<'_>, fallen: &BTreeSet<&MemoryId>) -> Vec<Change> {
        let Synthesized { frame, vectors, syntheses, insights, .. } = self.night;
        let near_copy = frame.config.synthesis.near_copy;
        let mut drawn: Vec<usize> = Vec::new();
        let mut settled: BTreeSet<&MemoryId> = fallen.clone();
        settled.extend(self.revision().superseded.keys());
        let mut changes = Vec::new();
        for (i, insight) in insights.iter().enumerate() {
            let at = syntheses.len() + i;
            let own = self.vectors.row(at);
            let copies = |other: &[f32]| f64::from(dot(own, other)) >= near_copy;
            if self.is_invalidated(&insight.text, &insight.rows)
                || insight.rows.iter().any(|&row| copies(vectors.row(row)))
                || drawn.iter().any(|&other| copies(self.vectors.row(other)))
            {
                continue;
            }
            if let Some((id, reason)) = self.restated_reflections.get(&i)
                && settled.insert(id)
            {
                changes.extend(self.strengthened(id, insight, reason));
                continue;
            }
            drawn.push(at);
            let (entry, name) = writer.reflection(insight, self.vectors.vector(at));
            changes.extend(self.replaced(insight, &entry.id, &mut settled));
            changes.push(Change::Reflect {
                entry,
                name,
                reflection: insight.kind,
                reason: self.reflection_reason(&insight.grounds),
            });
        }
        changes
    }

    /// Returns the changes that archive the reflections in whose place a new one stands: those with the same subject that
    /// say the same but for their numbers.
    fn replaced<'s>(
        &'s self,
        new: &DerivedReflection,
        id: &MemoryId,
        settled: &mut BTreeSet<&'s MemoryId>,
    ) -> Vec<Change> {
        if new.subject.is_empty() {
            return Vec::new();
        }
        let words = |text: &str| self.pack.analyze(text, &[]).plain_content;
        let (subject, said) = (subject_of_generated_id(id, usize::MAX, self.pack), words(&new.text));
        let older = self.night.frame.past.entries.iter().map(|record| &record.entry);
        let on_the_same = older.filter(|entry| {
            entry.form == RecordKind::Reflection
                && subject_of_generated_id(&entry.id, usize::MAX, self.pack) == subject
                && jaccard(&words(&entry.text), &said) >= SAME_MATTER
        });
        on_the_same
            .filter(|entry| settled.insert(&entry.id))
            .map(|entry| Change::Archive {
                id: entry.id.clone(),
                sources: vec![id.clone()],
                reason: Reason::new(Rule::Replaced).with("subject", new.subject.as_str()),
            })
            .collect()
    }

    fn reflection_reason(&self, grounds: &ReflectionGrounds) -> Reason {
        let Synthesized { frame, triage, .. } = self.night;
        match grounds {
            ReflectionGrounds::Theme(theme) => {
                let theme = &triage.themes[*theme];
                Reason::new(Rule::CohesiveCluster)
                    .with("cohesion", theme.cohesion)
                    .with("cohesion_from", frame.config.themes.proximity)
                    .with("memories", theme.members.len())
            }
            ReflectionGrounds::Counted { form, occasions, of } => Reason::new(Rule::Concluded)
                .with("conclusion", form.as_str())
                .with("occasions", *occasions)
                .with("of", *of)
                .with("counter", of.saturating_sub(*occasions)),
        }
    }

    /// Returns the change that strengthens an active reflection which other memories support again, and adds
    /// these as sources.
    fn strengthened(&self, id: &MemoryId, insight: &DerivedReflection, reason: &Reason) -> Option<Change> {
        let frame = &self.night.frame;
        let known = self.past.get(id)?;
        let corroborations = known.corroborations.saturating_add(1);
        let sure = corroborations >= frame.config.reconcile.high_confidence_after;
        Some(Change::Strengthen {
            id: id.clone(),
            sources: insight.rows.iter().map(|&row| frame.distinct[row].id.clone()).collect(),
            corroborations,
            confidence: if sure { Confidence::High } else { known.confidence },
            reason: reason.clone().with("times", corroborations),
        })
    }

    /// Returns what was important and ends by these changes. The importance of a reflection was set by a night, so it
    /// does not count.
    fn important_ended(&self, changes: &[Change]) -> Vec<ImportantEnded> {
        let raised = |id: &MemoryId| {
            changes.iter().find_map(|change| match change {
                Change::Corroborate { id: entry, importance, .. } if entry == id => Some(*importance),
                _ => None,
            })
        };
        let ended = |change: &Change| {
            let (id, position) = match change {
                Change::Supersede { id, .. } => (id, None),
                Change::End { id, position, .. } => (id, Some(position)),
                _ => return None,
            };
            let written = || changes.iter().filter_map(Change::entry).find(|entry| entry.id == *id);
            let entry = self.past.get(id).map(|record| &record.entry).or_else(written)?;
            let importance = raised(id).unwrap_or(entry.importance);
            let is_important = entry.form != RecordKind::Reflection
                && importance.get() >= self.night.frame.config.triage.important;
            let text = position.unwrap_or(&entry.text).clone();
            is_important.then(|| ImportantEnded { id: id.clone(), text })
        };
        changes.iter().filter_map(ended).collect()
    }

    /// True if a distinct memory's words are kept in an entry that this night leaves active.
    fn are_words_kept(&self, row: usize) -> bool {
        let Synthesized { frame, syntheses, .. } = self.night;
        let words = &frame.distinct[row].text;
        match &self.fates[row] {
            TriageDecision::Store(_) => true,
            TriageDecision::Chunk(group) => {
                syntheses.iter().any(|t| t.group == *group && contains_words(&t.text, words))
            }
            TriageDecision::Corroborate(id, _) => {
                !self.revision().superseded.contains_key(id)
                    && self.entry_before_night(id).is_some_and(|(e, _)| contains_words(&e.text, words))
            }
            TriageDecision::Outdated(_) | TriageDecision::Prune(_) => false,
        }
    }
}
