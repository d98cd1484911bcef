//! Built-in stance model: a small classifier of pairs, as a stance judge.
//!
//! It is a cross-encoder (Devlin et al. 2018; Reimers & Gurevych 2019) that reads an older and a newer
//! statement at once and returns the probabilities that the newer one follows from the older one, contradicts
//! it, or neither. It is all-MiniLM-L6-v2's encoder, trained further on natural language inference (Bowman et
//! al. 2015) and on pairs of memories of this project; `models/stance` contains its weights and its card,
//! `lab/training/stance` the command that makes them. Matrices are multiplied in 8 bits, three times as fast.

mod tokens;

use std::{num::NonZero, path::Path, sync::Arc};

use nightfold_memory::{JudgeError, StanceJudge, StancePair, StanceReply, Verdict};
use nightfold_models::STANCE;
use ort::{session::Session, value::TensorRef};

use self::tokens::{EncodedPair, PairTokenizer};
use crate::{
    ModelOpenError,
    onnx::{PairEmbeddings, StanceGraph, export_stance},
    opened_once::OpenedOnce,
    provision::ModelFiles,
    sentence::{processor, runtime},
    session_pool::SessionPool,
};

/// Name and version of the model in reports.
pub const STANCE_MODEL: &str = "nightfold-stance-3";

/// Name of the arithmetic: another one computes other bits.
const ARITHMETIC: &str = "8-bit-1";

/// Settings of [`StanceModel`] that change no verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StanceOptions {
    /// Number of copies of the model that judge at once, each on one thread (default: 1).
    pub sessions: NonZero<usize>,
    /// Maximum number of tokens of a pair, both texts and special tokens (default 256). Longer pairs are not
    /// judged.
    pub max_tokens: usize,
}

impl Default for StanceOptions {
    fn default() -> Self {
        Self { sessions: NonZero::<usize>::MIN, max_tokens: 256 }
    }
}

/// The stance model as a [`StanceJudge`].
///
/// The newer statement is *the same* if it follows from the older one: a statement with less information is
/// the same, a statement with more is not. A verdict depends on the two texts alone, to the bit, whatever
/// other pairs are judged in the same call.
///
/// ```no_run
/// use nightfold_embed::{ModelOptions, Models, StanceModel, StanceOptions};
/// use nightfold_memory::{StanceJudge, StancePair};
///
/// let files = Models::new(ModelOptions::from_env()).locate()?;
/// let judge = StanceModel::open(&files.tokenizer, &files.runtime, StanceOptions::default())?;
/// let pair = StancePair { older: "The captain is at the inn.", newer: "The captain has left the inn.", cosine: 0.86 };
/// println!("{:?}", judge.judge(&[pair], 0).verdicts);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct StanceModel {
    tokenizer: Arc<PairTokenizer>,
    sessions: SessionPool<Session>,
    embeddings: PairEmbeddings,
    classifier: StanceClassifier,
}

/// Stance model that is opened when the first pair is judged: a run whose verdicts are all cached opens no
/// model, and for pairs that are too long the tokenizer alone. Its files are known to exist.
#[derive(Debug)]
pub struct LazyStanceModel {
    files: ModelFiles,
    options: StanceOptions,
    tokenizer: OpenedOnce<Arc<PairTokenizer>>,
    opened: OpenedOnce<StanceModel>,
}

impl LazyStanceModel {
    /// Prepares the model with these files. Nothing is opened.
    pub fn new(files: ModelFiles, options: StanceOptions) -> Self {
        Self { files, options, tokenizer: OpenedOnce::new(), opened: OpenedOnce::new() }
    }

    /// Identifies everything except the model's name that decides a verdict: the model's weights, the build
    /// of the runtime and the processor's features.
    pub fn made_by(&self) -> String {
        format!("{} {ARITHMETIC} {} {}", STANCE.checksum.trim(), self.files.build, processor())
    }
}

