//! Collapse of repeats: texts that recur word for word, and status lines that recur with new numbers ("guard
//! post status: 3 patrols, 1 alert", every hour).
//!
//! [`StatusCollapse`] groups status lines that say the same, from any source. A night applies it to its day
//! before anything is embedded; maintenance applies it to long-term memory ([`EntryCollapse`]).

mod day;
mod entries;
mod exact;
mod status;

pub(crate) use self::{
    day::collapse,
    exact::{DistinctMemory, collapse_exact},
};
pub use self::{
    entries::{EntriesCollapsed, EntryCollapse},
    status::{Phase, Significance, StatusCollapse, StatusCollapsed, StatusGroup, StatusRecord, StatusReport},
};
