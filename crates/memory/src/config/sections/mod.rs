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

pub use judging::{JudgeBy, JudgeConfig};
pub use keeping::{CapConfig, ReconcileConfig, SynthesisConfig, TriageConfig};
pub use maintaining::MaintainConfig;
pub use reading::{CollapseConfig, DayConfig, EmbedConfig, InputConfig, KeptReading};
pub use reviewing::{Approval, ReviewConfig};
pub use running::{GraphConfig, LanguageConfig, RecallConfig, ReplayConfig, RunConfig, TransferConfig};
pub use serving::McpConfig;
pub use themes::{
    BudgetConfig, ChooseK, ClusterAlgorithm, ClusterConfig, CohesionConfig, Reduce, SleepConfig, ThemesConfig,
};
pub use weighing::SalienceConfig;
