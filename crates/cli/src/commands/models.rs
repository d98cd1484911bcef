//! `nightfold models`: lists, fetches or verifies the model and the runtime library.

use nightfold_embed::{ArtefactState, ArtefactStatus, Check};

use crate::{
    args::{Common, ModelsArgs, ModelsCommand},
    config,
    error::{CliError, Exit, chain, message},
    models::{models, with_progress},
    output,
    show::{count, noun},
    terminal::clean,
};

pub(crate) fn run(args: &ModelsArgs, common: &Common) -> Result<(), CliError> {
    let models = models(common, &config::load(common)?);
    match args.command {
        ModelsCommand::List => output::text(&table(&with_progress(|p| models.status(Check::Size, p)))),
        ModelsCommand::Fetch { force } => {
            with_progress(|p| models.fetch(force, p)).map_err(|e| CliError::new(Exit::Model, e))?;
            output::text(&table(&with_progress(|p| models.status(Check::Size, p))))
        }
        ModelsCommand::Verify => {
            let status = with_progress(|p| models.status(Check::Checksum, p));
            output::text(&table(&status))?;
            let wrong = status.iter().filter(|a| !matches!(a.state, ArtefactState::Verified { .. })).count();
            if wrong > 0 {
                let verb = noun(wrong, "is not as it should be", "are not as they should be");
                let files = count(status.len(), "file", "files");
                return Err(message(Exit::Model, format!("{wrong} of {files} {verb}"))
                    .hint("`nightfold models fetch --force` puts them right"));
            }
            Ok(())
        }
    }
}

fn table(status: &[ArtefactStatus]) -> String {
    let mut out = String::new();
    for artefact in status {
        let state = match &artefact.state {
            ArtefactState::Present { path } => format!("at {}", path.display()),
            ArtefactState::Verified { path } => format!("verified, at {}", path.display()),
            ArtefactState::Unpinned { path } => format!("of unknown checksum, at {}", path.display()),
            ArtefactState::Missing => {
                "missing; fetched on first need, or with `nightfold models fetch`".to_owned()
            }
            ArtefactState::Unusable(error) => chain(error),
            _ => "in a state this version does not know".to_owned(),
        };
        out.push_str(&format!(
            "{} {} ({})\n  {}\n  {state}\n",
            artefact.name,
            artefact.version,
            artefact.licence,
            artefact.contents,
            state = clean(&state)
        ));
    }
    out
}
