//! Provenance of an entry, and what was made of it, as a graph.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use nightfold::memory::{LogFilter, MemoryId, MemoryReader, MemoryRecord, NpcId, config::GraphConfig};

use crate::{
    error::CliError,
    show::{Graph, GraphLink, GraphNode},
};

/// Records of an NPC with the store that connects them.
pub(crate) struct Provenance<'a> {
    pub(crate) store: &'a dyn MemoryReader,
    pub(crate) npc: &'a NpcId,
    pub(crate) known: &'a BTreeMap<MemoryId, MemoryRecord>,
}

/// Direction of a walk from the entry that was asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Backward,
    Forward,
}

/// Entries that changed by the id of another one.
type Causes<'a> = BTreeMap<&'a MemoryId, BTreeSet<&'a MemoryId>>;

impl Provenance<'_> {
    /// Walks both ways from an entry, the closest first, no further than `bounds` allow.
    pub(crate) fn graph(&self, id: &MemoryId, bounds: &GraphConfig) -> Result<Graph, CliError> {
        let (mut replaced, mut ended) = (Causes::new(), Causes::new());
        for memory in self.known.values() {
            if let Some(by) = &memory.superseded_by {
                replaced.entry(by).or_default().insert(&memory.entry.id);
            }
            for position in &memory.ended {
                ended.entry(&position.by).or_default().insert(&memory.entry.id);
            }
        }
        let mut places = BTreeMap::from([(id.clone(), 0)]);
        let mut order = vec![id.clone()];
        let (mut links, mut left) = (BTreeSet::new(), BTreeSet::new());
        // Both ways step by step in turn, so that a wide one leaves room for the other.
        let mut open =
            VecDeque::from([(id.clone(), Direction::Backward, 0), (id.clone(), Direction::Forward, 0)]);
        let mut walked = BTreeSet::new();
        while let Some((at, way, depth)) = open.pop_front() {
            if !walked.insert((at.clone(), way == Direction::Backward)) {
                continue;
            }
            for (from, link, to) in self.links(&at, way, &replaced, &ended)? {
                let other = if from == at { &to } else { &from };
                if !places.contains_key(other) {
                    if depth == bounds.depth || order.len() == bounds.entries {
                        left.insert(other.clone());
                        continue;
                    }
                    places.insert(other.clone(), order.len());
                    order.push(other.clone());
                }
                open.push_back((other.clone(), way, depth + 1));
                links.insert((places[&from], link, places[&to]));
            }
        }
        left.retain(|id| !places.contains_key(id));
        let node = |id: &MemoryId| match self.known.get(id) {
            Some(memory) => GraphNode::Entry(Box::new(memory.clone())),
            None => GraphNode::NotHere(id.clone()),
        };
        let nodes = order.iter().map(node).collect();
        Ok(Graph { nodes, edges: links.into_iter().collect(), left: left.len(), text: bounds.text })
    }

    /// Returns all links of an entry in one direction, each from its subject.
    fn links(
        &self,
        at: &MemoryId,
        way: Direction,
        replaced: &Causes<'_>,
        ended: &Causes<'_>,
    ) -> Result<Vec<(MemoryId, GraphLink, MemoryId)>, CliError> {
        let mut links = Vec::new();
        let mut derived = |derived: &MemoryId, source: &MemoryId| -> Result<(), CliError> {
            let link =
                if self.stands_for(derived, source)? { GraphLink::StandsFor } else { GraphLink::DerivedFrom };
            links.push((derived.clone(), link, source.clone()));
            Ok(())
        };
        match way {
            Direction::Backward => {
                let sources = self.store.sources(self.npc, at)?;
                sources.iter().try_for_each(|source| derived(at, source))?;
                let contested = self.known.get(at).map_or(&[][..], |memory| &memory.contested_with);
                for other in contested {
                    // Both sides say so; it is drawn once.
                    links.push((at.min(other).clone(), GraphLink::ContestedWith, at.max(other).clone()));
                }
                for old in replaced.get(at).into_iter().flatten() {
                    if !sources.contains(old) {
                        links.push(((*old).clone(), GraphLink::SupersededBy, at.clone()));
                    }
                }
                for old in ended.get(at).into_iter().flatten() {
                    links.push(((*old).clone(), GraphLink::EndedBy, at.clone()));
                }
            }
            Direction::Forward => {
                let made = self.store.derived(self.npc, at)?;
                made.iter().try_for_each(|made| derived(made, at))?;
                let by = self.known.get(at).and_then(|memory| memory.superseded_by.as_ref());
                if let Some(by) = by.filter(|by| !made.contains(by)) {
                    links.push((at.clone(), GraphLink::SupersededBy, by.clone()));
                }
                for position in self.known.get(at).map_or(&[][..], |memory| &memory.ended) {
                    links.push((at.clone(), GraphLink::EndedBy, position.by.clone()));
                }
            }
        }
        Ok(links)
    }

    /// True if `canonical` was kept in the place of `id` when repeats were collapsed. A synthesis has the
    /// same edge to its sources, and may itself have become canonical for other entries later: the log
    /// records the night of each collapse.
    fn stands_for(&self, canonical: &MemoryId, id: &MemoryId) -> Result<bool, CliError> {
        let Some(memory) = self.known.get(id) else { return Ok(false) };
        let named = memory.superseded_by.as_ref() == Some(canonical);
        let log = self.store.log(self.npc, LogFilter::Entry(canonical))?;
        Ok(log.iter().any(|line| line.verb == "collapse" && (named || line.night == memory.night)))
    }
}
