//! Budgets of a night for storage and reflections, and their division among clusters.

mod reflections;
mod share;
mod sleep;
mod storage;

pub(crate) use reflections::reflection_slots;
pub(crate) use share::{ShareRequest, apportion};
pub(crate) use sleep::share_of_night;
pub(crate) use storage::{StorageClaim, storage_budgets};
