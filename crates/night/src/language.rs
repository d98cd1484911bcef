//! Asking a language model within the ledgers of a run. What it does not answer, the rules do.

use std::{
    collections::VecDeque,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use nightfold_consolidate::{Said, Triaged};
use nightfold_memory::{
    Fault, LanguageError, LanguageModel, LanguageReport, LanguageTask, NpcId, Request, TaskKind, ValidConfig,
};

use crate::Observer;

/// How often a task is put to the model when its answers are not believed.
const TRIES: usize = 2;

/// The model of a run, with what it may still cost.
pub(crate) struct Asking<'a> {
    model: &'a dyn LanguageModel,
    observer: &'a dyn Observer,
    in_flight: usize,
    give_up_after: usize,
    /// Tokens of all NPCs together.
    left: usize,
    /// Questions in a row that the model did not answer.
    unanswered: AtomicUsize,
}

impl<'a> Asking<'a> {
    pub(crate) fn new(
        model: &'a dyn LanguageModel,
        config: &ValidConfig,
        observer: &'a dyn Observer,
    ) -> Self {
        let language = &config.language;
        Self {
            model,
            observer,
            in_flight: language.in_flight,
            give_up_after: language.give_up_after,
            left: usize::try_from(language.tokens_per_run).unwrap_or(usize::MAX),
            unanswered: AtomicUsize::new(0),
        }
    }

    /// Puts the tasks of these nights to the model, those of so many NPCs at a time as may be in flight; gives what was
    /// said to each.
    ///
    /// The run's ledger is handed out in the order of the nights before anything is asked, and what was not spent comes
    /// back for the next ones: what an NPC may spend does not depend on how fast others are.
    pub(crate) fn ask_all(&mut self, nights: &[(&NpcId, &Triaged)]) -> Vec<Said> {
        let mut waiting: VecDeque<(usize, usize)> = VecDeque::with_capacity(nights.len());
        for (at, (_, triaged)) in nights.iter().enumerate() {
            let granted = triaged.ledger().min(self.left);
            self.left -= granted;
            waiting.push_back((at, granted));
        }
        let granted: usize = waiting.iter().map(|(_, granted)| granted).sum();
        let threads = self.in_flight.min(nights.len()).max(1);
        let (waiting, heard) = (Mutex::new(waiting), Mutex::new(vec![Said::default(); nights.len()]));
        let work = || {
            loop {
                let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                let Some((at, granted)) = next else { return };
                let (npc, triaged) = nights[at];
                let said = self.ask(npc, triaged, granted);
                heard.lock().unwrap_or_else(PoisonError::into_inner)[at] = said;
            }
        };
        thread::scope(|scope| (0..threads).for_each(|_| _ = scope.spawn(work)));
        let heard = heard.into_inner().unwrap_or_else(PoisonError::into_inner);
        let spent = heard.iter().map(|said| said.tokens).fold(0, usize::saturating_add);
        // What a model cost beyond what it was granted is gone from the run's ledger too.
        self.left = (self.left + granted).saturating_sub(spent);
        heard
    }

    /// Puts the tasks of one night, the most valuable first, as long as its ledger affords them. What was paid is
    /// counted as it was paid, also for answers nobody can use; servers say how much, so no sum may overflow.
    fn ask(&self, npc: &NpcId, triaged: &Triaged, ledger: usize) -> Said {
        let tasks = triaged.tasks();
        let report = LanguageReport {
            model: self.model.name().to_owned(),
            tasks: tasks.len(),
            ..LanguageReport::default()
        };
        let mut talk = Talk { asking: self, triaged, ledger, said: Said::default(), report };
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

/// One night's questions.
struct Talk<'a> {
    asking: &'a Asking<'a>,
    triaged: &'a Triaged,
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
                    let checked = self.triaged.check(task.id, &reply.answers);
                    self.count(&checked.faults);
                    // Nothing to conclude is a conclusion; a group must be told.
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
