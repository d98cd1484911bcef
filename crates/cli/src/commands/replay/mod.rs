//! `nightfold replay`: runs scenarios over their nights.

mod find;
mod junit;
mod result;
mod session;
mod show;
mod watch;

use nightfold_scenario::Diagnostics;

use self::session::ReplaySession;
pub(super) use self::show::{ScenarioOutput, difference_text};
use crate::{
    args::{Common, ReplayArgs},
    error::{CliError, Exit},
    models::use_threads,
};

impl From<Diagnostics> for CliError {
    fn from(mistakes: Diagnostics) -> Self {
        Self::new(Exit::Input, mistakes)
    }
}

pub(crate) fn run(args: &ReplayArgs, common: &Common, verbose: bool) -> Result<(), CliError> {
    use_threads(common)?;
    let mut session = ReplaySession { args, common, verbose, embedder: None };
    if args.watch { watch::run(&mut session) } else { session.run_once() }
}
