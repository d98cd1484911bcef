//! Language model of the night, on top of any chat backend.

use nightfold_memory::{LanguageError, LanguageModel, MemoryId, Reply, Request};

use crate::{
    answer::{self, Citable},
    chat::{Chat, ChatError, ChatErrorKind, ChatReply, ChatRequest},
    error::SettingError,
    prompt::Prompt,
    text::clean_short,
};

/// Maximum number of characters of a backend's text in an error.
const MAX_REASON: usize = 300;

/// Sampling of a model's words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    temperature: f32,
    seed: Option<u64>,
}

impl Sampling {
    /// Always the likeliest word: temperature 0, no seed.
    pub const PLAIN: Self = Self { temperature: 0.0, seed: None };

    /// Creates a sampling from a temperature of 0 (always the likeliest word) to 2 and a seed; without a seed
    /// the backend chooses one.
    ///
    /// # Errors
    /// [`SettingError`] if the temperature is outside that range.
    pub fn new(temperature: f32, seed: Option<u64>) -> Result<Self, SettingError> {
        SettingError::unless_within("temperature", &temperature, 0.0..=2.0)?;
        Ok(Self { temperature, seed })
    }
}

impl Default for Sampling {
    fn default() -> Self {
        Self::PLAIN
    }
}

/// [`LanguageModel`] on top of a [`Chat`]: it writes tasks as prompts, sends none that could cost more than
/// its budget, and parses the answers.
///
/// ```
/// use nightfold_language::{Chat, ChatError, ChatModel, ChatReply, ChatRequest, Sampling};
/// use nightfold_memory::{LanguageModel, LanguageTask, MemoryId, Request, SourceText, TaskKind};
///
/// struct Parrot;
///
/// impl Chat for Parrot {
///     fn model(&self) -> &str {
///         "parrot"
///     }
///
///     fn complete(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
///         assert!(request.user.contains("I swept the room."));
///         let text = r#"{"text":"I swept the room."}"#.to_owned();
///         Ok(ChatReply { text, finished: true, tokens: 409 })
///     }
/// }
///
/// let source = SourceText { id: MemoryId::new("mara-1")?, text: "I swept the room.".into(), verbatim: false, said_by: None };
/// let (id, kind, me) = (0, TaskKind::Synthesis, "Mara".to_owned());
/// let task = LanguageTask { id, kind, me, sources: vec![source], past: vec![], tokens: 0, value: 1.0 };
/// let reply = ChatModel::new(Parrot, Sampling::PLAIN).answer(&Request { task: &task, faults: &[], tokens: 5_000 })?;
/// assert_eq!((reply.answers[0].text.as_str(), reply.tokens), ("I swept the room.", 409));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ChatModel<C> {
    chat: C,
    sampling: Sampling,
}

impl<C: Chat> ChatModel<C> {
    /// Creates a model that asks through `chat`.
    pub fn new(chat: C, sampling: Sampling) -> Self {
        Self { chat, sampling }
    }

    #[cfg(test)]
    pub(crate) fn chat(&self) -> &C {
        &self.chat
    }
}

impl<C: Chat> LanguageModel for ChatModel<C> {
    fn name(&self) -> &str {
        self.chat.model()
    }

    fn answer(&self, request: &Request<'_>) -> Result<Reply, LanguageError> {
        let Some((prompt, max_tokens)) = Prompt::affordable(request)? else {
            return Ok(Reply { answers: Vec::new(), tokens: 0 });
        };
        let asked = ChatRequest {
            system: prompt.system,
            user: prompt.user,
            schema: prompt.schema,
            max_tokens,
            prompt_tokens: prompt.most_tokens,
            budget: request.tokens,
            temperature: self.sampling.temperature,
            seed: self.sampling.seed,
        };
        let model = || self.name().to_owned();
        let reply = self.chat.complete(&asked).map_err(|error| language_error(error, model()))?;
        let ChatReply { text, finished, tokens } = reply;
        if tokens > request.tokens {
            let reason = format!("its answer counts {tokens} tokens where {} were allowed", request.tokens);
            return Err(LanguageError::Refused { model: model(), tokens, reason });
        }
        if !finished {
            return Err(LanguageError::CutShort { model: model(), tokens });
        }
        let today: Vec<&MemoryId> = request.task.sources.iter().map(|source| &source.id).collect();
        let earlier: Vec<&MemoryId> = request.task.citable_past().map(|past| &past.id).collect();
        match answer::read(request.task.kind, Citable { today: &today, earlier: &earlier }, &text) {
            Ok(answers) => Ok(Reply { answers, tokens }),
            Err(source) => Err(LanguageError::Malformed { model: model(), tokens, source: Box::new(source) }),
        }
    }
}

fn language_error(error: ChatError, model: String) -> LanguageError {
    let tokens = error.tokens;
    match error.kind {
        ChatErrorKind::Unreachable => LanguageError::Unreachable { model, tokens, source: Box::new(error) },
        ChatErrorKind::Refused => {
            LanguageError::Refused { model, tokens, reason: clean_short(&error.reason, MAX_REASON) }
        }
        ChatErrorKind::Unreadable => LanguageError::Malformed { model, tokens, source: Box::new(error) },
        ChatErrorKind::OverBudget { needed, left } => LanguageError::OverBudget { needed, left },
    }
}
