//! Questions to the NPCs of the project's own scenarios, with the facts that answer them.

use nightfold_memory::{MemoryId, NpcId};
use serde::{Deserialize, Serialize};

use super::{DataError, file::TextFile};

/// Kind of a question, by what answers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum QuestionKind {
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
    pub fn as_str(self) -> &'static str {
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
pub struct ScenarioQuestion {
    /// Name of the scenario's folder.
    pub story: String,
    /// NPC that is asked.
    pub npc: NpcId,
    /// Kind of the question.
    pub kind: QuestionKind,
    /// Question, in words.
    pub question: String,
    /// Ids of the memories that answer it, each by itself.
    pub answer: Vec<MemoryId>,
    /// Words in lower case that a text contains if and only if it answers the question.
    pub fact: Vec<String>,
    /// Ids of the memories that give an outdated answer.
    pub stale: Vec<MemoryId>,
}

impl ScenarioQuestion {
    /// True if a text answers the question.
    pub fn is_answered_by(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        !self.fact.is_empty() && self.fact.iter().all(|word| text.contains(word.as_str()))
    }
}

/// Parts of the questions: `dev`, looked at while recall was tuned, and `test`, which is not.
pub const QUESTION_SETS: [&str; 2] = ["dev", "test"];

const DEV: &str = include_str!("../../data/recall/dev.jsonl");
const TEST: &str = include_str!("../../data/recall/test.jsonl");

/// Returns the part of the questions called `set`.
///
/// # Errors
/// [`DataError`] for a line that is not a question.
pub fn scenario_questions(set: &str) -> Result<Vec<ScenarioQuestion>, DataError> {
    let text = if set == QUESTION_SETS[0] { DEV } else { TEST };
    Ok(TextFile::embedded(set, text).jsonl()?.into_iter().map(|(_, question)| question).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_questions_is_kept_for_test() {
        for set in QUESTION_SETS {
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
