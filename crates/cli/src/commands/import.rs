//! `nightfold import`: the store that an export was made of.

use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
};

use nightfold_store::{ImportError, ImportOptions, ImportProblem, SqliteStore};

use crate::{
    args::{Common, Import},
    commands::export::told,
    config,
    error::{CliError, Exit},
    models::models,
    output, store,
    terminal::clean,
};

/// Why nothing was imported.
#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error("cannot read {}", path.display())]
    Open { path: PathBuf, source: io::Error },
    #[error("{}:{}:{}: {}", path.display(), source.line, source.column, source.problem)]
    File { path: PathBuf, source: Box<ImportError> },
}

impl From<Refused> for CliError {
    fn from(error: Refused) -> Self {
        let (exit, hint) = match &error {
            Refused::Open { .. } => (Exit::Input, "give a file that `nightfold export` wrote"),
            Refused::File { source, .. } => match &source.problem {
                ImportProblem::NotEmpty => (Exit::Store, "name a file that does not exist yet"),
                ImportProblem::Model { .. } => {
                    (Exit::Input, "use the version of nightfold that embeds with the model of the file")
                }
                ImportProblem::Format { .. } => {
                    (Exit::Input, "use the version of nightfold that wrote it, or export again with this one")
                }
                ImportProblem::LongLine(_) | ImportProblem::ManyLines(_) => {
                    (Exit::Input, "raise the limit with --set")
                }
                _ => (Exit::Input, "nothing was imported; export again, and bring the file over whole"),
            },
        };
        Self::new(exit, error).hint(hint)
    }
}

pub(crate) fn run(args: &Import, common: &Common) -> Result<(), CliError> {
    let bounds = &config::load(common)?.transfer;
    let options = ImportOptions {
        max_line_bytes: bounds.max_line_bytes,
        max_lines: bounds.max_lines,
        model: Some(models(common).model_id().clone()),
    };
    let mut lines = open(&args.file)?;
    let is_new = !args.store.exists();
    let store = store::create(&args.store)?;
    let done = store.import(&mut lines, &options).map_err(|source| {
        CliError::from(Refused::File { path: args.file.clone(), source: Box::new(source) })
    });
    if done.is_err() && is_new {
        take_away(store, &args.store);
    }
    let into = clean(&args.store.display().to_string()).into_owned();
    output::text(&format!("{} into {into}\n", told(&done?)))
}

fn open(path: &Path) -> Result<Box<dyn BufRead>, Refused> {
    if path == Path::new("-") {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    let file = File::open(path).map_err(|source| Refused::Open { path: path.to_owned(), source })?;
    Ok(Box::new(BufReader::with_capacity(1 << 16, file)))
}

/// Removes the empty store that this call made, unless another process has slept in it meanwhile: nobody asked for one.
fn take_away(store: SqliteStore, path: &Path) {
    use nightfold::memory::MemoryStore as _;

    let is_empty = store.nights(None).is_ok_and(|nights| nights.is_empty());
    // Closing folds in and removes what SQLite keeps beside the file.
    drop(store);
    if is_empty && let Err(error) = fs::remove_file(path) {
        let path = path.display().to_string();
        eprintln!("warning: the empty store {} was left: {}", clean(&path), clean(&error.to_string()));
    }
}
