//! Stores for the long-term memory of NPCs: a SQLite file, or a database of PostgreSQL.
//!
//! `SqliteStore` (feature `sqlite`) and `PostgresStore` (feature `postgres`) implement
//! [`MemoryStore`](nightfold_memory::MemoryStore). The rows, edges and log lines of a night are computed in
//! one place, [`effect`](nightfold_memory::effect), and a store only writes them. So the stores cannot
//! disagree on the result of a night, and a night is refused before its first write or not at all.
//!
//! [`effect`](nightfold_memory::effect) documents the effect of each change on the memories of a night and on
//! older entries.
//!
//! A run is identified by a number that [`begin_run`](nightfold_memory::MemoryStore::begin_run) returns only
//! once, whichever process asks; for a file, the number is reserved in the file, which needs write access.
//! [`undo_run`](nightfold_memory::MemoryStore::undo_run) undoes everything that a run wrote. Only
//! [`nights`](nightfold_memory::MemoryReader::nights) shows run numbers: entries, logs and snapshots do not
//! depend on the run that wrote them.
//!
//! ```
//! use nightfold_memory::{MemoryReader, MemoryStore, NpcNight, Outcome};
//! use nightfold_store::SqliteStore;
//!
//! let night: NpcNight = serde_json::from_str(r#"{
//!     "npc": "Mara", "night": "1204-05-03", "at": "1204-05-04T03:00:00Z", "base_version": 0, "model": "m",
//!     "memories": [{"id": "m-1", "npc": "Mara", "at": "1204-05-03T06:10:00Z", "kind": "event",
//!                   "text": "I swept the common room", "importance": 2}],
//!     "changes": [{"do": "prune", "id": "m-1", "sources": [],
//!                  "reason": {"rule": "unimportant-loose", "values": {"cohesion": 0.12}}}],
//!     "report": {"memories": 1, "distinct": 1, "kept": 0, "stored": 0, "pruned": 1, "chunked": 0,
//!                "syntheses": 0, "corroborated": 0, "superseded": 0, "reflections": 0, "loose": 1,
//!                "clusters": [], "reduction": 1.0, "raw_reduction": 1.0, "important_kept": 0,
//!                "important": 0, "storage_budget": 1,
//!                "tokens": {"budget": 5000, "estimate": 0, "spent": 0},
//!                "input": {"blank": 0, "without_importance": 0, "repeated_rows": 0, "renamed_ids": 0,
//!                          "mixed_importance": 0, "equal_times": 0, "already_slept_on": 0,
//!                          "truncated_texts": 0}}
//! }"#)?;
//!
//! let store = SqliteStore::in_memory()?;
//! let outcomes = store.apply(store.begin_run()?, &[night.clone()])?;
//! assert!(matches!(outcomes[0], Ok(Outcome::Applied { .. })));
//!
//! // Pruned, not lost: it is in the archive, and says why.
//! let pruned = &store.entries(&night.npc)?[0];
//! assert_eq!(pruned.archived_by.as_deref(), Some("unimportant-loose"));
//!
//! store.undo(&night.npc)?;
//! assert!(store.entries(&night.npc)?.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod access;
pub mod folder;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod open_error;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod shared_run;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod sql;
#[cfg(feature = "sqlite")]
mod sqlite;

#[cfg(any(feature = "postgres", feature = "sqlite"))]
pub use access::Access;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
pub use open_error::OpenError;
#[cfg(feature = "testing")]
pub mod testing;

#[cfg(feature = "postgres")]
pub use postgres::{OutcomeUnknown, PostgresOptions, PostgresStore};
#[cfg(any(feature = "postgres", feature = "sqlite"))]
pub use shared_run::{
    JoinError, Lease, LeaseOffer, ShardCounts, ShardOutcome, ShardRelease, ShardState, ShardStatus,
    SharedRunKey, SharedRunStatus, SharedRuns,
};
#[cfg(all(feature = "schema", any(feature = "postgres", feature = "sqlite")))]
pub use sql::export_line_schema;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
pub use sql::{
    DurableStore, ExportError, ImportError, ImportOptions, ImportProblem, NpcStats, PhysicalErase,
    StoreCheck, StoreProblem, StoreSize, StoreStats, TransferCounts,
};
#[cfg(feature = "sqlite")]
pub use sqlite::{BackupError, BackupOptions, SqliteStore, StoreOptions};
