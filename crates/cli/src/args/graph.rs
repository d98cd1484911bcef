//! What a drawing is for: `why --graph`.

use clap::ValueEnum;

/// What draws a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphFormat {
    /// For Graphviz: `dot -Tsvg`.
    Dot,
    /// For Mermaid, as in Markdown.
    Mermaid,
}
