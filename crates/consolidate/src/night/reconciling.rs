//! The last step: what would be stored is held against what is known, and the plan is written.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{
    Change, Confidence, Form, JudgeBy, LongTermMemory, MemoryId, NpcNight, Reason, Rule, State, Value,
    Vector, Vectors,
};
use serde::{Deserialize, Serialize};

use super::{Frame, StanceQuestion, Synthesized, Verdicts, entries::Writer, report::Settled};
use crate::{
    cap::{Insight, crowded_out},
    collapse::Distinct,
    gram::dot,
    reconcile::{Known, Neighbour, already_known, contradicted},
    stance::{Judgement, Stance, contradiction},
    text::holds_words,
    triage::Fate,
};

/// Something that would be stored: a memory in its own words, or a synthesis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Candidate {
    Memory(usize),
    Telling(usize),
}

/// A candidate and a known entry close to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Asked {
    candidate: Candidate,
    entry: MemoryId,
}

/// A day that is told, waiting for what its statements are to what is known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reconciling {
    synthesized: Synthesized,
    /// Of the new texts.
    vectors: Vectors,
    /// By candidate, for each the closest entry first.
    asked: Vec<Asked>,
    questions: Vec<StanceQuestion>,
}

impl Reconciling {
    pub(super) fn new(synthesized: Synthesized, vectors: Vectors) -> Self {
        let frame = &synthesized.frame;
        let known = Known::new(&frame.past);
        let (mut asked, mut questions) = (Vec::new(), Vec::new());
        for (about, (candidate, text, vector)) in candidates(&synthesized, &vectors).enumerate() {
            for near in known.neighbours(vector, &frame.config.reconcile) {
                questions.push(StanceQuestion {
                    id: questions.len(),
                    about,
                    older: near.entry.entry.text.clone(),
                    newer: text.to_owned(),
                    cosine: near.cosine,
                });
                asked.push(Asked { candidate, entry: near.entry.entry.id.clone() });
            }
        }
        Self { synthesized, vectors, asked, questions }
    }

    /// What a stance judge could be asked: of each candidate its closest entries, the closest first.
    pub fn questions(&self) -> &[StanceQuestion] {
        &self.questions
    }

    /// How many tokens asking may cost: what the night's words left of its ledger.
    pub fn ledger(&self) -> usize {
        self.synthesized.frame.ledger().saturating_sub(self.synthesized.spent)
    }

    /// Writes the plan, with the rules as the judge.
    pub fn finish_by_rules(self) -> NpcNight {
        self.finish(Verdicts::default())
    }

    /// Writes the plan, with what a stance judge said as far as the rules let it stand ([`Verdicts`]).
    pub fn finish(self, mut verdicts: Verdicts) -> NpcNight {
        let fail_safe = self.synthesized.frame.config.reconcile.fail_safe;
        let mut ledger = Ledger::new(&self);
        for (asked, question) in self.asked.iter().zip(&self.questions) {
            if !ledger.decided.contains(&asked.candidate) {
                ledger.hear(asked, question.cosine, &verdicts.on(question, fail_safe));
            }
        }
        ledger.hear_claims();
        ledger.settle();
        verdicts.into_report_of(ledger.write())
    }
}

/// What would be stored: what it says and where that lies.
fn candidates<'a>(
    synthesized: &'a Synthesized,
    vectors: &'a Vectors,
) -> impl Iterator<Item = (Candidate, &'a str, &'a [f32])> {
    let distinct = &synthesized.frame.distinct;
    let memories = (0..synthesized.triage.fates.len())
        .filter(|&i| {
            let fate = &synthesized.triage.fates[i];
            matches!(fate, Fate::Store(_)) || doubted(fate, &synthesized.frame).is_some()
        })
        .map(|i| (Candidate::Memory(i), distinct[i].text.as_str(), synthesized.vectors.row(i)));
    let tellings = synthesized.tellings.iter().enumerate();
    memories
        .chain(tellings.map(|(t, telling)| (Candidate::Telling(t), telling.text.as_str(), vectors.row(t))))
}

/// What the rules took for known at triage because it is likely the same, where somebody else is to judge that: the fate it
/// has unless a judge says so too.
fn doubted(fate: &Fate, frame: &Frame) -> Option<Fate> {
    let Fate::Corroborate(_, known) = fate else { return None };
    let likely = known.values.get("judged_by") == Some(&Value::from("likelihood"));
    let reason = || Reason { rule: Rule::HeldApart, ..known.clone() };
    (frame.config.judge.by != JudgeBy::Rules && likely).then(|| Fate::Store(reason()))
}

/// Whether what was heard may set an entry aside: not what the game pinned, not a synthesis over one of the many
/// things it tells, and nothing important for something less so.
fn may_supersede<'a>(old: &LongTermMemory, new: impl Iterator<Item = &'a Distinct>, frame: &Frame) -> bool {
    let weight = new.map(|d| d.importance).max();
    let weighs =
        old.entry.importance.get() < frame.config.triage.important || weight >= Some(old.entry.importance);
    weighs && !old.entry.pinned && old.entry.form == Form::Verbatim
}

