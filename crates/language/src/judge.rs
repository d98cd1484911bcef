//! Stance judge that asks a language model.

use nightfold_memory::{
    Fault, JudgeError, LanguageError, LanguageModel, LanguageTask, MemoryId, Request, SourceText, Stance,
    StanceJudge, StancePair, StanceReply, TaskKind, Verdict,
};

/// Memory ids of the two texts; they never reach a model.
const NAMES: [&str; 2] = ["older", "newer"];

/// [`StanceJudge`] on top of any [`LanguageModel`]: live, recorded, or replayed.
///
/// Each pair is a question of its own, so that its answer depends on nothing else, and a recorded answer
/// serves every later occurrence of the pair, for any NPC. The cost of a pair is bounded by about 740 tokens
/// beside its texts, by the bound of this crate's prompts; the cost that a server reports is what is paid.
///
/// ```
/// use nightfold_language::{Chat, ChatError, ChatModel, ChatReply, ChatRequest, LanguageJudge, Sampling};
/// use nightfold_memory::{Stance, StanceJudge, StancePair, Verdict};
///
/// struct Agreeing;
///
/// impl Chat for Agreeing {
///     fn model(&self) -> &str {
///         "agreeing"
///     }
///
///     fn complete(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
///         assert!(request.user.contains("The mill burned down."));
///         let text = r#"{"stance":"same"}"#.to_owned();
///         Ok(ChatReply { text, finished: true, tokens: 306 })
///     }
/// }
///
/// let judge = LanguageJudge::new(ChatModel::new(Agreeing, Sampling::PLAIN));
/// let pair = StancePair { older: "The mill burned down.", newer: "Fire took the mill.", cosine: 0.86 };
/// let reply = judge.judge(&[pair], 2_000);
/// assert_eq!((reply.verdicts[0].as_ref().ok(), reply.tokens), (Some(&Verdict::certain(Stance::Same)), 306));
/// ```
#[derive(Debug)]
pub struct LanguageJudge<M> {
    model: M,
    names: [MemoryId; 2],
}

impl<M: LanguageModel> LanguageJudge<M> {
    /// Creates a judge that asks `model`.
    #[expect(clippy::missing_panics_doc, reason = "the names are constants of letters")]
    pub fn new(model: M) -> Self {
        let names = NAMES.map(|name| MemoryId::new(name).expect("letters make an id"));
        Self { model, names }
    }

    /// Asks about one pair, once more if the answer has the wrong shape; adds the cost to `spent`.
    fn ask(&self, pair: &StancePair<'_>, most: usize, spent: &mut usize) -> Result<Stance, JudgeError> {
        let [older, newer] = &self.names;
        let source = |id: &MemoryId, text: &str| SourceText {
            id: id.clone(),
            text: text.to_owned(),
            verbatim: false,
            said_by: None,
        };
        let task = LanguageTask {
            id: 0,
            kind: TaskKind::Stance,
            me: String::new(),
            sources: vec![source(older, pair.older), source(newer, pair.newer)],
            past: Vec::new(),
            tokens: 0,
            value: 0.0,
        };
        let mut faults: &[Fault] = &[];
        for is_last in [false, true] {
            let request = Request { task: &task, faults, tokens: most.saturating_sub(*spent) };
            let result = self.model.answer(&request);
            *spent = spent
                .saturating_add(result.as_ref().map_or_else(LanguageError::tokens, |reply| reply.tokens));
            faults = match result {
                Ok(reply) => {
                    let said = reply.answers.first().map(|answer| answer.text.as_str());
                    if let Some(stance) = Stance::ALL.into_iter().find(|s| Some(s.as_str()) == said) {
                        return Ok(stance);
                    }
                    &[Fault::Malformed]
                }
                Err(LanguageError::Malformed { .. }) if !is_last => &[Fault::Malformed],
                Err(LanguageError::CutShort { .. }) if !is_last => &[Fault::TooLong],
                Err(error) => return Err(error.into()),
            };
        }
        let (model, source) = (self.model.name().to_owned(), Box::new(NoStance));
        Err(LanguageError::Malformed { model, tokens: 0, source }.into())
    }
}

