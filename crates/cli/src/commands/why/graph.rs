//! Provenance of an entry as a graph for Graphviz. Texts may come from players, so none may end a label or steer a terminal.

use std::{collections::BTreeSet, fmt::Write as _};

use nightfold::memory::{MemoryId, State};

use super::EntryHistory;
use crate::{
    error::CliError,
    show::entry_title,
    terminal::{clean, shortened},
};

/// Most steps from the entry, in each direction.
const DEPTH: usize = 6;

/// Most entries, counting the first.
const ENTRIES: usize = 150;

/// Most characters of a text.
const TEXT: usize = 100;

/// Edge from its subject to the other entry, with its meaning between them.
type Edge = (MemoryId, &'static str, MemoryId);

impl EntryHistory<'_> {
    /// Returns in DOT where the entry comes from and what became of it.
    pub(super) fn dot(&self) -> Result<String, CliError> {
        let (mut nodes, mut edges) = (vec![self.memory.entry.id.clone()], BTreeSet::new());
        let mut left = BTreeSet::new();
        // Sources take half of the room, so that they leave some for what was made of the entry.
        for (is_backward, most) in [(true, ENTRIES / 2), (false, ENTRIES)] {
            let mut level = vec![nodes[0].clone()];
            for depth in 0..=DEPTH {
                let mut next = Vec::new();
                for at in level {
                    for edge in if is_backward { self.backward(&at)? } else { self.forward(&at)? } {
                        let other = if edge.0 == at { &edge.2 } else { &edge.0 };
                        if !nodes.contains(other) {
                            if depth == DEPTH || nodes.len() >= most {
                                left.insert(other.clone());
                                continue;
                            }
                            nodes.push(other.clone());
                            next.push(other.clone());
                        }
                        edges.insert(edge);
                    }
                }
                level = next;
            }
        }
        left.retain(|id| !nodes.contains(id));
        Ok(self.render(&nodes, &edges, left.len()))
    }

    /// Returns the edges to the sources of an entry, and to those that it replaced, ended or contests.
    fn backward(&self, at: &MemoryId) -> Result<Vec<Edge>, CliError> {
        let sources = self.store.sources(&self.npc, at)?;
        let mut edges: Vec<Edge> =
            sources.iter().map(|source| (at.clone(), "made from", source.clone())).collect();
        for memory in self.known.values() {
            let id = &memory.entry.id;
            if memory.superseded_by.as_ref() == Some(at) && !sources.contains(id) {
                edges.push((id.clone(), "superseded by", at.clone()));
            }
            if memory.ended.iter().any(|position| position.by == *at) {
                edges.push((id.clone(), "ended in part by", at.clone()));
            }
            if memory.contested_with.contains(at) {
                // Both sides say so; it is drawn once.
                edges.push((at.min(id).clone(), "contested with", at.max(id).clone()));
            }
        }
        Ok(edges)
    }

    /// Returns the edges to what was made of an entry, and to what replaced it or ended a part of it.
    fn forward(&self, at: &MemoryId) -> Result<Vec<Edge>, CliError> {
        let made = self.store.derived(&self.npc, at)?;
        let mut edges: Vec<Edge> = made.iter().map(|made| (made.clone(), "made from", at.clone())).collect();
        if let Some(memory) = self.known.get(at) {
            let by = memory.superseded_by.iter().filter(|by| !made.contains(by));
            edges.extend(by.map(|by| (at.clone(), "superseded by", by.clone())));
            edges.extend(
                memory.ended.iter().map(|position| (at.clone(), "ended in part by", position.by.clone())),
            );
        }
        Ok(edges)
    }

    fn render(&self, nodes: &[MemoryId], edges: &BTreeSet<Edge>, left: usize) -> String {
        let mut out = "digraph provenance {\n  rankdir=LR;\n  node [shape=box];\n".to_owned();
        for (n, id) in nodes.iter().enumerate() {
            let (text, about, is_active) = match self.known.get(id) {
                Some(memory) => (
                    shortened(&clean(memory.entry.text.trim()), TEXT + 1).into_owned(),
                    entry_title(memory),
                    memory.state == State::Active,
                ),
                // The game knows it, or it was deleted for good.
                None => (clean(id.as_str()).into_owned(), "not in the store".to_owned(), false),
            };
            let width = if n == 0 { ", penwidth=3" } else { "" };
            let dashes = if is_active { "" } else { ", style=dashed" };
            // Writing to a String cannot fail, here and below.
            let _ =
                writeln!(out, "  n{n} [label=\"{}\\n{}\"{width}{dashes}];", in_dot(&text), in_dot(&about));
        }
        let place = |id| nodes.iter().position(|node| node == id).unwrap_or_default();
        for (from, link, to) in edges {
            let _ = writeln!(out, "  n{} -> n{} [label=\"{link}\"];", place(from), place(to));
        }
        if left > 0 {
            let _ = writeln!(out, "  left [label=\"and {left} more\", shape=plaintext];");
        }
        out + "}\n"
    }
}

/// Escapes text for a quoted string of DOT: backslashes begin escapes there, and `&` begins an entity in labels.
fn in_dot(text: &str) -> String {
    clean(text).replace('&', "&amp;").replace('\\', "\\\\").replace('"', "\\\"")
}
