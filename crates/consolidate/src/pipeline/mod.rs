//! Steps of a night in order, each a type that holds everything the next one needs.

mod compared;
mod draft;
mod entry_writer;
mod invalidated;
mod names;
mod plan_writer;
mod reconciliation;
mod reconciling;
mod report;
mod same_day;
mod synthesized;
mod triaged;
mod verdicts;

use std::{collections::BTreeMap, sync::OnceLock};

use nightfold_memory::{
    Analysis, Change, GameTime, Grammar, Importance, InputCounts, LanguagePack, Memory, MemoryId,
    MemoryRecord, MemorySnapshot, ModelId, NightLabel, NormalForm, NpcId, Reason, Rule, SleepBudget, State,
    ValidConfig, Vector, Vectors, config::ProfileName,
};
use serde::{Deserialize, Serialize};

pub use compared::{Compared, JudgedComparison};
pub use draft::Draft;
pub(crate) use entry_writer::verbatim_entry;
pub use reconciling::Reconciling;
pub use synthesized::Synthesized;
pub use triaged::{LanguageAnswers, Triaged};
pub use verdicts::{StanceQuestion, Verdicts};

use crate::{
    budget::{LeftOut, share_of_night},
    collapse::DistinctMemory,
    salience::{FeelingReader, Salience},
    synthesize,
    themes::ThemeMatcher,
};

/// Data that every step of one NPC's night carries along.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct NightContext {
    npc: NpcId,
    night: NightLabel,
    until: GameTime,
    model: ModelId,
    /// Configuration of the NPC: that of its profile, if one applies.
    config: ValidConfig,
    /// Profile that applies to the NPC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    profile: Option<ProfileName>,
    /// Tags of the NPC.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    npc_tags: Vec<String>,
    /// Snapshot of the NPC's memory.
    past: MemorySnapshot,
    /// New memories in canonical order, blank ones included.
    memories: Vec<Memory>,
    /// Sleep of the night, if the day states it.
    sleep: Option<SleepBudget>,
    /// Distinct texts among the memories; a status line represents all readings of the same status.
    distinct: Vec<DistinctMemory>,
    /// Distinct texts beyond `cluster.max_distinct`: they are archived unread.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<LeftOut>,
    /// Note on the memories of another clock, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    clock_note: Option<String>,
    /// Note on the memories that were renamed, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    renaming_note: Option<String>,
    counts: InputCounts,
    /// Normal forms of the distinct texts, by row; a text without one is its own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    normal_forms: BTreeMap<usize, NormalForm>,
    /// Grammar of the distinct texts, by row, as far as the embedder read it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    grammars: BTreeMap<usize, Grammar>,
    /// Analysis of each distinct text, computed at first use. It follows from the texts and their
    /// grammar, so it is neither saved nor compared.
    #[serde(skip)]
    analyses: Analyses,
    /// Changes that bring recalled faint entries back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    restores: Vec<Change>,
}

/// Analyses of a day, computed at first use.
#[derive(Debug, Clone, Default)]
struct Analyses(OnceLock<Vec<Analysis>>);

impl PartialEq for Analyses {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl NightContext {
    /// Returns the analysis of each distinct text, read in the context of the whole day.
    fn analyses(&self, pack: &dyn LanguagePack) -> &[Analysis] {
        self.analyses.0.get_or_init(|| {
            let actors = self.distinct.iter().flat_map(|d| &d.actors).map(String::as_str);
            let people: Vec<&str> = actors.chain([self.npc.as_str()]).collect();
            let texts: Vec<&str> = self.distinct.iter().map(|d| d.text.as_str()).collect();
            let mut analyses = pack.analyze_day(&texts, &people);
            for (row, grammar) in &self.grammars {
                if let Some(analysis) = analyses.get_mut(*row) {
                    analysis.grammar = Some(grammar.clone());
                }
            }
            analyses
        })
    }

    /// Returns the normal form of a distinct text.
    fn normal_text<'a>(&'a self, row: usize, memory: &'a DistinctMemory) -> &'a str {
        self.normal_forms.get(&row).map_or(memory.text.as_str(), NormalForm::text)
    }

