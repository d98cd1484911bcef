//! `nightfold export`: a store as lines of JSON, without loss.

use std::{
    io::{self, BufWriter},
    path::Path,
};

use nightfold_store::{ExportError, SqliteStore, Transferred};

use crate::{
    args::Export,
    error::{CliError, Exit},
    output::{self, NewFile},
    show::count,
    store,
    terminal::clean,
};

pub(crate) fn run(args: &Export) -> Result<(), CliError> {
    let store = store::read_only(&args.store)?;
    if let Some(npc) = &args.npc {
        store::npcs(&store, std::slice::from_ref(npc))?;
    }
    if args.to == Path::new("-") {
        let mut out = BufWriter::new(io::stdout().lock());
        written(store.export(args.npc.as_ref(), &mut out))?;
        return Ok(());
    }
    let file = NewFile::prepare(&args.to, [args.store.as_path()])?;
    let done = to_file(&store, args, file)?;
    output::text(&format!("{} to {}\n", told(&done), clean(&args.to.display().to_string())))
}

fn to_file(store: &SqliteStore, args: &Export, file: NewFile) -> Result<Transferred, CliError> {
    let mut done = None;
    let placed = file.finish(|out| {
        done = Some(store.export(args.npc.as_ref(), out));
        match &done {
            // The file is not put in place then; the reason is told below.
            Some(Err(_)) => Err(io::Error::other("the export did not come to its end")),
            _ => Ok(()),
        }
    });
    match done {
        Some(Err(error)) => written(Err(error)),
        done => {
            placed?;
            Ok(done.and_then(Result::ok).unwrap_or_default())
        }
    }
}

fn written(done: Result<Transferred, ExportError>) -> Result<Transferred, CliError> {
    done.map_err(|error| match error {
        ExportError::Store(error) => error.into(),
        ExportError::Write(error) => error.into(),
        other => CliError::new(Exit::Store, other),
    })
}

/// What was carried, in words.
pub(super) fn told(done: &Transferred) -> String {
    let of = |n: u64, one, many| count(usize::try_from(n).unwrap_or(usize::MAX), one, many);
    let (npcs, nights) = (of(done.npcs, "NPC", "NPCs"), of(done.nights, "night", "nights"));
    format!("{npcs}, {nights}, {}", of(done.memories, "memory", "memories"))
}
