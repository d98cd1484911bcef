//! A language model of the night, from anything that answers chats.

use nightfold_memory::{LanguageError, LanguageModel, MemoryId, Reply, Request};

use crate::{
    answer,
    asking::{Affordable, Most},
    chat::{Chat, ChatAsk, ChatFailed, ChatFailure},
    text::clean_short,
};

/// Most characters of a backend's words in an error.
const MAX_REASON: usize = 300;

/// How a model chooses its words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    temperature: f32,
    seed: Option<u64>,
}

/// A temperature out of range.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("temperature {temperature} is out of range; it lies between 0 and 2")]
pub struct SamplingError {
    /// What was given.
    pub temperature: f32,
}

impl Sampling {
    /// The most likely words: temperature 0, no seed.
    pub const PLAIN: Self = Self { temperature: 0.0, seed: None };

    /// A temperature of 0 (always the likeliest word) to 2, and what chance starts from; without a seed the backend
    /// chooses.
    ///
    /// # Errors
    /// [`SamplingError`] outside that range.
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

/// A [`Chat`] as a [`LanguageModel`]: it puts tasks into words, sends none that could cost more than it may, and reads
/// the answers.
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
    /// A model that asks through `chat`.
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
        let most = affordable.most();
        let ask = ask(affordable, self.sampling);
        let said = self.chat.complete(&ask).map_err(|failed| unanswered(failed, self.name(), most))?;
        let tokens = most.paid(said.prompt_tokens, said.completion_tokens);
        if tokens > most.in_all() {
            tracing::warn!(
                model = self.name(),
                tokens,
                most = most.in_all(),
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

/// The question of a request.
pub(crate) fn ask(affordable: Affordable, sampling: Sampling) -> ChatAsk {
    let Affordable { prompt, max_tokens } = affordable;
    ChatAsk {
        system: prompt.system,
        user: prompt.user,
        schema: prompt.schema,
        max_tokens,
        temperature: sampling.temperature,
        seed: sampling.seed,
    }
}

/// A failed chat as the night knows it.
fn unanswered(failed: ChatFailed, model: &str, most: Most) -> LanguageError {
    let model = model.to_owned();
    let tokens = failed.paid.unwrap_or(most.in_all());
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
