//! Batch in a folder: the tasks sent, their index, and the answers received.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, BufReader, BufWriter, Read, Write},
    path::{Path, PathBuf},
};

use super::{
    BatchError, BatchFile, BatchSettings, BatchSummary, DeferringModel, index::IndexedTask, read_answers,
    write_tasks,
};
use crate::recorded::{RecordFile, TaskKey};

/// Folder that contains the batches of one store: `tasks-1.jsonl` and so on for the provider, `index-1.jsonl`
/// and so on beside them, and `answers.jsonl`, a record file with all answers.
#[derive(Debug, Clone)]
pub struct BatchFolder {
    path: PathBuf,
}

/// Result of writing the tasks that a night deferred.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sent {
    /// The files that are to be sent, in order.
    pub files: Vec<PathBuf>,
    /// Number of tasks in them.
    pub tasks: usize,
    /// Upper bound of the tokens that all of them can cost.
    pub most_tokens: usize,
    /// Number of tasks that were written before and have no answer yet.
    pub waiting: usize,
}

impl BatchFolder {
    /// Opens a folder; creates it if it does not exist.
    ///
    /// # Errors
    /// [`BatchError::Folder`] if it cannot be created.
    pub fn create(path: impl Into<PathBuf>) -> Result<Self, BatchError> {
        let path = path.into();
        fs::create_dir_all(&path).map_err(|source| BatchError::Folder { path: path.clone(), source })?;
        Ok(Self { path })
    }

    /// Opens a folder that contains a batch.
    ///
    /// # Errors
    /// [`BatchError::NoBatch`] if no tasks were written to it, [`BatchError::Folder`] if it cannot be read.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, BatchError> {
        let folder = Self { path: path.into() };
        if folder.numbers()?.is_empty() { Err(BatchError::NoBatch { path: folder.path }) } else { Ok(folder) }
    }

    /// Path of the record file with the answers.
    pub fn answers(&self) -> PathBuf {
        self.path.join("answers.jsonl")
    }

    /// Returns a model that defers every task to which this folder contains no answer of `model`.
    ///
    /// # Errors
    /// [`BatchError::Record`] if the answers cannot be opened; another process may be using them.
    pub fn deferring(&self, model: &str) -> Result<DeferringModel, BatchError> {
        Ok(DeferringModel::new(model, RecordFile::open(self.answers())?))
    }

    /// Writes the deferred tasks to new files; tasks that were written before and wait for their answer only
    /// if `again` is set.
    ///
    /// # Errors
    /// Returns [`BatchError`] if a file cannot be written; files that were finished before remain and can be
    /// sent.
    pub fn send(
        &self,
        deferring: DeferringModel,
        settings: &BatchSettings,
        again: bool,
    ) -> Result<Sent, BatchError> {
        let model = deferring.model().to_owned();
        let mut tasks = deferring.into_tasks();
        let mut sent = Sent::default();
        let numbers = self.numbers()?;
        if !again {
            sent.waiting = tasks.remove_sent(&self.sent_keys(&numbers)?);
        }
        let mut requests = tasks.requests().peekable();
        let mut number = numbers.last().copied().unwrap_or(0);
        while requests.peek().is_some() {
            number += 1;
            let (to_tasks, to_index) =
                (self.file(BatchFile::Tasks, number), self.file(BatchFile::Index, number));
            let (mut out, mut index) = (
                UnfinishedFile::create(BatchFile::Tasks, &to_tasks)?,
                UnfinishedFile::create(BatchFile::Index, &to_index)?,
            );
            let written = write_tasks(&mut requests, &model, settings, &mut out.file, &mut index.file)?;
            // The index last: tasks without one are written again, under the same keys.
            out.finish()?;
            index.finish()?;
            sent.files.push(to_tasks);
            sent.tasks += written.tasks;
            sent.most_tokens = sent.most_tokens.saturating_add(written.most_tokens);
        }
        Ok(sent)
    }

    /// Records the answers in a provider's results.
    ///
    /// # Errors
    /// The errors of [`read_answers`].
    pub fn receive(&self, results: impl io::BufRead) -> Result<BatchSummary, BatchError> {
        let numbers = self.numbers()?;
        let mut record = RecordFile::open(self.answers())?;
        read_answers(results, BufReader::new(self.index(&numbers)?), &mut record)
    }

    fn file(&self, file: BatchFile, number: u64) -> PathBuf {
        self.path.join(format!("{file}-{number}.jsonl"))
    }

    /// Returns the numbers of the index files, in ascending order.
    fn numbers(&self) -> Result<Vec<u64>, BatchError> {
        let failed = |source| BatchError::Folder { path: self.path.clone(), source };
        let mut numbers = Vec::new();
        for entry in fs::read_dir(&self.path).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let number = name.to_str().and_then(|n| n.strip_prefix("index-")?.strip_suffix(".jsonl"));
            numbers.extend(number.and_then(|n| n.parse::<u64>().ok()));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Concatenates all index files. Each ends with a newline.
    fn index(&self, numbers: &[u64]) -> Result<Box<dyn Read>, BatchError> {
        let mut all: Box<dyn Read> = Box::new(io::empty());
        for &number in numbers {
            let file = File::open(self.file(BatchFile::Index, number));
            let file = file.map_err(|source| BatchError::Io { file: BatchFile::Index, source })?;
            all = Box::new(all.chain(file));
        }
        Ok(all)
    }

    fn sent_keys(&self, numbers: &[u64]) -> Result<BTreeSet<TaskKey>, BatchError> {
        Ok(IndexedTask::read_all(BufReader::new(self.index(numbers)?))?.into_keys().collect())
    }
}

