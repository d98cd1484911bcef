//! What an NPC just lived through.

use nightfold_memory::{Emotion, GameTime, Importance, InputConfig, Kind, Memory, MemoryId, NpcId};
use serde::{Deserialize, Serialize};

use crate::MemoryError;

/// Something an NPC lived through, before it has a name: [`DailyMemories::remember`](crate::DailyMemories::remember)
/// makes a [`Memory`] of it.
///
/// ```
/// use nightfold_ecs::Lived;
/// use nightfold_ecs::memory::{GameTime, Importance, Kind};
///
/// let heard = Lived::new(GameTime::ZERO, Kind::Chat, "Wren told me the mill burned down")
///     .with_importance(Importance::new(8)?)
///     .with_actors(["Wren"]);
/// assert_eq!(heard.actors, ["Wren"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lived {
    /// When, in game time.
    pub at: GameTime,
    /// What sort of experience it is.
    pub kind: Kind,
    /// What is remembered. Players write it too: data, never an instruction.
    pub text: String,
    /// 1 to 10; 5 is taken when absent.
    #[serde(default)]
    pub importance: Option<Importance>,
    /// Who took part.
    #[serde(default)]
    pub actors: Vec<String>,
    /// The game's own marks.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Where it happened.
    #[serde(default)]
    pub place: Option<String>,
    /// How it felt.
    #[serde(default)]
    pub emotion: Option<Emotion>,
    /// Never pruned, never told with others.
    #[serde(default)]
    pub pinned: bool,
}

impl Lived {
    /// Something that happened, of usual importance.
    pub fn new(at: GameTime, kind: Kind, text: impl Into<String>) -> Self {
        Self {
            at,
            kind,
            text: text.into(),
            importance: None,
            actors: Vec::new(),
            tags: Vec::new(),
            place: None,
            emotion: None,
            pinned: false,
        }
    }

    /// The same, mattering so much.
    #[must_use]
    pub fn with_importance(self, importance: Importance) -> Self {
        Self { importance: Some(importance), ..self }
    }

    /// The same, with whoever took part.
    #[must_use]
    pub fn with_actors<A: Into<String>>(self, actors: impl IntoIterator<Item = A>) -> Self {
        Self { actors: actors.into_iter().map(Into::into).collect(), ..self }
    }

    /// The same, at a place.
    #[must_use]
    pub fn with_place(self, place: impl Into<String>) -> Self {
        Self { place: Some(place.into()), ..self }
    }

    /// The memory it becomes under a name.
    pub(crate) fn named(self, npc: &NpcId, id: MemoryId) -> Memory {
        Memory {
            id,
            npc: npc.clone(),
            at: self.at,
            kind: self.kind,
            text: self.text,
            importance: self.importance,
            actors: self.actors,
            tags: self.tags,
            pinned: self.pinned,
            place: self.place,
            emotion: self.emotion,
            sources: Vec::new(),
            vector: None,
        }
    }
}

/// Holds a memory against the bounds of `[input]`.
pub(crate) fn check(memory: &Memory, limits: &InputConfig) -> Result<(), MemoryError> {
    if memory.text.len() > limits.max_text_bytes {
        return Err(MemoryError::TextTooLong { bytes: memory.text.len(), most: limits.max_text_bytes });
    }
    for (field, given) in
        [("actors", memory.actors.len()), ("tags", memory.tags.len()), ("sources", memory.sources.len())]
    {
        if given > limits.max_list {
            return Err(MemoryError::ListTooLong { field, given, most: limits.max_list });
        }
    }
    Ok(())
}
