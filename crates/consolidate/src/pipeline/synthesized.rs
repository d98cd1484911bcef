//! The fourth step: syntheses and reflections have texts, which wait for vectors.

use nightfold_memory::{
    Conclusion, LanguageReport, MemoryId, ReflectionKind, Vector, Vectors, WordedReflection,
    text::contains_words,
};
use serde::{Deserialize, Serialize};

use super::{NightContext, verdicts::JudgingOutcome};
use crate::{synthesize::AcceptedReflection, themes::mean_direction, triage::Triage};

/// Synthesis of a group of memories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Synthesis {
    pub(super) group: usize,
    pub(super) text: String,
}

/// Text of a reflection, with the memories it rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct DerivedReflection {
    pub(super) kind: ReflectionKind,
    pub(super) text: String,
    /// Whom or what it is about; empty if that has no name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) subject: String,
    /// Distinct memories it rests on.
    pub(super) rows: Vec<usize>,
    /// Entries of earlier nights it rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) earlier: Vec<MemoryId>,
    pub(super) grounds: ReflectionGrounds,
}

impl DerivedReflection {
    /// Returns a reflection on a cluster with a name.
    pub(super) fn of_theme(drawn: WordedReflection, theme: usize, subject: String) -> Self {
        let WordedReflection { kind, text, rows } = drawn;
        Self { kind, text, subject, rows, earlier: Vec::new(), grounds: ReflectionGrounds::Theme(theme) }
    }

    /// Returns a reflection of a language model on a cluster with a name.
    pub(super) fn said(accepted: AcceptedReflection, theme: usize, subject: String) -> Self {
        Self { earlier: accepted.earlier, ..Self::of_theme(accepted.drawn, theme, subject) }
    }

    /// Returns a conclusion that also rests on these entries of earlier nights.
    pub(super) fn concluded(drawn: Conclusion, earlier: Vec<MemoryId>) -> Self {
        let Conclusion { kind, form, text, subject, rows, occasions, of, .. } = drawn;
        let grounds = ReflectionGrounds::Counted { form: form.to_owned(), occasions, of };
        Self { kind, text, subject, rows, earlier, grounds }
    }
}

/// Grounds of a reflection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum ReflectionGrounds {
    /// Cluster that it is drawn from.
    Theme(usize),
    /// Count of what supports a conclusion.
    Counted { form: String, occasions: usize, of: usize },
}

/// A synthesized day, waiting for the vectors of the new texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Synthesized {
    pub(super) frame: NightContext,
    pub(super) vectors: Vectors,
    pub(super) triage: Triage,
    pub(super) token_shares: Vec<usize>,
    pub(super) slots: Vec<usize>,
    pub(super) syntheses: Vec<Synthesis>,
    pub(super) insights: Vec<DerivedReflection>,
    pub(super) estimate: usize,
    pub(super) spent: usize,
    pub(super) language: Option<LanguageReport>,
    pub(super) judged: JudgingOutcome,
}

impl Synthesized {
    /// Returns the new texts that need vectors: the reflections. A synthesis gets the mean vector of its
    /// memories.
    pub fn texts(&self) -> Vec<&str> {
        self.insights.iter().map(|insight| insight.text.as_str()).collect()
    }

    /// Returns the rows of the memories that a synthesis covers.
    pub(super) fn members(&self, synthesis: usize) -> &[usize] {
        &self.triage.groups[self.syntheses[synthesis].group].members
    }

    /// True if nothing that must be kept is lost when `text` stands for these memories: it contains the words
    /// of each one that is pinned, important, or changes a belief.
    pub(super) fn is_lossless(&self, rows: &[usize], text: &str) -> bool {
        let important = self.frame.config.triage.important;
        rows.iter().all(|row| {
            let memory = &self.frame.distinct[*row];
            let must_keep = memory.pinned
                || memory.importance.get() >= important
                || self.judged.revision.required.contains(row);
            !must_keep || contains_words(text, &memory.text)
        })
    }

    /// Returns the direction of the mean vector of a group's memories, or the vector of the first memory if
    /// the mean has no direction.
    ///
    /// An embedder makes one vector of many short statements in which each is hard to find, and it reads no
    /// more than their first 256 tokens. With the mean, later questions find as much, and no embedding is
    /// needed.
    pub(super) fn mean_vector(&self, synthesis: &Synthesis) -> Vector {
        let members = &self.triage.groups[synthesis.group].members;
        mean_direction(members.iter().map(|&row| self.vectors.row(row)))
            .unwrap_or_else(|| self.vectors.vector(members[0]))
    }
}
