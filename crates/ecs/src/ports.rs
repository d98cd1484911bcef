//! Ports and settings that a night works with.

use std::sync::Arc;

use nightfold::memory::{Embedder, LanguageModel, MemoryStore, StanceJudge, ValidConfig};

/// Ports and settings of a batch.
#[derive(Clone)]
pub(crate) struct Ports {
    pub(crate) config: Arc<ValidConfig>,
    pub(crate) embedder: Arc<dyn Embedder>,
    pub(crate) store: Arc<dyn MemoryStore>,
    pub(crate) language: Option<Arc<dyn LanguageModel>>,
    pub(crate) judge: Option<Arc<dyn StanceJudge>>,
}

impl Ports {
    /// True if all ports are the same objects.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        same_port(self.language.as_ref(), other.language.as_ref())
            && same_port(self.judge.as_ref(), other.judge.as_ref())
            && Arc::ptr_eq(&self.config, &other.config)
            && Arc::ptr_eq(&self.embedder, &other.embedder)
            && Arc::ptr_eq(&self.store, &other.store)
    }

    /// True if a language model or a judge is set, which take time or tokens.
    pub(crate) fn uses_models(&self) -> bool {
        self.language.is_some() || self.judge.is_some()
    }

    /// Returns a copy without language model and judge: nights are finished by the rules alone.
    pub(crate) fn rules_only(&self) -> Self {
        Self { language: None, judge: None, ..self.clone() }
    }
}

/// True if both are absent or the same object.
fn same_port<T: ?Sized>(a: Option<&Arc<T>>, b: Option<&Arc<T>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        (None, None) => true,
        _ => false,
    }
}
