//! Tasks for a language model, within the token ledgers of a run. The rules do the tasks that it does not answer.

use std::sync::atomic::{AtomicUsize, Ordering};

use nightfold_consolidate::{Said, Triaged};
use nightfold_memory::{
    Fault, LanguageError, LanguageModel, LanguagePack, LanguageReport, LanguageTask, NpcId, Request,
    TaskKind, ValidConfig,
};

use crate::{Observer, ledger::RunLedger};

/// Number of times that the model is asked to do a task before its answers are given up as faulty.
const TRIES: usize = 2;

/// The language model of a run, with its failures so far.
pub(crate) struct Asking<'a> {
    model: &'a dyn LanguageModel,
    observer: &'a dyn Observer,
    give_up_after: usize,
    /// Number of consecutive calls that did not reach the model.
    unanswered: AtomicUsize,
}

impl<'a> Asking<'a> {
    pub(crate) fn new(
        model: &'a dyn LanguageModel,
        config: &ValidConfig,
        observer: &'a dyn Observer,
    ) -> Self {
        let give_up_after = config.language.give_up_after;
        Self { model, observer, give_up_after, unanswered: AtomicUsize::new(0) }
    }

    /// Asks the model to do the tasks of these nights; returns the answers of each night, or the message of a panic.
    pub(crate) fn ask_all(
        &self,
        nights: &[(&NpcId, &Triaged, &dyn LanguagePack)],
        ledger: &mut RunLedger,
    ) -> Vec<Result<Said, String>> {
        let wants: Vec<usize> = nights.iter().map(|(_, triaged, _)| triaged.ledger()).collect();
        let ask = |at: usize, granted: usize| {
            let (npc, triaged, pack) = nights[at];
            self.ask(npc, triaged, pack, granted)
        };
        ledger.share_out(&wants, ask, |said| said.tokens)
    }

    /// Asks the model to do the tasks of one night, the most valuable first, as long as the night's ledger has tokens
    /// for them. Unusable answers count with all their tokens; servers report the counts, so sums saturate instead of
    /// overflowing.
    fn ask(&self, npc: &NpcId, triaged: &Triaged, pack: &dyn LanguagePack, ledger: usize) -> Said {
        let tasks = triaged.tasks();
        let report = LanguageReport {
            model: self.model.name().to_owned(),
            tasks: tasks.len(),
            ..LanguageReport::default()
        };
        let mut talk = Talk { asking: self, triaged, pack, ledger, said: Said::default(), report };
        for task in tasks {
            if self.observer.wakes(npc) || self.unanswered.load(Ordering::Relaxed) >= self.give_up_after {
                talk.report.unasked += 1;
            } else {
                talk.put(task);
            }
        }
        Said { report: Some(talk.report), ..talk.said }
    }
}

/// Tasks of one night, with the answers and costs so far.
struct Talk<'a> {
    asking: &'a Asking<'a>,
    triaged: &'a Triaged,
    pack: &'a dyn LanguagePack,
    ledger: usize,
    said: Said,
    report: LanguageReport,
}

impl Talk<'_> {
    fn put(&mut self, task: &LanguageTask) {
        let mut faults: Vec<Fault> = Vec::new();
        for _ in 0..TRIES {
            let left = self.ledger.saturating_sub(self.said.tokens);
            if task.tokens > left {
                self.report.unaffordable += 1;
                return;
            }
            let request = Request { task, faults: &faults, tokens: left };
            match self.asking.model.answer(&request) {
                Ok(reply) => {
                    self.report.calls += 1;
                    self.said.tokens = self.said.tokens.saturating_add(reply.tokens);
                    self.asking.unanswered.store(0, Ordering::Relaxed);
                    let checked = self.triaged.check(task.id, &reply.answers, self.pack);
                    self.count(&checked.faults);
                    // A reflection task may have no answer; a synthesis needs a text.
                    let silent = reply.answers.is_empty() && task.kind != TaskKind::Synthesis;
                    if checked.believed > 0 || silent {
                        self.report.answered += 1;
                        self.said.answers.insert(task.id, reply.answers);
                        return;
                    }
                    faults = checked.faults;
                }
                Err(error) => {
                    if let LanguageError::OverBudget { .. } = error {
                        self.report.unaffordable += 1;
                        return;
                    }
                    tracing::warn!(model = self.asking.model.name(), task = task.id, %error, "no usable answer");
                    self.said.tokens = self.said.tokens.saturating_add(error.tokens());
                    match &error {
                        LanguageError::Unreachable { .. } => {
                            self.asking.unanswered.fetch_add(1, Ordering::Relaxed);
                        }
                        _ => {
                            self.asking.unanswered.store(0, Ordering::Relaxed);
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
