//! Provenance as a graph for Graphviz or Mermaid. Texts in the graph may come from players, so no text may
//! end a label, begin markup, or steer a terminal.

use std::fmt::Write as _;

use nightfold::memory::{MemoryId, MemoryRecord, RecordKind, State};

use crate::terminal::{clean, shortened};

/// Meaning of an edge, from its subject to the other entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum GraphLink {
    DerivedFrom,
    StandsFor,
    SupersededBy,
    ContestedWith,
    EndedBy,
}

impl GraphLink {
    fn as_str(self) -> &'static str {
        match self {
            Self::DerivedFrom => "derived from",
            Self::StandsFor => "stands for",
            Self::SupersededBy => "superseded by",
            Self::ContestedWith => "contested with",
            Self::EndedBy => "ended in part by",
        }
    }
}

/// Node of the graph.
#[derive(Debug)]
pub(crate) enum GraphNode {
    Entry(Box<MemoryRecord>),
    /// Source that the store does not hold: the game knows it, or it was deleted for good.
    NotHere(MemoryId),
}

/// Provenance of an entry, and what was made of it.
#[derive(Debug)]
pub(crate) struct Graph {
    /// Nodes, the one that was asked about first.
    pub(crate) nodes: Vec<GraphNode>,
    /// Edges by indices of `nodes`, in order.
    pub(crate) edges: Vec<(usize, GraphLink, usize)>,
    /// Least number of entries that were left out.
    pub(crate) left: usize,
    /// Number of characters of a text that are shown.
    pub(crate) text: usize,
}

impl Graph {
    /// Returns the graph in DOT.
    pub(crate) fn dot(&self) -> String {
        let mut out = "digraph provenance {\n  rankdir=LR;\n  node [shape=box];\n".to_owned();
        for (n, node) in self.nodes.iter().enumerate() {
            let label: Vec<String> = self.lines(node).iter().map(|line| in_dot(line)).collect();
            let style = match (n, is_active(node)) {
                (0, true) => ", penwidth=3",
                (0, false) => ", penwidth=3, style=dashed",
                (_, true) => "",
                (_, false) => ", style=dashed",
            };
            // Writing to a String cannot fail, here and below.
            let _ = writeln!(out, "  n{n} [label=\"{}\"{style}];", label.join("\\n"));
        }
        for (from, link, to) in &self.edges {
            let _ = writeln!(out, "  n{from} -> n{to} [label=\"{}\"];", link.as_str());
        }
        if let Some(left) = self.left_out() {
            let _ = writeln!(out, "  left [label=\"{left}\", shape=plaintext];");
        }
        out.push_str("}\n");
        out
    }

    /// Returns the graph in Mermaid.
    pub(crate) fn mermaid(&self) -> String {
        let mut out = "flowchart LR\n".to_owned();
        for (n, node) in self.nodes.iter().enumerate() {
            let label: Vec<String> = self.lines(node).iter().map(|line| in_mermaid(line)).collect();
            let _ = writeln!(out, "  n{n}[\"{}\"]", label.join("<br/>"));
        }
        for (from, link, to) in &self.edges {
            let _ = writeln!(out, "  n{from} -->|{}| n{to}", link.as_str());
        }
        if let Some(left) = self.left_out() {
            let _ = writeln!(out, "  left[\"{left}\"]");
        }
        let archived: Vec<String> = (self.nodes.iter().enumerate())
            .filter(|(_, node)| !is_active(node))
            .map(|(n, _)| format!("n{n}"))
            .collect();
        if !archived.is_empty() {
            out.push_str("  classDef away stroke-dasharray:4\n");
            let _ = writeln!(out, "  class {} away", archived.join(","));
        }
        out.push_str("  style n0 stroke-width:3px\n");
        out
    }

    fn left_out(&self) -> Option<String> {
        (self.left > 0).then(|| format!("and {} more", self.left))
    }

    /// Returns the lines of a node.
    fn lines(&self, node: &GraphNode) -> Vec<String> {
        let memory = match node {
            GraphNode::Entry(memory) => memory,
            GraphNode::NotHere(id) => {
                return vec![clean(id.as_str()).into_owned(), "not in the store".to_owned()];
            }
        };
        let entry = &memory.entry;
        let text = if entry.text.trim().is_empty() { "(blank)" } else { entry.text.trim() };
        let shown = shortened(&clean(text), self.text + 1).into_owned();
        let form = match entry.form {
            RecordKind::Verbatim => String::new(),
            other => format!(", {}", other.as_str()),
        };
        let state = match (&memory.archived_by, memory.state) {
            (_, State::Active) => "active".to_owned(),
            (Some(rule), State::Archived) => format!("archived: {}", clean(rule)),
            (None, State::Archived) => "archived".to_owned(),
        };
        let about = format!("{}, importance {}{form}, {state}", entry.at, entry.importance.get());
        vec![shown, clean(entry.id.as_str()).into_owned(), about]
    }
}

fn is_active(node: &GraphNode) -> bool {
    matches!(node, GraphNode::Entry(memory) if memory.state == State::Active)
}

/// Escapes text for a quoted string of DOT: backslashes begin escapes there, and `&` begins an entity in
/// labels.
fn in_dot(text: &str) -> String {
    text.replace('&', "&amp;").replace('\\', "\\\\").replace('"', "\\\"")
}

/// Escapes text for a quoted label of Mermaid, which may hold HTML and Markdown: everything but letters,
/// digits and characters that cannot begin either is written as the number of its character.
fn in_mermaid(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    for c in text.chars() {
        let plain = match c {
            ' ' | ',' | ':' => true,
            // At the start of a line these would begin a list: "- ", "1. ".
            '.' => before.is_alphabetic(),
            '-' => before.is_alphanumeric(),
            c => c.is_alphanumeric(),
        };
        if plain {
            out.push(c);
        } else {
            let _ = write!(out, "#{};", u32::from(c));
        }
        before = c;
    }
    out
}
