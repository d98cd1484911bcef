//! Restoring of archived entries.

use nightfold_memory::{
    Change, IdError, MemoryId, MemoryRecord, ModelId, NightPlan, NpcId, Reason, Rule, StoreError,
    UnknownPack, Vector,
};

use super::base::{PlanBase, plan_of};

/// An archived entry, with the state that a plan to restore it is based on.
#[derive(Debug)]
pub struct ArchivedRecord<'a> {
    pub(super) base: PlanBase<'a>,
    pub(super) memory: MemoryRecord,
}

impl ArchivedRecord<'_> {
    /// Returns its text if it must be embedded first: memories that never were entries of their own have no vector in
    /// the store.
    pub fn text_to_embed(&self) -> Option<&str> {
        self.memory.entry.vector.is_none().then_some(&self.memory.entry.text)
    }

    /// Returns a plan that makes the entry active again. `embedded` is the vector of its
    /// [text](ArchivedRecord::text_to_embed), with its model.
    ///
    /// # Errors
    /// [`RestoreError`] if the vector is missing, or is of another model than the store's.
    pub fn restore(self, embedded: Option<(&ModelId, Vector)>) -> Result<NightPlan, RestoreError> {
        let Self { base, memory } = self;
        let (model, vector) = match (base.model.clone(), memory.entry.vector, embedded) {
            (Some(stored), Some(_), _) => (stored, None),
            (Some(stored), None, Some((given, _))) if stored != *given => {
                return Err(StoreError::Model { stored, given: given.clone() }.into());
            }
            (_, None, Some((given, vector))) => (given.clone(), Some(vector)),
            (None, _, None) | (_, None, None) | (None, Some(_), _) => {
                return Err(RestoreError::NoVector { id: memory.entry.id });
            }
        };
        let mut reason = Reason::new(Rule::Restored);
        if let Some(rule) = &memory.archived_by {
            reason = reason.with("put_away_by", rule.as_str());
        }
        let restore = Change::Restore { id: memory.entry.id, sources: Vec::new(), vector, reason };
        Ok(plan_of(vec![base.night(model, vec![restore], None)?]))
    }
}

/// Error of restoring an entry.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// There is no such entry.
    #[error("{npc} has no memory {id}")]
    Missing {
        /// NPC whose entry was requested.
        npc: NpcId,
        /// Id of the entry.
        id: MemoryId,
    },
    /// The entry is not archived.
    #[error("{id} of {npc} is active: there is nothing to restore")]
    Active {
        /// NPC of the entry.
        npc: NpcId,
        /// Id of the entry.
        id: MemoryId,
    },
    /// The entry's text is blank.
    #[error("{id} of {npc} is blank: there is nothing to remember")]
    Blank {
        /// NPC of the entry.
        npc: NpcId,
        /// Id of the entry.
        id: MemoryId,
    },
    /// The label of the plan is not a valid night label.
    #[error(transparent)]
    Label(#[from] IdError),
    /// The entry has no vector, and none was given.
    #[error("{id} has no vector: its text must be embedded first")]
    NoVector {
        /// Id of the entry.
        id: MemoryId,
    },
    /// There is no language pack of the configured name.
    #[error(transparent)]
    Pack(#[from] UnknownPack),
    /// The store could not be read, or holds vectors of another model.
    #[error(transparent)]
    Store(#[from] StoreError),
}
