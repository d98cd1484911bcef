//! Arguments of `pack`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::days::OnBadLine;

#[derive(Debug, ClapArgs)]
pub(crate) struct PackArgs {
    /// Memories as JSONL, one object a line; the folder of a Generative Agents save; a pack, to pack it anew; or a
    /// Parquet file; `-` reads standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Folder to make
    #[arg(long, value_name = "DIR")]
    pub(crate) to: PathBuf,
    /// Number of shards: the pieces that workers take one by one [default: one for each 10 000 memories]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) shards: Option<u32>,
    /// Handling of a line that is no memory
    #[arg(long, value_enum, default_value = "stop")]
    pub(crate) on_bad_line: OnBadLine,
    /// Model of the vectors that come with the memories; without it such vectors are refused
    #[arg(long, value_name = "ID")]
    pub(crate) vector_model: Option<String>,
}
