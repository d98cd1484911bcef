//! The third step: every memory has a fate, and the possible language tasks are known.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{
    Analysis, Answer, CohesionParts, Fault, GameTime, Importance, LanguagePack, LanguageReport, LanguageTask,
    MemoryId, MemoryRecord, PastText, Vectors, WordedReflection,
};
use serde::{Deserialize, Serialize};

use super::{
    NightContext, Synthesized, Verdicts,
    names::NightNames,
    synthesized::{DerivedReflection, Synthesis},
    verdicts::JudgingOutcome,
};
use crate::{
    ConsolidateError,
    belief::{Revision, StatementId},
    cluster::{Clustering, Points},
    cohesion::{DayRows, themes_of_day_with},
    collapse::DistinctMemory,
    gram::Gram,
    map::{DayMap, day_map},
    salience::{Salience, SalienceMeter},
    synthesize::{AcceptedReflection, CheckedAnswer, ReflectingCluster},
    triage::{Triage, Triager},
};

/// A day whose fates are decided, waiting for answers to its language tasks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Triaged {
    frame: NightContext,
    vectors: Vectors,
    /// Salience of each distinct memory.
    saliences: Vec<Salience>,
    triage: Triage,
    tasks: Vec<LanguageTask>,
    /// Cluster of each task, by its id; none of those that connect two.
    task_clusters: Vec<Option<usize>>,
    /// Share of each cluster in the token ledger.
    token_shares: Vec<usize>,
    /// Largest number of reflections of each cluster.
    slots: Vec<usize>,
    judged: JudgingOutcome,
}

/// Returns the themes of the day, with the parts of each one's cohesion. Status lines that represent several readings
/// take no part: each is a subject of its own.
fn themes_of_night(
    frame: &NightContext,
    analyses: &[Analysis],
    vectors: &Vectors,
    gram: &Gram,
) -> Result<(Clustering, Vec<CohesionParts>), ConsolidateError> {
    let open: Vec<usize> =
        (0..frame.distinct.len()).filter(|&i| frame.distinct[i].readings.is_none()).collect();
    let rows: Vec<&DistinctMemory> = open.iter().map(|&i| &frame.distinct[i]).collect();
    let (some_vectors, some_gram);
    let (vectors, gram) = if open.len() == frame.distinct.len() {
        (vectors, gram)
    } else {
        some_vectors = vectors.pick(&open);
        some_gram = Gram::new(&some_vectors);
        (&some_vectors, &some_gram)
    };
    let times: Vec<GameTime> = rows.iter().map(|d| d.at).collect();
    let words: Vec<&[String]> = open.iter().map(|&i| analyses[i].content.as_slice()).collect();
    let importances: Vec<Importance> = rows.iter().map(|d| d.importance).collect();
    let felt = |d: &&DistinctMemory| d.emotion.map_or(0.0, |e| f64::from(e.intensity));
    let intensities: Vec<f64> = rows.iter().map(felt).collect();
    let day = DayRows {
        vectors,
        words: &words,
        times: &times,
        importances: &importances,
        intensities: &intensities,
    };
    let (mut themes, parts) = themes_of_day_with(day, gram, &frame.config)?;
    let all = themes.clusters.iter_mut().chain([&mut themes.loose]).flatten();
    all.for_each(|row| *row = open[*row]);
    Ok((themes, parts))
}

impl Triaged {
    pub(super) fn new(
        mut frame: NightContext,
        vectors: Vectors,
        revision: Revision,
        verdicts: Verdicts,
        pack: &dyn LanguagePack,
    ) -> Result<Self, ConsolidateError> {
        let gram = Gram::new(&vectors);
        let share = frame.share();
        let analyses = frame.analyses(pack);
        let own = frame.name_analysis(pack);
        let (themes, parts) = themes_of_night(&frame, analyses, &vectors, &gram)?;
        let saliences = SalienceMeter {
            distinct: &frame.distinct,
            normal_forms: &frame.normal_forms,
            analyses,
            vectors: &vectors,
            gram: &gram,
            model: &frame.model,
            past: &frame.past,
            config: &frame.config.salience,
            pack,
        }
        .saliences();
        let judge = Triager {
            distinct: &frame.distinct,
            analyses,
            pack,
            saliences: &saliences,
            gram: &gram,
            past: &frame.past,
            revision: &revision,
            config: &frame.config,
            theme_matcher: frame.theme_matcher(&vectors, analyses, &own),
            share,
        };
        let triage = judge.triage(themes, &parts);
        // Entries carry it, so that forgetting and recall go by it too.
        frame.rate_unrated(&saliences);
        let judged = JudgingOutcome { revision, tokens: verdicts.tokens, report: verdicts.report };
        let day = frame.synthesis_context(&own, &vectors, pack);
        let reflecting = day.reflecting_clusters(&triage.themes);
        // A statement that today supersedes is no ground for anything.
        let stands = |record: &&MemoryRecord| !judged.revision.superseded.contains_key(&record.entry.id);
        let past: Vec<&MemoryRecord> = frame.past.entries.iter().filter(stands).collect();
        let tasks = day.tasks(&triage.groups, &reflecting, &day.cluster_pairs(&reflecting), &past);
        let groups = triage.groups.iter().map(|group| group.cluster);
        let task_clusters: Vec<Option<usize>> =
            groups.chain(reflecting.iter().map(|r| Some(r.cluster))).collect();
        let cluster_of = |task: usize| task_clusters.get(task).copied().flatten();
        let token_shares = day.token_shares(&triage.themes, &tasks, cluster_of);
        let mut slots = vec![0; triage.themes.len()];
        reflecting.iter().for_each(|r| slots[r.cluster] = r.slots);
        Ok(Self { frame, vectors, saliences, triage, tasks, task_clusters, token_shares, slots, judged })
    }

