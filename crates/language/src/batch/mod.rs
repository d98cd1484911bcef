//! Batches: tasks of many NPCs in one file for a provider's batch interface, and its results as recorded
//! answers.
//!
//! [`write_tasks`] writes two files. The *tasks* go to the provider: lines of `OpenAI`'s batch format, whose
//! `custom_id` is the task's key. The *index* stays on this machine: for each key the ids behind the aliases
//! and the upper bound of the answer's cost. Only the index contains real ids, it contains no text, and the
//! tasks have no field that a provider could refuse. [`read_answers`] needs the index alone, even hours later
//! and after changes to the store: it turns the provider's results into lines of a record file, from which
//! [`Recorded`](crate::recorded::Recorded) answers the same night. [`DeferringModel`] collects the tasks of a
//! night, and [`BatchFolder`] keeps the files. Tasks that a batch left open go into another one, or are
//! answered by a live model through [`Recorder`](crate::recorded::Recorder) on the same file; nothing is paid
//! twice.

mod completion;
mod deferred;
mod error;
mod folder;
mod index;
mod read;
mod write;

pub use deferred::{DeferredTasks, DeferringModel};
pub use error::{BatchError, BatchFile};
pub use folder::{BatchFolder, Sent};
pub use read::{BatchSummary, read_answers};
pub use write::{BatchSettings, WrittenTasks, write_tasks};

/// Returns the schema of a line of tasks.
#[cfg(feature = "schema")]
pub fn task_line_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
    <write::BatchLine<'_> as schemars::JsonSchema>::json_schema(generator)
}

/// Returns the schema of a line of the index.
#[cfg(feature = "schema")]
pub fn index_line_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
    <index::IndexedTask as schemars::JsonSchema>::json_schema(generator)
}
