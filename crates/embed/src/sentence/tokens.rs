//! Tokenization of texts.

use std::path::Path;

use nightfold_memory::{EmbedderError, Grammar};
use tokenizers::{Encoding, Tokenizer, TruncationParams};

use super::error::ModelOpenError;
use crate::grammar::PreToken;

/// Maximum number of tokens that the model reads of one text, including its two special tokens: the length it
/// was trained with.
pub const MAX_TOKENS: usize = 256;

/// The tokens of one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tokens {
    pub(super) ids: Vec<i64>,
    /// Words of the text as the tokenizer splits it, as far as they were read.
    pub(super) words: Vec<PreToken>,
    /// True if the text was longer.
    pub(super) truncated: bool,
}

impl From<Encoding> for Tokens {
    fn from(encoding: Encoding) -> Self {
        Self {
            ids: encoding.get_ids().iter().copied().map(i64::from).collect(),
            words: pre_tokens(&encoding),
            truncated: !encoding.get_overflowing().is_empty(),
        }
    }
}

/// Returns the pre-tokens of a text, in order. One whose place in the text is unclear, because the tokenizer
/// made it from part of a character, is left out.
fn pre_tokens(encoding: &Encoding) -> Vec<PreToken> {
    let mut found: Vec<PreToken> = Vec::new();
    let mut last = None;
    let tokens = encoding.get_word_ids().iter().zip(encoding.get_offsets()).enumerate();
    for (token, (word, &(start, end))) in tokens.filter(|(_, (word, _))| word.is_some()) {
        let continued = *word == last;
        last = *word;
        match found.last_mut() {
            Some(pre_token) if continued => pre_token.span.end = pre_token.span.end.max(end),
            Some(pre_token) if start < pre_token.span.end => {}
            _ if end > start => found.push(PreToken { span: start..end, token }),
            _ => {}
        }
    }
    found.truncate(Grammar::MAX_WORDS);
    found
}

/// The model's tokenizer: truncates at [`MAX_TOKENS`], never pads.
pub(super) struct TextTokenizer(Tokenizer);

impl TextTokenizer {
    pub(super) fn open(path: &Path) -> Result<Self, ModelOpenError> {
        let unusable = ModelOpenError::file("tokenizer", path, "used");
        let mut tokenizer = Tokenizer::from_file(path).map_err(&unusable)?;
        // The file asks for 128 tokens, padded to that length.
        tokenizer.with_padding(None);
        let truncation = TruncationParams { max_length: MAX_TOKENS, ..TruncationParams::default() };
        tokenizer.with_truncation(Some(truncation)).map_err(unusable)?;
        Ok(Self(tokenizer))
    }

    /// Returns the tokens of each text, in order.
    pub(super) fn tokens(&self, texts: &[&str]) -> Result<Vec<Tokens>, EmbedderError> {
        match self.0.encode_batch(texts.to_vec(), true) {
            Ok(encodings) => Ok(encodings.into_iter().map(Tokens::from).collect()),
            // Which text it was shows only one by one.
            Err(_) => texts
                .iter()
                .enumerate()
                .map(|(index, &text)| match self.0.encode(text, true) {
                    Ok(encoding) => Ok(encoding.into()),
                    Err(source) => Err(EmbedderError::Tokenize { index, source }),
                })
                .collect(),
        }
    }
}
