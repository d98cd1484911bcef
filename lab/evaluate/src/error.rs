//! Errors of a measurement.

use std::path::PathBuf;

use nightfold::{Failure, RunError};
use nightfold_consolidate::{ClusterError, ConsolidateError};
use nightfold_embed::{CacheError, ProvisionError};
use nightfold_memory::{ConfigError, EmbedderError, IdError, StoreError, UnknownPack};
use nightfold_scenario::Diagnostics;
use nightfold_store::OpenError;

use crate::data::DataError;

/// Reason for the failure of a measurement.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluateError {
    /// Data is missing or wrong.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A suite was not given the folder that it measures on.
    #[error("no data is given; this measures on {0} in the folder of --data")]
    NoData(&'static str),
    /// A scenario has errors.
    #[error("{0}")]
    Scenario(Diagnostics),
    /// A file cannot be read or written.
    #[error("{}", path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Cause.
        source: std::io::Error,
    },
    /// A setting is no setting.
    #[error("settings: {0}")]
    Setting(#[from] toml::de::Error),
    /// The configuration is out of its ranges.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Measured are the judges that need nothing but this machine.
    #[error("the judge is language; the stance model and the rules are measured")]
    Judge,
    /// The model is not there.
    #[error(transparent)]
    Models(#[from] ProvisionError),
    /// The vector cache cannot be used.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// A text could not be embedded.
    #[error(transparent)]
    Embedder(#[from] EmbedderError),
    /// Rows could not be clustered.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// A night was refused.
    #[error(transparent)]
    Night(#[from] ConsolidateError),
    /// A run of nights ended.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A night of a run failed.
    #[error("{name}")]
    Failed {
        /// Name of the days.
        name: String,
        /// Night that failed.
        source: Box<Failure>,
    },
    /// A story names what no NPC, memory or night is called.
    #[error("story {id}")]
    Story {
        /// Id of the story.
        id: String,
        /// Name that is none.
        source: IdError,
    },
    /// A night of a story is too far away for its moments to be told.
    #[error("story {id}: night {night} is too far away")]
    Moment {
        /// Id of the story.
        id: String,
        /// Number of the night.
        night: u32,
    },
    /// A store in memory cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Long-term memory failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A language pack is unknown.
    #[error(transparent)]
    Pack(#[from] UnknownPack),
}
