//! A question in the form that the model was taught: the marks of roles around the two messages.

use llama_cpp_2::{
    model::{LlamaChatMessage, LlamaChatTemplate, LlamaModel},
    token::LlamaToken,
};

/// What stands for the messages while the template is filled in. No template changes plain letters.
const SYSTEM: &str = "NightfoldSystemMessage";
const USER: &str = "NightfoldUserMessage";

/// What a template puts around the messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Template {
    before: String,
    between: String,
    after: String,
}

impl Template {
    /// The model's own template. Where it has none, or one that llama.cpp does not know, the messages stand below each
    /// other, and `Answer:` after them.
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

    /// A filled-in template, around its two messages; none where they are not both there, in this order.
    fn split(text: &str) -> Option<Self> {
        let (before, rest) = text.split_once(SYSTEM)?;
        let (between, after) = rest.split_once(USER)?;
        Some(Self { before: before.to_owned(), between: between.to_owned(), after: after.to_owned() })
    }

    fn plain() -> Self {
        let text = |text: &str| text.to_owned();
        Self { before: String::new(), between: text("\n\n"), after: text("\n\nAnswer:\n") }
    }

    /// The tokens of a question. Marks are read in the template alone: in a message, whatever looks like a mark is text.
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
    fn a_template_is_what_stands_around_the_messages() {
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
