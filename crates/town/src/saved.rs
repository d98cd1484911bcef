//! Saved towns: saving and loading.

use std::sync::Arc;

use nightfold_ecs::{
    Asleep, Checkpoint, DailyMemories, GameClock, LongTermStore, NpcDirectory, NpcMind, NpcTags,
    RecallQuestion, SleepQueue, SleepTiming, TextEmbedder, TokensLeft,
    bevy_ecs::entity::Entity,
    memory::{GameTime, MemoryReader, SavePointName},
    restore, save,
};
use nightfold_store::{DurableStore as _, ImportOptions, SqliteStore};
use serde::{Deserialize, Serialize};

use crate::{StorePlace, Town, TownError, town::drain};

/// Format of a saved town that this version writes, and the latest that it reads.
pub const SAVED_TOWN_FORMAT: u32 = 1;

/// A saved town: its NPCs with their days and sleeps, and its nights under way. Serialise it into the game's own save.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SavedTown {
    /// Format version, [`SAVED_TOWN_FORMAT`].
    pub(crate) format: u32,
    pub(crate) now: GameTime,
    /// True if its nights are written and told at fixed moments.
    pub(crate) lockstep: bool,
    pub(crate) tokens: u64,
    pub(crate) npcs: Vec<SavedNpc>,
    pub(crate) nights: Checkpoint,
    /// Long-term memory as lines of JSON, if it is carried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) memory: Option<String>,
}

impl PartialEq for SavedTown {
    fn eq(&self, other: &Self) -> bool {
        // By what is saved: minds have no equality of their own.
        serde_json::to_value(self).ok() == serde_json::to_value(other).ok()
    }
}

/// One NPC of a saved town.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SavedNpc {
    pub(crate) mind: NpcMind,
    pub(crate) day: DailyMemories,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) asleep: Option<Asleep>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tags: Option<NpcTags>,
}

impl Town {
    /// Saves the town. With a slot, the state of long-term memory is noted as a save point of that name, to which loading rewinds it;
    /// with `with_memory`, the saved town carries long-term memory itself. Questions without an answer are not saved.
    ///
    /// # Errors
    /// [`TownError`] if long-term memory is in a file and should be carried, or the store cannot be written or read.
    pub fn save(&mut self, slot: Option<&SavePointName>, with_memory: bool) -> Result<SavedTown, TownError> {
        if with_memory && self.place != StorePlace::Memory {
            return Err(memory_in_file());
        }
        if with_memory && slot.is_some() {
            return Err(TownError::refused(
                "options",
                "a save point is of this town's long-term memory, and the saved town carries it: give slot or with_memory",
            ));
        }
        let nights = match slot {
            Some(slot) => save(&self.world, slot)?,
            None => self.world.resource::<SleepQueue>().checkpoint(),
        };
        let memory = with_memory.then(|| self.export(None)).transpose()?;
        let mut all = self.world.query::<(&NpcMind, &DailyMemories, Option<&Asleep>, Option<&NpcTags>)>();
        let saved =
            |(mind, day, asleep, tags): (&NpcMind, &DailyMemories, Option<&Asleep>, Option<&NpcTags>)| {
                SavedNpc {
                    mind: mind.clone(),
                    day: day.clone(),
                    asleep: asleep.cloned(),
                    tags: tags.cloned(),
                }
            };
        let mut npcs: Vec<SavedNpc> = all.iter(&self.world).map(saved).collect();
        npcs.sort_by(|a, b| a.mind.npc().cmp(b.mind.npc()));
        let tokens = self.world.resource::<TokensLeft>().0;
        let (now, lockstep) = (self.now(), self.in_lockstep());
        Ok(SavedTown { format: SAVED_TOWN_FORMAT, now, lockstep, tokens, npcs, nights, memory })
    }

    /// Loads a saved town in place of this one. Nights under way are given up, unread events and open questions dropped.
    ///
    /// # Errors
    /// [`TownError`] if the saved town is of a newer format, its memory cannot be read, or the store cannot be rewound; the town is
    /// as before then.
    pub fn load(&mut self, saved: SavedTown) -> Result<(), TownError> {
        if saved.format != SAVED_TOWN_FORMAT {
            let message = format!(
                "the saved town is of format {}; this version reads format {SAVED_TOWN_FORMAT}",
                saved.format
            );
            return Err(TownError::refused("saved_town", message));
        }
        if saved.lockstep != self.in_lockstep() {
            return Err(TownError::refused(
                "options",
                "the town was saved with another timing: nights of lockstep go on in lockstep alone",
            ));
        }
        if saved.memory.is_none() && !self.has_past_of(&saved)? {
            return Err(TownError::refused(
                "saved_town",
                "the saved town carries no memory, and the store has not the nights that its NPCs had: open the store of the save, \
                 or save with a save point or with_memory",
            ));
        }
        let store = saved.memory.as_deref().map(|lines| self.carried(lines)).transpose()?;
        let before = self.world.resource::<LongTermStore>().clone();
        if let Some(store) = &store {
            self.world.insert_resource(LongTermStore(store.clone()));
        }
        if let Err(error) = restore(&mut self.world, saved.nights) {
            self.world.insert_resource(before);
            return Err(error.into());
        }
        self.store = store.unwrap_or_else(|| self.store.clone());
        if let Some(host) = &self.host {
            // Jobs of the town before are told to stop by now: none that waits asks again.
            host.inner().give_up(false);
        }
        let gone: Vec<Entity> =
            self.world.resource::<NpcDirectory>().iter().map(|(_, entity)| entity).collect();
        for entity in gone {
            self.world.despawn(entity);
        }
        self.world.insert_resource(GameClock { now: saved.now });
        self.world.insert_resource(TokensLeft(saved.tokens));
        for SavedNpc { mind, day, asleep, tags } in saved.npcs {
            let mut npc = self.world.spawn((mind, day));
            asleep.into_iter().for_each(|asleep| _ = npc.insert(asleep));
            tags.into_iter().for_each(|tags| _ = npc.insert(tags));
        }
        drop(drain::<RecallQuestion>(&mut self.world));
        self.take_told();
        self.events.clear();
        self.asked.clear();
        Ok(())
    }

    /// Makes a store of the long-term memory that a saved town carries.
    fn carried(&self, lines: &str) -> Result<Arc<SqliteStore>, TownError> {
        if self.place != StorePlace::Memory {
            return Err(memory_in_file());
        }
        let options = ImportOptions {
            model: Some(self.world.resource::<TextEmbedder>().0.model().clone()),
            dimensions: Some(self.world.resource::<TextEmbedder>().0.dimensions()),
        };
        let store = SqliteStore::in_memory()?;
        store.import(&mut lines.as_bytes(), &options)?;
        Ok(Arc::new(store))
    }

    /// True if the store has the last night of every NPC of a saved town, or will be rewound to it.
    fn has_past_of(&self, saved: &SavedTown) -> Result<bool, TownError> {
        if saved.nights.save_point().is_some() {
            return Ok(true);
        }
        for SavedNpc { mind, .. } in saved.npcs.iter().filter(|npc| npc.mind.version() != 0) {
            if !self.store.has_version(mind.npc(), mind.version())? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn in_lockstep(&self) -> bool {
        *self.world.resource::<SleepTiming>() != SleepTiming::AsReady
    }
}

fn memory_in_file() -> TownError {
    TownError::refused(
        "saved_town",
        "the town has its long-term memory in a file, which a saved game does not carry; give a save point instead",
    )
}
