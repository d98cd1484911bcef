//! Maintenance of long-term memory, independent of a day's memories. Its plans, like those of nights, change nothing
//! until they are applied.

mod base;
mod draft;
mod planner;
mod restore;
mod settle;
mod wording;

pub use self::{
    base::{Maintenance, MaintenancePlan, MaintenanceTasks, StatusScope},
    restore::{ArchivedRecord, RestoreError},
    settle::{ContestedRecord, SettleError, Settlement},
};