    /// Returns the day's distinct memories as points on a plane. Each call computes them anew, because most
    /// nights are never drawn.
    ///
    /// # Errors
    /// [`ConsolidateError`] if the dimensions are to be reduced and cannot be.
    pub fn map(&self, pack: &dyn LanguagePack) -> Result<DayMap, ConsolidateError> {
        let distinct = &self.frame.distinct;
        let times: Vec<GameTime> = distinct.iter().map(|d| d.at).collect();
        let gram = Gram::new(&self.vectors);
        let analyses = self.frame.analyses(pack);
        let words: Vec<&[String]> = analyses.iter().map(|a| a.content.as_slice()).collect();
        let points = Points::new(&self.vectors).with_words(&words)?.with_times(&times)?;
        let near = points.proximity(&gram, &self.frame.config.cluster)?;
        let mut themes = vec![None; distinct.len()];
        for (number, theme) in self.triage.themes.iter().enumerate() {
            theme.members.iter().for_each(|&row| themes[row] = Some(number));
        }
        Ok(day_map(&near, &themes, &distinct.iter().map(|d| &d.id).collect::<Vec<_>>()))
    }

    /// Returns the salience of every memory of the day that is not blank, by its id; repeats and readings share that
    /// of the memory that represents them.
    pub fn saliences(&self) -> impl Iterator<Item = (&MemoryId, &Salience)> {
        self.frame.distinct.iter().zip(&self.saliences).flat_map(|(memory, salience)| {
            let readings = memory.other_readings().map(|reading| &reading.id);
            std::iter::once(&memory.id).chain(&memory.repeats).chain(readings).map(move |id| (id, salience))
        })
    }

    /// Returns the tasks that a language model could be given, the most valuable per token first.
    pub fn tasks(&self) -> &[LanguageTask] {
        &self.tasks
    }

    /// Returns the cluster whose share a task spends first; `None` for loose memories and for two clusters together.
    pub fn cluster_of(&self, task: usize) -> Option<usize> {
        self.task_clusters.get(task).copied().flatten()
    }

    /// Returns the number of tokens that the answers of each cluster may use before those of others that have used
    /// theirs.
    pub fn token_shares(&self) -> &[usize] {
        &self.token_shares
    }

    /// Returns the number of tokens that the answers may use together: the rest of the night's ledger after
    /// judging.
    pub fn ledger(&self) -> usize {
        self.frame.ledger().saturating_sub(self.judged.tokens)
    }

    /// Checks the answers to a task by rules. [`Triaged::synthesize`] skips answers with a fault in any case; answers
    /// with a sentence that does not follow are to be left out of what it is given.
    pub fn check(&self, task: usize, answers: &[Answer], pack: &dyn LanguagePack) -> Vec<CheckedAnswer> {
        let own = self.frame.name_analysis(pack);
        let day = self.frame.synthesis_context(&own, &self.vectors, pack);
        if let Some(group) = self.triage.groups.get(task) {
            return day.check_synthesis(&group.members, answers);
        }
        let reflecting = day.reflecting_clusters(&self.triage.themes);
        let theme = task - self.triage.groups.len();
        if let Some(reflecting) = reflecting.get(theme) {
            return day.check_reflections(reflecting, past_of(&self.tasks, task), (task, answers));
        }
        let pairs = day.cluster_pairs(&reflecting);
        match pairs.get(theme - reflecting.len()) {
            Some(pair) => day.check_connection(pair, (task, answers)),
            None => vec![Err(Fault::Malformed); answers.len()],
        }
    }

