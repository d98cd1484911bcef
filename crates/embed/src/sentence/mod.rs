//! Sentence model all-MiniLM-L6-v2: texts to unit vectors of 384 numbers.
//!
//! Reimers and Gurevych, "Sentence-BERT" (2019); Wang et al., "MiniLM" (2020).

pub(crate) mod batches;
mod error;
mod exact;
mod lazy;
mod openvino;
mod pace;
mod pool;
pub(crate) mod runtime;
mod session;
mod tokens;

use std::{
    num::NonZero,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

use nightfold_memory::{Embedded, Embedder, EmbedderError, Grammar, ModelId, Vectors};

use crate::{
    distinct::DistinctTexts,
    engine::Engine,
    grammar::GrammarReader,
    provision::{ModelFiles, OpenVinoFiles},
    session_pool::SessionPool,
};
use batches::{TokenBatch, batches};
use exact::ExactModel;
use session::SentenceSession;
use tokens::{TextTokenizer, Tokens};

pub use error::ModelOpenError;
pub use lazy::LazyMiniLm;
pub(crate) use lazy::processor;
pub use pace::product_rate;
pub use pool::DIMENSIONS;
pub use tokens::MAX_TOKENS;

/// Settings of [`MiniLm`]. None of them changes a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MiniLmOptions {
    /// Number of copies of the model that compute at once, each on one thread and in about 50 MB (default:
    /// the cores of the machine). All but the first are opened when so many are needed.
    pub sessions: NonZero<usize>,
    /// Number of further copies, for calls with no more tokens than one batch (default 0). With one, a question is
    /// embedded in a few milliseconds while other threads embed thousands of texts.
    pub reserved: usize,
    /// Maximum number of tokens of one batch (default 512: a larger batch is no faster, and takes more memory). A
    /// longer text forms a batch of its own.
    pub batch_tokens: usize,
}

impl Default for MiniLmOptions {
    fn default() -> Self {
        let sessions = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        Self { sessions, reserved: 0, batch_tokens: 512 }
    }
}

/// The sentence model.
///
/// ```no_run
/// use nightfold_embed::{MiniLm, MiniLmOptions, ModelOptions, Models};
/// use nightfold_memory::Embedder;
///
/// let files = Models::new(ModelOptions::from_env()).locate()?;
/// let model = MiniLm::open(&files, MiniLmOptions::default())?;
/// let embedded = model.embed(&["The mill burned down", "Fire destroyed the mill"])?;
/// let (a, b) = (embedded.vectors.row(0), embedded.vectors.row(1));
/// let cosine: f32 = a.iter().zip(b).map(|(x, y)| x * y).sum();
/// assert!(cosine > 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MiniLm {
    id: ModelId,
    tokenizer: TextTokenizer,
    sessions: SessionPool<Box<dyn SentenceSession>>,
    /// Sessions for small calls; `None` if none is reserved.
    reserved: Option<SessionPool<Box<dyn SentenceSession>>>,
    grammar: GrammarReader,
    batch_tokens: usize,
    /// Number of tokens computed so far.
    computed: AtomicUsize,
}

/// Opens a session of the model, whatever computes it.
type SessionOpener = dyn Fn() -> Result<Box<dyn SentenceSession>, ModelOpenError> + Send + Sync;

/// Batch with its results, or with its error.
type Computed<'a> = (&'a TokenBatch, Result<BatchResult, EmbedderError>);

/// Vectors of the texts of a batch, row after row, and their grammars.
struct BatchResult {
    vectors: Vec<f32>,
    grammars: Vec<Option<Grammar>>,
}

impl MiniLm {
    /// Loads the library that computes, the tokenizer and a copy of the model.
    ///
    /// # Errors
    /// [`ModelOpenError`] names the file that cannot be used, or says that the processor does not run the engine of
    /// the files. A process can load only one build of a library; requesting a second is an error too.
    pub fn open(files: &ModelFiles, options: MiniLmOptions) -> Result<Self, ModelOpenError> {
        let tokenizer = TextTokenizer::open(&files.tokenizer)?;
        let grammar = GrammarReader::new()
            .map_err(ModelOpenError::part("the weights that read grammar are damaged"))?;
        let open: Arc<SessionOpener> = match &files.openvino {
            None => {
                let exact = ExactModel::new(files, &grammar)?;
                Arc::new(move || exact.session())
            }
            Some(OpenVinoFiles { library, .. }) => {
                Engine::Bf16.check()?;
                let (model, streams) =
                    (exact::read(files, &grammar.graph)?, options.sessions.get() + options.reserved);
                let model =
                    openvino::Bf16Model::new(library, &files.model, &model, grammar.readings, streams)?;
                Arc::new(move || model.session())
            }
        };
        let pool = |sessions| {
            let open = Arc::clone(&open);
            SessionPool::opening(sessions, move || open())
        };
        let reserved = (options.reserved > 0).then(|| pool(options.reserved)).transpose()?;
        let sessions = pool(options.sessions.get())?;
        Ok(Self {
            id: files.model_id.clone(),
            tokenizer,
            sessions,
            reserved,
            grammar,
            batch_tokens: options.batch_tokens,
            computed: AtomicUsize::new(0),
        })
    }

    /// Returns the number of tokens for which the model has computed so far.
    pub fn computed_tokens(&self) -> usize {
        self.computed.load(Ordering::Relaxed)
    }

