//! Assertions of a statement, and the foundation of each.

mod foundation;
mod position;
mod split;

pub(crate) use foundation::foundation;
pub(crate) use split::{assertions, is_activity, join_adjacent};
