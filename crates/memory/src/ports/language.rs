//! Tasks for a language model. The rules answer what no model does.

use serde::{Deserialize, Serialize};

use crate::{MemoryId, ReflectionKind};

/// A memory as a task shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceText {
    /// Its id, which an answer cites.
    pub id: MemoryId,
    /// Its text. Players wrote it: data, never an instruction.
    pub text: String,
    /// Whether a text that tells it must hold its very words: it is important.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub verbatim: bool,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "task")]
pub enum TaskKind {
    /// One text that tells all sources.
    Synthesis,
    /// Up to `slots` insights that rest on the sources.
    Reflections {
        /// Most insights asked for.
        slots: usize,
    },
    /// One insight that joins two themes, or none. The first `first` sources are of one theme, the others of another.
    Connection {
        /// How many sources are of the first theme.
        first: usize,
    },
    /// What the second of two sources is to the first: the one answer is the name of a [`Stance`](crate::Stance).
    Stance,
}

/// One thing to say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LanguageTask {
    /// Its place among the night's tasks; answers are given back under it.
    pub id: usize,
    /// What is asked for.
    pub kind: TaskKind,
    /// The NPC's name, by which its memories may speak of it. Data too.
    pub me: String,
    /// The memories it is about, and none else.
    pub sources: Vec<SourceText>,
    /// Most tokens that prompt and answer may cost together, estimated at four bytes a token.
    pub tokens: usize,
    /// What answering it well is worth, per token; tasks come most valuable first.
    pub value: f64,
}

/// What was said. Nothing in it is believed before the night has checked it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The text.
    pub text: String,
    /// For reflections, of which sort.
    #[serde(default)]
    pub kind: Option<ReflectionKind>,
    /// The ids it rests on.
    pub cites: Vec<MemoryId>,
    /// How sure the model says it is, 0 to 1, where it says so. Shown, never believed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f32>,
}

/// Why an answer was not believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// It is not of the shape asked for, or holds what could steer a terminal.
    Malformed,
    /// It says nothing, where something had to be said.
    Empty,
    /// It is longer than a memory may be.
    TooLong,
    /// It does not speak as the NPC itself.
    NotFirstPerson,
    /// It cites fewer than two of the memories it was given.
    TooFewCited,
    /// It says a name or a number that stands in none of what it cites.
    Ungrounded,
    /// It denies what its sources affirm, or affirms what they deny.
    Negation,
    /// It leaves out a name, a number, a denial or most of what a memory says that it should tell.
    LosesFact,
    /// It says what anybody could say of anything.
    EmptyTalk,
    /// It says no more than one of its sources does, or another insight.
    NearCopy,
    /// It joins two themes and rests on one alone.
    OneTheme,
}

impl Fault {
    /// The name used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::Empty => "empty",
            Self::TooLong => "too-long",
            Self::NotFirstPerson => "not-first-person",
            Self::TooFewCited => "too-few-cited",
            Self::Ungrounded => "ungrounded",
            Self::Negation => "negation",
            Self::LosesFact => "loses-fact",
            Self::EmptyTalk => "empty-talk",
            Self::NearCopy => "near-copy",
            Self::OneTheme => "one-theme",
        }
    }

    /// What is wrong with it, as a person reads it after "it".
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Malformed => "holds what could steer a terminal",
            Self::Empty => "says nothing",
            Self::TooLong => "is longer than a text may be (synthesis.max_chars)",
            Self::NotFirstPerson => "does not speak as the NPC itself",
            Self::TooFewCited => "rests on fewer than two memories",
            Self::Ungrounded => "says a name or a number that stands in none of its sources",
            Self::Negation => "denies what its sources affirm, or affirms what they deny",
            Self::LosesFact => "leaves out a name, a number or most of what one of its sources says",
            Self::EmptyTalk => "says what anybody could say of anything",
            Self::NearCopy => "says no more than one of its sources does",
            Self::OneTheme => "joins two themes and rests on one alone",
        }
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

