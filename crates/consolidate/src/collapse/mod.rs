//! Repeats become one: texts that come again word for word, and status lines that come again with new numbers
//! ("guard post status: 3 patrols, 1 alert", every hour).
//!
//! [`StatusCollapse`] finds status lines that say the same, wherever they come from. A night does that to its day before
//! anything is embedded; upkeep does it to long-term memory ([`EntryCollapse`]).

mod day;
mod entries;
mod exact;
mod status;

pub(crate) use self::{
    day::collapse,
    exact::{Distinct, exact},
};
pub use self::{
    entries::{EntriesCollapsed, EntryCollapse},
    status::{Phase, Significance, StatusCollapse, StatusCollapsed, StatusGroup, StatusRecord, StatusReport},
};
