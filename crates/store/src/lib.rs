//! Long-term memory of NPCs: in a SQLite file, and in memory for tests and replays.
//!
//! [`SqliteStore`] and [`InMemoryStore`] both are a [`MemoryStore`](nightfold_memory::MemoryStore). What a night
//! writes is decided in one place, a pure function from the night and what stands before it to rows, edges and
//! log lines; a store only carries it out. So the two cannot disagree on what a night means, and a night is
//! refused before its first write or not at all.
//!
//! [`advance`] does the same to a [`Past`](nightfold_memory::Past) alone, so that several nights can be planned
//! ahead.
//!
//! What applying does to a memory of the night:
//!
//! | change | the memory | also |
//! |---|---|---|
//! | `store` | active, as the plan has it | |
//! | `collapse` | repeats archived by the rule | the one that stands for them derives from them |
//! | `prune` | archived by the rule | |
//! | `chunk` | archived by the rule | the synthesis becomes active and derives from them |
//! | `corroborate` | archived by `already-known` | the older entry grows stronger, with the importance and pin of the plan, and derives from them too |
//!
//! and to older entries:
//!
//! | change | the entry | also |
//! |---|---|---|
//! | `strengthen` | the reflection grows stronger | it derives from the sources too |
//! | `supersede` | archived by the rule; one that an earlier night archived stays so by its own rule | it names its successor |
//! | `contest` | stays active, marked as contested with the sources | they stay active, marked as contested with it |
//! | `archive`, `forget` | archived by the rule | |
//! | `collapse` with a standing | stands as the plan says, and derives from its duplicates | they are archived by the rule and name it as their successor; what named one of them names it from now on, and what was contested with one of them is contested with it |
//! | `restore` | active again, without a successor | it gets the vector of the plan where the store has none |
//!
//! Whatever leaves the active set is contested with nothing any more: marks of contest always name two active entries.
//!
//! The themes that a night saw are added, each as it stands after the night; the last addition is how it stands.
//!
//! `reflect` adds an insight. Nothing is deleted except by undoing; only the edges to duplicates give way to edges
//! to what stands for them, and undoing puts them back.
//!
//! A collapse of older entries has to move all that names a duplicate: a night that leaves one out is refused.
//!
//! A run is a number that [`begin_run`](nightfold_memory::MemoryStore::begin_run) gives once, whoever asks: for a
//! file it is reserved in the file, which takes the right to write. What a run wrote is taken back together by
//! [`undo_run`](nightfold_memory::MemoryStore::undo_run). Only [`nights`](nightfold_memory::MemoryStore::nights)
//! tells of runs; entries, logs and pasts are the same whatever run wrote them.
//!
//! ```
//! use nightfold_memory::{MemoryStore, NpcNight, Outcome};
//! use nightfold_store::InMemoryStore;
//!
//! let night: NpcNight = serde_json::from_str(r#"{
//!     "npc": "Mara", "night": "1204-05-03", "at": "1204-05-04T03:00:00Z", "base_version": 0, "model": "m",
//!     "memories": [{"id": "m-1", "npc": "Mara", "at": "1204-05-03T06:10:00Z", "kind": "event",
//!                   "text": "I swept the common room", "importance": 2}],
//!     "changes": [{"do": "prune", "id": "m-1", "sources": [],
//!                  "reason": {"rule": "unimportant-incoherent", "values": {"cohesion": 0.12}}}],
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
//! let store = InMemoryStore::new();
//! let outcomes = store.apply(store.begin_run()?, &[night.clone()])?;
//! assert!(matches!(outcomes[0], Ok(Outcome::Applied { .. })));
//!
//! // Pruned, not lost: it is in the archive, and says why.
//! let pruned = &store.entries(&night.npc)?[0];
//! assert_eq!(pruned.archived_by.as_deref(), Some("unimportant-incoherent"));
//!
//! store.undo(&night.npc)?;
//! assert!(store.entries(&night.npc)?.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod advance;
mod effect;
mod fault;
pub mod folder;
mod in_memory;
mod sqlite;

pub use advance::advance;
pub use in_memory::InMemoryStore;
pub use sqlite::{
    Access, Column, ExportError, ImportError, ImportOptions, ImportProblem, OpenError, Shape, SqliteStore,
    StoreOptions, Transferred, exported_formats, exported_tables,
};
