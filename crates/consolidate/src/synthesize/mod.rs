//! Syntheses of groups and reflections on clusters: by rules, unless a language model's answer passes the
//! same checks.

mod conclusions;
mod past;

use std::{borrow::Cow, collections::BTreeSet};

use nightfold_memory::{
    Analysis, Answer, BYTES_PER_TOKEN, CheckedSource, Fault, Kind, LanguagePack, LanguageTask, MemoryId,
    MemoryRecord, PastStanding, PastText, PatternText, ReflectionKind, ReflectionSource, SourceText,
    SynthesisSource, TaskKind, TextBounds, ThemePattern, ValidConfig, Vectors, WordedReflection, text::part,
};

use crate::{
    budget::{ShareRequest, apportion, reflection_slots},
    collapse::DistinctMemory,
    salience::FeelingReader,
    triage::{ChunkGroup, TriagedCluster},
};

/// Maximum number of memories shown in a request about one cluster, the most important first.
const SHOWN_MEMORIES: usize = 20;
/// Estimated tokens of a prompt without its memories, after the prompts of `nightfold-language`.
const PROMPT_TOKENS: usize = 640;
/// Estimated tokens of an answer.
const ANSWER_TOKENS: usize = 120;
/// Bytes around a memory in a prompt.
const MEMORY_OVERHEAD_BYTES: usize = 40;

/// Bytes of a conclusion of an earlier night: no share of the tokens depends on its wording.
const CONCLUSION_BYTES: usize = 80;

/// A cluster that may yield reflections.
pub(crate) struct ReflectingCluster {
    pub(crate) cluster: usize,
    pub(crate) slots: usize,
    /// Rows that reflections may rest on, in order of time.
    pub(crate) rows: Vec<usize>,
}

/// Two clusters that may yield a reflection together.
pub(crate) struct ClusterPair {
    pub(crate) clusters: [usize; 2],
    /// Most important rows of the first cluster, then of the second.
    pub(crate) rows: Vec<usize>,
    /// Number of rows that are of the first cluster.
    pub(crate) first: usize,
}

/// Number of memories of each cluster that a reflection on two clusters is asked with.
const MEMORIES_PER_CLUSTER: usize = 4;

/// Returns the estimated tokens of a prompt with these memories and this past, together with those of its answers.
pub(crate) fn estimated_tokens(sources: &[SourceText], past: &[PastText], answers: usize) -> usize {
    let known = past.iter().map(|text| match text.standing {
        PastStanding::Concluded => CONCLUSION_BYTES,
        PastStanding::Known | PastStanding::Open => text.text.len(),
    });
    let bytes: usize =
        sources.iter().map(|s| s.text.len()).chain(known).map(|bytes| bytes + MEMORY_OVERHEAD_BYTES).sum();
    PROMPT_TOKENS + answers * ANSWER_TOKENS + bytes.div_ceil(BYTES_PER_TOKEN)
}

/// Result of checking one answer by rules: the questions if its sentences follow from what it cites, or the fault.
pub type CheckedAnswer = Result<Vec<LanguageTask>, Fault>;

/// Reflection of a model that the rules accept, with its sources.
pub(crate) struct AcceptedReflection {
    pub(crate) drawn: WordedReflection,
    /// Entries of earlier nights that it rests on.
    pub(crate) earlier: Vec<MemoryId>,
    sources: Vec<SourceText>,
}

/// Returns a question for each sentence of a text of the NPC `me`: if it follows from these sources. The questions have the
/// number of the task that the text answers.
pub(crate) fn support_questions(
    id: usize,
    me: &str,
    text: &str,
    sources: &[SourceText],
    pack: &dyn LanguagePack,
) -> Vec<LanguageTask> {
    let question = |span| {
        let text = part(text, span).to_owned();
        let sentence = SourceText { text, said_by: None, ..sources.first()?.clone() };
        let sources: Vec<SourceText> = sources.iter().cloned().chain([sentence]).collect();
        let tokens = estimated_tokens(&sources, &[], 0);
        let (kind, me, past) = (TaskKind::Support, me.to_owned(), Vec::new());
        Some(LanguageTask { id, kind, me, sources, past, tokens, value: 0.0 })
    };
    pack.sentences(text).into_iter().filter_map(question).collect()
}

