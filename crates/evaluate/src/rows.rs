//! Labelled texts with their vectors: what clustering and cohesion are measured on.

use std::collections::{BTreeMap, BTreeSet};

use nightfold_memory::{Embedder, EmbedderError, GameTime, Importance, Vectors};
use rand_xoshiro::{
    Xoshiro256Plus,
    rand_core::{RngCore, SeedableRng},
};

use crate::data::{LabelledDay, LabelledMemory, LabelledTexts};

/// The distinct texts of one day, or all texts of a data set, in one order everywhere.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LabelledRows {
    /// What people say each is about.
    pub themes: Vec<String>,
    /// `n × d` unit vectors.
    pub vectors: Vectors,
    /// When each was; the same for all where the data does not say.
    pub times: Vec<GameTime>,
    /// How important each is.
    pub importances: Vec<Importance>,
    /// How intense each was felt, 0 to 1.
    pub intensities: Vec<f64>,
}

impl LabelledRows {
    /// Embeds a data set of single texts.
    ///
    /// # Errors
    /// [`EmbedderError`] when the model fails.
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

    /// Embeds the distinct texts of each day: blanks left out; a repeated text once, with the theme and the time it came
    /// with first and the highest importance and intensity.
    ///
    /// # Errors
    /// [`EmbedderError`] when the model fails.
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

    /// How many there are.
    pub fn len(&self) -> usize {
        self.themes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.themes.is_empty()
    }

    /// How many different themes people see in them.
    pub fn distinct_themes(&self) -> usize {
        self.themes.iter().collect::<BTreeSet<_>>().len()
    }

    /// Made-up days of about `size` rows, drawn with a seed: every day is about a few themes only, some of them more
    /// than others, as real days are. The more themes, the more rows: each gives a share of `size` by its rank.
    #[must_use]
    pub fn draw_days(&self, days: usize, size: usize, seed: u64) -> Vec<Self> {
        let mut draws = Xoshiro256Plus::seed_from_u64(seed);
        let mut below = |n: usize| (draws.next_u64() >> 33) as usize % n.max(1);
        let themes: Vec<&String> = self.themes.iter().collect::<BTreeSet<_>>().into_iter().collect();
        (0..days)
            .map(|_| {
                let mut left = themes.clone();
                let mut rows = BTreeSet::new();
                // Three to seven themes; of those chosen the first gives most rows.
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
