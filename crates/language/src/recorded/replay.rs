//! Recorded answers in place of a model.

use std::{collections::BTreeMap, fs::File, path::Path};

use nightfold_memory::{LanguageError, LanguageModel, Reply, Request};

use super::{
    RecordError, TaskKey,
    file::{Contents, Locked, io},
    line::Kept,
};
use crate::asking::Affordable;

/// Answers from a record file alone: no model, nothing paid, the same every time.
///
/// A task that is not in it is [`LanguageError::Unrecorded`]. Answers cost what they did when they were recorded, and
/// tasks that could not be afforded then cannot be now, so that the same night comes out as the same plan.
#[derive(Debug)]
pub struct Recorded {
    model: String,
    kept: BTreeMap<TaskKey, Kept>,
}

impl Recorded {
    /// Reads a file that was recorded with one model.
    ///
    /// # Errors
    /// [`RecordError`], also when the file holds answers of several models, or none.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RecordError> {
        Self::read(path.as_ref(), None)
    }

    /// Reads the answers of one of the models that a file was recorded with.
    ///
    /// # Errors
    /// [`RecordError`], also when the file holds none of them.
    pub fn open_for(path: impl AsRef<Path>, model: &str) -> Result<Self, RecordError> {
        Self::read(path.as_ref(), Some(model))
    }

    fn read(path: &Path, chosen: Option<&str>) -> Result<Self, RecordError> {
        let file = File::open(path).map_err(io(path, "opened"))?;
        let file = Locked::of(file, File::try_lock_shared, path)?;
        let Contents { mut kept, models, .. } = Contents::read(&file.0, path)?;
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
        kept.retain(|_, kept| kept.model == model);
        Ok(Self { model, kept })
    }

    /// How many answers it holds.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
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
        let kept = self.kept.get(&TaskKey::of(&self.model, request)).ok_or(LanguageError::Unrecorded)?;
        kept.replay(request)
    }
}
