//! The second step: statements of the day beside those they may repeat or exclude, waiting for what a judge says of each pair.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{
    Evidence, JudgeBy, Judgement, LanguagePack, MemoryId, MemoryRecord, RecordKind, Stance, ValidConfig,
    Vectors, text::part,
};
use serde::{Deserialize, Serialize};

use super::{Frame, StanceQuestion, Triaged, Verdicts};
use crate::{
    ConsolidateError,
    belief::{Against, Comparison, Revising, Revision, comparisons},
};

/// A day whose statements are laid beside what they may repeat or exclude.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    frame: Frame,
    vectors: Vectors,
    comparisons: Vec<Comparison>,
    questions: Vec<StanceQuestion>,
}

impl Compared {
    pub(super) fn new(frame: Frame, vectors: Vectors, pack: &dyn LanguagePack) -> Self {
        // Every question to a language model is paid for: only what lies close is worth one, and rules look at the rest.
        let wide = frame.config.judge.by != JudgeBy::Language;
        let analyses = frame.analyses(pack);
        let comparisons =
            comparisons(&frame.distinct, analyses, &vectors, &frame.past, &frame.config, wide, pack);
        let questions = questions(&frame, &comparisons, wide, pack);
        Self { frame, vectors, comparisons, questions }
    }

    /// Pairs of an older and a newer statement that a stance judge could be asked about.
    pub fn questions(&self) -> &[StanceQuestion] {
        &self.questions
    }

    /// Tokens that asking may cost: half of the night's, so that words can be found for what is told.
    pub fn ledger(&self) -> usize {
        self.frame.ledger() / 2
    }

    /// Decides what becomes of each memory, given what a stance judge said; what it left open, and everything where none was
    /// asked, is judged by the rules.
    ///
    /// # Errors
    /// [`ConsolidateError`] when no themes can be found.
    pub fn triage(
        self,
        mut verdicts: Verdicts,
        pack: &dyn LanguagePack,
    ) -> Result<Triaged, ConsolidateError> {
        let revision = self.revise(&mut verdicts, pack);
        Triaged::new(self.frame, self.vectors, revision, verdicts, pack)
    }

    /// Every comparison that these verdicts decide, in the order of the questions, with what it was judged to be. Those that an
    /// earlier one makes needless are left out.
    pub fn judged(&self, verdicts: &Verdicts, pack: &dyn LanguagePack) -> Vec<JudgedComparison> {
        let id = |comparison: &Comparison| match &comparison.against {
            Against::Known(id) | Against::Archived(id) => id.clone(),
            Against::Row(row) => self.frame.distinct[*row].id.clone(),
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
                may_exclude: comparison.exclusion.is_some(),
                judgement,
            }
        };
        judged.into_iter().map(told).collect()
    }

    fn revise(&self, verdicts: &mut Verdicts, pack: &dyn LanguagePack) -> Revision {
        let past: BTreeMap<&MemoryId, &MemoryRecord> = self.frame.known().map(|e| (&e.entry.id, e)).collect();
        let judged = self.judgements(verdicts, pack);
        let judged: Vec<(&Comparison, Judgement)> =
            judged.into_iter().map(|(at, judgement)| (&self.comparisons[at], judgement)).collect();
        let (distinct, config) = (self.frame.distinct.as_slice(), &self.frame.config);
        Revising { distinct, past: &past, config, pack }.revise(&judged)
    }

    /// Judgements of the comparisons, by number.
    fn judgements(&self, verdicts: &mut Verdicts, pack: &dyn LanguagePack) -> Vec<(usize, Judgement)> {
        let mut rules = pack.fact_rules();
        let mut judged: Vec<(usize, Judgement)> = Vec::new();
        let mut settled: BTreeSet<usize> = BTreeSet::new();
        let of_ours = self.frame.past.entries.iter().filter(|e| e.entry.form == RecordKind::Reflection);
        let insights: BTreeSet<Against> = of_ours.map(|e| Against::Known(e.entry.id.clone())).collect();
        for (at, (comparison, question)) in self.comparisons.iter().zip(&self.questions).enumerate() {
            // Once it is said what a statement is to its nearest entry, the further ones were not asked about.
            if settled.contains(&question.about) {
                continue;
            }
            let mut judgement = verdicts.on_read(question, &self.frame.config, &mut *rules, pack);
            if judgement.stance == Stance::Contradiction
                && let Some(why) = needs_rules(
                    comparison,
                    question,
                    &judgement,
                    insights.contains(&comparison.against),
                    &self.frame.config,
                    pack,
                )
            {
                // What lies apart is of two occasions more often than a judge of two sentences believes.
                let ruled = rules.judge(&question.older, &question.newer, question.cosine);
                if ruled.stance != Stance::Contradiction {
                    judgement.stance = Stance::Unrelated;
                    judgement.evidence = Evidence::Unconfirmed(why);
                }
            }
            if judgement.stance != Stance::Unrelated {
                settled.insert(question.about);
            }
            judged.push((at, judgement));
        }
        judged
    }
}

