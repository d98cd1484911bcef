//! Chat templates: a question in the form that the model was trained on, with role markers around the two
//! messages.

use llama_cpp_2::{
    model::{LlamaChatMessage, LlamaChatTemplate, LlamaModel},
    token::LlamaToken,
};

/// Placeholders for the messages while the template is filled in. No template changes plain letters.
const SYSTEM: &str = "NightfoldSystemMessage";
const USER: &str = "NightfoldUserMessage";

/// Text that a template puts around the messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Template {
    before: String,
    between: String,
    after: String,
}

impl Template {
    /// Returns the model's own template. If it has none, or one that llama.cpp does not know, the messages
    /// are put below each other, followed by `Answer:`.
    pub(super) fn of(model: &LlamaModel) -> Self {
        let Ok(template) = model.chat_template(None) else {
            tracing::info!("the model has no chat template; its prompts are plain text");
            return Self::plain();
        };
        Self::filled_in(model, &template).unwrap_or_else(|| {
            tracing::warn!("llama.cpp does not know the model's chat template; its prompts are plain text");
            Self::plain()
        })
    }

    fn filled_in(model: &LlamaModel, template: &LlamaChatTemplate) -> Option<Self> {
        let message = |role: &str, text: &str| LlamaChatMessage::new(role.to_owned(), text.to_owned()).ok();
        let messages = [message("system", SYSTEM)?, message("user", USER)?];
        Self::split(&model.apply_chat_template(template, &messages, true).ok()?)
    }

    /// Splits a filled-in template at its two messages; `None` if one is missing or they are in the wrong
    /// order.
    fn split(text: &str) -> Option<Self> {
        let (before, rest) = text.split_once(SYSTEM)?;
        let (between, after) = rest.split_once(USER)?;
        Some(Self { before: before.to_owned(), between: between.to_owned(), after: after.to_owned() })
    }

    fn plain() -> Self {
        let text = |text: &str| text.to_owned();
        Self { before: String::new(), between: text("\n\n"), after: text("\n\nAnswer:\n") }
    }

    /// Returns the tokens of a question. Control tokens are recognised in the template alone: inside a
    /// message, their spelling is plain text.
    pub(super) fn tokens(&self, model: &LlamaModel, system: &str, user: &str) -> Vec<LlamaToken> {
        let vocab = model.vocab();
        let mut tokens = Vec::new();
        for (text, marks) in [
            (self.before.as_str(), true),
            (system, false),
            (&self.between, true),
            (user, false),
            (&self.after, true),
        ] {
            vocab.tokenize_into(text.as_bytes(), &mut tokens, false, marks);
        }
        // Some templates write it themselves.
        if vocab.should_add_bos() && tokens.first() != Some(&vocab.bos()) {
            tokens.insert(0, vocab.bos());
        }
        tokens
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn template_is_the_text_around_the_messages() {
        let text = format!("<|im_start|>system\n{SYSTEM}<|im_end|>\n<|im_start|>user\n{USER}<|im_end|>\n");
        let template = Template::split(&text).unwrap();
        assert_eq!(template.before, "<|im_start|>system\n");
        assert_eq!(template.between, "<|im_end|>\n<|im_start|>user\n");
        assert_eq!(template.after, "<|im_end|>\n");
    }

    #[test]
    fn a_template_without_both_messages_is_none() {
        for text in [String::new(), SYSTEM.to_owned(), USER.to_owned(), format!("{USER} {SYSTEM}")] {
            assert_eq!(Template::split(&text), None, "{text}");
        }
    }
}
