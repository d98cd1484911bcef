//! Questions to a stance judge, within the token ledgers of a run. The fallback rule decides pairs without an answer.

use std::error::Error as _;

use nightfold_consolidate::{Compared, Reconciling, StanceQuestion, Verdicts};
use nightfold_memory::{
    JudgeError, JudgeReport, Judgement, LanguageError, LanguagePack, NpcId, Stance, StanceJudge, StancePair,
    ValidConfig,
};

use crate::{Observer, ledger::RunLedger, outage::Outage};

/// A step of a night with pairs for the judge.
pub(crate) trait AwaitsVerdicts: Sync {
    /// Returns the pairs to be judged.
    fn questions(&self) -> &[StanceQuestion];
    /// Returns the number of tokens that judging may cost.
    fn ledger(&self) -> usize;
    /// Returns the configuration of the NPC.
    fn config(&self) -> &ValidConfig;
}

macro_rules! awaits_verdicts {
    ($($step:ty),*) => {$(
        impl AwaitsVerdicts for $step {
            fn questions(&self) -> &[StanceQuestion] {
                self.questions()
            }

            fn ledger(&self) -> usize {
                self.ledger()
            }

            fn config(&self) -> &ValidConfig {
                self.config()
            }
        }
    )*};
}

awaits_verdicts!(Compared, Reconciling);

/// Maximum number of pairs handed to a judge at once: enough for a model to read side by side, and few enough that a
/// night that is cancelled ends soon.
const BATCH: usize = 16;

/// Name of the failure of a judge that panicked.
const PANICKED: &str = "panicked";

/// Name of the failure of a judge that returned fewer answers than it was asked pairs.
const NO_ANSWER: &str = "no-answer";

/// The stance judge of a run, with its failures so far.
pub(crate) struct JudgeScheduler<'a> {
    judge: &'a dyn StanceJudge,
    outage: Outage,
}

impl<'a> JudgeScheduler<'a> {
    pub(crate) fn new(judge: &'a dyn StanceJudge) -> Self {
        Self { judge, outage: Outage::default() }
    }

    /// Asks the judge the questions of these nights; returns the verdicts of each night, or the message of a panic.
    pub(crate) fn ask_all<W: AwaitsVerdicts>(
        &self,
        nights: &[(&NpcId, &W, &dyn LanguagePack)],
        ledger: &mut RunLedger,
        observer: &dyn Observer,
    ) -> Vec<Result<Verdicts, String>> {
        let wants: Vec<usize> = nights.iter().map(|(_, night, _)| night.ledger()).collect();
        let ask = |at: usize, granted: usize| {
            let (npc, night, pack) = nights[at];
            self.ask(night.questions(), granted, night.config(), pack, &|| observer.is_cancelled(npc))
        };
        ledger.distribute(&wants, ask, |verdicts| verdicts.tokens)
    }

    /// Asks the questions of one night, whose NPC has the configuration `own`. Each candidate is compared with its closest entry first, and with the next
    /// one only if the verdict was *unrelated*, so no tokens are spent on questions that turn out unnecessary.
    fn ask(
        &self,
        questions: &[StanceQuestion],
        ledger: usize,
        own: &ValidConfig,
        pack: &dyn LanguagePack,
        wakes: &dyn Fn() -> bool,
    ) -> Verdicts {
        let mut put = JudgeDialog::new(self, ledger);
        let mut open: Vec<&[StanceQuestion]> = questions.chunk_by(|a, b| a.about == b.about).collect();
        while !open.is_empty() {
            let asked: Vec<&StanceQuestion> =
                open.iter().filter_map(|about| about.first()).filter(|q| q.is_open()).collect();
            for some in asked.chunks(self.batch_size()) {
                put.ask(some.iter().map(|q| (q.id, q.pair())), wakes);
            }
            open.retain_mut(|about| {
                let Some((first, rest)) = about.split_first() else { return false };
                let settled = first.resolve(put.verdicts.verdicts.get(&first.id).copied(), own, pack);
                *about = rest;
                settled.stance == Stance::Unrelated && !rest.is_empty()
            });
        }
        put.finish()
    }

    fn batch_size(&self) -> usize {
        BATCH.min(self.judge.max_batch()).max(1)
    }
}

/// Questions of one night, or of a part of a list of pairs, with the answers so far.
struct JudgeDialog<'a> {
    scheduler: &'a JudgeScheduler<'a>,
    ledger: usize,
    verdicts: Verdicts,
    report: JudgeReport,
}

impl<'a> JudgeDialog<'a> {
    fn new(scheduler: &'a JudgeScheduler<'a>, ledger: usize) -> Self {
        let report = JudgeReport { judge: scheduler.judge.name().to_owned(), ..JudgeReport::default() };
        Self { scheduler, ledger, verdicts: Verdicts::default(), report }
    }