impl StanceJudge for LazyStanceModel {
    fn name(&self) -> &str {
        STANCE_MODEL
    }

    fn judge(&self, pairs: &[StancePair<'_>], _: usize) -> StanceReply {
        let tokenizer = || PairTokenizer::open(&self.files.tokenizer, self.options.max_tokens).map(Arc::new);
        let judged = self.tokenizer.get_or_open(tokenizer).and_then(|tokenizer| {
            let encoded: Vec<_> = pairs.iter().map(|pair| tokenizer.encode(pair)).collect();
            // Pairs that cannot be read are no reason to open the model.
            if encoded.iter().all(Result::is_err) {
                return Ok(encoded.into_iter().filter_map(Result::err).map(Err).collect());
            }
            let open =
                || StanceModel::with_tokenizer(Arc::clone(tokenizer), &self.files.runtime, self.options);
            Ok(self.opened.get_or_open(open)?.judge_encoded(encoded))
        });
        let failed = |error: ModelOpenError| {
            let error = Arc::new(error);
            pairs.iter().map(|_| Err(JudgeError::Run(Box::new(Arc::clone(&error))))).collect()
        };
        StanceReply { verdicts: judged.unwrap_or_else(failed), tokens: 0 }
    }
}

impl StanceModel {
    /// Opens the model with all-MiniLM-L6-v2's tokenizer and the ONNX Runtime library.
    ///
    /// # Errors
    /// [`ModelOpenError`] if the tokenizer or the library cannot be used.
    pub fn open(tokenizer: &Path, library: &Path, options: StanceOptions) -> Result<Self, ModelOpenError> {
        Self::with_tokenizer(Arc::new(PairTokenizer::open(tokenizer, options.max_tokens)?), library, options)
    }

    fn with_tokenizer(
        tokenizer: Arc<PairTokenizer>,
        library: &Path,
        options: StanceOptions,
    ) -> Result<Self, ModelOpenError> {
        let StanceGraph { onnx, embeddings, hidden, classifier, bias } = export_stance(STANCE.bytes)
            .map_err(ModelOpenError::part("the stance model's own weights are damaged"))?;
        let environment = runtime::environment(library)?;
        let open = move || {
            runtime::session(&environment, &onnx)
                .map_err(ModelOpenError::part("ONNX Runtime cannot use the stance model"))
        };
        let classifier = StanceClassifier { hidden, weights: classifier, bias };
        let sessions = SessionPool::opening(options.sessions.get(), open)?;
        Ok(Self { tokenizer, sessions, embeddings, classifier })
    }

    /// Judges pairs whose tokens are known; pairs without tokens keep their error.
    fn judge_encoded(&self, pairs: Vec<Result<EncodedPair, JudgeError>>) -> Vec<Result<Verdict, JudgeError>> {
        let judge = |session: &mut Session, pair: &Result<EncodedPair, JudgeError>| {
            pair.as_ref().ok().map(|pair| self.run(session, pair))
        };
        let verdicts = self
            .sessions
            .each(&pairs, judge)
            .into_iter()
            .map(|judged| judged.unwrap_or_else(|error| Some(Err(JudgeError::Run(Box::new(error))))));
        let told = pairs.into_iter().zip(verdicts);
        told.filter_map(|(pair, verdict)| pair.err().map(Err).or(verdict)).collect()
    }

