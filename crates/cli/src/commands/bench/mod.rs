//! `nightfold bench`: measures the speed of nights, on synthetic days.

mod meter;
mod report;

use std::{
    num::NonZero,
    path::Path,
    time::{Duration, Instant},
};

use nightfold::english::Packs;
use nightfold::{
    BoxError, NpcDays, Recall, RecallPorts, RecallScope, Sleep, days,
    memory::{Embedder, ValidConfig, config::JudgeBy},
};
use nightfold_embed::{VectorCache, onnx::PRODUCTS_PER_TOKEN, product_rate};
use nightfold_scenario::synthetic::SyntheticTown;
use nightfold_store::SqliteStore;
use tempfile::TempDir;

use crate::{
    args::{BenchArgs, Common},
    config,
    error::{CliError, Exit, message},
    failures::failures,
    files_in_use::FilesInUse,
    judge,
    models::{self, embedder_with, use_threads},
    output::{self, NewFile},
    report::write_bench,
    vectors,
};
use meter::Meter;
pub(super) use report::BenchReport;
use report::BenchRound;

pub(crate) fn run(args: &BenchArgs, common: &Common) -> Result<(), CliError> {
    let config = config::load(common)?;
    use_threads(common)?;
    let (given, most) = (args.memories as usize, config.input.max_memories);
    if given > most {
        let text = format!("--memories {given} is above input.max_memories, which is {most}");
        return Err(message(Exit::Usage, text).hint("ask for fewer, or raise it with --set"));
    }
    let town = SyntheticTown {
        npcs: args.npcs as usize,
        memories: given,
        repeat_share: args.repeat_share,
        seed: config.seed.0,
    };
    let page =
        args.report.as_ref().map(|path| NewFile::prepare(path, &FilesInUse::of(common))).transpose()?;
    let folder = TempDir::new()?;
    let mut report = BenchReport::of(&town);
    for (name, path) in [("first", "first.db"), ("again", "again.db")] {
        report.rounds.push(round(name, &folder.path().join(path), &town, &config, common)?);
    }
    report.compare();
    if let Some(page) = page {
        write_bench(page, &report, args.open)?;
    }
    if args.json { output::json(&report) } else { output::text(&report.render()) }
}

/// Plans and writes all nights of the town into a new store.
fn round(
    name: &'static str,
    path: &Path,
    town: &SyntheticTown,
    config: &ValidConfig,
    common: &Common,
) -> Result<BenchRound, CliError> {
    let store = SqliteStore::open(path)?;
    let cache = || match vectors::named(common, config)? {
        Some(cache) => Ok(cache),
        // Beside the store, and gone with it: the second round finds what the first has kept.
        None => VectorCache::open(&path.with_file_name("vectors.db"), u64::MAX)
            .map_err(|error| CliError::new(Exit::Usage, error)),
    };
    let embedder = embedder_with(Some(cache()?), common, config, town.npcs * town.memories)?;
    let judge = match config.judge.by {
        JudgeBy::Model => Some(judge::model_behind(Some(cache()?), config, common)?),
        _ => judge::open(None, config, common)?,
    };
    let (meter, judge) = (Meter::default(), judge.as_deref());
    let sleep = Sleep { judge, observer: &meter, ..Sleep::new(config, &Packs, &embedder, &store) };
    let (begun, cpu) = (Instant::now(), meter::cpu());
    let ran = sleep.apply_each(&store, lived(town, config), |_| Ok(()))?;
    let cpu = meter::cpu().zip(cpu).map(|(now, then)| now.saturating_sub(then));
    let seconds = begun.elapsed();
    failures(&ran.failures, ran.report.nights, "")?;
    let vectors = embedder.report();
    let products = products(models::computed_tokens(&embedder), config, common)?;
    let questions = ask(&store, &embedder, town, config)?;
    Ok(BenchRound::of(name, (seconds, cpu), meter.read(), &questions, vectors, products))
}

/// Returns the time that the products of matrices for so many tokens take at the rate that this machine reaches now; `None`
/// without a token.
fn products(tokens: usize, config: &ValidConfig, common: &Common) -> Result<Option<Duration>, CliError> {
    if tokens == 0 {
        return Ok(None);
    }
    let threads = NonZero::new(rayon::current_num_threads()).unwrap_or(NonZero::<usize>::MIN);
    let rate = product_rate(&models::files(common, config)?, threads);
    let rate = rate.map_err(|error| CliError::new(Exit::Model, error))?;
    Ok(Some(Duration::from_secs_f64((tokens * PRODUCTS_PER_TOKEN) as f64 / rate)))
}

/// Number of questions of a round.
const QUESTIONS: usize = 200;

/// Asks the NPCs in turn about what they lived, one question after the other. Returns the time of each answer, the shortest
/// first.
fn ask(
    store: &SqliteStore,
    embedder: &dyn Embedder,
    town: &SyntheticTown,
    config: &ValidConfig,
) -> Result<Vec<Duration>, CliError> {
    let mut taken = Vec::with_capacity(QUESTIONS);
    for turn in 0..QUESTIONS {
        let day = town.day(turn % town.npcs)?;
        let Some(memory) = day.get(turn / town.npcs % day.len().max(1)) else { continue };
        let question = format!("What do I know of this: {}", memory.text);
        let ports = RecallPorts { store, embedder, packs: &Packs };
        let begun = Instant::now();
        Recall::new(ports, config, &memory.npc, &question, RecallScope::Remembered)?;
        taken.push(begun.elapsed());
    }
    taken.sort_unstable();
    Ok(taken)
}

/// Iterates over the NPCs of a town with their days, made on demand.
fn lived<'a>(
    town: &'a SyntheticTown,
    config: &'a ValidConfig,
) -> impl Iterator<Item = Result<NpcDays, BoxError>> + Send + 'a {
    (0..town.npcs).flat_map(|npc| match town.day(npc) {
        Ok(memories) => days(memories, None, config).into_iter().map(Ok).collect(),
        Err(error) => vec![Err(error.into())],
    })
}
