//! Labelled texts with their vectors, for measuring clustering and cohesion.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_consolidate::{ClusterError, DayRows};
use nightfold_english::English;
use nightfold_memory::{Embedder, EmbedderError, GameTime, Importance, LanguagePack as _, Vectors};

use crate::data::{LabelledDay, LabelledTexts};

/// Distinct texts of one day, or all texts of a data set; all fields are in the same order.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct LabelledRows {
    /// Theme of each text, given by people.
    pub(crate) themes: Vec<String>,
    /// `n × d` unit vectors.
    pub(crate) vectors: Vectors,
    /// Different content words of each text, sorted.
    words: Vec<Vec<String>>,
    /// Time of each text; the same for all if the data has no times.
    pub(crate) times: Vec<GameTime>,
    /// Importance of each text.
    pub(crate) importances: Vec<Importance>,
    /// Intensity of the emotion of each text, 0 to 1.
    pub(crate) intensities: Vec<f64>,
}

impl LabelledRows {
    /// Embeds a data set of single texts.
    ///
    /// # Errors
    /// [`EmbedderError`] if the model fails.
    pub(crate) fn of_texts(set: &LabelledTexts, embedder: &dyn Embedder) -> Result<Self, EmbedderError> {
        let texts: Vec<&str> = set.items.iter().map(|item| item.text.as_str()).collect();
        let n = texts.len();
        Ok(Self {
            themes: set.items.iter().map(|item| item.label.clone()).collect(),
            vectors: embedder.embed(&texts)?.vectors,
            words: content_words(&texts),
            times: vec![GameTime::ZERO; n],
            importances: vec![Importance::DEFAULT; n],
            intensities: vec![0.0; n],
        })
    }

    /// Embeds the distinct texts of each day. Blank texts are left out; a repeated text is taken once, with
    /// its first theme and time and its highest importance and intensity.
    ///
    /// # Errors
    /// [`EmbedderError`] if the model fails.
    pub(crate) fn of_days(days: &[LabelledDay], embedder: &dyn Embedder) -> Result<Vec<Self>, EmbedderError> {
        let of_day = |day: &LabelledDay| {
            let mut by_text: BTreeMap<&str, usize> = BTreeMap::new();
            let mut rows = Self::default();
            let mut texts = Vec::new();
            for (memory, theme) in day.iter().filter(|(memory, _)| !memory.is_blank()) {
                let felt = memory.emotion.map_or(0.0, |e| f64::from(e.intensity));
                if let Some(&row) = by_text.get(memory.text.trim()) {
                    rows.importances[row] = rows.importances[row].max(memory.importance());
                    rows.intensities[row] = rows.intensities[row].max(felt);
                    continue;
                }
                by_text.insert(memory.text.trim(), texts.len());
                texts.push(memory.text.as_str());
                rows.themes.push(theme.clone());
                rows.times.push(memory.at);
                rows.importances.push(memory.importance());
                rows.intensities.push(felt);
            }
            rows.vectors = embedder.embed(&texts)?.vectors;
            rows.words = content_words(&texts);
            Ok(rows)
        };
        days.iter().map(of_day).collect()
    }

    /// Returns what `measure` makes of the rows.
    pub(crate) fn measured<T>(
        &self,
        measure: impl FnOnce(DayRows<'_>) -> Result<T, ClusterError>,
    ) -> Result<T, ClusterError> {
        let words: Vec<&[String]> = self.words.iter().map(Vec::as_slice).collect();
        measure(DayRows {
            vectors: &self.vectors,
            words: &words,
            times: &self.times,
            importances: &self.importances,
            intensities: &self.intensities,
        })
    }

    /// Returns the number of texts.
    pub(crate) fn len(&self) -> usize {
        self.themes.len()
    }

    /// Returns the number of different themes.
    pub(crate) fn distinct_themes(&self) -> usize {
        self.themes.iter().collect::<BTreeSet<_>>().len()
    }
}

fn content_words(texts: &[&str]) -> Vec<Vec<String>> {
    English.analyze_day(texts, &[]).into_iter().map(|analysis| analysis.content).collect()
}