    /// Words syntheses and reflections by rules alone.
    pub fn synthesize_by_rules(self, pack: &dyn LanguagePack) -> Synthesized {
        self.synthesize(LanguageAnswers::default(), pack)
    }

    /// Words syntheses and reflections with the answers that pass the checks, and by rules if there is none
    /// or none passes.
    pub fn synthesize(self, said: LanguageAnswers, pack: &dyn LanguagePack) -> Synthesized {
        let Self { frame, vectors, triage, tasks, token_shares, slots, judged, .. } = self;
        let own = frame.name_analysis(pack);
        let day = frame.synthesis_context(&own, &vectors, pack);
        let answered = |id: usize| said.answers.get(&id).map(Vec::as_slice);
        let syntheses = triage
            .groups
            .iter()
            .enumerate()
            .map(|(id, group)| Synthesis {
                group: id,
                text: day.synthesis(&group.members, answered(id).unwrap_or_default()),
            })
            .collect();
        let reflecting: Vec<ReflectingCluster> = day.reflecting_clusters(&triage.themes);
        let pairs = day.cluster_pairs(&reflecting);
        let first = triage.groups.len();
        let namer = NightNames::new(&frame, frame.analyses(pack), &own, pack);
        let names: Vec<String> =
            reflecting.iter().map(|r| namer.cluster_name(&triage.themes[r.cluster], &r.rows)).collect();
        let changed = changed_by_day(&judged.revision);
        let mut insights: Vec<DerivedReflection> = day
            .conclusions(&frame.past, &changed)
            .into_iter()
            .map(|(drawn, earlier)| DerivedReflection::concluded(drawn, earlier))
            .collect();
        let most = day.most_reflections();
        let concluded: BTreeSet<usize> = insights.iter().flat_map(|i| i.rows.iter().copied()).collect();
        for ((id, of_theme), name) in (first..).zip(&reflecting).zip(&names) {
            let past = past_of(&tasks, id);
            if let Some(said) = answered(id).and_then(|said| day.answered_reflections(of_theme, past, said)) {
                let said = said.into_iter();
                insights.extend(said.map(|d| DerivedReflection::said(d, of_theme.cluster, name.clone())));
                continue;
            }
            let pattern = day.pattern(&of_theme.rows, name);
            let is_new = |(p, _): &(WordedReflection, String)| {
                2 * p.rows.iter().filter(|row| concluded.contains(row)).count() < p.rows.len()
            };
            let drawn = pattern.into_iter().filter(is_new).take(most.saturating_sub(insights.len()));
            let of_theme = |(d, subject)| DerivedReflection::of_theme(d, of_theme.cluster, subject);
            insights.extend(drawn.map(of_theme));
        }
        for (id, pair) in (first + reflecting.len()..).zip(&pairs) {
            let drawn = day.connection(pair, answered(id).unwrap_or_default());
            let said = |d: AcceptedReflection| DerivedReflection::said(d, pair.clusters[0], String::new());
            insights.extend(drawn.map(said));
        }
        let estimate = tasks.iter().map(|t| t.tokens).sum();
        let LanguageAnswers { tokens: spent, report: language, .. } = said;
        Synthesized {
            frame,
            vectors,
            triage,
            token_shares,
            slots,
            syntheses,
            insights,
            estimate,
            spent,
            language,
            judged,
        }
    }
}

/// Returns the past that a task shows.
fn past_of(tasks: &[LanguageTask], id: usize) -> &[PastText] {
    tasks.iter().find(|task| task.id == id).map_or(&[], |task| &task.past)
}

/// Returns the entries that memories of the day supersede, or of which they end a position: id of each, and the row of the memory.
fn changed_by_day(revision: &Revision) -> Vec<(&MemoryId, usize)> {
    let superseded = revision.superseded.iter().map(|(id, (newer, _))| (id, newer));
    let in_part = revision.ended.iter().filter_map(|ending| match &ending.older {
        StatementId::Known(id) => Some((id, &ending.newer)),
        StatementId::Row(_) => None,
    });
    let row = |newer: &StatementId| match newer {
        StatementId::Row(row) => Some(*row),
        StatementId::Known(_) => None,
    };
    superseded.chain(in_part).filter_map(|(id, newer)| Some((id, row(newer)?))).collect()
}

/// Answers of a language model to a night's tasks.
#[derive(Debug, Clone, Default)]
pub struct LanguageAnswers {
    /// Answers by task id. For a reflection task an empty list is an answer too; tasks that are missing here
    /// are left to the rules.
    pub answers: BTreeMap<usize, Vec<Answer>>,
    /// Tokens that the answers cost.
    pub tokens: usize,
    /// Statistics of the requests, for the report.
    pub report: Option<LanguageReport>,
}
