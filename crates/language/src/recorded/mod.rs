//! Answers recorded in a file under a hash of everything they depend on, so that no answer is paid for twice
//! and a night can be replayed to the byte without a model.
//!
//! A record file is JSON lines:
//! `{"key":"…","model":"…","answer":{"outcome":"answered","answers":[…],"tokens":612}}`, or `"outcome":"malformed"`,
//! `"cut-short"` or `"refused"`. Files of several runs may be concatenated; of two answers with one key the first
//! counts.

mod answer;
mod error;
mod file;
mod key;

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use nightfold_memory::{LanguageError, LanguageModel, Reply, Request};

use self::{
    answer::{RecordLine, RecordedAnswer},
    file::{RecordFile, RecordLines},
    key::task_key,
};
use crate::prompt::Prompt;

pub use self::error::RecordError;

/// Returns the schema of a line of a record file.
#[cfg(feature = "schema")]
pub fn record_line_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
    <RecordLine as schemars::JsonSchema>::json_schema(generator)
}

/// Place of a key's answer. A thread holds it while it asks, so that others wait for its answer.
type Slot = Arc<Mutex<Option<RecordedAnswer>>>;

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
    file: Mutex<RecordFile>,
    slots: Mutex<BTreeMap<String, Slot>>,
}

impl<M: LanguageModel> Recorder<M> {
    /// Records the answers of `model` to a file, which may contain answers already, of other models too, and is
    /// created if it does not exist. No other process can record to it meanwhile.
    ///
    /// # Errors
    /// [`RecordError`] if the file cannot be opened or read, another process records to it, or a line other than an
    /// unfinished last one is not a record.
    pub fn open(model: M, path: impl AsRef<Path>) -> Result<Self, RecordError> {
        let (file, lines) = RecordFile::open(path.as_ref())?;
        let mut slots = BTreeMap::new();
        for RecordLine { key, answer, .. } in lines {
            slots.entry(key).or_insert_with(|| Slot::new(Mutex::new(Some(answer))));
        }
        Ok(Self { model, file: Mutex::new(file), slots: Mutex::new(slots) })
    }

    fn unwritten(&self, source: RecordError, tokens: usize) -> LanguageError {
        LanguageError::Unreachable { model: self.name().to_owned(), tokens, source: Box::new(source) }
    }
}

impl<M: LanguageModel> LanguageModel for Recorder<M> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn answer(&self, request: &Request<'_>) -> Result<Reply, LanguageError> {
        if Prompt::affordable(request)?.is_none() {
            return Ok(Reply { answers: Vec::new(), tokens: 0 });
        }
        let (key, model) = (task_key(self.name(), request), self.name().to_owned());
        let slot = Slot::clone(locked(&self.slots).entry(key.clone()).or_default());
        let mut slot = locked(&slot);
        if let Some(answer) = &*slot {
            return answer.replay(model, request);
        }
        locked(&self.file).check_writable().map_err(|error| self.unwritten(error, 0))?;
        let result = self.model.answer(request);
        if let Some(answer) = RecordedAnswer::of(&result) {
            let line = RecordLine { key, model, answer };
            let written = locked(&self.file).append(&line);
            written.map_err(|error| self.unwritten(error, line.answer.tokens()))?;
            *slot = Some(line.answer);
        }
        result
    }
}

/// Locks a value that a panicking thread leaves whole: an answer and a line are there or not.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Language model that answers from a record file alone: no model, no cost, the same every time.
///
/// A task that is not in the file is [`LanguageError::Unrecorded`]. Answers have their original cost, and
/// tasks that could not be afforded then cannot be now, so that the same night has the same plan.
#[derive(Debug)]
pub struct Recorded {
    model: String,
    answers: BTreeMap<String, RecordedAnswer>,
}

impl Recorded {
    /// Reads the answers of the named model, or of the only one that the file has answers of.
    ///
    /// # Errors
    /// [`RecordError`] if the file cannot be read, has no answers of the model, or has those of several models and
    /// none is named.
    pub fn open(path: impl AsRef<Path>, model: Option<&str>) -> Result<Self, RecordError> {
        let path = path.as_ref();
        let lines = RecordLines::read(path)?.lines;
        let mut models: Vec<String> = lines.iter().map(|line| line.model.clone()).collect();
        models.sort_unstable();
        models.dedup();
        let model = match (model, models.as_slice()) {
            (Some(named), _) if models.iter().any(|model| model == named) => named.to_owned(),
            (None, [only]) => only.clone(),
            (None, [_, _, ..]) => return Err(RecordError::SeveralModels { path: path.to_owned(), models }),
            _ => {
                let model = model.map(str::to_owned);
                return Err(RecordError::NoAnswers { path: path.to_owned(), model, models });
            }
        };
        let mut answers = BTreeMap::new();
        for line in lines.into_iter().filter(|line| line.model == model) {
            answers.entry(line.key).or_insert(line.answer);
        }
        Ok(Self { model, answers })
    }
}

impl LanguageModel for Recorded {
    fn name(&self) -> &str {
        &self.model
    }

    fn answer(&self, request: &Request<'_>) -> Result<Reply, LanguageError> {
        if Prompt::affordable(request)?.is_none() {
            return Ok(Reply { answers: Vec::new(), tokens: 0 });
        }
        let answer = self.answers.get(&task_key(&self.model, request)).ok_or(LanguageError::Unrecorded)?;
        answer.replay(self.model.clone(), request)
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
        let recorder = Recorder::open(Paid(Mutex::new(0)), folder.path().join("night.jsonl")).unwrap();
        let ask = |id| {
            let sources = vec![SourceText {
                id: MemoryId::new(id).unwrap(),
                text: "I swept.".into(),
                verbatim: false,
                said_by: None,
            }];
            let (kind, me) = (TaskKind::Synthesis, "Mara".into());
            let task = LanguageTask { id: 0, kind, me, sources, past: Vec::new(), tokens: 0, value: 0.0 };
            recorder.answer(&Request { task: &task, faults: &[], tokens: 5_000 })
        };
        assert_eq!(ask("a").unwrap().tokens, 700);
        locked(&recorder.file).refuse_writes();

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
