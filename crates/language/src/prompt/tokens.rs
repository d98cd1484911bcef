//! How many tokens a prompt can be at most, before any backend has counted them, and how many its answer is given.
//!
//! What players wrote is taken at one token for each byte as it is sent. That is a bound for byte-level BPE (`OpenAI`,
//! Llama 3, Qwen, `SmolLM`, Mistral's Tekken), where every token stands for at least one byte, and for `SentencePiece` that
//! falls back to bytes (Llama 2, Mistral, Gemma), which adds one token at most before a text. It is none for a tokenizer
//! that first expands what it reads (NFKC makes 18 characters of U+FDFA); no chat model in use does.
//!
//! What this crate wrote is taken at two and a half bytes a token. Measured over every prompt file, every schema and whole prompts
//! (2026-11-22): at least 3.1 (Mistral's `SentencePiece` of 32,000 pieces), 3.2 (`SmolLM2`), 3.4 (GPT-2), 3.6 (cl100k,
//! o200k, Llama 3).

use nightfold_memory::{Request, TaskKind};
use serde_json::Value;

use super::{Prompt, schema::alias_bytes};

/// Bytes of our own English, and of schemas, that a token stands for at least.
const BYTES_PER_TOKEN: f64 = 2.5;
/// What a chat template adds: marks of roles, a date, a preamble of its own, the words before a schema. Most add 10 to
/// 40; gpt-oss, the longest known, about 100.
const TEMPLATE_TOKENS: usize = 128;

/// The marks around one answer: `{"insights":[…]}`.
const FRAME_TOKENS: usize = 16;
/// An insight: four ids, a kind, a number, thirty words, in a language that needs more tokens than English.
const INSIGHT_TOKENS: usize = 160;
/// An insight in English.
const LEAST_INSIGHT_TOKENS: usize = 96;
/// `{"stance":"contradiction"}`, and white space where a server lets a model put some.
const STANCE_TOKENS: usize = 32;
/// The same, compact.
const LEAST_STANCE_TOKENS: usize = 16;
/// The longest synthesis. The night takes none of twice the characters that it tells together (800 by default).
const SYNTHESIS_TOKENS: usize = 768;

/// Most tokens that the prompt for this request can be; 0 where no prompt would be sent, since its memories are too
/// few for any answer.
pub fn most_prompt_tokens(request: &Request<'_>) -> usize {
    Prompt::of(request).map_or(0, |prompt| prompt.most_tokens)
}

/// The bound from `constant` bytes of our own words, `variable` bytes of others', and a schema about `n` memories.
pub(super) fn of_parts(constant: usize, variable: usize, schema: &Value, kind: TaskKind, n: usize) -> usize {
    let listed = alias_bytes(kind, n);
    let ours = (constant + schema.to_string().len()).saturating_sub(listed);
    TEMPLATE_TOKENS + (ours as f64 / BYTES_PER_TOKEN).ceil() as usize + variable + listed
}

/// The tokens below which asking for an answer is not worth it, and those it is given where there are as many.
pub(super) fn answer(kind: TaskKind, text_bytes: usize) -> (usize, usize) {
    let insights = |n: usize, each: usize| n.saturating_mul(each).saturating_add(FRAME_TOKENS);
    match kind {
        // All of it told again: in English four bytes a token, elsewhere two.
        TaskKind::Synthesis => {
            let told =
                |bytes_per_token: usize| (FRAME_TOKENS + text_bytes / bytes_per_token).min(SYNTHESIS_TOKENS);
            (told(4), told(2))
        }
        TaskKind::Reflections { slots } => {
            (insights(slots, LEAST_INSIGHT_TOKENS), insights(slots, INSIGHT_TOKENS))
        }
        TaskKind::Stance => (LEAST_STANCE_TOKENS, STANCE_TOKENS),
        TaskKind::Connection { .. } => (insights(1, LEAST_INSIGHT_TOKENS), insights(1, INSIGHT_TOKENS)),
    }
}
