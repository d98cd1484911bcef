//! High-level interface: long-term memory, an embedder and a configuration behind a few calls.

mod builder;
mod diff;
mod nightfold;
mod plan;

#[cfg(feature = "minilm")]
pub use self::builder::MiniLmError;
pub use self::{
    builder::{BuildError, NightfoldBuilder},
    diff::PlanDiff,
    nightfold::{Nightfold, RecalledMemory},
    plan::Plan,
};
