//! Error of a build that was asked for a feature that it leaves out.

use crate::error::{CliError, Exit};

/// A build without a feature was asked for what needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this build has no `{feature}`")]
pub(crate) struct MissingFeature {
    feature: &'static str,
    /// The way to have it all the same.
    pub(crate) hint: &'static str,
}

#[allow(unused_macros, reason = "a full build lacks nothing")]
macro_rules! missing {
    ($feature:literal) => {
        Self {
            feature: $feature,
            hint: concat!(
                "install one that has it: cargo install --locked --path crates/cli --features ",
                $feature
            ),
        }
    };
}

impl MissingFeature {
    #[cfg(not(feature = "desk"))]
    pub(crate) const DESK: Self = missing!("desk");
    #[cfg(not(feature = "mcp"))]
    pub(crate) const MCP: Self = missing!("mcp");
    #[cfg(not(feature = "parquet"))]
    pub(crate) const PARQUET: Self = missing!("parquet");
    #[cfg(not(feature = "postgres"))]
    pub(crate) const POSTGRES: Self = missing!("postgres");
    #[cfg(not(feature = "serve"))]
    pub(crate) const SERVE: Self = missing!("serve");
}

impl From<MissingFeature> for CliError {
    fn from(error: MissingFeature) -> Self {
        Self::new(Exit::Usage, error).hint(error.hint)
    }
}
