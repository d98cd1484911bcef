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
            prompt_tokens: Some(ask.prompt_tokens),
            budget: Some(ask.budget),
            temperature: ask.temperature,
            seed: ask.seed,
        });
        let reply = reply.map_err(failed)?;
        // Tries that failed count to the answer.
        let prompt = ask.prompt_tokens.min(reply.paid);
        let rest = reply.paid - prompt;
        Ok(ChatSaid { text: reply.content, prompt_tokens: Some(prompt), completion_tokens: Some(rest) })
    }
}

fn failed(error: ChatError) -> ChatFailed {
    let kind = match &error {
        ChatError::Refused { .. } => ChatFailure::Refused,
        ChatError::CutShort { .. } => ChatFailure::CutShort,
        ChatError::Shape { .. } | ChatError::TooLong { .. } => ChatFailure::Shape,
        _ => ChatFailure::Unreachable,
    };
    ChatFailed { kind, paid: Some(error.paid()), source: Box::new(error) }
}
