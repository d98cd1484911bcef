//! The third step: what is told and concluded has words, which wait for vectors.

use nightfold_memory::{LanguageReport, ReflectionKind, Vectors};
use serde::{Deserialize, Serialize};

use super::{Frame, Reconciling};
use crate::{ConsolidateError, triage::Triage};

/// The text of a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Telling {
    pub(super) group: usize,
    pub(super) text: String,
}

/// A reflection in words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Insight {
    pub(super) kind: ReflectionKind,
    pub(super) text: String,
    /// Distinct memories it rests on.
    pub(super) rows: Vec<usize>,
    pub(super) theme: usize,
}

/// A day that is told, waiting for the vectors of the new texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Synthesized {
    pub(super) frame: Frame,
    pub(super) vectors: Vectors,
    pub(super) triage: Triage,
    pub(super) token_shares: Vec<usize>,
    pub(super) slots: Vec<usize>,
    pub(super) tellings: Vec<Telling>,
    pub(super) insights: Vec<Insight>,
    pub(super) estimate: usize,
    pub(super) spent: usize,
    pub(super) language: Option<LanguageReport>,
}

impl Synthesized {
    /// The new texts: syntheses, then reflections.
    pub fn texts(&self) -> Vec<&str> {
        let tellings = self.tellings.iter().map(|t| t.text.as_str());
        tellings.chain(self.insights.iter().map(|i| i.text.as_str())).collect()
    }

    /// Holds what would be stored against long-term memory. `vectors` are those of [`Synthesized::texts`].
    ///
    /// # Errors
    /// [`ConsolidateError::Vectors`] when they do not fit the texts.
    pub fn reconcile(self, vectors: Vectors) -> Result<Reconciling, ConsolidateError> {
        let expected = self.tellings.len() + self.insights.len();
        let fits =
            expected == 0 || self.vectors.is_empty() || vectors.dimensions() == self.vectors.dimensions();
        if vectors.len() != expected || !fits {
            let (given, dimensions) = (vectors.len(), vectors.dimensions());
            return Err(ConsolidateError::Vectors { expected, given, dimensions });
        }
        Ok(Reconciling::new(self, vectors))
    }
}
