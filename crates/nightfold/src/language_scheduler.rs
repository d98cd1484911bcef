//! Tasks for a language model, within the token ledgers of a run. The rules do the tasks that it does not answer.

use std::{borrow::Cow, error::Error as _};

use nightfold_consolidate::{CheckedAnswer, LanguageAnswers, Triaged};
use nightfold_memory::{
    Answer, BYTES_PER_TOKEN, Fault, LanguageError, LanguageModel, LanguagePack, LanguageReport, LanguageTask,
    NpcId, Reply, Request, Stance, TaskKind,
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

    /// Checks the answers to a task by rules.
    fn check(&self, task: usize, answers: &[Answer], pack: &dyn LanguagePack) -> Vec<CheckedAnswer>;
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

    fn check(&self, task: usize, answers: &[Answer], pack: &dyn LanguagePack) -> Vec<CheckedAnswer> {
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
        let mut task = Cow::Borrowed(task);
        let mut faults: Vec<Fault> = Vec::new();
        let mut tries = 0;
        while tries < MAX_TRIES {
            match self.put(&task, &faults) {
                Ok(reply) => {
                    let checked = self.set.check(task.id, &reply.answers, self.pack);
                    let found: Vec<Option<Fault>> = checked.into_iter().map(|one| self.fault(one)).collect();
                    // A reflection task may have no answer; a synthesis needs a text.
                    let silent = reply.answers.is_empty() && task.kind != TaskKind::Synthesis;
                    let fine = |(answer, fault): (Answer, &Option<Fault>)| fault.is_none().then_some(answer);
                    let accepted: Vec<Answer> =
                        reply.answers.into_iter().zip(&found).filter_map(fine).collect();
                    faults = found.into_iter().flatten().collect();
                    self.count(&faults);
                    if silent || !accepted.is_empty() {
                        self.report.answered += 1;
                        self.answers.answers.insert(task.id, accepted);
                        return;
                    }
                }
                // Nothing was sent. What bears least on the question is left out of it.
                Err(LanguageError::OverBudget { needed, left }) => {
                    let Some(shorter) = task.with_shorter_past(needed.saturating_sub(left)) else {
                        self.report.unaffordable += 1;
                        return;
                    };
                    task = Cow::Owned(shorter);
                    continue;
                }
                Err(LanguageError::Malformed { .. }) => faults = vec![Fault::Malformed],
                Err(LanguageError::CutShort { .. }) => faults = vec![Fault::TooLong],
                Err(_) => return,
            }
            tries += 1;
        }
    }

    /// Puts a question, and counts it with its cost.
    fn put(&mut self, task: &LanguageTask, faults: &[Fault]) -> Result<Reply, LanguageError> {
        let left = self.ledger.saturating_sub(self.answers.tokens);
        if task.tokens > left {
            let needed = left + (task.tokens - left).saturating_mul(BYTES_PER_TOKEN);
            return Err(LanguageError::OverBudget { needed, left });
        }
        let result = self.scheduler.model.answer(&Request { task, faults, tokens: left });
        let tokens = match &result {
            Err(LanguageError::OverBudget { .. }) => return result,
            Ok(reply) => reply.tokens,
            Err(error) => {
                let (model, cause) =
                    (self.scheduler.model.name(), error.source().map(tracing::field::display));
                tracing::warn!(model, task = task.id, %error, cause, "no usable answer");
                *self.report.failures.entry(error.kind().to_owned()).or_default() += 1;
                error.tokens()
            }
        };
        self.scheduler.outage.count(!matches!(result, Err(LanguageError::Unreachable { .. })));
        self.report.calls += 1;
        self.answers.tokens = self.answers.tokens.saturating_add(tokens);
        result
    }

    /// Returns the fault of an answer: that of the rules, or that of its first sentence that the model itself, asked
    /// about nothing else, does not find borne out. What it does not answer is not borne out.
    fn fault(&mut self, checked: CheckedAnswer) -> Option<Fault> {
        let questions = match checked {
            Ok(questions) => questions,
            Err(fault) => return Some(fault),
        };
        questions.iter().find_map(|question| {
            let reply = self.put(question, &[]).ok();
            let said = reply.as_ref().and_then(|reply| reply.answers.first()).map(|a| a.text.as_str());
            match said {
                Some(said) if said == Stance::Same.as_str() => None,
                Some(said) if said == Stance::Contradiction.as_str() => Some(Fault::Contradicted),
                _ => Some(Fault::Unsupported),
            }
        })
    }

    fn count(&mut self, faults: &[Fault]) {
        for fault in faults {
            *self.report.faults.entry(fault.as_str().to_owned()).or_default() += 1;
        }
    }
}