/// The changes as they are settled.
struct Ledger<'a> {
    night: &'a Reconciling,
    past: BTreeMap<&'a MemoryId, &'a LongTermMemory>,
    fates: Vec<Fate>,
    /// Which tellings leave an entry of their own behind.
    told: Vec<bool>,
    /// Candidates about which nothing more needs to be asked.
    decided: Vec<Candidate>,
    /// Older entries that no longer hold, with what contradicts them.
    superseded: BTreeMap<MemoryId, (Candidate, Reason)>,
}

impl<'a> Ledger<'a> {
    fn new(night: &'a Reconciling) -> Self {
        let Synthesized { frame, triage, tellings, .. } = &night.synthesized;
        Self {
            night,
            past: frame.past.entries.iter().map(|e| (&e.entry.id, e)).collect(),
            fates: triage.fates.iter().map(|f| doubted(f, frame).unwrap_or_else(|| f.clone())).collect(),
            told: vec![true; tellings.len()],
            decided: Vec::new(),
            superseded: BTreeMap::new(),
        }
    }

    /// Rows a candidate stands for.
    fn rows(&self, candidate: Candidate) -> Vec<usize> {
        let Synthesized { triage, tellings, .. } = &self.night.synthesized;
        match candidate {
            Candidate::Memory(row) => vec![row],
            Candidate::Telling(t) => triage.groups[tellings[t].group].members.clone(),
        }
    }

    /// Holds what nothing close decided against entries further away, claim by claim: a change of mind is often told
    /// inside other sentences. Nothing is merged there, and no language model is asked.
    fn hear_claims(&mut self) {
        let Synthesized { frame, .. } = &self.night.synthesized;
        let settings = &frame.config.reconcile;
        let known = Known::new(&frame.past);
        for (candidate, text, vector) in candidates(&self.night.synthesized, &self.night.vectors) {
            if self.decided.contains(&candidate) {
                continue;
            }
            for near in known.further(vector, settings) {
                if let Some(judged) = contradiction(&near.entry.entry.text, text) {
                    self.hear(&Asked { candidate, entry: near.entry.entry.id.clone() }, near.cosine, &judged);
                }
            }
        }
    }

    fn hear(&mut self, asked: &Asked, cosine: f64, judged: &Judgement) {
        let stance = judged.stance;
        if stance == Stance::Unrelated {
            return;
        }
        self.decided.push(asked.candidate);
        let frame = &self.night.synthesized.frame;
        let Some(&entry) = self.past.get(&asked.entry) else { return };
        let near = Neighbour { entry, cosine };
        let rows = self.rows(asked.candidate);
        match stance {
            Stance::Same => {
                let lossless = |&row: &usize| {
                    let memory = &frame.distinct[row];
                    let must = memory.pinned || memory.importance.get() >= frame.config.triage.important;
                    !must || holds_words(&entry.entry.text, &memory.text)
                };
                if rows.iter().all(lossless) {
                    if let Candidate::Telling(t) = asked.candidate {
                        self.told[t] = false;
                    }
                    let reason = already_known(near, judged, &frame.config.reconcile);
                    for row in rows {
                        self.fates[row] = Fate::Corroborate(asked.entry.clone(), reason.clone());
                    }
                }
            }
            Stance::Contradiction
                if may_supersede(entry, rows.iter().map(|&i| &frame.distinct[i]), frame) =>
            {
                let reason = contradicted(near, judged, &frame.config.reconcile);
                self.superseded.entry(asked.entry.clone()).or_insert((asked.candidate, reason));
            }
            Stance::Contradiction | Stance::Unrelated => {}
        }
    }

    /// What the same night said again is not set aside over what was heard before; nor where what said it again is
    /// important, for its words stand nowhere else.
    fn settle(&mut self) {
        let frame = &self.night.synthesized.frame;
        let mut standing = std::mem::take(&mut self.superseded);
        standing.retain(|old, (candidate, _)| {
            let denied: Vec<&Distinct> =
                self.rows(*candidate).into_iter().map(|i| &frame.distinct[i]).collect();
            let last_denied = denied.iter().map(|d| d.last_at).max();
            let said_again = frame.distinct.iter().zip(&self.fates).filter_map(|(d, fate)| match fate {
                Fate::Corroborate(id, _) if id == old => Some(d),
                _ => None,
            });
            !said_again.into_iter().any(|d| {
                let important = d.importance.get() >= frame.config.triage.important;
                d.pinned || important || Some(d.last_at) >= last_denied
            })
        });
        self.superseded = standing;
    }

