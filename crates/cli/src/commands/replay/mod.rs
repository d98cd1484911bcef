//! `nightfold replay`: scenarios over their nights.

mod find;
mod junit;
mod show;
mod watch;

use nightfold::{NoObserver, memory::StanceJudge};
use nightfold_scenario::{
    Diagnostics, OutcomeDifference, Replay, Replayed, Scenario, ScenarioOutcome, Script, differences,
};
use rayon::prelude::*;

use crate::{
    args::{Common, Replay as ReplayArgs},
    config,
    error::{CliError, Exit, message},
    judge,
    models::{ModelEmbedder, remembering, use_threads},
    output::{self, NewFile},
    show::count,
    terminal::Terminal,
    vectors,
};

impl From<Diagnostics> for CliError {
    fn from(mistakes: Diagnostics) -> Self {
        Self::new(Exit::Input, mistakes)
    }
}

pub(crate) fn run(args: &ReplayArgs, common: &Common, verbose: bool) -> Result<(), CliError> {
    use_threads(common)?;
    let mut desk = Desk { args, common, verbose, embedder: None };
    if args.watch { watch::run(&mut desk) } else { desk.run_once() }
}

/// What runs one after the other share.
struct Desk<'a> {
    args: &'a ReplayArgs,
    common: &'a Common,
    verbose: bool,
    /// Opened by the first run that has scenarios to replay; it knows every text that was embedded.
    embedder: Option<ModelEmbedder>,
}

/// What a scenario came to, and how that compares with what was accepted.
struct Ran {
    scenario: Scenario,
    replayed: Replayed,
    digest: String,
    accepted: Accepted,
}

/// The outcome of a run beside the one that is kept.
enum Accepted {
    /// None is kept.
    None,
    /// It is the same.
    Same,
    /// It is another, and was not accepted.
    Differs(Vec<OutcomeDifference>),
    /// It is another or the first, and was accepted by this run.
    Updated(Vec<OutcomeDifference>),
}

impl Ran {
    fn holds(&self) -> bool {
        self.replayed.holds() && !matches!(self.accepted, Accepted::Differs(_))
    }
}

impl Desk<'_> {
    /// Every scenario once.
    fn run_once(&mut self) -> Result<(), CliError> {
        let scenarios = self.read()?;
        let junit = self.args.junit.as_deref().map(|path| NewFile::prepare(path, [])).transpose()?;
        let ran = self.replay(scenarios)?;
        if let Some(file) = junit {
            file.finish(|out| out.write_all(junit::report(&ran)?.as_bytes()))?;
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

    /// All scenarios that are named, or all mistakes in them.
    fn read(&self) -> Result<Vec<Scenario>, CliError> {
        let limits = config::load(self.common)?.replay.clone();
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

    /// All of them at once, in the order they were named.
    fn replay(&mut self, scenarios: Vec<Scenario>) -> Result<Vec<Ran>, CliError> {
        if self.embedder.is_none() {
            let days = scenarios.iter().flat_map(|s| &s.nights).flat_map(|night| night.days.values());
            let texts = days.map(|day| day.memories.len()).sum();
            let config = config::load(self.common)?;
            self.embedder =
                Some(remembering(vectors::cache(self.common, &config)?, self.common, &config, texts)?);
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
            ran.push(Ran { scenario, replayed, digest, accepted });
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
            NewFile::prepare(&ScenarioOutcome::path(scenario), [])?.finish(|out| out.write_all(&bytes))?;
            return Ok(Accepted::Updated(differences));
        }
        Ok(if kept.is_some() { Accepted::Differs(differences) } else { Accepted::None })
    }
}