/// Answer that names no stance, from a model outside this crate.
#[derive(Debug, thiserror::Error)]
#[error("it names none of `same`, `contradiction` and `unrelated`")]
struct NoStance;

impl<M: LanguageModel> StanceJudge for LanguageJudge<M> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn max_batch(&self) -> usize {
        1
    }

    fn judge(&self, pairs: &[StancePair<'_>], tokens: usize) -> StanceReply {
        let mut spent = 0;
        let mut ask = |pair| self.ask(pair, tokens, &mut spent).map(Verdict::certain);
        let verdicts = pairs.iter().map(&mut ask).collect();
        StanceReply { verdicts, tokens: spent }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    };

    use super::*;
    use crate::{Chat, ChatError, ChatModel, ChatReply, ChatRequest, Sampling};

    /// Chat that returns these lines one after the other, then repeats the last.
    struct Script(Mutex<Vec<&'static str>>, AtomicUsize);

    impl Script {
        fn judge(lines: &[&'static str]) -> LanguageJudge<ChatModel<Self>> {
            let lines = lines.iter().rev().copied().collect();
            LanguageJudge::new(ChatModel::new(Self(Mutex::new(lines), AtomicUsize::new(0)), Sampling::PLAIN))
        }
    }

    impl Chat for Script {
        fn model(&self) -> &'static str {
            "script"
        }

        fn complete(&self, _: &ChatRequest) -> Result<ChatReply, ChatError> {
            self.1.fetch_add(1, Ordering::Relaxed);
            let mut lines = self.0.lock().unwrap();
            let line = if lines.len() > 1 { lines.pop() } else { lines.last().copied() };
            let text = line.unwrap_or_default().to_owned();
            Ok(ChatReply { text, finished: true, tokens: 310 })
        }
    }

    const SAME: &str = r#"{"stance":"same"}"#;
    const DENIED: &str = r#"{"stance":"contradiction"}"#;

    fn pair<'a>(older: &'a str, newer: &'a str) -> StancePair<'a> {
        StancePair { older, newer, cosine: 0.9 }
    }

    fn kinds(reply: &StanceReply) -> Vec<&'static str> {
        reply
            .verdicts
            .iter()
            .map(|v| v.as_ref().map_or_else(JudgeError::kind, |v| v.stance(0.5, 0.5).as_str()))
            .collect()
    }

    #[test]
    fn each_pair_is_asked_once_at_the_reported_cost() {
        let judge = Script::judge(&[SAME, DENIED]);
        let reply = judge.judge(&[pair("a", "b"), pair("c", "d")], 10_000);
        assert_eq!((kinds(&reply), reply.tokens), (vec!["same", "contradiction"], 620));
    }

    #[test]
    fn wrong_shape_is_retried_once_and_then_fails_that_pair_alone() {
        let judge = Script::judge(&["they are the same", SAME, "same", r#"{"stance":"maybe"}"#, DENIED]);
        let reply = judge.judge(&[pair("a", "b"), pair("c", "d"), pair("e", "f")], 10_000);
        assert_eq!((kinds(&reply), reply.tokens), (vec!["same", "malformed", "contradiction"], 5 * 310));
    }

    #[test]
    fn pair_beyond_the_budget_is_not_sent() {
        let judge = Script::judge(&[SAME]);
        let alone = judge.judge(&[pair("a", "b")], 10_000);
        assert_eq!(alone.tokens, 310);
        let reply = judge.judge(&[pair("a", "b"), pair("c", "d"), pair("e", "f")], 900);
        assert_eq!((kinds(&reply), reply.tokens), (vec!["same", "over-budget", "over-budget"], 310));
        assert_eq!(judge.model.chat().1.load(Ordering::Relaxed), 2);
        assert_eq!(kinds(&judge.judge(&[pair("a", "b")], 0)), ["over-budget"]);
    }

    #[test]
    fn bound_on_the_cost_of_a_pair_is_as_documented() {
        let judge = Script::judge(&[SAME]);
        let error = judge.judge(&[pair("", "")], 0).verdicts.remove(0).unwrap_err();
        let JudgeError::Language(LanguageError::OverBudget { needed, .. }) = error else { panic!("{error}") };
        assert!((700..=900).contains(&needed), "{needed}");
    }
}
