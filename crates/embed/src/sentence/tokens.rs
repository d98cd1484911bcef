//! Tokenization of texts.

use std::path::Path;

use nightfold_memory::EmbedderError;
use tokenizers::{Encoding, Tokenizer, TruncationParams};

use super::ModelOpenError;

/// Maximum number of tokens that the model reads of one text, including its two special tokens: the length it
/// was trained with.
pub const MAX_TOKENS: usize = 256;

/// The tokens of one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tokens {
    pub(super) ids: Vec<i64>,
    /// True if the text was longer.
    pub(super) truncated: bool,
}

impl From<Encoding> for Tokens {
    fn from(encoding: Encoding) -> Self {
        Self {
            ids: encoding.get_ids().iter().copied().map(i64::from).collect(),
            truncated: !encoding.get_overflowing().is_empty(),
        }
    }
}

/// The model's tokenizer: truncates at [`MAX_TOKENS`], never pads.
pub(super) struct TextTokenizer(Tokenizer);

impl TextTokenizer {
    pub(super) fn open(path: &Path) -> Result<Self, ModelOpenError> {
        let unusable = |source| ModelOpenError::Tokenizer { path: path.to_owned(), source };
        let mut tokenizer = Tokenizer::from_file(path).map_err(unusable)?;
        // The file asks for 128 tokens, padded to that length.
        tokenizer.with_padding(None);
        let truncation = TruncationParams { max_length: MAX_TOKENS, ..TruncationParams::default() };
        tokenizer.with_truncation(Some(truncation)).map_err(unusable)?;
        Ok(Self(tokenizer))
    }

    /// Returns the tokens of each text, in order.
    pub(super) fn tokens(&self, texts: &[&str]) -> Result<Vec<Tokens>, EmbedderError> {
        match self.0.encode_batch_fast(texts.to_vec(), true) {
            Ok(encodings) => Ok(encodings.into_iter().map(Tokens::from).collect()),
            // Which text it was shows only one by one.
            Err(_) => texts
                .iter()
                .enumerate()
                .map(|(index, &text)| match self.0.encode_fast(text, true) {
                    Ok(encoding) => Ok(encoding.into()),
                    Err(source) => Err(EmbedderError::Tokenize { index, source }),
                })
                .collect(),
        }
    }
}
