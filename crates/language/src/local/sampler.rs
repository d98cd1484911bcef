//! Sampling of the next token.

use llama_cpp_2::{
    context::LlamaContext,
    model::LlamaModel,
    sampling::LlamaSampler,
    token::{LlamaToken, data::LlamaTokenData, data_array::LlamaTokenDataArray, logit_bias::LlamaLogitBias},
};

use super::grammar;
use crate::chat::ChatAsk;

/// Sampler for the tokens of one answer.
pub(super) struct TokenSampler {
    pick: LlamaSampler,
    grammar: Option<LlamaSampler>,
}

impl TokenSampler {
    /// Creates the sampler for a question; `unspoken` are the tokens that no answer contains.
    pub(super) fn of(model: &LlamaModel, ask: &ChatAsk, unspoken: &[LlamaLogitBias]) -> Self {
        let mut steps = vec![LlamaSampler::logit_bias(model.n_vocab(), unspoken)];
        if ask.temperature > 0.0 {
            // Logits divided by less would overflow.
            steps.push(LlamaSampler::temp(ask.temperature.max(1e-6)));
            steps.push(LlamaSampler::dist(seed(ask.seed)));
        } else {
            steps.push(LlamaSampler::greedy());
        }
        let grammar = grammar::of(&ask.schema.schema)
            .and_then(|rules| LlamaSampler::grammar(model, &rules, "root").ok());
        if grammar.is_none() {
            tracing::warn!(schema = ask.schema.name, "the model cannot be held to this schema");
        }
        Self { pick: LlamaSampler::chain_simple(steps), grammar }
    }

    /// Returns the next token, from the last computed logits; `None` if the grammar allows no continuation.
    ///
    /// A token is first drawn without the grammar; only if the grammar rejects it, another is drawn from
    /// those that it accepts. The result has the same distribution as if every draw were from the accepted
    /// tokens, and most of the time the grammar checks a single token instead of the whole vocabulary.
    pub(super) fn next(&mut self, context: &LlamaContext<'_>, row: i32) -> Option<LlamaToken> {
        let drawn = self.draw(context.token_data_array_ith(row))?;
        let Some(grammar) = &mut self.grammar else { return Some(drawn) };
        let alone = LlamaTokenDataArray::new(vec![LlamaTokenData::new(drawn, 0.0, 0.0)], false);
        if alone.with_sampler(grammar).data.iter().any(possible) {
            return Some(drawn);
        }
        let taken = context.token_data_array_ith(row).with_sampler(grammar);
        self.draw(taken)
    }

    fn draw(&mut self, tokens: LlamaTokenDataArray) -> Option<LlamaToken> {
        let drawn = tokens.with_sampler(&mut self.pick);
        drawn.data.get(drawn.selected?).filter(|token| possible(token)).map(LlamaTokenData::id)
    }

    /// Continues the grammar with a token that [`next`](Self::next) returned and that does not end the
    /// answer. llama.cpp aborts the process on any other.
    pub(super) fn accept(&mut self, token: LlamaToken) {
        if let Some(grammar) = &mut self.grammar {
            grammar.accept(token);
        }
    }
}

/// True if a token can be drawn at all: an excluded one has a logit of minus infinity.
fn possible(token: &LlamaTokenData) -> bool {
    token.logit() > f32::NEG_INFINITY
}

/// Returns the tokens that no answer contains: control tokens, except those that end an answer.
pub(super) fn unspoken(model: &LlamaModel) -> Vec<LlamaLogitBias> {
    let vocab = model.vocab();
    let marks = vocab.tokens().filter(|token| vocab.is_control(*token) && !vocab.is_eog(*token));
    marks.map(|token| LlamaLogitBias::new(token, f32::NEG_INFINITY)).collect()
}

/// Folds a seed of 64 bits into 32. Without a seed it is 0: an answer depends on the question alone.
fn seed(seed: Option<u64>) -> u32 {
    let seed = seed.unwrap_or(0);
    // llama.cpp takes the greatest for the wish to have one drawn by chance.
    ((seed ^ (seed >> 32)) as u32).min(u32::MAX - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seed_never_requests_a_random_seed() {
        assert_eq!(seed(None), seed(Some(0)));
        assert_eq!(seed(Some(7)), 7);
        assert_eq!(seed(Some(7 << 32)), 7);
        assert_eq!(seed(Some(u64::from(u32::MAX))), u32::MAX - 1);
        assert_ne!(seed(Some(1 << 32 | 2)), seed(Some(2)));
    }
}
