//! Tokens that a request counts in a ledger.
//!
//! A request counts from the moment it is sent: the upper bound of its question, and every token that its answer is
//! allowed, however it ends. What a server states afterwards is its word alone. It can raise the count. It can lower
//! only the question's part, only for a question that was answered, and never below one token for four bytes sent: a
//! bound must hold for any text and any tokenizer, and ordinary text needs half of it.

/// Average bytes of ordinary text per token: no statement lowers a count below this.
const BYTES_PER_TOKEN: usize = 4;
/// Bytes per token that no tokenizer reaches on average: a statement of fewer tokens is not believed at all.
const MAX_BYTES_PER_TOKEN: usize = 8;
/// Maximum number of tokens of one request that is believed, ten million: the upper end of `budget.tokens`, and more
/// than any model reads.
const MAX_STATED: usize = 10_000_000;

/// Tokens that a server states for a request, as far as they can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct StatedCost {
    /// Tokens of the question.
    pub(crate) prompt: Option<usize>,
    /// Tokens of the answer and of everything else that was paid for it.
    pub(crate) answer: Option<usize>,
}

/// Upper bound of the cost of a question and its answer, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CostBound {
    /// Tokens of the question.
    pub(crate) prompt: usize,
    /// Tokens of the answer.
    pub(crate) answer: u32,
    /// Size of the question, in bytes.
    pub(crate) bytes: usize,
}

impl CostBound {
    /// Returns the tokens that the request counts when it is sent.
    pub(crate) fn total(self) -> usize {
        self.prompt.saturating_add(self.answer as usize)
    }

    /// Returns the tokens that a request without a usable answer counts.
    pub(crate) fn unanswered(self, stated: StatedCost) -> usize {
        let prompt = believed(stated.prompt).unwrap_or(0).max(self.prompt);
        prompt.saturating_add(self.answer(stated, 0))
    }

    /// Returns the tokens that an answered request counts; `answer_bytes` is the size of the answer.
    pub(crate) fn answered(self, stated: StatedCost, answer_bytes: usize) -> usize {
        let plausible = |tokens: &usize| *tokens >= self.bytes / MAX_BYTES_PER_TOKEN;
        let least = self.bytes.div_ceil(BYTES_PER_TOKEN).min(self.prompt);
        let prompt =
            believed(stated.prompt).filter(plausible).map_or(self.prompt, |tokens| tokens.max(least));
        prompt.saturating_add(self.answer(stated, answer_bytes))
    }

    /// Returns the tokens of the answer: those it was allowed, or more if the server or the answer itself shows more.
    fn answer(self, stated: StatedCost, answer_bytes: usize) -> usize {
        let shown = believed(stated.answer).unwrap_or(0).max(answer_bytes / MAX_BYTES_PER_TOKEN);
        shown.max(self.answer as usize)
    }
}

fn believed(stated: Option<usize>) -> Option<usize> {
    stated.filter(|tokens| *tokens <= MAX_STATED)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SENT: CostBound = CostBound { prompt: 1_000, answer: 300, bytes: 2_000 };

    fn stated(prompt: usize, answer: usize) -> StatedCost {
        StatedCost { prompt: Some(prompt), answer: Some(answer) }
    }

    #[test]
    fn statement_lowers_the_question_of_an_answer_to_four_bytes_a_token() {
        for (said, counted) in [
            (stated(700, 40), 700 + 300),
            (stated(500, 40), 500 + 300),
            (stated(499, 40), 500 + 300),
            (stated(250, 40), 500 + 300),
            // Below what any tokenizer makes of it, nothing is believed.
            (stated(249, 40), 1_300),
            (stated(0, 0), 1_300),
            (StatedCost::default(), 1_300),
            (StatedCost { prompt: None, answer: Some(40) }, 1_300),
        ] {
            assert_eq!(SENT.answered(said, 100), counted, "{said:?}");
            assert_eq!(SENT.unanswered(said), 1_300, "{said:?}");
        }
    }

    #[test]
    fn more_than_was_allowed_counts_unless_no_model_could_reach_it() {
        for (said, counted) in [
            (stated(5_000, 40), 5_300),
            (stated(700, 900), 1_600),
            (stated(700, MAX_STATED), 700 + MAX_STATED),
            (stated(700, MAX_STATED + 1), 1_000),
            (stated(usize::MAX, usize::MAX), 1_300),
        ] {
            assert_eq!(SENT.answered(said, 100), counted, "{said:?}");
        }
        assert_eq!(SENT.answered(StatedCost::default(), 80_000), 1_000 + 10_000, "the answer shows it");
        assert_eq!(SENT.unanswered(stated(700, 900)), 1_900);
    }

    proptest! {
        #[test]
        fn no_statement_lowers_a_count_below_what_was_sent(
            prompt in proptest::option::of(any::<usize>()), answer in proptest::option::of(any::<usize>()),
            bytes in 0_usize..100_000, allowed in 0_u32..5_000, said in 0_usize..100_000,
        ) {
            let sent = CostBound { prompt: 128 + bytes / 2, answer: allowed, bytes };
            let stated = StatedCost { prompt, answer };
            prop_assert!(sent.answered(stated, said) >= bytes / 4 + allowed as usize);
            prop_assert!(sent.unanswered(stated) >= sent.total());
        }
    }
}
