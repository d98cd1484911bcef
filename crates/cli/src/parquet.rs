//! Parquet files, stores and packs: written and read in builds with the feature `parquet`, refused in others.

#[cfg(feature = "parquet")]
mod files;
#[cfg(feature = "parquet")]
mod packs;
#[cfg(not(feature = "parquet"))]
mod refused;

pub(crate) use nightfold_formats::is_parquet;

#[cfg(feature = "parquet")]
pub(crate) use self::files::{ParquetReadError, export_entries, export_store, hint, lines};
#[cfg(feature = "parquet")]
pub(crate) use self::packs::{InputPack, MOST_SHARDS, NewPack, PackReadError, shown};
#[cfg(not(feature = "parquet"))]
pub(crate) use self::refused::{
    InputPack, PackReadError, ParquetReadError, export_entries, export_store, hint, lines,
};
use crate::missing_feature::MissingFeature;

/// Refuses Parquet in a build without it, before any work is done for it.
///
/// # Errors
/// [`MissingFeature`].
pub(crate) fn check() -> Result<(), MissingFeature> {
    if cfg!(feature = "parquet") { Ok(()) } else { Err(MissingFeature::PARQUET) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{CliError, Exit};

    #[test]
    fn build_without_parquet_reports_the_missing_feature() {
        assert_eq!(check().is_ok(), cfg!(feature = "parquet"));
        let error = CliError::from(MissingFeature::PARQUET);
        assert_eq!(error.exit, Exit::Usage);
        let message = error.message();
        assert!(
            message.starts_with("error: this build of nightfold has no Parquet\n hint: use JSONL"),
            "{message}"
        );
        assert!(message.contains("--features parquet"), "{message}");
    }
}
