//! Language model that records its answers.

use std::{
    collections::BTreeSet,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

use nightfold_memory::{LanguageError, LanguageModel, Reply, Request};

use super::{
    RecordError, RecordFile, TaskKey,
    line::{RecordedOutcome, TaskRecord},
};
use crate::affordable::Affordable;

/// Language model that records the answers of another one, and returns recorded answers without asking it
/// again.
///
/// An answer is on the disk before it is returned. Malformed answers and refusals are recorded too, since
/// they were paid for and would come again; transient failures (an unreachable model, a budget that is too
/// small) are not. A recorded answer is returned with its original cost, although nothing is paid now, so
/// that the plan comes out the same. If several threads ask the same question at once, it is paid once.
///
/// The model should use this crate's prompts ([`ChatModel`](crate::ChatModel)): the key of an answer and the
/// bound on its cost are computed from them.
///
/// If the file cannot be written, the current answer is lost, and no more questions are asked:
/// [`LanguageError::Unreachable`], with the [`RecordError`] as its source.
#[derive(Debug)]
pub struct Recorder<M> {
    model: M,
    state: Mutex<RecorderState>,
    answered: Condvar,
}

#[derive(Debug)]
struct RecorderState {
    file: RecordFile,
    /// Keys that threads are asking the model for now.
    asking: BTreeSet<TaskKey>,
}

impl<M: LanguageModel> Recorder<M> {
    /// Records the answers of `model` to `file`, which may contain answers already, of other models too.
    pub fn new(model: M, file: RecordFile) -> Self {
        Self {
            model,
            state: Mutex::new(RecorderState { file, asking: BTreeSet::new() }),
            answered: Condvar::new(),
        }
    }

    /// Number of answers in the file.
    pub fn recorded(&self) -> usize {
        self.state().file.len()
    }

    /// Locks the state. A lock that a panicking thread left behind is safe to use: the file contains complete
    /// lines only, and dropping the turn releases its key.
    fn state(&self) -> MutexGuard<'_, RecorderState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the recorded answer under the key, or the turn to ask for it, once no other thread is asking.
    fn look_up(&self, key: TaskKey, request: &Request<'_>) -> RecordLookup<'_, M> {
        let mut state = self.state();
        loop {
            if let Some(record) = state.file.get(&key) {
                return RecordLookup::Recorded(record.replay(request));
            }
            if state.file.is_broken() {
                let path = state.file.path().to_owned();
                return RecordLookup::Recorded(Err(self.unwritten(RecordError::Broken { path }, 0)));
            }
            if state.asking.insert(key) {
                return RecordLookup::Turn(Turn { recorder: self, key });
            }
            state = self.answered.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn unwritten(&self, source: RecordError, tokens: usize) -> LanguageError {
        LanguageError::Unreachable { model: self.name().to_owned(), tokens, source: Box::new(source) }
    }
}

enum RecordLookup<'a, M: LanguageModel> {
    Recorded(Result<Reply, LanguageError>),
    Turn(Turn<'a, M>),
}

/// Exclusive right to ask for a key's answer. However it ends, the next thread gets its turn.
struct Turn<'a, M: LanguageModel> {
    recorder: &'a Recorder<M>,
    key: TaskKey,
}

impl<M: LanguageModel> Drop for Turn<'_, M> {
    fn drop(&mut self) {
        self.recorder.state().asking.remove(&self.key);
        self.recorder.answered.notify_all();
    }
}

impl<M: LanguageModel> LanguageModel for Recorder<M> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn answer(&self, request: &Request<'_>) -> Result<Reply, LanguageError> {
        if Affordable::of(request)?.is_none() {
            return Ok(Reply { answers: Vec::new(), tokens: 0 });
        }
        let key = TaskKey::of(self.name(), request);
        // Held until the answer is recorded, so that who waits for it finds it.
        let _turn = match self.look_up(key, request) {
            RecordLookup::Recorded(result) => return result,
            RecordLookup::Turn(turn) => turn,
        };
        let result = self.model.answer(request);
        if let Some((outcome, tokens)) = RecordedOutcome::of(&result) {
            let record = TaskRecord {
                model: self.name().to_owned(),
                task_kind: request.task.kind.into(),
                outcome,
                tokens,
            };
            // The state is unlocked at once: the turn locks it when it is dropped.
            let written = self.state().file.append_durably(key, record);
            written.map_err(|error| self.unwritten(error, tokens))?;
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use nightfold_memory::{LanguageTask, MemoryId, SourceText, TaskKind};

    use super::*;

    struct Paid(Mutex<usize>);

    impl LanguageModel for Paid {
        fn name(&self) -> &'static str {
            "paid"
        }

        fn answer(&self, _: &Request<'_>) -> Result<Reply, LanguageError> {
            *self.0.lock().unwrap() += 1;
            Ok(Reply { answers: Vec::new(), tokens: 700 })
        }
    }

    #[test]
    fn nothing_is_asked_once_the_record_file_cannot_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("night.jsonl");
        let recorder = Recorder::new(Paid(Mutex::new(0)), RecordFile::open(&path).unwrap());
        let task = |id: &str| {
            let sources =
                vec![SourceText { id: MemoryId::new(id).unwrap(), text: "I swept.".into(), verbatim: false }];
            LanguageTask {
                id: 0,
                kind: TaskKind::Synthesis,
                me: "Mara".into(),
                sources,
                tokens: 0,
                value: 0.0,
            }
        };
        let ask = |id| recorder.answer(&Request { task: &task(id), faults: &[], tokens: 5_000 });
        assert_eq!(ask("a").unwrap().tokens, 700);
        recorder.state().file.refuse_writes();

        let error = ask("b").unwrap_err();
        assert_eq!((error.kind(), error.tokens()), ("unreachable", 700), "it was paid all the same");
        assert!(error.source().unwrap().to_string().contains("cannot be written"), "{error}");
        for id in ["b", "c"] {
            let error = ask(id).unwrap_err();
            assert_eq!((error.kind(), error.tokens()), ("unreachable", 0));
            assert!(error.source().unwrap().to_string().contains("nothing more is asked"), "{error}");
        }
        assert_eq!(ask("a").unwrap().tokens, 700, "what is recorded is given");
        assert_eq!(*recorder.model.0.lock().unwrap(), 2);
    }
}
