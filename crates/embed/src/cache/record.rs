//! Cache records. A text's record: a byte for "truncated" and "with grammar", the vector's numbers, the bytes of
//! the grammar, a checksum.

use std::ops::RangeInclusive;

use nightfold_memory::{Grammar, Vector, Verdict};
use sha2::{Digest, Sha256};

/// Key of a record: the SHA-256 of its text and of everything that made what is kept of it.
pub(super) type CacheKey = [u8; 32];

const CHECKSUM: usize = 8;
/// Flag of a text of which the model read only the beginning.
const TRUNCATED: u8 = 1;
/// Flag of a record with a grammar.
const WITH_GRAMMAR: u8 = 2;

/// Hasher that makes keys. They differ if the model, the number of dimensions or anything else that decides a
/// vector's bits or a grammar differs.
#[derive(Debug, Clone)]
pub(super) struct KeyHasher(Sha256);

impl KeyHasher {
    pub(super) fn new(model: &str, dimensions: usize, made_by: &str) -> Self {
        Self::made(&format!("nightfold-text-1\n{model}\n{dimensions}\n{made_by}"))
    }

    /// Creates a hasher for verdicts. Keys differ if the judge or anything else that decides a verdict's bits
    /// differs.
    pub(super) fn of_verdicts(judge: &str, made_by: &str) -> Self {
        Self::made(&format!("nightfold-verdict-1\n{judge}\n{made_by}"))
    }

    fn made(maker: &str) -> Self {
        let mut hash = Sha256::new();
        // The length in front: no maker's name can run on into a text.
        hash.update((maker.len() as u64).to_le_bytes());
        hash.update(maker);
        Self(hash)
    }

    pub(super) fn of(&self, text: &str) -> CacheKey {
        self.0.clone().chain_update(text).finalize().into()
    }

    /// Returns the key of an older and a newer text.
    pub(super) fn of_pair(&self, older: &str, newer: &str) -> CacheKey {
        let length = (older.len() as u64).to_le_bytes();
        self.0.clone().chain_update(length).chain_update(older).chain_update(newer).finalize().into()
    }
}

/// Record of a verdict: two numbers and a checksum.
pub(super) struct VerdictRecord;

impl VerdictRecord {
    /// Size of a verdict's record, in bytes, as a range of one.
    pub(super) const LENGTHS: RangeInclusive<usize> = 16 + CHECKSUM..=16 + CHECKSUM;

    /// Encodes the record under this key.
    pub(super) fn write(key: &CacheKey, verdict: &Verdict) -> Vec<u8> {
        sealed(key, [verdict.same, verdict.contradiction].map(f64::to_le_bytes).concat())
    }

    /// Decodes the record under this key, to the bit; `None` if it is not intact.
    pub(super) fn read(key: &CacheKey, record: &[u8]) -> Option<Verdict> {
        let (numbers, _) = unsealed(key, record)?.as_chunks::<8>();
        let &[same, contradiction] = numbers else { return None };
        let [same, contradiction] = [same, contradiction].map(f64::from_le_bytes);
        let is_probability = |p: f64| (0.0..=1.0).contains(&p);
        (is_probability(same) && is_probability(contradiction)).then_some(Verdict { same, contradiction })
    }
}

/// Record of a text: its vector and its grammar.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TextRecord {
    pub(super) vector: Vec<f32>,
    /// True if the model read only the text's beginning.
    pub(super) truncated: bool,
    pub(super) grammar: Option<Grammar>,
}

impl TextRecord {
    /// Possible sizes of the record of a vector with this many dimensions, in bytes.
    pub(super) fn lengths(dimensions: usize) -> RangeInclusive<usize> {
        let bare = 1 + 4 * dimensions + CHECKSUM;
        bare..=bare + Grammar::MAX_BYTES
    }

    /// Encodes the record under this key.
    pub(super) fn write(&self, key: &CacheKey) -> Vec<u8> {
        let flag = |flag, set| if set { flag } else { 0 };
        let mut record = vec![flag(TRUNCATED, self.truncated) | flag(WITH_GRAMMAR, self.grammar.is_some())];
        self.vector.iter().for_each(|x| record.extend_from_slice(&x.to_le_bytes()));
        record.extend(self.grammar.iter().flat_map(Grammar::to_bytes));
        sealed(key, record)
    }

    /// Decodes the record under this key, to the bit; `None` if it is not intact.
    pub(super) fn read(key: &CacheKey, record: &[u8], dimensions: usize) -> Option<Self> {
        let (&flags, rest) = unsealed(key, record)?.split_first()?;
        let (numbers, grammar) = rest.split_at_checked(4 * dimensions)?;
        let has_grammar = flags & WITH_GRAMMAR != 0;
        if flags & !(TRUNCATED | WITH_GRAMMAR) != 0 || !has_grammar && !grammar.is_empty() {
            return None;
        }
        let grammar = if has_grammar { Some(Grammar::from_bytes(grammar).ok()?) } else { None };
        let vector = Vector::from_bytes(numbers).ok()?.as_slice().to_vec();
        Some(Self { vector, truncated: flags & TRUNCATED != 0, grammar })
    }
}

/// Appends the checksum to a record.
fn sealed(key: &CacheKey, mut record: Vec<u8>) -> Vec<u8> {
    let sum = checksum(key, &record);
    record.extend_from_slice(&sum);
    record
}

/// Returns a record without its checksum; `None` if that does not fit.
fn unsealed<'a>(key: &CacheKey, record: &'a [u8]) -> Option<&'a [u8]> {
    let (written, sum) = record.split_at_checked(record.len().checked_sub(CHECKSUM)?)?;
    (sum == checksum(key, written)).then_some(written)
}

/// Returns the checksum of a record and its key: a record under another key is rejected.
fn checksum(key: &CacheKey, written: &[u8]) -> [u8; CHECKSUM] {
    let whole: [u8; 32] = Sha256::new().chain_update(key).chain_update(written).finalize().into();
    let mut sum = [0; CHECKSUM];
    sum.copy_from_slice(&whole[..CHECKSUM]);
    sum
}
