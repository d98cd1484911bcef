//! `nightfold import`: the store that an export was made of.

use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
};

use nightfold::memory::config::TransferConfig;
use nightfold_store::{DurableStore, ImportError, ImportOptions, ImportProblem};

use crate::{
    args::{Common, Import},
    commands::export::told,
    config,
    error::{CliError, Exit},
    models::models,
    not_a_file, output,
    parquet::{self, is_parquet},
    store,
    terminal::clean,
};

/// Reason that nothing was imported.
#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error("cannot read {}", path.display())]
    Open { path: PathBuf, source: io::Error },
    #[error("{}:{}:{}: {}", path.display(), source.line, source.column, source.problem)]
    File { path: PathBuf, source: Box<ImportError> },
    #[error("{}: {source}", path.display())]
    Parquet { path: PathBuf, source: Box<parquet::ParquetReadError> },
    #[error("{}: {}{}", path.display(), row(source.line), source.problem)]
    Row { path: PathBuf, source: Box<ImportError> },
}

/// The row that was read as this line: the first line is a note of the file.
fn row(line: u64) -> String {
    if line > 1 { format!("row {}: ", line - 1) } else { String::new() }
}

impl Refused {
    fn import(path: &Path, source: ImportError, is_parquet: bool) -> Self {
        let path = path.to_owned();
        match source.problem {
            // Reading columns fails with an error of its own, which knows its row.
            ImportProblem::Read(error) if is_parquet => match error.downcast::<parquet::ParquetReadError>() {
                Ok(source) => Self::Parquet { path, source: Box::new(source) },
                Err(source) => Self::Open { path, source },
            },
            problem if is_parquet => Self::Row { path, source: Box::new(ImportError { problem, ..source }) },
            problem => Self::File { path, source: Box::new(ImportError { problem, ..source }) },
        }
    }
}

pub(crate) const AGAIN: &str = "nothing was imported; export again, and bring the file over whole";
pub(crate) const RAISE: &str = "raise the limit with --set";

impl From<Refused> for CliError {
    fn from(error: Refused) -> Self {
        let (exit, hint) = match &error {
            Refused::Open { .. } => (Exit::Input, "give a file that `nightfold export` wrote"),
            Refused::Parquet { source, .. } => parquet::hint(source),
            Refused::File { source, .. } | Refused::Row { source, .. } => match &source.problem {
                ImportProblem::NotEmpty => (Exit::Store, "name a file that does not exist yet"),
                ImportProblem::Model { .. } => {
                    (Exit::Input, "use the version of nightfold that embeds with the model of the file")
                }
                ImportProblem::Format { .. } => {
                    (Exit::Input, "use the version of nightfold that wrote it, or export again with this one")
                }
                ImportProblem::Store(error) if store::outcome_is_unknown(error) => {
                    (Exit::Store, "look at the store before you import again: it may hold everything")
                }
                ImportProblem::Store(_) => {
                    (Exit::Store, "nothing was imported; see to it that the store may be written")
                }
                ImportProblem::LineTooLong(_) | ImportProblem::TooManyLines(_) => (Exit::Input, RAISE),
                _ => (Exit::Input, AGAIN),
            },
        };
        Self::new(exit, error).hint(hint)
    }
}

pub(crate) fn run(args: &Import, common: &Common) -> Result<(), CliError> {
    let config = config::load(common)?;
    let bounds = &config.transfer;
    let options = ImportOptions {
        max_line_bytes: bounds.max_line_bytes,
        max_lines: bounds.max_lines,
        model: Some(models(common, &config).model_id().clone()),
        dimensions: Some(nightfold_embed::DIMENSIONS),
    };
    let Source { mut lines, is_parquet } = open(&args.file, bounds)?;
    let is_new = store::is_new_file(&args.store);
    let store = store::create(&args.store, args.wait)?;
    let done = store
        .import(&mut *lines, &options)
        .map_err(|source| CliError::from(Refused::import(&args.file, source, is_parquet)));
    if done.is_err() && is_new {
        take_away(store, &args.store);
    }
    output::text(&format!("{} into {}\n", told(&done?), store::shown(&args.store)))
}

/// The lines of an export, whatever they stand in.
struct Source {
    lines: Box<dyn BufRead>,
    is_parquet: bool,
}

fn open(path: &Path, bounds: &TransferConfig) -> Result<Source, CliError> {
    if path == Path::new("-") {
        return Ok(Source { lines: Box::new(BufReader::new(io::stdin())), is_parquet: false });
    }
    let hint = "give a file that `nightfold export` wrote; `-` reads its lines from standard input";
    not_a_file::refuse(path, Exit::Input, hint)?;
    let of_file = |source| Refused::Open { path: path.to_owned(), source };
    let mut file = File::open(path).map_err(of_file)?;
    let is_parquet = is_parquet(&mut file).map_err(of_file)?;
    let lines: Box<dyn BufRead> = if is_parquet {
        let refused = |source| Refused::Parquet { path: path.to_owned(), source: Box::new(source) };
        parquet::lines(file, bounds).map_err(refused)?
    } else {
        Box::new(BufReader::with_capacity(1 << 16, file))
    };
    Ok(Source { lines, is_parquet })
}

/// Removes the empty store that this call made, unless another process has slept in it meanwhile: nobody asked for one.
fn take_away(store: Box<dyn DurableStore>, path: &Path) {
    let is_empty = store.nights(None).is_ok_and(|nights| nights.is_empty());
    // Closing folds in and removes what SQLite keeps beside the file.
    drop(store);
    if is_empty && let Err(error) = fs::remove_file(path) {
        let path = path.display().to_string();
        let why = error.to_string();
        output::note(&format!("warning: the empty store {} was left: {}\n", clean(&path), clean(&why)));
    }
}
