//! The first step: a day in canonical order, its repeats collapsed, its texts ready to be embedded.

use std::collections::BTreeMap;

use nightfold_memory::{Day, Grammar, LanguagePack, MemorySnapshot, ModelId, ValidConfig, Vector, Vectors};
use serde::{Deserialize, Serialize};

use super::{Analyses, Compared, NightContext, Triaged, Verdicts};
use crate::{
    ConsolidateError,
    budget::fit_to_max_distinct,
    canonical_day::{canonicalize, renaming_note},
    collapse::{DistinctMemory, collapse},
    day_clock::{self, DayClock},
};

/// A day in canonical order, waiting for the vectors of its distinct texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    frame: NightContext,
    /// Vectors that came with the memories, by row.
    given: BTreeMap<usize, Vector>,
}

impl Draft {
    /// Begins a night with an NPC's day and memory snapshot. `model` names the embedder of the vectors to
    /// come. `config` is that of all NPCs: the night takes its NPC's own from it
    /// ([`ValidConfig::for_npc`]), by the NPC's name and the tags that the day or else the snapshot states.
    ///
    /// Memories whose times are of another clock than the moment of sleep ([`DayClock`]) are set apart: the night does
    /// not sleep on them, counts them, and names them in a note.
    ///
    /// # Errors
    /// [`ConsolidateError`] if the day is too large, holds another NPC's memory, or the snapshot was embedded
    /// by another model.
    pub fn begin(
        mut day: Day,
        past: MemorySnapshot,
        model: ModelId,
        config: &ValidConfig,
        pack: &dyn LanguagePack,
    ) -> Result<Self, ConsolidateError> {
        let most = config.input.max_memories;
        if day.memories.len() > most {
            return Err(ConsolidateError::TooManyMemories { given: day.memories.len(), most });
        }
        if let Some(stranger) = day.memories.iter().find(|m| m.npc != day.npc) {
            return Err(ConsolidateError::ForeignMemory { npc: day.npc, other: stranger.npc.clone() });
        }
        if let Some(stored) = past.model.as_ref().filter(|&m| *m != model) {
            return Err(ConsolidateError::Model { stored: stored.clone(), given: model });
        }
        if day.until_last_memory {
            let times = day.memories.iter().map(|memory| memory.at);
            if let Some(clock) = DayClock::of_most(times, past.last_night(), config)
                && clock.until() != day.until
            {
                day.until = clock.until();
                day.night = day.until.night(config.day.turns_at);
            }
        }
        let strays = DayClock::at(day.until, config).take_strays(&mut day.memories, &past);
        let npc_tags = day.take_npc_tags().unwrap_or_else(|| past.npc_tags.clone());
        let config = config.for_npc(&day.npc, &npc_tags);
        let mut gathered = canonicalize(day.memories, &past);
        let told: Vec<_> = gathered.memories.iter().filter(|m| !m.is_blank()).collect();
        let (distinct, mixed) = collapse(&told, &config, pack);
        gathered.counts.mixed_importance = mixed;
        let most = config.cluster.max_distinct;
        let (distinct, left_out) = fit_to_max_distinct(distinct, most, &day.npc, &config.salience);
        gathered.counts.over_distinct = left_out.len();
        gathered.counts.stray_times = strays.len();
        let clock_note = (!strays.is_empty()).then(|| day_clock::note(&strays, &config));
        let mut given = BTreeMap::new();
        let rows: BTreeMap<_, _> = distinct.iter().enumerate().map(|(row, d)| (&d.id, row)).collect();
        for memory in &mut gathered.memories {
            // A plan carries the vectors of its entries; those of the day itself are not stored a second
            // time.
            if let Some(vector) = memory.vector.take()
                && let Some(&row) = rows.get(&memory.id)
            {
                given.insert(row, vector);
            }
        }
        let normal_form = |(row, d): (usize, &DistinctMemory)| {
            Some((row, pack.normal_form(d.kind, &d.text, day.npc.as_str())?))
        };
        let normal_forms = distinct.iter().enumerate().filter_map(normal_form).collect();
        let frame = NightContext {
            npc: day.npc,
            night: day.night,
            until: day.until,
            model,
            profile: config.profile().cloned(),
            config,
            npc_tags,
            past,
            memories: gathered.memories,
            sleep: day.sleep,
            distinct,
            left_out,
            clock_note,
            renaming_note: renaming_note(&gathered.renamed),
            counts: gathered.counts,
            normal_forms,
            grammars: BTreeMap::new(),
            analyses: Analyses::default(),
        };
        Ok(Self { frame, given })
    }

    /// Returns the texts that have no vector yet: the distinct texts of the day in canonical order, each in its
    /// [normal form](LanguagePack::normal_form).
    pub fn texts(&self) -> Vec<&str> {
        let wanting = |(row, _): &(usize, _)| !self.given.contains_key(row);
        self.frame
            .distinct
            .iter()
            .enumerate()
            .filter(wanting)
            .map(|(row, d)| self.frame.normal_text(row, d))
            .collect()
    }

    /// Records the [texts](Draft::texts) of which the embedder read only the beginning.
    pub fn note_truncated(&mut self, truncated: &[bool]) {
        self.frame.counts.truncated_texts = truncated.iter().filter(|cut| **cut).count();
    }

    /// Records the grammar of the [texts](Draft::texts), in that order, so that the language pack can name their
    /// topics. A memory that came with its vector has none.
    pub fn note_grammar(&mut self, grammar: Vec<Option<Grammar>>) {
        let embedded = (0..self.frame.distinct.len()).filter(|row| !self.given.contains_key(row));
        let of_text = |(row, grammar): (usize, Option<Grammar>)| {
            let grammar = grammar?;
            match self.frame.normal_forms.get(&row) {
                Some(normal) => Some((row, normal.source_grammar(&grammar)?)),
                None => Some((row, grammar)),
            }
        };
        self.frame.grammars = embedded.zip(grammar).filter_map(of_text).collect();
        self.frame.analyses = Analyses::default();
    }

    /// Clusters the day and decides the fate of each memory, with the rules as the judge. `vectors` are those
    /// of [`Draft::texts`], in that order.
    ///
    /// # Errors
    /// [`ConsolidateError`] if the vectors do not fit the texts or the day cannot be clustered.
    pub fn triage(self, vectors: Vectors, pack: &dyn LanguagePack) -> Result<Triaged, ConsolidateError> {
        self.compare(vectors, pack)?.triage(Verdicts::default(), pack)
    }

    /// Pairs the statements of the day with those that they may repeat or contradict. `vectors` are those of
    /// [`Draft::texts`], in that order.
    ///
    /// # Errors
    /// [`ConsolidateError::Vectors`] if they do not fit the texts.
    pub fn compare(self, vectors: Vectors, pack: &dyn LanguagePack) -> Result<Compared, ConsolidateError> {
        let expected = self.frame.distinct.len() - self.given.len();
        if vectors.len() != expected {
            return Err(ConsolidateError::Vectors {
                expected,
                given: vectors.len(),
                dimensions: vectors.dimensions(),
            });
        }
        let vectors = if self.given.is_empty() { vectors } else { self.with_given(&vectors)? };
        Ok(Compared::new(self.frame, vectors, pack))
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