/// File that gets its name once it is complete.
struct UnfinishedFile<'a> {
    which: BatchFile,
    file: BufWriter<File>,
    part: PathBuf,
    path: &'a Path,
}

impl<'a> UnfinishedFile<'a> {
    fn create(which: BatchFile, path: &'a Path) -> Result<Self, BatchError> {
        let part = path.with_extension("part");
        let file = File::create(&part).map_err(|source| BatchError::Io { file: which, source })?;
        Ok(Self { which, file: BufWriter::new(file), part, path })
    }

    fn finish(mut self) -> Result<(), BatchError> {
        let whole = self.file.flush().and_then(|()| self.file.get_ref().sync_all());
        let put = whole.and_then(|()| fs::rename(&self.part, self.path));
        put.map_err(|source| BatchError::Io { file: self.which, source })
    }
}

#[cfg(test)]
mod tests {
    use nightfold_memory::{
        LanguageError, LanguageModel, LanguageTask, MemoryId, Request, SourceText, TaskKind,
    };
    use serde_json::{Value, json};

    use super::*;

    fn tasks() -> [LanguageTask; 3] {
        ["I swept.", "Joss paid.", "Tom sang."].map(|text| {
            let id = MemoryId::new(text).unwrap();
            let sources = vec![SourceText { id, text: text.into(), verbatim: false }];
            LanguageTask {
                id: 0,
                kind: TaskKind::Synthesis,
                me: "Mara".into(),
                sources,
                tokens: 0,
                value: 0.0,
            }
        })
    }

    /// Asks the tasks, each with 10,000 tokens; returns the number without an answer.
    fn ask(deferring: &DeferringModel, tasks: &[LanguageTask]) -> usize {
        let open = |task| match deferring.answer(&Request { task, faults: &[], tokens: 10_000 }) {
            Err(LanguageError::Deferred { tokens }) => {
                assert!((100..10_000).contains(&tokens));
                true
            }
            other => other.is_err(),
        };
        tasks.iter().filter(|&task| open(task)).count()
    }

    /// Results of a provider for a file of tasks.
    fn results(tasks: &Path) -> Vec<u8> {
        let body = json!({
            "choices": [{"message": {"content": "{\"text\":\"I swept.\"}"}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 600, "completion_tokens": 9, "total_tokens": 609},
        });
        let lines = fs::read_to_string(tasks).unwrap();
        let line = |line: &str| {
            let task: Value = serde_json::from_str(line).unwrap();
            let response = json!({"status_code": 200, "body": body});
            format!("{}\n", json!({"custom_id": task["custom_id"], "response": response, "error": null}))
        };
        lines.lines().map(line).collect::<String>().into_bytes()
    }

    #[test]
    fn sent_tasks_wait_and_are_not_sent_again() {
        let folder = tempfile::tempdir().unwrap();
        let folder = BatchFolder::create(folder.path().join("night")).unwrap();
        let all = tasks();
        let send = |tasks: &[LanguageTask], again| {
            let deferring = folder.deferring("gpt-small").unwrap();
            let open = ask(&deferring, tasks);
            (open, folder.send(deferring, &BatchSettings::default(), again).unwrap())
        };
        let (open, first) = send(&all[..2], false);
        assert_eq!((open, first.tasks, first.waiting, first.files.len()), (2, 2, 0, 1));
        let (open, second) = send(&all, false);
        assert_eq!((open, second.tasks, second.waiting), (3, 1, 2));
        assert_ne!(first.files, second.files);
        assert_eq!(send(&all, false).1, Sent { waiting: 3, ..Sent::default() });

        let summary = folder.receive(results(&first.files[0]).as_slice()).unwrap();
        // The answers were allowed 20 and 21 tokens.
        assert_eq!((summary.answered, summary.missing, summary.tokens), (2, 1, 600 + 20 + 600 + 21));
        let (open, third) = send(&all, true);
        assert_eq!((open, third.tasks), (1, 1), "what was lost on the way is sent again when told to");
        folder.receive(results(&third.files[0]).as_slice()).unwrap();
        assert_eq!(send(&all, false), (0, Sent::default()));
    }

    #[test]
    fn many_tasks_are_split_into_files() {
        let folder = tempfile::tempdir().unwrap();
        let folder = BatchFolder::create(folder.path()).unwrap();
        let deferring = folder.deferring("gpt-small").unwrap();
        ask(&deferring, &tasks());
        let settings = BatchSettings { max_tasks: 2, ..BatchSettings::default() };
        let sent = folder.send(deferring, &settings, false).unwrap();
        assert_eq!((sent.files.len(), sent.tasks), (2, 3));
        for file in &sent.files {
            folder.receive(results(file).as_slice()).unwrap();
        }
        assert_eq!(ask(&folder.deferring("gpt-small").unwrap(), &tasks()), 0);
    }

    #[test]
    fn folder_without_a_batch_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(BatchFolder::open(folder.path()), Err(BatchError::NoBatch { .. })));
        assert!(matches!(BatchFolder::open(folder.path().join("x")), Err(BatchError::Folder { .. })));
    }
}
