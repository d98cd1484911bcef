//! Tasks for a language model, within the token ledgers of a run. The rules do the tasks that it does not answer.

use std::sync::atomic::{AtomicUsize, Ordering};

use nightfold_consolidate::{LanguageAnswers, Triaged};
use nightfold_memory::{
    Fault, LanguageError, LanguageModel, LanguagePack, LanguageReport, LanguageTask, NpcId, Request,
    TaskKind, ValidConfig,
};

use crate::{Observer, ledger::RunLedger};

/// Number of times that the model is asked to do a task before its answers are given up as faulty.
const MAX_TRIES: usize = 2;

/// The language model of a run, with its failures so far.
pub(crate) struct LanguageScheduler<'a> {
    model: &'a dyn LanguageModel,
    observer: &'a dyn Observer,
    give_up_after: usize,
    /// Number of consecutive calls that did not reach the model.
    consecutive_failures: AtomicUsize,
}

impl<'a> LanguageScheduler<'a> {
    pub(crate) fn new(
        model: &'a dyn LanguageModel,
        config: &ValidConfig,
        observer: &'a dyn Observer,
    ) -> Self {
        let give_up_after = config.language.give_up_after;
        Self { model, observer, give_up_after, consecutive_failures: AtomicUsize::new(0) }
    }

    /// Asks the model to do the tasks of these nights; returns the answers of each night, or the message of a panic.
    pub(crate) fn ask_all(
        &self,
        nights: &[(&NpcId, &Triaged, &dyn LanguagePack)],
        ledger: &mut RunLedger,
    ) -> Vec<Result<LanguageAnswers, String>> {
        let wants: Vec<usize> = nights.iter().map(|(_, triaged, _)| triaged.ledger()).collect();
        let ask = |at: usize, granted: usize| {
            let (npc, triaged, pack) = nights[at];
            self.ask(npc, triaged, pack, granted)
        };
        ledger.distribute(&wants, ask, |said| said.tokens)
    }

    /// Asks the model to do the tasks of one night, as long as the night's ledger has tokens for them: first those that
    /// their cluster's share of it can pay, then the others, in both rounds the most valuable first. Unusable answers count with all their tokens; servers report the counts, so sums saturate instead of
    /// overflowing.
    fn ask(&self, npc: &NpcId, triaged: &Triaged, pack: &dyn LanguagePack, ledger: usize) -> LanguageAnswers {
        let tasks = triaged.tasks();
        let report = LanguageReport {
            model: self.model.name().to_owned(),
            tasks: tasks.len(),
            ..LanguageReport::default()
        };
        let mut talk = NightDialog {
            scheduler: self,
            triaged,
            pack,
            ledger,
            answers: LanguageAnswers::default(),
            report,
        };
        let given_up = || {
            self.observer.is_cancelled(npc)
                || self.consecutive_failures.load(Ordering::Relaxed) >= self.give_up_after
        };
        let mut shares = triaged.token_shares().to_vec();
        let mut over_share = Vec::new();
        for task in tasks {
            match triaged.cluster_of(task.id).and_then(|cluster| shares.get_mut(cluster)) {
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

/// Tasks of one night, with the answers and costs so far.
struct NightDialog<'a> {
    scheduler: &'a LanguageScheduler<'a>,
    triaged: &'a Triaged,
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
                    self.scheduler.consecutive_failures.store(0, Ordering::Relaxed);
                    let checked = self.triaged.check(task.id, &reply.answers, self.pack);
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
                    tracing::warn!(model = self.scheduler.model.name(), task = task.id, %error, "no usable answer");
                    self.answers.tokens = self.answers.tokens.saturating_add(error.tokens());
                    match &error {
                        LanguageError::Unreachable { .. } => {
                            self.scheduler.consecutive_failures.fetch_add(1, Ordering::Relaxed);
                        }
                        _ => {
                            self.scheduler.consecutive_failures.store(0, Ordering::Relaxed);
                        }
                    }
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
