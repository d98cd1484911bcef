//! Reading answers.

use std::{collections::BTreeMap, io::BufRead};

use nightfold_memory::MemoryId;
use serde_json::Value;

use super::{
    completion::{Said, usage},
    error::{BatchError, BatchFile},
    index::Indexed,
};
use crate::{
    answer,
    chat::ChatFailure,
    lines::{Read, next_line},
    recorded::{Failed, Kept, MAX_RECORD_BYTES, Outcome, RecordFile, TaskKey},
};

/// What became of a batch's results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BatchSummary {
    /// Tasks that were answered, and recorded.
    pub answered: usize,
    /// Tasks whose answer is of another shape than asked for, or no answer at all; recorded as such.
    pub malformed: usize,
    /// Tasks whose answer needs more tokens than it was given; recorded as such.
    pub cut_short: usize,
    /// Tasks that the model would not answer; recorded as such.
    pub refused: usize,
    /// Lines of tasks that the provider says failed. Nothing is recorded; they can be asked again.
    pub failed: usize,
    /// Lines of tasks that are recorded already, from this file or from before.
    pub repeated: usize,
    /// Lines of tasks that are not in the index.
    pub unknown: usize,
    /// Lines that are longer than is read.
    pub too_long: usize,
    /// Tasks of the index that nothing is recorded of.
    pub missing: usize,
    /// What the tasks cost that are newly recorded.
    pub tokens: usize,
}

/// Turns a provider's results into recorded answers, by the index that was written with the tasks. Results may be in
/// any order, of one batch or, with their indexes put together, of several; reading them twice changes nothing.
///
/// # Errors
/// [`BatchError`] when a file cannot be read, a line of one is no JSON, or nothing can be recorded. What stands before
/// that line is recorded. All that is wrong with an answer alone is counted instead.
pub fn read_answers(
    results: impl BufRead,
    index: impl BufRead,
    record: &mut RecordFile,
) -> Result<BatchSummary, BatchError> {
    let tasks = Indexed::read_all(index)?;
    let read = Reader { tasks: &tasks, record, summary: BatchSummary::default() }.read(results);
    record.sync()?;
    let mut summary = read?;
    summary.missing = tasks.keys().filter(|key| !record.holds(key)).count();
    Ok(summary)
}

struct Reader<'a> {
    tasks: &'a BTreeMap<TaskKey, Indexed>,
    record: &'a mut RecordFile,
    summary: BatchSummary,
}

impl Reader<'_> {
    fn read(mut self, mut results: impl BufRead) -> Result<BatchSummary, BatchError> {
        let file = BatchFile::Results;
        let mut bytes = Vec::new();
        for line in 1.. {
            let read = next_line(&mut results, &mut bytes, MAX_RECORD_BYTES)
                .map_err(|source| BatchError::Io { file, source })?;
            match read {
                Read::End => break,
                Read::TooLong => self.summary.too_long += 1,
                Read::Line | Read::Tail if bytes.trim_ascii().is_empty() => {}
                Read::Line | Read::Tail => {
                    let result = serde_json::from_slice(&bytes).map_err(|source| BatchError::Line {
                        file,
                        line,
                        source,
                    })?;
                    self.take(&result)?;
                }
            }
        }
        Ok(self.summary)
    }

    /// Records what one line says.
    fn take(&mut self, line: &Value) -> Result<(), BatchError> {
        let key = line["custom_id"].as_str().and_then(|key| key.parse().ok());
        let Some(task) = key.and_then(|key: TaskKey| self.tasks.get(&key)) else {
            self.summary.unknown += 1;
            return Ok(());
        };
        if self.record.holds(&task.key) {
            self.summary.repeated += 1;
            return Ok(());
        }
        let response = &line["response"];
        if !line["error"].is_null() || response["status_code"] != 200 {
            self.summary.failed += 1;
            return Ok(());
        }
        let body = &response["body"];
        let outcome = match Said::of(body) {
            Said::All(said) => self.outcome(task, said),
            Said::CutShort => {
                self.summary.cut_short += 1;
                Outcome::failed(Failed::CutShort, &ChatFailure::CutShort.to_string())
            }
            Said::Refused(words) => {
                self.summary.refused += 1;
                Outcome::failed(Failed::Refused, words)
            }
            Said::Nothing => {
                self.summary.malformed += 1;
                Outcome::failed(Failed::Malformed, &ChatFailure::Shape.to_string())
            }
        };
        let (prompt, answer) = usage(body);
        let tokens = task.most.paid(prompt, answer);
        self.summary.tokens = self.summary.tokens.saturating_add(tokens);
        let kept = Kept { model: task.model.clone(), asked: task.kind.into(), outcome, tokens };
        self.record.append(task.key, kept)?;
        Ok(())
    }

    fn outcome(&mut self, task: &Indexed, said: &str) -> Outcome {
        let ids: Vec<&MemoryId> = task.ids.iter().collect();
        match answer::read(task.kind, &ids, said) {
            Ok(answers) => {
                self.summary.answered += 1;
                Outcome::Answers(answers)
            }
            Err(error) => {
                self.summary.malformed += 1;
                Outcome::failed(Failed::Malformed, &error.to_string())
            }
        }
    }
}
