//! Assertions of a statement, and the foundation of each.

mod assertion;
mod foundation;

pub(crate) use assertion::{assertions, joined};
pub(crate) use foundation::foundation;
