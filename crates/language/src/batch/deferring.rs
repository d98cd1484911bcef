//! A model that puts tasks off.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

use nightfold_memory::{Fault, LanguageError, LanguageModel, LanguageTask, Reply, Request};

use crate::{
    asking::Affordable,
    recorded::{RecordFile, TaskKey},
};

/// Gives what is recorded, and puts off all else: a night that is planned with it says which tasks are still to be
/// answered.
///
/// The ledger takes what a task may cost at most as paid ([`LanguageError::Deferred`]), so that all that is put off
/// together can be afforded, whatever the answers will cost. Once they are recorded, planning again with it may find
/// more: tasks that their real cost leaves room for, and second tries of answers that were not believed.
#[derive(Debug)]
pub struct Deferring {
    model: String,
    record: RecordFile,
    tasks: Mutex<BTreeMap<TaskKey, Deferred>>,
}

/// A request that was put off.
#[derive(Debug, Clone)]
struct Deferred {
    task: LanguageTask,
    faults: Vec<Fault>,
    tokens: usize,
}

impl Deferring {
    /// Puts off what `record` holds no answer of `model` to.
    pub fn new(model: impl Into<String>, record: RecordFile) -> Self {
        Self { model: model.into(), record, tasks: Mutex::default() }
    }

    /// The model that is to answer.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// What was put off, in an order of its own: it depends neither on threads nor on the order of NPCs.
    pub fn into_tasks(self) -> DeferredTasks {
        DeferredTasks(self.tasks.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn tasks(&self) -> MutexGuard<'_, BTreeMap<TaskKey, Deferred>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LanguageModel for Deferring {
    fn name(&self) -> &str {
        &self.model
    }

    fn answer(&self, request: &Request<'_>) -> Result<Reply, LanguageError> {
        let Some(affordable) = Affordable::of(request)? else {
            return Ok(Reply { answers: Vec::new(), tokens: 0 });
        };
        let key = TaskKey::of(&self.model, request);
        if let Some(kept) = self.record.get(&key) {
            return kept.replay(request);
        }
        let (task, faults, tokens) = (request.task.clone(), request.faults.to_vec(), request.tokens);
        self.tasks().insert(key, Deferred { task, faults, tokens });
        Err(LanguageError::Deferred { tokens: affordable.most().in_all() })
    }
}

/// Tasks that were put off.
#[derive(Debug, Clone)]
pub struct DeferredTasks(BTreeMap<TaskKey, Deferred>);

impl DeferredTasks {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Leaves out those that are on their way already; says how many.
    pub fn leave_out(&mut self, sent: &BTreeSet<TaskKey>) -> usize {
        let before = self.0.len();
        self.0.retain(|key, _| !sent.contains(key));
        before - self.0.len()
    }

    /// The requests, as [`write_tasks`](super::write_tasks) takes them.
    pub fn requests(&self) -> impl Iterator<Item = Request<'_>> {
        self.0.values().map(|d| Request { task: &d.task, faults: &d.faults, tokens: d.tokens })
    }
}
