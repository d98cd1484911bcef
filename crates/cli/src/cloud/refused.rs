//! Object storage in a build without it: every use is refused.

use std::path::Path;

use nightfold_formats::parquet::RangeSource;

use crate::missing_feature::MissingFeature;

/// Error of using object storage.
pub(crate) type CloudError = MissingFeature;

/// A file in object storage: there is none here.
pub(crate) enum CloudFile {}

impl CloudFile {
    pub(crate) fn open(_: &str) -> Result<Self, CloudError> {
        Err(MissingFeature::CLOUD)
    }
}

impl RangeSource for CloudFile {
    fn size(&self) -> u64 {
        match *self {}
    }

    fn read_range(&self, _: u64, _: usize) -> std::io::Result<bytes::Bytes> {
        match *self {}
    }
}

/// An object to be written: there is none here.
pub(crate) enum Upload {}

impl Upload {
    pub(crate) fn prepare(_: &str) -> Result<Self, CloudError> {
        Err(MissingFeature::CLOUD)
    }

    pub(crate) fn finish(self, _: &Path) -> Result<(), CloudError> {
        match self {}
    }
}
