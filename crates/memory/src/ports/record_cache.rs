//! Port of a cache that several machines share.

use std::fmt;

use super::StoreError;

/// Key of a cached record: a hash of the text and of everything that decides the record's bits.
pub type RecordKey = [u8; 32];

/// Cache of computed records, such as vectors and verdicts, that several machines share, so that none computes what another
/// has computed.
///
/// A cache may lose any record at any time. Whoever reads a record checks it; whoever may write to the cache is trusted with
/// the vectors of texts.
pub trait RecordCache: fmt::Debug + Send + Sync {
    /// Returns the records that there are of these keys, in any order. Records of more than `most_bytes` are left out.
    ///
    /// # Errors
    /// [`StoreError`] if the cache cannot be read.
    fn find_records(
        &self,
        keys: &[RecordKey],
        most_bytes: usize,
    ) -> Result<Vec<(RecordKey, Vec<u8>)>, StoreError>;

    /// Keeps records, the newest `most` of all; a damaged one is replaced by the next that is kept.
    ///
    /// # Errors
    /// [`StoreError`] if the cache cannot be written.
    fn keep_records(&self, records: &[(RecordKey, Vec<u8>)], most: u64) -> Result<(), StoreError>;
}
