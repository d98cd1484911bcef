//! Runs of the scenarios that a call names.

use nightfold::{
    NoObserver,
    memory::{NightPlan, NpcNight, PLAN_FORMAT, RunReport, StanceJudge},
};
use nightfold_report::{Maps, ReportExpectation};
use nightfold_scenario::{Diagnostics, Replay, Scenario, ScenarioOutcome, Script, differences};
use rayon::prelude::*;

use super::{
    find, junit,
    result::{Accepted, ScenarioRun},
    show,
};
use crate::{
    args::{Common, ReplayArgs},
    config,
    error::{CliError, Exit, message},
    files_in_use::FilesInUse,
    judge,
    models::{ModelEmbedder, with_memory_cache},
    output::{self, NewFile},
    report::{self, PageOptions},
    show::count,
    terminal::Terminal,
    vectors,
};

/// State that repeated runs share.
pub(super) struct ReplaySession<'a> {
    pub(super) args: &'a ReplayArgs,
    pub(super) common: &'a Common,
    pub(super) verbose: bool,
    /// Embedder, opened by the first run that has scenarios to replay; it keeps the vector of every text.
    pub(super) embedder: Option<ModelEmbedder>,
}

impl ReplaySession<'_> {
    /// Runs every scenario once.
    pub(super) fn run_once(&mut self) -> Result<(), CliError> {
        let scenarios = self.read()?;
        let read = scenarios.iter().flat_map(|scenario| scenario.files.clone());
        let in_use = FilesInUse::of(self.common).and(read).and(scenarios.iter().map(ScenarioOutcome::path));
        let junit = self
            .args
            .junit
            .as_deref()
            .map(|path| NewFile::prepare(path, &in_use))
            .transpose()?
            .map(|file| file.announced("JUnit results", ""));
        let page = self.args.report.as_deref();
        if page.is_some() && scenarios.len() != 1 {
            let text = format!("--report is for one scenario; this call names {}", scenarios.len());
            return Err(message(Exit::Usage, text).hint("name one of them"));
        }
        let page = page.map(|path| NewFile::prepare(path, &in_use)).transpose()?;
        let ran = self.replay(scenarios)?;
        if let (Some(file), [ran]) = (page, ran.as_slice()) {
            self.write_page(file, ran)?;
        }
        if let Some(file) = junit {
            file.finish(|out| out.write_all(junit::report(&ran).as_bytes()))?;
        }
        if self.args.json {
            output::json(&show::json(&ran))?;
        } else {
            output::text(&show::text(&ran, Terminal::stdout(), self.verbose))?;
        }
        let failed = ran.iter().filter(|ran| !ran.holds()).count();
        if failed == 0 {
            return Ok(());
        }
        let of = count(ran.len(), "scenario", "scenarios");
        let verb = if failed == 1 { "does" } else { "do" };
        let error = message(Exit::Check, format!("{failed} of {of} {verb} not hold"));
        let differs = ran.iter().any(|ran| matches!(ran.accepted, Accepted::Differs(_)));
        Err(if differs { error.hint("look at what differs; --update accepts it") } else { error })
    }

    /// Writes the nights of a scenario, by NPC and in order of time, as a page.
    fn write_page(&self, file: NewFile, ran: &ScenarioRun) -> Result<(), CliError> {
        let mut nights: Vec<NpcNight> = ran.replayed.nights.concat();
        nights.sort_by(|a, b| a.npc.cmp(&b.npc));
        let report = RunReport::sum(ran.scenario.npcs.len(), nights.iter().map(|night| &night.report));
        let expectations = ran.replayed.checks.iter().map(|check| ReportExpectation {
            expected: check.expected.clone(),
            holds: check.holds,
            found: check.found.clone(),
        });
        let options = PageOptions {
            title: Some(&ran.scenario.title),
            expectations: expectations.collect(),
            opens: self.args.open,
        };
        let plan = NightPlan { format: PLAN_FORMAT, nights, report };
        report::write(file, &plan, &plan.nights, &Maps::new(), None, &options)
    }

    /// Reads all scenarios that the call names.
    ///
    /// # Errors
    /// All mistakes in the scenarios.
    fn read(&self) -> Result<Vec<Scenario>, CliError> {
        let limits = config::load(self.common)?.input.clone();
        let mut scenarios = Vec::new();
        let mut mistakes = Vec::new();
        for path in find::scenarios(&self.args.scenarios)? {
            let script = match Script::read(&path, &limits) {
                Ok(script) => script,
                Err(wrong) => {
                    mistakes.extend(wrong.0);
                    continue;
                }
            };
            let config = config::with(self.common, script.settings())?;
            match script.stage(&config) {
                Ok(scenario) => scenarios.push(scenario),
                Err(wrong) => mistakes.extend(wrong.0),
            }
        }
        if mistakes.is_empty() { Ok(scenarios) } else { Err(Diagnostics(mistakes).into()) }
    }

    /// Runs all scenarios in parallel, and returns them in the order they were named.
    fn replay(&mut self, scenarios: Vec<Scenario>) -> Result<Vec<ScenarioRun>, CliError> {
        if self.embedder.is_none() {
            let days = scenarios.iter().flat_map(|s| &s.nights).flat_map(|night| night.days.values());
            let texts = days.map(|day| day.memories.len()).sum();
            let config = config::load(self.common)?;
            self.embedder =
                Some(with_memory_cache(vectors::cache(self.common, &config)?, self.common, &config, texts)?);
        }
        let Some(embedder) = &self.embedder else { return Ok(Vec::new()) };
        let judges: Vec<Option<Box<dyn StanceJudge>>> = scenarios
            .iter()
            .map(|scenario| judge::open(None, &scenario.config, self.common))
            .collect::<Result<_, _>>()?;
        let replayed: Vec<_> = scenarios
            .par_iter()
            .zip(&judges)
            .map(|(scenario, judge)| {
                let judge = judge.as_deref();
                Replay { scenario, embedder, judge, observer: &NoObserver }.run()
            })
            .collect();
        let mut ran = Vec::new();
        for (scenario, replayed) in scenarios.into_iter().zip(replayed) {
            let replayed = replayed?;
            let digest = replayed.outcome.digest()?;
            let accepted = self.compare(&scenario, &replayed.outcome)?;
            ran.push(ScenarioRun { scenario, replayed, digest, accepted });
        }
        Ok(ran)
    }

    fn compare(&self, scenario: &Scenario, outcome: &ScenarioOutcome) -> Result<Accepted, CliError> {
        let kept = match ScenarioOutcome::read_accepted(scenario) {
            // What cannot be read is written anew.
            Err(_) if self.args.update => None,
            kept => kept.map_err(Diagnostics::from)?,
        };
        let differences = match &kept {
            Some(kept) if kept == outcome => return Ok(Accepted::Same),
            Some(kept) => differences(kept, outcome)?,
            None => Vec::new(),
        };
        if self.args.update {
            let bytes = outcome.to_json()?;
            let path = ScenarioOutcome::path_to_accept(scenario).map_err(Diagnostics::from)?;
            NewFile::prepare(&path, &FilesInUse::default())?.finish(|out| out.write_all(&bytes))?;
            return Ok(Accepted::Updated(differences));
        }
        Ok(if kept.is_some() { Accepted::Differs(differences) } else { Accepted::None })
    }
}
