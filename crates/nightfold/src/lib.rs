//! Nightly memory consolidation for game NPCs: decides, while an NPC sleeps, what it will still know tomorrow.
//!
//! The steps of one night are pure functions in [`nightfold_consolidate`]; this crate runs them for many NPCs. Texts
//! of all NPCs are embedded together and each only once, the other steps run in parallel on the current rayon pool,
//! and each NPC's night is written as soon as its batch is planned. Neither invalid data nor a panic of one NPC stops the
//! night of another one; a program that is built with `panic = "abort"` ends at a panic, as such programs do. Use [`Sleep::apply_each`] for more NPCs than fit into memory.
//!
//! ```no_run
//! use nightfold::{Sleep, days, english::Packs};
//! use nightfold::memory::{Embedder, Memory, MemoryStore, ValidConfig};
//!
//! # fn run(embedder: &dyn Embedder, store: &dyn MemoryStore, memories: Vec<Memory>)
//! #     -> Result<(), Box<dyn std::error::Error>> {
//! let config = ValidConfig::default();
//! let sleep = Sleep::new(&config, &Packs, embedder, store);
//! let slept = sleep.plan(days(memories, None, &config))?;
//! let counts = slept.plan.report.counts;
//! println!("{} of {} memories would be kept", counts.kept, counts.distinct);
//! let slept = sleep.apply(store, days(vec![], None, &config))?;
//! assert!(slept.failures.is_empty());
//! # Ok(())
//! # }
//! ```

mod apply;
mod days;
mod error;
mod front_door;
mod history;
mod judge_scheduler;
mod language_scheduler;
mod ledger;
mod maintenance;
mod observer;
mod outage;
mod packs;
mod panics;
mod planner;
mod read;
mod recall;
mod run;
mod sleep;
mod stream;
mod vector_book;

#[cfg(feature = "minilm")]
pub use front_door::MiniLmError;
pub use nightfold_consolidate as consolidate;
#[cfg(feature = "minilm")]
pub use nightfold_embed as embed;
#[cfg(feature = "english")]
pub use nightfold_english as english;
pub use nightfold_formats as formats;
#[cfg(feature = "openai")]
pub use nightfold_language as language;
pub use nightfold_memory as memory;
#[cfg(feature = "sqlite")]
pub use nightfold_store as store;

pub use apply::{Applied, apply_plan};
pub use days::{Days, days, days_by_night, waits};
pub use error::{BoxError, Failure, NightError, RunError};
pub use front_door::{BuildError, Nightfold, NightfoldBuilder, Plan, PlanDiff, RecalledMemory};
pub use history::entries_at;
pub use judge_scheduler::{JudgedPairs, judge_pairs, judge_questions};
pub use maintenance::{
    ArchivedRecord, ContestedRecord, Maintenance, MaintenancePlan, MaintenanceTasks, RestoreError,
    SettleError, Settlement, StatusScope,
};
pub use observer::{NoObserver, Observer, RunStep};
pub use packs::{pack_for, pack_for_entries};
pub use panics::{catch_panic, catches_panic};
pub use read::{read_jsonl, read_jsonl_from};
pub use recall::{Recall, RecallError, RecallPorts, RecallScope, recallable};
pub use sleep::{NpcDays, RunOutcome, Sleep, StreamOutcome};
