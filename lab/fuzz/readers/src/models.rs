//! Vectors, grammars and cached records.

use std::sync::Arc;

use nightfold_embed::{CachedEmbedder, CachedJudge, VectorCache};
use nightfold_formats::npy as npy_file;
use nightfold_memory::{
    Embedder, Grammar, RecordCache, RecordKey, Stance, StanceJudge, StancePair, StanceReply, StoreError,
    Vector, Verdict,
};
use nightfold_town::testing::Letters;
use sha2::{Digest as _, Sha256};

/// A file of vectors, as `NumPy` writes it.
pub fn npy(bytes: &[u8]) {
    let Ok(vectors) = npy_file::read(bytes) else { return };
    let mut written = Vec::new();
    npy_file::write(&mut written, &vectors).unwrap();
    assert_eq!(npy_file::read(&written).as_ref(), Ok(&vectors));
}

/// A grammar and a vector, as stores and caches hold them.
pub fn grammar(bytes: &[u8]) {
    if let Ok(grammar) = Grammar::from_bytes(bytes) {
        assert!(grammar.words().len() <= Grammar::MAX_WORDS);
        let written = grammar.to_bytes();
        assert!(written.len() <= bytes.len(), "the shortest form is written");
        assert_eq!(Grammar::from_bytes(&written), Ok(grammar));
    }
    if let Ok(vector) = Vector::from_bytes(bytes) {
        assert_eq!(vector.to_bytes(), bytes);
    }
}

/// Shared cache in which every key has the same record.
#[derive(Debug)]
struct SameRecord {
    record: Vec<u8>,
    /// True if the record's checksum is made to fit.
    is_sealed: bool,
}

impl RecordCache for SameRecord {
    fn find_records(
        &self,
        keys: &[RecordKey],
        most_bytes: usize,
    ) -> Result<Vec<(RecordKey, Vec<u8>)>, StoreError> {
        let record = |key: &RecordKey| {
            let mut record = self.record.clone();
            if self.is_sealed {
                record.extend_from_slice(
                    &Sha256::new_with_prefix(key).chain_update(&self.record).finalize()[..8],
                );
            }
            (*key, record)
        };
        Ok(keys.iter().map(record).filter(|(_, record)| record.len() <= most_bytes).collect())
    }

    fn keep_records(&self, _: &[(RecordKey, Vec<u8>)], _: u64) -> Result<(), StoreError> {
        Ok(())
    }
}

/// Judge that takes no text for another.
struct Unrelated;

impl StanceJudge for Unrelated {
    fn name(&self) -> &'static str {
        "unrelated"
    }

    fn max_batch(&self) -> usize {
        8
    }

    fn judge(&self, pairs: &[StancePair<'_>], _: usize) -> StanceReply {
        let verdicts = pairs.iter().map(|_| Ok(Verdict::certain(Stance::Unrelated))).collect();
        StanceReply { verdicts, tokens: 0 }
    }
}

/// Records of a cache that several machines share: vectors with grammars, and verdicts.
pub fn cached(bytes: &[u8]) {
    for is_sealed in [false, true] {
        let cache = || {
            let shared = SameRecord { record: bytes.to_vec(), is_sealed };
            VectorCache::in_memory(16).unwrap().with_shared(Arc::new(shared), 16)
        };
        let letters = Letters::new();
        let dimensions = letters.dimensions();
        let embedder = CachedEmbedder::new(letters, Some(cache()), "letters");
        let embed = || embedder.embed(&["I swept the room", "Joss owes me 14 silver"]).unwrap();
        let embedded = embed();
        assert_eq!((embedded.vectors.len(), embedded.vectors.dimensions()), (2, dimensions));
        for row in 0..2 {
            Vector::new(embedded.vectors.row(row)).expect("every vector has the length 1");
        }
        assert_eq!(embed().vectors, embedded.vectors, "a second reading tells the same");

        let judge = CachedJudge::new(Unrelated, cache(), "unrelated");
        let pair = StancePair { older: "Tom fell.", newer: "Tom did not fall.", cosine: 0.9 };
        let verdict = judge.judge(&[pair], 0).verdicts.remove(0).unwrap();
        assert!([verdict.same, verdict.contradiction].iter().all(|p| (0.0..=1.0).contains(p)), "{verdict:?}");
    }
}
