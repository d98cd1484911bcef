//! `nightfold import`: the store that an export was made of.

use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
};

use nightfold_store::{DurableStore, ImportError, ImportOptions, ImportProblem};

use crate::{
    args::{Common, Import},
    commands::export::told,
    config,
    error::{CliError, Exit},
    irregular_file,
    models::models,
    output, store,
    terminal::clean,
};

/// Reason that nothing was imported.
#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error("cannot read {}", path.display())]
    Open { path: PathBuf, source: io::Error },
    #[error("{}:{}:{}: {}", path.display(), source.line, source.column, source.problem)]
    File { path: PathBuf, source: Box<ImportError> },
}

const AGAIN: &str = "nothing was imported; export again, and bring the file over whole";

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
                ImportProblem::Store(error) if store::outcome_is_unknown(error) => {
                    (Exit::Store, "look at the store before you import again: it may hold everything")
                }
                ImportProblem::Store(_) => {
                    (Exit::Store, "nothing was imported; see to it that the store may be written")
                }
                _ => (Exit::Input, AGAIN),
            },
        };
        Self::new(exit, error).hint(hint)
    }
}

pub(crate) fn run(args: &Import, common: &Common) -> Result<(), CliError> {
    let config = config::load(common)?;
    let options = ImportOptions {
        model: Some(models(common, &config).model_id().clone()),
        dimensions: Some(nightfold_embed::DIMENSIONS),
    };
    let mut lines = open(&args.file)?;
    let is_new = store::is_new_file(&args.store);
    let store = store::create(&args.store, args.wait)?;
    let done = store
        .import(&mut *lines, &options)
        .map_err(|source| Refused::File { path: args.file.clone(), source: Box::new(source) });
    if done.is_err() && is_new {
        take_away(store, &args.store);
    }
    output::text(&format!("{} into {}\n", told(&done.map_err(CliError::from)?), store::shown(&args.store)))
}

fn open(path: &Path) -> Result<Box<dyn BufRead>, CliError> {
    if path == Path::new("-") {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    let hint = "give a file that `nightfold export` wrote; `-` reads its lines from standard input";
    irregular_file::refuse(path, Exit::Input, hint)?;
    let file = File::open(path).map_err(|source| Refused::Open { path: path.to_owned(), source })?;
    Ok(Box::new(BufReader::with_capacity(1 << 16, file)))
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
