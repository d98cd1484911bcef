//! Arguments of `nightfold bench`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

#[derive(Debug, ClapArgs)]
pub(crate) struct BenchArgs {
    /// Number of NPCs, each with one night
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) npcs: u32,
    /// Number of memories of each NPC; at most `input.max_memories`
    #[arg(long, value_name = "M", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) memories: u32,
    /// Share of an NPC's memories that repeat an earlier one of its day word for word, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.6, value_parser = share)]
    pub(crate) repeat_share: f64,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the results as an HTML page with a chart: one file that needs no network
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Open the page of `--report` in a browser
    #[arg(long, requires = "report")]
    pub(crate) open: bool,
}

fn share(given: &str) -> Result<f64, String> {
    let share = given.parse::<f64>().map_err(|error| error.to_string())?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("it must lie between 0 and 1".into()) }
}
