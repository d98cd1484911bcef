//! The `nightfold` command line, as a library so that the whole-program tests run the very same program.

// They panic where standard error is closed; `logging::note` does not.
#![warn(clippy::print_stderr)]

mod approval;
mod args;
mod choices;
mod command_line;
mod commands;
mod config;
mod confusables;
mod days;
mod error;
mod escape;
mod failures;
mod files_in_use;
mod input;
mod interrupt;
mod irregular_file;
mod judge;
mod language;
mod logging;
#[cfg(feature = "mcp")]
mod mcp;
mod missing_feature;
mod models;
mod npcs;
mod output;
mod output_schema;
mod pager;
mod panics;
mod plan;
mod plural;
mod progress;
mod report;
mod show;
mod stdio;
mod store;
mod suggest;
mod terminal;
mod unfinished;
mod vectors;
mod worker;

use std::{io, process::ExitCode};

#[cfg(not(feature = "full"))]
use crate::missing_feature::MissingFeature;
use crate::{
    args::{Args, Command},
    error::{CliError, Exit},
};

/// Runs the program on this process's arguments; for the exit codes see `nightfold --help`.
pub fn main() -> ExitCode {
    let args = match command_line::parse() {
        Ok(args) => args,
        Err(error) => return help(&error),
    };
    logging::start(args.log);
    panics::set_hook();
    match run(args) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads our output has read enough: `nightfold list | head`.
        Err(error) if error.is_broken_pipe() => Exit::BrokenPipe.into(),
        Err(error) => {
            logging::print_error(&error);
            error.exit.into()
        }
    }
}

/// Prints help or version, or the error in the arguments.
fn help(error: &clap::Error) -> ExitCode {
    match error.print() {
        _ if error.use_stderr() => Exit::Usage.into(),
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::BrokenPipe.into(),
        Err(error) => {
            logging::print_error(&error.into());
            Exit::Usage.into()
        }
    }
}

fn run(args: Args) -> Result<(), CliError> {
    let common = args.common;
    let verbose = args.log.verbose > 0;
    match args.command {
        Command::Sleep(sleep) => commands::sleep::run(sleep, &common, args.log.verbose),
        Command::Shards(shards) => commands::shards::run(&shards, &common, verbose),
        Command::Show(show) => commands::show::run(&show, &common, args.log.verbose),
        Command::Apply(apply) => commands::apply::run(&apply, &common),
        Command::Undo(undo) => commands::undo::run(&undo),
        Command::Rewind(rewind) => commands::rewind::run(&rewind),
        Command::Why(why) => commands::why::run(&why),
        Command::List(list) => commands::list::run(&list),
        Command::Recall(recall) => commands::recall::run(&recall, &common),
        Command::Themes(themes) => commands::themes::run(&themes),
        Command::Collapse(collapse) => commands::collapse::run(&collapse, &common, verbose),
        Command::Cap(cap) => commands::cap::run(&cap, &common, verbose),
        Command::Maintain(maintain) => commands::maintain::run(&maintain, &common, verbose),
        Command::Purge(purge) => commands::purge::run(&purge, &common),
        Command::Erase(erase) => commands::erase::run(&erase, &common, verbose),
        Command::Restore(restore) => commands::restore::run(&restore, &common, verbose),
        Command::Settle(settle) => commands::settle::run(&settle, &common, verbose),
        Command::Stats(stats) => commands::stats::run(&stats, &common),
        Command::Check(check) => commands::check::run(&check),
        Command::Backup(backup) => commands::backup::run(&backup),
        Command::Export(export) => commands::export::run(&export, &common),
        Command::Import(import) => commands::import::run(&import, &common),
        Command::Compare(compare) => commands::compare::run(&compare, &common, verbose),
        Command::Bench(bench) => commands::bench::run(&bench, &common),
        #[cfg(feature = "desk")]
        Command::Desk(desk) => commands::desk::run(&desk, &common),
        #[cfg(not(feature = "desk"))]
        Command::Desk(_) => Err(MissingFeature::DESK.into()),
        #[cfg(feature = "serve")]
        Command::Serve(serve) => commands::serve::run(&serve, &common),
        #[cfg(not(feature = "serve"))]
        Command::Serve(_) => Err(MissingFeature::SERVE.into()),
        Command::Replay(replay) => commands::replay::run(&replay, &common, verbose),
        Command::Init(init) => commands::init::run(&init),
        #[cfg(feature = "mcp")]
        Command::Mcp(mcp) => commands::mcp::run(&mcp, &common),
        #[cfg(not(feature = "mcp"))]
        Command::Mcp(_) => Err(MissingFeature::MCP.into()),
        Command::Models(models) => commands::models::run(&models, &common),
        Command::Generate(generate) => commands::generate::run(&generate, &common),
    }
}
