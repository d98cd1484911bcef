//! Recorded answers in place of a model.

use std::{collections::BTreeMap, fs::File, path::Path};

use nightfold_memory::{LanguageError, LanguageModel, Reply, Request};

use super::{
    RecordError, TaskKey,
    file::{LockedFile, RecordContents, io},
    line::TaskRecord,
};
use crate::affordable::Affordable;

/// Language model that answers from a record file alone: no model, no cost, the same every time.
///
/// A task that is not in the file is [`LanguageError::Unrecorded`]. Answers have their original cost, and
/// tasks that could not be afforded then cannot be now, so that the same night has the same plan.
#[derive(Debug)]
pub struct Recorded {
    model: String,
    records: BTreeMap<TaskKey, TaskRecord>,
}

impl Recorded {
    /// Reads a file that was recorded with one model.
    ///
    /// # Errors
    /// [`RecordError`], also if the file contains answers of several models, or none.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RecordError> {
        Self::read(path.as_ref(), None)
    }

    /// Reads the answers of the named model from a file of records, which may contain answers of several
    /// models.
    ///
    /// # Errors
    /// [`RecordError`] if the file cannot be read or contains no answer of the model.
    pub fn open_for(path: impl AsRef<Path>, model: &str) -> Result<Self, RecordError> {
        Self::read(path.as_ref(), Some(model))
    }

    fn read(path: &Path, chosen: Option<&str>) -> Result<Self, RecordError> {
        let file = File::open(path).map_err(io(path, "opened"))?;
        let file = LockedFile::of(file, File::try_lock_shared, path)?;
        let RecordContents { mut records, models, .. } = RecordContents::read(&file.0, path)?;
        let models: Vec<String> = models.into_iter().collect();
        let model = match (chosen, models.as_slice()) {
            (None, [only]) => only.clone(),
            (Some(chosen), models) if models.iter().any(|model| model == chosen) => chosen.to_owned(),
            (None, [_, _, ..]) => return Err(RecordError::SeveralModels { path: path.to_owned(), models }),
            _ => {
                let model = chosen.map(str::to_owned);
                return Err(RecordError::NoAnswers { path: path.to_owned(), model, models });
            }
        };
        records.retain(|_, record| record.model == model);
        Ok(Self { model, records })
    }

    /// Number of answers.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// True if there are no answers.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }
}

impl LanguageModel for Recorded {
    fn name(&self) -> &str {
        &self.model
    }

    fn answer(&self, request: &Request<'_>) -> Result<Reply, LanguageError> {
        if Affordable::of(request)?.is_none() {
            return Ok(Reply { answers: Vec::new(), tokens: 0 });
        }
        let record = self.records.get(&TaskKey::of(&self.model, request)).ok_or(LanguageError::Unrecorded)?;
        record.replay(request)
    }
}
