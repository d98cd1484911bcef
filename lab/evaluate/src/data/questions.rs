//! Questions to the NPCs of the project's own scenarios, with the facts that answer them.

use anyhow::Result;
use nightfold_memory::{MemoryId, NpcId};
use serde::{Deserialize, Serialize};

use super::TextFile;

/// Kind of a question, by what answers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum QuestionKind {
    /// A small fact: the memory that states it has an importance of 5 or less.
    Detail,
    /// A memory of importance 6 or more.
    Important,
    /// The latest statement on something that changed.
    State,
    /// No memory of the NPC.
    Nothing,
}

impl QuestionKind {
    /// Returns the name of the kind.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Detail => "detail",
            Self::Important => "important",
            Self::State => "state",
            Self::Nothing => "nothing",
        }
    }
}

/// Question to an NPC after the last night of a scenario.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScenarioQuestion {
    /// Name of the scenario's folder.
    pub(crate) story: String,
    /// NPC that is asked.
    pub(crate) npc: NpcId,
    /// Kind of the question.
    pub(crate) kind: QuestionKind,
    /// Question, in words.
    pub(crate) question: String,
    /// Ids of the memories that answer it, each by itself.
    pub(crate) answer: Vec<MemoryId>,
    /// Words in lower case that a text contains if and only if it answers the question.
    pub(crate) fact: Vec<String>,
    /// Ids of the memories that give an outdated answer.
    pub(crate) stale: Vec<MemoryId>,
}

impl ScenarioQuestion {
    /// True if a text answers the question.
    pub(crate) fn is_answered_by(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        !self.fact.is_empty() && self.fact.iter().all(|word| text.contains(word.as_str()))
    }
}

/// Returns the part of the questions called `part`.
///
/// # Errors
/// A line is no question.
pub(crate) fn scenario_questions(part: &str) -> Result<Vec<ScenarioQuestion>> {
    let [dev, test] =
        [include_str!("../../data/recall/dev.jsonl"), include_str!("../../data/recall/test.jsonl")];
    TextFile::embedded(part, if part == "dev" { dev } else { test }).lines()
}

#[cfg(test)]
mod tests {
    use super::{super::PARTS, *};

    #[test]
    fn half_of_the_questions_is_kept_for_test() {
        for set in PARTS {
            let questions = scenario_questions(set).unwrap();
            assert_eq!(questions.iter().filter(|q| q.kind != QuestionKind::Nothing).count(), 60);
            for q in questions {
                let answered = q.kind != QuestionKind::Nothing;
                assert_eq!(
                    (!q.fact.is_empty(), !q.answer.is_empty()),
                    (answered, answered),
                    "{}",
                    q.question
                );
            }
        }
    }
}
