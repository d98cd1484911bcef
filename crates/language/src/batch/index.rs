//! What is kept here of a batch's tasks.

use std::{collections::BTreeMap, io::BufRead};

use nightfold_memory::{MemoryId, Request, TaskKind};
use serde::{Deserialize, Serialize};

use super::error::{BatchError, BatchFile};
use crate::{
    asking::Most,
    lines::{Read, next_line},
    recorded::{MAX_RECORD_BYTES, TaskKey},
};

const FORMAT: u32 = 1;

/// What must be known of a task to read its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Indexed {
    format: u32,
    pub(super) key: TaskKey,
    pub(super) model: String,
    pub(super) kind: TaskKind,
    /// What m1, m2 … stand for.
    pub(super) ids: Vec<MemoryId>,
    pub(super) most: Most,
}

#[derive(Deserialize)]
struct Format {
    format: u32,
}

impl Indexed {
    pub(super) fn of(key: TaskKey, model: &str, request: &Request<'_>, most: Most) -> Self {
        let ids = request.task.sources.iter().map(|source| source.id.clone()).collect();
        Self { format: FORMAT, key, model: model.to_owned(), kind: request.task.kind, ids, most }
    }

    /// Every task of an index, by its key.
    pub(super) fn read_all(mut index: impl BufRead) -> Result<BTreeMap<TaskKey, Self>, BatchError> {
        let mut tasks = BTreeMap::new();
        let mut bytes = Vec::new();
        for line in 1.. {
            let file = BatchFile::Index;
            let read = next_line(&mut index, &mut bytes, MAX_RECORD_BYTES)
                .map_err(|source| BatchError::Io { file, source })?;
            match read {
                Read::End => break,
                Read::TooLong => return Err(BatchError::TooLong { line, most: MAX_RECORD_BYTES }),
                Read::Line | Read::Tail => {}
            }
            let bad = |source| BatchError::Line { file, line, source };
            let Format { format } = serde_json::from_slice(&bytes).map_err(bad)?;
            if format != FORMAT {
                return Err(BatchError::Format { line, found: format, known: FORMAT });
            }
            let task: Self = serde_json::from_slice(&bytes).map_err(bad)?;
            tasks.insert(task.key, task);
        }
        Ok(tasks)
    }
}
