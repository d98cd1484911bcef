//! Sections of the configuration: meaning, default and range of every key.

mod judging;
mod keeping;
mod maintaining;
mod reading;
mod reviewing;
mod running;
mod serving;
mod themes;
mod weighing;

pub use judging::{JudgeBy, JudgeChanges, JudgeConfig};
pub use keeping::{
    CapChanges, CapConfig, ReconcileChanges, ReconcileConfig, SynthesisChanges, SynthesisConfig,
    TriageChanges, TriageConfig,
};
pub use maintaining::{MaintainChanges, MaintainConfig};
pub use reading::{CollapseConfig, DayConfig, EmbedConfig, EmbedEngine, InputConfig, KeptReading};
pub use reviewing::{Approval, ReviewConfig};
pub use running::{LanguageConfig, RecallChanges, RecallConfig, RunConfig};
pub use serving::HttpConfig;
pub use themes::{
    BudgetChanges, BudgetConfig, ChooseK, ClusterAlgorithm, ClusterChanges, ClusterConfig, CohesionChanges,
    CohesionConfig, Reduce, SleepChanges, SleepConfig, ThemesChanges, ThemesConfig,
};
pub use weighing::{SalienceChanges, SalienceConfig};
