//! Asking a language model within the ledger. What it does not answer, the rules do.

use std::collections::BTreeMap;

use nightfold_memory::{Answer, LanguageError, LanguageModel, LanguageTask};

/// Answers by task id, and what they cost.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    pub(crate) by_task: BTreeMap<usize, Vec<Answer>>,
    pub(crate) spent: usize,
}

/// How often a task is put to the model when its answer is malformed.
const TRIES: usize = 2;

/// Puts tasks to the model, the most valuable first, as long as the ledger affords them. What was paid is counted as
/// it was paid, also for answers nobody can use.
pub(crate) fn ask(model: &dyn LanguageModel, tasks: &[LanguageTask], ledger: usize) -> Answers {
    let mut answers = Answers::default();
    for task in tasks {
        for _ in 0..TRIES {
            let left = ledger.saturating_sub(answers.spent);
            if task.tokens > left {
                break;
            }
            match model.answer(task, left) {
                Ok((said, spent)) => {
                    answers.spent += spent;
                    answers.by_task.insert(task.id, said);
                    break;
                }
                Err(error) => {
                    tracing::warn!(model = model.name(), task = task.id, %error, "no usable answer");
                    let LanguageError::Malformed { tokens, .. } = error else { break };
                    answers.spent += tokens;
                }
            }
        }
    }
    answers
}
