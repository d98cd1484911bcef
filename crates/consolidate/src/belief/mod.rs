//! Beliefs: what the statements of a day do to what is believed already, and to each other.
//!
//! 1. `candidates` chooses who is compared with whom: what may say the same is looked for among the nearest, what may exclude
//!    each other also further off, among statements that share more than names. `archived` chooses those of the
//!    statements that were let go which are looked at: what is said again is active again.
//! 2. A judge, or the rules, says what a pair is.
//! 3. `revise` decides what follows. Time decides: what is older never supersedes what is newer. Foundation decides
//!    ([`Foundation`]): what is less well founded does not supersede, both are *contested*.

mod archived;
mod candidates;
mod revise;
mod words;

pub(crate) use archived::alike;
pub(crate) use candidates::{Against, Comparison, Exclusion, comparisons};
pub(crate) use revise::{Holder, Revising, Revision};
