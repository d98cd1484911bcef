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
        write(&mut out)?;
        out.flush()?;
        if out.has_escaped() {
            output::note(
                "note: characters that could steer a terminal are shown as \\uXXXX; a file gets them as they are\n",
            );
        }
        return Ok(());
    }
    let mut file = NewFile::prepare(&args.to, &FilesInUse::of(common).and([&args.store]))?;
    let done = write(&mut file).map_err(|error| match error {
        ExportError::Write(source) => write_error(&args.to, source),
        error => error.into(),
    })?;
    file.close()?;
    output::text(&format!("{done} to {}\n", clean(&args.to.display().to_string())))
}

fn entries(store: &dyn DurableStore, npcs: &[NpcId], out: Out<'_>) -> Result<String, ExportError> {
    let mut n = 0;
    store.each_entry(npcs, &mut |memory| {
        n += 1;
        out.write_all(&harmless_json(&memory)?)?;
        Ok(out.write_all(b"\n")?)
    })?;
    Ok(format!("{} of {}", count(n, "entry", "entries"), count(npcs.len(), "NPC", "NPCs")))
}

impl From<ExportError> for CliError {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Store(error) => error.into(),
            ExportError::Write(error) => error.into(),
            other => Self::new(Exit::Store, other),
        }
    }
}

/// Returns what was transferred, in words.
pub(super) fn told(done: &TransferCounts) -> String {
    let (npcs, nights) = (count(done.npcs, "NPC", "NPCs"), count(done.nights, "night", "nights"));
    format!("{npcs}, {nights}, {}", count(done.memories, "memory", "memories"))
}
