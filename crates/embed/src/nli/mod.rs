//! Entailment classifier as a stance judge: a model in an ONNX file that the user brings.
//!
//! Deciding whether one sentence follows from another, contradicts it or neither is natural language
//! inference (Bowman et al. 2015; Williams et al. 2018). Models for it read two texts at once and return
//! three numbers. None is fetched or shipped: the user's folder contains `model.onnx`, `tokenizer.json` and
//! `config.json`.
//!
//! | file | requirements |
//! |---|---|
//! | `model.onnx` | inputs int64 `batch × sequence` with the names `input_ids`, `attention_mask`, `token_type_ids` (at least the first), output float32 `batch × 3` |
//! | `tokenizer.json` | of the `tokenizers` library, with the template for pairs |
//! | `config.json` | with `id2label`, which names the three outputs `entailment`, `neutral` and `contradiction` |

mod error;
mod files;
mod labels;
mod model;

use std::{num::NonZero, path::Path};

use nightfold_memory::{JudgeError, Stance, StanceJudge, StancePair, StanceReply, Verdict};
use ort::session::Session;
use tokenizers::Tokenizer;

use crate::{sentence::runtime, session_pool::SessionPool};
use files::NliFiles;
use labels::{NliLabel, NliLabels};
use model::Inputs;

pub use error::NliError;
pub use files::{MAX_CONFIG_BYTES, MAX_TOKENIZER_BYTES};

/// Settings of [`NliJudge`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NliOptions {
    /// Number of copies of the model that judge at once, each on one thread (default: 1). It changes no
    /// answer.
    pub sessions: NonZero<usize>,
    /// Maximum number of tokens of a pair, both texts and special tokens (default 256). Longer pairs are not
    /// judged.
    pub max_tokens: usize,
    /// Size limit of the model in bytes, `model.onnx` and its weight files together (default 4 GiB).
    pub max_bytes: u64,
}

impl Default for NliOptions {
    fn default() -> Self {
        Self { sessions: NonZero::<usize>::MIN, max_tokens: 256, max_bytes: 4 << 30 }
    }
}

/// Entailment classifier as a [`StanceJudge`].
///
/// Every pair is read in both orders, and an answer counts only if both orders give it: each text follows
/// from the other ([`Stance::Same`]), or each contradicts the other ([`Stance::Contradiction`]); everything
/// else is [`Stance::Unrelated`]. Therefore the order of the texts does not matter, and a text that says more
/// than the other is not the same.
///
/// Pairs go through the model one by one. Classifiers are often quantised with scales taken from a whole
/// batch, and then a pair's answer would depend on the other pairs.
///
/// ```no_run
/// use nightfold_embed::{ModelOptions, Models, NliJudge, NliOptions};
/// use nightfold_memory::{StanceJudge, StancePair};
///
/// let files = Models::new(ModelOptions::from_env()).locate()?;
/// let judge = NliJudge::open("nli-deberta-v3-small".as_ref(), &files.runtime, NliOptions::default())?;
/// let pair = StancePair { older: "The mill burned down", newer: "Fire destroyed the mill", cosine: 0.86 };
/// println!("{:?}", judge.judge(&[pair], 0).verdicts);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct NliJudge {
    name: String,
    tokenizer: Tokenizer,
    labels: NliLabels,
    inputs: Inputs,
    sessions: SessionPool<Session>,
    max_tokens: usize,
}

impl NliJudge {
    /// Opens the model of a folder with the ONNX Runtime library at `runtime`.
    ///
    /// # Errors
    /// [`NliError`] states which file is missing, too large or invalid, and what is allowed.
    pub fn open(folder: &Path, runtime: &Path, options: NliOptions) -> Result<Self, NliError> {
        let files = NliFiles::find(folder, options.max_bytes)?;
        let config = files.config()?;
        let tokenizer = files.tokenizer()?;
        let environment = runtime::environment(runtime)?;
        let mut inputs = None;
        let mut sessions = Vec::with_capacity(options.sessions.get());
        for _ in 0..options.sessions.get() {
            let unusable = |source| NliError::Model { path: files.model.clone(), source };
            let session = runtime::session(&environment, &files.model).map_err(unusable)?;
            if inputs.is_none() {
                inputs = Some(Inputs::of(&session, &files.model)?);
            }
            sessions.push(session);
        }
        Ok(Self {
            name: files.name(),
            tokenizer,
            labels: config.labels,
            inputs: inputs.unwrap_or_default(),
            sessions: SessionPool::new(sessions),
            max_tokens: config.positions.map_or(options.max_tokens, |most| most.min(options.max_tokens)),
        })
    }

    /// Maximum number of tokens of a pair: the setting, or the model's number of positions if that is
    /// smaller.
    pub fn max_tokens(&self) -> usize {
        self.max_tokens
    }

    fn verdict(&self, session: &mut Session, pair: &StancePair<'_>) -> Result<Verdict, JudgeError> {
        let there = self.label(session, pair.older, pair.newer)?;
        let back =
            if there == NliLabel::Neutral { there } else { self.label(session, pair.newer, pair.older)? };
        Ok(Verdict::certain(match (there, back) {
            (NliLabel::Entailment, NliLabel::Entailment) => Stance::Same,
            (NliLabel::Contradiction, NliLabel::Contradiction) => Stance::Contradiction,
            _ => Stance::Unrelated,
        }))
    }

    /// Returns the label of the hypothesis `then`, given the premise `given`.
    fn label(&self, session: &mut Session, given: &str, then: &str) -> Result<NliLabel, JudgeError> {
        let encoding = self.tokenizer.encode((given, then), true).map_err(JudgeError::Tokenize)?;
        let tokens = encoding.get_ids().len();
        if tokens > self.max_tokens {
            return Err(JudgeError::TooLong { tokens, most: self.max_tokens });
        }
        let numbers = self.inputs.run(session, &encoding)?;
        self.labels.likeliest(&numbers)
    }
}

impl StanceJudge for NliJudge {
    fn name(&self) -> &str {
        &self.name
    }

    /// Judges pairs; costs no tokens.
    fn judge(&self, pairs: &[StancePair<'_>], _: usize) -> StanceReply {
        let verdicts = self.sessions.each(pairs, |session, pair| self.verdict(session, pair));
        StanceReply { verdicts, tokens: 0 }
    }
}

impl std::fmt::Debug for NliJudge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NliJudge")
            .field("name", &self.name)
            .field("sessions", &self.sessions.len())
            .field("max_tokens", &self.max_tokens)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
