//! Errors of the desk.

use std::io;

use nightfold::{
    RunError,
    consolidate::ConsolidateError,
    memory::{ConfigError, EmbedderError, MemoryId, StoreError, UnknownPack, VectorError},
};
use nightfold_formats::jsonl::LineProblem;

/// Reason why the desk cannot start or cannot answer a request.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    /// Listening on the loopback address failed.
    #[error("cannot listen on 127.0.0.1:{port}")]
    Listen {
        /// The requested port; 0 is any.
        port: u16,
        /// The system's error.
        source: io::Error,
    },
    /// The system returned no random numbers for a token.
    #[error("the system gives no random numbers")]
    Random(#[source] io::Error),
    /// No language pack of the name that is set.
    #[error(transparent)]
    Pack(#[from] UnknownPack),
    /// Serving stopped.
    #[error("the page can no longer be served")]
    Serve(#[source] io::Error),
    /// A key that is not a setting of the desk.
    #[error("there is no setting `{0}`")]
    UnknownSetting(String),
    /// A value of the wrong type for its key.
    #[error("{key} cannot be {value}")]
    Value {
        /// The key.
        key: String,
        /// The refused value.
        value: String,
        /// The parser's error.
        source: Box<toml::de::Error>,
    },
    /// A configuration that cannot be written as TOML.
    #[error("the configuration cannot be written as TOML")]
    Toml(#[source] toml::ser::Error),
    /// A value that cannot be written as JSON.
    #[error("a value of the configuration cannot be written as JSON")]
    Json(#[source] serde_json::Error),
    /// Changes that are no configuration together with the rest.
    #[error("the changed settings are no configuration together with the rest")]
    Changes(#[source] Box<toml::de::Error>),
    /// A changed memory that is none.
    #[error("{id} cannot be changed so")]
    Memory {
        /// The memory.
        id: MemoryId,
        /// The bound that it breaks.
        source: Box<LineProblem>,
    },
    /// A memory that the day does not hold.
    #[error("the night has no memory {0}, or another memory represents it")]
    NoMemory(MemoryId),
    /// A question about a memory that names none.
    #[error("the request names no memory")]
    NoId,
    /// A value out of its range.
    #[error(transparent)]
    Range(#[from] ConfigError),
    /// A night that does not exist.
    #[error("the story has no night {night} of NPC {npc}")]
    NoNight {
        /// Index of the NPC.
        npc: usize,
        /// Index of the night.
        night: usize,
    },
    /// Planning the night failed.
    #[error(transparent)]
    Night(#[from] ConsolidateError),
    /// Embedding a text failed.
    #[error(transparent)]
    Embedder(#[from] EmbedderError),
    /// An invalid vector.
    #[error(transparent)]
    Vector(#[from] VectorError),
    /// Reading the store failed, or an earlier night cannot be applied to it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The first run, which embeds the days, failed as a whole.
    #[error(transparent)]
    Sleep(#[from] RunError),
    /// A request of another form than the page's.
    #[error("the request is not of the page's form")]
    Request(#[source] serde_json::Error),
    /// Planning panicked.
    #[error("planning failed inside the desk; what it says on standard error is a bug worth reporting")]
    Panicked,
}
