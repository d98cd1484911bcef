//! `nightfold backup`: copies a store's file while others may write to it.

use nightfold_store::{BackupError, BackupOptions};

use super::export::told;
use crate::{
    args::BackupArgs,
    error::{CliError, Exit, message},
    output, store,
    terminal::clean,
};

pub(crate) fn run(args: &BackupArgs) -> Result<(), CliError> {
    let Some(store) = store::file_to_copy(&args.store)? else {
        let store = store::shown(&args.store);
        let text = format!("the store {store} is not backed up by this command, which copies files");
        return Err(message(Exit::Usage, text).hint(
            "`nightfold export --store … --to FILE` writes all that it holds, or back up the database with pg_dump",
        ));
    };
    let done = store.back_up(&args.to, BackupOptions { overwrite: args.overwrite, anyway: args.anyway })?;
    let to = args.to.display().to_string();
    output::text(&format!("{} to {}, read again and compared\n", told(&done), clean(&to)))
}

impl From<BackupError> for CliError {
    fn from(error: BackupError) -> Self {
        let (exit, hint) = match error {
            BackupError::Store(error) => return error.into(),
            BackupError::Exists(_) => (Exit::Usage, "name another file, or replace it with --overwrite"),
            BackupError::InUse { .. } => (
                Exit::Usage,
                "name another file, or end what uses that one, and fold the log in: nightfold purge --apply",
            ),
            BackupError::Unsound { .. } => (
                Exit::Store,
                "`nightfold check` says whether the store itself is sound, and --anyway copies it as it is, under a name \
                 of its own; else look at the disk",
            ),
            BackupError::Write { ref source, .. } => {
                let is_refused = source.downcast_ref().is_some_and(output::is_refusal);
                (
                    if is_refused { Exit::Usage } else { Exit::Output },
                    "see to it that the folder exists and may be written, and the disk has room",
                )
            }
            _ => (Exit::Usage, "name another file"),
        };
        Self::new(exit, error).hint(hint)
    }
}
