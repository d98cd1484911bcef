//! Belief revision: the effect of a day's statements on what is believed already, and on each other.
//!
//! 1. `candidates` chooses the pairs to compare. Statements that may say the same are sought among the nearest ones,
//!    statements that may contradict each other also among dissimilar ones that share more than names. `archived`
//!    chooses the archived statements to compare: one that is repeated becomes active again.
//! 2. A judge, or the rules, decides the stance of each pair.
//! 3. `revise` derives the consequences. Time counts: an older statement never supersedes a newer one. Foundation
//!    (`Foundation`) counts: a less well founded statement does not supersede, both are *contested*.

mod archived;
mod candidates;
mod revise;
mod words;

pub(crate) use archived::choose_archived;
pub(crate) use candidates::{Comparison, ContradictionGrounds, Counterpart, comparisons};
pub(crate) use revise::{Reviser, Revision, StatementId};
