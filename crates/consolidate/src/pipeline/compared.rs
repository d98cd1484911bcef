//! The second step: pairs of statements that may repeat or contradict each other, waiting for a judge's
//! verdicts.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use nightfold_memory::{
    Judgement, Kind, LanguagePack, MemoryId, Stance, ValidConfig, Vectors, config::JudgeBy, text::part,
};
use serde::{Deserialize, Serialize};

use super::{NightContext, StanceQuestion, Triaged, Verdicts};
use crate::{
    ConsolidateError,
    belief::{Comparison, Reviser, Revision, StatementId, comparisons},
};

/// A day whose statements are paired with those that they may repeat or contradict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    frame: NightContext,
    vectors: Vectors,
    comparisons: Vec<Comparison>,
    questions: Vec<StanceQuestion>,
}

impl Compared {
    pub(super) fn new(frame: NightContext, vectors: Vectors, pack: &dyn LanguagePack) -> Self {
        // Each question to a language model costs tokens: only close pairs are asked about, the rules judge
        // the rest.
        let wide = frame.config.judge.by != JudgeBy::Language;
        let analyses = frame.analyses(pack);
        let comparisons =
            comparisons(&frame.distinct, analyses, &vectors, &frame.past, &frame.config, wide, pack);
        let questions = questions(&frame, &comparisons, wide, pack);
        Self { frame, vectors, comparisons, questions }
    }

    /// Returns the pairs of an older and a newer statement that a stance judge could be asked about.
    pub fn questions(&self) -> &[StanceQuestion] {
        &self.questions
    }

    /// Returns the configuration of the NPC.
    pub fn config(&self) -> &ValidConfig {
        &self.frame.config
    }

    /// Returns the number of tokens that judging may use: half of the night's, so that wording gets the rest.
    pub fn ledger(&self) -> usize {
        self.frame.ledger() / 2
    }

    /// Decides the fate of each memory, given the verdicts of a stance judge. The rules judge what it left
    /// open, and everything if no judge was asked.
    ///
    /// # Errors
    /// [`ConsolidateError`] if the day cannot be clustered.
    pub fn triage(
        self,
        mut verdicts: Verdicts,
        pack: &dyn LanguagePack,
    ) -> Result<Triaged, ConsolidateError> {
        let revision = self.revise(&mut verdicts, pack);
        Triaged::new(self.frame, self.vectors, revision, verdicts, pack)
    }

    /// Returns every comparison that these verdicts decide, with its judgement, in the order of the
    /// questions. Comparisons that an earlier one makes needless are left out.
    pub fn judged(&self, verdicts: &Verdicts, pack: &dyn LanguagePack) -> Vec<JudgedComparison> {
        let id = |comparison: &Comparison| match &comparison.against {
            StatementId::Known(id) => id.clone(),
            StatementId::Row(row) => self.frame.distinct[*row].id.clone(),
        };
        let judged = self.judgements(&mut verdicts.clone(), pack);
        let told = |(at, judgement): (usize, Judgement)| {
            let (comparison, question) = (&self.comparisons[at], &self.questions[at]);
            let (own, other) = (self.frame.distinct[comparison.row].id.clone(), id(comparison));
            let (older, newer) = if comparison.late { (own, other) } else { (other, own) };
            JudgedComparison {
                older: (older, question.older.clone()),
                newer: (newer, question.newer.clone()),
                cosine: comparison.cosine,
                may_contradict: comparison.rivalry.is_some(),
                judgement,
            }
        };
        judged.into_iter().map(told).collect()
    }

    fn revise(&self, verdicts: &mut Verdicts, pack: &dyn LanguagePack) -> Revision {
        let past = self.frame.entries_by_id();
        let judged = self.judgements(verdicts, pack);
        let judged: Vec<(&Comparison, Judgement)> =
            judged.into_iter().map(|(at, judgement)| (&self.comparisons[at], judgement)).collect();
        let (distinct, config) = (self.frame.distinct.as_slice(), &self.frame.config);
        Reviser { distinct, past: &past, config, pack }.revise(&judged)
    }

