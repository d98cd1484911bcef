//! Errors of a town, with codes that programs can go by.

use std::ops::RangeInclusive;

use nightfold::{RunError, formats::jsonl::JsonlError};
use nightfold_ecs::{
    CheckpointError, MemoryError, PoolError,
    memory::{
        ConfigError, EmbedderError, GameTime, IdError, MemoryId, NpcId, PlanError, SleepError, StoreError,
        clean,
    },
};
use nightfold_embed::{CacheError, EngineError, ModelOpenError, ProvisionError};
use nightfold_store::{ExportError, ImportError, OpenError};

/// Reason for refusing a call on a town. Nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TownError {
    /// The text is not JSON, or not of the expected shape.
    #[error("the JSON cannot be read: {0}")]
    Json(#[from] serde_json::Error),
    /// The name is not one that an NPC can have.
    #[error(transparent)]
    Name(#[from] IdError),
    /// There is no NPC of this name in the town.
    #[error("no NPC {0} is in the town; spawn it first")]
    UnknownNpc(NpcId),
    /// An NPC of this name is in the town already.
    #[error("an NPC {0} is in the town already; a name belongs to one NPC")]
    NpcExists(NpcId),
    /// The NPC cannot be asked.
    #[error("{0} cannot be asked: spawn it with \"recalls\": true")]
    NotRecalling(NpcId),
    /// The NPC has no entry of this id.
    #[error("{npc} has no entry {id}")]
    UnknownEntry {
        /// The NPC.
        npc: NpcId,
        /// The id.
        id: MemoryId,
    },
    /// A night of the NPC is under way.
    #[error("a night of {0} is under way; its end is told by an event")]
    NightUnderWay(NpcId),
    /// The NPC has no night that could be undone.
    #[error("no night of {0} is applied")]
    NoNight(NpcId),
    /// The memory exceeds a bound.
    #[error("the memory is refused: {0}")]
    Memory(#[from] MemoryError),
    /// The question exceeds a bound.
    #[error("the question is {bytes} bytes long; at most {most} are allowed (input.max_text_bytes)")]
    QuestionTooLong {
        /// Length in bytes.
        bytes: usize,
        /// Longest allowed length in bytes.
        most: usize,
    },
    /// The sleep is impossible.
    #[error(transparent)]
    Sleep(#[from] SleepError),
    /// The sleep ends before it begins.
    #[error("the sleep would end ({until}) before it begins ({since})")]
    SleepEnds {
        /// Moment of falling asleep.
        since: GameTime,
        /// Moment of waking.
        until: GameTime,
    },
    /// Game time goes back.
    #[error("game time would go back from {now} to {to}; load a saved town instead")]
    TimeGoesBack {
        /// Moment of the last tick.
        now: GameTime,
        /// Moment asked for.
        to: GameTime,
    },
    /// Too many events are unread.
    #[error("{most} events are unread (max_events); read them before the next tick")]
    EventsUnread {
        /// Number from which no tick is run.
        most: usize,
    },
    /// The town computes its vectors itself.
    #[error(
        "vectors are wanted from hosts that bring their own model (embedder.host), and this town has minilm"
    )]
    NoVectorsWanted,
    /// No such batch of texts waits for vectors.
    #[error("no batch {0} waits for vectors")]
    UnknownBatch(u64),
    /// The number of vectors or their numbers are wrong.
    #[error("the batch has {texts} texts of {dimensions} numbers, {wanted} in all; {given} were given")]
    VectorCount {
        /// Texts of the batch.
        texts: usize,
        /// Numbers of a vector.
        dimensions: usize,
        /// Numbers expected.
        wanted: usize,
        /// Numbers given.
        given: usize,
    },
    /// A vector has another number of numbers than the host said.
    #[error("a vector has {given} numbers; the host's have {dimensions} (embedder.host.dimensions)")]
    VectorLength {
        /// Numbers of the vector.
        given: usize,
        /// Numbers of a vector.
        dimensions: usize,
    },
    /// A vector has no direction.
    #[error("vector {0} of the batch is zero or not finite")]
    NotAVector(usize),
    /// A number of the options is out of its range.
    #[error("{key} is {value}; allowed are {} to {}", range.start(), range.end())]
    Range {
        /// Key of the option.
        key: &'static str,
        /// Its value.
        value: usize,
        /// Allowed values.
        range: RangeInclusive<usize>,
    },
    /// Two options exclude each other.
    #[error("{0}")]
    Options(&'static str),
    /// The town has its long-term memory in a file, which a saved game does not carry.
    #[error(
        "the town has its long-term memory in a file, which a saved game does not carry; give a save point instead"
    )]
    MemoryInFile,
    /// The saved town knows nights that this store has not.
    #[error(
        "the saved town carries no memory, and the store has not the nights that its NPCs had: open the store of the save, or save \
         with a save point or with_memory"
    )]
    MemoryMissing,
    /// The saved town is of a newer format.
    #[error("the saved town is of format {found}; this version reads format {known}")]
    Format {
        /// Format of the saved town.
        found: u32,
        /// Format that this version reads.
        known: u32,
    },
    /// The nights of the saved town cannot be resumed.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The configuration is invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The engine of the configuration does not run here.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A file of the model is missing.
    #[error("the model's files are not here; `nightfold models fetch` brings them: {0}")]
    ModelMissing(#[from] ProvisionError),
    /// The model cannot be opened.
    #[error(transparent)]
    ModelOpen(#[from] ModelOpenError),
    /// The vectors cannot be kept.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// The store cannot be opened.
    #[error(transparent)]
    StoreOpen(#[from] OpenError),
    /// The store cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store cannot be written out.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// The memory of a saved town cannot be read.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// The threads cannot be started.
    #[error(transparent)]
    Threads(#[from] PoolError),
    /// The nights cannot be planned or applied.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A memory cannot be read.
    #[error(transparent)]
    Memories(#[from] JsonlError),
    /// The plan cannot be used.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A text cannot be embedded.
    #[error(transparent)]
    Embedder(#[from] EmbedderError),
}

impl TownError {
    /// Returns the name of the kind of error, which programs can go by.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Json(_) | Self::Memories(_) => "json",
            Self::Name(_) => "name",
            Self::UnknownNpc(_) => "unknown_npc",
            Self::NpcExists(_) => "npc_exists",
            Self::NotRecalling(_) => "not_recalling",
            Self::UnknownEntry { .. } => "unknown_entry",
            Self::NightUnderWay(_) => "night_under_way",
            Self::NoNight(_) => "no_night",
            Self::Memory(_) => "memory",
            Self::QuestionTooLong { .. } => "question_too_long",
            Self::Sleep(_) | Self::SleepEnds { .. } => "sleep",
            Self::TimeGoesBack { .. } => "time_goes_back",
            Self::EventsUnread { .. } => "events_unread",
            Self::NoVectorsWanted
            | Self::UnknownBatch(_)
            | Self::VectorCount { .. }
            | Self::VectorLength { .. }
            | Self::NotAVector(_) => "vectors",
            Self::Range { .. } | Self::Options(_) | Self::Config(_) | Self::Engine(_) => "options",
            Self::MemoryInFile
            | Self::MemoryMissing
            | Self::Format { .. }
            | Self::Checkpoint(_)
            | Self::Import(_) => "saved_town",
            Self::ModelMissing(_) | Self::ModelOpen(_) | Self::Cache(_) | Self::Embedder(_) => "model",
            Self::StoreOpen(_) | Self::Store(_) | Self::Export(_) => "store",
            Self::Threads(_) => "threads",
            Self::Run(_) => "night",
            Self::Plan(_) => "plan",
        }
    }

    /// Returns the message with those of its causes, each once.
    pub fn message(&self) -> String {
        with_causes(self)
    }
}

/// Returns the message of an error with those of its causes that say more, on one line. Errors may cite what they were given,
/// so characters that could steer a terminal are escaped.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !message.contains(&text) {
            message.push_str(": ");
            message.push_str(&text);
        }
        cause = error.source();
    }
    clean(&message).into_owned()
}