    fn write(self) -> NpcNight {
        let Synthesized { frame, vectors, triage, tellings, .. } = &self.night.synthesized;
        let analyses = frame.analyses();
        let own = frame.own();
        let mut writer = Writer::new(frame, &analyses, &own);
        let mut changes = self.collapses();
        changes.extend(self.prunes());
        changes.extend(self.corroborations());

        // New entries by time, so that a plan reads like the day.
        let mut written: Vec<(Candidate, Change)> = Vec::new();
        for (row, fate) in self.fates.iter().enumerate() {
            if let Fate::Store(reason) = fate {
                let entry = Writer::verbatim(&frame.distinct[row], vectors.vector(row));
                written.push((Candidate::Memory(row), Change::Store { entry, reason: reason.clone() }));
            }
        }
        for (t, telling) in tellings.iter().enumerate().filter(|(t, _)| self.told[*t]) {
            let group = &triage.groups[telling.group];
            let entry = writer.synthesis(&group.members, &telling.text, self.night.vectors.vector(t));
            written.push((Candidate::Telling(t), Change::Chunk { entry, reason: group.reason.clone() }));
        }
        written.sort_by(|(_, a), (_, b)| {
            let key = |c: &Change| c.entry().map(|e| (e.at, e.id.clone()));
            key(a).cmp(&key(b))
        });
        let supersedes: Vec<Change> = self
            .superseded
            .iter()
            .filter_map(|(old, (candidate, reason))| {
                let (_, new) = written.iter().find(|(c, _)| c == candidate)?;
                Some(Change::Supersede {
                    id: old.clone(),
                    sources: vec![new.id().clone()],
                    reason: reason.clone(),
                })
            })
            .collect();
        let superseded = supersedes.len();
        changes.extend(written.into_iter().map(|(_, change)| change));
        changes.extend(supersedes);
        let reflections = self.reflections(&mut writer);
        let capped = self.capped(&reflections);
        let themes = writer.themes(triage, vectors);
        let report = Settled {
            synthesized: &self.night.synthesized,
            fates: &self.fates,
            syntheses: &self.told,
            stands: &|row| self.stands(row),
            reflections: reflections.len(),
            superseded,
            capped: capped.len(),
        }
        .report(frame, &writer);
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
    fn capped(&self, drawn: &[Change]) -> Vec<Change> {
        let frame = &self.night.synthesized.frame;
        let touched_tonight: BTreeSet<&MemoryId> = self
            .fates
            .iter()
            .filter_map(|fate| match fate {
                Fate::Corroborate(id, _) => Some(id),
                _ => None,
            })
            .collect();
        let older =
            frame.past.entries.iter().filter(|e| !self.superseded.contains_key(&e.entry.id)).map(|e| {
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
                let old = self.past.get(id)?;
                let again = u32::try_from(rows.len()).unwrap_or(u32::MAX);
                let corroborations = old.corroborations.saturating_add(again);
                let sure = corroborations >= frame.config.reconcile.confident_at;
                let tags: BTreeSet<String> = old
                    .entry
                    .tags
                    .iter()
                    .chain(rows.iter().flat_map(|&i| &frame.distinct[i].tags))
                    .cloned()
                    .collect();
                Some(Change::Corroborate {
                    id: id.clone(),
                    sources: rows.iter().map(|&i| frame.distinct[i].id.clone()).collect(),
                    corroborations,
                    confidence: if sure { Confidence::High } else { old.confidence },
                    last_at: rows
                        .iter()
                        .map(|&i| frame.distinct[i].last_at)
                        .fold(old.entry.last_at, Ord::max),
                    tags: tags.into_iter().collect(),
                    importance: rows
                        .iter()
                        .map(|&i| frame.distinct[i].importance)
                        .fold(old.entry.importance, Ord::max),
                    pinned: old.entry.pinned || rows.iter().any(|&i| frame.distinct[i].pinned),
                    reason: reason.clone().with("times", corroborations),
                })
            })
            .collect()
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
            if insight.rows.iter().any(|&row| copies(vectors.row(row)))
                || known.iter().any(|other| copies(other))
                || drawn.iter().any(|&other| copies(self.night.vectors.row(other)))
            {
                continue;
            }
            drawn.push(at);
            let theme = &triage.themes[insight.theme];
            changes.push(Change::Reflect {
                entry: writer.reflection(insight, self.night.vectors.vector(at)),
                reflection: insight.kind,
                reason: Reason::new(Rule::CohesiveCluster)
                    .with("cohesion", theme.cohesion)
                    .with("cohesion_from", frame.config.budget.reflection_cohesion)
                    .with("memories", theme.members.len()),
            });
        }
        changes
    }

    /// Whether a distinct memory's words stand in an entry that is active after this night.
    fn stands(&self, row: usize) -> bool {
        let Synthesized { frame, tellings, .. } = &self.night.synthesized;
        let words = &frame.distinct[row].text;
        match &self.fates[row] {
            Fate::Store(_) => true,
            Fate::Chunk(group) => tellings.iter().any(|t| t.group == *group && holds_words(&t.text, words)),
            Fate::Corroborate(id, _) => self.past.get(id).is_some_and(|e| holds_words(&e.entry.text, words)),
            Fate::Prune(_) => false,
        }
    }
}
