//! Tasks for a language model. The rules do a task that no model answers.

use serde::{Deserialize, Serialize};

use crate::{id::MemoryId, plan::ReflectionKind};

/// Average bytes of English text per token.
pub const BYTES_PER_TOKEN: usize = 4;

/// Memory as a task shows it to a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceText {
    /// Id that an answer cites.
    pub id: MemoryId,
    /// Text. Players may have written it: it is data, never an instruction.
    pub text: String,
    /// True if a synthesis must quote the text verbatim because it is important.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub verbatim: bool,
    /// Name of who said it, if it is talk of others ([`heard_from`](crate::heard_from)).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said_by: Option<String>,
}

/// Kind of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", tag = "task")]
pub enum TaskKind {
    /// One text that covers all sources.
    Synthesis,
    /// Up to `slots` reflections that rest on the sources.
    Reflections {
        /// Maximum number of reflections.
        slots: usize,
    },
    /// One reflection that connects two themes, or none. The first `first` sources belong to one theme, the
    /// rest to the other.
    Connection {
        /// Number of sources of the first theme.
        first: usize,
    },
    /// Stance of the second of two sources to the first; the only answer is the name of a
    /// [`Stance`](crate::Stance).
    Stance,
    /// Stance of all other sources to the last one, which was concluded from them: the only answer is the name of a
    /// [`Stance`](crate::Stance), *same* if they bear it out.
    Support,
}

/// Entry of an earlier night as a task shows it to a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastText {
    /// Id of the entry.
    pub id: MemoryId,
    /// Text. It is data, never an instruction.
    pub text: String,
    /// Standing of the entry.
    pub standing: PastStanding,
    /// Name of who said it, if it is talk of others ([`heard_from`](crate::heard_from)).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said_by: Option<String>,
}

/// Standing of an entry of an earlier night.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PastStanding {
    /// It tells what happened or what is so. An answer may cite it.
    Known,
    /// It is a promise, a debt or a threat that is not closed. An answer may cite it.
    Open,
    /// The NPC concluded it itself: it is no event, and no answer rests on it.
    Concluded,
}

/// Task for a language model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LanguageTask {
    /// Number of the task within the night; answers refer to it.
    pub id: usize,
    /// Kind of the task.
    pub kind: TaskKind,
    /// Name of the NPC, by which its memories may refer to it. It is data, too.
    pub me: String,
    /// Memories that the task is about.
    pub sources: Vec<SourceText>,
    /// Entries of earlier nights that bear on the sources, the most telling first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub past: Vec<PastText>,
    /// Maximum number of tokens of prompt and answer together, estimated at four bytes per token.
    pub tokens: usize,
    /// Value of a good answer per token; the tasks with the highest value come first.
    pub value: f64,
}

impl LanguageTask {
    /// Returns the entries of earlier nights that an answer may cite.
    pub fn citable_past(&self) -> impl Iterator<Item = &PastText> {
        self.past.iter().filter(|text| text.standing != PastStanding::Concluded)
    }

    /// Returns the task with a past that is shorter by this many bytes of text or more: the least telling entries
    /// are left out. `None` if the past is not that long.
    #[must_use]
    pub fn with_shorter_past(&self, bytes: usize) -> Option<Self> {
        let mut left_out = 0;
        let leaves = self.past.iter().rev().take_while(|text| {
            let short = left_out < bytes;
            left_out += text.text.len();
            short
        });
        let kept = self.past.len() - leaves.count();
        let past = self.past.get(..kept)?.to_vec();
        let tokens = self.tokens.saturating_sub(left_out / BYTES_PER_TOKEN);
        (left_out >= bytes && kept < self.past.len()).then(|| Self { past, tokens, ..self.clone() })
    }
}

/// Answer of a language model. A night checks all of it before using it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Answer {
    /// Text of the answer.
    pub text: String,
    /// Kind of the reflection, if a reflection was asked for.
    #[serde(default)]
    pub kind: Option<ReflectionKind>,
    /// Ids of the memories it rests on.
    pub cites: Vec<MemoryId>,
    /// Confidence that the model states, 0 to 1, if it states one. It is shown but never relied on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f32>,
}

/// Fault for which an answer is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// The answer does not have the requested shape, or contains characters that could control a terminal.
    Malformed,
    /// The answer is empty although a text was needed.
    Empty,
    /// The text is longer than a memory may be.
    TooLong,
    /// The text is not in the first person of the NPC.
    NotFirstPerson,
    /// The answer cites fewer than two of the given memories, or none of the day.
    TooFewCited,
    /// The text contains a name or number that none of the cited memories contains.
    Ungrounded,
    /// A statement of the text contradicts one of its sources.
    Contradicted,
    /// A statement of the text does not follow from its sources.
    Unsupported,
    /// The text states what the NPC has only heard, and neither says that it was said nor doubts it.
    HeardOnly,
    /// The text leaves out a name, a number, a negation or most of the content of a source.
    LosesFact,
    /// The text shares nothing with its sources: it could be said of anything.
    EmptyTalk,
    /// The text adds nothing to one of its sources or to another reflection.
    NearCopy,
    /// The reflection connects two themes but rests on only one.
    OneTheme,
}

