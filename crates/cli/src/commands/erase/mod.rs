//! `nightfold erase`: deletes for good all that NPCs know of a person, wherever this program keeps it.

mod backups;
mod check;
mod files;
mod needles;
mod show;

use std::{collections::BTreeSet, path::PathBuf};

use nightfold::memory::{Erasure, MemoryId, NpcId, PersonNameError, PersonNames};
use nightfold_embed::VectorCache;
use nightfold_store::{DurableStore, Scouring};

pub(super) use self::show::EraseOutput;
use self::{
    check::{CheckOutcome, NameCheck},
    files::{OwnFile, Recording},
    needles::Needles,
    show::{ErasedTotals, NpcErasure},
};
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
    // All files are looked at before anything is written.
    let recordings = args.recordings.iter().map(|path| files::recording(path, &person));
    let recordings = recordings.collect::<Result<Vec<_>, _>>()?;
    // An erasure that was cut short has deleted some of them already.
    let own = args.files.iter().filter(|path| !(args.apply && files::is_gone(path)));
    let own = own.map(|path| files::own(path, &person)).collect::<Result<Vec<_>, _>>()?;
    let cache = cache(common)?;
    let store = if args.apply {
        store::existing(&args.store, args.wait, None)?
    } else {
        store::read_only(&args.store)?
    };
    let everyone = store.everyone()?;
    require_no_npc(&everyone, &person, args.npc_too)?;
    if !args.apply {
        let mut npcs = Vec::new();
        for npc in &everyone {
            npcs.extend(store.erasable(npc, &person)?);
        }
        let output = EraseOutput {
            dry_run: true,
            totals: ErasedTotals::of(&npcs),
            npcs: npcs.iter().map(NpcErasure::from).collect(),
            save_points: store.named_save_points(&person)?.len(),
            cached: None,
            backups: backups::of(&args.store)?,
            recordings,
            files: own.into_iter().filter(|file| file.named).collect(),
            check: None,
        };
        return print(args, &output, verbose.then_some(npcs.as_slice()));
    }

    let (totals, needles) = erase(store.as_ref(), &everyone, &person)?;
    let scouring = store.scour(&person)?;
    drop(store);
    let backups = backups::of(&args.store)?;
    for backup in &backups {
        files::delete(backup)?;
    }
    for recording in &recordings {
        recording.remove_lines(&person)?;
    }
    let deleted: Vec<OwnFile> = own.into_iter().filter(|file| file.named).collect();
    for file in &deleted {
        files::delete(&file.path)?;
    }
    let cached = cache.map(|cache| cache.clear()).transpose().map_err(vectors::unusable)?;
    let check = NameCheck { path: &args.store, person: &person }.run(needles)?;
    finish(args, (totals, scouring, cached), (backups, recordings, deleted), check)
}

/// Erases the person from each NPC in a transaction of its own. Returns what was deleted, and what to look for then.
fn erase(
    store: &dyn DurableStore,
    everyone: &[NpcId],
    person: &PersonNames,
) -> Result<(ErasedTotals, Needles), CliError> {
    let (mut totals, mut needles, mut run) = (ErasedTotals::default(), Needles::default(), None);
    for npc in everyone {
        let Some(planned) = store.erasable(npc, person)? else { continue };
        let deleted: BTreeSet<&MemoryId> = planned.deleted().collect();
        for entry in store.entries(npc)? {
            if planned.whole || deleted.contains(&entry.entry.id) {
                needles.add(&entry.entry.text);
            }
        }
        let run = match run {
            Some(run) => run,
            None => *run.insert(store.begin_run()?),
        };
        if let Some(erasure) = store.erase(run, npc, person)? {
            totals.add(&erasure);
        }
    }
    Ok((totals, needles))
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

fn finish(
    args: &EraseArgs,
    (totals, scouring, cached): (ErasedTotals, Scouring, Option<usize>),
    (backups, recordings, files): (Vec<PathBuf>, Vec<Recording>, Vec<OwnFile>),
    check: CheckOutcome,
) -> Result<(), CliError> {
    let check = CheckOutcome { not_rewritten: scouring.not_rewritten, ..check };
    let cached = cached.map_or(scouring.cached, |here| here + scouring.cached);
    let output = EraseOutput {
        dry_run: false,
        totals,
        npcs: Vec::new(),
        save_points: scouring.save_points.len(),
        cached: Some(cached),
        backups,
        recordings,
        files,
        check: Some(check),
    };
    print(args, &output, None)?;
    match &output.check {
        Some(check) if !check.found.is_empty() => {
            let what = format!("the person is still named in {}", check.found.join(", "));
            Err(message(Exit::Check, what)
                .hint("erase again; what is found in a label or a tag of the game is renamed there"))
        }
        _ => Ok(()),
    }
}

fn print(args: &EraseArgs, output: &EraseOutput, listed: Option<&[Erasure]>) -> Result<(), CliError> {
    if args.json { output::json(output) } else { output::text(&show::text(output, listed, &args.person)) }
}
