//! `nightfold completions`: prints a script that completes commands and options in a shell.

use crate::{args::CompletionsArgs, command_line, error::CliError, output};

pub(crate) fn run(args: &CompletionsArgs) -> Result<(), CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command_line::command(), "nightfold", &mut script);
    output::product(&String::from_utf8_lossy(&script))
}
