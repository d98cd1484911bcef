//! Effect of a night: the rows, edges and log lines that applying it writes. It is computed without I/O and
//! is the one definition that every store carries out.
//!
//! A store passes the state before the night ([`PriorState`], and [`PriorRows`] for single rows);
//! [`effect_of`] decides that nothing is written, refuses the night, or returns what to write. Every refusal
//! happens here, before the first write: a store that has begun to write a night can only fail as a whole.
//! [`advance`] carries the effect out on a [`MemorySnapshot`](crate::MemorySnapshot), so that several nights
//! can be planned ahead without a store.
//!
//! Effect of each change on a memory of the night:
//!
//! | change | the memory | also |
//! |---|---|---|
//! | `store` | active, as in the plan | |
//! | `collapse` | repeats archived by the rule | the memory that is kept derives from them |
//! | `prune` | archived by the rule | |
//! | `chunk` | archived by the rule | the synthesis becomes active and derives from them |
//! | `corroborate` | archived by `already-known` | the older entry gets the corroborations, confidence, importance and pin of the plan, and derives from them too |
//!
//! and on older entries:
//!
//! | change | the entry | also |
//! |---|---|---|
//! | `strengthen` | gets the corroborations and confidence of the plan | the reflection derives from the sources too |
//! | `supersede` | archived by the rule; one that an earlier night archived keeps its own rule | it gets its successor |
//! | `contest` | stays active, marked as contested with the sources | they stay active, marked as contested with it |
//! | `end` | stays active, with one more ended position that names the first source | |
//! | `archive`, `forget` | archived by the rule | |
//! | `collapse` with a merged state | gets the state of the plan, and derives from its duplicates | they are archived by the rule with it as their successor; references to a duplicate become references to it, and entries contested with a duplicate are contested with it |
//! | `restore` | active again, without a successor | it gets the vector of the plan if the store has none |
//!
//! An entry that leaves the active set loses its contest marks: a mark always names two active entries. It keeps its ended
//! positions, which tell what it said that no longer held. They are of its own words: an entry that duplicates are
//! collapsed into does not get theirs, and an ended position goes on to name an entry that was archived, a collapsed
//! duplicate too.
//!
//! Vectors are [rounded](crate::Vector::rounded) when they enter long-term memory: entries and the centres of themes.
//!
//! Each theme that the night saw is added in its state after the night; the last addition is the current
//! state.
//!
//! `reflect` adds a reflection. Nothing is deleted except by undoing; only edges to duplicates are replaced
//! by edges to the canonical entry, and undoing puts them back.
//!
//! A collapse of older entries has to move every reference to a duplicate: a night that leaves one out is
//! refused.

mod advance;
mod branch;
mod build;
mod contest;
mod decide;
mod end;
mod erasure;
mod maintenance;
mod rows;

pub use self::{
    advance::advance,
    branch::{RewindPath, ShelvedNight, rewind_path},
    decide::{Decision, PriorState, effect_of, versions},
    erasure::{ErasureEffect, LogPlace, MIN_SUPPORT, NpcHistory, RecordHistory, ThemeState, erasure_of},
    rows::{Edge, Effect, PriorRows, without_vector},
};