/// Input of syntheses and reflections: the day and its settings.
pub(crate) struct SynthesisContext<'a> {
    pub(crate) distinct: &'a [DistinctMemory],
    pub(crate) analyses: &'a [Analysis],
    /// Vectors of the memories.
    pub(crate) vectors: &'a Vectors,
    /// The NPC's name.
    pub(crate) name: &'a str,
    /// Analysis of the NPC's name.
    pub(crate) name_analysis: &'a Analysis,
    pub(crate) config: &'a ValidConfig,
    pub(crate) pack: &'a dyn LanguagePack,
    /// Reader of the feelings of memories.
    pub(crate) feelings: FeelingReader,
    /// Share of its budgets that the night may use, 0 to 1.
    pub(crate) share: f64,
    /// Number of tokens that language models may use.
    pub(crate) ledger: usize,
}

/// A memory that a synthesis covers.
struct SynthesisMember<'a> {
    memory: &'a DistinctMemory,
    text: &'a str,
    analysis: Cow<'a, Analysis>,
    /// True if its words may not be changed.
    verbatim: bool,
    /// True if the memory is a reading of a status line, whose value is stated even if an earlier reading had
    /// the same value.
    reading: bool,
}

/// Returns a memory of the NPC `me` as a task shows it.
fn source_text(memory: &DistinctMemory, me: &str) -> SourceText {
    SourceText {
        id: memory.id.clone(),
        text: memory.text.clone(),
        verbatim: false,
        said_by: memory.heard_from(me),
    }
}

impl SynthesisMember<'_> {
    fn source_text(&self, me: &str) -> SourceText {
        SourceText { verbatim: self.verbatim, ..source_text(self.memory, me) }
    }
}

