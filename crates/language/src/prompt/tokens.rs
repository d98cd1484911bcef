//! Upper bound of a prompt's tokens, before any backend has counted them, and the number of tokens granted to
//! its answer.
//!
//! Players' text counts one token for each byte as it is sent. That is a bound for byte-level BPE (`OpenAI`,
//! Llama 3, Qwen, `SmolLM`, Mistral's Tekken), where every token has at least one byte, and for
//! `SentencePiece` with byte fallback (Llama 2, Mistral, Gemma), which adds at most one token before a text.
//! It is no bound for a tokenizer that first expands its input (NFKC makes 18 characters of U+FDFA); no chat
//! model in use does.
//!
//! This crate's text counts one token for two and a half bytes. Measured over every prompt file, every schema
//! and whole prompts (2026-11-22): at least 3.1 (Mistral's `SentencePiece` of 32,000 pieces), 3.2
//! (`SmolLM2`), 3.4 (GPT-2), 3.6 (cl100k, o200k, Llama 3).

use nightfold_memory::{Request, TaskKind};
use serde_json::Value;

use super::Prompt;

/// Minimum number of bytes per token, in this crate's English and in schemas.
const BYTES_PER_TOKEN: f64 = 2.5;
/// Tokens that a chat template adds: role markers, a date, a preamble of its own, the words before a schema.
/// Most add 10 to 40; gpt-oss, the longest known, about 100.
const TEMPLATE_TOKENS: usize = 128;

/// Tokens of the frame around one answer: `{"insights":[…]}`.
const FRAME_TOKENS: usize = 16;
/// Tokens of an insight: four ids, a kind, a number, thirty words, in a language that needs more tokens than
/// English.
const INSIGHT_TOKENS: usize = 160;
/// Tokens of an insight in English.
const LEAST_INSIGHT_TOKENS: usize = 96;
/// Tokens of `{"stance":"contradiction"}`, with white space where a server allows a model to write some.
const STANCE_TOKENS: usize = 32;
/// Tokens of the same, compact.
const LEAST_STANCE_TOKENS: usize = 16;
/// Tokens of the longest synthesis. The night rejects a synthesis of more than twice its maximum characters (800
/// by default).
const SYNTHESIS_TOKENS: usize = 768;

/// Upper bound of the tokens of the prompt for this request; 0 if no prompt would be sent, since it has too
/// few memories for any answer.
pub fn most_prompt_tokens(request: &Request<'_>) -> usize {
    Prompt::of(request).map_or(0, |prompt| prompt.most_tokens)
}

/// Returns the bound for `constant` bytes of this crate's text, `variable` bytes of players' text, and a
/// schema with `listed` bytes of aliases.
pub(super) fn bound(constant: usize, variable: usize, schema: &Value, listed: usize) -> usize {
    let ours = (constant + schema.to_string().len()).saturating_sub(listed);
    TEMPLATE_TOKENS + (ours as f64 / BYTES_PER_TOKEN).ceil() as usize + variable + listed
}

/// Returns the minimum number of tokens for an answer, and the number that it is granted if that many are
/// left.
pub(super) fn answer(kind: TaskKind, text_bytes: usize) -> (usize, usize) {
    let insights = |n: usize, each: usize| n.saturating_mul(each).saturating_add(FRAME_TOKENS);
    match kind {
        // All of it rewritten: in English four bytes a token, elsewhere two.
        TaskKind::Synthesis => {
            let rewritten =
                |bytes_per_token: usize| (FRAME_TOKENS + text_bytes / bytes_per_token).min(SYNTHESIS_TOKENS);
            (rewritten(4), rewritten(2))
        }
        TaskKind::Reflections { slots } => {
            (insights(slots, LEAST_INSIGHT_TOKENS), insights(slots, INSIGHT_TOKENS))
        }
        TaskKind::Stance | TaskKind::Support => (LEAST_STANCE_TOKENS, STANCE_TOKENS),
        TaskKind::Connection { .. } => (insights(1, LEAST_INSIGHT_TOKENS), insights(1, INSIGHT_TOKENS)),
    }
}
