//! `nightfold-evaluate`: measures the quality of nights on labelled data.

use std::{path::PathBuf, process::ExitCode};

use clap::{Parser, Subcommand, builder::PossibleValuesParser};
use nightfold_evaluate::{EvaluateError, Lab, LabOptions, SUITES, Suite, embed, judge};
use nightfold_memory::config::ClusterAlgorithm;

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
    /// Folder with the sets of data, or that of the one set that a suite needs
    #[arg(long, value_name = "DIR", global = true)]
    data: Option<PathBuf>,
    /// Folder with the project's scenarios
    #[arg(long, value_name = "DIR", default_value = "scenarios", global = true)]
    scenarios: PathBuf,
    /// JSONL of pairs `a`, `b` and `stance`, judged in place of the project's own
    #[arg(long, value_name = "FILE", global = true)]
    pairs: Option<PathBuf>,
    /// JSONL of stories, lived in place of the project's own
    #[arg(long, value_name = "FILE", global = true)]
    stories: Option<PathBuf>,
    /// Clustering algorithms that are measured [default: all]
    #[arg(long = "algorithm", value_name = "NAME,…", value_delimiter = ',', global = true,
        value_parser = PossibleValuesParser::new(ClusterAlgorithm::ALL.map(ClusterAlgorithm::as_str)))]
    algorithms: Vec<String>,
    /// File of settings, as `nightfold --config` reads it
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
    /// Setting over those of the file, such as judge.by=rules
    #[arg(long, value_name = "KEY=VALUE", global = true)]
    set: Vec<String>,
    /// Folder of the models [default: as `nightfold`]
    #[arg(long, value_name = "DIR", env = "NIGHTFOLD_MODELS", global = true)]
    models: Option<PathBuf>,
    /// File that keeps vectors [default: as `nightfold`]
    #[arg(long, value_name = "FILE", env = "NIGHTFOLD_VECTOR_CACHE", global = true)]
    vector_cache: Option<PathBuf>,
    #[command(subcommand)]
    step: Option<Step>,
}

/// Single step of a night.
#[derive(Debug, Subcommand)]
enum Step {
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
            let mut causes = vec![error.to_string()];
            let mut cause = std::error::Error::source(&error);
            while let Some(error) = cause {
                causes.push(error.to_string());
                cause = error.source();
            }
            print(&mut std::io::stderr(), &format!("error: {}\n", causes.join(": ")));
            ExitCode::from(2)
        }
    }
}

/// Returns true if no figure is below its line.
fn run(args: Args) -> Result<bool, EvaluateError> {
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
    let algorithms =
        ClusterAlgorithm::ALL.into_iter().filter(|a| args.algorithms.iter().any(|n| n == a.as_str()));
    let lab = Lab::open(LabOptions {
        data: args.data,
        scenarios: args.scenarios,
        pairs: args.pairs,
        stories: args.stories,
        algorithms: algorithms.collect(),
        config: args.config,
        set: args.set,
        models: args.models,
        cache: args.vector_cache,
    })?;
    match args.step {
        Some(Step::Embed { texts, out }) => embed(&lab, &texts, &out)?,
        Some(Step::Judge { pairs }) => {
            judge(&lab, &pairs)?.iter().for_each(|line| print(&mut out, &format!("{line}\n")));
        }
        None => {}
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
