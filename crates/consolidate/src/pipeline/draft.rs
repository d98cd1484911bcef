//! The first step: a day in canonical order, its repeats collapsed, its texts ready to be embedded.

use std::collections::BTreeMap;

use nightfold_memory::{
    Day, Grammar, LanguagePack, MemoryRecord, MemorySnapshot, ModelId, ValidConfig, Vector, Vectors,
};
use serde::{Deserialize, Serialize};

use super::{Analyses, Compared, NightContext, Triaged, Verdicts};
use crate::{
    ConsolidateError,
    budget::{fit_to_max_distinct, without_flood},
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
    /// Texts of the recalled faint entries without vectors, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    recalled_texts: Vec<String>,
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
        mut past: MemorySnapshot,
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
            if let Some(clock) = DayClock::of_most(times, past.last_night, config)
                && clock.until() != day.until
            {
                day.until = clock.until();
                day.night = day.until.night(config.day.turns_at);
            }
        }
        let strays = DayClock::at(day.until, config).take_strays(&mut day, &past);
        let npc_tags = day.take_npc_tags().unwrap_or_else(|| past.npc_tags.clone());
        let config = config.for_npc(&day.npc, &npc_tags);
        let mut gathered = canonicalize(day.memories, &past);
        let told: Vec<_> = gathered.memories.iter().filter(|m| !m.is_blank()).collect();
        let (distinct, mixed) = collapse(&told, &config, pack);
        gathered.counts.mixed_importance = mixed;
        let (distinct, mut left_out) = without_flood(distinct, config.cluster.flood, pack);
        gathered.counts.flood = left_out.len();
        let most = config.cluster.max_distinct;
        let (distinct, over_distinct) = fit_to_max_distinct(distinct, most, &day.npc, &config.salience);
        gathered.counts.over_distinct = over_distinct.len();
        left_out.extend(over_distinct);
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
        past.recalled.truncate(config.recall.faint_kept);
        let recalled_text = |MemoryRecord { entry, .. }: &MemoryRecord| {
            let normal = pack.normal_form(entry.kind, &entry.text, day.npc.as_str());
            normal.map_or_else(|| entry.text.clone(), |normal| normal.text().to_owned())
        };
        let without_vector = past.recalled.iter().filter(|record| record.entry.vector.is_none());
        let recalled_texts = without_vector.map(recalled_text).collect();
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
            restores: Vec::new(),
        };
        Ok(Self { frame, given, recalled_texts })
    }

    /// Returns the texts that have no vector yet: the distinct texts of the day in canonical order, and those of the faint
    /// entries that the night brings back ([`MemorySnapshot::recalled`]), each in its
    /// [normal form](LanguagePack::normal_form).
    pub fn texts(&self) -> Vec<&str> {
        let wanting = |(row, _): &(usize, _)| !self.given.contains_key(row);
        self.frame
            .distinct
            .iter()
            .enumerate()
            .filter(wanting)
            .map(|(row, d)| self.frame.normal_text(row, d))
            .chain(self.recalled_texts.iter().map(String::as_str))
            .collect()
    }

    /// Records the [texts](Draft::texts) of which the embedder read only the beginning.
    pub fn note_truncated(&mut self, truncated: &[bool]) {
        let of_day = truncated.iter().take(self.wanting());
        self.frame.counts.truncated_texts = of_day.filter(|cut| **cut).count();
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
    pub fn compare(
        mut self,
        vectors: Vectors,
        pack: &dyn LanguagePack,
    ) -> Result<Compared, ConsolidateError> {
        let expected = self.wanting() + self.recalled_texts.len();
        if vectors.len() != expected {
            return Err(ConsolidateError::Vectors {
                expected,
                given: vectors.len(),
                dimensions: vectors.dimensions(),
            });
        }
        let (of_day, of_recalled) = if self.recalled_texts.is_empty() {
            (vectors, Vec::new())
        } else {
            let of_recalled = (self.wanting()..vectors.len()).map(|row| vectors.vector(row)).collect();
            let rows: Vec<usize> = (0..self.wanting()).collect();
            (vectors.pick(&rows), of_recalled)
        };
        let vectors = if self.given.is_empty() { of_day } else { self.with_given(&of_day)? };
        self.frame.restore_recalled(of_recalled);
        Ok(Compared::new(self.frame, vectors, pack))
    }

    /// Returns the number of distinct texts of the day that have no vector yet.
    fn wanting(&self) -> usize {
        self.frame.distinct.len() - self.given.len()
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
