//! Parquet files in a build without them: every use is refused.

use std::{
    fs::File,
    io::{self, BufRead, Write},
    ops::Range,
    path::Path,
};

use nightfold::memory::{Memory, NpcId, ValidConfig, config::TransferConfig};
use nightfold_formats::jsonl::VectorRule;
use nightfold_store::{DurableStore, ExportError, TransferCounts};

use crate::{
    error::{CliError, Exit},
    missing_feature::MissingFeature,
};

/// Error of reading a Parquet file.
pub(crate) type ParquetReadError = MissingFeature;

fn refused<T>() -> Result<T, ExportError> {
    Err(ExportError::Write(io::Error::other(MissingFeature::PARQUET)))
}

pub(crate) fn export_store(
    _: &dyn DurableStore,
    _: Option<&NpcId>,
    _: &mut (dyn Write + Send),
) -> Result<TransferCounts, ExportError> {
    refused()
}

pub(crate) fn export_entries(
    _: &dyn DurableStore,
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

/// A pack that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) struct PackReadError(#[from] MissingFeature);

impl PackReadError {
    #[expect(clippy::unused_self, reason = "errors of builds with Parquet may be of the way")]
    pub(crate) fn is_of_the_way(&self) -> bool {
        false
    }

    #[expect(clippy::unused_self, reason = "errors of builds with Parquet have memories")]
    pub(crate) fn is_of_one_memory(&self) -> bool {
        false
    }

    pub(crate) fn hint(&self) -> &'static str {
        self.0.hint
    }
}

/// A pack that is being read: there is none here.
pub(crate) enum InputPack {}

impl InputPack {
    pub(crate) fn open(_: &Path, _: File, _: &ValidConfig) -> Result<Self, PackReadError> {
        Err(MissingFeature::PARQUET.into())
    }

    pub(crate) fn open_far(_: &str, _: &ValidConfig) -> Result<Self, PackReadError> {
        Err(MissingFeature::PARQUET.into())
    }

    pub(crate) fn shards(&self) -> u32 {
        match *self {}
    }

    pub(crate) fn identity(&self) -> String {
        match *self {}
    }

    pub(crate) fn memories(&self) -> u64 {
        match *self {}
    }

    pub(crate) fn each_memory(
        &mut self,
        _: Range<u32>,
        _: &ValidConfig,
        _: &VectorRule<'_>,
        _: &mut dyn FnMut(Result<Memory, PackReadError>) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        match *self {}
    }
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
        let store = nightfold_store::SqliteStore::open(folder.path().join("town.db")).unwrap();
        let error = export_store(&store, None, &mut Vec::new()).unwrap_err();
        assert!(CliError::new(Exit::Usage, error).message().contains("has no `parquet`"));
    }
}
