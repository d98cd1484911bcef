//! Memories changed on the page.

use nightfold::memory::{Day, Importance, Kind, Memory, MemoryId, NpcId, config::InputConfig};
use nightfold_formats::jsonl::check_bounds;
use serde::Deserialize;

use crate::DeskError;

/// A memory with another text, importance, kind or pin than the story has.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryEdit {
    /// NPC of the memory.
    pub npc: NpcId,
    /// Memory that is changed.
    pub id: MemoryId,
    /// Text.
    pub text: String,
    /// Importance; `None` if the game does not rate it.
    pub importance: Option<Importance>,
    /// Kind.
    pub kind: Kind,
    /// True if it is kept whatever the settings.
    pub pinned: bool,
}

impl MemoryEdit {
    /// Returns the memory as it is, to be changed from there.
    pub fn of(memory: &Memory) -> Self {
        Self {
            npc: memory.npc.clone(),
            id: memory.id.clone(),
            text: memory.text.clone(),
            importance: memory.importance,
            kind: memory.kind,
            pinned: memory.pinned,
        }
    }

    /// Changes a memory, if it is the one that is edited.
    pub fn apply(&self, memory: &mut Memory) {
        if self.npc != memory.npc || self.id != memory.id {
            return;
        }
        if memory.text != self.text {
            // A vector that came with the memory is that of its old text.
            memory.vector = None;
            memory.text.clone_from(&self.text);
        }
        (memory.importance, memory.kind, memory.pinned) = (self.importance, self.kind, self.pinned);
    }
}

/// Changes the memories of a day that are edited.
///
/// # Errors
/// [`DeskError::Memory`] if a changed memory breaks a bound of the input.
pub(crate) fn edit(day: &mut Day, edits: &[MemoryEdit], limits: &InputConfig) -> Result<(), DeskError> {
    if edits.is_empty() {
        return Ok(());
    }
    for memory in &mut day.memories {
        edits.iter().for_each(|edit| edit.apply(memory));
        check_bounds(memory, limits)
            .map_err(|source| DeskError::Memory { id: memory.id.clone(), source: Box::new(source) })?;
    }
    Ok(())
}
