//! A batch as a folder: what went out, what it stands for, and what came back.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, BufReader, BufWriter, Read, Write},
    path::{Path, PathBuf},
};

use super::{
    BatchError, BatchFile, BatchSettings, BatchSummary, Deferring, index::Indexed, read_answers, write_tasks,
};
use crate::recorded::{RecordFile, TaskKey};

/// A folder in which batches of one store are kept: `tasks-1.jsonl` and on for the provider, `index-1.jsonl` and on
/// beside them, and `answers.jsonl`, a record file with all that was answered.
#[derive(Debug, Clone)]
pub struct BatchFolder {
    path: PathBuf,
}

/// What became of the tasks that a night put off.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sent {
    /// The files that are to be sent, in order.
    pub files: Vec<PathBuf>,
    /// How many tasks they hold.
    pub tasks: usize,
    /// Most tokens that all of them can cost.
    pub most_tokens: usize,
    /// Tasks that were written before and have no answer yet.
    pub waiting: usize,
}

impl BatchFolder {
    /// Opens a folder, which is made if there is none.
    ///
    /// # Errors
    /// [`BatchError::Folder`] when it cannot be made.
    pub fn create(path: impl Into<PathBuf>) -> Result<Self, BatchError> {
        let path = path.into();
        fs::create_dir_all(&path).map_err(|source| BatchError::Folder { path: path.clone(), source })?;
        Ok(Self { path })
    }

    /// Opens a folder that holds a batch.
    ///
    /// # Errors
    /// [`BatchError::NoBatch`] when no tasks were written to it, [`BatchError::Folder`] when it cannot be read.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, BatchError> {
        let folder = Self { path: path.into() };
        if folder.numbers()?.is_empty() { Err(BatchError::NoBatch { path: folder.path }) } else { Ok(folder) }
    }

    /// The record file with the answers.
    pub fn answers(&self) -> PathBuf {
        self.path.join("answers.jsonl")
    }

    /// A model that puts off what this folder holds no answer of `model` to.
    ///
    /// # Errors
    /// [`BatchError::Record`] when the answers cannot be opened; another process may have them.
    pub fn deferring(&self, model: &str) -> Result<Deferring, BatchError> {
        Ok(Deferring::new(model, RecordFile::open(self.answers())?))
    }

    /// Writes what was put off to new files; what was written before and waits for its answer only with `again`.
    ///
    /// # Errors
    /// [`BatchError`]; the files that were finished before stay, and can be sent.
    pub fn send(
        &self,
        deferring: Deferring,
        settings: &BatchSettings,
        again: bool,
    ) -> Result<Sent, BatchError> {
        let model = deferring.model().to_owned();
        let mut tasks = deferring.into_tasks();
        let mut sent = Sent::default();
        let numbers = self.numbers()?;
        if !again {
            sent.waiting = tasks.leave_out(&self.written(&numbers)?);
        }
        let mut requests = tasks.requests().peekable();
        let mut number = numbers.last().copied().unwrap_or(0);
        while requests.peek().is_some() {
            number += 1;
            let (to_tasks, to_index) =
                (self.file(BatchFile::Tasks, number), self.file(BatchFile::Index, number));
            let (mut out, mut index) =
                (New::create(BatchFile::Tasks, &to_tasks)?, New::create(BatchFile::Index, &to_index)?);
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

    /// Turns a provider's results into answers.
    ///
    /// # Errors
    /// As [`read_answers`].
    pub fn receive(&self, results: impl io::BufRead) -> Result<BatchSummary, BatchError> {
        let numbers = self.numbers()?;
        let mut record = RecordFile::open(self.answers())?;
        read_answers(results, BufReader::new(self.index(&numbers)?), &mut record)
    }

    fn file(&self, file: BatchFile, number: u64) -> PathBuf {
        self.path.join(format!("{file}-{number}.jsonl"))
    }

    /// The numbers of the indexes there are, least first.
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

    /// All indexes, one after the other. Each ends with a line's end.
    fn index(&self, numbers: &[u64]) -> Result<Box<dyn Read>, BatchError> {
        let mut all: Box<dyn Read> = Box::new(io::empty());
        for &number in numbers {
            let file = File::open(self.file(BatchFile::Index, number));
            let file = file.map_err(|source| BatchError::Io { file: BatchFile::Index, source })?;
            all = Box::new(all.chain(file));
        }
        Ok(all)
    }

    fn written(&self, numbers: &[u64]) -> Result<BTreeSet<TaskKey>, BatchError> {
        Ok(Indexed::read_all(BufReader::new(self.index(numbers)?))?.into_keys().collect())
    }
}

/// A file that has its name once it is whole.
struct New<'a> {
    which: BatchFile,
    file: BufWriter<File>,
    part: PathBuf,
    path: &'a Path,
}

impl<'a> New<'a> {
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

    /// Puts the tasks, each with 10,000 tokens; gives how many had no answer.
    fn ask(deferring: &Deferring, tasks: &[LanguageTask]) -> usize {
        let open = |task| match deferring.answer(&Request { task, faults: &[], tokens: 10_000 }) {
            Err(LanguageError::Deferred { tokens }) => {
                assert!((100..10_000).contains(&tokens));
                true
            }
            other => other.is_err(),
        };
        tasks.iter().filter(|&task| open(task)).count()
    }

    /// What a provider makes of a file of tasks.
    fn results(tasks: &Path) -> Vec<u8> {
        let body = json!({
            "choices": [{"message": {"content": "{\"text\":\"I swept.\"}"}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 300, "completion_tokens": 9, "total_tokens": 309},
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
    fn what_is_sent_waits_and_is_not_sent_again() {
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
        assert_eq!((summary.answered, summary.missing, summary.tokens), (2, 1, 618));
        let (open, third) = send(&all, true);
        assert_eq!((open, third.tasks), (1, 1), "what was lost on the way is sent again when told to");
        folder.receive(results(&third.files[0]).as_slice()).unwrap();
        assert_eq!(send(&all, false), (0, Sent::default()));
    }

    #[test]
    fn many_tasks_are_several_files() {
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
    fn a_folder_without_a_batch_is_told() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(BatchFolder::open(folder.path()), Err(BatchError::NoBatch { .. })));
        assert!(matches!(BatchFolder::open(folder.path().join("x")), Err(BatchError::Folder { .. })));
    }
}
