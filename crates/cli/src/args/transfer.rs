//! Arguments of the commands that move a store elsewhere: `export`, `import`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use nightfold::memory::NpcId;

use super::store::WaitArgs;

#[derive(Debug, ClapArgs)]
pub(crate) struct Export {
    /// Store of long-term memory
    #[arg(long, value_name = "FILE")]
    pub(crate) store: PathBuf,
    /// Only this NPC
    #[arg(long, value_name = "NAME")]
    pub(crate) npc: Option<NpcId>,
    /// File to write; `-` is standard output. A name that ends in `.parquet` makes Parquet, any other lines
    /// of JSON
    #[arg(long, value_name = "FILE", visible_alias = "out")]
    pub(crate) to: PathBuf,
    /// Format, regardless of the file's name
    #[arg(long)]
    pub(crate) format: Option<TransferFormat>,
    /// Only the entries of long-term memory, in every state, as one flat table for other programs; `import`
    /// does not read it
    #[arg(long)]
    pub(crate) entries: bool,
}

impl Export {
    pub(crate) fn format(&self) -> TransferFormat {
        let by_name = || {
            let is_parquet = self.to.extension().is_some_and(|end| end.eq_ignore_ascii_case("parquet"));
            if is_parquet { TransferFormat::Parquet } else { TransferFormat::Jsonl }
        };
        self.format.unwrap_or_else(by_name)
    }
}

/// File format of an exported store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TransferFormat {
    /// JSON, one object a line
    Jsonl,
    /// Apache Parquet
    Parquet,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Import {
    /// File that `export` wrote, in either format; `-` reads lines from standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Store to make; one that exists must be empty
    #[arg(long, value_name = "FILE")]
    pub(crate) store: PathBuf,
    #[command(flatten)]
    pub(crate) wait: WaitArgs,
}
