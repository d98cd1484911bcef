//! Index of a batch, which stays on this machine.

use std::{collections::BTreeMap, io::BufRead};

use nightfold_memory::{MemoryId, Request, TaskKind};
use serde::{Deserialize, Serialize};

use super::error::{BatchError, BatchFile};
use crate::{
    cost::CostBound,
    lines::{LineRead, next_line},
    recorded::{MAX_RECORD_BYTES, TaskKey},
};

const FORMAT: u32 = 1;

/// Everything that is needed to read the answer of one task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct IndexedTask {
    /// Version of the format.
    #[cfg_attr(feature = "schema", schemars(extend("const" = FORMAT)))]
    format: u32,
    /// Key of the task.
    pub(super) key: TaskKey,
    /// Name of the model.
    pub(super) model: String,
    /// Kind of the task.
    pub(super) kind: TaskKind,
    /// The ids behind the aliases m1, m2 ….
    pub(super) ids: Vec<MemoryId>,
    /// Upper bound of its cost.
    pub(super) most: CostBound,
}

#[derive(Deserialize)]
struct IndexFormat {
    format: u32,
}

impl IndexedTask {
    pub(super) fn of(key: TaskKey, model: &str, request: &Request<'_>, most: CostBound) -> Self {
        let ids = request.task.sources.iter().map(|source| source.id.clone()).collect();
        Self { format: FORMAT, key, model: model.to_owned(), kind: request.task.kind, ids, most }
    }

    /// Reads every task of an index, by key.
    pub(super) fn read_all(mut index: impl BufRead) -> Result<BTreeMap<TaskKey, Self>, BatchError> {
        let mut tasks = BTreeMap::new();
        let mut bytes = Vec::new();
        for line in 1.. {
            let file = BatchFile::Index;
            let read = next_line(&mut index, &mut bytes, MAX_RECORD_BYTES)
                .map_err(|source| BatchError::Io { file, source })?;
            match read {
                LineRead::End => break,
                LineRead::TooLong => return Err(BatchError::TooLong { line, most: MAX_RECORD_BYTES }),
                LineRead::Line | LineRead::Tail => {}
            }
            let bad = |source| BatchError::Line { file, line, source };
            let IndexFormat { format } = serde_json::from_slice(&bytes).map_err(bad)?;
            if format != FORMAT {
                return Err(BatchError::Format { line, found: format, known: FORMAT });
            }
            let task: Self = serde_json::from_slice(&bytes).map_err(bad)?;
            tasks.insert(task.key, task);
        }
        Ok(tasks)
    }
}
