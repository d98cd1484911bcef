//! Data model of Nightfold: memories, plans, configuration, and the ports to models and stores.
//!
//! A [`Day`] of [`Memory`]s and the NPC's [`MemorySnapshot`] are the input of a night; an [`NpcNight`] of
//! [`Change`]s, each with the [`Reason`] that decided it, is its output. The nights of a run make a
//! [`NightPlan`]. This crate computes nothing of a night: all other crates build on it, and it depends on
//! none of them.
//!
//! ```
//! use nightfold_memory::{GameTime, Kind, Memory};
//!
//! let line = r#"{"id":"m-1","npc":"Mara","at":"1204-05-03T06:10:00Z","kind":"event",
//!                "text":"I swept the common room","importance":2}"#;
//! let memory: Memory = serde_json::from_str(line)?;
//! assert_eq!(memory.kind, Kind::Event);
//! assert_eq!(memory.at, "1204-05-03T06:10:00Z".parse::<GameTime>()?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod calendar;
pub mod config;
pub mod effect;
mod ended;
mod foundation;
pub mod grammar;
mod id;
mod judgement;
mod meaning;
mod memory;
mod normal_form;
mod person;
mod plan;
mod ports;
mod record;
mod sanitize;
mod shard;
mod sketch;
mod sleep;
pub mod soundness;
pub mod text;
mod theme;
mod time;
mod vector;

pub use calendar::{Calendar, SummaryPeriod, civil};
pub use config::{Config, ConfigError, ValidConfig};
pub use ended::EndedPosition;
pub use foundation::{Foundation, heard_from};
pub use grammar::{Grammar, GrammarError};
pub use id::{IdError, MAX_ID_BYTES, MemoryId, ModelId, NightLabel, NpcId, SavePointName, ThemeId};
pub use judgement::{CORROBORATED_SHARE, Evidence, Judgement, MIN_SAME_ALIGNED, MIN_SAME_COSINE};
pub use meaning::Meaning;
pub use memory::{Day, Emotion, Importance, ImportanceError, Kind, Memory};
pub use normal_form::{Edit, NormalForm};
pub use person::{PersonNameError, PersonNames};
pub use plan::{
    Change, ClusterReport, CohesionParts, Counts, ImportantEnded, InputCounts, JudgeReport, LanguageReport,
    MergedState, NightPlan, NightReport, NpcNight, PLAN_FORMAT, PackName, PlanError, PlanWriter, Reason,
    ReflectionKind, Rule, RunReport, TokenReport, Value, VectorReport, comparison_of, rounded,
};
pub use ports::{
    Answer, AppliedNight, Assertion, BYTES_PER_TOKEN, BeliefChange, CheckedSource, Conclusion,
    ConclusionSources, Coverage, Distillate, DistillationSources, DistilledMemory, EarlierSource, Embedded,
    Embedder, EmbedderError, Erasure, FactRules, Fault, JudgeError, LanguageError, LanguageModel,
    LanguagePack, LanguagePacks, LanguageTask, LogFilter, LogLine, MAINTENANCE_SUFFIX, MemoryReader,
    MemoryStore, Outcome, PastStanding, PastText, PatternText, Purge, RecordCache, RecordKey,
    ReflectionSource, Reply, Request, RewindTarget, Rewound, SavePoint, SourceText, Stance, StanceJudge,
    StancePair, StanceReply, StoreError, SummaryFrame, SummarySource, SummaryText, SynthesisSource, TaskKind,
    TextBounds, ThemePattern, TopicForm, TopicPhrase, Undone, UnknownPack, Verdict, WordedReflection,
};
pub use record::{Confidence, Entry, Fingerprint, MemoryRecord, MemorySnapshot, RecordKind, State};
pub use sanitize::{clean, is_invisible, is_unsafe};
pub use shard::{Shard, ShardError};
pub use sketch::{Sketch, SketchedQuery};
pub use sleep::{SleepBudget, SleepError};
pub use text::{Analysis, Token};
pub use theme::{Theme, ThemeHistory, ThemeNight, ThemePoint, ThemeSeen};
pub use time::{GameTime, TimeError};
pub use vector::{Vector, VectorError, Vectors};
