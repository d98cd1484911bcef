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
