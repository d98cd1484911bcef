//! A model whose answers are kept.

use std::{
    collections::BTreeSet,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

use nightfold_memory::{LanguageError, LanguageModel, Reply, Request};

use super::{
    RecordError, RecordFile, TaskKey,
    line::{Kept, Outcome},
};
use crate::asking::Affordable;

/// Records what a model answers, and gives what is recorded already without asking it again.
///
/// An answer is on the disk before it is given. A malformed answer and a refusal are recorded too, since they were paid
/// and would come again; what passes (a model that cannot be reached, a budget that is too small) is not. What is
/// recorded is given with the tokens it cost then, although nothing is paid now, so that a plan comes out the same.
/// Threads that ask the same at once pay once.
///
/// The model should be one that asks in this crate's words ([`ChatModel`](crate::ChatModel)): the key of an answer and
/// the bound on its cost are those of this crate's prompts.
///
/// When the file cannot be written, the answer that was to be kept is lost, and nothing more is asked:
/// [`LanguageError::Unreachable`], with the [`RecordError`] as its source.
#[derive(Debug)]
pub struct Recorder<M> {
    model: M,
    state: Mutex<State>,
    answered: Condvar,
}

#[derive(Debug)]
struct State {
    file: RecordFile,
    /// What threads are asking the model for now.
    asking: BTreeSet<TaskKey>,
}

impl<M: LanguageModel> Recorder<M> {
    /// Records the answers of `model` to `file`, which may hold answers already, of other models too.
    pub fn new(model: M, file: RecordFile) -> Self {
        Self { model, state: Mutex::new(State { file, asking: BTreeSet::new() }), answered: Condvar::new() }
    }

    /// How many answers the file holds.
    pub fn recorded(&self) -> usize {
        self.state().file.len()
    }

    /// A lock that a panicking thread leaves is as good as any: the file holds whole lines only, and the turn is given
    /// back below.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is recorded under the key, or else the turn to ask for it, once no other thread is asking.
    fn look_up(&self, key: TaskKey, request: &Request<'_>) -> Found<'_, M> {
        let mut state = self.state();
        loop {
            if let Some(kept) = state.file.get(&key) {
                return Found::Kept(kept.replay(request));
            }
            if state.file.is_broken() {
                let path = state.file.path().to_owned();
                return Found::Kept(Err(self.unwritten(RecordError::Broken { path }, 0)));
            }
            if state.asking.insert(key) {
                return Found::Turn(Turn { recorder: self, key });
            }
            state = self.answered.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn unwritten(&self, source: RecordError, tokens: usize) -> LanguageError {
        LanguageError::Unreachable { model: self.name().to_owned(), tokens, source: Box::new(source) }
    }
}

enum Found<'a, M: LanguageModel> {
    Kept(Result<Reply, LanguageError>),
    Turn(Turn<'a, M>),
}

/// The right to ask for what a key names. However it ends, the next thread gets its turn.
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
            Found::Kept(result) => return result,
            Found::Turn(turn) => turn,
        };
        let result = self.model.answer(request);
        if let Some((outcome, tokens)) = Outcome::of(&result) {
            let kept =
                Kept { model: self.name().to_owned(), asked: request.task.kind.into(), outcome, tokens };
            // The state is let go of at once: the turn needs it when it is given back.
            let written = self.state().file.keep(key, kept);
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
    fn when_nothing_can_be_written_nothing_more_is_paid() {
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