/// Two statements that were compared, and what they were judged to be.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedComparison {
    /// The statement that happened first, with its words.
    pub older: (MemoryId, String),
    /// The statement that happened last, with its words.
    pub newer: (MemoryId, String),
    /// Cosine of their vectors, −1 to 1.
    pub cosine: f64,
    /// True if one of them may exclude the other: neither is unasserted, they are not two passing activities, not of strangers.
    pub may_exclude: bool,
    /// Stance of one to the other, and what decided it.
    pub judgement: Judgement,
}

/// The reason a verdict of contradiction needs the rules beside it; `None` where the judge is sure enough. What lies apart, or tells of
/// two happenings, is of two occasions more often than a judge of two sentences believes: there it must be surer. An insight of ours is
/// about a matter and not of a moment: whatever is new of the matter looks to a judge as if it excluded it.
fn needs_rules(
    comparison: &Comparison,
    question: &StanceQuestion,
    judgement: &Judgement,
    insight: bool,
    config: &ValidConfig,
    pack: &dyn LanguagePack,
) -> Option<&'static str> {
    let verdict = judgement.verdict.filter(|_| judgement.evidence == Evidence::Asked)?;
    if insight && comparison.cosine < config.reconcile.min_similarity {
        return Some("apart from an insight");
    }
    let (from, judged) = (config.judge.apart_from, verdict.contradiction);
    if judged < from && comparison.cosine < config.reconcile.min_similarity {
        return Some("apart, and below judge.apart_from");
    }
    // Of two happenings, half of the doubt that is left is too much.
    let two_happenings = || pack.is_episode(&question.older) && pack.is_episode(&question.newer);
    (judged < f64::midpoint(from, 1.0) && two_happenings())
        .then_some("two happenings, and not halfway between judge.apart_from and 1")
}

fn questions(
    frame: &Frame,
    comparisons: &[Comparison],
    wide: bool,
    pack: &dyn LanguagePack,
) -> Vec<StanceQuestion> {
    let past: BTreeMap<&MemoryId, &str> =
        frame.known().map(|e| (&e.entry.id, e.entry.text.as_str())).collect();
    let mut rules = pack.fact_rules();
    let mut abouts: BTreeMap<usize, usize> = BTreeMap::new();
    let mut next_about = 0;
    let mut questions = Vec::with_capacity(comparisons.len());
    for comparison in comparisons {
        let own = frame.distinct[comparison.row].text.as_str();
        let other = match &comparison.against {
            Against::Known(id) | Against::Archived(id) => past.get(id).copied().unwrap_or_default(),
            Against::Row(row) => &frame.distinct[*row].text,
        };
        let (own, other) = match &comparison.parts {
            Some((of_own, of_other)) => (part(own, of_own.clone()), part(other, of_other.clone())),
            None => (own, other),
        };
        let mut fresh = || {
            next_about += 1;
            next_about - 1
        };
        // The nearest entries of a statement are one matter, anything else each its own.
        let about = match &comparison.against {
            Against::Known(_) | Against::Archived(_) if comparison.near => {
                *abouts.entry(comparison.row).or_insert_with(fresh)
            }
            _ => fresh(),
        };
        let (older, newer) = if comparison.late { (own, other) } else { (other, own) };
        let ruled = rules.judge(older, newer, comparison.cosine);
        let merges = comparison.near && !comparison.late && !ruled.holds_apart();
        let excludes = comparison.exclusion.is_some();
        let asks = pack.understands()
            && older.trim() != newer.trim()
            && (merges || excludes && (wide || comparison.near));
        let (older, newer) = (older.to_owned(), newer.to_owned());
        questions.push(StanceQuestion {
            id: questions.len(),
            about,
            older,
            newer,
            cosine: comparison.cosine,
            asks,
        });
    }
    questions
}