    /// Embeds texts like [`Embedder::embed`], and reports to the calling thread after each batch the number
    /// of texts done.
    ///
    /// # Errors
    /// [`EmbedderError`] if the model fails; then no vector is returned.
    pub fn embed_with(&self, texts: &[&str], progress: &dyn Fn(usize)) -> Result<Embedded, EmbedderError> {
        let distinct = DistinctTexts::of(texts);
        let tokens = self.tokenizer.tokens(distinct.texts()).map_err(|error| match error {
            EmbedderError::Tokenize { index, source } => {
                EmbedderError::Tokenize { index: distinct.first(index), source }
            }
            other => other,
        })?;
        let counts: Vec<usize> = tokens.iter().map(|tokens| tokens.ids.len()).collect();
        let batches = batches(&counts, self.batch_tokens);

        let mut rows = vec![0.0; tokens.len() * DIMENSIONS];
        let mut grammars = vec![None; tokens.len()];
        let mut done = 0;
        self.compute(distinct.texts(), &tokens, &batches, |(batch, result)| {
            let result = result?;
            let read = result.vectors.chunks_exact(DIMENSIONS).zip(result.grammars);
            for (&text, (vector, grammar)) in batch.texts.iter().zip(read) {
                rows[text * DIMENSIONS..][..DIMENSIONS].copy_from_slice(vector);
                grammars[text] = grammar;
                done += distinct.occurrences(text);
            }
            progress(done);
            Ok(())
        })?;

        let mut embedded = Embedded {
            vectors: Vectors::with_capacity(DIMENSIONS, texts.len()),
            truncated: Vec::with_capacity(texts.len()),
            grammar: Vec::with_capacity(texts.len()),
        };
        for (index, &text) in distinct.of_input().iter().enumerate() {
            let pushed = embedded.vectors.push(&rows[text * DIMENSIONS..][..DIMENSIONS]);
            pushed.map_err(|source| EmbedderError::Vector { index, source })?;
            embedded.truncated.push(tokens[text].truncated);
            embedded.grammar.push(grammars[text].clone());
        }
        Ok(embedded)
    }

    /// Computes the batches on one thread per session, and passes each result to `take` on this thread. Stops
    /// at the first error.
    fn compute<'a>(
        &self,
        texts: &[&str],
        tokens: &[Tokens],
        batches: &'a [TokenBatch],
        mut take: impl FnMut(Computed<'a>) -> Result<(), EmbedderError>,
    ) -> Result<(), EmbedderError> {
        let sessions = &self.sessions;
        let in_all: usize = batches.iter().map(|batch| batch.tokens * batch.texts.len()).sum();
        if batches.len() == 1 || self.reserved.is_some() && in_all <= self.batch_tokens {
            let sessions = self.reserved.as_ref().unwrap_or(sessions);
            // Starting a thread would take longer than computing so little.
            return batches
                .iter()
                .try_for_each(|batch| take((batch, self.run_in(sessions, 0, texts, tokens, batch))));
        }
        let next = AtomicUsize::new(0);
        let (sender, results) = mpsc::channel::<Computed<'a>>();
        thread::scope(|scope| {
            for preferred in 0..sessions.len().min(batches.len()) {
                let (sender, next) = (sender.clone(), &next);
                scope.spawn(move || {
                    while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let result = self.run_in(sessions, preferred, texts, tokens, batch);
                        if sender.send((batch, result)).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            // The receiver goes with this expression: after an error the threads find nobody listening.
            results.into_iter().try_for_each(&mut take)
        })
    }

    /// Runs the model on one batch, in a free session.
    fn run_in(
        &self,
        sessions: &SessionPool<Box<dyn SentenceSession>>,
        preferred: usize,
        texts: &[&str],
        tokens: &[Tokens],
        batch: &TokenBatch,
    ) -> Result<BatchResult, EmbedderError> {
        let run = |session: &mut Box<dyn SentenceSession>| self.run(&mut **session, texts, tokens, batch);
        sessions.run(preferred, run).unwrap_or_else(|error| Err(EmbedderError::Open(Box::new(error))))
    }

    /// Runs the model on one batch.
    fn run(
        &self,
        session: &mut dyn SentenceSession,
        texts: &[&str],
        tokens: &[Tokens],
        batch: &TokenBatch,
    ) -> Result<BatchResult, EmbedderError> {
        let ids: Vec<i64> = batch.texts.iter().flat_map(|&text| tokens[text].ids.iter().copied()).collect();
        let shape = [batch.texts.len(), batch.tokens];
        let mut vectors = vec![0.0; batch.texts.len() * DIMENSIONS];
        let mut grammars = Vec::with_capacity(batch.texts.len());
        session.run(&ids, shape, &mut |states, readings| {
            let states = states.chunks_exact(batch.tokens * DIMENSIONS);
            for (states, vector) in states.zip(vectors.chunks_exact_mut(DIMENSIONS)) {
                pool::mean_unit(states, vector);
            }
            let readings = readings.chunks_exact(batch.tokens * self.grammar.readings);
            grammars.extend(
                batch
                    .texts
                    .iter()
                    .zip(readings)
                    .map(|(&text, readings)| self.grammar.read(texts[text], &tokens[text].words, readings)),
            );
        })?;
        self.computed.fetch_add(ids.len(), Ordering::Relaxed);
        Ok(BatchResult { vectors, grammars })
    }
}

impl Embedder for MiniLm {
    fn model(&self) -> &ModelId {
        &self.id
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn embed(&self, texts: &[&str]) -> Result<Embedded, EmbedderError> {
        self.embed_with(texts, &|_| {})
    }
}

impl std::fmt::Debug for MiniLm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MiniLm")
            .field("id", &self.id)
            .field("sessions", &self.sessions.len())
            .field("batch_tokens", &self.batch_tokens)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
