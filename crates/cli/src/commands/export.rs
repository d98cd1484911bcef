//! `nightfold export`: a store without loss, or its entries for other programs.

use std::{
    io::{self, BufWriter, IsTerminal as _, Write},
    path::Path,
};

use nightfold::memory::NpcId;
use nightfold_store::{DurableStore, ExportError, TransferCounts};

use crate::{
    args::{Common, Export},
    error::{CliError, Exit},
    escape::{TerminalSafeWriter, harmless_json},
    files_in_use::FilesInUse,
    output::{self, NewFile, write_error},
    show::count,
    store,
    terminal::clean,
};

/// Destination of an export.
type Out<'a> = &'a mut (dyn Write + Send);

pub(crate) fn run(args: &Export, common: &Common) -> Result<(), CliError> {
    let store = store::read_only(&args.store)?;
    let npcs = store::npcs(store.as_ref(), args.npc.as_slice())?;
    let write = |out: Out<'_>| {
        if args.entries {
            entries(store.as_ref(), &npcs, out)
        } else {
            Ok(told(&store.export(args.npc.as_ref(), out)?))
        }
    };
    if args.to == Path::new("-") {
        let is_terminal = io::stdout().is_terminal();
        let mut out = TerminalSafeWriter::new(BufWriter::new(output::stdout()), is_terminal);
        written(write(&mut out))?;
        out.flush()?;
        if out.has_escaped() {
            output::note(
                "note: characters that could steer a terminal are shown as \\uXXXX; a file gets them as they are\n",
            );
        }
        return Ok(());
    }
    let file = NewFile::prepare(&args.to, &FilesInUse::of(common).and([&args.store]))?;
    let done = to_file(file, write)?;
    output::text(&format!("{done} to {}\n", clean(&args.to.display().to_string())))
}

fn entries(store: &dyn DurableStore, npcs: &[NpcId], out: Out<'_>) -> Result<String, ExportError> {
    let mut n = 0;
    store.each_entry(npcs, &mut |memory| {
        n += 1;
        out.write_all(&harmless_json(&memory)?)?;
        Ok(out.write_all(
            b"
",
        )?)
    })?;
    Ok(format!("{} of {}", count(n, "entry", "entries"), count(npcs.len(), "NPC", "NPCs")))
}

fn to_file(
    file: NewFile,
    write: impl FnOnce(Out<'_>) -> Result<String, ExportError>,
) -> Result<String, CliError> {
    let path = file.path().to_owned();
    let mut done = None;
    let placed = file.finish(|out| {
        done = Some(write(out));
        match &done {
            // The file is not put in place then; the reason is told below.
            Some(Err(_)) => Err(io::Error::other("the export did not come to its end")),
            _ => Ok(()),
        }
    });
    match done {
        Some(Err(ExportError::Write(source))) => Err(write_error(&path, source)),
        Some(Err(error)) => written(Err(error)),
        done => {
            placed?;
            Ok(done.and_then(Result::ok).unwrap_or_default())
        }
    }
}

fn written<T>(done: Result<T, ExportError>) -> Result<T, CliError> {
    done.map_err(|error| match error {
        ExportError::Store(error) => error.into(),
        ExportError::Write(error) => error.into(),
        other => CliError::new(Exit::Store, other),
    })
}

/// Returns what was transferred, in words.
pub(super) fn told(done: &TransferCounts) -> String {
    let (npcs, nights) = (count(done.npcs, "NPC", "NPCs"), count(done.nights, "night", "nights"));
    format!("{npcs}, {nights}, {}", count(done.memories, "memory", "memories"))
}
