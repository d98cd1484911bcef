//! Tasks for a language model, within the token ledgers of a run. The rules do the tasks that it does not answer.

use std::error::Error as _;

use nightfold_consolidate::{AnswerCheck, LanguageAnswers, Triaged};
use nightfold_memory::{
    Answer, Fault, LanguageError, LanguageModel, LanguagePack, LanguageReport, LanguageTask, NpcId, Request,
    TaskKind,
};

use crate::{Observer, ledger::RunLedger, outage::Outage};

/// Number of times that the model is asked to do a task before its answers are given up as faulty.
const MAX_TRIES: usize = 2;

/// Tasks of one NPC, with the check of their answers.
pub(crate) trait TaskSet: Sync {
    /// Returns the tasks, the most valuable per token first.
    fn tasks(&self) -> &[LanguageTask];

    /// Returns the number of tokens that the answers may use together.
    fn ledger(&self) -> usize;

    /// Returns the shares of the ledger that single tasks spend first; none by default.
    fn shares(&self) -> &[usize] {
        &[]
    }

    /// Returns the share that a task spends first.
    fn share_of(&self, _task: usize) -> Option<usize> {
        None
    }

    /// Returns the number of accepted answers to a task and the faults of the rejected ones.
    fn check(&self, task: usize, answers: &[Answer], pack: &dyn LanguagePack) -> AnswerCheck;
}

impl TaskSet for Triaged {
    fn tasks(&self) -> &[LanguageTask] {
        self.tasks()
    }

    fn ledger(&self) -> usize {
        self.ledger()
    }

    fn shares(&self) -> &[usize] {
        self.token_shares()
    }

    fn share_of(&self, task: usize) -> Option<usize> {
        self.cluster_of(task)
    }

    fn check(&self, task: usize, answers: &[Answer], pack: &dyn LanguagePack) -> AnswerCheck {
        self.check(task, answers, pack)
    }
}

/// The language model of a run, with its failures so far.
pub(crate) struct LanguageScheduler<'a> {
    model: &'a dyn LanguageModel,
    observer: &'a dyn Observer,
    outage: Outage,
}

impl<'a> LanguageScheduler<'a> {
    pub(crate) fn new(model: &'a dyn LanguageModel, observer: &'a dyn Observer) -> Self {
        Self { model, observer, outage: Outage::default() }
    }

    /// Asks the model to do the tasks of these NPCs; returns the answers for each NPC, or the message of a panic.
    pub(crate) fn ask_all(
        &self,
        asked: &[(&NpcId, &dyn TaskSet, &dyn LanguagePack)],
        ledger: &mut RunLedger,
    ) -> Vec<Result<LanguageAnswers, String>> {
        let wants: Vec<usize> = asked.iter().map(|(_, tasks, _)| tasks.ledger()).collect();
        let ask = |at: usize, granted: usize| {
            let (npc, tasks, pack) = asked[at];
            self.ask(npc, tasks, pack, granted)
        };
        ledger.distribute(&wants, ask, |said| said.tokens)
    }

    /// Asks the model to do the tasks of one NPC, as long as its ledger has tokens for them: first those that their
    /// share of it can pay, then the others, in both rounds the most valuable first. Unusable answers count with all
    /// their tokens; servers report the counts, so sums saturate instead of overflowing.
    fn ask(&self, npc: &NpcId, set: &dyn TaskSet, pack: &dyn LanguagePack, ledger: usize) -> LanguageAnswers {
        let tasks = set.tasks();
        let report = LanguageReport {
            model: self.model.name().to_owned(),
            tasks: tasks.len(),
            ..LanguageReport::default()
        };
        let mut talk =
            NightDialog { scheduler: self, set, pack, ledger, answers: LanguageAnswers::default(), report };
        let given_up = || self.observer.is_cancelled(npc) || self.outage.is_lasting();
        let mut shares = set.shares().to_vec();
        let mut over_share = Vec::new();
        for task in tasks {
            match set.share_of(task.id).and_then(|share| shares.get_mut(share)) {
                Some(share) if task.tokens <= *share => {
                    let before = talk.answers.tokens;
                    talk.ask_unless(task, given_up);
                    *share = share.saturating_sub(talk.answers.tokens - before);
                }
                _ => over_share.push(task),
            }
        }
        for task in over_share {
            talk.ask_unless(task, given_up);
        }
        LanguageAnswers { report: Some(talk.report), ..talk.answers }
    }
}

/// Tasks of one NPC, with the answers and costs so far.
struct NightDialog<'a> {
    scheduler: &'a LanguageScheduler<'a>,
    set: &'a dyn TaskSet,
    pack: &'a dyn LanguagePack,
    ledger: usize,
    answers: LanguageAnswers,
    report: LanguageReport,
}

impl NightDialog<'_> {
    fn ask_unless(&mut self, task: &LanguageTask, given_up: impl Fn() -> bool) {
        if given_up() { self.report.unasked += 1 } else { self.ask(task) }
    }

    fn ask(&mut self, task: &LanguageTask) {
        let mut faults: Vec<Fault> = Vec::new();
        for _ in 0..MAX_TRIES {
            let left = self.ledger.saturating_sub(self.answers.tokens);
            if task.tokens > left {
                self.report.unaffordable += 1;
                return;
            }
            let request = Request { task, faults: &faults, tokens: left };
            match self.scheduler.model.answer(&request) {
                Ok(reply) => {
                    self.report.calls += 1;
                    self.answers.tokens = self.answers.tokens.saturating_add(reply.tokens);
                    self.scheduler.outage.count(true);
                    let checked = self.set.check(task.id, &reply.answers, self.pack);
                    self.count(&checked.faults);
                    // A reflection task may have no answer; a synthesis needs a text.
                    let silent = reply.answers.is_empty() && task.kind != TaskKind::Synthesis;
                    if checked.accepted > 0 || silent {
                        self.report.answered += 1;
                        self.answers.answers.insert(task.id, reply.answers);
                        return;
                    }
                    faults = checked.faults;
                }
                Err(error) => {
                    if let LanguageError::OverBudget { .. } = error {
                        self.report.unaffordable += 1;
                        return;
                    }
                    let (model, cause) =
                        (self.scheduler.model.name(), error.source().map(tracing::field::display));
                    tracing::warn!(model, task = task.id, %error, cause, "no usable answer");
                    self.answers.tokens = self.answers.tokens.saturating_add(error.tokens());
                    self.scheduler.outage.count(!matches!(error, LanguageError::Unreachable { .. }));
                    self.report.calls += 1;
                    *self.report.failures.entry(error.kind().to_owned()).or_default() += 1;
                    faults = match error {
                        LanguageError::Malformed { .. } => vec![Fault::Malformed],
                        LanguageError::CutShort { .. } => vec![Fault::TooLong],
                        _ => return,
                    };
                }
            }
        }
    }

    fn count(&mut self, faults: &[Fault]) {
        for fault in faults {
            *self.report.faults.entry(fault.as_str().to_owned()).or_default() += 1;
        }
    }
}
