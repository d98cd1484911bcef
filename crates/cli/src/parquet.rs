//! Parquet files of a store: written and read in builds with the feature `parquet`, refused in others.

#[cfg(feature = "parquet")]
mod files;
#[cfg(not(feature = "parquet"))]
mod refused;

pub(crate) use nightfold_formats::is_parquet;

#[cfg(feature = "parquet")]
pub(crate) use self::files::{ParquetReadError, export_entries, export_store, hint, lines};
#[cfg(not(feature = "parquet"))]
pub(crate) use self::refused::{ParquetReadError, export_entries, export_store, hint, lines};
use crate::error::{CliError, Exit};

/// A build without the feature `parquet` was given Parquet, or asked for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this build of nightfold has no Parquet")]
pub(crate) struct NoParquet;

/// Remedy for [`NoParquet`].
const NO_PARQUET_HINT: &str = "use JSONL (--format jsonl), or a build with the feature `parquet`, which is on by default: \
    cargo install --path crates/cli --features parquet";

impl From<NoParquet> for CliError {
    fn from(error: NoParquet) -> Self {
        Self::new(Exit::Usage, error).hint(NO_PARQUET_HINT)
    }
}

/// Refuses Parquet in a build without it, before any work is done for it.
///
/// # Errors
/// [`NoParquet`].
pub(crate) fn check() -> Result<(), NoParquet> {
    if cfg!(feature = "parquet") { Ok(()) } else { Err(NoParquet) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_without_parquet_reports_the_missing_feature() {
        assert_eq!(check().is_ok(), cfg!(feature = "parquet"));
        let error = CliError::from(NoParquet);
        assert_eq!(error.exit, Exit::Usage);
        let told = error.message();
        assert!(
            told.starts_with("error: this build of nightfold has no Parquet\n hint: use JSONL"),
            "{told}"
        );
        assert!(told.contains("--features parquet"), "{told}");
    }
}