    /// Returns the verdict of one pair. Each pair goes through the model alone: quantisation to 8 bits uses
    /// the range of all numbers computed at once.
    fn run(&self, session: &mut Session, pair: &EncodedPair) -> Result<Verdict, JudgeError> {
        let failed = |source: ort::Error| JudgeError::Run(Box::new(source));
        let Some(embeddings) = self.embeddings.of(&pair.ids, &pair.types) else {
            return Err(JudgeError::Run(
                "the tokenizer gives a token that the stance model does not have".into(),
            ));
        };
        let shape = [1, pair.ids.len(), self.classifier.hidden];
        let embeddings = TensorRef::from_array_view((shape, embeddings.as_slice())).map_err(failed)?;
        let outputs = session.run(ort::inputs![embeddings]).map_err(failed)?;
        let (_, states) = outputs[0].try_extract_tensor::<f32>().map_err(failed)?;
        let expected = pair.ids.len() * self.classifier.hidden;
        if states.len() != expected || expected == 0 {
            return Err(JudgeError::Answer { given: states.iter().copied().take(3).collect(), expected });
        }
        let logits = self.classifier.read(states);
        if logits.iter().all(|x| x.is_finite()) {
            Ok(verdict(&logits))
        } else {
            Err(JudgeError::Answer { given: logits.to_vec(), expected: 3 })
        }
    }
}

/// Linear classifier on the first token's vector and the mean of all.
///
/// It is computed here and in 32 bits: of all layers, its outputs are the verdict.
struct StanceClassifier {
    hidden: usize,
    weights: Vec<f32>,
    bias: Vec<f32>,
}

impl StanceClassifier {
    /// Returns the scores of one pair, given the vectors of its tokens.
    fn read(&self, states: &[f32]) -> [f32; 3] {
        let mut mean = vec![0.0_f32; self.hidden];
        for token in states.chunks_exact(self.hidden) {
            mean.iter_mut().zip(token).for_each(|(sum, x)| *sum += x);
        }
        let tokens = (states.len() / self.hidden) as f32;
        mean.iter_mut().for_each(|sum| *sum /= tokens);
        let mut scores = [0.0; 3];
        let rows = self.weights.chunks_exact(2 * self.hidden).zip(&self.bias);
        for (score, (row, bias)) in scores.iter_mut().zip(rows) {
            let read = states.iter().take(self.hidden).chain(&mean).zip(row).map(|(x, weight)| x * weight);
            *score = read.sum::<f32>() + bias;
        }
        scores
    }
}

/// Converts three logits to probabilities: entailment, neutral, contradiction.
fn verdict(logits: &[f32; 3]) -> Verdict {
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let [entailment, neutral, contradiction] = logits.map(|x| f64::from(x - largest).exp());
    let sum = entailment + neutral + contradiction;
    Verdict { same: entailment / sum, contradiction: contradiction / sum }
}

impl StanceJudge for StanceModel {
    fn name(&self) -> &str {
        STANCE_MODEL
    }

    /// Judges pairs; costs no tokens.
    fn judge(&self, pairs: &[StancePair<'_>], _: usize) -> StanceReply {
        let encoded = pairs.iter().map(|pair| self.tokenizer.encode(pair)).collect();
        StanceReply { verdicts: self.judge_encoded(encoded), tokens: 0 }
    }
}

impl std::fmt::Debug for StanceModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StanceModel")
            .field("sessions", &self.sessions.len())
            .field("tokenizer", &self.tokenizer)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classifier_reads_the_first_token_and_the_mean_of_all() {
        let weights = vec![1.0, 0.0, 0.0, 1.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let classifier = StanceClassifier { hidden: 2, weights, bias: vec![0.0, 10.0, -1.0] };
        // Two tokens: (1, 2) and (3, 6); their mean is (2, 4).
        assert_eq!(
            classifier.read(&[1.0, 2.0, 3.0, 6.0]).map(f32::to_bits),
            [5.0_f32, 16.0, -1.0].map(f32::to_bits)
        );
    }

    #[test]
    fn probabilities_sum_to_one_and_survive_large_logits() {
        let found = verdict(&[1000.0, 0.0, 1000.0]);
        assert!((found.same - 0.5).abs() < 1e-12 && (found.contradiction - 0.5).abs() < 1e-12);
        let found = verdict(&[0.0, 0.0, 0.0]);
        assert!((found.same - 1.0 / 3.0).abs() < 1e-12);
    }
}
