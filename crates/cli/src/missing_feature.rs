//! Features that a build may leave out, and the error of a build that is asked for one of them.

use crate::error::{CliError, Exit};

/// A build without a feature was asked for what needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this build of nightfold has no {what}")]
pub(crate) struct MissingFeature {
    /// The part that the build leaves out.
    what: &'static str,
    /// The way to have it all the same.
    pub(crate) hint: &'static str,
}

impl MissingFeature {
    #[cfg(all(feature = "parquet", not(feature = "cloud")))]
    pub(crate) const CLOUD: Self = Self {
        what: "object storage",
        hint: "copy the file, or install a build with the feature `cloud`: \
            cargo install --locked --path crates/cli --features cloud",
    };
    #[cfg(not(feature = "desk"))]
    pub(crate) const DESK: Self = Self {
        what: "desk",
        hint: "install a build with the feature `desk`, which is on by default: \
            cargo install --locked --path crates/cli --features desk",
    };
    #[cfg(not(feature = "local"))]
    pub(crate) const LOCAL: Self = Self {
        what: "engine for language models in GGUF files",
        hint: "install a build with the feature `local` (cargo install --locked --path crates/cli --features local), \
            or name a server: --language openai:URL",
    };
    #[cfg(not(feature = "mcp"))]
    pub(crate) const MCP: Self = Self {
        what: "MCP server",
        hint: "install a build with the feature `mcp`, which is on by default: \
            cargo install --locked --path crates/cli --features mcp",
    };
    #[cfg(not(feature = "serve"))]
    pub(crate) const SERVE: Self = Self {
        what: "HTTP server",
        hint: "install a build with the feature `serve`, which is on by default: \
            cargo install --locked --path crates/cli --features serve",
    };
    #[cfg(not(feature = "postgres"))]
    pub(crate) const POSTGRES: Self = Self {
        what: "PostgreSQL store",
        hint: "name a file (--store FILE), or install a build with the feature `postgres`, which is on by default: \
            cargo install --locked --path crates/cli --features postgres",
    };
    pub(crate) const PARQUET: Self = Self {
        what: "Parquet",
        hint: "use JSONL (--format jsonl), or install a build with the feature `parquet`, which is on by default: \
            cargo install --locked --path crates/cli --features parquet",
    };
}

impl From<MissingFeature> for CliError {
    fn from(error: MissingFeature) -> Self {
        Self::new(Exit::Usage, error).hint(error.hint)
    }
}
