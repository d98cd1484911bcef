//! Language model that defers tasks to a batch.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

use nightfold_memory::{Fault, LanguageError, LanguageModel, LanguageTask, Reply, Request};

use crate::{
    affordable::Affordable,
    recorded::{RecordFile, TaskKey},
};

/// Language model that answers from a record and defers everything else: a night that is planned with it
/// collects the tasks that still need an answer.
///
/// The ledger counts the upper bound of a deferred task's cost as paid ([`LanguageError::Deferred`]), so that
/// all deferred tasks together can be afforded, whatever the answers cost. Once the answers are recorded,
/// planning again may find more tasks: those that the real cost leaves room for, and second tries of rejected
/// answers.
#[derive(Debug)]
pub struct DeferringModel {
    model: String,
    record: RecordFile,
    tasks: Mutex<BTreeMap<TaskKey, Deferred>>,
}

/// Request that was deferred.
#[derive(Debug, Clone)]
struct Deferred {
    task: LanguageTask,
    faults: Vec<Fault>,
    tokens: usize,
}

impl DeferringModel {
    /// Creates a model that defers every task to which `record` holds no answer of `model`.
    pub fn new(model: impl Into<String>, record: RecordFile) -> Self {
        Self { model: model.into(), record, tasks: Mutex::default() }
    }

    /// Name of the model that is to answer.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Returns the deferred tasks in the order of their keys, which depends neither on threads nor on the
    /// order of NPCs.
    pub fn into_tasks(self) -> DeferredTasks {
        DeferredTasks(self.tasks.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn tasks(&self) -> MutexGuard<'_, BTreeMap<TaskKey, Deferred>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LanguageModel for DeferringModel {
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
        Err(LanguageError::Deferred { tokens: affordable.cost_bound().total() })
    }
}

/// Tasks that were deferred.
#[derive(Debug, Clone)]
pub struct DeferredTasks(BTreeMap<TaskKey, Deferred>);

impl DeferredTasks {
    /// Number of tasks.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if there are no tasks.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes the tasks that were sent already; returns their number.
    pub fn remove_sent(&mut self, sent: &BTreeSet<TaskKey>) -> usize {
        let before = self.0.len();
        self.0.retain(|key, _| !sent.contains(key));
        before - self.0.len()
    }

    /// Iterates over the requests, as [`write_tasks`](super::write_tasks) takes them.
    pub fn requests(&self) -> impl Iterator<Item = Request<'_>> {
        self.0.values().map(|d| Request { task: &d.task, faults: &d.faults, tokens: d.tokens })
    }
}
