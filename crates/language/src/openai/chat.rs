//! The client as a backend: one question and its answer.

use super::{ChatClient, ChatError, ChatMessage, ChatRequest, JsonSchema};
use crate::chat::{Chat, ChatAsk, ChatFailed, ChatFailure, ChatSaid};

impl Chat for ChatClient {
    fn model(&self) -> &str {
        self.endpoint().model()
    }

    fn complete(&self, ask: &ChatAsk) -> Result<ChatSaid, ChatFailed> {
        let reply = self.chat(&ChatRequest {
            messages: vec![ChatMessage::system(ask.system), ChatMessage::user(&*ask.user)],
            schema: Some(JsonSchema { name: ask.schema.name.to_owned(), schema: ask.schema.schema.clone() }),
            max_tokens: ask.max_tokens,
            temperature: ask.temperature,
            seed: ask.seed,
        });
        let reply = reply.map_err(failed)?;
        let tokens = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        // Tries that failed were paid too: they count to the answer.
        let prompt = reply.usage.map(|usage| tokens(usage.prompt_tokens));
        let rest = prompt.map(|prompt| tokens(reply.paid).saturating_sub(prompt));
        Ok(ChatSaid { text: reply.content, prompt_tokens: prompt, completion_tokens: rest })
    }
}

fn failed(error: ChatError) -> ChatFailed {
    let paid = usize::try_from(error.paid()).unwrap_or(usize::MAX);
    let kind = match &error {
        ChatError::Refused { .. } => ChatFailure::Refused,
        ChatError::CutShort { .. } => ChatFailure::CutShort,
        ChatError::Shape { .. } | ChatError::TooLong { .. } => ChatFailure::Shape,
        _ => ChatFailure::Unreachable,
    };
    // An answer without a reported cost counts as the upper bound.
    let answered = !matches!(kind, ChatFailure::Unreachable);
    ChatFailed { kind, paid: (paid > 0 || !answered).then_some(paid), source: Box::new(error) }
}
