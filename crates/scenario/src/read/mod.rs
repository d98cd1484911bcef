//! Reading and checking a scenario's files.

mod days;
mod expectations;
mod files;
mod nights;
mod owners;
mod script;

use nightfold_memory::ValidConfig;

pub(crate) use self::files::check_inside;
use self::owners::MemoryOwners;
pub use self::{files::SCENARIO_FILE, script::Script};
use crate::{diagnostic::Diagnostics, format::ScenarioFile, scenario::Scenario};

impl Script {
    /// Reads the days, splits them into nights, and checks the expectations against them.
    ///
    /// # Errors
    /// [`Diagnostics`] with all errors of the days, or else of the nights, or else of the expectations.
    pub fn stage(self, config: &ValidConfig) -> Result<Scenario, Diagnostics> {
        let read = days::read(&self, config)?;
        let nights = nights::split(&self, &read, config)?;
        let expectations = expectations::all(&self, &nights, &MemoryOwners::of(&nights))?;
        let days = read.into_iter().flatten().map(|day| day.source.path);
        let files = std::iter::once(self.source.path).chain(days).collect();
        let ScenarioFile { title, story, lesson, upkeep_every, npcs, .. } = self.file;
        Ok(Scenario {
            folder: self.folder,
            files,
            title,
            story,
            lesson,
            npcs,
            nights,
            upkeep_every: upkeep_every.map(|n| n.into_inner() as usize),
            expectations,
            config: config.clone(),
        })
    }
}
