//! Embedder whose vectors the host computes: engines run the model themselves, on their own hardware.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{
        Mutex, PoisonError,
        mpsc::{self, Receiver, Sender},
    },
};

use nightfold_ecs::memory::{Embedded, Embedder, EmbedderError, ModelId, Vectors};

use crate::{HostModel, TownError};

/// Largest number of texts that the host is asked for at once.
const MOST_TEXTS: usize = 64;

/// Embedder that asks the host, and lets the thread of the pool wait for its answer.
#[derive(Debug)]
pub(crate) struct HostEmbedder {
    model: HostModel,
    state: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    last_batch: u64,
    /// Batches that the host was not told of yet.
    untold: VecDeque<(u64, Vec<String>)>,
    open: BTreeMap<u64, OpenBatch>,
    /// True once the town is gone.
    closed: bool,
}

#[derive(Debug)]
struct OpenBatch {
    texts: usize,
    answer: Sender<Vec<f32>>,
}

impl HostEmbedder {
    pub(crate) fn new(model: HostModel) -> Self {
        Self { model, state: Mutex::default() }
    }

    /// Removes and returns the batches that the host is to be told of.
    pub(crate) fn take_untold(&self) -> Vec<(u64, Vec<String>)> {
        self.lock().untold.drain(..).collect()
    }

    /// Hands the numbers of a batch to the thread that waits for it.
    pub(crate) fn give(&self, batch: u64, numbers: &[f32]) -> Result<(), TownError> {
        let dimensions = self.model.dimensions;
        let mut state = self.lock();
        let refused = |message: String| TownError::refused("vectors", message);
        let unknown = || refused(format!("no batch {batch} waits for vectors"));
        let open = state.open.get(&batch).ok_or_else(unknown)?;
        let wanted = open.texts * dimensions;
        if numbers.len() != wanted {
            let batch = format!("the batch has {} texts of {dimensions} numbers", open.texts);
            return Err(refused(format!("{batch}, {wanted} in all; {} were given", numbers.len())));
        }
        let mut unit = Vec::with_capacity(wanted);
        for (index, row) in numbers.chunks_exact(dimensions).enumerate() {
            let length = row.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
            if !length.is_finite() || length < f64::from(f32::MIN_POSITIVE) {
                return Err(refused(format!("vector {index} of the batch is zero or not finite")));
            }
            unit.extend(row.iter().map(|x| (f64::from(*x) / length) as f32));
        }
        if let Some(open) = state.open.remove(&batch) {
            // The waiting thread is gone if its work was given up.
            let _ = open.answer.send(unit);
        }
        Ok(())
    }

    /// Lets every waiting thread fail: nobody answers any more, or the game is loaded anew.
    pub(crate) fn give_up(&self, closed: bool) {
        let mut state = self.lock();
        state.closed |= closed;
        state.untold.clear();
        state.open.clear();
    }

    fn ask(&self, texts: &[&str]) -> Option<Receiver<Vec<f32>>> {
        let mut state = self.lock();
        if state.closed {
            return None;
        }
        state.last_batch += 1;
        let batch = state.last_batch;
        let (answer, answered) = mpsc::channel();
        state.untold.push_back((batch, texts.iter().map(|text| (*text).to_owned()).collect()));
        state.open.insert(batch, OpenBatch { texts: texts.len(), answer });
        Some(answered)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Waiting> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Embedder for HostEmbedder {
    fn model(&self) -> &ModelId {
        &self.model.model
    }

    fn dimensions(&self) -> usize {
        self.model.dimensions
    }

    fn embed(&self, texts: &[&str]) -> Result<Embedded, EmbedderError> {
        let gone = || EmbedderError::Run("the host gives no vectors any more".into());
        let mut vectors = Vectors::with_capacity(self.model.dimensions, texts.len());
        for batch in texts.chunks(MOST_TEXTS) {
            let answered = self.ask(batch).ok_or_else(gone)?;
            let numbers = answered.recv().map_err(|_| gone())?;
            for row in numbers.chunks_exact(self.model.dimensions) {
                vectors.push(row).map_err(|error| EmbedderError::Run(error.into()))?;
            }
        }
        Ok(Embedded::without_grammar(vectors, vec![false; texts.len()]))
    }
}