impl Fault {
    /// Returns the name used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::Empty => "empty",
            Self::TooLong => "too-long",
            Self::NotFirstPerson => "not-first-person",
            Self::TooFewCited => "too-few-cited",
            Self::Ungrounded => "ungrounded",
            Self::Contradicted => "contradicted",
            Self::Unsupported => "unsupported",
            Self::HeardOnly => "heard-only",
            Self::LosesFact => "loses-fact",
            Self::EmptyTalk => "empty-talk",
            Self::NearCopy => "near-copy",
            Self::OneTheme => "one-theme",
        }
    }

    /// Returns the fault in words that continue a sentence after "it".
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Malformed => "holds what could steer a terminal",
            Self::Empty => "says nothing",
            Self::TooLong => "is longer than a text may be (synthesis.max_chars)",
            Self::NotFirstPerson => "does not speak as the NPC itself",
            Self::TooFewCited => "rests on fewer than two memories",
            Self::Ungrounded => "says a name or a number that stands in none of its sources",
            Self::Contradicted => "says the opposite of what one of its sources says",
            Self::Unsupported => "says what does not follow from its sources",
            Self::HeardOnly => "states as its own knowledge what somebody only said",
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

/// Request to a language model.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// Task to answer.
    pub task: &'a LanguageTask,
    /// Faults of the previous answer, if this is another try.
    pub faults: &'a [Fault],
    /// Maximum number of tokens of prompt and answer together.
    pub tokens: usize,
}

/// Reply of a language model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// Answers; an empty list is valid if a reflection was asked for.
    pub answers: Vec<Answer>,
    /// Tokens that prompts and answers count, failed tries included: what was sent and allowed, whatever came back.
    pub tokens: usize,
}

/// Reason why a language model gave no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LanguageError {
    /// The model did not respond.
    #[error("the language model {model} cannot be reached")]
    Unreachable {
        /// Name of the model.
        model: String,
        /// Tokens paid all the same.
        tokens: usize,
        /// Error of the transport.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The model refused to answer.
    #[error("the language model {model} refused: {reason}")]
    Refused {
        /// Name of the model.
        model: String,
        /// Tokens paid all the same.
        tokens: usize,
        /// Message of the model, shortened and without control characters.
        reason: String,
    },
    /// The task may cost more tokens than are left. Nothing was sent.
    #[error("the task may need {needed} tokens and {left} are left")]
    OverBudget {
        /// Tokens that the task may need.
        needed: usize,
        /// Tokens that are left.
        left: usize,
    },
    /// The answer was cut off because it needed more tokens than it was given.
    #[error("the answer of the language model {model} was cut short")]
    CutShort {
        /// Name of the model.
        model: String,
        /// Tokens paid all the same.
        tokens: usize,
    },
    /// The answer does not have the requested shape.
    #[error("the language model {model} answered in another shape than asked for")]
    Malformed {
        /// Name of the model.
        model: String,
        /// Tokens paid all the same.
        tokens: usize,
        /// Error of parsing the answer.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// No answer to this task is recorded.
    #[error("no answer to this task is recorded")]
    Unrecorded,
}

impl LanguageError {
    /// Returns the tokens paid all the same.
    pub fn tokens(&self) -> usize {
        match self {
            Self::Unreachable { tokens, .. }
            | Self::Refused { tokens, .. }
            | Self::CutShort { tokens, .. }
            | Self::Malformed { tokens, .. } => *tokens,
            Self::OverBudget { .. } | Self::Unrecorded => 0,
        }
    }

    /// Returns the name used in reports.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Unreachable { .. } => "unreachable",
            Self::Refused { .. } => "refused",
            Self::OverBudget { .. } => "over-budget",
            Self::CutShort { .. } => "cut-short",
            Self::Malformed { .. } => "malformed",
            Self::Unrecorded => "unrecorded",
        }
    }
}

/// Answers language tasks.
///
/// Contract:
/// - an answer rests on the request alone;
/// - an answer never costs more than [`Request::tokens`], prompt included; a request that could is refused
///   before it is sent ([`LanguageError::OverBudget`]);
/// - the stated tokens count everything that was sent, whatever became of it: tries that failed, answers that never
///   came or are rejected later;
/// - a failure is typed and leaves the task to the rules.
pub trait LanguageModel: Send + Sync {
    /// Returns the name of the model, for reports.
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
