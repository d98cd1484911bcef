//! What can go wrong at the desk.

use std::io;

use nightfold::{
    SleepError,
    consolidate::ConsolidateError,
    memory::{ConfigError, EmbedderError, StoreError, UnknownPack, VectorError},
};

/// Why the desk cannot do what it is asked.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    /// The loopback address cannot be listened on.
    #[error("cannot listen on 127.0.0.1:{port}")]
    Listen {
        /// The port that was asked for; 0 is any.
        port: u16,
        /// Why.
        source: io::Error,
    },
    /// The system gives no random numbers for a token.
    #[error("the system gives no random numbers")]
    Random(#[source] io::Error),
    /// No language pack of the name that is set.
    #[error(transparent)]
    Pack(#[from] UnknownPack),
    /// Serving stopped.
    #[error("the page can no longer be served")]
    Serve(#[source] io::Error),
    /// A key that there is no knob for.
    #[error("there is no knob `{0}`")]
    Knob(String),
    /// A value that is none of this key.
    #[error("{key} cannot be {value}")]
    Value {
        /// The key.
        key: String,
        /// What was given.
        value: String,
        /// What is wrong with it.
        source: Box<toml::de::Error>,
    },
    /// A value out of its range.
    #[error(transparent)]
    Range(#[from] ConfigError),
    /// A night that the story does not have.
    #[error("the story has no night {night} of NPC {npc}")]
    NoNight {
        /// The NPC's number.
        npc: usize,
        /// The night's number.
        night: usize,
    },
    /// The night cannot be planned.
    #[error(transparent)]
    Night(#[from] ConsolidateError),
    /// A text has no vector.
    #[error(transparent)]
    Embedder(#[from] EmbedderError),
    /// A vector that is none.
    #[error(transparent)]
    Vector(#[from] VectorError),
    /// What stood before cannot be read, or an earlier night does not follow from it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The run that learns the story's vectors failed as a whole.
    #[error(transparent)]
    Sleep(#[from] SleepError),
    /// Not what the page sends.
    #[error("the request is not of the page's form")]
    Request(#[source] serde_json::Error),
    /// A panic.
    #[error("planning failed inside the desk; what it says on standard error is a bug worth reporting")]
    Panicked,
}
