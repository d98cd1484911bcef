//! Commands that compute or read at once: for tools, loading screens and servers.

use nightfold::{
    Failure, NoObserver, Sleep, apply_plan, days, days_by_night, english::Packs, formats::jsonl,
};
use nightfold_ecs::{
    LongTermStore, NightConfig, NightJudge, SleepQueue, TextEmbedder,
    memory::{LogFilter, MemoryId, MemoryReader, MemoryRecord, MemoryStore, NightPlan, NpcId, Undone},
    reload,
};
use nightfold_store::DurableStore as _;
use serde_json::Value;

use crate::{FailedNight, Town, TownError, TownReply, error::with_causes};

impl Town {
    /// Plans a night for every NPC of these memories, JSON objects as in a file of days; writes nothing. With `by_day`,
    /// each date that has memories is a night. Returns the plan and the nights that cannot be planned.
    ///
    /// # Errors
    /// [`TownError`] if a memory is bad, the host computes the vectors, or the model or the store fails.
    pub fn plan(&self, memories: &[Value], by_day: bool) -> Result<(NightPlan, Vec<FailedNight>), TownError> {
        if self.host.is_some() {
            return Err(TownError::refused(
                "options",
                "a plan is computed at once, and the host that computes the vectors would be waited for: open a town with minilm",
            ));
        }
        let config = &self.world.resource::<NightConfig>().0;
        let text = serde_json::to_string(memories)?;
        let memories = jsonl::read_text("memories", &text, &config.input, None)?;
        let lived = if by_day { days_by_night(memories, None, config) } else { days(memories, None, config) };
        let judge = self.world.resource::<NightJudge>();
        let sleep = Sleep {
            config,
            packs: &Packs,
            embedder: &*self.world.resource::<TextEmbedder>().0,
            store: &*self.world.resource::<LongTermStore>().0,
            language: None,
            judge: judge.0.as_deref(),
            observer: &NoObserver,
        };
        let planned = sleep.plan(lived)?;
        Ok((planned.plan, failed(planned.failures)))
    }

    /// Writes a plan, one transaction for each NPC and night.
    ///
    /// # Errors
    /// [`TownError`] if a night of one of its NPCs is under way, or the plan is not of the store's state; nothing is written
    /// then. If the store fails half-way, nights that were written stay, and applying the plan again writes the others.
    pub fn apply(&mut self, plan: &NightPlan) -> Result<TownReply, TownError> {
        plan.check()?;
        for night in &plan.nights {
            self.no_night_under_way(&night.npc)?;
        }
        let applied = apply_plan(&*self.store, plan);
        // Also after a failure: nights that were written before it stay written.
        for night in &plan.nights {
            reload(&mut self.world, &night.npc)?;
        }
        let applied = applied?;
        Ok(TownReply::Applied {
            written: applied.written,
            unchanged: applied.unchanged,
            failures: failed(applied.failures),
        })
    }

    /// Takes the latest night of an NPC back.
    ///
    /// # Errors
    /// [`TownError`] if a night of the NPC is under way, none is applied, or the store cannot be written.
    pub fn undo(&mut self, npc: &NpcId) -> Result<Undone, TownError> {
        self.no_night_under_way(npc)?;
        let none = || TownError::refused("no_night", format!("no night of {npc} is applied"));
        let undone = self.store.undo(npc)?.ok_or_else(none)?;
        reload(&mut self.world, npc)?;
        Ok(undone)
    }

    /// Returns the entries of an NPC, archived ones included, by id and without vectors.
    ///
    /// # Errors
    /// [`TownError`] if the store cannot be read.
    pub fn entries(&self, npc: &NpcId) -> Result<Vec<MemoryRecord>, TownError> {
        Ok(self.store.entries(npc)?)
    }

    /// Returns an entry with its log, and the ids of its sources and of what was made from it.
    ///
    /// # Errors
    /// [`TownError`] if there is no such entry, or the store cannot be read.
    pub fn why(&self, npc: &NpcId, id: &MemoryId) -> Result<TownReply, TownError> {
        let store = &*self.store;
        let unknown = || TownError::refused("unknown_entry", format!("{npc} has no entry {id}"));
        let mut memory = store.entry(npc, id)?.ok_or_else(unknown)?;
        memory.entry.vector = None;
        Ok(TownReply::Why {
            memory: Box::new(memory),
            log: store.log(npc, LogFilter::Entry(id))?,
            from: store.sources(npc, id)?,
            into: store.derived(npc, id)?,
        })
    }

    /// Returns long-term memory, of one NPC or of all, as lines of JSON.
    ///
    /// # Errors
    /// [`TownError`] if the store cannot be read.
    pub fn export(&self, npc: Option<&NpcId>) -> Result<String, TownError> {
        let mut lines = Vec::new();
        self.store.export(npc, &mut lines)?;
        Ok(String::from_utf8_lossy(&lines).into_owned())
    }

    fn no_night_under_way(&self, npc: &NpcId) -> Result<(), TownError> {
        if self.world.resource::<SleepQueue>().is_under_way(npc) {
            let message = format!("a night of {npc} is under way; its end is told by an event");
            return Err(TownError::refused("night_under_way", message));
        }
        Ok(())
    }
}

fn failed(failures: Vec<Failure>) -> Vec<FailedNight> {
    failures.into_iter().map(|f| FailedNight { npc: f.npc, error: with_causes(&f.error) }).collect()
}
