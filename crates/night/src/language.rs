//! Asking a language model within the ledger. What it does not answer, the rules do.

use std::collections::BTreeMap;

use nightfold_memory::{Answer, LanguageModel, LanguageTask};

/// Answers by task id, and what they cost.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    pub(crate) by_task: BTreeMap<usize, Vec<Answer>>,
    pub(crate) spent: usize,
}

/// Puts tasks to the model, the most valuable first, as long as the ledger affords them.
pub(crate) fn ask(model: &dyn LanguageModel, tasks: &[LanguageTask], ledger: usize) -> Answers {
    let mut answers = Answers::default();
    for task in tasks {
        let left = ledger - answers.spent;
        if task.tokens > left {
            continue;
        }
        match model.answer(task, left) {
            Ok((said, spent)) => {
                answers.spent += spent.min(left);
                answers.by_task.insert(task.id, said);
            }
            Err(error) => {
                tracing::warn!(model = model.name(), task = task.id, %error, "left to the rules");
            }
        }
    }
    answers
}
