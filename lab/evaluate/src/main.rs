//! `nightfold-evaluate`: measures the quality of nights on labelled data.

use std::{path::PathBuf, process::ExitCode};

use anyhow::Result;
use clap::{Parser, Subcommand, builder::PossibleValuesParser};
use nightfold_evaluate::{Lab, LabOptions, SUITES, Suite, embed, judge, ratings};

/// Measures the quality of nights on labelled data. Ends with 1 if a figure is below its line.
#[derive(Debug, Parser)]
#[command(args_conflicts_with_subcommands = false, subcommand_negates_reqs = true)]
struct Args {
    /// Suites that are run; --list says what each measures
    #[arg(value_name = "SUITE", required_unless_present = "list", value_parser = suites())]
    suites: Vec<String>,
    /// List the suites and the data that each needs
    #[arg(long)]
    list: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Number of mistakes to show of each suite, the worst first
    #[arg(long, value_name = "N", default_value_t = 0)]
    wrong: usize,
    #[command(flatten)]
    lab: LabOptions,
    #[command(subcommand)]
    step: Option<Step>,
}

/// Single step of a night, or of a reading.
#[derive(Debug, Subcommand)]
enum Step {
    /// Show the ratings of a sheet that `texts --sheet` wrote
    Ratings {
        /// Folder of the sheet, with a table NAME.tsv of each reader
        dir: PathBuf,
    },
    /// Embed texts
    Embed {
        /// JSONL whose lines have a `text`
        texts: PathBuf,
        /// File for the vectors, as NumPy reads them
        out: PathBuf,
    },
    /// Judge pairs of an older text `a` and a newer text `b`, and print the basis of each verdict as JSON
    Judge {
        /// JSONL of pairs
        pairs: PathBuf,
    },
}

fn suites() -> PossibleValuesParser {
    PossibleValuesParser::new(SUITES.map(Suite::name))
}

fn main() -> ExitCode {
    let args = Args::parse();
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_max_level(tracing::Level::WARN).init();
    match run(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            print(&mut std::io::stderr(), &format!("error: {error:#}\n"));
            ExitCode::from(2)
        }
    }
}

/// Returns true if no figure is below its line.
fn run(args: Args) -> Result<bool> {
    let mut out = std::io::stdout().lock();
    if args.list {
        for suite in SUITES {
            print(
                &mut out,
                &format!("{}\n    {}\n    Data: {}\n", suite.name(), suite.measures(), suite.data()),
            );
        }
        return Ok(true);
    }
    if let Some(Step::Ratings { dir }) = &args.step {
        print(&mut out, &ratings(dir)?.tables(0));
        return Ok(true);
    }
    let lab = Lab::open(args.lab)?;
    match args.step {
        Some(Step::Embed { texts, out }) => embed(&lab, &texts, &out)?,
        Some(Step::Judge { pairs }) => {
            judge(&lab, &pairs)?.iter().for_each(|line| print(&mut out, &format!("{line}\n")));
        }
        Some(Step::Ratings { .. }) | None => {}
    }
    let mut holds = true;
    for suite in SUITES.into_iter().filter(|suite| args.suites.iter().any(|name| name == suite.name())) {
        let report = suite.run(&lab)?;
        holds &= report.shortfalls().is_empty();
        if args.json {
            let mut line = report.json();
            line["suite"] = suite.name().into();
            print(&mut out, &format!("{line}\n"));
        } else {
            print(&mut out, &report.tables(args.wrong));
        }
        let short = report.shortfalls().iter().map(|line| format!("{}: {line}\n", suite.name()));
        print(&mut std::io::stderr(), &short.collect::<String>());
    }
    Ok(holds)
}

/// Prints to whoever still reads.
fn print(out: &mut impl std::io::Write, text: &str) {
    _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
