//! `nightfold desk`: a local page on which turning a knob plans a night again.

use std::path::Path;

use nightfold::{
    Days,
    memory::{JudgeBy, MemoryReader, ValidConfig},
};
use nightfold_desk::{BaseConfig, DeskError, DeskServer, Replanner};
use nightfold_scenario::{SCENARIO_FILE, Script};
use nightfold_store::InMemoryStore;

use crate::{
    args::{Common, Desk as DeskArgs},
    config,
    error::{CliError, Exit, message, told_failures},
    judge,
    lived::Lived,
    models::{remembering, use_threads},
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

/// What is laid on the desk.
struct Laid {
    title: String,
    days: Days,
    config: ValidConfig,
    /// How a file has the configuration.
    base: BaseConfig,
}

pub(crate) fn run(args: &DeskArgs, common: &Common) -> Result<(), CliError> {
    use_threads(common)?;
    let laid = match args.lived.inputs.as_slice() {
        [one] if one.is_dir() && one.join(SCENARIO_FILE).is_file() || one.ends_with(SCENARIO_FILE) => {
            scenario(one, args, common)?
        }
        _ => memories(args, common)?,
    };
    if laid.config.judge.by == JudgeBy::Language {
        return Err(message(Exit::Usage, "a language model is to judge (judge.by), and a desk asks none")
            .hint("judge by the stance model: --set judge.by=model"));
    }
    let store: Box<dyn MemoryReader> = match &args.store {
        Some(path) => Box::new(store::read_only(path)?),
        None => Box::new(InMemoryStore::new()),
    };
    let texts = laid.days.values().flatten().map(|day| day.memories.len()).sum();
    let kept = vectors::cache(common, &laid.config)?;
    let embedder = Box::new(remembering(kept, common, &laid.config, texts)?);
    let judge = judge::open(None, &laid.config, common)?;
    let (replanner, failures) = Replanner::new(laid.days, store.as_ref(), embedder, judge, laid.config)?;
    output::note(&told_failures(&failures));
    let desk = DeskServer::open(laid.title, replanner, laid.base, args.port.unwrap_or_default())?;
    output::text(&format!(
        "{}\nonly who has this address may open it, on this machine alone; Ctrl-C ends it, and nothing is written\n",
        desk.address()
    ))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(runtime.block_on(desk.serve())?)
}

/// The days of files.
fn memories(args: &DeskArgs, common: &Common) -> Result<Laid, CliError> {
    let config = config::load(common)?;
    let lived = Lived::read(&args.lived, &config, common)?;
    let days = lived.all(&config)?;
    let nights = count(days.values().map(Vec::len).sum(), "night", "nights");
    let title = format!("{nights} of {}", count(days.len(), "NPC", "NPCs"));
    Ok(Laid { title, days, base: BaseConfig::new(config.clone()), config })
}

/// The nights of a scenario, which says itself how it is divided.
fn scenario(path: &Path, args: &DeskArgs, common: &Common) -> Result<Laid, CliError> {
    let lived = &args.lived;
    let flags = [
        ("--by-day", lived.by_day),
        ("--until", lived.until.is_some()),
        ("--npc", !lived.npc.is_empty()),
        ("--vector-model", lived.vector_model.is_some()),
        ("--store", args.store.is_some()),
    ];
    if let Some((flag, _)) = flags.iter().find(|(_, given)| *given) {
        let text = format!("{flag} is for days; a scenario says itself who sleeps, when, and on what");
        return Err(message(Exit::Usage, text).hint("leave it out"));
    }
    let script = Script::read(path, &config::load(common)?.replay)?;
    let config = config::with(common, script.settings())?;
    let scenario = script.stage(&config)?;
    let mut days = Days::new();
    for (npc, day) in scenario.nights.into_iter().flat_map(|night| night.days) {
        days.entry(npc).or_default().push(day);
    }
    let base = BaseConfig::new(config.clone()).under("config");
    Ok(Laid { title: scenario.title, days, config, base })
}
