//! The plan of a night, from what was settled.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use nightfold_memory::{Change, Confidence, Entry, Form, MemoryId, NpcNight, Reason, Rule, State, Vector};

use super::{
    Synthesized,
    entries::{Writer, verbatim},
    ledger::Ledger,
    reconciling::Candidate,
    report::Settled,
    unfounded::successors,
};
use crate::{
    cap::{Insight, crowded_out},
    collapse::Distinct,
    gram::dot,
    text::holds_words,
    triage::Fate,
};

impl Ledger<'_> {
    pub(super) fn write(self) -> NpcNight {
        let Synthesized { frame, vectors, triage, tellings, .. } = &self.night.synthesized;
        let analyses = frame.analyses();
        let own = frame.own();
        let mut writer = Writer::new(frame, &analyses, &own);
        let mut changes = self.collapses();
        changes.extend(self.prunes());
        let (known, of_tonight): (Vec<_>, Vec<_>) =
            self.corroborations().into_iter().partition(|c| self.past.contains_key(c.id()));
        changes.extend(known);

        // New entries by time, so that a plan reads like the day.
        let mut written: Vec<(Candidate, Change)> = Vec::new();
        for (row, fate) in self.fates.iter().enumerate() {
            if let Fate::Store(reason) = fate {
                let entry = verbatim(&frame.distinct[row], Some(vectors.vector(row)));
                written.push((Candidate::Memory(row), Change::Store { entry, reason: reason.clone() }));
            }
        }
        for (t, telling) in tellings.iter().enumerate().filter(|(t, _)| self.told[*t]) {
            let group = &triage.groups[telling.group];
            let entry = writer.synthesis(&group.members, &telling.text, self.night.vectors.vector(t));
            let name = writer.title(&group.members, &telling.text);
            let reason = group.reason.clone();
            written.push((Candidate::Telling(t), Change::Chunk { entry, name, reason }));
        }
        written.sort_by(|(_, a), (_, b)| {
            let key = |c: &Change| c.entry().map(|e| (e.at, e.id.clone()));
            key(a).cmp(&key(b))
        });
        let holds_now = |candidate: &Candidate| match candidate {
            Candidate::Memory(row) if let Fate::Corroborate(id, _) = &self.fates[*row] => Some(id.clone()),
            _ => written.iter().find(|(c, _)| c == candidate).map(|(_, new)| new.id().clone()),
        };
        let supersedes: Vec<Change> = self
            .superseded
            .iter()
            .filter_map(|(old, (candidate, reason))| {
                let sources = vec![holds_now(candidate)?];
                Some(Change::Supersede { id: old.clone(), sources, reason: reason.clone() })
            })
            .collect();
        let superseded = supersedes.len();
        let unfounded = self.unfounded(&successors(&supersedes));
        changes.extend(written.into_iter().map(|(_, change)| change));
        changes.extend(of_tonight);
        changes.extend(supersedes);
        let reflections = self.reflections(&mut writer);
        let capped = self.capped(&reflections, &unfounded);
        let themes = writer.themes(triage, vectors);
        let report = Settled {
            synthesized: &self.night.synthesized,
            fates: &self.fates,
            syntheses: &self.told,
            stands: &|row| self.stands(row),
            reflections: reflections.len(),
            superseded,
            outdated: &|row| self.outdated.contains(&row),
            capped: capped.len(),
        }
        .report(frame, &writer);
        changes.extend(unfounded);
        changes.extend(reflections);
        changes.extend(capped);
        NpcNight {
            npc: frame.npc.clone(),
            night: frame.night.clone(),
            at: frame.until,
            base_version: frame.past.version,
            model: frame.model.clone(),
            memories: frame.memories.clone(),
            changes,
            themes,
            report,
        }
    }

    fn collapses(&self) -> Vec<Change> {
        let collapse = |id: &MemoryId, sources: Vec<MemoryId>, reason: Reason| Change::Collapse {
            id: id.clone(),
            sources,
            standing: None,
            reason,
        };
        let mut changes = Vec::new();
        for line in &self.night.synthesized.frame.distinct {
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

    /// What the night's new insights crowd out.
    fn capped(&self, drawn: &[Change], unfounded: &[Change]) -> Vec<Change> {
        let frame = &self.night.synthesized.frame;
        let touched_tonight: BTreeSet<&MemoryId> = self
            .fates
            .iter()
            .filter_map(|fate| match fate {
                Fate::Corroborate(id, _) => Some(id),
                _ => None,
            })
            .collect();
        let gone = |id: &MemoryId| self.superseded.contains_key(id) || unfounded.iter().any(|c| c.id() == id);
        let older = frame.past.entries.iter().filter(|e| !gone(&e.entry.id)).map(|e| {
            let tonight = touched_tonight.contains(&e.entry.id);
            Insight::of(e, if tonight { frame.until } else { e.last_touched() })
        });
        let drawn = drawn.iter().filter_map(Change::entry).map(|e| Some(Insight::new(e, frame.until)));
        crowded_out(older.chain(drawn).flatten(), &frame.config.cap)
    }

    fn prunes(&self) -> Vec<Change> {
        let frame = &self.night.synthesized.frame;
        let prune = |id: &MemoryId, reason| Change::Prune { id: id.clone(), sources: Vec::new(), reason };
        let blanks =
            frame.memories.iter().filter(|m| m.is_blank()).map(|m| prune(&m.id, Reason::new(Rule::Blank)));
        let pruned = frame.distinct.iter().zip(&self.fates).filter_map(|(d, fate)| match fate {
            Fate::Prune(reason) => Some(prune(&d.id, reason.clone())),
            _ => None,
        });
        blanks.chain(pruned).collect()
    }

    fn corroborations(&self) -> Vec<Change> {
        let frame = &self.night.synthesized.frame;
        let mut by_entry: BTreeMap<&MemoryId, (Vec<usize>, &Reason)> = BTreeMap::new();
        for (row, fate) in self.fates.iter().enumerate() {
            if let Fate::Corroborate(id, reason) = fate {
                by_entry.entry(id).or_insert((Vec::new(), reason)).0.push(row);
            }
        }
        by_entry
            .into_iter()
            .filter_map(|(id, (rows, reason))| {
                let (old, before) = self.before(id)?;
                let again = u32::try_from(rows.len()).unwrap_or(u32::MAX);
                let corroborations = before.saturating_add(again);
                let said: Vec<&Distinct> = rows.iter().map(|&i| &frame.distinct[i]).collect();
                let sure = corroborations >= frame.config.reconcile.confident_at;
                let held = self.past.get(id).map_or(Confidence::Normal, |known| known.confidence);
                let tags: BTreeSet<String> =
                    old.tags.iter().chain(said.iter().flat_map(|d| &d.tags)).cloned().collect();
                Some(Change::Corroborate {
                    id: id.clone(),
                    sources: said.iter().map(|d| d.id.clone()).collect(),
                    corroborations,
                    confidence: if sure { Confidence::High } else { held },
                    last_at: said.iter().map(|d| d.last_at).fold(old.last_at, Ord::max),
                    tags: tags.into_iter().collect(),
                    importance: said.iter().map(|d| d.importance).fold(old.importance, Ord::max),
                    pinned: old.pinned || said.iter().any(|d| d.pinned),
                    reason: reason.clone().with("times", corroborations),
                })
            })
            .collect()
    }

    /// An entry before tonight's memories confirm it, and how often others did. One of tonight is as it is written.
    fn before(&self, id: &MemoryId) -> Option<(Cow<'_, Entry>, u32)> {
        if let Some(known) = self.past.get(id) {
            return Some((Cow::Borrowed(&known.entry), known.corroborations));
        }
        let Synthesized { frame, vectors, .. } = &self.night.synthesized;
        let row = self.row(id)?;
        Some((Cow::Owned(verbatim(&frame.distinct[row], Some(vectors.vector(row)))), 0))
    }

    /// The row of a memory of tonight.
    fn row(&self, id: &MemoryId) -> Option<usize> {
        self.night.synthesized.frame.distinct.iter().position(|d| d.id == *id)
    }

    /// Insights that say something new: no near copy of what they rest on or of another insight.
    fn reflections(&self, writer: &mut Writer<'_>) -> Vec<Change> {
        let Synthesized { frame, vectors, triage, tellings, insights, .. } = &self.night.synthesized;
        let near_copy = frame.config.synthesis.near_copy;
        let known: Vec<&[f32]> = frame
            .past
            .entries
            .iter()
            .filter(|e| e.state == State::Active && e.entry.form == Form::Reflection)
            .filter_map(|e| e.entry.vector.as_ref().map(Vector::as_slice))
            .collect();
        let mut drawn: Vec<usize> = Vec::new();
        let mut changes = Vec::new();
        for (i, insight) in insights.iter().enumerate() {
            let at = tellings.len() + i;
            let own = self.night.vectors.row(at);
            let copies = |other: &[f32]| f64::from(dot(own, other)) >= near_copy;
            if self.is_outdated(&insight.text, &insight.rows)
                || insight.rows.iter().any(|&row| copies(vectors.row(row)))
                || known.iter().any(|other| copies(other))
                || drawn.iter().any(|&other| copies(self.night.vectors.row(other)))
            {
                continue;
            }
            drawn.push(at);
            let theme = &triage.themes[insight.theme];
            changes.push(Change::Reflect {
                entry: writer.reflection(insight, self.night.vectors.vector(at)),
                name: writer.title(&insight.rows, &insight.text),
                reflection: insight.kind,
                reason: Reason::new(Rule::CohesiveCluster)
                    .with("cohesion", theme.cohesion)
                    .with("cohesion_from", frame.config.budget.reflection_cohesion)
                    .with("memories", theme.members.len()),
            });
        }
        changes
    }

    /// Whether a distinct memory's words stand in an entry that this night leaves active, or in one that it set aside over
    /// something as important.
    fn stands(&self, row: usize) -> bool {
        let Synthesized { frame, tellings, .. } = &self.night.synthesized;
        let words = &frame.distinct[row].text;
        match &self.fates[row] {
            Fate::Store(_) => true,
            Fate::Chunk(group) => tellings.iter().any(|t| t.group == *group && holds_words(&t.text, words)),
            Fate::Corroborate(id, _) => self.before(id).is_some_and(|(e, _)| holds_words(&e.text, words)),
            Fate::Prune(_) => false,
        }
    }
}
