//! Grammar of texts, read from the token vectors that the sentence model computes anyway.
//!
//! Small heads on layers 1, 3 and 6 of the encoder are part of the same graph: a layer with GELU, then linear
//! readings of parts of speech, relations and features (Hewitt & Manning 2019), and two short vectors whose
//! product scores a word as the head of another (Dozat & Manning 2017). `lab/training/grammar` contains the command
//! that makes the weights and their card, `models/grammar` the weights.
//!
//! What needs more than one word is computed here: the highest-scoring tree, and the relation to its head.

mod decode;
mod spelling;
mod tree;
mod words;

use nightfold_memory::Grammar;
use nightfold_models::GRAMMAR;

use crate::onnx::{GrammarHeads, HeadSizes, OnnxError, grammar_heads};
use decode::{Decoder, LABELS, MAX_DISTANCE};
use spelling::LetterCase;
pub(crate) use words::PreToken;

/// Number of the way in which readings become words: another one gives other words.
const DECODING: &str = "tree-1";

/// Number of dimensions of the layer that all readings share.
const SHARED: usize = 160;
/// Number of dimensions of a word's vector as a dependent, and as a head.
const ARC: usize = 48;

/// Identifies everything in the program that decides a text's grammar.
pub(crate) fn made_by() -> String {
    format!("{} {DECODING}", GRAMMAR.sha256())
}

/// Reader of grammars: the heads' graph and what is computed beside it.
pub(crate) struct GrammarReader {
    /// Part of a model that is appended to the bytes of the sentence model.
    pub(crate) graph: Vec<u8>,
    /// Number of readings of a token.
    pub(crate) readings: usize,
    decoder: Decoder,
}

impl GrammarReader {
    /// Reads the weights that are part of the program.
    pub(crate) fn new() -> Result<Self, OnnxError> {
        let sizes = HeadSizes {
            shared: SHARED,
            readings: Decoder::readings(ARC),
            tags: LABELS,
            spellings: LetterCase::COUNT,
            distances: 2 * MAX_DISTANCE + 1,
        };
        let GrammarHeads { graph, spelling, distance, root } = grammar_heads(GRAMMAR.bytes, sizes)?;
        Ok(Self { graph, readings: sizes.readings, decoder: Decoder { arc: ARC, spelling, distance, root } })
    }

    /// Returns the grammar of a text, `None` if it has no words, given its pre-tokens and the readings of all its tokens.
    pub(crate) fn read(&self, text: &str, pre_tokens: &[PreToken], readings: &[f32]) -> Option<Grammar> {
        let tagged = self.decoder.decode(text, pre_tokens, readings);
        words::joined(pre_tokens, &tagged)
    }
}
