//! Statements: the parts that are put forward as true, and how well each is founded.

mod assertion;
mod foundation;

pub(crate) use assertion::{assertions, joined};
pub(crate) use foundation::foundation;
