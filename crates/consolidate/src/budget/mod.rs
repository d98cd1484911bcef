//! Budgets of a night for distinct memories, storage and reflections, and their division among senders and clusters.

mod distinct;
mod flood;
mod reflections;
mod share;
mod sleep;
mod storage;

pub(crate) use distinct::{LeftOut, fit_to_max_distinct};
pub(crate) use flood::without_flood;
pub(crate) use reflections::reflection_slots;
pub(crate) use share::{ShareRequest, apportion};
pub(crate) use sleep::share_of_night;
pub(crate) use storage::{StorageClaim, storage_budgets};