    /// Returns the judgements of the comparisons, each with the index of its comparison.
    fn judgements(&self, verdicts: &mut Verdicts, pack: &dyn LanguagePack) -> Vec<(usize, Judgement)> {
        let mut judged: Vec<(usize, Judgement)> = Vec::new();
        let mut settled: BTreeSet<usize> = BTreeSet::new();
        for (at, question) in self.questions.iter().enumerate() {
            // Once a statement is settled against its nearest entry, the further ones are not asked about.
            if settled.contains(&question.about) {
                continue;
            }
            let judgement = verdicts.judge(question, &self.frame.config, pack);
            if judgement.stance != Stance::Unrelated {
                settled.insert(question.about);
            }
            judged.push((at, judgement));
        }
        judged
    }
}

/// Two statements that were compared, and the judgement on them.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedComparison {
    /// Statement that happened first: its id and text.
    pub older: (MemoryId, String),
    /// Statement that happened last: its id and text.
    pub newer: (MemoryId, String),
    /// Cosine of their vectors, −1 to 1.
    pub cosine: f64,
    /// True if the older one holds a position that the newer one may end.
    pub may_contradict: bool,
    /// Stance of one to the other, and the evidence for it.
    pub judgement: Judgement,
}

fn questions(
    frame: &NightContext,
    comparisons: &[Comparison],
    wide: bool,
    pack: &dyn LanguagePack,
) -> Vec<StanceQuestion> {
    let past = frame.entries_by_id();
    let compared = |comparison: &Comparison| {
        let parts = comparison.parts.as_ref();
        let judged = |kind: Kind, actors: &[String], text: &str, span: Option<&Range<usize>>| {
            let text = pack.write_out(span.map_or(text, |span| part(text, span.clone())));
            match actors {
                // Who "I" is, the words of talk alone do not say.
                [speaker] if kind == Kind::Chat && !comparison.near => format!("{speaker}: {text}"),
                _ => text.into_owned(),
            }
        };
        let of_row = |row: usize, span| {
            let memory = &frame.distinct[row];
            judged(memory.kind, &memory.actors, &memory.text, span)
        };
        let own = of_row(comparison.row, parts.map(|(own, _)| own));
        let other = match &comparison.against {
            StatementId::Row(row) => of_row(*row, parts.map(|(_, other)| other)),
            StatementId::Known(id) => past.get(id).map_or_else(String::new, |record| {
                let entry = &record.entry;
                judged(entry.kind, &entry.actors, &entry.text, parts.map(|(_, other)| other))
            }),
        };
        if comparison.late { (own, other) } else { (other, own) }
    };
    let texts: Vec<(String, String)> = comparisons.iter().map(compared).collect();
    let mut rules = pack.fact_rules();
    let mut abouts: BTreeMap<usize, usize> = BTreeMap::new();
    let mut next_about = 0;
    let mut questions = Vec::with_capacity(comparisons.len());
    for (comparison, (older, newer)) in comparisons.iter().zip(&texts) {
        let mut fresh = || {
            next_about += 1;
            next_about - 1
        };
        // The nearest entries of a statement share one number, any other comparison has a number of its own.
        let about = match &comparison.against {
            StatementId::Known(_) if comparison.near => *abouts.entry(comparison.row).or_insert_with(fresh),
            _ => fresh(),
        };
        let ruled = rules.judge(older, newer, comparison.cosine);
        let merges = comparison.near && !comparison.late && !ruled.forbids_merge();
        let rivals = comparison.rivalry.is_some();
        let asks = pack.understands()
            && older.trim() != newer.trim()
            && (merges || rivals && (wide || comparison.cosine >= frame.config.reconcile.min_similarity));
        questions.push(StanceQuestion {
            id: questions.len(),
            about,
            older: older.clone(),
            newer: newer.clone(),
            cosine: comparison.cosine,
            ruled,
            asks,
        });
    }
    questions
}
