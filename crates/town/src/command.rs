//! Commands to a town and their replies.

use nightfold_ecs::{
    NewMemory, RecallFilter,
    memory::{GameTime, LogLine, MemoryId, MemoryRecord, NightPlan, NpcId, SavePointName, Undone},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{SavedTown, Town, TownError, TownStatus};

/// Command to a town, as JSON: `{"do": "live", "npc": "Mara", …}`. The commands from `plan` on compute or read at once and may
/// take a while: they are for tools, loading screens and servers, not for a frame.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum TownCommand {
    /// An NPC is there: spawned or streamed in.
    Spawn {
        /// Name.
        npc: NpcId,
        /// True if it can be asked by day (false).
        #[serde(default)]
        recalls: bool,
        /// Tags that choose its profile of the configuration; without, it keeps those of its latest night.
        #[serde(default)]
        tags: Option<Vec<String>>,
    },
    /// An NPC is gone, with the memories of its day. A night that is under way is finished.
    Despawn {
        /// Name.
        npc: NpcId,
    },
    /// An NPC lives through something.
    Live {
        /// Name.
        npc: NpcId,
        /// The memory.
        memory: NewMemory,
    },
    /// An NPC goes to bed.
    Sleep {
        /// Name.
        npc: NpcId,
        /// Moment of falling asleep (now).
        #[serde(default)]
        since: Option<GameTime>,
        /// Moment of waking.
        until: GameTime,
        /// Quality of the sleep, 0 to 1 (1).
        #[serde(default = "sound")]
        quality: f64,
    },
    /// An NPC is woken.
    Wake {
        /// Name.
        npc: NpcId,
    },
    /// An NPC is asked; the reply has a ticket, and an `answered` event comes some ticks later.
    Ask {
        /// Name.
        npc: NpcId,
        /// Question in plain words.
        question: String,
        /// Condition on the memories that may answer (all may).
        #[serde(default)]
        filter: RecallFilter,
        /// Maximum number of tokens of the text for a prompt that comes with the answer (none comes).
        #[serde(default)]
        context: Option<usize>,
    },
    /// Game time moves on.
    Tick {
        /// Moment of this tick.
        now: GameTime,
    },
    /// Vectors for a batch of texts, from a host with a model of its own.
    Vectors {
        /// Number of the batch.
        batch: u64,
        /// One vector for each text, in order; their length does not matter.
        vectors: Vec<Vec<f32>>,
    },
    /// Counts of the town.
    Status {},
    /// Saves the town.
    Save {
        /// Name of the save point at which the state of long-term memory is noted: loading rewinds it.
        #[serde(default)]
        slot: Option<SavePointName>,
        /// True to carry long-term memory in the saved town (false); only if it is in no file.
        #[serde(default)]
        with_memory: bool,
    },
    /// Loads a saved town in place of this one.
    Load {
        /// A reply of `save`.
        saved: Box<SavedTown>,
    },
    /// Plans a night for every NPC of these memories, and writes nothing.
    Plan {
        /// Memories as JSON objects with `npc` and `id`, as in a file of days.
        memories: Vec<Value>,
        /// True for a night of every date that has memories (false: one night for all of them).
        #[serde(default)]
        by_day: bool,
    },
    /// Writes a plan.
    Apply {
        /// A reply of `plan`, as it was.
        plan: Value,
    },
    /// Takes the latest night of an NPC back.
    Undo {
        /// Name.
        npc: NpcId,
    },
    /// Entries of an NPC, archived ones included.
    Entries {
        /// Name.
        npc: NpcId,
    },
    /// An entry with everything that became of it.
    Why {
        /// Name.
        npc: NpcId,
        /// Id of the entry.
        id: MemoryId,
    },
    /// Long-term memory as lines of JSON, from which `nightfold import` makes a store.
    Export {
        /// NPC whose memory is meant (all).
        #[serde(default)]
        npc: Option<NpcId>,
    },
}

fn sound() -> f64 {
    1.0
}

/// Night that was not planned or not written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailedNight {
    /// The NPC.
    pub npc: NpcId,
    /// Reason.
    pub error: String,
}

