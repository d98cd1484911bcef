//! One NPC's night as a chain of pure steps.
//!
//! ```text
//! Day + MemorySnapshot  ──► Draft        (texts to embed)
//! Draft + vectors       ──► Triaged      (fates, language tasks)
//! Triaged + answers     ──► Synthesized  (new texts to embed)
//! Synthesized + vectors ──► Reconciling  (stance questions)
//! Reconciling + answers ──► NpcNight     (the plan)
//! ```
//!
//! Every step takes a [language pack](nightfold_memory::LanguagePack), which reads and writes all texts; one
//! night uses the same pack throughout.
//!
//! No step embeds, calls a model, reads a clock or touches a store: a step returns its texts or questions,
//! and the next one takes their vectors or answers. Each step can be serialised, so that a night can stop and
//! resume. The rules decide what nobody answers. The same inputs yield the same bytes, whatever the order of
//! the memories and the number of threads.
//!
//! ```
//! use nightfold_consolidate::Draft;
//! use nightfold_english::English;
//! use nightfold_memory::{Day, MemorySnapshot, ValidConfig, Vectors};
//!
//! let day: Day = serde_json::from_str(r#"{"npc":"Mara","night":"day-0","until":86400,"memories":[
//!     {"id":"m1","npc":"Mara","at":100,"kind":"event","text":"Joss owes Tom 14 silver","importance":8},
//!     {"id":"m2","npc":"Mara","at":200,"kind":"event","text":"the common room is empty","importance":1},
//!     {"id":"m3","npc":"Mara","at":300,"kind":"event","text":"the common room is empty","importance":1}]}"#)?;
//! let draft = Draft::begin(day, MemorySnapshot::empty(), "toy@1".parse()?, &ValidConfig::default(), &English)?;
//! assert_eq!(draft.texts().len(), 2);
//!
//! // A real embedder gives 384 numbers a text.
//! let mut vectors = Vectors::with_capacity(2, 2);
//! vectors.push(&[1.0, 0.0])?;
//! vectors.push(&[0.0, 1.0])?;
//! let synthesized = draft.triage(vectors, &English)?.synthesize_by_rules(&English);
//! let night = synthesized.reconcile(Vectors::with_capacity(2, 0), &English)?.finish_by_rules(&English);
//! assert_eq!(night.report.important_kept, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod abstraction;
mod belief;
mod budget;
mod canonical_day;
pub mod cap;
mod cluster;
mod cohesion;
pub mod collapse;
mod day_clock;
pub mod distillation;
mod error;
pub mod forgetting;
mod gram;
mod linkage;
mod lived_time;
mod map;
mod merged;
mod naming;
mod pipeline;
mod recall;
mod reconcile;
pub mod review;
mod salience;
mod synthesize;
pub mod themes;
mod triage;
mod verdict;

pub use cluster::{ClusterError, Clustering, Points, cluster};
pub use cohesion::{DayRows, cohesion, themes_of_day};
pub use day_clock::DayClock;
pub use error::ConsolidateError;
pub use lived_time::LivedTime;
pub use map::{DayMap, MapPoint};
pub use pipeline::{
    Compared, Draft, JudgedComparison, LanguageAnswers, Reconciling, StanceQuestion, Synthesized, Triaged,
    Verdicts,
};
pub use recall::{ContextLimits, RecallFilter, RecallIndex, RecallQuery, Recalled};
pub use salience::Salience;
pub use synthesize::CheckedAnswer;
pub use verdict::{accept_verdict, fallback_verdict};
