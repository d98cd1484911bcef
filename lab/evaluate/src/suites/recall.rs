//! Recall of the facts that answer questions to NPCs.

use std::collections::BTreeMap;

use nightfold_memory::MemoryId;
use serde::Serialize;

use super::CorrectCount;
use crate::data::{QuestionKind, ScenarioQuestion};

/// Number of recalled texts among which the answer must be.
pub const ANSWER_WITHIN: usize = 3;

/// Text that came to an NPC's mind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecalledText {
    /// Id of the entry or memory.
    pub id: MemoryId,
    /// Text that is read.
    pub text: String,
}

/// Question that was not answered.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WrongRecall {
    /// Kind of the question.
    pub kind: QuestionKind,
    /// Question, in words.
    pub question: String,
    /// Words of the fact that answers it.
    pub fact: Vec<String>,
    /// The first recalled texts.
    pub recalled: Vec<RecalledText>,
}

/// Result of a set of questions.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecallScore {
    /// Questions answered among the first [`ANSWER_WITHIN`] texts, by kind. A question of kind
    /// [`QuestionKind::Nothing`] is answered if nothing is recalled.
    pub right: BTreeMap<QuestionKind, CorrectCount>,
    /// Number of questions with an outdated answer among the first [`ANSWER_WITHIN`] texts and before the right one.
    pub stale_first: usize,
    /// Questions that were not answered.
    pub wrong: Vec<WrongRecall>,
}

impl RecallScore {
    /// Returns the count of all questions that have an answer.
    pub fn answerable(&self) -> CorrectCount {
        let answerable = self.right.iter().filter(|(kind, _)| **kind != QuestionKind::Nothing);
        answerable.fold(CorrectCount::default(), |sum, (_, count)| CorrectCount {
            right: sum.right + count.right,
            all: sum.all + count.all,
        })
    }
}

/// Asks each question by `ask`, which returns the recalled texts, best first, and counts the answers.
///
/// # Errors
/// Any error of `ask`.
pub fn recall<E>(
    questions: &[ScenarioQuestion],
    mut ask: impl FnMut(&ScenarioQuestion) -> Result<Vec<RecalledText>, E>,
) -> Result<RecallScore, E> {
    let mut score = RecallScore::default();
    for question in questions {
        let mut recalled = ask(question)?;
        recalled.truncate(ANSWER_WITHIN);
        let answer = recalled.iter().position(|found| question.is_answered_by(&found.text));
        let stale = recalled
            .iter()
            .position(|found| question.stale.contains(&found.id) && !question.is_answered_by(&found.text));
        score.stale_first +=
            usize::from(stale.is_some_and(|stale| answer.is_none_or(|answer| stale < answer)));
        let right = match question.kind {
            QuestionKind::Nothing => recalled.is_empty(),
            _ => answer.is_some(),
        };
        let count = score.right.entry(question.kind).or_default();
        count.all += 1;
        count.right += usize::from(right);
        if !right {
            score.wrong.push(WrongRecall {
                kind: question.kind,
                question: question.question.clone(),
                fact: question.fact.clone(),
                recalled,
            });
        }
    }
    Ok(score)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn question(kind: &str, fact: &[&str], stale: &[&str]) -> ScenarioQuestion {
        serde_json::from_value(json!({
            "story": "s", "npc": "Mara", "kind": kind, "question": "?", "answer": [], "fact": fact, "stale": stale
        }))
        .unwrap()
    }

    fn found(texts: &[(&str, &str)]) -> Vec<RecalledText> {
        let recalled = |(id, text): &(&str, &str)| RecalledText {
            id: MemoryId::new(*id).unwrap(),
            text: (*text).to_owned(),
        };
        texts.iter().map(recalled).collect()
    }

    #[test]
    fn answer_counts_among_the_first_three() {
        let asked = [question("state", &["nine", "silver"], &["old"]), question("nothing", &[], &[])];
        let of = |recalled: &[(&str, &str)]| {
            let score = recall(&asked, |_| Ok::<_, ()>(found(recalled))).unwrap();
            (score.answerable().right, score.right[&QuestionKind::Nothing].right, score.stale_first)
        };
        assert_eq!(of(&[("new", "Nine silver"), ("old", "14 silver")]), (1, 0, 0));
        assert_eq!(of(&[("old", "14 silver"), ("new", "nine silver")]), (1, 0, 1));
        assert_eq!(of(&[("a", ""), ("b", ""), ("c", ""), ("new", "nine silver")]), (0, 0, 0));
        assert_eq!(of(&[]), (0, 1, 0));
    }
}