    /// Gives each memory that the game does not rate its salience as importance, at least 1 and below
    /// `triage.important`: no text makes itself a memory that is never lost.
    fn rate_unrated(&mut self, saliences: &[Salience]) {
        let most = f64::from(self.config.triage.important.saturating_sub(1).max(1));
        for (memory, salience) in self.distinct.iter_mut().zip(saliences).filter(|(memory, _)| !memory.given)
        {
            let rounded = salience.total.round().clamp(1.0, most) as u8;
            memory.importance = Importance::new(rounded).unwrap_or(Importance::DEFAULT);
        }
    }

    /// Brings the recalled faint entries back among the active ones, so that the day is compared with them. `vectors` are those
    /// of the entries that have none, in their order.
    fn restore_recalled(&mut self, vectors: Vec<Vector>) {
        let mut vectors = vectors.into_iter();
        for mut record in std::mem::take(&mut self.past.recalled) {
            let added = if record.entry.vector.is_none() { vectors.next() } else { None };
            let mut reason = Reason::new(Rule::Recalled).with("recalls", record.recalls);
            if let Some(rule) = record.archived_by.take() {
                reason = reason.with("put_away_by", rule.as_str());
            }
            let id = record.entry.id.clone();
            self.restores.push(Change::Restore { id, sources: Vec::new(), vector: added.clone(), reason });
            record.entry.vector = record.entry.vector.or(added);
            (record.state, record.sketch, record.touched_at) = (State::Active, None, self.until);
            self.past.entries.push(record);
        }
        self.past.entries.sort_by(|a, b| a.entry.id.cmp(&b.entry.id));
    }

    /// Returns the active entries by id.
    fn entries_by_id(&self) -> BTreeMap<&MemoryId, &MemoryRecord> {
        self.past.entries.iter().map(|record| (&record.entry.id, record)).collect()
    }

    /// Returns all distinct memories of the day: those that the night takes, then those beyond its bound.
    fn all_distinct(&self) -> impl Iterator<Item = &DistinctMemory> {
        self.distinct.iter().chain(self.left_out.iter().map(|(memory, _)| memory))
    }

    /// Returns the share of its budgets that the night may use, 0 to 1.
    fn share(&self) -> f64 {
        share_of_night(self.sleep, &self.config.sleep)
    }

    /// Returns the matcher of the day's clusters with known themes; `vectors` and `analyses` are those of the distinct
    /// memories, `own` is the analysis of the NPC's name.
    fn theme_matcher<'a>(
        &'a self,
        vectors: &'a Vectors,
        analyses: &'a [Analysis],
        own: &'a Analysis,
    ) -> ThemeMatcher<'a> {
        ThemeMatcher {
            distinct: &self.distinct,
            vectors,
            analyses,
            own,
            night: &self.night,
            until: self.until,
            config: &self.config.themes,
        }
    }

    /// Returns the number of tokens that language models may use.
    fn ledger(&self) -> usize {
        (self.config.budget.tokens as f64 * self.share()).floor() as usize
    }

    /// Returns the input of syntheses and reflections.
    fn synthesis_context<'a>(
        &'a self,
        own: &'a Analysis,
        vectors: &'a Vectors,
        pack: &'a dyn LanguagePack,
    ) -> synthesize::SynthesisContext<'a> {
        let (distinct, config, analyses) = (&self.distinct, &self.config, self.analyses(pack));
        let (name, share, ledger) = (self.npc.as_str(), self.share(), self.ledger());
        synthesize::SynthesisContext {
            distinct,
            analyses,
            vectors,
            name,
            name_analysis: own,
            config,
            pack,
            feelings: FeelingReader::of(&self.model),
            share,
            ledger,
        }
    }

    /// Returns the analysis of the NPC's name.
    fn name_analysis(&self, pack: &dyn LanguagePack) -> Analysis {
        pack.analyze(self.npc.as_str(), &[self.npc.as_str()])
    }
}
