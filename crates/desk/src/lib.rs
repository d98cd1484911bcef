//! The designer's desk: a local page on which changing a setting plans a night again and shows the
//! differences.
//!
//! [`Replanner`] holds the input: days, the knowledge before them, a configuration, and an embedder that
//! should cache, so that a night is planned again without a model. [`desk_settings`] lists the settings that
//! can be changed, [`BaseConfig`] applies changes to a configuration. [`DeskServer`] serves the page to this
//! machine alone: it listens on the loopback address, requires the token of its address in every request, and
//! refuses requests from pages of other origins.

mod base_config;
mod changes;
mod edits;
mod error;
mod replanner;
mod server;
mod settings;
mod ways;

pub use base_config::BaseConfig;
pub use edits::MemoryEdit;
pub use error::DeskError;
pub use replanner::{BaselineNight, ReplannedNight, Replanner, Story, WholeStory};
pub use server::DeskServer;
pub use settings::{DeskSetting, SettingRange, desk_settings};
pub use ways::{MemoryAnswer, Way, ask};
