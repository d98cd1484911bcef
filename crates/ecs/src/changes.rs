//! Changes of an NPC's mind in a night, as a game tells them.

use nightfold::consolidate::review::{EarlierEntries, Extent, StatementIndex};
use nightfold_memory::{
    Change, Entry, GameTime, Kind, MemoryId, MemoryReader, NpcId, NpcNight, Reason, RecordKind,
    ReflectionKind,
};
use serde::Serialize;

/// A statement that an NPC knows or knew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Statement {
    /// Id in the store; `nightfold why` shows where it comes from.
    pub id: MemoryId,
    /// Its text; `None` if an older statement could not be read back from the store. Players may have written it: clean
    /// it before printing it to a terminal.
    pub text: Option<String>,
}

/// Change of an NPC's mind in a night.
///
/// ```
/// use nightfold_ecs::{MindChange, NightConsolidated};
///
/// fn gossip(told: &NightConsolidated) -> Vec<String> {
///     let changed = told.summary.changes.iter().filter_map(|change| match change {
///         MindChange::BeliefChanged { new, told_by, .. } => {
///             Some(format!("{} no longer believes it: {:?} (from {told_by:?})", told.npc, new.text))
///         }
///         _ => None,
///     });
///     changed.collect()
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "change", rename_all = "snake_case")]
#[non_exhaustive]
pub enum MindChange {
    /// It remembers something new, in its own words or several memories in one.
    Learnt {
        /// Statement that it remembers.
        statement: Statement,
        /// Verbatim memory or synthesis.
        form: RecordKind,
        /// Names of the participants.
        actors: Vec<String>,
    },
    /// It believes something else than before.
    BeliefChanged {
        /// Statement that it believed.
        old: Statement,
        /// Statement that it believes now.
        new: Statement,
        /// Evidence that decided it.
        reason: Reason,
        /// Names of those who told it so, if it was told: the participants of the talk, without the NPC itself.
        told_by: Vec<String>,
    },
    /// It does not know which of several statements holds.
    Contested {
        /// Statement that is contested.
        statement: Statement,
        /// Statements that contradict it.
        by: Vec<Statement>,
        /// Evidence that decided it.
        reason: Reason,
    },
    /// It knows that a part of what it remembers no longer holds.
    Ended {
        /// Statement that it remembers, as it was.
        statement: Statement,
        /// Words of the statement that no longer hold.
        position: String,
        /// Moment from which on they no longer hold.
        since: GameTime,
        /// Statement because of which it knows.
        by: Statement,
        /// Evidence that decided it.
        reason: Reason,
    },
    /// It heard or saw again what it knew.
    Confirmed {
        /// Statement that it knew.
        statement: Statement,
        /// Number of corroborations so far.
        times: u32,
    },
    /// It remembers again what it had put away.
    Recollected {
        /// Statement that it remembers again.
        statement: Statement,
        /// Evidence that decided it.
        reason: Reason,
    },
    /// It no longer knows something that it knew. Memories of the day that found no room are counted in the report.
    Forgot {
        /// Statement that it knew.
        statement: Statement,
        /// Evidence that decided it.
        reason: Reason,
    },
    /// It drew a conclusion.
    Reflected {
        /// The conclusion, in its own words.
        statement: Statement,
        /// Kind of the conclusion.
        kind: ReflectionKind,
        /// Memories that it rests on.
        sources: Vec<MemoryId>,
        /// Names of those who took part in them.
        actors: Vec<String>,
    },
}

/// Returns the changes of a night that was written. The texts of older statements are read from the store.
pub(crate) fn of_night(night: &NpcNight, store: &dyn MemoryReader) -> Vec<MindChange> {
    let mut before = EarlierEntries::new();
    if let Err(error) = before.look_up(night, Extent::All, store) {
        tracing::warn!(npc = %night.npc, %error, "earlier statements cannot be read back");
    }
    let changes = NightChanges { npc: &night.npc, statements: StatementIndex::of(night, &before) };
    night.changes.iter().filter_map(|change| changes.change(change)).collect()
}

struct NightChanges<'a> {
    npc: &'a NpcId,
    statements: StatementIndex<'a>,
}

impl NightChanges<'_> {
    fn change(&self, change: &Change) -> Option<MindChange> {
        Some(match change {
            Change::Store { entry, .. } | Change::Chunk { entry, .. } => {
                MindChange::Learnt { statement: own(entry), form: entry.form, actors: entry.actors.clone() }
            }
            Change::Reflect { entry, reflection, .. } => MindChange::Reflected {
                statement: own(entry),
                kind: *reflection,
                sources: entry.sources.clone(),
                actors: entry.actors.clone(),
            },
            Change::Supersede { id, sources, reason } => MindChange::BeliefChanged {
                old: self.statement(id),
                new: self.statement(sources.first()?),
                reason: reason.clone(),
                told_by: self.told_by(sources.first()?),
            },
            Change::Contest { id, sources, reason } => MindChange::Contested {
                statement: self.statement(id),
                by: sources.iter().map(|id| self.statement(id)).collect(),
                reason: reason.clone(),
            },
            Change::End { id, position, since, sources, reason } => MindChange::Ended {
                statement: self.statement(id),
                position: position.clone(),
                since: *since,
                by: self.statement(sources.first()?),
                reason: reason.clone(),
            },
            Change::Corroborate { id, corroborations, .. }
            | Change::Strengthen { id, corroborations, .. } => {
                MindChange::Confirmed { statement: self.statement(id), times: *corroborations }
            }
            Change::Restore { id, reason, .. } => {
                MindChange::Recollected { statement: self.statement(id), reason: reason.clone() }
            }
            Change::Archive { id, reason, .. } | Change::Forget { id, reason, .. } => {
                MindChange::Forgot { statement: self.statement(id), reason: reason.clone() }
            }
            Change::Collapse { .. } | Change::Prune { .. } => return None,
        })
    }

    /// Returns a statement of this night or of an earlier one.
    fn statement(&self, id: &MemoryId) -> Statement {
        let found = self.statements.statement(id);
        Statement { id: id.clone(), text: found.at.map(|_| found.text.to_owned()) }
    }

    /// Returns who told the NPC a statement of this night; nobody if it was not told.
    fn told_by(&self, id: &MemoryId) -> Vec<String> {
        let is_self = |name: &String| NpcId::new(name.as_str()).is_ok_and(|npc| npc == *self.npc);
        let of_talk = self.statements.written(id).filter(|entry| entry.kind == Kind::Chat);
        of_talk.map_or_else(Vec::new, |entry| {
            entry.actors.iter().filter(|name| !is_self(name)).cloned().collect()
        })
    }
}

fn own(entry: &Entry) -> Statement {
    Statement { id: entry.id.clone(), text: Some(entry.text.clone()) }
}
