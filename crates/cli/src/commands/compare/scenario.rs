//! A scenario under several settings: its nights build on one another, and its expectations are checked.

use std::path::Path;

use nightfold::{
    NoObserver,
    memory::{MemoryReader as _, NpcNight, RunReport},
};
use nightfold_scenario::{Replay, Script};

use super::{CompareRow, Compared, ComparedFates, Comparison, configured, expectations};
use crate::{
    args::{Common, CompareArgs},
    config,
    error::{CliError, Exit, message},
    failures::failures,
    judge,
    models::with_memory_cache,
    vectors,
};

/// Replays a scenario under each setting.
pub(super) fn compared(
    path: &Path,
    settings: &[String],
    args: &CompareArgs,
    common: &Common,
) -> Result<Compared, CliError> {
    let days = &args.days;
    let flags = [
        ("--by-day", days.by_day),
        ("--until", days.until.is_some()),
        ("--npc", !days.npc.is_empty()),
        ("--shard", days.shard.is_some()),
    ];
    if let Some((flag, _)) = flags.iter().find(|(_, given)| *given) {
        let text = format!("{flag} is for days; a scenario says itself who sleeps, when, and on what");
        return Err(message(Exit::Usage, text).hint("leave it out"));
    }
    let plain = config::load(common)?;
    let mut scenarios = Vec::new();
    for setting in settings {
        let script = Script::read(path, &plain.input)?;
        let config = config::with(&configured(setting, common)?, script.settings())?;
        scenarios.push(script.stage(&config)?);
    }
    let texts = scenarios.first().map_or(0, |scenario| {
        scenario.nights.iter().flat_map(|night| night.days.values()).map(|day| day.memories.len()).sum()
    });
    let embedder = with_memory_cache(vectors::cache(common, &plain)?, common, &plain, texts)?;
    let (mut rows, mut fates, mut checks) = (Vec::new(), ComparedFates::default(), Vec::new());
    let mut planned = Vec::new();
    for (setting, scenario) in settings.iter().zip(&scenarios) {
        let judge = judge::open(None, &scenario.config, common)?;
        let judge = judge.as_deref();
        let replayed = Replay { scenario, embedder: &embedder, judge, observer: &NoObserver }.run()?;
        let mut nights: Vec<NpcNight> = replayed.nights.into_iter().flatten().collect();
        nights.sort_by(|a, b| a.npc.cmp(&b.npc));
        failures(&replayed.failures, nights.len(), "")?;
        let report = RunReport::sum(replayed.store.npcs()?.len(), nights.iter().map(|night| &night.report));
        fates.add(&nights);
        rows.push(CompareRow::of(setting, &nights, &report, None));
        checks.push(replayed.checks);
        planned.push(nights);
    }
    let expectations = expectations::flipped(&checks);
    let title = scenarios.into_iter().next().map(|scenario| scenario.title).unwrap_or_default();
    let comparison = Comparison { settings: rows, expectations, differing: fates.differing() };
    Ok(Compared { comparison, title, nights: planned, checks, store: None, left_for_later: None })
}
