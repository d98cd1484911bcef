//! Where a night meets the outside: an embedder, a language model, a store.

mod embedder;
mod language;
mod store;

pub use embedder::{Embedded, Embedder, EmbedderError};
pub use language::{
    Answer, Fault, LanguageError, LanguageModel, LanguageTask, Reply, Request, SourceText, TaskKind,
};
pub use store::{AppliedNight, LogLine, MemoryStore, Outcome, Purge, StoreError, Undone};
