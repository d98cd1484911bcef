//! Ports of a night: embedder, language model, language packs, stance judge and store.

mod embedder;
mod language;
mod language_pack;
mod maintenance;
mod record_cache;
mod stance;
mod store;
mod store_error;

pub use embedder::{Embedded, Embedder, EmbedderError};
pub use language::{
    Answer, BYTES_PER_TOKEN, Fault, LanguageError, LanguageModel, LanguageTask, PastStanding, PastText,
    Reply, Request, SourceText, TaskKind,
};
pub use language_pack::{
    Assertion, BeliefChange, CheckedSource, Conclusion, ConclusionSources, Coverage, Distillate,
    DistillationSources, DistilledMemory, EarlierSource, FactRules, LanguagePack, LanguagePacks, PatternText,
    ReflectionSource, SummaryFrame, SummarySource, SummaryText, SynthesisSource, TextBounds, ThemePattern,
    TopicForm, TopicPhrase, UnknownPack, WordedReflection,
};
pub use maintenance::MAINTENANCE_SUFFIX;
pub use record_cache::{RecordCache, RecordKey};
pub use stance::{JudgeError, Stance, StanceJudge, StancePair, StanceReply, Verdict};
pub use store::{
    AppliedNight, Erasure, LogFilter, LogLine, MemoryReader, MemoryStore, Outcome, Purge, RewindTarget,
    Rewound, SavePoint, Undone,
};
pub use store_error::StoreError;
