//! `nightfold export`: a store without loss, or its entries for other programs.

use std::{
    io::{self, BufWriter, Write},
    path::Path,
};

use nightfold::memory::NpcId;
use nightfold_store::{ExportError, SqliteStore, TransferCounts};

use crate::{
    args::{Export, Format},
    error::{CliError, Exit},
    output::{self, NewFile, harmless_json},
    parquet,
    show::count,
    store,
    terminal::clean,
};

/// Destination of an export.
type Out<'a> = &'a mut (dyn Write + Send);

pub(crate) fn run(args: &Export) -> Result<(), CliError> {
    if args.format() == Format::Parquet {
        parquet::check()?;
    }
    let store = store::read_only(&args.store)?;
    let npcs = store::npcs(&store, args.npc.as_slice())?;
    let write = |out: Out<'_>| {
        if args.entries { entries(&store, &npcs, args.format(), out) } else { whole(&store, args, out) }
    };
    if args.to == Path::new("-") {
        let mut out = BufWriter::new(output::stdout());
        written(write(&mut out))?;
        return Ok(out.flush()?);
    }
    let file = NewFile::prepare(&args.to, [args.store.as_path()])?;
    let done = to_file(file, write)?;
    output::text(&format!("{done} to {}\n", clean(&args.to.display().to_string())))
}

fn whole(store: &SqliteStore, args: &Export, out: Out<'_>) -> Result<String, ExportError> {
    let done = match args.format() {
        Format::Jsonl => store.export(args.npc.as_ref(), out),
        Format::Parquet => parquet::export_store(store, args.npc.as_ref(), out),
    };
    Ok(told(&done?))
}

fn entries(store: &SqliteStore, npcs: &[NpcId], format: Format, out: Out<'_>) -> Result<String, ExportError> {
    let mut n = 0;
    match format {
        Format::Jsonl => store.each_entry(npcs, |memory| -> Result<(), ExportError> {
            n += 1;
            out.write_all(&harmless_json(&memory)?)?;
            Ok(out.write_all(b"\n")?)
        })?,
        Format::Parquet => n = parquet::export_entries(store, npcs, out)?,
    }
    Ok(format!("{} of {}", count(n, "entry", "entries"), count(npcs.len(), "NPC", "NPCs")))
}

fn to_file(
    file: NewFile,
    write: impl FnOnce(Out<'_>) -> Result<String, ExportError>,
) -> Result<String, CliError> {
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
    let of = |n: u64, one, many| count(usize::try_from(n).unwrap_or(usize::MAX), one, many);
    let (npcs, nights) = (of(done.npcs, "NPC", "NPCs"), of(done.nights, "night", "nights"));
    format!("{npcs}, {nights}, {}", of(done.memories, "memory", "memories"))
}
