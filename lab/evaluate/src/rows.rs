//! Labelled texts with their vectors, for measuring clustering and cohesion.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{Embedder, EmbedderError, GameTime, Importance, Vectors};
use rand_xoshiro::{
    Xoshiro256Plus,
    rand_core::{RngCore, SeedableRng},
};

use crate::data::{LabelledDay, LabelledMemory, LabelledTexts};

/// Distinct texts of one day, or all texts of a data set; all fields are in the same order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LabelledRows {
    /// Theme of each text, given by people.
    pub themes: Vec<String>,
    /// `n × d` unit vectors.
    pub vectors: Vectors,
    /// Time of each text; the same for all if the data has no times.
    pub times: Vec<GameTime>,
    /// Importance of each text.
    pub importances: Vec<Importance>,
    /// Intensity of the emotion of each text, 0 to 1.
    pub intensities: Vec<f64>,
}

impl LabelledRows {
    /// Embeds a data set of single texts.
    ///
    /// # Errors
    /// [`EmbedderError`] if the model fails.
    pub fn of_texts(set: &LabelledTexts, embedder: &dyn Embedder) -> Result<Self, EmbedderError> {
        let texts: Vec<&str> = set.texts().collect();
        let n = texts.len();
        Ok(Self {
            themes: set.labels().map(str::to_owned).collect(),
            vectors: embedder.embed(&texts)?.vectors,
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
    pub fn of_days(days: &[LabelledDay], embedder: &dyn Embedder) -> Result<Vec<Self>, EmbedderError> {
        let of_day = |day: &LabelledDay| {
            let mut by_text: BTreeMap<&str, usize> = BTreeMap::new();
            let mut rows = Self::default();
            let mut texts = Vec::new();
            for LabelledMemory { memory, theme } in day.memories.iter().filter(|m| !m.memory.is_blank()) {
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
            Ok(rows)
        };
        days.iter().map(of_day).collect()
    }

    /// Returns the number of texts.
    pub fn len(&self) -> usize {
        self.themes.len()
    }

    /// True if there are no texts.
    pub fn is_empty(&self) -> bool {
        self.themes.is_empty()
    }

    /// Returns the number of different themes.
    pub fn distinct_themes(&self) -> usize {
        self.themes.iter().collect::<BTreeSet<_>>().len()
    }

    /// Draws artificial days of about `size` rows with a seed: every day is about a few themes, some more
    /// frequent than others, as on real days. Each theme contributes a share of `size` by its rank, so more
    /// themes give more rows.
    #[must_use]
    pub fn draw_days(&self, days: usize, size: usize, seed: u64) -> Vec<Self> {
        let mut draws = Xoshiro256Plus::seed_from_u64(seed);
        let mut below = |n: usize| (draws.next_u64() >> 33) as usize % n.max(1);
        let themes: Vec<&String> = self.themes.iter().collect::<BTreeSet<_>>().into_iter().collect();
        (0..days)
            .map(|_| {
                let mut left = themes.clone();
                let mut rows = BTreeSet::new();
                // Three to seven themes; the first one drawn gives most rows.
                for rank in 1..=(3 + below(5)).min(themes.len()) {
                    let theme = left.remove(below(left.len()));
                    let mut of_theme: Vec<usize> =
                        (0..self.len()).filter(|&i| self.themes[i] == *theme).collect();
                    for _ in 0..(size / (rank + 1)).max(2).min(of_theme.len()) {
                        rows.insert(of_theme.swap_remove(below(of_theme.len())));
                    }
                }
                self.pick(&rows.into_iter().collect::<Vec<_>>())
            })
            .collect()
    }

    fn pick(&self, rows: &[usize]) -> Self {
        Self {
            themes: rows.iter().map(|&i| self.themes[i].clone()).collect(),
            vectors: self.vectors.pick(rows),
            times: rows.iter().map(|&i| self.times[i]).collect(),
            importances: rows.iter().map(|&i| self.importances[i]).collect(),
            intensities: rows.iter().map(|&i| self.intensities[i]).collect(),
        }
    }
}
