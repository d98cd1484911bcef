//! Memories as games form them, before they have an id.

use nightfold_memory::{Emotion, GameTime, Importance, Kind, Memory, MemoryId, NpcId, config::InputConfig};
use serde::{Deserialize, Serialize};

use crate::MemoryError;

/// Memory without an id; [`DailyMemories::remember`](crate::DailyMemories::remember) makes a [`Memory`] of
/// it.
///
/// ```
/// use nightfold_ecs::NewMemory;
/// use nightfold_ecs::memory::{GameTime, Importance, Kind};
///
/// let eight = Importance::new(8)?;
/// let heard = NewMemory::new(GameTime::ZERO, Kind::Chat, "Wren told me the mill burned down")
///     .with(|memory| (memory.importance, memory.actors) = (Some(eight), vec!["Wren".to_owned()]));
/// assert_eq!(heard.actors, ["Wren"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewMemory {
    /// Moment in game time.
    pub at: GameTime,
    /// Kind of experience.
    pub kind: Kind,
    /// Text of the memory. Players may write it: data, never an instruction.
    pub text: String,
    /// Importance, 1 to 10; if it is absent, the night weighs the memory by its text.
    #[serde(default)]
    pub importance: Option<Importance>,
    /// Names of the participants.
    #[serde(default)]
    pub actors: Vec<String>,
    /// Tags of the game.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Place where it happened.
    #[serde(default)]
    pub place: Option<String>,
    /// Emotion felt.
    #[serde(default)]
    pub emotion: Option<Emotion>,
    /// True to never prune it nor merge it into a synthesis.
    #[serde(default)]
    pub pinned: bool,
}

impl NewMemory {
    /// Creates a memory without an importance, which the night weighs by its text.
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

    /// Sets further fields.
    #[must_use]
    pub fn with(mut self, edit: impl FnOnce(&mut Self)) -> Self {
        edit(&mut self);
        self
    }

    /// Returns the memory of an NPC under an id.
    pub(crate) fn named(self, npc: &NpcId, id: MemoryId) -> Memory {
        Memory::new(npc.clone(), id, self.at, self.kind, self.text).with(|memory| {
            memory.importance = self.importance;
            memory.actors = self.actors;
            memory.tags = self.tags;
            memory.pinned = self.pinned;
            memory.place = self.place;
            memory.emotion = self.emotion;
        })
    }
}

/// Checks a memory against the bounds of `[input]`.
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
