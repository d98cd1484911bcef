//! Reading of a provider's results.

use std::{collections::BTreeMap, io::BufRead};

use nightfold_memory::MemoryId;
use serde_json::Value;

use super::{
    completion::{BatchCompletion, usage},
    error::{BatchError, BatchFile},
    index::IndexedTask,
};
use crate::{
    answer,
    chat::ChatFailure,
    lines::{LineRead, next_line},
    recorded::{MAX_RECORD_BYTES, RecordFile, RecordedFailure, RecordedOutcome, TaskKey, TaskRecord},
};

/// Counts of what was found in a batch's results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BatchSummary {
    /// Tasks that were answered and recorded.
    pub answered: usize,
    /// Tasks whose answer has another shape than requested, or that got no answer; recorded as such.
    pub malformed: usize,
    /// Tasks whose answer needs more tokens than allowed; recorded as such.
    pub cut_short: usize,
    /// Tasks that the model refused; recorded as such.
    pub refused: usize,
    /// Lines of tasks that failed according to the provider. They are not recorded and can be asked again.
    pub failed: usize,
    /// Lines of tasks that are recorded already, from this file or an earlier one.
    pub repeated: usize,
    /// Lines of tasks that are not in the index.
    pub unknown: usize,
    /// Lines that exceed the maximum length.
    pub too_long: usize,
    /// Tasks of the index without a record.
    pub missing: usize,
    /// Cost of the newly recorded tasks, in tokens.
    pub tokens: usize,
}

/// Turns a provider's results into recorded answers, with the help of the index that was written with the
/// tasks. Results may come in any order, from one batch or, with concatenated indexes, from several; reading
/// them twice changes nothing.
///
/// # Errors
/// [`BatchError`] if a file cannot be read, a line is not JSON, or an answer cannot be recorded. The lines
/// before it are recorded. Defects of a single answer are counted instead.
pub fn read_answers(
    results: impl BufRead,
    index: impl BufRead,
    record: &mut RecordFile,
) -> Result<BatchSummary, BatchError> {
    let tasks = IndexedTask::read_all(index)?;
    let read = ResultsReader { tasks: &tasks, record, summary: BatchSummary::default() }.read(results);
    record.sync()?;
    let mut summary = read?;
    summary.missing = tasks.keys().filter(|key| !record.holds(key)).count();
    Ok(summary)
}

struct ResultsReader<'a> {
    tasks: &'a BTreeMap<TaskKey, IndexedTask>,
    record: &'a mut RecordFile,
    summary: BatchSummary,
}

impl ResultsReader<'_> {
    fn read(mut self, mut results: impl BufRead) -> Result<BatchSummary, BatchError> {
        let file = BatchFile::Results;
        let mut bytes = Vec::new();
        for line in 1.. {
            let read = next_line(&mut results, &mut bytes, MAX_RECORD_BYTES)
                .map_err(|source| BatchError::Io { file, source })?;
            match read {
                LineRead::End => break,
                LineRead::TooLong => self.summary.too_long += 1,
                LineRead::Line | LineRead::Tail if bytes.trim_ascii().is_empty() => {}
                LineRead::Line | LineRead::Tail => {
                    let result = serde_json::from_slice(&bytes).map_err(|source| BatchError::Line {
                        file,
                        line,
                        source,
                    })?;
                    self.record_result(&result)?;
                }
            }
        }
        Ok(self.summary)
    }

    /// Records the result in one line.
    fn record_result(&mut self, line: &Value) -> Result<(), BatchError> {
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
        let (stated, completion) = (usage(body), BatchCompletion::of(body));
        let tokens = match &completion {
            BatchCompletion::Complete(said) => task.most.answered(stated, said.len()),
            BatchCompletion::CutShort | BatchCompletion::Refused(_) => task.most.answered(stated, 0),
            BatchCompletion::Invalid => task.most.unanswered(stated),
        };
        let outcome = match completion {
            BatchCompletion::Complete(said) => self.outcome(task, said),
            BatchCompletion::CutShort => {
                self.summary.cut_short += 1;
                RecordedOutcome::failed(RecordedFailure::CutShort, &ChatFailure::CutShort.to_string())
            }
            BatchCompletion::Refused(words) => {
                self.summary.refused += 1;
                RecordedOutcome::failed(RecordedFailure::Refused, words)
            }
            BatchCompletion::Invalid => {
                self.summary.malformed += 1;
                RecordedOutcome::failed(RecordedFailure::Malformed, &ChatFailure::Shape.to_string())
            }
        };
        self.summary.tokens = self.summary.tokens.saturating_add(tokens);
        let kept = TaskRecord { model: task.model.clone(), task_kind: task.kind.into(), outcome, tokens };
        self.record.append(task.key, kept)?;
        Ok(())
    }

    fn outcome(&mut self, task: &IndexedTask, said: &str) -> RecordedOutcome {
        let ids: Vec<&MemoryId> = task.ids.iter().collect();
        match answer::read(task.kind, &ids, said) {
            Ok(answers) => {
                self.summary.answered += 1;
                RecordedOutcome::Answers(answers)
            }
            Err(error) => {
                self.summary.malformed += 1;
                RecordedOutcome::failed(RecordedFailure::Malformed, &error.to_string())
            }
        }
    }
}
