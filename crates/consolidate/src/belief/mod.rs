//! Belief revision: what holds at the end of a day, and what has ended.
//!
//! An *episode* tells that something happened; it is never removed by news. A *position* is an answer to a question
//! about a subject that holds from a time on. It ends when a later statement gives another answer to the same
//! question, or tells of a happening that ends it.
//!
//! 1. `candidates` pairs each statement of the day with the entries that it may repeat, the nearest ones, and with the
//!    positions that it may end: those on a subject that it mentions, and those on another subject that say the same of
//!    it ("Strobel commands the watch", "Hartwig commands the watch").
//! 2. A judge, or the rules, decides the stance of each pair.
//! 3. `revise` derives the consequences. Time counts: a position ends by what is later. Foundation (`Foundation`)
//!    counts: a less well founded statement ends nothing, both are *contested*.

mod candidates;
mod revise;
mod statement;

pub(crate) use candidates::{Comparison, Rivalry, StatementId, comparisons};
pub(crate) use revise::{Reviser, Revision};
