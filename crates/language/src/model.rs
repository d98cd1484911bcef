//! Language model of the night, on top of any chat backend.

use nightfold_memory::{LanguageError, LanguageModel, MemoryId, Reply, Request};

use crate::{
    affordable::Affordable,
    answer,
    chat::{Chat, ChatAsk, ChatFailed, ChatFailure},
    cost::CostBound,
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

/// Temperature out of range.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("temperature {temperature} is out of range; it lies between 0 and 2")]
pub struct SamplingError {
    /// The given temperature.
    pub temperature: f32,
}

impl Sampling {
    /// Always the likeliest word: temperature 0, no seed.
    pub const PLAIN: Self = Self { temperature: 0.0, seed: None };

    /// Creates a sampling from a temperature of 0 (always the likeliest word) to 2 and a seed; without a seed
    /// the backend chooses one.
    ///
    /// # Errors
    /// [`SamplingError`] if the temperature is outside that range.
    pub fn new(temperature: f32, seed: Option<u64>) -> Result<Self, SamplingError> {
        if (0.0..=2.0).contains(&temperature) {
            Ok(Self { temperature, seed })
        } else {
            Err(SamplingError { temperature })
        }
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
/// use nightfold_language::{Chat, ChatAsk, ChatFailed, ChatModel, ChatSaid, Sampling};
/// use nightfold_memory::{LanguageModel, LanguageTask, MemoryId, Request, SourceText, TaskKind};
///
/// struct Parrot;
///
/// impl Chat for Parrot {
///     fn model(&self) -> &str {
///         "parrot"
///     }
///
///     fn complete(&self, ask: &ChatAsk) -> Result<ChatSaid, ChatFailed> {
///         assert!(ask.user.contains("I swept the room."));
///         let text = r#"{"text":"I swept the room."}"#.to_owned();
///         Ok(ChatSaid { text, prompt_tokens: Some(400), completion_tokens: Some(9) })
///     }
/// }
///
/// let source = SourceText { id: MemoryId::new("mara-1")?, text: "I swept the room.".into(), verbatim: false };
/// let (id, kind, me) = (0, TaskKind::Synthesis, "Mara".to_owned());
/// let task = LanguageTask { id, kind, me, sources: vec![source], tokens: 0, value: 1.0 };
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
        let Some(affordable) = Affordable::of(request)? else {
            return Ok(Reply { answers: Vec::new(), tokens: 0 });
        };
        let most = affordable.cost_bound();
        let ask = chat_question(affordable, self.sampling);
        let said = self.chat.complete(&ask).map_err(|failed| language_error(failed, self.name(), most))?;
        let tokens = most.counted(said.prompt_tokens, said.completion_tokens);
        if tokens > request.tokens {
            return Err(LanguageError::Refused {
                model: self.name().to_owned(),
                tokens,
                reason: format!("its answer counts {tokens} tokens where {} were allowed", request.tokens),
            });
        }
        if tokens > most.total() {
            tracing::warn!(
                model = self.name(),
                tokens,
                most = most.total(),
                "an answer cost more than it could"
            );
        }
        let ids: Vec<&MemoryId> = request.task.sources.iter().map(|source| &source.id).collect();
        match answer::read(request.task.kind, &ids, &said.text) {
            Ok(answers) => Ok(Reply { answers, tokens }),
            Err(source) => Err(LanguageError::Malformed {
                model: self.name().to_owned(),
                tokens,
                source: Box::new(source),
            }),
        }
    }
}

/// Returns the chat question of a request.
pub(crate) fn chat_question(affordable: Affordable, sampling: Sampling) -> ChatAsk {
    let Affordable { prompt, max_tokens, budget } = affordable;
    ChatAsk {
        prompt_tokens: prompt.most_tokens,
        budget,
        system: prompt.system,
        user: prompt.user,
        schema: prompt.schema,
        max_tokens,
        temperature: sampling.temperature,
        seed: sampling.seed,
    }
}

/// Converts a failed chat to the night's error.
fn language_error(failed: ChatFailed, model: &str, most: CostBound) -> LanguageError {
    let model = model.to_owned();
    let tokens = failed.paid.unwrap_or(most.total());
    match failed.kind {
        ChatFailure::Unreachable => LanguageError::Unreachable { model, tokens, source: failed.source },
        ChatFailure::Refused => LanguageError::Refused {
            model,
            tokens,
            reason: clean_short(&failed.source.to_string(), MAX_REASON),
        },
        ChatFailure::CutShort => LanguageError::CutShort { model, tokens },
        ChatFailure::Shape => LanguageError::Malformed { model, tokens, source: Box::new(failed) },
    }
}
