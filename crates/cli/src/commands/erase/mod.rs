//! `nightfold erase`: deletes for good all that NPCs know of a person.

mod check;
mod show;

use nightfold::memory::{NpcId, PersonNameError, PersonNames};
use nightfold_embed::VectorCache;

pub(super) use self::show::EraseOutput;
use self::show::{ErasureTotals, NpcErasure};
use crate::{
    args::{Common, EraseArgs},
    choices::CacheChoice,
    config,
    error::{CliError, Exit, message},
    output, store,
    terminal::clean,
    vectors,
};

impl From<PersonNameError> for CliError {
    fn from(error: PersonNameError) -> Self {
        Self::new(Exit::Usage, error).hint("give the whole name that the game uses, and others by --also")
    }
}

pub(crate) fn run(args: &EraseArgs, common: &Common, verbose: bool) -> Result<(), CliError> {
    let person = PersonNames::new(std::iter::once(&args.person).chain(&args.also))?;
    let cache = cache(common)?;
    let store = if args.apply {
        store::existing(&args.store, args.wait, None)?
    } else {
        store::read_only(&args.store)?
    };
    let everyone = store.everyone()?;
    require_no_npc(&everyone, &person, args.npc_too)?;
    let mut output = EraseOutput { dry_run: !args.apply, ..EraseOutput::default() };
    if !args.apply {
        let mut erasures = Vec::new();
        for npc in &everyone {
            erasures.extend(store.erasable(npc, &person)?);
        }
        output.totals = ErasureTotals::of(&erasures);
        output.npcs = erasures.iter().map(NpcErasure::from).collect();
        output.save_points = store.named_save_points(&person)?.len();
        return print(args, &output, &show::dry_run(&output, verbose.then_some(&erasures), &args.person));
    }

    // Each NPC is erased in a transaction of its own.
    let (mut erasures, mut run) = (Vec::new(), None);
    for npc in &everyone {
        if store.erasable(npc, &person)?.is_none() {
            continue;
        }
        let run = match run {
            Some(run) => run,
            None => *run.insert(store.begin_run()?),
        };
        erasures.extend(store.erase(run, npc, &person)?);
    }
    let done = store.physical_erase(&person)?;
    let cached = cache.map(|cache| cache.clear()).transpose().map_err(vectors::unusable)?;
    output.totals = ErasureTotals::of(&erasures);
    output.save_points = done.save_points.len();
    output.cached = Some(done.cached + cached.unwrap_or_default());
    output.not_rewritten = done.not_rewritten;
    output.found = Some(check::tables_that_name(&person, store.as_ref())?);
    print(args, &output, &show::done(&output, &args.person))?;
    match output.found.as_deref() {
        Some(found @ [_, ..]) => {
            let text = format!("the person is still named in {}", found.join(", "));
            Err(message(Exit::Check, text)
                .hint("erase again; what stands in a label of a night is renamed in the game"))
        }
        _ => Ok(()),
    }
}

/// Refuses a name that an NPC has too, unless the NPC is to be deleted as well.
fn require_no_npc(everyone: &[NpcId], person: &PersonNames, npc_too: bool) -> Result<(), CliError> {
    let named: Vec<_> = everyone.iter().filter(|npc| person.are_in(npc.as_str())).collect();
    if named.is_empty() || npc_too {
        return Ok(());
    }
    let names: Vec<_> = named.iter().map(|npc| clean(npc.as_str())).collect();
    let error =
        message(Exit::Usage, format!("the name is also that of an NPC with a memory: {}", names.join(", ")));
    Err(error.hint("--npc-too deletes the NPC with all that it knows; nothing was changed"))
}

/// Opens the cache that the call names; one that is not there is not made.
fn cache(common: &Common) -> Result<Option<VectorCache>, CliError> {
    match vectors::chosen(common) {
        Some(CacheChoice::File(path)) if path.exists() => {
            let config = config::load(common)?;
            VectorCache::open(&path, config.embed.file_cache).map(Some).map_err(vectors::unusable)
        }
        // A cache in a store on a server goes with that store.
        _ => Ok(None),
    }
}

fn print(args: &EraseArgs, output: &EraseOutput, text: &str) -> Result<(), CliError> {
    if args.json { output::json(output) } else { output::text(text) }
}
