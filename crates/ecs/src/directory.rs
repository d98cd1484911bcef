//! The NPCs of a world by name.

use std::collections::BTreeMap;

use bevy_ecs::prelude::*;
use nightfold_memory::NpcId;

/// Entities of all NPCs of the world by name: those that have an [`NpcMind`](crate::NpcMind). A name belongs to one
/// entity at a time; an [`NpcMind`](crate::NpcMind) of a name that another entity has is removed again, and
/// [`MindRefused`](crate::MindRefused) is sent, because two NPCs of one name would share their memories.
#[derive(Resource, Debug, Clone, Default)]
pub struct NpcDirectory(BTreeMap<NpcId, Entity>);

impl NpcDirectory {
    /// Returns the entity of an NPC; `None` if none of this name is in the world.
    pub fn get(&self, npc: &NpcId) -> Option<Entity> {
        self.0.get(npc).copied()
    }

    /// Returns the number of NPCs.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if the world has no NPC.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns all NPCs by name.
    pub fn iter(&self) -> impl Iterator<Item = (&NpcId, Entity)> {
        self.0.iter().map(|(npc, entity)| (npc, *entity))
    }

    /// Adds an NPC, unless its name belongs to another entity, which is returned.
    pub(crate) fn register(&mut self, npc: &NpcId, entity: Entity) -> Result<(), Entity> {
        match *self.0.entry(npc.clone()).or_insert(entity) {
            holder if holder == entity => Ok(()),
            holder => Err(holder),
        }
    }

    /// Removes an NPC if this entity has its name.
    pub(crate) fn unregister(&mut self, npc: &NpcId, entity: Entity) {
        if self.get(npc) == Some(entity) {
            self.0.remove(npc);
        }
    }
}
