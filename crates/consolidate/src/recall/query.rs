//! Questions.

use std::collections::BTreeSet;

use nightfold_memory::LanguagePack;

use super::RecallFilter;

/// A question to an NPC's memory: its vector, its content words, whether it asks how things are now, and which entries
/// may answer it.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallQuery {
    pub(super) vector: Vec<f32>,
    pub(super) stems: BTreeSet<String>,
    pub(super) about_present: bool,
    /// True if it asks about the present in any way: what has ended is left out.
    pub(super) is_in_present: bool,
    pub(super) filter: RecallFilter,
}

impl RecallQuery {
    /// Creates the query of a question. `vector` is its embedding, by the model of the entries; `pack` reads its
    /// words and is the one of the index.
    pub fn new(question: &str, vector: &[f32], pack: &dyn LanguagePack) -> Self {
        let mut stems = BTreeSet::new();
        pack.content_stems(question, &mut |stem| {
            stems.insert(stem.to_owned());
        });
        Self {
            vector: vector.to_vec(),
            stems,
            about_present: pack.asks_about_present(question),
            is_in_present: pack.asks_about_present(question) || pack.is_in_present(question),
            filter: RecallFilter::default(),
        }
    }

    /// Lets only the entries that pass the filter answer.
    #[must_use]
    pub fn with_filter(self, filter: RecallFilter) -> Self {
        Self { filter, ..self }
    }
}
