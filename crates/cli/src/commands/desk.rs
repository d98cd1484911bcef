//! `nightfold desk`: a local page on which turning a knob plans a night again.

use nightfold::memory::{JudgeBy, MemoryStore};
use nightfold_desk::{Desk, DeskError, Settings, Story};
use nightfold_store::InMemoryStore;

use crate::{
    args::{Common, Desk as DeskArgs},
    config,
    error::{CliError, Exit, message, told_failures},
    lived::Lived,
    models::{embedder, use_threads},
    output,
    show::count,
    store,
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

pub(crate) fn run(args: &DeskArgs, common: &Common) -> Result<(), CliError> {
    let config = config::load(common)?;
    use_threads(common)?;
    if config.judge.by != JudgeBy::Rules {
        return Err(message(Exit::Usage, "judge.by is not `rules`, and a desk asks no other judge")
            .hint("judge by the rules: --set judge.by=rules"));
    }
    let lived = Lived::read(&args.lived, &config, common)?;
    let store: Box<dyn MemoryStore> = match &args.store {
        Some(path) => Box::new(store::read_only(path)?),
        None => Box::new(InMemoryStore::new()),
    };
    let nights = count(lived.nights(), "night", "nights");
    let title = format!("{nights} of {}", count(lived.days.len(), "NPC", "NPCs"));
    let embedder = Box::new(embedder(common, &config, lived.memories)?);
    let (story, failures) = Story::new(lived.days, store.as_ref(), embedder, config.clone())?;
    eprint!("{}", told_failures(&failures));
    let desk = Desk::open(title, story, Settings::new(config), args.port.unwrap_or_default())?;
    output::text(&format!(
        "{}\nonly who has this address may open it, on this machine alone; Ctrl-C ends it, and nothing is written\n",
        desk.address()
    ))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(runtime.block_on(desk.serve())?)
}
