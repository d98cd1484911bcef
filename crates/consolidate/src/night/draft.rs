//! The first step: a day in order, its repeats collapsed, its texts ready to be embedded.

use std::collections::BTreeMap;

use nightfold_memory::{Day, ModelId, Past, ValidConfig, Vector, Vectors};
use serde::{Deserialize, Serialize};

use super::{Frame, Triaged};
use crate::{ConsolidateError, collapse::collapse, gather::gather};

/// A day in order, waiting for the vectors of its distinct texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    frame: Frame,
    /// Vectors that came with the memories, by row.
    given: BTreeMap<usize, Vector>,
}

impl Draft {
    /// Takes an NPC's day and past. `model` names the embedder whose vectors will come.
    ///
    /// # Errors
    /// [`ConsolidateError`] when the day is too large, holds another NPC's memory, or the past was embedded by
    /// another model.
    pub fn begin(
        day: Day,
        past: Past,
        model: ModelId,
        config: &ValidConfig,
    ) -> Result<Self, ConsolidateError> {
        let most = config.input.max_memories;
        if day.memories.len() > most {
            return Err(ConsolidateError::TooManyMemories { given: day.memories.len(), most });
        }
        if let Some(stranger) = day.memories.iter().find(|m| m.npc != day.npc) {
            return Err(ConsolidateError::Stranger { npc: day.npc, other: stranger.npc.clone() });
        }
        if let Some(stored) = past.model.as_ref().filter(|&m| *m != model) {
            return Err(ConsolidateError::Model { stored: stored.clone(), given: model });
        }
        let mut gathered = gather(day.memories, &past);
        let told: Vec<_> = gathered.memories.iter().filter(|m| !m.is_blank()).collect();
        let (distinct, mixed) = collapse(&told, config);
        gathered.counts.mixed_importance = mixed;
        let most = config.cluster.max_distinct;
        if distinct.len() > most {
            return Err(ConsolidateError::TooManyDistinct { given: distinct.len(), most });
        }
        let mut given = BTreeMap::new();
        let rows: BTreeMap<_, _> = distinct.iter().enumerate().map(|(row, d)| (&d.id, row)).collect();
        for memory in &mut gathered.memories {
            // A plan carries the vectors of what it keeps; those of the day itself are not kept twice.
            if let Some(vector) = memory.vector.take()
                && let Some(&row) = rows.get(&memory.id)
            {
                given.insert(row, vector);
            }
        }
        let frame = Frame {
            npc: day.npc,
            night: day.night,
            until: day.until,
            model,
            config: config.clone(),
            past,
            memories: gathered.memories,
            sleep: day.sleep,
            distinct,
            counts: gathered.counts,
        };
        Ok(Self { frame, given })
    }

    /// The distinct texts that have no vector yet, in canonical order.
    pub fn texts(&self) -> Vec<&str> {
        let wanting = |(row, _): &(usize, _)| !self.given.contains_key(row);
        self.frame.distinct.iter().enumerate().filter(wanting).map(|(_, d)| d.text.as_str()).collect()
    }

    /// Notes how many of the texts the embedder read only the beginning of.
    pub fn note_truncated(&mut self, texts: usize) {
        self.frame.counts.truncated_texts = texts;
    }

    /// Finds the day's themes and decides what becomes of each memory. `vectors` are those of
    /// [`Draft::texts`], in that order.
    ///
    /// # Errors
    /// [`ConsolidateError`] when the vectors do not fit the texts or no themes can be found.
    pub fn triage(self, vectors: Vectors) -> Result<Triaged, ConsolidateError> {
        let expected = self.frame.distinct.len() - self.given.len();
        if vectors.len() != expected {
            return Err(ConsolidateError::Vectors {
                expected,
                given: vectors.len(),
                dimensions: vectors.dimensions(),
            });
        }
        let vectors = if self.given.is_empty() { vectors } else { self.with_given(&vectors)? };
        Triaged::new(self.frame, vectors)
    }

    fn with_given(&self, embedded: &Vectors) -> Result<Vectors, ConsolidateError> {
        let first_given = self.given.values().next().map_or(0, |v| v.as_slice().len());
        let dimensions = if embedded.is_empty() { first_given } else { embedded.dimensions() };
        let mut all = Vectors::with_capacity(dimensions, self.frame.distinct.len());
        let mut next = embedded.rows();
        for row in 0..self.frame.distinct.len() {
            match self.given.get(&row) {
                Some(vector) => all.push(vector.as_slice())?,
                None => all.push(next.next().unwrap_or_default())?,
            }
        }
        Ok(all)
    }
}