/// Reply to a command.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum TownReply {
    /// Done, and nothing to say.
    Done {},
    /// The question is taken.
    Asked {
        /// Ticket that comes back with the answer.
        ticket: u64,
    },
    /// The tick was run.
    Ticked {
        /// Number of events to be read.
        events: usize,
    },
    /// Counts of the town.
    Status {
        /// The counts.
        status: TownStatus,
    },
    /// The saved town.
    Saved {
        /// It, as `load` reads it.
        saved: Box<SavedTown>,
    },
    /// The plan.
    Planned {
        /// It, as `apply` reads it.
        plan: Box<NightPlan>,
        /// NPCs whose nights cannot be planned.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        failures: Vec<FailedNight>,
    },
    /// The plan is written.
    Applied {
        /// Number of nights that were written.
        written: usize,
        /// Number of nights that had been applied before, or change nothing.
        unchanged: usize,
        /// Nights that the store refused.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        failures: Vec<FailedNight>,
    },
    /// The night is taken back.
    Undone {
        /// The night.
        undone: Undone,
    },
    /// Entries of an NPC.
    Entries {
        /// The entries, by id and without vectors.
        entries: Vec<MemoryRecord>,
    },
    /// An entry and what became of it.
    Why {
        /// The entry, without its vector.
        memory: Box<MemoryRecord>,
        /// Its log, the oldest line first.
        log: Vec<LogLine>,
        /// Ids of the entries that it was made from.
        from: Vec<MemoryId>,
        /// Ids of the entries that were made from it.
        into: Vec<MemoryId>,
    },
    /// Long-term memory as lines of JSON.
    Exported {
        /// The lines.
        lines: String,
    },
}

impl TownCommand {
    /// True if it only reads: it changes neither the town nor its long-term memory, and computes nothing.
    pub fn only_reads(&self) -> bool {
        matches!(self, Self::Status {} | Self::Entries { .. } | Self::Why { .. } | Self::Export { .. })
    }
}

impl Town {
    /// Carries a command out.
    ///
    /// # Errors
    /// [`TownError`]; nothing was changed then.
    pub fn carry_out(&mut self, command: TownCommand) -> Result<TownReply, TownError> {
        match command {
            TownCommand::Spawn { npc, recalls, tags } => self.spawn(npc, recalls, tags)?,
            TownCommand::Despawn { npc } => self.despawn(&npc)?,
            TownCommand::Live { npc, memory } => self.live(&npc, memory)?,
            TownCommand::Sleep { npc, since, until, quality } => self.sleep(&npc, since, until, quality)?,
            TownCommand::Wake { npc } => self.wake(&npc)?,
            TownCommand::Ask { npc, question, filter, context } => {
                return Ok(TownReply::Asked { ticket: self.ask(&npc, question, filter, context)? });
            }
            TownCommand::Tick { now } => return Ok(TownReply::Ticked { events: self.tick(now)? }),
            TownCommand::Vectors { batch, vectors } => {
                self.give_rows(batch, &vectors)?;
            }
            TownCommand::Status {} => return Ok(TownReply::Status { status: self.status() }),
            TownCommand::Save { slot, with_memory } => {
                return Ok(TownReply::Saved { saved: Box::new(self.save(slot.as_ref(), with_memory)?) });
            }
            TownCommand::Load { saved } => self.load(*saved)?,
            TownCommand::Plan { memories, by_day } => {
                let (plan, failures) = self.plan(&memories, by_day)?;
                return Ok(TownReply::Planned { plan: Box::new(plan), failures });
            }
            TownCommand::Apply { plan } => {
                return self.apply(&NightPlan::from_json(plan.to_string().as_bytes())?);
            }
            TownCommand::Undo { npc } => return Ok(TownReply::Undone { undone: self.undo(&npc)? }),
            TownCommand::Entries { npc } => return Ok(TownReply::Entries { entries: self.entries(&npc)? }),
            TownCommand::Why { npc, id } => return self.why(&npc, &id),
            TownCommand::Export { npc } => {
                return Ok(TownReply::Exported { lines: self.export(npc.as_ref())? });
            }
        }
        Ok(TownReply::Done {})
    }

    /// Carries a command out that is written as JSON, and returns the reply as JSON.
    ///
    /// # Errors
    /// [`TownError`]; nothing was changed then.
    pub fn do_json(&mut self, command: &str) -> Result<String, TownError> {
        let reply = self.carry_out(serde_json::from_str(command)?)?;
        Ok(serde_json::to_string(&reply)?)
    }
}