    /// Asks the judge about some pairs in one call, each with its id.
    fn ask<'p>(&mut self, some: impl Iterator<Item = (usize, StancePair<'p>)>, wakes: &dyn Fn() -> bool) {
        let (ids, pairs): (Vec<usize>, Vec<StancePair<'p>>) = some.unzip();
        let JudgeScheduler { judge, outage } = self.scheduler;
        if wakes() || outage.is_lasting() {
            self.report.unasked += pairs.len();
            return;
        }
        let reply = judge.judge(&pairs, self.ledger.saturating_sub(self.verdicts.tokens));
        self.verdicts.tokens = self.verdicts.tokens.saturating_add(reply.tokens);
        let mut answers = reply.verdicts.into_iter();
        for id in ids {
            match answers.next() {
                Some(Ok(verdict)) => {
                    self.report.asked += 1;
                    self.report.answered += 1;
                    self.verdicts.verdicts.insert(id, verdict);
                    outage.count(true);
                }
                Some(Err(error)) => self.record_error(id, &error),
                None => self.record_failure(NO_ANSWER),
            }
        }
    }

    fn record_error(&mut self, id: usize, error: &JudgeError) {
        if let JudgeError::Language(LanguageError::OverBudget { .. }) = error {
            self.report.unaffordable += 1;
            return;
        }
        self.scheduler.outage.count(!error.is_unresponsive());
        let (judge, cause) = (self.scheduler.judge.name(), error.source().map(tracing::field::display));
        tracing::warn!(judge, pair = id, %error, cause, "no judgement");
        self.record_failure(error.kind());
    }

    fn record_failure(&mut self, kind: &str) {
        self.report.asked += 1;
        *self.report.failures.entry(kind.to_owned()).or_default() += 1;
    }

    fn finish(self) -> Verdicts {
        Verdicts { report: Some(self.report), ..self.verdicts }
    }
}

/// Asks a judge the questions of one night, for at most `tokens` tokens. Without a judge no verdicts are returned,
/// and the rules decide. `config` is the configuration of the NPC, as the step itself has it
/// ([`Compared::config`], [`Reconciling::config`]). Meant for callers that take a night through its steps one by one.
pub fn judge_questions(
    judge: Option<&dyn StanceJudge>,
    questions: &[StanceQuestion],
    tokens: usize,
    config: &ValidConfig,
    pack: &dyn LanguagePack,
) -> Verdicts {
    judge.map_or_else(Verdicts::default, |judge| {
        JudgeScheduler::new(judge).ask(questions, tokens, config, pack, &|| false)
    })
}

/// Judgements of pairs, with the report and cost of asking.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedPairs {
    /// One judgement for each pair, in the order of the pairs.
    pub judgements: Vec<Judgement>,
    /// Counts of questions and answers; `None` if the rules judged.
    pub report: Option<JudgeReport>,
    /// Tokens spent.
    pub tokens: usize,
}

/// Judges pairs as a night does: by the rules, or by `judge`, whose verdicts the rules can veto, and by the fallback
/// rule if it does not answer or panics. All pairs together cost at most `language.tokens_per_run` tokens; each pair
/// may use an equal share of them.
///
/// ```
/// use nightfold::{english::English, judge_pairs, memory::{Stance, StancePair, ValidConfig}};
///
/// let pair = StancePair { older: "The gate is open.", newer: "The gate is not open.", cosine: 0.97 };
/// let judged = judge_pairs(None, &[pair], &ValidConfig::default(), &English);
/// assert_eq!(judged.judgements[0].stance, Stance::Contradiction);
/// ```
pub fn judge_pairs(
    judge: Option<&dyn StanceJudge>,
    pairs: &[StancePair<'_>],
    config: &ValidConfig,
    pack: &dyn LanguagePack,
) -> JudgedPairs {
    let Some(judge) = judge else {
        let judgements = pairs.iter().map(|p| pack.judge(p.older, p.newer, p.cosine)).collect();
        return JudgedPairs { judgements, report: None, tokens: 0 };
    };
    let judging = JudgeScheduler::new(judge);
    let questions: Vec<StanceQuestion> =
        pairs.iter().enumerate().map(|(id, pair)| question(id, pair, pack)).collect();
    let open: Vec<&StanceQuestion> = questions.iter().filter(|q| q.is_open()).collect();
    let parts: Vec<&[&StanceQuestion]> = open.chunks(judging.batch_size()).collect();
    let in_all = usize::try_from(config.language.tokens_per_run).unwrap_or(usize::MAX);
    let each = in_all / open.len().max(1);
    let wants: Vec<usize> = parts.iter().map(|part| each.saturating_mul(part.len())).collect();
    let ask = |at: usize, granted: usize| {
        let mut put = JudgeDialog::new(&judging, granted);
        put.ask(parts[at].iter().map(|q| (q.id, q.pair())), &|| false);
        put.finish()
    };
    let mut ledger = RunLedger::new(config);
    let answered = ledger.distribute(&wants, ask, |verdicts| verdicts.tokens);
    let name = judge.name().to_owned();
    let mut verdicts = Verdicts {
        report: Some(JudgeReport { judge: name, ..JudgeReport::default() }),
        ..Verdicts::default()
    };
    for (answer, asked) in answered.into_iter().zip(&parts) {
        let part = answer.unwrap_or_else(|panic| {
            tracing::error!(judge = judge.name(), panic, "judging some pairs panicked");
            let mut put = JudgeDialog::new(&judging, 0);
            asked.iter().for_each(|_| put.record_failure(PANICKED));
            put.finish()
        });
        verdicts.verdicts.extend(part.verdicts);
        if let (Some(all), Some(report)) = (&mut verdicts.report, &part.report) {
            all.add(report);
        }
    }
    let judgements = questions.iter().map(|question| verdicts.judge(question, config, pack)).collect();
    JudgedPairs { judgements, report: verdicts.report, tokens: ledger.spent() }
}

fn question(id: usize, pair: &StancePair<'_>, pack: &dyn LanguagePack) -> StanceQuestion {
    let (older, newer) = (pair.older.to_owned(), pair.newer.to_owned());
    let asks = older.trim() != newer.trim();
    let ruled = pack.judge(&older, &newer, pair.cosine);
    StanceQuestion { id, about: id, older, newer, cosine: pair.cosine, ruled, asks }
}
