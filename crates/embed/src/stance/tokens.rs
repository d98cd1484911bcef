//! Tokens of a pair of texts.

use std::path::Path;

use nightfold_memory::{JudgeError, StancePair};
use tokenizers::Tokenizer;

use crate::sentence::ModelOpenError;

/// Tokens of one pair.
pub(super) struct EncodedPair {
    pub(super) ids: Vec<i64>,
    pub(super) types: Vec<i64>,
}

/// Tokenizer of pairs, which refuses long ones.
pub(super) struct PairTokenizer {
    tokenizer: Tokenizer,
    max_tokens: usize,
}

impl PairTokenizer {
    /// Opens the tokenizer of all-MiniLM-L6-v2.
    pub(super) fn open(path: &Path, max_tokens: usize) -> Result<Self, ModelOpenError> {
        let unusable = ModelOpenError::file("tokenizer", path, "used");
        let mut tokenizer = Tokenizer::from_file(path).map_err(&unusable)?;
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(unusable)?;
        Ok(Self { tokenizer, max_tokens })
    }

    /// Returns the tokens of a pair.
    ///
    /// # Errors
    /// [`JudgeError::TooLong`] beyond the maximum number of tokens.
    pub(super) fn encode(&self, pair: &StancePair<'_>) -> Result<EncodedPair, JudgeError> {
        let encoding = self.tokenizer.encode((pair.older, pair.newer), true).map_err(JudgeError::Tokenize)?;
        let tokens = encoding.get_ids().len();
        if tokens > self.max_tokens {
            return Err(JudgeError::TooLong { tokens, most: self.max_tokens });
        }
        let wide = |numbers: &[u32]| numbers.iter().copied().map(i64::from).collect();
        Ok(EncodedPair { ids: wide(encoding.get_ids()), types: wide(encoding.get_type_ids()) })
    }
}

impl std::fmt::Debug for PairTokenizer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PairTokenizer").field("max_tokens", &self.max_tokens).finish_non_exhaustive()
    }
}
