//! Salience of a memory by itself, before its cluster is known: one measure, in points of importance, by which triage
//! ranks memories, and whose result entries of unrated memories carry as their importance, by which forgetting and recall go.
//!
//! If the game rates the importance of a memory, that is what its salience rests on ([`calibration`] compares it with
//! the NPC's own ratings, if that is wanted). Otherwise its text decides ([`from_text`]). To this come what the night knows
//! beside the text: emotion, surprise ([`surprise`]), meaning and repetition, together no more than
//! [`SalienceConfig::MAX_ADDED`](nightfold_memory::config::SalienceConfig::MAX_ADDED), and last what the designer
//! gives for people, kinds and tags.

mod calibration;
mod from_text;
mod learned;
mod reason_values;
mod surprise;

use std::collections::BTreeMap;

use nightfold_memory::{
    Analysis, Kind, LanguagePack, Meaning, MemorySnapshot, ModelId, NormalForm, Vectors,
    config::SalienceConfig,
};
use serde::{Deserialize, Serialize};

pub(crate) use self::learned::FeelingReader;
use self::{calibration::Calibration, from_text::TextReader, surprise::surprises};
use crate::{collapse::DistinctMemory, gram::Gram};

/// Salience of a memory with the parts that it is made of, in points of importance.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Salience {
    /// Importance that the game gave; `None` if it gave none, and the text decides.
    pub rated: Option<f64>,
    /// Importance after comparing it with the NPC's own ratings, if `salience.calibrate` is set.
    pub calibrated: Option<f64>,
    /// Content of the text of an unrated memory: its information, the learned reading and its opening, weighed.
    pub told: Option<f64>,
    /// Information in the words of an unrated memory, 0 to 10.
    pub information: Option<f64>,
    /// Importance of an unrated memory that a learned head reads from its vector, 1 to 10; `None` for vectors of a
    /// model without a head.
    pub learned: Option<f64>,
    /// Points of unrated talk that opens a subject: the talk after it is about it, the talk before it was not.
    pub opening: f64,
    /// Points for the intensity of its emotion.
    pub emotion: f64,
    /// Points of a rated memory for being unlike the rest of the day and what is known.
    pub surprise: f64,
    /// Points for its meanings.
    pub meaning: f64,
    /// Points of talk that was repeated word for word.
    pub repetition: f64,
    /// Points for who takes part.
    pub actors: f64,
    /// Points for its kind.
    pub kind: f64,
    /// Points for its tags.
    pub tags: f64,
    /// Matters that it is about.
    pub meanings: Vec<Meaning>,
    /// The salience itself.
    pub total: f64,
}

impl Salience {
    /// Returns the part that the others are added to: the importance, or what the text tells.
    fn base(&self) -> f64 {
        self.calibrated.or(self.rated).or(self.told).unwrap_or(0.0)
    }

    /// Adds the points for what the game says of a memory beside its importance: emotion, people, kind and tags.
    fn with_labels(self, memory: &DistinctMemory, config: &SalienceConfig) -> Self {
        let strongest = |points: &mut dyn Iterator<Item = f64>| {
            points.fold(0.0, |most: f64, points| if points.abs() > most.abs() { points } else { most })
        };
        Self {
            emotion: memory.emotion.map_or(0.0, |felt| config.emotion * f64::from(felt.intensity)),
            actors: strongest(&mut memory.actors.iter().filter_map(|name| config.actors.get(name)).copied()),
            kind: config.kinds.get(&memory.kind).copied().unwrap_or(0.0),
            tags: strongest(&mut memory.tags.iter().filter_map(|tag| config.tags.get(tag)).copied()),
            ..self
        }
    }

    /// Returns the salience with the sum of its parts.
    fn summed(self) -> Self {
        let added = self.emotion + self.surprise + self.meaning + self.repetition;
        let weights = self.actors + self.kind + self.tags;
        let total = (self.base() + added.min(SalienceConfig::MAX_ADDED) + weights).max(0.0);
        Self { total, ..self }
    }
}

/// A day whose saliences are measured.
pub(crate) struct SalienceMeter<'a> {
    pub(crate) distinct: &'a [DistinctMemory],
    /// Normal forms of the memories, by row; a memory without one is its own.
    pub(crate) normal_forms: &'a BTreeMap<usize, NormalForm>,
    pub(crate) analyses: &'a [Analysis],
    /// Vectors of the memories, by `model`.
    pub(crate) vectors: &'a Vectors,
    pub(crate) gram: &'a Gram,
    pub(crate) model: &'a ModelId,
    pub(crate) past: &'a MemorySnapshot,
    pub(crate) config: &'a SalienceConfig,
    pub(crate) pack: &'a dyn LanguagePack,
}

impl SalienceMeter<'_> {
    /// Returns the salience of each memory of the day.
    pub(crate) fn saliences(&self) -> Vec<Salience> {
        let texts = TextReader::new(self);
        let calibration = self.config.calibrate.then(|| Calibration::of(self.distinct, self.past));
        let surprises = surprises(self.distinct, self.vectors, self.gram, self.past);
        let salience = |row: usize| {
            let base = if self.distinct[row].given {
                let importance = self.distinct[row].importance;
                Salience {
                    rated: Some(f64::from(importance.get())),
                    calibrated: calibration.as_ref().map(|known| known.calibrated(importance)),
                    surprise: self.config.surprise * surprises[row],
                    ..Salience::default()
                }
            } else {
                texts.told(row)
            };
            self.with_circumstances(row, base).summed()
        };
        (0..self.distinct.len()).map(salience).collect()
    }

    /// Adds what is known beside the text and its importance.
    fn with_circumstances(&self, row: usize, mut salience: Salience) -> Salience {
        let (memory, config) = (&self.distinct[row], self.config);
        // A status line counts the dead of every day; it tells of no harm that is new.
        let meanings =
            if memory.kind == Kind::Status { Vec::new() } else { self.pack.meanings(&memory.text) };
        let repeats = if memory.kind == Kind::Chat { memory.repeats.len() } else { 0 };
        salience.meaning = if meanings.is_empty() { 0.0 } else { config.meaning };
        salience.repetition = config.repetition * repeats as f64 / (1.0 + repeats as f64);
        salience.meanings = meanings;
        salience.with_labels(memory, config)
    }
}

/// Returns the salience of a memory as far as the game gives it: its importance (5 if it has none), emotion, and the
/// points for people, kind and tags. Nothing of it depends on the text, which somebody else may have written.
pub(crate) fn salience_by_game(memory: &DistinctMemory, config: &SalienceConfig) -> f64 {
    let rated = Some(f64::from(memory.importance.get()));
    Salience { rated, ..Salience::default() }.with_labels(memory, config).summed().total
}

/// True if a memory is chat without an importance.
pub(crate) fn is_unrated_talk(memory: &DistinctMemory) -> bool {
    memory.kind == Kind::Chat && !memory.given
}

#[cfg(test)]
mod tests;