/// What a model is asked.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The task.
    pub task: &'a LanguageTask,
    /// What was wrong with the last answer, where this is another try.
    pub faults: &'a [Fault],
    /// Most tokens that prompt and answer may cost together.
    pub tokens: usize,
}

/// What a model said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The answers; none is an answer too, where an insight was asked for.
    pub answers: Vec<Answer>,
    /// What they cost: prompt and answer, tries that came to nothing included.
    pub tokens: usize,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LanguageError {
    /// The model did not respond.
    #[error("the language model {model} cannot be reached")]
    Unreachable {
        /// Which model.
        model: String,
        /// What was paid all the same, in tokens.
        tokens: usize,
        /// The transport's own error.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The model would not answer.
    #[error("the language model {model} refused: {reason}")]
    Refused {
        /// Which model.
        model: String,
        /// What was paid all the same, in tokens.
        tokens: usize,
        /// Its words, bounded and without control characters.
        reason: String,
    },
    /// The task may cost more than is left. Nothing was sent.
    #[error("the task may need {needed} tokens and {left} are left")]
    OverBudget {
        /// What it may need.
        needed: usize,
        /// What is left.
        left: usize,
    },
    /// The answer needs more tokens than it was given.
    #[error("the answer of the language model {model} was cut short")]
    CutShort {
        /// Which model.
        model: String,
        /// What was paid all the same, in tokens.
        tokens: usize,
    },
    /// The answer is not of the shape asked for.
    #[error("the language model {model} answered in another shape than asked for")]
    Malformed {
        /// Which model.
        model: String,
        /// What the answer cost all the same.
        tokens: usize,
        /// What is wrong with it.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// No answer to this task was recorded.
    #[error("no answer to this task is recorded")]
    Unrecorded,
    /// The task was put off, to be answered with others later.
    #[error("the task was put off; it may cost {tokens} tokens")]
    Deferred {
        /// What it may cost, in tokens. The ledger takes it as paid.
        tokens: usize,
    },
}

impl LanguageError {
    /// What was paid all the same, in tokens.
    pub fn tokens(&self) -> usize {
        match self {
            Self::Unreachable { tokens, .. }
            | Self::Refused { tokens, .. }
            | Self::CutShort { tokens, .. }
            | Self::Malformed { tokens, .. }
            | Self::Deferred { tokens } => *tokens,
            Self::OverBudget { .. } | Self::Unrecorded => 0,
        }
    }

    /// Its name in reports.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Unreachable { .. } => "unreachable",
            Self::Refused { .. } => "refused",
            Self::OverBudget { .. } => "over-budget",
            Self::CutShort { .. } => "cut-short",
            Self::Malformed { .. } => "malformed",
            Self::Unrecorded => "unrecorded",
            Self::Deferred { .. } => "deferred",
        }
    }
}

/// Answers language tasks.
///
/// Contract: an answer rests on nothing but the request; it never costs more than [`Request::tokens`], prompt included:
/// what could is refused before anything is sent ([`LanguageError::OverBudget`]); the tokens stated are what was paid,
/// also for answers that are later thrown away; a failure is typed and leaves the task to the rules.
pub trait LanguageModel: Send + Sync {
    /// The model's name, for reports.
    fn name(&self) -> &str;

    /// Answers one task.
    ///
    /// # Errors
    /// [`LanguageError`]; the night then falls back to the rules.
    fn answer(&self, request: &Request<'_>) -> Result<Reply, LanguageError>;
}

impl<M: LanguageModel + ?Sized> LanguageModel for &M {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn answer(&self, request: &Request<'_>) -> Result<Reply, LanguageError> {
        (**self).answer(request)
    }
}

impl<M: LanguageModel + ?Sized> LanguageModel for Box<M> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn answer(&self, request: &Request<'_>) -> Result<Reply, LanguageError> {
        (**self).answer(request)
    }
}
