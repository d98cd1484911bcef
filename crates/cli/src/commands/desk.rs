//! `nightfold desk`: serves a local page that plans a night again for every changed setting.

use std::path::Path;

use nightfold::memory::{MemoryReader, ValidConfig, config::JudgeBy};
use nightfold_desk::{BaseConfig, DeskError, DeskServer, Replanner, Story};
use nightfold_scenario::{SCENARIO_FILE, Script};
use nightfold_store::SqliteStore;

use crate::{
    args::{Common, DeskArgs},
    command_line::is_default_store,
    config,
    days::InputDays,
    error::{CliError, Exit, message},
    failures::failure_lines,
    judge,
    models::{use_threads, with_memory_cache},
    output,
    show::count,
    store, vectors,
};

impl From<DeskError> for CliError {
    fn from(error: DeskError) -> Self {
        match error {
            DeskError::Listen { .. } => Self::new(Exit::Usage, error)
                .hint("name another port with --port, or none for any that is free"),
            DeskError::Store(error) => error.into(),
            DeskError::Sleep(error) => error.into(),
            DeskError::Embedder(error) => error.into(),
            other => Self::new(Exit::Usage, other),
        }
    }
}

/// Days and configuration that the page starts from.
struct DeskInput {
    title: String,
    story: Story,
    /// Number of memories of all days.
    memories: usize,
    config: ValidConfig,
    /// Settings as the page shows them for a file.
    settings: BaseConfig,
}

pub(crate) fn run(args: &DeskArgs, common: &Common) -> Result<(), CliError> {
    use_threads(common)?;
    let input = match args.days.memories.inputs.as_slice() {
        [one] if one.is_dir() && one.join(SCENARIO_FILE).is_file() || one.ends_with(SCENARIO_FILE) => {
            scenario(one, args, common)?
        }
        _ => memories(args, common)?,
    };
    if input.config.judge.by == JudgeBy::Language {
        return Err(message(Exit::Usage, "a language model is to judge (judge.by), and a desk asks none")
            .hint("judge by the stance model: --set judge.by=model"));
    }
    let kept = vectors::cache(common, &input.config)?;
    let embedder = Box::new(with_memory_cache(kept, common, &input.config, input.memories)?);
    let judge = judge::open(None, &input.config, common)?;
    let replanner = Replanner::new(input.story, embedder, judge, input.config)?;
    output::complain(&failure_lines(&replanner.before().failures));
    let desk = DeskServer::open(input.title, replanner, input.settings, args.port.unwrap_or_default())?;
    output::product(&format!(
        "{}\nonly who has this address may open it, on this machine alone; Ctrl-C ends it, and nothing is written\n",
        desk.address()
    ))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(runtime.block_on(desk.serve())?)
}

/// Reads days from files.
fn memories(args: &DeskArgs, common: &Common) -> Result<DeskInput, CliError> {
    let config = config::load(common)?;
    let lived = InputDays::read(&args.days, &config, common)?;
    let days = lived.all(&config)?;
    let nights = count(days.values().map(Vec::len).sum::<usize>(), "night", "nights");
    let title = format!("{nights} of {}", count(days.len(), "NPC", "NPCs"));
    let store: Box<dyn MemoryReader> = match store::optional(args.store.as_deref()) {
        Some(path) => store::read_only(path)?,
        None => Box::new(SqliteStore::in_memory()?),
    };
    let memories = days.values().flatten().map(|day| day.memories.len()).sum();
    let story = Story::Days(days, store);
    Ok(DeskInput { title, story, memories, settings: BaseConfig::new(config.clone()), config })
}

/// Reads the nights of a scenario, which itself says how its days are divided.
fn scenario(path: &Path, args: &DeskArgs, common: &Common) -> Result<DeskInput, CliError> {
    let lived = &args.days;
    let flags = [
        ("--by-day", lived.by_day),
        ("--until", lived.until.is_some()),
        ("--npc", !lived.npc.is_empty()),
        ("--vector-model", lived.memories.vector_model.is_some()),
        ("--store", args.store.as_deref().is_some_and(|store| !is_default_store(store))),
    ];
    if let Some((flag, _)) = flags.iter().find(|(_, given)| *given) {
        let text = format!("{flag} is for days; a scenario says itself who sleeps, when, and on what");
        return Err(message(Exit::Usage, text).hint("leave it out"));
    }
    let script = Script::read(path, &config::load(common)?.input)?;
    let config = config::with(common, script.settings())?;
    let scenario = script.stage(&config)?;
    let memories =
        scenario.nights.iter().flat_map(|night| night.days.values()).map(|day| day.memories.len()).sum();
    let settings = BaseConfig::new(config.clone()).under("config");
    let title = scenario.title.clone();
    Ok(DeskInput { title, story: Story::Scenario(Box::new(scenario)), memories, config, settings })
}
