//! What the commands take that carry a store elsewhere: `export`, `import`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use nightfold::memory::NpcId;

#[derive(Debug, ClapArgs)]
pub(crate) struct Export {
    /// Long-term memory
    #[arg(long, value_name = "FILE")]
    pub(crate) store: PathBuf,
    /// Only this NPC
    #[arg(long, value_name = "NAME")]
    pub(crate) npc: Option<NpcId>,
    /// Where it goes; `-` is standard output. A name that ends in `.parquet` makes Parquet of it, any other lines of JSON
    #[arg(long, value_name = "FILE", visible_alias = "out")]
    pub(crate) to: PathBuf,
    /// In which format, whatever the name
    #[arg(long)]
    pub(crate) format: Option<Format>,
    /// Only the entries of long-term memory, in every state, as one flat table for other programs; `import` does not read it
    #[arg(long)]
    pub(crate) entries: bool,
}

impl Export {
    pub(crate) fn format(&self) -> Format {
        let by_name = || {
            let is_parquet = self.to.extension().is_some_and(|end| end.eq_ignore_ascii_case("parquet"));
            if is_parquet { Format::Parquet } else { Format::Jsonl }
        };
        self.format.unwrap_or_else(by_name)
    }
}

/// How a store stands in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// JSON, one object a line
    Jsonl,
    /// Apache Parquet
    Parquet,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Import {
    /// What `export` wrote, in either format; `-` reads lines from standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The store to make; one that exists must be empty
    #[arg(long, value_name = "FILE")]
    pub(crate) store: PathBuf,
}
