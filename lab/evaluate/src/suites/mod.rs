//! Measurements, one file per suite.

mod beliefs;
mod clusters;
mod cohesion;
mod collapse;
mod grammar;
mod life;
mod lives;
mod reading;
mod recall;
mod recurring;
mod retention;
mod salience;
mod stability;
mod stance;
mod talk;
mod texts;

pub use beliefs::{BeliefScore, CorrectCount, WrongBelief, beliefs};
pub use clusters::{ClusterScore, Reference, SCIKIT_LEARN, clusters};
pub use cohesion::{MeasuredCluster, combinations, gain_between, measured_clusters, tracks_purity};
pub use collapse::{CollapseScore, PHASES, collapse};
pub use grammar::{GrammarScore, grammar};
pub use life::{AgeScore, ChangeScore, LifeError, LifeScore, LifeStore, LivedEntry, life};
pub use lives::{FalseCount, FoundCount, KeyedScore, lives};
pub use reading::{AT_TEN, CUTS};
pub use recall::{ANSWER_WITHIN, RecallScore, RecalledText, WrongRecall, recall};
pub use recurring::{Life, RecurringScore, ThemeGroup, found_groups, given_groups, recurring};
pub use retention::{RetentionError, RetentionScore, Store, retention};
pub use salience::{RankedTurns, SalienceError, TurnMeasure, TurnScore};
pub use stability::{Perturbation, StabilityScore, stability};
pub use stance::{ClassScore, JudgedPair, MergedShares, PairGroup, StanceScore, stance};
pub use talk::{NpcChanges, ReadCount, ReadPair, TalkScore, talk};
pub use texts::{
    FaultyText, GrammarFaults, KindScore, TextScore, TitleScore, WORTH_REFLECTION, WrittenForm, WrittenNight,
    WrittenText, texts, written_nights,
};
