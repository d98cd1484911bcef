//! Parquet files in a build without them: every use is refused.

use std::{
    fs::File,
    io::{self, BufRead, Write},
};

use nightfold::memory::{NpcId, config::TransferConfig};
use nightfold_store::{ExportError, SqliteStore, TransferCounts};

use crate::{error::Exit, missing_feature::MissingFeature};

/// Error of reading a Parquet file.
pub(crate) type ParquetReadError = MissingFeature;

fn refused<T>() -> Result<T, ExportError> {
    Err(ExportError::Write(io::Error::other(MissingFeature::PARQUET)))
}

pub(crate) fn export_store(
    _: &SqliteStore,
    _: Option<&NpcId>,
    _: &mut (dyn Write + Send),
) -> Result<TransferCounts, ExportError> {
    refused()
}

pub(crate) fn export_entries(
    _: &SqliteStore,
    _: &[NpcId],
    _: &mut (dyn Write + Send),
) -> Result<usize, ExportError> {
    refused()
}

pub(crate) fn lines(_: File, _: &TransferConfig) -> Result<Box<dyn BufRead>, ParquetReadError> {
    Err(MissingFeature::PARQUET)
}

pub(crate) fn hint(error: &ParquetReadError) -> (Exit, &'static str) {
    (Exit::Usage, error.hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::CliError;

    #[test]
    fn parquet_file_and_export_to_one_are_refused() {
        let error = lines(tempfile::tempfile().unwrap(), &TransferConfig::default()).err().unwrap();
        assert_eq!(error, MissingFeature::PARQUET);
        assert_eq!(hint(&error).0, Exit::Usage);
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("town.db")).unwrap();
        let error = export_store(&store, None, &mut Vec::new()).unwrap_err();
        assert!(CliError::new(Exit::Usage, error).message().contains("has no Parquet"));
    }
}
