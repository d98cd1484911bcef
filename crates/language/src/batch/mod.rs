//! Tasks of many NPCs in one file for a provider's batch interface, and its answers as recorded answers.
//!
//! [`write_tasks`] writes two files. The *tasks* go to the provider: `OpenAI`'s batch lines, whose `custom_id` is the
//! task's key. The *index* stays here: for each key which ids the aliases stand for, and what the answer may cost.
//! Real ids are in the index alone, no text is, and the tasks hold no field that a provider could refuse. With the
//! index, [`read_answers`] needs nothing else, hours later and whatever has become of the store: it turns the
//! provider's results into lines of a record file, from which [`Recorded`](crate::recorded::Recorded) then answers the
//! same night. [`Deferring`] finds the tasks of a night, and [`BatchFolder`] keeps the files. What the batch left open
//! is asked in another one, or answered by a live model through
//! [`Recorder`](crate::recorded::Recorder) on the same file; nothing is paid twice.

mod completion;
mod deferring;
mod error;
mod folder;
mod index;
mod read;
mod write;

pub use deferring::{DeferredTasks, Deferring};
pub use error::{BatchError, BatchFile};
pub use folder::{BatchFolder, Sent};
pub use read::{BatchSummary, read_answers};
pub use write::{BatchSettings, Written, write_tasks};