impl SynthesisContext<'_> {
    /// Returns the themes that may yield reflections: the most cohesive ones that are important enough. The first of
    /// them may yield most.
    pub(crate) fn reflecting_clusters(&self, themes: &[TriagedCluster]) -> Vec<ReflectingCluster> {
        let budget = &self.config.budget;
        let mut fit: Vec<ReflectingCluster> = themes
            .iter()
            .enumerate()
            .map(|(cluster, t)| {
                // Reflections rest on events, never on reflections.
                let lived = |&i: &usize| self.distinct[i].kind != Kind::Reflection;
                let rows = t.members.iter().copied().filter(lived).collect();
                ReflectingCluster { cluster, slots: 0, rows }
            })
            .filter(|r| r.rows.len() >= 2 && self.is_important(&r.rows))
            .collect();
        fit.sort_by(|a, b| {
            themes[b.cluster].cohesion.total_cmp(&themes[a.cluster].cohesion).then(a.cluster.cmp(&b.cluster))
        });
        fit.truncate(budget.reflection_clusters);
        let granted = reflection_slots(fit.len(), budget.reflections_per_cluster, self.share);
        fit.iter_mut().zip(granted).for_each(|(reflecting, slots)| reflecting.slots = slots);
        fit.retain(|r| r.slots > 0);
        fit
    }

    /// True if the rows are important enough on average: idle states are the most cohesive, and teach
    /// nothing.
    fn is_important(&self, rows: &[usize]) -> bool {
        let sum: u32 = rows.iter().map(|&i| u32::from(self.distinct[i].importance.get())).sum();
        f64::from(sum) >= rows.len() as f64 * self.config.budget.reflection_importance
    }

    /// Returns the pairs of reflecting clusters that may be connected, the most cohesive first.
    pub(crate) fn cluster_pairs(&self, reflecting: &[ReflectingCluster]) -> Vec<ClusterPair> {
        let pairs = (1..reflecting.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        pairs
            .take(self.config.budget.connections)
            .map(|(a, b)| {
                let first = self.most_important(&reflecting[a].rows, MEMORIES_PER_CLUSTER);
                let second = self.most_important(&reflecting[b].rows, MEMORIES_PER_CLUSTER);
                let clusters = [reflecting[a].cluster, reflecting[b].cluster];
                ClusterPair { clusters, first: first.len(), rows: [first, second].concat() }
            })
            .collect()
    }

    /// Returns the most important of some rows, in order of time.
    fn most_important(&self, rows: &[usize], most: usize) -> Vec<usize> {
        let mut rows = rows.to_vec();
        rows.sort_by_key(|&i| (std::cmp::Reverse(self.distinct[i].importance), i));
        rows.truncate(most);
        rows.sort_unstable();
        rows
    }

    /// Returns the tasks that a language model could be given, the most valuable per token first. Ids number
    /// the groups, then the reflecting clusters, then the pairs of these. `past` holds the active entries.
    pub(crate) fn tasks(
        &self,
        groups: &[ChunkGroup],
        reflecting: &[ReflectingCluster],
        pairs: &[ClusterPair],
        past: &[&MemoryRecord],
    ) -> Vec<LanguageTask> {
        if !self.pack.understands() {
            return Vec::new();
        }
        let syntheses = groups.iter().map(|g| (TaskKind::Synthesis, &g.members));
        let reflections = reflecting.iter().map(|r| (TaskKind::Reflections { slots: r.slots }, &r.rows));
        let connections = pairs.iter().map(|p| (TaskKind::Connection { first: p.first }, &p.rows));
        let mut tasks: Vec<LanguageTask> = syntheses
            .chain(reflections)
            .chain(connections)
            .enumerate()
            .filter(|(id, (kind, _))| {
                let loose = groups.get(*id).is_some_and(|group| group.cluster.is_none());
                *kind != TaskKind::Synthesis || !loose
            })
            .map(|(id, (kind, rows))| self.task(id, kind, rows, past))
            .collect();
        tasks.sort_by(|a, b| b.value.total_cmp(&a.value).then(a.id.cmp(&b.id)));
        tasks
    }

    fn task(&self, id: usize, kind: TaskKind, rows: &[usize], past: &[&MemoryRecord]) -> LanguageTask {
        let answers = match kind {
            TaskKind::Synthesis | TaskKind::Connection { .. } | TaskKind::Stance | TaskKind::Support => 1,
            TaskKind::Reflections { slots } => slots,
        };
        let sources: Vec<SourceText> = match kind {
            TaskKind::Synthesis => {
                self.members(rows).iter().map(|member| member.source_text(self.name)).collect()
            }
            TaskKind::Reflections { .. } => self.source_texts(&self.most_important(rows, SHOWN_MEMORIES)),
            TaskKind::Connection { .. } | TaskKind::Stance | TaskKind::Support => self.source_texts(rows),
        };
        let past = match kind {
            TaskKind::Reflections { .. } => self.past_texts(rows, past),
            _ => Vec::new(),
        };
        let tokens = estimated_tokens(&sources, &past, answers);
        let importance: u32 = rows.iter().map(|&i| u32::from(self.distinct[i].importance.get())).sum();
        LanguageTask {
            id,
            kind,
            me: self.me(),
            sources,
            past,
            tokens,
            value: f64::from(importance) / tokens as f64,
        }
    }

    /// Returns the NPC's name as it is spoken: an id may write a space as an underscore.
    fn me(&self) -> String {
        self.name.replace('_', " ")
    }

    fn source_texts(&self, rows: &[usize]) -> Vec<SourceText> {
        rows.iter().map(|&i| source_text(&self.distinct[i], self.name)).collect()
    }

    /// Returns each theme's share of the token ledger: by cohesion and size, and no more than its tasks can use.
    pub(crate) fn token_shares(
        &self,
        themes: &[TriagedCluster],
        tasks: &[LanguageTask],
        cluster_of: impl Fn(usize) -> Option<usize>,
    ) -> Vec<usize> {
        let mut wanted = vec![0; themes.len()];
        for task in tasks {
            if let Some(cluster) = cluster_of(task.id) {
                wanted[cluster] += task.tokens;
            }
        }
        let requests = themes.iter().zip(wanted).map(|(theme, cap)| ShareRequest {
            floor: 0,
            cap,
            weight: theme.cohesion.max(0.0) * theme.members.len() as f64,
        });
        apportion(self.ledger, &requests.collect::<Vec<_>>())
    }

    /// Returns the text of a group: the first answer without a fault, otherwise a text by rules.
    pub(crate) fn synthesis(&self, rows: &[usize], answers: &[Answer]) -> String {
        let heard = self.members(rows);
        let fine = answers.iter().find(|a| self.synthesis_fault(&heard, a).is_none());
        fine.map_or_else(|| self.text_by_rules(&heard), |a| a.text.clone())
    }

    /// Checks each answer to the task of a group. What it may add and leave out, the rules see.
    pub(crate) fn check_synthesis(&self, rows: &[usize], answers: &[Answer]) -> Vec<CheckedAnswer> {
        if answers.is_empty() {
            // A group needs a text.
            return vec![Err(Fault::Empty)];
        }
        let heard = self.members(rows);
        answers.iter().map(|a| self.synthesis_fault(&heard, a).map_or(Ok(Vec::new()), Err)).collect()
    }

    fn synthesis_fault(&self, heard: &[SynthesisMember<'_>], answer: &Answer) -> Option<Fault> {
        let sources: Vec<CheckedSource<'_>> = heard
            .iter()
            .map(|h| CheckedSource {
                text: h.text,
                analysis: &h.analysis,
                verbatim: h.verbatim,
                is_heard: false,
            })
            .collect();
        let bounds =
            TextBounds { max_chars: 2 * self.config.synthesis.max_chars, own_name: self.name_analysis };
        self.pack.synthesis_fault(&answer.text, &sources, bounds)
    }

    /// Returns the text of some memories, by rules.
    fn text_by_rules(&self, heard: &[SynthesisMember<'_>]) -> String {
        let sources: Vec<SynthesisSource<'_>> = heard
            .iter()
            .map(|h| SynthesisSource {
                text: h.text,
                analysis: &h.analysis,
                importance: h.memory.importance.get(),
                verbatim: h.verbatim,
                reading: h.reading,
            })
            .collect();
        self.pack.synthesis(&sources)
    }

    fn is_verbatim(&self, row: usize) -> bool {
        self.distinct[row].importance.get() >= self.config.triage.important
    }

    /// Returns the memories that a synthesis of these rows covers, in order of time; a status line is
    /// replaced by its readings.
    fn members(&self, rows: &[usize]) -> Vec<SynthesisMember<'_>> {
        let (most, chars) = (self.config.triage.max_group, self.config.synthesis.max_chars);
        let mut heard = Vec::with_capacity(rows.len());
        for &row in rows {
            let canonical = &self.distinct[row];
            let names = || self.analyses[row].names.iter().map(String::as_str).collect::<Vec<_>>();
            for memory in canonical.selected_readings(most, chars) {
                let analysis = if memory.id == canonical.id {
                    Cow::Borrowed(&self.analyses[row])
                } else {
                    Cow::Owned(self.pack.analyze(&memory.text, &names()))
                };
                heard.push(SynthesisMember {
                    memory,
                    text: &memory.text,
                    analysis,
                    verbatim: self.is_verbatim(row),
                    reading: canonical.readings.is_some(),
                });
            }
        }
        heard.sort_by_key(|h| (h.memory.at, &h.memory.id));
        heard
    }

    /// Returns the reflections that a model draws from one cluster, given its answers and the past that it was shown;
    /// `None` if it has answered and nothing is accepted.
    pub(crate) fn answered_reflections(
        &self,
        reflecting: &ReflectingCluster,
        past: &[PastText],
        answers: &[Answer],
    ) -> Option<Vec<AcceptedReflection>> {
        let believed = answers.iter().filter_map(|a| self.accept_reflection(&reflecting.rows, past, a).ok());
        let believed: Vec<AcceptedReflection> = believed.take(reflecting.slots).collect();
        (answers.is_empty() || !believed.is_empty()).then_some(believed)
    }

    /// True for a memory that teaches something: what is unimportant does not, nor does the state of a thing in which
    /// nobody has a part.
    pub(crate) fn is_lived(&self, row: usize) -> bool {
        let (memory, read) = (&self.distinct[row], &self.analyses[row]);
        let takes_part = memory.kind == Kind::Chat
            || !memory.actors.is_empty()
            || !read.names.is_empty()
            || read.tokens.iter().any(|token| token.speaker);
        takes_part && memory.importance.get() >= self.config.triage.unimportant
    }

    /// Returns the reflection that says how much of the day was about a theme with this name, and what it names; `None` if
    /// it was little.
    pub(crate) fn pattern(&self, rows: &[usize], name: &str) -> Option<(WordedReflection, String)> {
        let rows: Vec<usize> = rows.iter().copied().filter(|&row| self.is_lived(row)).collect();
        let sources: Vec<ReflectionSource<'_>> =
            rows.iter().map(|&row| self.reflection_source(row)).collect();
        let theme = ThemePattern { name, sources: &sources, of: self.distinct.len() };
        let PatternText { text, subject, sources } = self.pack.pattern(&theme)?;
        let rows = sources.into_iter().map(|at| rows[at]).collect();
        Some((WordedReflection { kind: ReflectionKind::Pattern, text, rows }, subject))
    }

    /// Returns the names of everyone who took part in the day, in order.
    fn people(&self) -> Vec<&str> {
        let people: BTreeSet<&str> =
            self.distinct.iter().flat_map(|d| &d.actors).map(String::as_str).collect();
        people.into_iter().collect()
    }

    /// Checks each answer about one cluster, given the past that the model was shown.
    pub(crate) fn check_reflections(
        &self,
        reflecting: &ReflectingCluster,
        past: &[PastText],
        (task, answers): (usize, &[Answer]),
    ) -> Vec<CheckedAnswer> {
        let accept = |a| Ok(self.questions(&self.accept_reflection(&reflecting.rows, past, a)?, task));
        answers.iter().map(accept).collect()
    }

    /// Returns the reflection that connects two clusters, if an answer of a model is accepted.
    pub(crate) fn connection(&self, pair: &ClusterPair, answers: &[Answer]) -> Option<AcceptedReflection> {
        answers.iter().find_map(|a| self.accept_connection(pair, a).ok())
    }

    /// Checks each answer about two clusters.
    pub(crate) fn check_connection(
        &self,
        pair: &ClusterPair,
        (task, answers): (usize, &[Answer]),
    ) -> Vec<CheckedAnswer> {
        answers.iter().map(|a| Ok(self.questions(&self.accept_connection(pair, a)?, task))).collect()
    }

    fn accept_connection(&self, pair: &ClusterPair, answer: &Answer) -> Result<AcceptedReflection, Fault> {
        let mut accepted = self.accept_reflection(&pair.rows, &[], answer)?;
        let (first, second) = pair.rows.split_at(pair.first);
        let rests_on = |theme: &[usize]| accepted.drawn.rows.iter().any(|row| theme.contains(row));
        if !(rests_on(first) && rests_on(second)) {
            return Err(Fault::OneTheme);
        }
        accepted.drawn.kind = ReflectionKind::Connection;
        Ok(accepted)
    }

    fn questions(&self, accepted: &AcceptedReflection, id: usize) -> Vec<LanguageTask> {
        support_questions(id, &self.me(), &accepted.drawn.text, &accepted.sources, self.pack)
    }

    fn reflection_source(&self, row: usize) -> ReflectionSource<'_> {
        let d = &self.distinct[row];
        ReflectionSource {
            row,
            text: &d.text,
            analysis: &self.analyses[row],
            kind: d.kind,
            importance: d.importance.get(),
            feeling: self.feelings.feeling(d.emotion, self.vectors.row(row)),
            is_felt: d.emotion.is_some(),
            actors: &d.actors,
            is_heard: d.heard_from(self.name).is_some(),
            at: d.at,
            vector: self.vectors.row(row),
        }
    }

    /// Checks an answer. Cited ids that were not given are dropped; an answer with fewer than two left, or with none of
    /// the day, is rejected.
    fn accept_reflection(
        &self,
        given: &[usize],
        past: &[PastText],
        answer: &Answer,
    ) -> Result<AcceptedReflection, Fault> {
        let cited = |id: &MemoryId| answer.cites.contains(id);
        let mut rows: Vec<usize> = given.iter().copied().filter(|&i| cited(&self.distinct[i].id)).collect();
        rows.sort_unstable();
        if rows.is_empty() {
            return Err(Fault::TooFewCited);
        }
        let citable = |past: &&PastText| past.standing != PastStanding::Concluded && cited(&past.id);
        let earlier: Vec<&PastText> = past.iter().filter(citable).collect();
        let read: Vec<Analysis> = earlier.iter().map(|past| self.pack.analyze(&past.text, &[])).collect();
        let text_of = |past: &&PastText| SourceText {
            id: past.id.clone(),
            text: past.text.clone(),
            verbatim: false,
            said_by: past.said_by.clone(),
        };
        let texts: Vec<SourceText> = earlier.iter().map(text_of).chain(self.source_texts(&rows)).collect();
        let analyses = read.iter().chain(rows.iter().map(|&i| &self.analyses[i]));
        let checked = |(source, analysis)| {
            let source: &SourceText = source;
            let is_heard = source.said_by.is_some();
            CheckedSource { text: &source.text, analysis, verbatim: false, is_heard }
        };
        let sources: Vec<CheckedSource<'_>> = texts.iter().zip(analyses).map(checked).collect();
        let bounds = TextBounds { max_chars: self.config.synthesis.max_chars, own_name: self.name_analysis };
        if let Some(fault) = self.pack.reflection_fault(&answer.text, &sources, bounds) {
            return Err(fault);
        }
        let kind = answer.kind.unwrap_or(ReflectionKind::Pattern);
        Ok(AcceptedReflection {
            drawn: WordedReflection { kind, text: answer.text.clone(), rows },
            earlier: earlier.iter().map(|past| past.id.clone()).collect(),
            sources: texts,
        })
    }
}
