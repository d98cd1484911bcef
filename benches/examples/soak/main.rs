//! Long runs of nights that must not make anything grow: `soak FOLDER nights [NPCS [DAYS [MEMORIES]]]` sleeps
//! NPCS × DAYS nights one after the other in this process, and `soak FOLDER calls PROGRAM [NPCS [DAYS [MEMORIES]]]` calls
//! the command line once a day, each call a process of its own. The store is written into FOLDER. With `--rules` no
//! stance model compares statements, which takes about a third of the time.
//!
//! Memory, open handles, threads, files, the size of the store and latencies are shown window by window. The call
//! fails if a figure of the last quarter exceeds that of the second by more than its limit: ratios within one run hold
//! on any machine. Latencies have limits in processor time alone, since the wall's is that of whatever else runs.
//!
//! The days are generated from a seed, and the real model embeds.

mod calls;
mod footprint;
mod nights;

use std::{env, error::Error, fs, io::Write as _, path::PathBuf, process::ExitCode};

use nightfold_benches::flatness::{WindowTable, percentile};
use nightfold_scenario::synthetic::Xorshift;

type Fallible<T> = Result<T, Box<dyn Error>>;

/// Windows of a run.
const WINDOWS: usize = 20;

/// NPCs that live through generated days.
struct Life {
    npcs: usize,
    days: usize,
    memories: usize,
    /// True if the rules compare statements, without the stance model.
    rules: bool,
}

impl Life {
    /// Reads `[NPCS [DAYS [MEMORIES]]]`.
    fn parse(args: &[String], days: usize, rules: bool) -> Fallible<Self> {
        let number = |at: usize, usual: usize| args.get(at).map_or(Ok(usual), |n| n.parse());
        Ok(Self { npcs: number(0, 10)?, days: number(1, days)?, memories: number(2, 10)?, rules })
    }

    /// Returns the names of the NPCs, each with its random numbers.
    fn town(&self) -> Vec<(String, Xorshift)> {
        (0..self.npcs).map(|n| (format!("Villager {n:02}"), Xorshift(0x5eed_0042 + n as u64))).collect()
    }
}

fn main() -> Fallible<ExitCode> {
    let usage = "usage: soak FOLDER nights [NPCS [DAYS [MEMORIES]]] | soak FOLDER calls PROGRAM [NPCS [DAYS [MEMORIES]]]; each with --rules";
    let (flags, args): (Vec<String>, Vec<String>) = env::args().skip(1).partition(|a| a.starts_with("--"));
    let rules = flags.iter().any(|flag| flag == "--rules");
    let (folder, mode) = args.first().zip(args.get(1)).ok_or(usage)?;
    // Only what a run left here itself is removed.
    let folder = PathBuf::from(folder).join("soak");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let table = match mode.as_str() {
        "nights" => nights::run(&folder, &Life::parse(&args[2..], 1_000, rules)?)?,
        "calls" => {
            let program = args.get(2).ok_or(usage)?;
            calls::run(&folder, program, &Life::parse(&args[3..], 365, rules)?)?
        }
        _ => return Err(usage.into()),
    };
    report(&table)
}

/// Prints the table, and what grew beyond its limit.
fn report(table: &WindowTable) -> Fallible<ExitCode> {
    let mut out = std::io::stdout();
    write!(out, "{table}")?;
    let excesses = table.excesses().ok_or("a run has at least four windows")?;
    for excess in &excesses {
        writeln!(out, "{} grew {:.2} times; the limit is {:.2}", excess.name, excess.ratio, excess.limit)?;
    }
    Ok(if excesses.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns the median and the 99th percentile.
fn median_and_p99(mut values: Vec<f64>) -> [f64; 2] {
    values.sort_by(f64::total_cmp);
    [0.5, 0.99].map(|share| percentile(&values, share))
}
