//! State that all calls share: settings, the model once it is needed, and the turns.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use nightfold::memory::{Embedder, StanceJudge, ValidConfig};
use tokio::sync::Semaphore;

use super::{
    refusal::CallError,
    scope::{Scope, ScopedStore},
};
use crate::{
    args::{Common, MemoryArgs},
    error::CliError,
    judge,
    models::{ModelEmbedder, with_memory_cache},
    vectors,
};

/// Number of texts that a call embeds, roughly: it decides the number of sessions of the model.
const TEXTS_OF_A_CALL: usize = 32;

/// Maximum number of calls running or waiting; one runs at a time.
pub(super) const MAX_CALLS: u32 = 16;

/// Settings that a server was started with, and the models it has opened since.
pub(crate) struct ServerState {
    pub(super) config: ValidConfig,
    pub(super) common: Common,
    store: PathBuf,
    pub(super) scope: Scope,
    pub(super) memories: MemoryArgs,
    embedder: OnceLock<ModelEmbedder>,
    judge: OnceLock<Option<Box<dyn StanceJudge>>>,
    /// Lock of the call at work: there is one at a time, because a night takes all cores.
    turn: Mutex<()>,
    /// Places of the calls that may be at work or wait.
    pub(super) calls: Arc<Semaphore>,
}

impl ServerState {
    pub(crate) fn new(
        config: ValidConfig,
        common: Common,
        store: PathBuf,
        scope: Scope,
        memories: MemoryArgs,
    ) -> Self {
        let calls = Arc::new(Semaphore::new(MAX_CALLS as usize));
        let (embedder, judge, turn) = (OnceLock::new(), OnceLock::new(), Mutex::new(()));
        Self { config, common, store, scope, memories, embedder, judge, turn, calls }
    }

    /// Opens the present store, as clients may see it.
    pub(super) fn store(&self) -> Result<ScopedStore<'_>, CliError> {
        ScopedStore::open(&self.store, &self.scope)
    }

    /// Returns the embedding model, opened by the first call that needs it.
    pub(super) fn embedder(&self) -> Result<&dyn Embedder, CliError> {
        let embedder = get_or_open(&self.embedder, || {
            // Clients write nothing, the user's vector cache included, unless the user names one for them.
            let kept = vectors::named(&self.common, &self.config)?;
            with_memory_cache(kept, &self.common, &self.config, TEXTS_OF_A_CALL)
        })?;
        Ok(embedder)
    }

    /// Returns the judge of the configuration, opened by the first night.
    pub(super) fn judge(&self) -> Result<Option<&dyn StanceJudge>, CliError> {
        let judge = get_or_open(&self.judge, || judge::open(None, &self.config, &self.common))?;
        Ok(judge.as_deref())
    }

    /// Runs the work of a call on another thread, when its turn comes, so that the server stays responsive.
    pub(super) async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> Result<T, CliError> + Send + 'static,
    ) -> Result<T, CliError> {
        let place =
            Arc::clone(&self.calls).try_acquire_owned().map_err(|_| CallError::Busy { most: MAX_CALLS })?;
        let state = Arc::clone(self);
        let done = tokio::task::spawn_blocking(move || {
            let _place = place;
            // A call that panicked has changed nothing that the next one relies on.
            let _turn = state.turn.lock().unwrap_or_else(PoisonError::into_inner);
            work(&state)
        });
        // The panic's message is on standard error.
        done.await.map_err(|_| CallError::Failed)?
    }
}

/// Returns what a cell holds; the first call opens it. Calls take turns, so it is opened once.
fn get_or_open<T>(cell: &OnceLock<T>, open: impl FnOnce() -> Result<T, CliError>) -> Result<&T, CliError> {
    match cell.get() {
        Some(opened) => Ok(opened),
        None => open().map(|opened| cell.get_or_init(|| opened)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use nightfold::memory::Config;

    use super::*;
    use crate::args::OnBadLine;

    #[test]
    fn calls_beyond_the_limit_are_refused_and_a_panic_harms_no_other_call() {
        let common = Common::default();
        let config = Config::default().check().unwrap();
        let memories = MemoryArgs { inputs: Vec::new(), on_bad_line: OnBadLine::Stop, vector_model: None };
        let state = Arc::new(ServerState::new(config, common, "none.db".into(), Scope::All, memories));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let (go, wait) = channel::<()>();
            let first = tokio::spawn({
                let state = Arc::clone(&state);
                async move { state.work(move |_| Ok(wait.recv().is_ok())).await }
            });
            let second = tokio::spawn({
                let state = Arc::clone(&state);
                async move { state.work(|_| -> Result<(), CliError> { panic!("of a test") }).await }
            });
            // Both begin before the third asks.
            tokio::task::yield_now().await;
            let _others = Arc::clone(&state.calls).acquire_many_owned(MAX_CALLS - 2).await.unwrap();
            let third = state.work(|_| Ok(())).await.unwrap_err();
            assert!(third.without_hint().contains("16 calls are at work or waiting already"));
            go.send(()).unwrap();
            assert!(first.await.unwrap().unwrap());
            assert!(second.await.unwrap().unwrap_err().without_hint().contains("failed inside the server"));
            assert!(state.work(|_| Ok(())).await.is_ok());
        });
    }
}
