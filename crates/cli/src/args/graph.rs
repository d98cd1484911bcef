//! Formats of `why --graph`.

use clap::ValueEnum;

/// Language that a graph is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphFormat {
    /// DOT of Graphviz: `dot -Tsvg`
    Dot,
    /// Mermaid, as in Markdown
    Mermaid,
}
